"""The loop of Skill-α: a unit of evidence, a group of edits, a paired replay of each, and at most one that is applied.

The decision to know: a run has no state but its log. Each step's anchors depend on the seed and the step alone, a group
is written before it is replayed, and each attempt before it is checked. So a run that was killed, or ran out of money,
walks through the same steps again, takes what is written, and asks only for what is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from pydantic import JsonValue

from ingrained.errors import ConfigError
from ingrained.gate.anchors import BATCH, schedule
from ingrained.gate.candidate import Candidate
from ingrained.gate.kept import Kept
from ingrained.gate.plan import Plan
from ingrained.gate.records import Record, records
from ingrained.gate.replay import Stage, replay
from ingrained.gate.screen import Screened
from ingrained.harness.base import Spent, Task
from ingrained.learn.editor import Proposed, Rejected, choose
from ingrained.learn.steps import GroupLine, StepLine, groups_in, replays, steps_in
from ingrained.learn.units import Unit
from ingrained.skill.living import Living

FIRST_ALONE: Final = frozenset({"single", "raw"})
"""Rules that read one pair; their anchors are run one at a time."""


class Proposer(Protocol):
    """Who proposes edits: `learn.editor.Editor`, or whoever stands in for it."""

    async def propose(self, living: Living, unit: Unit, rejected: Rejected | None = None) -> Proposed:
        """A group of edits of the document for one unit; nothing that `rejected` holds.

        Raises:
            IngrainedError: nobody can be asked at all.
        """
        ...


class Screener(Protocol):
    """Who reads edits before they are replayed: `gate.screen.Screen`, or whoever stands in for it."""

    async def read(self, before: Living, candidates: Sequence[Candidate]) -> Screened:
        """The edits of a group that are not for the work.

        Raises:
            IngrainedError: nobody can be asked at all.
        """
        ...


class Log(Protocol):
    """Where the lines of a run go."""

    def put(self, record: Record | GroupLine | StepLine) -> None:
        """Keep one; it is safe when this returns, and nothing else happens before."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """What a run goes through, settled before it begins."""

    units: tuple[Unit, ...]
    """Evidence, a step each, in their order."""
    pool: tuple[Task, ...]
    """Tasks that edits are decided on; never the held-out ones."""
    plan: Plan
    seed: int = 0
    """Of the anchors and of the order of arms."""
    passes: int = 1
    """How often the units are gone through. A pass in which no edit was tested ends the run."""
    kept: Kept | None = None
    """The held-out tasks, none of which an edit may tell of."""

    def __post_init__(self) -> None:
        """Refuse what is no course.

        Raises:
            ConfigError: there is no evidence, or a number of passes below 1.
        """
        if not self.units:
            raise ConfigError("there is no evidence to learn from", hint="name a document, or a run, with --evidence")
        if self.passes < 1:
            raise ConfigError(f"{self.passes} passes: the evidence is gone through once at least")

    def steps(self) -> Iterator[list[tuple[int, int, Unit]]]:
        """Step, place of its unit, unit; a list a pass."""
        for nth in range(self.passes):
            first = nth * len(self.units) + 1
            yield [(first + place, place, unit) for place, unit in enumerate(self.units)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evolved:
    """What came of a run."""

    final: Living
    steps: tuple[StepLine, ...]
    """Those that ended; a step without any proposal is none."""
    unanswered: int
    """Steps for which no proposal came, or no verdict of who reads them, though nothing ended the run; the next call
    asks again."""
    stopped: str
    """Why it ended before its last step, empty where it did not."""
    attempts: int
    """Of this call; stored ones are not among them."""
    spent: Spent
    """By these attempts."""


async def evolve(
    start: Living,
    course: Course,
    proposer: Proposer,
    stage: Stage,
    log: Log,
    *,
    screen: Screener | None = None,
    lines: Iterable[Mapping[str, JsonValue]] = (),
    told: Callable[[StepLine], None] = lambda _: None,
) -> Evolved:
    """Go through the evidence, and after each unit apply the accepted edit with the largest paired gain, or none.

    Cost: a group of proposals a step, and what `gate.replay.replay` costs for it. A cap or quota ends the run between
    two attempts; what was done is in the log, and the same call goes on with it.

    Args:
        start: the document before the first step.
        course: evidence, tasks and plan.
        proposer: who proposes edits.
        stage: worker, verifier and slots; its sink is where attempts go, mostly the log as well.
        log: where groups and steps go.
        screen: who reads edits before they are replayed; nobody where it is None.
        lines: those that an earlier call with the same arguments has left; nothing of it is done again.
        told: hears of each step when it ends, also of one that was known.

    Raises:
        UnansweredError: nobody answers any more; of a step that has not ended these attempts are made again.
        ConfigError, GateError, IngrainedError: as `replay` and the proposer say. What was done is in the log.
    """
    stored = list(lines)
    run = _Run(course, proposer, screen, stage, log, _Stored.of(stored), start)
    for steps in course.steps():
        tested = False
        for step, place, unit in steps:
            line = await run.step(step, place, unit)
            if run.stopped:
                return run.evolved()
            if line is not None:
                tested = tested or bool(line.verdict.verdicts)
                told(line)
        if not tested:
            break
    return run.evolved()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stored:
    """What an earlier call has left, by step."""

    groups: Mapping[int, GroupLine]
    steps: Mapping[int, StepLine]
    records: Mapping[int, Sequence[Record]]

    @classmethod
    def of(cls, lines: Sequence[Mapping[str, JsonValue]]) -> _Stored:
        by_step: dict[int, list[Record]] = {}
        for one in records(lines):
            by_step.setdefault(one.step, []).append(one)
        return cls(groups=groups_in(lines), steps={one.step: one for one in steps_in(lines)}, records=by_step)


class _Run:
    def __init__(
        self,
        course: Course,
        proposer: Proposer,
        screen: Screener | None,
        stage: Stage,
        log: Log,
        stored: _Stored,
        start: Living,
    ) -> None:
        self._course, self._stage, self._log = course, stage, log
        self._proposer, self._screen = proposer, screen
        self._stored = stored
        self._living = start
        self._rejected = Rejected.none()
        self._steps: list[StepLine] = []
        self._unanswered = 0
        self._attempts = 0
        self._spent = Spent()
        self.stopped = ""

    async def step(self, step: int, place: int, unit: Unit) -> StepLine | None:
        """One step; None where no proposal came, or a cap or quota ended it, which `stopped` then says."""
        before = self._living
        group = await self._group(step, place, unit)
        if group is None:
            return None
        candidates = group.proposals(before)
        plan = self._course.plan
        anchors = schedule(
            self._course.pool,
            unit.source,
            plan,
            seed=self._course.seed,
            step=step,
            batch=1 if plan.rule in FIRST_ALONE else BATCH,
        )
        found = await replay(
            before,
            candidates,
            anchors,
            self._stage,
            known=self._stored.records.get(step, ()),
            kept=self._course.kept,
            screened=group.screened,
            again=step not in self._stored.steps,
        )
        self._attempts += found.attempts
        self._spent = self._spent.with_(found.spent)
        if found.stopped is not None:
            self.stopped = found.stopped.message
            return None
        applied = next((one for one in candidates if one.name == found.verdict.applied), None)
        if applied is not None and applied.after is not None:
            self._living = applied.after
        self._rejected = self._rejected.after(found.verdict, candidates, found.refused)
        line = StepLine(
            step=step,
            unit=place,
            evidence=unit.evidence,
            before=before.hash,
            after=self._living.hash,
            tokens=self._living.tokens,
            applied=applied.name if applied is not None else "",
            edit=choose(found.verdict, candidates),
            verdict=found.verdict,
            refused={name: tuple(dict.fromkeys(hit.why for hit in hits)) for name, hits in found.refused.items()},
            invalid=sum(bool(one.invalid) for one in candidates),
            replays=replays(found, raw=plan.rule == "raw"),
            overfit=found.overfit,
        )
        if self._stored.steps.get(step) != line:
            self._log.put(line)
        self._steps.append(line)
        return line

    async def _group(self, step: int, place: int, unit: Unit) -> GroupLine | None:
        known = self._stored.groups.get(step)
        if known is not None and known.before == self._living.hash:
            return known
        proposed = await self._proposer.propose(self._living, unit, self._rejected)
        if proposed.stopped:
            self.stopped = proposed.stopped
            return None
        if not proposed.candidates:
            self._unanswered += 1
            return None
        screened = Screened(hits={})
        if self._screen is not None:
            screened = await self._screen.read(self._living, proposed.candidates)
        if screened.missing:
            self.stopped = screened.stopped
            self._unanswered += not screened.stopped
            return None
        group = GroupLine.of(step, place, self._living, proposed, screened.hits)
        self._log.put(group)
        return group

    def evolved(self) -> Evolved:
        """What there is so far."""
        return Evolved(
            final=self._living,
            steps=tuple(self._steps),
            unanswered=self._unanswered,
            stopped=self.stopped,
            attempts=self._attempts,
            spent=self._spent,
        )
