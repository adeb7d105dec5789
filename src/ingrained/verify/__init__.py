"""Checks of what was made: how well a text or an update does, what to change in it, and whether a rule asks for that.

Pure: no files, no clock; no model but in the judge of rubrics.
"""
