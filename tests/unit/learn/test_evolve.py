"""The loop over evidence: what is applied, what is logged, how it is stopped, and that it goes on as if it had not been."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue
from tests.replay_world import BAD, GOOD, IDLE, SKILL, Checker, KilledError, Worker, tasks

from ingrained.errors import ConfigError
from ingrained.gate.anchors import Source
from ingrained.gate.candidate import Candidate
from ingrained.gate.gaming import Hit
from ingrained.gate.plan import Plan
from ingrained.gate.records import Keyed
from ingrained.gate.replay import Stage
from ingrained.gate.screen import Screened
from ingrained.harness.base import Harness
from ingrained.learn.editor import Proposed, Rejected
from ingrained.learn.evolve import Course, Evolved, evolve
from ingrained.learn.steps import StepLine
from ingrained.learn.units import Unit
from ingrained.skill.edit import Create, Edit, Noop
from ingrained.skill.living import Living

PLAN = Plan(cap=40, useful=0.4)


def unit(words: str) -> Unit:
    return Unit(kind="document", parts=(words,), evidence=(f"b2:{words}",), source=Source(family="f"))


UNITS = tuple(unit(words) for words in ("one", "two", "three"))


@dataclass
class Lines:
    """A log in memory, with what a folder would give back."""

    lines: list[dict[str, JsonValue]] = field(default_factory=list)
    dies_after: int | None = None

    def put(self, record: Keyed) -> None:
        if self.dies_after is not None and len(self.lines) >= self.dies_after:
            raise KilledError
        self.lines.append({"key": record.key, **record.model_dump(mode="json")})

    def kinds(self) -> list[str]:
        return [str(line["kind"]) for line in self.lines]


@dataclass
class Mentions:
    """Proposes to create each of its texts that is neither there nor rejected; else a Noop."""

    texts: Sequence[str] = (GOOD, BAD, IDLE)
    asked: list[str] = field(default_factory=list)
    stopped: str = ""
    silent: int = 0

    async def propose(self, living: Living, unit: Unit, rejected: Rejected | None = None) -> Proposed:
        self.asked.append(unit.parts[0])
        if self.stopped or len(self.asked) <= self.silent:
            return Proposed(candidates=(), samples=(), answers=(), missing=("gone",), stopped=self.stopped)
        known = rejected or Rejected.none()
        edits: list[Edit] = [
            edit
            for text in self.texts
            if text not in living.text and not known.why(edit := Create(target=("Style",), text=text))
        ] or [Noop()]
        found = [Candidate.of(f"e{nth}", living, edit) for nth, edit in enumerate(edits, start=1)]
        return Proposed(candidates=tuple(found), samples=tuple(one.name for one in found), answers=(), missing=())


@dataclass
class Reads:
    """Refuses what holds one of its texts."""

    texts: Sequence[str] = (GOOD,)
    silent: int = 0
    stopped: str = ""
    asked: int = 0

    async def read(self, before: Living, candidates: Sequence[Candidate]) -> Screened:
        self.asked += 1
        if self.stopped or self.asked <= self.silent:
            return Screened(hits={}, missing="gone", stopped=self.stopped)
        hits = {
            one.name: (Hit(attack="judge", why="it pleads", words="x"),)
            for one in candidates
            if one.after is not None and any(text in one.after.text for text in self.texts)
        }
        return Screened(hits=hits)


def course(**more: object) -> Course:
    given = {"units": UNITS, "pool": tuple(tasks()), "plan": PLAN, **more}
    return Course(**given)  # pyrefly: ignore[bad-argument-type]


def run(
    log: Lines,
    proposer: Mentions | None = None,
    worker: Harness | None = None,
    of: Course | None = None,
    screen: Reads | None = None,
) -> Evolved:
    stage = Stage(harness=worker or Worker(), verifier=Checker(), sink=log, slots=2)

    async def whole() -> Evolved:
        lines = list(log.lines)
        return await evolve(SKILL, of or course(), proposer or Mentions(), stage, log, screen=screen, lines=lines)

    return anyio.run(whole)


def test_what_helps_is_applied_and_the_rest_is_not() -> None:
    found = run(Lines())
    assert GOOD in found.final.text
    assert BAD not in found.final.text
    assert found.steps[0].edit == Create(target=("Style",), text=GOOD)
    assert found.steps[0].verdict.verdicts[found.steps[0].applied].status == "accepted"
    assert [line.before for line in found.steps][1:] == [line.after for line in found.steps][:-1]


def test_each_step_says_what_it_rests_on() -> None:
    log = Lines()
    found = run(log)
    assert [line.evidence for line in found.steps] == [one.evidence for one in UNITS]
    assert sum(line.replays for line in found.steps) == log.kinds().count("attempt") == found.attempts


def test_what_a_reader_refuses_is_not_replayed_and_told_to_the_editor() -> None:
    log, reader = Lines(), Reads()
    found = run(log, screen=reader)
    assert GOOD not in found.final.text
    assert found.steps[0].refused == {"e1": ("it pleads",)}
    tried = {line["edit"] for line in log.lines if line["kind"] == "attempt" and line["step"] == 1}
    assert tried == {"", "e2", "e3"}
    assert all(not line.refused for line in found.steps[1:]), "it is not proposed again"
    asked, before = reader.asked, list(log.lines)
    again = run(log, screen=reader)
    assert (again.steps, reader.asked, log.lines) == (found.steps, asked, before), "what was read is in the log"


@pytest.mark.parametrize("stopped", ["", "--max-calls 8 is reached"])
def test_a_group_that_was_not_read_is_read_by_the_next_call(stopped: str) -> None:
    log = Lines()
    found = run(log, screen=Reads(silent=99, stopped=stopped))
    assert (found.stopped, found.unanswered) == (stopped, 0 if stopped else 3)
    assert not log.lines
    assert len(run(log, screen=Reads()).steps) == 3


def test_a_group_is_written_before_it_is_replayed() -> None:
    log = Lines()
    run(log)
    kinds = log.kinds()
    assert kinds[0] == "group"
    assert kinds.count("group") == kinds.count("step") == 3
    assert kinds[-1] == "step"


@settings(deadline=None, max_examples=15)
@given(dies_after=st.integers(min_value=0, max_value=200))
def test_a_killed_run_ends_as_an_uninterrupted_one(dies_after: int) -> None:
    whole, log = Lines(), Lines(dies_after=dies_after)
    expected = run(whole)
    with contextlib.suppress(KilledError, BaseExceptionGroup):
        run(log)
    log.dies_after = None
    proposer = Mentions()
    found = run(log, proposer)
    assert found.final == expected.final
    assert found.steps == expected.steps
    last = {line["key"]: line for line in log.lines}
    assert last == {line["key"]: line for line in whole.lines}


def test_a_run_that_is_whole_asks_nobody() -> None:
    log = Lines()
    first = run(log)
    before = list(log.lines)
    proposer, worker = Mentions(), Worker()
    again = run(log, proposer, worker)
    assert (again.final, again.steps, again.attempts) == (first.final, first.steps, 0)
    assert not proposer.asked
    assert not worker.calls
    assert log.lines == before


def test_a_cap_ends_it_and_more_money_goes_on() -> None:
    log = Lines()
    found = run(log, worker=Worker(budget=30))
    assert "--max-calls 30" in found.stopped
    assert found.attempts == 30
    assert run(log).steps == run(Lines()).steps


def test_an_editor_that_was_stopped_ends_it() -> None:
    log = Lines()
    found = run(log, Mentions(stopped="--max-calls 8 is reached"))
    assert found.stopped == "--max-calls 8 is reached"
    assert not log.lines
    assert found.final == SKILL


def test_a_step_without_an_answer_is_counted_and_asked_again() -> None:
    log = Lines()
    assert run(log, Mentions(silent=1)).unanswered == 1
    again = run(log)
    assert again.unanswered == 0
    assert len(again.steps) == 3


def test_what_was_rejected_is_told_to_the_editor() -> None:
    log = Lines()
    found = run(log, of=course(plan=Plan(cap=40, useful=0.6, beta=0.5)))
    rejected = {name for line in found.steps for name, one in line.verdict.verdicts.items() if one.status == "rejected"}
    assert rejected
    texts = [one["edit"] for line in log.lines if line["kind"] == "group" for one in line["candidates"]]  # type: ignore[index, union-attr]
    bad = [one for one in texts if one and one.get("text") == BAD]  # type: ignore[union-attr]
    assert len(bad) == 1


def test_passes_go_on_until_nothing_is_tested() -> None:
    proposer = Mentions(texts=(GOOD,))
    found = run(Lines(), proposer, of=course(passes=9))
    assert len(found.steps) == 6
    assert not any(line.verdict.verdicts for line in found.steps[3:])


def test_the_rule_raw_runs_no_control_and_takes_what_passes_anyway() -> None:
    log = Lines()
    found = run(log, Mentions(texts=(IDLE,)), of=course(plan=Plan(rule="raw"), passes=30))
    controls = [line for line in log.lines if line["kind"] == "attempt" and line["edit"] == ""]
    assert not controls
    assert IDLE in found.final.text
    applied = [line for line in found.steps if line.applied]
    assert [line.verdict.verdicts[line.applied].reason for line in applied] == ["own_score"]
    assert not applied[0].verdict.verdicts[applied[0].applied].calibrated


@pytest.mark.parametrize("more", [{"units": ()}, {"passes": 0}])
def test_what_is_no_course_is_refused(more: dict[str, object]) -> None:
    with pytest.raises(ConfigError):
        course(**more)


def test_a_step_reads_back_as_it_was_written() -> None:
    for line in run(Lines()).steps:
        assert StepLine.model_validate(line.model_dump(mode="json")) == line
