"""Pairs added up by task: what counts, what waits, what broke, and what has no score."""

from __future__ import annotations

import pytest
from tests.gate_pairs import pair, pairs

from ingrained.errors import GateError
from ingrained.gate.pair import Arm, Pair
from ingrained.gate.tally import Unjudged, tally
from reference import gate as slow


def test_a_task_counts_once_with_the_mean_of_its_seeds() -> None:
    found = tally([pair("a", 0, 1, 0), pair("a", 1, 1, 1), pair("b", 1, 0, 0), pair("b", 1, 1, 1)], seeds=2, always=3)
    assert found.differences == (0.5, -0.5)
    assert (found.wins, found.losses, found.pairs, found.scored, found.gain) == (1, 1, 4, 4, 0.0)


def test_a_task_waits_for_all_its_seeds() -> None:
    found = tally([pair("a", 0, 1, 0), pair("b", 0, 1, 0), pair("b", 0, 0, 1)], seeds=2, always=3)
    assert found.differences == (0.5,)
    assert found.waiting == 1


def test_a_seed_without_a_score_leaves_and_the_task_stays() -> None:
    found = tally([pair("a", 0, 1, 0), pair("a", 0, None, 1)], seeds=2, always=3)
    assert found.differences == (1.0,)
    assert found.unscored == Unjudged(treatment=1)


def test_pairs_without_a_score_are_counted_by_side() -> None:
    found = tally(pairs([(None, 1), (0, None), (0, None), (None, None), (0, 1)]), seeds=1, always=3)
    assert found.unscored == Unjudged(control=1, treatment=2, both=1)
    assert found.unscored.total == 4
    assert found.differences == (1.0,)


def test_a_task_that_always_passed_and_now_always_fails_is_shown_and_blocks() -> None:
    three = [pair("a", 1, 0, seed) for seed in range(3)]
    found = tally(three, seeds=3, always=3)
    assert [(one.task, one.seeds, one.blocks) for one in found.broken] == [("a", 3, True)]
    assert not tally(three, seeds=3, always=3, allowed=frozenset("a")).broken[0].blocks
    assert not tally(three, seeds=3, always=4).broken[0].blocks


@pytest.mark.parametrize("scores", [[(1, 0), (1, 0), (1, 1)], [(1, 0), (0, 0), (1, 0)], [(0, 0)] * 3])
def test_a_task_that_once_passed_now_or_once_failed_before_is_not_broken(scores: list[tuple[float, float]]) -> None:
    found = tally([pair("a", old, new, seed) for seed, (old, new) in enumerate(scores)], seeds=3, always=3)
    assert found.broken == ()


def test_stored_and_shared_answers_are_counted() -> None:
    one = Pair(task="a", control=Arm(score=0, cached=True), treatment=Arm(score=1), shared=True)
    found = tally([one, pair("b", 0, 1)], seeds=1, always=3)
    assert (found.cached_control, found.cached_treatment, found.shared) == (1, 0, 1)


def test_a_task_and_seed_twice_is_an_error_that_names_them() -> None:
    with pytest.raises(GateError, match="'a' with seed 0 occurs 2 times"):
        tally([pair("a", 0, 1), pair("a", 0, 1)], seeds=2, always=3)


def test_more_pairs_than_planned_are_an_error() -> None:
    with pytest.raises(GateError, match="'a' has 2 pairs and was to have 1"):
        tally([pair("a", 0, 1, 0), pair("a", 0, 1, 1)], seeds=1, always=3)


@pytest.mark.parametrize(("control", "treatment"), [(0, 0), (8, 0), (0, 8), (2, 10), (7, 7)])
def test_the_imbalance_is_robbins_mixture(control: int, treatment: int) -> None:
    exact = slow.imbalance(control, treatment)
    assert Unjudged(control=control, treatment=treatment).imbalance == pytest.approx(float(exact), rel=1e-9)


def test_a_long_balanced_run_is_no_imbalance() -> None:
    assert Unjudged(control=5000, treatment=5000).imbalance < 1
    assert Unjudged(control=0, treatment=5000).imbalance > 1e300
