"""Scores: what a text is worth by a rubric, what should be changed in it, and whether a rule asks for that."""
