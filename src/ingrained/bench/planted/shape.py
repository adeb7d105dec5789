"""The published shape of `bench planted --json`."""

from __future__ import annotations

from typing import Literal

from ingrained.bench.planted.settled import Measure
from ingrained.gate.plan import Plan
from ingrained.skill.rule import Frozen


class Span(Frozen):
    """A mean over worlds with its 95 % interval, by resampling worlds."""

    mean: float
    low: float
    high: float


class Mark(Frozen):
    """The skill that a method ends with in one world."""

    value: float
    """Its true value: the mean chance of success over all tasks, in [0, 1]."""
    rules: int
    tokens: int
    """Of the whole text (≈)."""
    harmful: int
    """Hidden rules in it without which it would do better."""
    calls: int
    """Of the worker, to get there."""


class PlantedWorld(Frozen):
    """One world."""

    seed: int
    start: Mark
    """The first skill."""
    best: float
    """The value of the best skill that there is."""
    marks: dict[str, Mark]
    """By method."""


class Row(Frozen):
    """A method over all worlds."""

    method: str
    gain: Span
    """The value in the end minus that of the first skill."""
    value: float
    """Mean."""
    share: Span
    """Gain, as a share of what the best skill gains; below 0 where a skill was made worse."""
    rules: float
    tokens: float
    harmful: float
    calls: float


class Difference(Frozen):
    """Two methods in the same worlds: the first minus the second."""

    measure: Measure
    one: str
    other: str
    span: Span
    more: int
    """Worlds in which the first has more."""
    fewer: int


class Foretold(Frozen):
    """A prediction that was settled before the run, for the budget and the worlds that are the default."""

    difference: Difference
    """Of the method that was to have more, minus the other."""
    came: Literal["yes", "no", "open"]
    """yes: the interval lies above 0. no: it lies below. open: 0 lies in it."""


class PlantedBench(Frozen):
    """`bench planted --json`."""

    version: int = 1
    worlds: tuple[PlantedWorld, ...]
    budget: int
    """Calls that each method may make in each world."""
    plan: Plan
    """How `evolve` and `evolve-growing` decide."""
    start: float
    """Mean value of the first skills."""
    best: float
    """Mean value of the best skills."""
    rows: tuple[Row, ...]
    """In the order that was predicted."""
    against: tuple[Difference, ...]
    """`evolve` against every other method, in value."""
    predicted: tuple[str, ...]
    """Methods from the greatest value to the least, as predicted."""
    found: tuple[str, ...]
    """The same as it came."""
    foretold: tuple[Foretold, ...]
    """The first is the claim."""
    missing: dict[str, str]
    """Methods that were left out, and why."""
    holds: bool
    """The claim: `evolve` ends with a higher value than `raw`, by an interval above 0."""
