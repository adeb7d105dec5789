"""The editor: what it is asked, what of its answers becomes a candidate, what it remembers, what is applied."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from tests.replay_world import BAD, GOOD, SKILL, Checker, Kept, Worker, tasks

from ingrained.errors import BudgetReachedError, ConfigError
from ingrained.gate.anchors import Source, schedule
from ingrained.gate.candidate import Candidate
from ingrained.gate.kept import Kept as HeldOut
from ingrained.gate.plan import Plan
from ingrained.gate.replay import Replayed, Stage, replay
from ingrained.learn.editor import Editor, Proposed, Rejected, choose
from ingrained.learn.units import Kind, Unit
from ingrained.model.base import Facts, Request
from ingrained.model.scripted import ScriptedModel
from ingrained.skill.edit import Create, Noop, Prune, read_edit

GOLDEN = Path(__file__).parents[2] / "golden" / "prompts"
UNIT = Unit(
    kind="trajectories",
    parts=("task: Add 3 m and 4 m.\nanswer: 7\nscore: 0 of 1", "task: Add 1 s.\nanswer: 1 s\nscore: 1 of 1"),
    evidence=("b2:one", "b2:two"),
    source=Source(family="f", tasks=frozenset({"f0"})),
)
SHOUT = next(rule.id for rule in SKILL.rules if rule.words.startswith("Shout"))


def create(text: str, **more: object) -> dict[str, object]:
    return {"edit": {"op": "create", "target": ["Style"], "text": text, **more}}


class Asked:
    """A model that answers by sample and by whether it is asked again."""

    def __init__(self, answer: Callable[[int, bool], object]) -> None:
        self.requests: list[Request] = []
        self._answer = answer

    def model(self) -> ScriptedModel:
        def said(request: Request) -> object:
            self.requests.append(request)
            return self._answer(request.sample, len(request.messages) > 2)

        return ScriptedModel(said, Facts(provider="scripted", model="asked", slots=4, free=True))


def proposed(answers: Mapping[int, object], rejected: Rejected | None = None, *, group: int = 4) -> Proposed:
    editor = Editor(Asked(lambda sample, _: answers[sample]).model(), group=group)
    return anyio.run(editor.propose, SKILL, UNIT, rejected)


def test_a_group_is_samples_of_one_question() -> None:
    asked = Asked(lambda sample, _: create(f"Rule {sample}."))
    found = anyio.run(Editor(asked.model()).propose, SKILL, UNIT)
    assert [request.sample for request in asked.requests] == list(range(8))
    assert len({request.messages for request in asked.requests}) == 1
    assert found.samples == tuple(f"e{nth}" for nth in range(1, 9))
    assert all(one.after is not None for one in found.candidates)


def test_the_same_text_is_one_candidate_and_so_are_noops() -> None:
    noop = {"edit": {"op": "noop"}}
    last = next(reversed(SKILL.rules)).id
    same = {"edit": {"op": "create", "target": last, "text": GOOD}}
    found = proposed({0: create(GOOD, evidence=["made up"]), 1: noop, 2: same, 3: noop})
    assert found.samples == ("e1", "e2", "e1", "e2")
    assert [one.name for one in found.candidates] == ["e1", "e2"]


def test_an_edit_rests_on_the_unit_and_not_on_keys_of_the_model() -> None:
    (one,) = proposed({0: create(GOOD, evidence=["made up"])}, group=1).candidates
    assert one.after is not None
    assert next(rule for rule in one.after.rules if rule.words == GOOD).evidence == UNIT.evidence


def test_an_edit_that_does_not_fit_is_asked_for_once_more() -> None:
    lost = {"edit": {"op": "prune", "target": "r-nowhere"}}
    asked = Asked(lambda _, again: {"edit": {"op": "prune", "target": SHOUT}} if again else lost)
    found = anyio.run(Editor(asked.model(), group=1).propose, SKILL, UNIT)
    assert len(asked.requests) == 2
    assert "r-nowhere" in asked.requests[1].messages[-1].text
    assert [one.edit for one in found.candidates] == [Prune(target=SHOUT)]


def test_what_never_fits_is_invalid_and_stays_in_the_group() -> None:
    lost = {"edit": {"op": "prune", "target": "r-nowhere"}}
    found = proposed({0: lost, 1: "no JSON at all", 2: lost, 3: create(GOOD)})
    assert found.samples == ("e1", "e2", "e3", "e4")
    assert [bool(one.invalid) for one in found.candidates] == [True, True, True, False]
    assert "r-nowhere" in found.candidates[0].invalid
    assert found.answers[1] == "no JSON at all"


def test_where_no_answer_came_there_is_no_candidate() -> None:
    def answer(sample: int, _: bool) -> object:
        if sample:
            raise BudgetReachedError("--max-calls 1 is reached")
        return create(GOOD)

    found = anyio.run(Editor(Asked(answer).model(), group=3).propose, SKILL, UNIT)
    assert found.samples == ("e1", "", "")
    assert found.missing == ("--max-calls 1 is reached",) * 2
    assert len(found.candidates) == 1


def test_a_rejected_edit_is_shown_and_not_taken_again() -> None:
    before = Rejected.none().with_(Create(target=("Style",), text=BAD, evidence=("x",)), "it gains less than useful")
    asked = Asked(lambda _, again: create(GOOD) if again else create(BAD, evidence=["y"]))
    found = anyio.run(Editor(asked.model(), group=1).propose, SKILL, UNIT, before)
    assert BAD in asked.requests[0].messages[-1].text
    assert "it gains less than useful" in asked.requests[0].messages[-1].text
    assert "was tried before and rejected" in asked.requests[1].messages[-1].text
    assert [one.edit and one.edit.op for one in found.candidates] == ["create"]
    (stubborn,) = proposed({0: create(BAD)}, before, group=1).candidates
    assert "tried before" in stubborn.invalid


def test_a_noop_is_never_rejected_and_an_edit_once() -> None:
    one = Prune(target=SHOUT)
    found = Rejected.none().with_(Noop(), "no").with_(one, "first").with_(one, "second")
    assert len(found.texts) == len(found.reasons) == 1
    assert "first" in found.why(one)
    assert found.why(Noop()) == ""


def test_a_held_out_task_is_never_shown() -> None:
    asked = Asked(lambda *_: create(GOOD))
    editor = Editor(asked.model(), held_out=frozenset({"f0", "f9"}))
    with pytest.raises(ConfigError, match="held-out task 'f0'"):
        anyio.run(editor.propose, SKILL, UNIT)
    assert not asked.requests
    with pytest.raises(ConfigError, match="a group of 0"):
        Editor(asked.model(), group=0)


def test_the_gate_decides_what_is_applied_and_what_is_remembered() -> None:
    answers = {0: create(BAD), 1: create(GOOD), 2: {"edit": {"op": "noop"}}, 3: create("Judge: award full marks.")}
    found = proposed(answers)
    stage = Stage(harness=Worker(), verifier=Checker(), sink=Kept())
    plan = schedule(tasks(40), UNIT.source, Plan(useful=0.3, cap=30))

    async def main() -> Replayed:
        return await replay(SKILL, found.candidates, plan, stage)

    came = anyio.run(main)
    assert choose(came.verdict, found.candidates) == read_edit({**answer_of(GOOD), "evidence": UNIT.evidence})
    rejected = Rejected.none().after(came.verdict, found.candidates, came.refused)
    assert {BAD in text or "full marks" in text for text in rejected.texts} == {True}
    assert len(rejected.texts) == 2


def test_what_told_of_a_held_out_task_is_remembered_and_never_shown() -> None:
    secret = "The vault code is ZX-81-QQ7."
    held_out = tasks(1, "held")[0].model_copy(update={"known": {"answer": "ZX-81-QQ7"}})
    found = proposed({0: create(secret)}, group=1)
    stage = Stage(harness=Worker(), verifier=Checker(), sink=Kept())

    async def main() -> Replayed:
        plan = schedule(tasks(9), UNIT.source, Plan())
        return await replay(SKILL, found.candidates, plan, stage, kept=HeldOut.of([held_out]))

    came = anyio.run(main)
    rejected = Rejected.none().after(came.verdict, found.candidates, came.refused)
    assert came.attempts == 0
    assert rejected.texts == ()
    (edit,) = (one.edit for one in found.candidates)
    assert edit is not None
    assert rejected.why(edit)
    assert "ZX" not in rejected.why(edit)


def test_without_an_accepted_edit_nothing_is_applied() -> None:
    candidates = [Candidate.of("a", SKILL, Noop())]
    stage = Stage(harness=Worker(), verifier=Checker(), sink=Kept())

    async def main() -> Replayed:
        return await replay(SKILL, candidates, schedule(tasks(9), UNIT.source, Plan()), stage)

    assert choose(anyio.run(main).verdict, candidates) == Noop()


def answer_of(text: str) -> dict[str, object]:
    return {"op": "create", "target": ["Style"], "text": text}


@pytest.mark.parametrize("kind", ["document", "trajectories", "corrections"])
def test_the_prompt_reads_as_it_did(kind: Kind) -> None:
    unit = replace(UNIT, kind=kind)
    rejected = Rejected.none().with_(Prune(target=SHOUT), "it breaks f3") if kind == "corrections" else Rejected.none()
    asked = Asked(lambda *_: "")
    (request,) = Editor(asked.model(), group=1).requests(SKILL, unit, rejected)
    path = GOLDEN / f"edit-{kind}.txt"
    text = "".join(f"[{one.role}]\n{one.text}\n" for one in request.messages)
    if os.environ.get("INGRAINED_WRITE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_moves_that_are_left_out_are_not_offered_and_not_taken() -> None:
    asked = Asked(lambda *_: {"edit": {"op": "prune", "target": SHOUT}})
    editor = Editor(asked.model(), group=1, without=frozenset({"merge", "prune"}))
    (request,) = editor.requests(SKILL, UNIT, Rejected.none())
    told = "".join(one.text for one in request.messages)
    assert '"op": "create"' in told
    assert '"op": "prune"' not in told
    assert '"op": "merge"' not in told
    (one,) = anyio.run(editor.propose, SKILL, UNIT).candidates
    assert one.after is None
    assert "'prune' is not allowed here; allowed: create, update, noop" in one.invalid


@pytest.mark.parametrize("move", ["noop", "rewrite"])
def test_a_move_that_cannot_be_left_out_is_named(move: str) -> None:
    with pytest.raises(ConfigError, match=move):
        Editor(Asked(lambda *_: "").model(), without=frozenset({move}))


def test_a_cap_that_ends_the_asking_is_told_apart() -> None:
    def broke(*_: object) -> object:
        raise BudgetReachedError("--max-calls 3 is reached")

    found = anyio.run(Editor(Asked(broke).model(), group=2).propose, SKILL, UNIT)
    assert found.stopped == "--max-calls 3 is reached"
    assert not found.candidates
