"""The tests of pairs against tables and data sets that others have published, and against scipy."""

from __future__ import annotations

import numpy as np
import pytest

from ingrained.stats import permutation_test, sign_test

DARWIN = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
"""Eighths of an inch by which cross-fertilised maize was taller, 15 pairs (Darwin 1876)."""


def test_fishers_count_of_signs_for_darwins_maize() -> None:
    """The Design of Experiments (1935), section 21: 863 of the 32,768 sums are as large as the observed one."""
    assert permutation_test(DARWIN) * 2**15 == 863


@pytest.mark.parametrize(
    ("wins", "losses", "p"),
    [(5, 0, 1 / 32), (4, 1, 6 / 32), (5, 1, 7 / 64), (9, 1, 11 / 1024), (0, 0, 1.0), (0, 3, 1.0)],
)
def test_the_sign_test_by_counting(wins: int, losses: int, p: float) -> None:
    assert sign_test(wins, losses) == p


@pytest.mark.parametrize(("wins", "losses"), [(13, 2), (30, 20), (300, 260), (700, 800), (1, 0)])
def test_the_sign_test_is_scipys(wins: int, losses: int) -> None:
    from scipy import stats as scipy_stats

    scipys = scipy_stats.binomtest(wins, wins + losses, 0.5, alternative="greater").pvalue
    assert sign_test(wins, losses) == pytest.approx(scipys, rel=1e-10)


@pytest.mark.parametrize("n", [3, 8, 12])
def test_the_permutation_test_is_scipys(n: int) -> None:
    from scipy import stats as scipy_stats

    values = np.random.default_rng(n).normal(0.3, 1, n)
    scipys = scipy_stats.permutation_test(
        (values,), np.sum, permutation_type="samples", alternative="greater", n_resamples=np.inf
    )
    assert permutation_test(values) == pytest.approx(scipys.pvalue, abs=1e-12)


def test_drawn_signs_come_near_all_signs_and_never_reach_zero() -> None:
    from scipy import stats as scipy_stats

    values = np.random.default_rng(1).normal(0.2, 1, 40)
    p = permutation_test(values)
    assert p == permutation_test(values[::-1])
    normal = scipy_stats.norm.sf(values.sum() / np.sqrt((values**2).sum()))
    assert p == pytest.approx(normal, abs=0.02)
    assert permutation_test(np.ones(60)) == pytest.approx(1 / 10_000)


def test_streams_are_tested_one_by_one() -> None:
    values = np.random.default_rng(2).normal(0, 1, (5, 20))
    assert permutation_test(values).tolist() == [float(permutation_test(row)) for row in values]
