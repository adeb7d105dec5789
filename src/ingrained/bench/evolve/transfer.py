"""An accepted skill under another worker: the skill as it became against the skill as it was, proved anew.

The decision to know: it is one edit, from the first document to the last, that goes through the same gate with the same
plan; nothing of the first worker's pairs counts. The tasks are those that were held out, where there are any, since the
edits were chosen on the others.
"""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from ingrained.bench.evolve.models import opened_for
from ingrained.bench.evolve.outcome import skill_shape
from ingrained.bench.evolve.prepared import SKILL, EvolveConfig, Prepared, opened_skill, prepared, stored
from ingrained.bench.evolve.shape import TransferShape
from ingrained.bench.spending import Spending
from ingrained.errors import ConfigError
from ingrained.gate.anchors import APART, BATCH, Source, schedule
from ingrained.gate.candidate import Candidate
from ingrained.gate.records import records
from ingrained.gate.replay import replay
from ingrained.harness.base import Task
from ingrained.learn.evolve import FIRST_ALONE
from ingrained.learn.steps import replays
from ingrained.model.limits import Meter
from ingrained.store.run import RunFolder

RESULT: Final = "transfer.json"
Which = Literal["held out", "pool"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Transferred:
    """What came of it."""

    result: TransferShape
    meter: Meter
    """Says whether a cap or a quota ended it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer:
    """A run whose skill is tried with another worker."""

    found: Prepared
    whole: Candidate
    which: Which
    made_with: str

    @property
    def tasks(self) -> tuple[Task, ...]:
        """Those that it is tried on."""
        return self.found.sides.held_out if self.which == "held out" else self.found.sides.pool


def transfer_of(run: Path, worker: str, *, which: Which | None = None) -> Transfer:
    """The skill of a run with another worker. Cost: no model.

    Args:
        run: the folder of an `evolve`.
        worker: who has the skill now, as `--worker` of `evolve` names it.
        which: tasks to try it on; those that were held out where there are any.

    Raises:
        ConfigError: there is no run, its data has changed, nothing was applied in it, or no task is held out.
    """
    config = stored(run)
    if config is None:
        raise ConfigError(f"{str(run)!r} holds no run", hint="ingrained evolve SKILL.md … --out FOLDER makes one")
    found = prepared(config, run)
    if (changed := _changed(config, found.config)) is not None:
        raise ConfigError(
            f"{run}: the {changed} of this run are not there any more as they were",
            hint="a new --out makes a run of what is there now; relative paths hold in the folder "
            "in which the run was begun",
        )
    if not (run / SKILL).is_file():
        raise ConfigError(f"{run / SKILL}: not there", hint=f"ingrained evolve --out {run} ends the run first")
    after = opened_skill(run / SKILL)
    if after.text == found.start.text:
        raise ConfigError(f"{run}: the skill is as it was, and there is nothing to prove", hint="name another run")
    which = which or ("held out" if found.sides.held_out else "pool")
    if which == "held out" and not found.sides.held_out:
        raise ConfigError(f"{run}: no task is held out", hint="--tasks pool takes those that the edits were decided on")
    now = found.config.model_copy(update={"worker": worker, "editor": worker.rpartition("=")[2]})
    return Transfer(
        found=Prepared(config=now, start=found.start, tasks=found.tasks, sides=found.sides),
        whole=Candidate(name="all", edit=None, after=after),
        which=which,
        made_with=config.worker,
    )


async def transfer(one: Transfer, run: Path, out: Path, spending: Spending) -> Transferred:
    """Run what is missing, and decide. Cost: at most two attempts a task and seed of the plan.

    Args:
        one: what is tried.
        run: the folder of the `evolve`.
        out: a folder of its own, made where it is not there.
        spending: how the worker's model is opened.

    Raises:
        ConfigError: something else lies in the folder.
        GateError: the plan's rule cannot test a skill that has become shorter.
        IngrainedError: as `run_evolve` says.
    """
    config = one.found.config
    folder = RunFolder.open(out, {**config.model_dump(mode="json"), "transfer": str(run), "on": one.which})
    meter = Meter(spending.caps)
    anchors = schedule(
        one.tasks,
        Source(family=None),
        config.plan,
        first=APART // 2,
        seed=config.seed,
        batch=1 if config.plan.rule in FIRST_ALONE else BATCH,
    )
    async with AsyncExitStack() as stack:
        ready = await opened_for(config, folder, spending, meter, stack)
        ready.agree(spending, tasks=one.tasks, skill=one.found.start.text, attempts=2 * anchors.plan.cap)
        known = records(folder.traces())
        found = await replay(one.found.start, [one.whole], anchors, ready.stage, known=known, again=True)
    (verdict,) = found.verdict.verdicts.values() if found.verdict.verdicts else (None,)
    if verdict is None:
        why = "; ".join(hit.why for hit in found.refused[one.whole.name])
        raise ConfigError(f"{run / SKILL}: refused before a replay: {why}")
    result = TransferShape(
        out=str(run),
        worker=config.worker,
        from_worker=one.made_with,
        tasks=one.which,
        start=skill_shape(one.found.start),
        final=skill_shape(one.whole.after or one.found.start),
        verdict=verdict,
        replays=replays(found, raw=config.plan.rule == "raw"),
        stopped="" if found.stopped is None else found.stopped.message,
    )
    folder.write(RESULT, (result.model_dump_json(indent=2) + "\n").encode())
    spending.say(f"{meter.receipt.line()}; {out}")
    return Transferred(result=result, meter=meter)


def _changed(before: EvolveConfig, now: EvolveConfig) -> str | None:
    if before.start != now.start:
        return "skill and start.md"
    return "tasks" if before.tasks_hash != now.tasks_hash else None
