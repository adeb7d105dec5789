"""Statistics on plain numbers: rates, F1, and intervals by resampling. numpy only, no knowledge of what is counted."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A value with the ends of its interval; all in the unit of the value."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Predictions against truth on `n` items."""

    n: int
    positives: int
    """True positives and false negatives: items where the truth is yes."""
    predicted: int
    hits: int

    @property
    def precision(self) -> float:
        """Share of the predicted that are true, in [0, 1]; 0 where nothing was predicted."""
        return self.hits / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """Share of the true that were predicted, in [0, 1]; 0 where nothing is true."""
        return self.hits / self.positives if self.positives else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall, in [0, 1], higher is better."""
        total = self.predicted + self.positives
        return 2 * self.hits / total if total else 0.0


def agreement(predicted: Sequence[bool], truth: Sequence[bool]) -> Agreement:
    """Count hits of two equally long sequences.

    Raises:
        ValueError: the lengths differ.
    """
    pairs = list(zip(predicted, truth, strict=True))
    return Agreement(
        n=len(pairs),
        positives=sum(t for _, t in pairs),
        predicted=sum(p for p, _ in pairs),
        hits=sum(p and t for p, t in pairs),
    )


def wilson(hits: int, n: int, *, level: float = 0.95) -> Interval:
    """Wilson score interval of a rate `hits / n` (Wilson 1927); the whole of [0, 1] where n is 0."""
    if n == 0:
        return Interval(value=0.0, low=0.0, high=1.0)
    z = _z(level)
    rate = hits / n
    centre = (rate + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    return Interval(value=rate, low=max(0.0, centre - half), high=min(1.0, centre + half))


def _z(level: float) -> float:
    from statistics import NormalDist

    return NormalDist().inv_cdf((1 + level) / 2)


def resampled(
    clusters: Sequence[Sequence[T]],
    statistic: Callable[[list[T]], float],
    *,
    draws: int = 2000,
    level: float = 0.95,
    seed: int = 0,
) -> Interval:
    """A percentile interval by drawing whole clusters (people, sessions) with replacement.

    Args:
        clusters: the items by cluster; items of one cluster are not independent.
        statistic: of a flat list of items.
        draws: bootstrap draws.
        level: of the interval, in (0, 1).
        seed: same seed, same interval.
    """
    import numpy as np

    value = statistic([item for cluster in clusters for item in cluster])
    if not clusters:
        return Interval(value=value, low=value, high=value)
    random = np.random.default_rng(seed)
    picks = random.integers(0, len(clusters), size=(draws, len(clusters)))
    values = np.sort([statistic([item for i in pick for item in clusters[i]]) for pick in picks])
    tail = (1 - level) / 2
    return Interval(value=value, low=float(np.quantile(values, tail)), high=float(np.quantile(values, 1 - tail)))


def spearman(pairs: Sequence[tuple[float, float]]) -> float:
    """Rank correlation of two values (Spearman 1904), ties at their mean rank; 0 where one of the two never differs."""
    import numpy as np

    if not pairs:
        return 0.0
    ranks: list[np.ndarray] = []
    for side in zip(*pairs, strict=True):
        _, place, count = np.unique(side, return_inverse=True, return_counts=True)
        ranks.append((np.cumsum(count) - (count - 1) / 2)[place])
    one, other = (each - each.mean() for each in ranks)
    size = math.sqrt(float(one @ one) * float(other @ other))
    return float(one @ other) / size if size else 0.0
