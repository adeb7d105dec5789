"""Putting skills where agents read them, and taking them out again: one module per agent says the places."""
