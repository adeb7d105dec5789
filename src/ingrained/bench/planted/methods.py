"""What is compared: ways to go from a first skill to a better one, with the same calls of the same worker.

All see the same evidence and the same law of proposals, and may go through the evidence as often as their calls last.
The decision to know: `evolve` ends, whatever decides on its edits, when a pass had nothing to test any more, since all
that can be proposed was rejected once. Rules that reject on one attempt come there long before their calls are used up;
that is left as it is, since to forget and go on made their skills worse on the worlds that this was settled on.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

from ingrained.bench.planted.editor import GROWING, OPS, LotEditor, Op
from ingrained.bench.planted.gepa import by_gepa
from ingrained.bench.planted.settled import PLAN, RAW, SINGLE
from ingrained.bench.planted.worker import Foreman, Unkept, Worker
from ingrained.bench.planted.world import SECTION, World
from ingrained.gate.plan import Plan
from ingrained.gate.replay import Stage
from ingrained.learn.evolve import Course, evolve
from ingrained.skill.apply import apply
from ingrained.skill.edit import Create
from ingrained.skill.living import Living

Method: TypeAlias = Callable[[World, Worker], Awaitable[Living]]
"""From a world and a worker with its calls to the skill in the end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """What a method came to in one world."""

    skill: Living
    calls: int


async def evolved(world: World, worker: Worker, *, plan: Plan, ops: Collection[Op] = OPS) -> Living:
    """`learn.evolve`, which decides by a plan on groups of edits."""
    editor = LotEditor(world.alike, seed=world.seed, ops=ops)
    sink = Unkept()
    stage = Stage(harness=worker, verifier=Foreman(), sink=sink)
    course = Course(units=world.units, pool=world.tasks, plan=plan, seed=world.seed, passes=worker.left)
    return (await evolve(world.start, course, editor, stage, sink)).final


async def appended(world: World, worker: Worker) -> Living:  # noqa: ARG001 - it asks nobody
    """Everything that the evidence mentions, as it comes."""
    living = world.start
    for unit in world.units:
        for text in unit.parts:
            if all(rule.words != text for rule in living.rules):
                living = apply(living, Create(target=(SECTION,), text=text, evidence=unit.evidence))
    return living


async def of_gepa(world: World, worker: Worker) -> Living:
    """Gepa's own loop, with one edit a step."""
    return by_gepa(world, worker, LotEditor(world.alike, seed=world.seed))


METHODS: Final[Mapping[str, Method]] = {
    "evolve": partial(evolved, plan=PLAN),
    "evolve-growing": partial(evolved, plan=PLAN, ops=GROWING),
    "single": partial(evolved, plan=SINGLE),
    "raw": partial(evolved, plan=RAW),
    "gepa": of_gepa,
    "append": appended,
}
"""By name. `docs/planted.md` says what each does."""


async def ended(name: str, world: World, budget: int) -> Ended:
    """What a method makes of a world's first skill.

    Raises:
        MissingExtraError: the method is another package's, and that is not installed.

    Cost: one to four seconds with 4,000 calls.
    """
    worker = Worker(world, budget)
    skill = await METHODS[name](world, worker)
    return Ended(skill=skill, calls=worker.calls)
