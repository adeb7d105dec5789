"""How a count is told to a person: `1 rule`, `2 rules`, `12,000 tokens`. The one place that knows of the singular."""

from __future__ import annotations


def plural(count: int, one: str, many: str = "") -> str:
    """The count and what is counted: `1 rule`, `2 rules`, with the plural given where it is not an s."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
