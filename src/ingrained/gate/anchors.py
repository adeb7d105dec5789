"""Anchors: the tasks on which a group of edits is replayed, drawn and put in order before the first of them is run.

The decision to know: the schedule depends on the pool, the evidence and a seed, never on what a replay gave, so that
nobody can go on to the tasks that suit an edit. The task that the evidence came from is left out, since an edit that
repeats its answer would win there; where no other is tied to the evidence, it is taken and the schedule says `overfit`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ingrained.errors import GateError
from ingrained.gate.plan import Plan
from ingrained.harness.base import Task
from ingrained.ids import content_hash

APART: Final = 1_000_000
"""Between the seeds of attempts of two runs."""
BATCH = 4
"""Tasks that are replayed before the pairs are looked at again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a unit of evidence comes from."""

    family: str | None
    """Tasks of this family are about the same evidence; None: those of every family are."""
    tasks: frozenset[str] = frozenset()
    """Ids of those that the evidence itself is made of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One anchor with the seed that both sides are sampled with."""

    task: Task
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """What is settled before the first replay of a group."""

    plan: Plan
    """With the cap cut to what the schedule holds, so that the last pair ends the group."""
    batches: tuple[tuple[Slot, ...], ...]
    """In the order in which they are run; a task's seeds are in one batch."""
    step: int
    """Which group of the run, from 1."""
    seed: int
    overfit: bool
    """The anchors are the evidence's own tasks."""


def schedule(
    pool: Sequence[Task],
    source: Source,
    plan: Plan,
    *,
    seed: int = 0,
    step: int = 1,
    batch: int = BATCH,
    first: int = 0,
) -> Schedule:
    """Draw the anchors of one group. The order of the pool does not matter.

    Seeds of attempts count on from step to step, and begin elsewhere for another `seed`, so that a skill that stands
    for several steps or runs is sampled anew in each and a store of answers gives no old one out as fresh evidence.

    Args:
        pool: tasks that edits may be decided on; never the held-out ones.
        source: what the group's evidence comes from.
        plan: the rule, the cap and the seeds a task.
        seed: of the draw, of the order of arms, and of the attempts.
        step: which group of the run, from 1.
        batch: tasks between two looks at the pairs.
        first: added to the seeds of attempts, below `APART`; for a measurement beside the steps of a run.

    Raises:
        GateError: no task is tied to the evidence; two tasks have one id; a step or batch below 1.
    """
    if step < 1 or batch < 1:
        raise GateError(f"step {step} and batch {batch}: both count from 1")
    if len({task.id for task in pool}) < len(pool):
        raise GateError("two tasks of the pool have one id", hint="give each task its own id")
    found = anchors_of(pool, source)
    drawn = sorted(found, key=lambda task: content_hash([seed, step, task.id]))[: plan.cap // plan.seeds]
    if not drawn:
        families = ", ".join(repr(name) for name in sorted({task.family for task in pool})) or "none"
        if source.family is None:
            raise GateError("the pool holds no task", hint="hold fewer tasks out, or name more of them")
        raise GateError(
            f"no task of the pool is of the family {source.family!r}, which the evidence is about",
            hint=f"families of the pool: {families}",
        )
    first += seed * APART + (step - 1) * plan.seeds
    return Schedule(
        plan=plan.model_copy(update={"cap": len(drawn) * plan.seeds}),
        batches=tuple(
            tuple(Slot(task=task, seed=first + nth) for task in tasks for nth in range(plan.seeds))
            for tasks in (drawn[at : at + batch] for at in range(0, len(drawn), batch))
        ),
        step=step,
        seed=seed,
        overfit=any(task.id in source.tasks for task in found),
    )


def anchors_of(pool: Sequence[Task], source: Source) -> list[Task]:
    """The tasks that are tied to the evidence: all but its own, or its own where there are no others."""
    tied = [task for task in pool if source.family is None or task.family == source.family]
    return [task for task in tied if task.id not in source.tasks] or tied
