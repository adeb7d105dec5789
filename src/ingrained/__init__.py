"""Ingrained: tell your agent once.

Turns what people keep telling their agents into skills that the agents follow. Importing this package has no side
effect and loads nothing heavy; take what you need from the sub-packages.
"""

__version__ = "0.1.0"
