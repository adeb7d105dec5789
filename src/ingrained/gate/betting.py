"""Evidence on the mean of bounded differences that may be looked at after every pair: a test by betting.

Against the null that the mean of the differences D is at most `null`, a bet of size λ multiplies a stake of 1 by
1 + λ(D - null) with each task. Under the null the stake cannot grow on average, whatever else the differences do, so
that it ever reaches 1/α has probability at most α (Ville's inequality), however often one looks and for whatever reason
one stops. For scores of 0 and 1 and a null of 0, a fixed λ is Wald's sequential likelihood ratio of the tasks that
differ: chance (1 + λ)/2 of a win against 1/2. Sources: Waudby-Smith and Ramdas, "Estimating means of bounded random
variables by betting", JRSS B 86 (2024); Ville (1939); Wald (1945); mixtures of tests are Robbins's (1970).

Departure: they adapt λ from pair to pair. Here the stake is divided among six bets before the first pair, as in their
diversified Kelly betting, and each part runs alone. The sum does not depend on the order of the pairs, and rises with
every single score; an adaptive λ has neither.

Assumed: differences in [-1, 1]; each has, given those before it, a mean of at most `null` under the null. That holds
where tasks are drawn independently from a family, or where an edit does nothing at all (then even for chosen tasks).

Arrays have tasks on their last axis; axes before it are independent streams. Cost: some microseconds a task.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

POINTS = 6
"""Bets that the stake is spread over."""
MOST = 0.98
"""Largest bet, as a share of the one that a single worst outcome would ruin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bets:
    """Sizes λ of the bets, in rising order, and the logarithms of their shares of the stake (which add up to 1)."""

    sizes: tuple[float, ...]
    log_shares: tuple[float, ...]


def bets(null: float, target: float) -> Bets:
    """The bets for a mean of `target` against one of at most `null`; -1 < null < target <= 1.

    The best bet is about (target - null) / E[(D - null)²], so that 2(target - null) is best where half of the binary
    differences are not 0. Sizes go from there up to `MOST` of what one loss of -1 would ruin, by equal factors: fewer
    differing tasks and greater gains call for larger bets. Shares fall as 1/λ.
    """
    top = MOST / (1 + null)
    low = min(2 * (target - null), top)
    sizes = [low * (top / low) ** (i / (POINTS - 1)) for i in range(POINTS)]
    total = math.fsum(1 / size for size in sizes)
    return Bets(sizes=tuple(sizes), log_shares=tuple(-math.log(size * total) for size in sizes))


def log_evidence(values: ArrayLike, null: float, target: float) -> NDArray[np.float64]:
    """Logarithm of the stake against "the mean is at most `null`" after each task, of the shape of `values`.

    Args:
        values: differences in [-1, 1], tasks on the last axis.
        null: the mean that is to be refuted, in (-1, 1).
        target: the mean that the bets are made for, above `null`.

    Returns:
        Natural logarithms. exp of each is an e-value, and at least 1/α with probability at most α under the null.
    """
    import numpy as np

    return np.logaddexp.reduce([part for _, part in _parts(values, null, target)])


def log_prospects(values: ArrayLike, null: float, target: float) -> NDArray[np.float64]:
    """What `log_evidence` could be at the last task, seen after each task: if all that is left were won."""
    import numpy as np

    left = np.arange(np.shape(values)[-1])[::-1]
    return np.logaddexp.reduce(
        [part + left * math.log1p(size * (1 - null)) for size, part in _parts(values, null, target)]
    )


def _parts(values: ArrayLike, null: float, target: float) -> Iterator[tuple[float, NDArray[np.float64]]]:
    """Each bet with the logarithm of its part of the stake after each task."""
    import numpy as np

    gains = np.asarray(values, dtype=float) - null
    stakes = bets(null, target)
    for size, share in zip(stakes.sizes, stakes.log_shares, strict=True):
        yield size, share + np.cumsum(np.log1p(size * gains), axis=-1)


def log_stake(values: ArrayLike, null: float, target: float) -> float:
    """The last of `log_evidence` for one stream, 0 without tasks; the same to the bit in whatever order they stand."""
    return _stake(_ordered(values), bets(null, target), null)


def _ordered(values: ArrayLike) -> NDArray[np.float64]:
    import numpy as np

    return np.sort(np.asarray(values, dtype=float))


def _stake(ordered: NDArray[np.float64], stakes: Bets, tested: float) -> float:
    """What bets have made of the stake against "the mean is at most `tested`"; it falls as that rises."""
    import numpy as np

    sizes = np.minimum(stakes.sizes, MOST / (1 + tested) if tested > -1 else math.inf)
    gains = ordered - tested
    return float(np.logaddexp.reduce(stakes.log_shares + np.log1p(sizes[:, None] * gains).sum(axis=-1)))


def log_reachable(values: ArrayLike, null: float, target: float, left: int) -> float:
    """The stake that `left` further tasks can bring at most: each of them won."""
    import numpy as np

    return log_stake(np.concatenate([np.asarray(values, dtype=float), np.ones(left)]), null, target)


def interval(values: ArrayLike, null: float, target: float, alpha: float) -> tuple[float, float]:
    """Bounds of the mean, each wrong with probability at most `alpha`, at all looks together.

    The lower bound is the largest mean that the evidence for `target` against `null` refutes: it is above `null`
    exactly where that evidence reaches 1/alpha. The upper bound is that of the mirrored question. Without tasks
    [-1, 1]. Cost: about 80 times that of the evidence.
    """
    import numpy as np

    mirrored = -np.asarray(values, dtype=float)
    low = _refuted(values, null, target, alpha)
    return low, max(low, -_refuted(mirrored, -target, -null, alpha))


def _refuted(values: ArrayLike, null: float, target: float, alpha: float) -> float:
    """The largest mean in [-1, 1] that is refuted, by halving; -1 where none is."""
    ordered, stakes, wanted = _ordered(values), bets(null, target), -math.log(alpha)
    low, high = -1.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        if _stake(ordered, stakes, middle) >= wanted:
            low = middle
        else:
            high = middle
    return low
