"""The gate's rules and those of others on many streams of differences at once, after each pair.

The sequential rule goes through the functions of `gate.betting` that the gate itself calls, and a test holds that it
stops where `gate.decide` does. The rules of others are written again from what they do: raw score (the ablation of
Skill-α), mean-compare (SkillOpt 0.2.0 accepts a candidate whose mean on the selection set is higher), gepa 0.1.4 (the
sum over a minibatch, of 3 by default, is strictly higher), cap-evolve (the mean difference exceeds one standard error).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from ingrained.gate.betting import log_evidence, log_prospects
from ingrained.stats import permutation_test, sign_test

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ingrained.bench.gate.worlds import Array

GEPA_BATCH = 3
PERMUTATIONS = 1999
_SLACK = 1e-12
_NEVER = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """What became of each stream; all of one shape."""

    accepted: NDArray[np.bool_]
    rejected: NDArray[np.bool_]
    pairs: NDArray[np.int64]
    """After how many it stopped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Looks:
    """What the sequential rule sees after each pair; logarithms of the shape of the differences."""

    evidence: Array
    prospects: Array
    against: Array

    def stop(self, alpha: float, beta: float | None) -> Stopped:
        """Where it accepts, rejects, or gives up because the last pair is there or acceptance out of reach.

        Args:
            alpha: level of acceptance.
            beta: of rejection; None never rejects.
        """
        import numpy as np

        wanted = -math.log(alpha) - _SLACK
        yes = _first(self.evidence >= wanted)
        no = _first(self.against >= -math.log(beta) - _SLACK) if beta else np.full(yes.shape, _NEVER)
        end = np.minimum(_first(self.prospects < wanted), self.evidence.shape[-1])
        accepted = (yes <= no) & (yes <= end)
        rejected = ~accepted & (no <= end)
        return Stopped(accepted=accepted, rejected=rejected, pairs=np.minimum(np.minimum(yes, no), end))


def looks(differences: Array, null: float, target: float) -> Looks:
    """The sequential rule on streams of differences, pairs on the last axis, up to its cap."""
    return Looks(
        evidence=log_evidence(differences, null, target),
        prospects=log_prospects(differences, null, target),
        against=log_evidence(-differences, -target, -null),
    )


def _first(hit: NDArray[np.bool_]) -> NDArray[np.int64]:
    import numpy as np

    return np.where(hit.any(axis=-1), hit.argmax(axis=-1) + 1, _NEVER)


def mean_higher(differences: Array, n: int) -> NDArray[np.bool_]:
    """Whether the sum over the first n is strictly higher under the new skill."""
    return differences[..., :n].sum(axis=-1) > _SLACK


def above_error(differences: Array, n: int) -> NDArray[np.bool_]:
    """Whether the mean of the first n exceeds its standard error; where that is 0, whether it exceeds 0."""
    import numpy as np

    values = differences[..., :n]
    error = values.std(axis=-1, ddof=1) / np.sqrt(n)
    return values.mean(axis=-1) > error + _SLACK


def sign(differences: Array, n: int, alpha: float) -> NDArray[np.bool_]:
    """The exact sign test on the first n."""
    values = differences[..., :n]
    return _significant((values > _SLACK).sum(axis=-1), (values < -_SLACK).sum(axis=-1), alpha)


def sign_at_each(differences: Array, alpha: float) -> NDArray[np.bool_]:
    """The exact sign test on the first 1, 2, 3 ... pairs."""
    import numpy as np

    wins = np.cumsum(differences > _SLACK, axis=-1, dtype=np.int64)
    losses = np.cumsum(differences < -_SLACK, axis=-1, dtype=np.int64)
    return _significant(wins, losses, alpha)


def any_of(accepted: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether any edit of each group, or any look at each stream, was accepted; those stand on the last axis."""
    import numpy as np

    return np.logical_or.reduce(accepted, axis=-1)


def _significant(wins: NDArray[np.int64], losses: NDArray[np.int64], alpha: float) -> NDArray[np.bool_]:
    import numpy as np

    most = int((wins + losses).max(initial=0))
    needed = np.array([_needed(n, alpha) for n in range(most + 1)])
    return wins >= needed[wins + losses]


@cache
def _needed(n: int, alpha: float) -> int:
    """Wins of n pairs that differ from which the sign test is significant; n + 1 where none are enough."""
    low, high = 0, n + 1
    while low < high:
        middle = (low + high) // 2
        if sign_test(middle, n - middle) <= alpha:
            high = middle
        else:
            low = middle + 1
    return low


def permutation(differences: Array, n: int, alpha: float) -> NDArray[np.bool_]:
    """Fisher's paired permutation test on the first n."""
    return permutation_test(differences[..., :n], draws=PERMUTATIONS) <= alpha


def fixed(differences: Array, n: int, alpha: float, *, binary: bool) -> NDArray[np.bool_]:
    """The fixed test that fits the scores: of signs for 0 and 1, of permutations for others."""
    return sign(differences, n, alpha) if binary else permutation(differences, n, alpha)


def pairs_for(differences: Array, power: float, alpha: float, *, binary: bool) -> int:
    """The fewest pairs with which the fixed test accepts a share `power` of these streams, at most their length."""
    most = differences.shape[-1]
    if binary:
        enough = sign_at_each(differences, alpha).mean(axis=tuple(range(differences.ndim - 1))) >= power
        return int(enough.argmax()) + 1 if enough.any() else most
    low, high = 1, most
    while low < high:
        middle = (low + high) // 2
        if permutation(differences, middle, alpha).mean() >= power:
            high = middle
        else:
            low = middle + 1
    return low
