"""Sets of tasks that a bench loads, and their seeded split.

The decision to know: a task's side depends on the seed and its own id alone, within its family, so that no order of
input changes it; the held-out side is for the last measurement and is shown to no editor.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from ingrained.bench.writing.document import Dropped
from ingrained.errors import ConfigError
from ingrained.harness.base import Task
from ingrained.ids import content_hash


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSet:
    """What a loader found."""

    tasks: tuple[Task, ...]
    dropped: tuple[Dropped, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """Tasks to learn and decide on, and those that are kept apart."""

    pool: tuple[Task, ...]
    held_out: tuple[Task, ...]


def split(tasks: Sequence[Task], *, share: float, seed: int = 0) -> Split:
    """Hold out about `share`, in [0, 1), of each family; a family of one task stays in the pool.

    Raises:
        ConfigError: the share is outside its range, or two tasks have one id.
    """
    if not 0 <= share < 1:
        raise ConfigError(f"share of held-out tasks: {share} is not in [0, 1)")
    families: dict[str, list[Task]] = defaultdict(list)
    for task in tasks:
        families[task.family].append(task)
    if len({task.id for task in tasks}) < len(tasks):
        raise ConfigError("two tasks have one id")
    held: set[str] = set()
    for family in families.values():
        drawn = sorted(family, key=lambda task: content_hash([seed, task.id]))
        held.update(task.id for task in drawn[: min(round(share * len(family)), len(family) - 1)])
    sides = {side: tuple(task for task in tasks if (task.id in held) is side) for side in (False, True)}
    return Split(pool=sides[False], held_out=sides[True])
