"""Pairs for tests of the gate, from bare scores."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ingrained.gate.pair import Arm, Pair

Score = float | None
"""None is an arm without a score."""


def arm(score: Score, *, cached: bool = False) -> Arm:
    return Arm(unscored="no answer", cached=cached) if score is None else Arm(score=score, cached=cached)


def pair(task: str, control: Score, treatment: Score, seed: int = 0) -> Pair:
    return Pair(task=task, seed=seed, control=arm(control), treatment=arm(treatment))


def pairs(scores: Iterable[tuple[Score, Score]]) -> list[Pair]:
    """One pair a task, in order."""
    return [pair(f"t{i}", control, treatment) for i, (control, treatment) in enumerate(scores)]


def won_lost_tied(won: int, lost: int, tied: int = 0) -> list[Pair]:
    return pairs([(0.0, 1.0)] * won + [(1.0, 0.0)] * lost + [(1.0, 1.0)] * tied)


def of_differences(values: Sequence[float]) -> list[Pair]:
    return pairs([(max(0.0, -value), max(0.0, value)) for value in values])
