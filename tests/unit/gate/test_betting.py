"""Evidence by betting: against the slow reference, against Wald's test, and whether it errs as rarely as it says."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from ingrained.gate.betting import bets, interval, log_evidence, log_prospects, log_reachable, log_stake
from reference import gate as slow

MEANS = [(0.0, 0.2), (0.0, 0.1), (0.0, 0.9), (-0.1, 0.0), (-0.3, 0.0), (-0.2, 0.0)]


def streams(n: int, length: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(-4, 5, (n, length)) / 4


@pytest.mark.parametrize(("null", "target"), MEANS)
def test_the_stake_is_that_of_the_slow_reference(null: float, target: float) -> None:
    for row in streams(20, 15):
        exact = slow.stake([Fraction(value) for value in row], null, target)
        assert log_stake(row, null, target) == pytest.approx(math.log(exact), abs=1e-9)


@pytest.mark.parametrize(("null", "target"), MEANS)
def test_after_each_task_it_is_the_stake_of_those_before(null: float, target: float) -> None:
    values = streams(4, 12)
    for row, found in zip(values, log_evidence(values, null, target), strict=True):
        assert found.tolist() == pytest.approx([log_stake(row[: n + 1], null, target) for n in range(12)], abs=1e-9)


@pytest.mark.parametrize(("null", "target"), MEANS)
def test_prospects_are_what_only_wins_would_bring(null: float, target: float) -> None:
    row = streams(1, 9)[0]
    for n, best in enumerate(log_prospects(row, null, target), start=1):
        exact = slow.best_stake([Fraction(value) for value in row[:n]], null, target, 9 - n)
        assert best == pytest.approx(math.log(exact), abs=1e-9)
        assert log_reachable(row[:n], null, target, 9 - n) == pytest.approx(math.log(exact), abs=1e-9)


@pytest.mark.parametrize(("null", "target"), MEANS)
def test_the_stake_is_divided_and_no_outcome_ruins_it(null: float, target: float) -> None:
    stakes = bets(null, target)
    assert math.fsum(map(math.exp, stakes.log_shares)) == pytest.approx(1)
    assert all(0 < size * (1 + null) < 1 for size in stakes.sizes)
    assert list(stakes.sizes) == sorted(stakes.sizes)


def test_one_bet_is_walds_ratio_of_the_tasks_that_differ() -> None:
    """(2p)^wins (2(1-p))^losses with p = (1 + λ)/2, summed over the bets; ties change nothing."""
    stakes = bets(0.0, 0.2)
    wald = sum(
        math.exp(share) * (1 + size) ** 7 * (1 - size) ** 3
        for size, share in zip(stakes.sizes, stakes.log_shares, strict=True)
    )
    assert log_stake([1.0] * 7 + [-1.0] * 3 + [0.0] * 20, 0.0, 0.2) == pytest.approx(math.log(wald), abs=1e-9)


def test_under_the_null_the_stake_grows_on_average_not_at_all() -> None:
    """Every outcome of five tasks with its probability: a fair stake has a mean of 1, to the last digit."""
    for p in (0.1, 0.5):
        mean = 0.0
        for outcome in np.stack(np.meshgrid(*[[-1, 0, 1]] * 5), -1).reshape(-1, 5):
            chance = np.prod(np.where(outcome == 0, 1 - 2 * p, p))
            mean += chance * math.exp(log_stake(outcome, 0.0, 0.2))
        assert mean == pytest.approx(1, abs=1e-12)


def test_it_reaches_twenty_less_than_one_time_in_twenty() -> None:
    """Skewed differences with a mean of 0 and no symmetry, looked at after each of 300 tasks."""
    random = np.random.default_rng(3)
    values = np.where(random.random((2000, 300)) < 0.75, 0.2, -0.6)
    reached = (log_evidence(values, 0.0, 0.2) >= math.log(20)).any(axis=1).mean()
    assert 0.01 < reached <= 0.05 + 2.6 * math.sqrt(0.05 * 0.95 / 2000)


@pytest.mark.parametrize(("null", "target"), MEANS)
def test_bounds_are_those_of_a_search_over_a_grid(null: float, target: float) -> None:
    for row in streams(2, 10, seed=5):
        exact = [Fraction(value) for value in row]
        low, high = interval(row, null, target, 0.2)
        grid = 64
        assert slow.lower_bound(exact, null, target, 0.2, grid) == pytest.approx(low, abs=2 / grid)
        mirrored = slow.lower_bound([-value for value in exact], -target, -null, 0.2, grid)
        assert -mirrored == pytest.approx(high, abs=2 / grid)


def test_the_lower_bound_is_above_the_null_exactly_where_the_evidence_suffices() -> None:
    for row in streams(200, 12, seed=6):
        low, high = interval(row, 0.0, 0.2, 0.1)
        assert (low >= -1e-9) == (log_stake(row, 0.0, 0.2) >= math.log(10))
        assert -1 <= low <= high <= 1


def test_bounds_hold_at_all_looks_together() -> None:
    random = np.random.default_rng(7)
    missed = 0
    for _ in range(100):
        values = np.where(random.random(40) < 0.6, 1.0, -1.0)  # a mean of 0.2
        looks = [interval(values[:n], 0.0, 0.3, 0.1) for n in (5, 10, 20, 40)]
        missed += any(low > 0.2 for low, _ in looks)
    assert missed / 100 <= 0.1 + 2.6 * math.sqrt(0.09 / 100)


def test_without_tasks_nothing_is_known() -> None:
    assert log_stake([], 0.0, 0.2) == pytest.approx(0)
    assert interval([], 0.0, 0.2, 0.05) == (-1.0, 1.0)
