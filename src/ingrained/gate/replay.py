"""The replay of a group of edits: each anchor under the old skill and under every new one, until the gate has decided.

A batch of anchors is run, every attempt is stored, then the gate looks at the pairs; an edit that is decided is not
replayed further. The decision to know: verdicts follow from the schedule and from the arms alone, and whole batches
only. So a run that was killed, or ran out of calls, walks through the same schedule again, takes the arms that are
stored and runs those that are missing: it ends with the verdicts that it would have had.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import anyio

from ingrained.errors import BudgetReachedError, ConfigError, IngrainedError, ModelQuotaError, UnansweredError
from ingrained.gate.anchors import Schedule, Slot
from ingrained.gate.candidate import Candidate, sort_out
from ingrained.gate.decide import Sibling, decide_group
from ingrained.gate.gaming import Hit
from ingrained.gate.kept import Kept
from ingrained.gate.pair import Arm, Pair
from ingrained.gate.plan import Plan
from ingrained.gate.records import Attempt, Compared, Judged, Record, place_of
from ingrained.gate.verdict import GroupVerdict
from ingrained.harness.base import Harness, Rollout, Spent, Task, Trace
from ingrained.ids import content_hash
from ingrained.skill.living import Living
from ingrained.verify.base import Checked, Verifier, unanswered
from ingrained.verify.score import Unscored

CONTROL = ""
"""The name of the arm without an edit."""
LOST = 8
"""Attempts in a row without an answer, after which nobody is asked any more."""
WHOLE = "all"
"""The name of the only edit of a comparison that is no group's (`compare`)."""
_NO_CONTROL = Arm(unscored="the rule raw runs no control")


class Sink(Protocol):
    """Where attempts and pairs go."""

    def put(self, record: Record) -> None:
        """Keep one; it is safe when this returns, and nothing else happens before."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """Who does the work."""

    harness: Harness
    verifier: Verifier
    sink: Sink
    slots: int = 1
    """Attempts at once: the slots of the worker's model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replayed:
    """What came of a group."""

    verdict: GroupVerdict
    pairs: Mapping[str, tuple[Pair, ...]]
    """Of each edit that was tested, in the order of the schedule; whole batches only."""
    refused: Mapping[str, tuple[Hit, ...]]
    """Edits that were never replayed, with the reasons (`Hit.reason`)."""
    overfit: bool
    """The anchors are the evidence's own tasks: a gain may be no more than a repeated answer."""
    spent: Spent
    """By the workers' attempts of this call; stored ones cost nothing."""
    attempts: int
    """Of this call."""
    stopped: IngrainedError | None
    """The cap or quota that ended it early. What was done is in the sink, and the same call goes on with it."""


async def replay(
    before: Living,
    candidates: Sequence[Candidate],
    schedule: Schedule,
    stage: Stage,
    *,
    known: Iterable[Record] = (),
    kept: Kept | None = None,
    screened: Mapping[str, tuple[Hit, ...]] | None = None,
    again: bool = False,
) -> Replayed:
    """Replay a group until every edit is decided, the schedule ends, or a cap is reached.

    One control is run for each anchor and seed. It and the treatments start together, in an order drawn from the
    schedule's seed. An attempt without an answer or a score is an unscored arm. The rule `raw` runs no control. Cost:
    at most one attempt, and one check, for each slot of the schedule and each edit and one more.

    Args:
        before: the document that the candidates edit.
        candidates: the group. Noops and invalid edits are not replayed; `gate.credit.credits` counts them.
        schedule: the anchors (`gate.anchors.schedule`).
        stage: worker, verifier and sink.
        known: what an earlier call with the same arguments has put into the sink; nothing of it is done again.
        kept: the held-out tasks, none of which a candidate may tell of.
        screened: what a model has said against some candidates (`gate.screen`).
        again: whether what is known to have got no answer is tried again.

    Raises:
        UnansweredError: `LOST` attempts in a row got no answer.
        GateError: the candidates are no group (`sort_out`), or the plan cannot test one of them; nothing was run.
        ConfigError: there is no slot; a task is none for the verifier.
        IngrainedError: nobody can be asked at all. What was done is in the sink.
    """
    _slots(stage)
    found = sort_out(before, candidates, kept, screened)
    aims = {one.name: one.aim(before) for one in candidates}
    pairs: dict[str, list[Pair]] = {name: [] for name in found.tested}
    run = _Run(
        schedule, stage, {CONTROL: before.text} | {name: one.text for name, one in found.tested.items()}, known, again
    )

    def decided() -> GroupVerdict:
        siblings = [
            Sibling(name=name, pairs=pairs[name], aim=aims[name], tokens=one.tokens)
            for name, one in found.tested.items()
        ]
        return decide_group(siblings, schedule.plan, step=schedule.step)

    verdict = decided()
    for batch in schedule.batches:
        wanted = [name for name, one in verdict.verdicts.items() if not one.final]
        if not wanted:
            break
        await run.batch(batch, wanted)
        if run.stopped is not None:
            break
        for name in wanted:
            pairs[name] += [run.pairs[name, slot.task.id, slot.seed] for slot in batch]
        verdict = decided()
    return Replayed(
        verdict=verdict,
        pairs={name: tuple(some) for name, some in pairs.items()},
        refused=found.refused,
        overfit=schedule.overfit,
        spent=run.spent,
        attempts=run.attempts,
        stopped=run.stopped,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Two documents on all tasks of a schedule."""

    pairs: tuple[Pair, ...]
    """In the order of the schedule; fewer where it was stopped."""
    spent: Spent
    attempts: int
    """Of this call."""
    stopped: IngrainedError | None


async def compare(
    before: str, after: str, schedule: Schedule, stage: Stage, *, known: Iterable[Record] = ()
) -> Measured:
    """Run every slot of a schedule under both documents; nothing is decided, so nothing ends it early but a cap.

    What is known to have got no answer is tried again. Cost: at most two attempts and two checks a slot.

    Raises:
        UnansweredError: `LOST` attempts in a row got no answer.
        ConfigError: there is no slot; a task is none for the verifier.
        IngrainedError: nobody can be asked at all. What was done is in the sink.
    """
    _slots(stage)
    run = _Run(schedule, stage, {CONTROL: before, WHOLE: after}, known, again=True)
    for batch in schedule.batches:
        if run.stopped is None:
            await run.batch(batch, [WHOLE])
    order = ((WHOLE, slot.task.id, slot.seed) for batch in schedule.batches for slot in batch)
    return Measured(
        pairs=tuple(run.pairs[place] for place in order if place in run.pairs),
        spent=run.spent,
        attempts=run.attempts,
        stopped=run.stopped,
    )


async def attempts(
    skill: str, tasks: Sequence[Task], stage: Stage, *, seed: int, known: Iterable[Record] = ()
) -> IngrainedError | None:
    """Run and check tasks under a skill, for somebody to learn from (step 0 of a run); all of it goes to the sink.

    Returns:
        The cap or quota that ended it early; None where it was not.

    Raises:
        ConfigError: there is no slot; a task is none for the verifier.
        IngrainedError: nobody can be asked at all. What was done is in the sink.
    """
    _slots(stage)
    slots = tuple(Slot(task=task, seed=seed) for task in tasks)
    run = _Run(
        Schedule(plan=Plan(), batches=(slots,), step=0, seed=0, overfit=False),
        stage,
        {CONTROL: skill},
        known,
        again=True,
    )
    await run.batch(slots, [])
    return run.stopped


def _slots(stage: Stage) -> None:
    if stage.slots < 1:
        raise ConfigError(f"slots {stage.slots}: at least one attempt has to be run at a time")


@dataclass(slots=True)
class _Run:
    """The arms of a group as they come in."""

    schedule: Schedule
    stage: Stage
    skills: Mapping[str, str]
    """The text that each arm's worker reads."""
    known: Iterable[Record]
    again: bool = False
    """Attempts and judgements that never got an answer are made again, and not taken from what is known."""
    pairs: dict[tuple[str, str, int], Pair] = field(default_factory=dict)
    stopped: IngrainedError | None = None
    spent: Spent = field(default_factory=Spent)
    attempts: int = 0
    _traces: dict[str, Trace] = field(default_factory=dict)
    """By place (`place_of`)."""
    _arms: dict[str, Arm] = field(default_factory=dict)
    """By place."""
    _put: dict[str, Pair] = field(default_factory=dict)
    """Pairs that are in the sink, by key."""
    _lost: int = 0
    """Attempts in a row that got no answer."""
    _hashes: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._hashes = {name: content_hash(text) for name, text in self.skills.items()}
        for record in self.known:
            if isinstance(record, Compared):
                self._put[record.key] = record.pair
            elif isinstance(record, Attempt):
                if not (self.again and record.trace.stop == "parked"):
                    self._traces[record.place] = record.trace
            elif not (self.again and record.lost):
                self._arms[record.place] = record.arm

    @property
    def _raw(self) -> bool:
        return self.schedule.plan.rule == "raw"

    async def batch(self, slots: Sequence[Slot], edits: Sequence[str]) -> None:
        """Run what is missing of a batch; `stopped` is set where a cap is in the way.

        Raises:
            IngrainedError: the first that was raised; what runs is cancelled, nothing more is started.
        """
        waiting = deque(
            (slot, name)
            for slot in slots
            for name in self._order(slot, edits)
            if self._place(slot, name) not in self._arms
        )
        failed: list[IngrainedError] = []

        async def work() -> None:
            while waiting and self.stopped is None:
                slot, name = waiting.popleft()
                try:
                    await self._attempt(slot, name)
                except (BudgetReachedError, ModelQuotaError) as error:
                    self.stopped = self.stopped or error
                except IngrainedError as error:  # the group would wrap it
                    failed.append(error)
                    group.cancel_scope.cancel()
                else:
                    self._pair(slot, edits)

        for slot in slots:
            self._pair(slot, edits)
        async with anyio.create_task_group() as group:
            for _ in range(min(self.stage.slots, len(waiting))):
                group.start_soon(work)
        if failed:
            raise failed[0]

    def _order(self, slot: Slot, edits: Sequence[str]) -> list[str]:
        place = [self.schedule.seed, self.schedule.step, slot.task.id, slot.seed]
        arms = list(edits) if self._raw else [CONTROL, *edits]
        return sorted(arms, key=lambda name: content_hash([*place, self._hashes[name]]))

    def _place(self, slot: Slot, name: str) -> str:
        return place_of(self.schedule.step, name, self._hashes[name], slot.task.id, slot.seed)

    async def _attempt(self, slot: Slot, name: str) -> None:
        of = {
            "step": self.schedule.step,
            "edit": name,
            "skill": self._hashes[name],
            "task": slot.task.id,
            "seed": slot.seed,
        }
        place = self._place(slot, name)
        trace = self._traces.get(place)
        if trace is None:
            trace = await self.stage.harness.run(Rollout(task=slot.task, skill=self.skills[name], seed=slot.seed))
            self.spent = self.spent.with_(trace.spent)
            self.attempts += 1
            self.stage.sink.put(Attempt.model_validate({**of, "trace": trace}))
        outcome = unanswered(trace)
        if outcome is None:
            checked = await self.stage.verifier.check(slot.task, trace)
        else:
            checked = Checked(outcome=outcome, lost=True)
        arm = Arm.of(checked.outcome, cached=trace.spent.cached > 0)
        parts = {name: Arm.of(part) for name, part in checked.parts.items()}
        said = {"arm": arm, "parts": parts, "why": checked.why, "lost": checked.lost}
        self.stage.sink.put(Judged.model_validate({**of, **said}))
        self._arms[place] = arm
        self._count(checked)

    def _count(self, checked: Checked) -> None:
        """Give up where nobody answers at all.

        Raises:
            UnansweredError: so many attempts in a row got no answer.
        """
        self._lost = self._lost + 1 if checked.lost else 0
        if self._lost >= LOST:
            why = checked.outcome.reason if isinstance(checked.outcome, Unscored) else checked.why
            raise UnansweredError(
                f"{LOST} attempts in a row got no answer; the last: {why}",
                hint="mend what is in the way and run the same command again: these attempts are made anew",
            )

    def _pair(self, slot: Slot, edits: Sequence[str]) -> None:
        """Put together what pairs of a slot have both arms, and hand them on."""
        control = _NO_CONTROL if self._raw else self._arms.get(self._place(slot, CONTROL))
        if control is None:
            return
        for name in edits:
            place = (name, slot.task.id, slot.seed)
            treatment = self._arms.get(self._place(slot, name))
            if treatment is None or place in self.pairs:
                continue
            shared = len(edits) > 1 and not self._raw
            pair = Pair(task=slot.task.id, seed=slot.seed, control=control, treatment=treatment, shared=shared)
            record = Compared(
                step=self.schedule.step,
                edit=name,
                skill=self._hashes[name],
                overfit=self.schedule.overfit,
                pair=pair,
            )
            if self._put.get(record.key) != pair:
                self.stage.sink.put(record)
                self._put[record.key] = pair
            self.pairs[place] = pair
