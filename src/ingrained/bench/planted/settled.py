"""What is settled before a run: what is dealt to the rules of a world, how large, the budget, and what is predicted.

Chosen on worlds 1000 to 1002 and committed before worlds 0 to 29 were run; `docs/planted.md` says why each prediction
is made and what would refute it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from ingrained.gate.plan import Plan

Bond: TypeAlias = Literal["together", "clash", "same"]
"""Two rules that help only both; that help alone and hurt both; two wordings of one thing."""

SOLO: Final[Mapping[str, tuple[int, float, float]]] = {
    "helps much": (2, 1.0, 1.4),
    "helps": (2, 0.5, 0.8),
    "helps a little": (2, 0.1, 0.25),
    "hurts much": (2, -1.4, -1.0),
    "hurts": (3, -0.8, -0.5),
    "hurts a little": (2, -0.25, -0.1),
    "nothing": (4, 0.0, 0.0),
}
"""How many rules of each role a world has, and the range of what each adds to the log-odds of success."""
BONDS: Final[Mapping[Bond, tuple[int, tuple[float, float], tuple[float, float]]]] = {
    "together": (1, (0.0, 0.0), (0.6, 1.0)),
    "clash": (1, (0.4, 0.7), (-0.8, -0.4)),
    "same": (2, (0.4, 0.8), (0.0, 0.0)),
}
"""How many pairs of each bond, the range of what each of the two adds alone, and of what both add together. Two
wordings of one thing (`same`) add alike, and both no more than one."""
FRIENDS: Final = 2
"""Pairs of rules that read alike and are not; an editor may take them for one."""
STARTS: Final[Mapping[str, int]] = {"helps": 1, "helps a little": 1, "hurts much": 1, "hurts": 1, "nothing": 1}
"""Rules of each role that the first skill holds, beside both of one pair of `same`."""
COST: Final = 0.06
"""What each rule that there is to read takes from the log-odds."""
MENTIONS: Final = 1
"""How often each rule is mentioned in the evidence."""
MENTIONED: Final = (2, 4)
"""Rules that a unit of evidence mentions, from and to."""
TASKS: Final = 120
EASE: Final = (-1.8, 0.2)
"""Log-odds of success under the first skill, on a task of middling ease: the range."""
SPREAD: Final = 1.5
"""Standard deviation of the ease of tasks, in log-odds."""

Measure: TypeAlias = Literal["value", "rules", "harmful"]
"""Of the skill in the end: its true value, how many rules it has, how many of them hurt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """That one method ends with more of something than another."""

    measure: Measure
    more: str
    less: str


PLAN: Final = Plan()
"""Of `evolve`: what a user gets, the sequential rule at 5 % a group."""
SINGLE: Final = Plan(rule="single", cap=1)
RAW: Final = Plan(rule="raw", cap=1)
BUDGET: Final = 4000
"""Calls of the worker, for each method in each world."""
SEEDS: Final = 30
"""Worlds, from 0."""
ORDER: Final = ("gepa", "evolve-growing", "evolve", "single", "raw", "append")
"""Predicted: from the greatest true value to the least."""
CLAIM: Final = Prediction(measure="value", more="evolve", less="raw")
"""What decides whether the benchmark holds."""
PREDICTED: Final = (
    CLAIM,
    Prediction(measure="value", more="evolve", less="append"),
    Prediction(measure="value", more="evolve", less="single"),
    Prediction(measure="value", more="gepa", less="evolve"),
    Prediction(measure="value", more="evolve-growing", less="evolve"),
    Prediction(measure="value", more="single", less="raw"),
    Prediction(measure="value", more="raw", less="append"),
    Prediction(measure="rules", more="evolve-growing", less="evolve"),
    Prediction(measure="rules", more="evolve", less="raw"),
    Prediction(measure="harmful", more="evolve-growing", less="evolve"),
)
