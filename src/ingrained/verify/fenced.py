"""Fenced blocks of an answer: the code that was asked for in one, or a text without the fence around it."""

from __future__ import annotations

import re
from typing import Final

_FENCE: Final = re.compile(
    r"^ {0,3}(?P<fence>`{3,}|~{3,})[^\n`]*\n(?P<inside>.*?)(?:^ {0,3}(?P=fence)[`~]*[ \t]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)


def last_block(answer: str) -> str:
    """The inside of the last fenced block, one that was never closed too; all of the answer where it has none."""
    found = list(_FENCE.finditer(answer))
    return found[-1]["inside"] if found else answer


def unfenced(answer: str) -> str:
    """What stands in the fenced block that an answer opens with; all of it where it opens with none."""
    found = _FENCE.match(answer.strip())
    return found["inside"] if found else answer
