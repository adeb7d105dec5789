"""Invented workers and tasks, in which the true gain of an edit is known.

A world draws tasks, and then scores for them: `scores(random, tasks, 0)` twice is an A/A comparison, and with an effect
the second is a treatment with that mean gain. Axes before the last are independent streams; siblings of a group share
their tasks. The decision to know: worlds differ in what a test may stumble on (ties, skewed scores, tasks of unequal
difficulty), not in how kind they are to ours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Random: TypeAlias = np.random.Generator
    Array: TypeAlias = NDArray[np.float64]
    Shape: TypeAlias = tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """One kind of tasks and scores."""

    tasks: Callable[[Random, Shape], Array]
    scores: Callable[[Random, Array, float], Array]
    """Scores in [0, 1] of drawn tasks; the mean over tasks is that of the control plus the effect."""
    binary: bool = True

    def differences(self, random: Random, effect: float, shape: Shape) -> Array:
        """Treatment minus control, with a control of its own for each."""
        tasks = self.tasks(random, shape)
        control = self.scores(random, tasks, 0.0)
        return self.scores(random, tasks, effect) - control

    def siblings(self, random: Random, effects: Array, groups: int, length: int) -> Array:
        """Differences of edits with these effects that share the controls, as groups x edits x tasks."""
        import numpy as np

        tasks = self.tasks(random, (groups, length))
        control = self.scores(random, tasks, 0.0)
        treated = [self.scores(random, tasks, effect) - control for effect in effects]
        return np.stack(treated, axis=1)


def _even_tasks(_: Random, shape: Shape) -> Array:
    import numpy as np

    return np.full(shape, 0.5)


def _chance(random: Random, tasks: Array, effect: float) -> Array:
    return (random.random(tasks.shape) < tasks + effect).astype(float)


def _tied_tasks(random: Random, shape: Shape) -> Array:
    import numpy as np

    drawn = random.random(shape)
    return np.where(drawn < _TIED / 2, 0.0, np.where(drawn < _TIED, 1.0, 0.5))


def _tied(random: Random, tasks: Array, effect: float) -> Array:
    import numpy as np

    return _chance(random, np.where(tasks == 0.5, tasks + effect / (1 - _TIED), tasks), 0.0)


def _uneven_tasks(random: Random, shape: Shape) -> Array:
    return random.beta(0.5, 0.5, shape)


def _uneven(random: Random, tasks: Array, effect: float) -> Array:
    return _chance(random, tasks + 2 * effect * (1 - tasks if effect > 0 else tasks), 0.0)


def _skewed(random: Random, tasks: Array, effect: float) -> Array:
    import numpy as np

    nothing = random.random(tasks.shape) < _NOTHING - effect / 0.8
    return np.where(nothing, 0.0, random.beta(4.0, 1.0, tasks.shape))


def _steady_tasks(random: Random, shape: Shape) -> Array:
    return (random.random(shape) < 0.5).astype(float)


def _steady(random: Random, tasks: Array, effect: float) -> Array:
    """Almost the same each time: an edit turns whole tasks, and one answer in 33 is a slip."""
    import numpy as np

    turned = random.random(tasks.shape) < 2 * abs(effect) / (1 - 2 * _SLIP)
    after = np.where(turned, float(effect > 0), tasks)
    return np.abs(after - (random.random(tasks.shape) < _SLIP))


_TIED = 0.3
_NOTHING = 0.375
_SLIP = 0.03

WORLDS: Mapping[str, World] = {
    "even": World(tasks=_even_tasks, scores=_chance),
    "ties": World(tasks=_tied_tasks, scores=_tied),
    "uneven": World(tasks=_uneven_tasks, scores=_uneven),
    "skewed": World(tasks=_even_tasks, scores=_skewed, binary=False),
    "steady": World(tasks=_steady_tasks, scores=_steady),
}
"""even: every task succeeds half the time. ties: three tasks in ten always come out the same, the others by halves.
uneven: chances of success after Beta(1/2, 1/2). skewed: no score at all or one after Beta(4, 1). steady: a worker
without much chance in it, whose arms differ on six tasks in a hundred."""


def lopsided(random: Random, shape: Shape) -> Array:
    """Differences of an edit that gains a little nearly always and loses much now and then: the mean is 0, no A/A."""
    import numpy as np

    return np.where(random.random(shape) < 0.9, 0.1, -0.9)


def repeated(random: Random, shape: Shape, seeds: int) -> Array:
    """Differences with a last axis of seeds: an edit helps half of the tasks and hurts the others as much."""
    import numpy as np

    chance = np.where(random.random(shape) < 0.5, 0.1, 0.9)[..., None]
    full = (*shape, seeds)
    return (random.random(full) < chance).astype(float) - (random.random(full) < 0.5)


def chosen(random: Random, shape: Shape) -> Array:
    """Differences of an edit that does nothing, on tasks chosen because a control that was kept had failed there."""
    return (random.random(shape) < 0.5).astype(float)
