"""The gate's tests a second time: slow, in loops and exact fractions, written from the formulas alone.

Nothing of the package is imported. Scores are fractions, so that sums are exact; only the bets are rounded.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product


def sizes_and_shares(null: float, target: float) -> list[tuple[Fraction, Fraction]]:
    """Six bets from twice the hoped-for gain to 98 % of the ruinous one, by equal factors, with shares as 1/size."""
    ruin = 1 / (1 + null)
    last = 0.98 * ruin
    first = min(2 * (target - null), last)
    factor = (last / first) ** 0.2
    sizes = [Fraction(first * factor**i).limit_denominator(10**12) for i in range(6)]
    whole = sum(1 / size for size in sizes)
    return [(size, 1 / size / whole) for size in sizes]


def stake(values: Sequence[Fraction], null: float, target: float, tested: float | None = None) -> Fraction:
    """What a stake of 1, divided among the bets, has become."""
    against = Fraction(null if tested is None else tested).limit_denominator(10**12)
    total = Fraction(0)
    for size, share in sizes_and_shares(null, target):
        part = share
        bet = min(size, Fraction(98, 100) / (1 + against)) if against > -1 else size
        for value in values:
            part *= 1 + bet * (value - against)
        total += part
    return total


def best_stake(values: Sequence[Fraction], null: float, target: float, left: int) -> Fraction:
    return stake([*values, *[Fraction(1)] * left], null, target)


def lower_bound(values: Sequence[Fraction], null: float, target: float, alpha: float, grid: int) -> float:
    """The largest mean of a grid over [-1, 1] that is refuted; -1 where none is."""
    refuted = [-1.0]
    for i in range(1, grid):
        mean = -1 + 2 * i / grid
        if stake(values, null, target, mean) >= 1 / alpha:
            refuted.append(mean)
    return max(refuted)


def all_signs(values: Sequence[Fraction]) -> Fraction:
    """The paired permutation test: of all choices of signs, how many have a sum at least as large."""
    seen = sum(values)
    count = sum(
        sum(s * abs(v) for s, v in zip(signs, values, strict=True)) >= seen
        for signs in product((1, -1), repeat=len(values))
    )
    return Fraction(count, 2 ** len(values))


def all_outcomes(wins: int, losses: int) -> Fraction:
    """The sign test: of all outcomes of the pairs that differ, how many have at least as many wins."""
    outcomes = list(product((0, 1), repeat=wins + losses))
    return Fraction(sum(sum(outcome) >= wins for outcome in outcomes), len(outcomes))


def imbalance(control: int, treatment: int) -> Fraction:
    """2^n times the integral of p^a (1-p)^b over [0, 1], expanded by the binomial theorem and integrated term by term."""
    integral = sum(Fraction((-1) ** k * math.comb(treatment, k), control + k + 1) for k in range(treatment + 1))
    return 2 ** (control + treatment) * integral


def rollback(control: Fraction | None, group: Sequence[Fraction | str | None]) -> list[Fraction | None] | None:
    """Rewards, or None for a group without a signal. A number is a score, None an edit without one."""
    if control is None:
        return None
    staying = [one for one in group if one is not None]
    if all(one == "noop" for one in staying):
        return None
    rewards: list[Fraction | None] = []
    for one in group:
        if one is None:
            rewards.append(None)
        elif one == "invalid":
            rewards.append(Fraction(0))
        elif one == "noop":
            beaten = [other for other in staying if not isinstance(other, str) and other > control]
            rewards.append(Fraction(0 if beaten else 1))
        else:
            rewards.append(Fraction(1) if one > control else Fraction(0))
    return rewards


def sequential(
    values: Sequence[Fraction], null: float, target: float, alpha: float, beta: float, cap: int
) -> tuple[str, int]:
    """Pair after pair until something is decided: the word for it, and after how many pairs."""
    seen: list[Fraction] = []
    for value in values[:cap]:
        seen.append(value)
        if stake(seen, null, target) >= 1 / alpha:
            return "accepted", len(seen)
        if stake([-v for v in seen], -target, -null) >= 1 / beta:
            return "rejected", len(seen)
        if len(seen) == cap or best_stake(seen, null, target, cap - len(seen)) < 1 / alpha:
            return "inconclusive", len(seen)
    return "open", len(seen)
