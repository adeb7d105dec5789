"""Checks of what was made: how well a text or an update does what was asked. Pure: no files, no clock, no model."""
