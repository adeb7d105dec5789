"""Pairs added up: one difference a task, and everything that is no evidence counted beside it.

The decision to know: a task counts once. Its pairs of different seeds are averaged, because they rise and fall
together, and a task counts only when it has all its seeds, so that nobody stops in the middle of a lucky one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ingrained.errors import GateError
from ingrained.gate.pair import Pair
from ingrained.skill.rule import Frozen

PASS = 0.5
"""A score from which a task counts as passed."""
EQUAL = 1e-12
"""Differences up to this size are ties; scores are sums of shares and not exact."""


class Broken(Frozen):
    """A task that passed with every seed under the old skill and with none under the new one."""

    task: str
    seeds: int
    """Scored pairs that say so. By chance alone, with a worker of changing luck, at most one in 4**seeds tasks does."""
    blocks: bool
    """Whether it keeps the edit from being accepted: seeds enough, and not allowed."""


class Unjudged(Frozen):
    """Pairs without a score on one side or both; they are no evidence and only counted."""

    control: int = 0
    treatment: int = 0
    both: int = 0

    @property
    def total(self) -> int:
        """All of them."""
        return self.control + self.treatment + self.both

    @property
    def imbalance(self) -> float:
        """Evidence that one arm goes unscored more often than the other.

        At least 1/α with probability at most α, at all looks together, where both do so equally often: Robbins's
        mixture (1970) 2^n ∫ p^a (1-p)^b dp over n pairs with one side unscored, a times the control, b the treatment.
        """
        n = self.control + self.treatment
        log_of_ways = math.lgamma(n + 1) - math.lgamma(self.control + 1) - math.lgamma(self.treatment + 1)
        return math.exp(min(700.0, n * math.log(2) - math.log(n + 1) - log_of_ways))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What pairs of one edit add up to."""

    differences: tuple[float, ...]
    """Mean difference of each task that counts, in [-1, 1], in the order in which the tasks first appear."""
    pairs: int
    scored: int
    """Pairs with a score on both sides."""
    waiting: int
    """Tasks that have not all their seeds yet."""
    broken: tuple[Broken, ...]
    unscored: Unjudged
    cached_control: int
    cached_treatment: int
    shared: int

    @property
    def wins(self) -> int:
        """Tasks that went better under the new skill."""
        return sum(value > EQUAL for value in self.differences)

    @property
    def losses(self) -> int:
        """Tasks that went worse."""
        return sum(value < -EQUAL for value in self.differences)

    @property
    def gain(self) -> float | None:
        """The mean difference over tasks, in [-1, 1]; None without tasks."""
        return math.fsum(self.differences) / len(self.differences) if self.differences else None


def tally(pairs: Sequence[Pair], *, seeds: int, always: int, allowed: frozenset[str] = frozenset()) -> Tally:
    """Add up the pairs of one edit.

    Args:
        pairs: in the order in which they were started.
        seeds: pairs a task, settled before the first; a task with fewer waits.
        always: seeds from which a broken task blocks.
        allowed: tasks that may break.

    Raises:
        GateError: a task and seed occur twice, or a task has more pairs than it was to have.
    """
    by_task: dict[str, list[Pair]] = {}
    for pair in pairs:
        by_task.setdefault(pair.task, []).append(pair)
    for task, found in by_task.items():
        _check(task, found, seeds)
    complete = {task: _values(found) for task, found in by_task.items() if len(found) == seeds}
    return Tally(
        differences=tuple(math.fsum(values) / len(values) for values in complete.values() if values),
        pairs=len(pairs),
        scored=sum(pair.difference is not None for pair in pairs),
        waiting=len(by_task) - len(complete),
        broken=tuple(_broken(by_task, always, allowed)),
        unscored=_unscored(pairs),
        cached_control=sum(pair.control.cached for pair in pairs),
        cached_treatment=sum(pair.treatment.cached for pair in pairs),
        shared=sum(pair.shared for pair in pairs),
    )


def _check(task: str, found: Sequence[Pair], seeds: int) -> None:
    seed, times = Counter(pair.seed for pair in found).most_common(1)[0]
    if times > 1:
        raise GateError(
            f"task {task!r} with seed {seed} occurs {times} times; a task and seed may occur once an edit",
            hint="give each edit its own pairs, and each repetition its own seed",
        )
    if len(found) > seeds:
        raise GateError(
            f"task {task!r} has {len(found)} pairs and was to have {seeds}",
            hint="set seeds in the plan to the number of pairs a task, before anything is run",
        )


def _values(found: Sequence[Pair]) -> list[float]:
    return [pair.difference for pair in found if pair.difference is not None]


def _broken(by_task: dict[str, list[Pair]], always: int, allowed: frozenset[str]) -> list[Broken]:
    broken = []
    for task, found in sorted(by_task.items()):
        scores = [(p.control.score, p.treatment.score) for p in found]
        known = [(old, new) for old, new in scores if old is not None and new is not None]
        if known and all(old >= PASS > new for old, new in known):
            blocks = len(known) >= always and task not in allowed
            broken.append(Broken(task=task, seeds=len(known), blocks=blocks))
    return broken


def _unscored(pairs: Sequence[Pair]) -> Unjudged:
    missing = Counter((pair.control.score is None, pair.treatment.score is None) for pair in pairs)
    return Unjudged(control=missing[True, False], treatment=missing[False, True], both=missing[True, True])
