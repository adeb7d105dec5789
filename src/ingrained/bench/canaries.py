"""A judge on planted canaries: its error rates, and how often the order changes what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import get_args

from ingrained.bench.splits import Rate, rate
from ingrained.harness.base import Task
from ingrained.model.base import Model
from ingrained.skill.rule import Frozen
from ingrained.verify.canaries import Canary, Kind, Told, canaries, planted, tell
from ingrained.verify.judge import rubrics_of


class CanaryRow(Frozen):
    """The rubrics of one kind of answer."""

    kind: Kind
    n: int
    right: int
    wrong: int
    """Both orders say the contrary of what is known; the rest was left open."""


class CanaryBench(Frozen):
    """`bench judge-rubrics --json`: how far a judge is to be believed."""

    version: int = 1
    judge: str
    rubrics: int
    """That were judged, each in both orders."""
    rows: list[CanaryRow]
    false_met: Rate
    """Of the rubrics that are not met: said to be."""
    false_unmet: Rate
    """Of the rubrics that are met: said not to be."""
    right: Rate
    """Of all."""
    turned: Rate
    """Of those with a verdict in both orders: another one in the other order."""
    unsure: int
    """Both orders say that it cannot be told."""
    unusable: int
    """No verdict of the set in one order at least."""
    reasons: dict[str, int]
    """Why answers were unusable."""


async def judged(name: str, judge: Model, tasks: Sequence[Task] = ()) -> CanaryBench:
    """Ask a judge about all canaries: ours, and those of the tasks' own rubrics. Cost: two calls each, at most four.

    Raises:
        ConfigError: a task has no rubrics.
        UnseenRequestError, IngrainedError: as `verify.judge.opinions` says.
    """
    return bench(name, await tell(judge, asked_of(tasks)))


def asked_of(tasks: Iterable[Task]) -> list[Canary]:
    """Our canaries, then those of tasks."""
    return [*canaries(), *(one for task in tasks for one in planted(rubrics_of(task)))]


def bench(name: str, told: Sequence[Told]) -> CanaryBench:
    """The figures of what a judge said."""

    def share(of: Callable[[Told], bool], among: Callable[[Told], bool]) -> Rate:
        found = [one for one in told if among(one)]
        return rate(sum(map(of, found)), len(found))

    said = [one.opinion for one in told]
    unusable = [one for one in said if one.forward is None or one.backward is None]
    reasons = [one.reason or "no verdict of the set" for one in unusable]
    return CanaryBench(
        judge=name,
        rubrics=len(told),
        rows=[
            CanaryRow(kind=kind, n=len(own), right=sum(one.right for one in own), wrong=sum(one.wrong for one in own))
            for kind in get_args(Kind)
            if (own := [one for one in told if one.kind == kind])
        ],
        false_met=share(lambda one: one.wrong, lambda one: not one.met),
        false_unmet=share(lambda one: one.wrong, lambda one: one.met),
        right=share(lambda one: one.right, lambda _: True),
        turned=share(
            lambda one: one.opinion.agreed is None,
            lambda one: one.opinion.forward is not None and one.opinion.backward is not None,
        ),
        unsure=sum(one.agreed == "cannot tell" for one in said),
        unusable=len(unusable),
        reasons={one: reasons.count(one) for one in dict.fromkeys(reasons)},
    )
