"""Judges of pairs of texts that are functions: one that knows the truth, and some that nobody should believe."""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median

from ingrained.bench.writing.judge import ASPECTS
from ingrained.model.base import Request

DATA = re.compile(r"<data (\w+)>\n(.*?)\n</data \1>", re.DOTALL)

MEAN4: dict[str, float] = {}
"""By text; filled by the test that asks `reads_mean4`."""
SEEN: list[Request] = []
"""What a judge was asked since a test emptied it."""


def blocks(request: Request) -> list[str]:
    """What stands between marks: the histories, the request, text A and text B."""
    return [found[2] for found in DATA.finditer(request.messages[-1].text)]


def marks(first: int, second: int) -> dict[str, dict[str, int]]:
    return {aspect: {"A": first, "B": second} for aspect in ASPECTS}


def from_share(shares: Sequence[float]) -> dict[str, dict[str, int]]:
    one, two = (1 + round(9 * share) for share in shares)
    return marks(one, two)


def reads_mean4(request: Request) -> object:
    """Marks as the rubric does."""
    return from_share([MEAN4[text] for text in blocks(request)[-2:]])


def likes_the_first(request: Request) -> object:
    """Marks the place and not the text."""
    SEEN.append(request)
    return marks(9, 3)


def likes_all(_: Request) -> object:
    """Gives the same marks to whatever it reads."""
    return marks(7, 7)


def measures_length(request: Request) -> object:
    """Marks how near a text is to the median length of the histories."""
    *histories, _, first, second = blocks(request)
    usual = median(len(one.split()) for one in histories)
    near = [min(len(one.split()), usual) / max(len(one.split()), usual, 1) for one in (first, second)]
    return from_share(near)


def talks(_: Request) -> object:
    """Never answers."""
    return "Text A is better, 11 of 10."
