"""A run of `evolve`: evidence, steps and the last measurement, in a directory.

The decision to know: everything is derived from the folder's lines, so that the same command goes on where the last one
ended, and costs nothing where that was the end. The last measurement runs both documents on the tasks that were held
out, whatever the gate had said, and is none of the gate's evidence.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from ingrained.bench.evals import FILE, FOLDER, evals_json
from ingrained.bench.evals_benchmark import WITH, WITHOUT, Side, benchmark_json
from ingrained.bench.evidence import ordered, units_of
from ingrained.bench.evolve.models import Open, opened_for
from ingrained.bench.evolve.outcome import Outcome, shaped
from ingrained.bench.evolve.prepared import SKILL, START, Prepared, begun, skill_name, verifier_of
from ingrained.bench.evolve.shape import EvolveShape
from ingrained.bench.spending import Spending
from ingrained.bench.writing.document import Dropped
from ingrained.errors import ConfigError
from ingrained.gate.anchors import APART, Schedule, Source, anchors_of, schedule
from ingrained.gate.decide import least_tasks
from ingrained.gate.kept import Kept, strings_in
from ingrained.gate.plan import Plan
from ingrained.gate.records import FolderSink, Judged, finished, records
from ingrained.gate.replay import WHOLE, attempts, compare
from ingrained.harness.base import Spent
from ingrained.ids import content_hash
from ingrained.learn.editor import Editor, Rejected
from ingrained.learn.evolve import Course, Evolved, evolve
from ingrained.learn.steps import GroupLine, StepLine, groups_in
from ingrained.learn.units import Tried, Unit, batches
from ingrained.model.limits import Meter
from ingrained.store.files import read_bytes_or_none
from ingrained.store.run import RunFolder
from ingrained.wording import plural

RESULT: Final = "result.json"
BENCHMARK: Final = "benchmark.json"
EVIDENCE: Final = APART - 1
"""Seed of attempts that are made to learn from, behind that of the run: none that a step's anchors have, so that no
stored answer serves both."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What a run came to."""

    result: EvolveShape
    meter: Meter
    """Says whether a cap or a quota ended it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """A step that ended."""

    line: StepLine
    steps: int
    """Of the run at most."""
    calls: int
    """Sent so far, to all models."""


async def run_evolve(
    found: Prepared, out: Path, spending: Spending, told: Callable[[Progress], None] = lambda _: None
) -> Ran:
    """Do what is missing of a run, and write its result. Cost: the answers that are not stored.

    Raises:
        ConfigError: another run lies in the folder, or the evidence has changed.
        UnseenRequestError: only stored answers are allowed, and one is missing.
        IngrainedError: no model can be asked at all, or the disk fails. What was done is in the folder.
    """
    folder = RunFolder.open(out, found.config.model_dump(mode="json"))
    if not begun(out):
        folder.write(START, found.start.text.encode("utf-8", "surrogatepass"))
    meter, began = Meter(spending.caps), time.monotonic()
    async with AsyncExitStack() as stack:
        ready = await opened_for(found.config, folder, spending, meter, stack)
        run = _Run(found, folder, ready, spending, told)
        outcome = replace(await run.whole(), lost=_lost(folder))
    result = shaped(found, out, outcome)
    folder.write(SKILL, outcome.evolved.final.text.encode("utf-8", "surrogatepass"))
    folder.write(RESULT, (result.model_dump_json(indent=2) + "\n").encode())
    run.write_evals(outcome)
    spending.say(f"{meter.receipt.line()}; {time.monotonic() - began:.0f} s; {out}")
    return Ran(result=result, meter=meter)


class _Run:
    def __init__(
        self,
        found: Prepared,
        folder: RunFolder,
        ready: Open,
        spending: Spending,
        told: Callable[[Progress], None],
    ) -> None:
        self._found, self._folder, self._ready, self._spending = found, folder, ready, spending
        self._tell = told
        self._config, self._sides = found.config, found.sides

    async def whole(self) -> Outcome:
        """Evidence, steps, and the last measurement; what a cap leaves out is left out."""
        config = self._config
        units, dropped, stopped = await self._evidence()
        if stopped or not units:
            return Outcome(evolved=_nothing(self._found, stopped), units=(), dropped=dropped)
        course = self._course(units)
        editor = Editor(
            self._ready.editor.model,
            group=config.group,
            held_out=frozenset(task.id for task in self._sides.held_out),
            without=frozenset(config.without),
        )
        if not self._ended():
            self._enough(course)
            self._agree(course, editor)
        all_steps = config.passes * len(units)
        evolved = await evolve(
            self._found.start,
            course,
            editor,
            self._ready.stage,
            FolderSink(self._folder),
            screen=self._ready.screen,
            lines=self._folder.traces(),
            told=lambda line: self._told(line, all_steps),
        )
        last = self._last(all_steps)
        if evolved.stopped or last is None or evolved.final.text == self._found.start.text:
            return Outcome(evolved=evolved, groups=self._groups(), units=units, dropped=dropped)
        self._spending.say(f"the skill as it was and as it became, on {len(self._sides.held_out)} held-out tasks …")
        measured = await compare(
            self._found.start.text,
            evolved.final.text,
            last,
            self._ready.stage,
            known=[one for one in records(self._folder.traces()) if one.step == last.step],
        )
        return Outcome(
            evolved=evolved,
            groups=self._groups(),
            units=units,
            dropped=dropped,
            held_out=measured.pairs,
            held_out_step=last.step,
            stopped="" if measured.stopped is None else measured.stopped.message,
        )

    def _enough(self, course: Course) -> None:
        """Say where there are too few tasks for an edit of a whole group to be accepted; `prepared` refuses fewer."""
        plan = course.plan
        there = [len(anchors_of(course.pool, unit.source)) for unit in course.units]
        wanted = least_tasks(plan, siblings=self._config.group)
        if short := sum(min(n, plan.cap // plan.seeds) < wanted for n in there):
            self._spending.say(
                f"for {short} of {plural(len(there), 'unit')} of evidence there are too few tasks: in a group of "
                f"{self._config.group} edits one has to win {wanted} of {wanted} to be accepted"
            )

    def _ended(self) -> bool:
        """Whether an earlier call came to its end, so that nothing is left to ask."""
        data = read_bytes_or_none(self._folder.path / RESULT)
        try:
            found = EvolveShape.model_validate_json(data or b"")
        except ValidationError:
            return False
        return not found.stopped and not found.unanswered

    def _groups(self) -> tuple[GroupLine, ...]:
        return tuple(groups_in(self._folder.traces()).values())

    def _course(self, units: Sequence[Unit]) -> Course:
        pool = self._sides.pool
        shown = [self._found.start.text, *(part for unit in units for part in unit.parts)]
        for task in pool:
            shown += [task.request, *strings_in(task.known)]
        return Course(
            units=tuple(units),
            pool=pool,
            plan=self._config.plan,
            seed=self._config.seed,
            passes=self._config.passes,
            kept=Kept.of(self._sides.held_out, shown),
        )

    def _last(self, steps: int) -> Schedule | None:
        """The last measurement; none where no task is held out."""
        seeds, tasks = self._config.final_seeds, self._sides.held_out
        if not seeds or not tasks:
            return None
        plan = Plan(seeds=seeds, cap=seeds * len(tasks))
        return schedule(tasks, Source(family=None), plan, seed=self._config.seed, step=steps + 1)

    async def _evidence(self) -> tuple[tuple[Unit, ...], tuple[Dropped, ...], str]:
        """The units, what could not be used, and why it was stopped."""
        config, stopped, dropped = self._config, "", ()
        if config.evidence:
            given = units_of(
                config.evidence,
                self._sides.pool,
                home=self._spending.home,
                per_unit=config.per_unit,
                order=config.order,
                seed=config.seed,
            )
            units, dropped = given.units, given.dropped
        else:
            stopped = await self._attempts()
            units = () if stopped else tuple(ordered(self._tried(), config.order, config.seed))
        units = units[: config.steps or None]
        if not stopped:
            self._same_evidence(units)
        return units, dropped, stopped

    async def _attempts(self) -> str:
        chosen = sorted(self._sides.pool, key=lambda task: content_hash([self._config.seed, "evidence", task.id]))
        known = [one for one in records(self._folder.traces()) if one.step == 0]
        done = {one.task for one in known if isinstance(one, Judged)}
        if missing := [task for task in chosen[: self._config.attempts] if task.id not in done]:
            self._spending.say(f"{plural(len(missing), 'attempt')} with the skill as it is, to learn from …")
            self._ready.agree(self._spending, tasks=missing, skill=self._found.start.text, attempts=len(missing))
        stopped = await attempts(
            self._found.start.text,
            chosen[: self._config.attempts],
            self._ready.stage,
            seed=self._config.seed * APART + EVIDENCE,
            known=known,
        )
        return "" if stopped is None else stopped.message

    def _tried(self) -> list[Unit]:
        tasks = {task.id: task for task in self._sides.pool}
        tried = [
            Tried(task=tasks[one.task], trace=one.trace, outcome=judged.arm.outcome)
            for one, judged in finished(records(self._folder.traces()))
            if one.step == 0
        ]
        return batches(sorted(tried, key=lambda one: one.task.id), size=self._config.per_unit)

    def _same_evidence(self, units: Sequence[Unit]) -> None:
        """Refuse to go on with other evidence than before.

        Raises:
            ConfigError: it has changed.
        """
        mark = content_hash([[unit.kind, unit.source.family, list(unit.parts)] for unit in units])
        before = next((line for line in self._folder.traces() if line.get("kind") == "evidence"), None)
        if before is None:
            self._folder.append({"key": "evidence", "kind": "evidence", "version": 1, "hash": mark})
        elif before.get("hash") != mark:
            raise ConfigError(
                f"{self._folder.path}: the evidence is not what this run began with",
                hint="name a new folder with --out",
            )

    def _agree(self, course: Course, editor: Editor) -> None:
        """Say what may be asked at most, every edit replayed to the cap, and ask: once a model."""
        config, start = self._config, self._found.start
        slots = min(config.plan.cap, len(course.pool) * config.plan.seeds)
        a_step = slots * (config.group + (config.plan.rule != "raw"))
        attempts = course.passes * len(course.units) * a_step + 2 * config.final_seeds * len(self._sides.held_out)
        groups = [one for unit in course.units for one in editor.requests(start, unit, Rejected.none())]
        self._ready.agree(
            self._spending,
            proposals=groups * course.passes,
            tasks=course.pool,
            skill=start.text,
            attempts=attempts,
        )

    def _told(self, line: StepLine, steps: int) -> None:
        self._tell(Progress(line=line, steps=steps, calls=self._ready.worker.meter.receipt.calls))

    def write_evals(self, outcome: Outcome) -> None:
        """skill-creator's files: the tasks, and the last measurement where there is one."""
        name = skill_name(self._found.start, Path(self._config.skill))
        (self._folder.path / FOLDER).mkdir(exist_ok=True)
        written = evals_json([*self._sides.pool, *self._sides.held_out], name)
        self._folder.write(f"{FOLDER}/{FILE}", written.file.text().encode())
        if sides := self._compared(outcome):
            made = benchmark_json(
                sides,
                skill_name=name,
                timestamp=datetime.now(UTC).isoformat(timespec="seconds"),
                skill_path=self._config.skill,
                analyzer_model=verifier_of(self._config.verifier)[1],
            )
            self._folder.write(BENCHMARK, made.text().encode())

    def _compared(self, outcome: Outcome) -> list[Side]:
        if not outcome.held_out:
            return []
        tasks = {task.id: task for task in self._sides.held_out}
        texts = {"": self._found.start.text, WHOLE: outcome.evolved.final.text}
        return [
            Side(
                configuration=WITH if one.edit else WITHOUT,
                task=tasks[one.task],
                trace=one.trace,
                arm=judged.arm,
                why=judged.why,
                parts={name: part.outcome for name, part in judged.parts.items()},
            )
            for one, judged in finished(records(self._folder.traces()))
            if one.step == outcome.held_out_step and content_hash(texts[one.edit]) == one.skill
        ]


def _lost(folder: RunFolder) -> int:
    return sum(isinstance(one, Judged) and one.lost for one in records(folder.traces()))


def _nothing(found: Prepared, stopped: str) -> Evolved:
    return Evolved(final=found.start, steps=(), unanswered=0, stopped=stopped, attempts=0, spent=Spent())
