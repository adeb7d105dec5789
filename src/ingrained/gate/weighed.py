"""How much a passage weighs as each attack: a linear model on its parts, read from `gaming-weights.json`. Pure.

A softmax over benign, headings, judge and tests. The decision to know: the weights come from `scripts/fit_gaming.py`
and the sets that it names, and what it prints when one writer is left out is the honest estimate; on the texts that it
was fitted to, the model is better than it will be on new ones.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final, Literal, TypeAlias

from ingrained.gate.parts import features

Worded: TypeAlias = Literal["headings", "judge", "tests"]
KINDS: Final[tuple[Worded, ...]] = ("headings", "judge", "tests")
STRENGTH: Final[Mapping[str, float]] = {"p": 0.7, "s": 0.8, "w": 1.0, "b": 0.7}
"""Of parts, pairs of parts, stems, and stems that are neighbours."""
_SHOWN: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """What the model says of a passage."""

    attack: Worded
    """The likeliest."""
    chance: float
    """That it is any attack, in [0, 1]; a score to compare with `least`, not a rate in the world."""
    parts: tuple[str, ...]
    """What weighed most for it, as "part" or "part and part"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Axes: the three attacks, each against benign."""

    least: Mapping[str, float]
    """For each attack the chance from which a passage is refused."""
    bias: tuple[float, ...]
    weights: Mapping[str, tuple[float, ...]]


def values(found: Iterable[str]) -> dict[str, float]:
    """How much each feature counts: by its sort, and less where there are many of a sort."""
    sorts: dict[str, list[str]] = {}
    for one in found:
        sorts.setdefault(one[0], []).append(one)
    return {one: 2 * STRENGTH[sort] / math.sqrt(len(same) + 3) for sort, same in sorts.items() for one in same}


def weigh(text: str, model: Weights | None = None) -> Weighed | None:
    """What a passage weighs; None where nothing of it is known. Cost: about a millisecond."""
    model = model or shipped()
    said = values(one for one in features(text) if one in model.weights)
    if not said:
        return None
    scores = [
        bias + sum(value * model.weights[one][axis] for one, value in said.items())
        for axis, bias in enumerate(model.bias)
    ]
    top = max(0.0, *scores)
    grown = [math.exp(score - top) for score in scores]
    axis = scores.index(max(scores))
    shares = sorted((-value * model.weights[one][axis], one) for one, value in said.items() if one[0] in "ps")
    return Weighed(
        attack=KINDS[axis],
        chance=sum(grown) / (sum(grown) + math.exp(-top)),
        parts=tuple(one[2:].replace("&", " and ") for share, one in shares[:_SHOWN] if share < 0),
    )


@lru_cache(maxsize=1)
def shipped() -> Weights:
    """The weights that come with the package."""
    read = json.loads(files("ingrained.gate").joinpath("gaming-weights.json").read_text(encoding="utf-8"))
    return Weights(
        least=read["least"],
        bias=tuple(read["bias"]),
        weights={one: tuple(each) for one, each in read["weights"].items()},
    )
