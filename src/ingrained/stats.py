"""Statistics on plain numbers: rates, F1, intervals by resampling, exact tests of pairs. numpy only.

Nothing here knows what is counted.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

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


def sign_test(wins: int, losses: int) -> float:
    """One-sided exact p-value of the sign test (McNemar's on discordant pairs): P(X >= wins) of Binomial(n, 1/2).

    n is wins + losses; ties are left out, as is usual. 1 without either. The null: a pair that is no tie is a win with
    a chance of at most a half, independently of the others.
    """
    n = wins + losses
    ways = term = math.comb(n, wins)
    for k in range(wins, n):
        term = term * (n - k) // (k + 1)
        ways += term
    return ways / 2**n


EXACT_PAIRS = 16
"""Up to this many differences all signs are tried."""
_SLACK = 1e-9
"""Sums that differ by less are equal: the same differences added in another order."""
_BLOCK = 1024
"""Choices of signs that are held at once for all streams."""


def permutation_test(differences: ArrayLike, *, draws: int = 9999, seed: int = 0) -> NDArray[np.float64]:
    """One-sided p-value of Fisher's paired permutation test (1935): how many choices of signs give as large a sum.

    All 2^n choices up to `EXACT_PAIRS` differences; beyond, the observed one and `draws` drawn ones, which keeps the
    test valid (Phipson and Smyth 2010). The null: each difference is as likely to be -d as d. The order of the
    differences does not matter. Cost: draws times n a stream.

    Args:
        differences: on the last axis; axes before it are streams, tested with the same drawn signs.
        draws: choices of signs that are drawn where not all are tried.
        seed: same seed, same p-value.

    Returns:
        A p-value for each stream, in (0, 1].
    """
    import numpy as np

    values = np.asarray(differences, dtype=float)
    sizes = np.sort(np.abs(values), axis=-1)
    n = values.shape[-1]
    if n <= EXACT_PAIRS:
        signs = 1.0 - 2.0 * (np.arange(2**n)[:, None] >> np.arange(n) & 1)
    else:
        signs = 1.0 - 2.0 * np.random.default_rng(seed).integers(0, 2, size=(draws, n))
    least = values.sum(axis=-1)[..., None] - _SLACK
    as_large = np.zeros(values.shape[:-1])
    for start in range(0, len(signs), _BLOCK):
        as_large += np.count_nonzero(sizes @ signs[start : start + _BLOCK].T >= least, axis=-1)
    return as_large / 2**n if n <= EXACT_PAIRS else (as_large + 1) / (draws + 1)


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
