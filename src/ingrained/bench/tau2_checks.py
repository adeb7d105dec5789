"""What becomes of right, of damaged and of empty attempts at tau2-bench; no model.

The decision to know: a damaged attempt is made of values and calls of other tasks, so that it is one that could have
been made. Right attempts that fail and damaged ones that pass are named.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final, Literal

import anyio
from pydantic import JsonValue

from ingrained.bench.tau2 import Domain, tasks
from ingrained.errors import ConfigError
from ingrained.harness.base import Action, By, Said, Task, Trace
from ingrained.harness.tau2 import writes
from ingrained.harness.world import use
from ingrained.skill.rule import Frozen
from ingrained.verify.base import known_as
from ingrained.verify.database import Database, Known, Part, replayed
from ingrained.verify.score import Score

Damage = Literal["argument", "dropped", "added"]
"""One argument of a call that changes something has another value; one such call is left out; one more is made."""

_TRIES: Final = 12
"""Calls that are tried for one that can be made."""


class Checks(Frozen):
    """How attempts of one kind were scored."""

    what: str
    n: int
    passed: int
    names: tuple[str, ...] = ()
    """Of those that went against expectation: right ones that failed, damaged ones that passed."""


class DomainBench(Frozen):
    """One domain."""

    domain: Domain
    tasks: int
    families: dict[str, int]
    basis: dict[str, int]
    """How many tasks have each part in their score."""
    judged: int
    """Tasks with assertions that need a judge."""
    floor: tuple[str, ...]
    """Those that an attempt which does and says nothing passes."""
    part: Part
    """The part that the checks below look at."""
    right: Checks
    damaged: tuple[Checks, ...]


class Tau2Bench(Frozen):
    """`bench tau2 --json`."""

    version: int = 1
    seed: int
    domains: tuple[DomainBench, ...]


async def floor(found: Sequence[Task], verifier: Database | None = None) -> tuple[str, ...]:
    """The ids of those that an attempt passes which does nothing and says nothing; those may be dropped.

    A task scored by assertions is none of them: no judge says yet that they are unmet.

    Args:
        found: the tasks.
        verifier: one that has checked some of them before and so need not work out their right states again.

    Raises:
        MissingExtraError: the package is not installed.
    """
    knowing = verifier or Database()
    return tuple(
        [task.id for task in found if (await knowing.check(task, trace_of(task, []))).outcome == Score(value=1.0)]
    )


def trace_of(task: Task, actions: Sequence[Action], said: Sequence[str] = ()) -> Trace:
    """A finished attempt that took the actions and said these things."""
    return Trace(
        task=task.id,
        worker="given",
        skill="",
        seed=0,
        messages=tuple(Said(role="assistant", text=one) for one in said),
        actions=tuple(actions),
        stop="answered",
    )


def gold(task: Task) -> list[Action]:
    """The right actions of a task."""
    return [one.action for one in known_as(task, Known).gold]


def damaged(task: Task, pool: Sequence[Action], how: Damage, draw: random.Random) -> list[Action] | None:
    """The right actions with one damage; None where the task has nothing to damage so.

    Args:
        task: whose actions.
        pool: actions of other tasks of the domain that change something: values and calls are taken from them, so
            that the damaged call is one that can be made.
        how: the damage.
        draw: the seeded draw.
    """
    right = gold(task)
    writing = _writes(str(task.known["domain"]))
    places = [place for place, one in enumerate(right) if (one.tool, one.by) in writing]
    if how == "added":
        return _added(task, right, pool, draw)
    if how == "argument":
        places = [place for place in places if right[place].arguments]
    if not places:
        return None
    place = draw.choice(places)
    if how == "dropped":
        return right[:place] + right[place + 1 :]
    name = draw.choice(sorted(right[place].arguments))
    value = _other(right[place], name, pool, draw)
    changed = right[place].model_copy(update={"arguments": {**right[place].arguments, name: value}})
    return [*right[:place], changed, *right[place + 1 :]]


def bench(
    domains: Sequence[Domain],
    data: Path | None = None,
    *,
    seed: int = 0,
    damages: int = 1,
    told: Callable[[str], None] = lambda _: None,
) -> Tau2Bench:
    """Replay right and damaged attempts of every task; no model. About a minute of CPU for retail, three for airline.

    Args:
        domains: which ones.
        data: as for `tasks`.
        seed: of the damages.
        damages: of each kind for each task; 0 for none.
        told: called with each domain before it is begun.

    Raises:
        ConfigError: as for `tasks`, or fewer than no damages.
        MissingExtraError: the package is not installed.
    """
    if damages < 0:
        raise ConfigError(f"--damages {damages} is less than 0", hint="0 for none; 1 of each kind by default")

    async def run() -> tuple[DomainBench, ...]:
        done: list[DomainBench] = []
        for domain in domains:
            told(domain)
            done.append(await _domain(domain, tasks(domain, data), seed, damages))
        return tuple(done)

    return Tau2Bench(seed=seed, domains=anyio.run(run))


async def _domain(domain: Domain, found: Sequence[Task], seed: int, damages: int) -> DomainBench:
    verifier = Database()
    part: Part = "environment" if domain == "telecom" else "database"
    known = {task.id: known_as(task, Known) for task in found}

    async def passes(task: Task, actions: Sequence[Action]) -> bool:
        checked = await verifier.check(task, trace_of(task, actions, known[task.id].tell))
        return checked.parts[part] == Score(value=1.0)

    wrong = [task.id for task in found if not await passes(task, gold(task))]
    draw = random.Random(seed)  # noqa: S311 - a seeded draw, nothing secret
    writing = _writes(domain)
    changing = {task.id: [one for one in gold(task) if (one.tool, one.by) in writing] for task in found}
    checks: list[Checks] = []
    for how in ("argument", "dropped", "added") if damages else ():
        tried = 0
        passed: list[str] = []
        for task in found:
            pool = [one for other, several in changing.items() if other != task.id for one in several]
            for _ in range(damages):
                actions = damaged(task, pool, how, draw)
                if actions is not None:
                    tried += 1
                    passed += [task.id] if await passes(task, actions) else []
        checks.append(Checks(what=how, n=tried, passed=len(passed), names=tuple(passed)))
    return DomainBench(
        domain=domain,
        tasks=len(found),
        families=_counted(task.family for task in found),
        basis=_counted(one for task in found for one in known[task.id].basis),
        judged=sum(bool(known[task.id].assertions) and "assertions" in known[task.id].basis for task in found),
        floor=await floor(found, verifier),
        part=part,
        right=Checks(what="right", n=len(found), passed=len(found) - len(wrong), names=tuple(wrong)),
        damaged=tuple(checks),
    )


def _writes(domain: str) -> frozenset[tuple[str, By]]:
    sides: tuple[By, ...] = ("worker", "user")
    return frozenset((name, by) for by in sides for name in writes(domain, by))


def _added(task: Task, right: list[Action], pool: Sequence[Action], draw: random.Random) -> list[Action] | None:
    """One more call behind the right ones, the first of some drawn ones that can be made then."""
    world = replayed(task, right)
    for one in draw.sample(list(pool), min(len(pool), _TRIES)):
        if not use(world, one.tool, one.arguments, one.by).failed:
            return [*right, one]
    return None


def _other(action: Action, name: str, pool: Sequence[Action], draw: random.Random) -> JsonValue:
    """Another value for an argument: one that another call of the tool has, else one beside the right one."""
    right = action.arguments[name]
    others = [one.arguments[name] for one in pool if one.tool == action.tool and name in one.arguments]
    found = [value for value in others if value != right]
    return draw.choice(found) if found else _beside(right)


def _beside(value: JsonValue) -> JsonValue:
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str():
            return f"{value}0"
        case [_, *rest]:
            return rest
        case _:
            return ["0"]


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(names).items(), key=lambda one: (-one[1], one[0])))
