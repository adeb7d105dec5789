"""The methods: what each shows the writing model and keeps of feedback; and the protocol around them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import anyio
import pytest

from ingrained.bench.writing.contexts import Context
from ingrained.bench.writing.hidden import reveal
from ingrained.bench.writing.methods import (
    METHODS,
    TRAINED,
    UNTRAINED,
    Method,
    Move,
    Turn,
    general,
    most_similar,
)
from ingrained.bench.writing.prepared import Prepared
from ingrained.bench.writing.protocol import Asked, Case, run_case, styled
from ingrained.bench.writing.trace import TraceShape
from ingrained.errors import BudgetReachedError, ModelQuotaError
from ingrained.learn.grain import HISTORIES, Interaction
from ingrained.model.base import Completion, Request
from ingrained.model.structured import Parked
from model_world import Counting
from writing_planted import answer, planted_writing

TEXTS = ("The parser reads a line.", "The cookie is dropped.", "We split the tunnel.", "It frees memory.", "Docs only.")
SAID = Interaction(feedback="Use contractions. Include mentions of Lisbon.", request="r", draft="d", history=TEXTS)


def moved(name: str, said: Interaction | None, skill: tuple[str, ...] = (), reply: object = None) -> Move | Parked:
    """What a method makes of one turn; the model answers `reply`, or as the scripted one."""
    model = Counting(lambda request, _: spoken(request) if reply is None else str(reply), free=True)
    turn = Turn(task="commit", histories=TEXTS, request="Subject: cookie engine", skill=skill, said=said, seed=2)
    return anyio.run(METHODS.load(name), model, turn)


def spoken(request: Request) -> str:
    import json

    said = answer(request)
    return said if isinstance(said, str) else json.dumps(said)


def test_eight_methods_and_the_protocols_of_trained_ones() -> None:
    assert len(UNTRAINED) == 8
    assert {METHODS.load(name) for name in TRAINED} == {METHODS.load("adaptive-skill"), METHODS.load("atom-prompt")}
    assert METHODS.load("skillgrain") is METHODS.load("atom-prompt")


@pytest.mark.parametrize(
    ("name", "history", "rules"),
    [
        ("no-skill", TEXTS, ()),
        ("general-skill", TEXTS, (general("commit"),)),
        ("no-history", (), (general("commit"),)),
        ("rag-history", (*TEXTS, TEXTS[1]), ()),
        ("user-profile", TEXTS, ("Writes plain sentences of some length.",)),
        ("adaptive-skill", TEXTS, ()),
        ("feedback", TEXTS, ()),
        ("atom-prompt", TEXTS, ()),
    ],
)
def test_before_anything_is_said(name: str, history: tuple[str, ...], rules: tuple[str, ...]) -> None:
    found = moved(name, None)
    assert isinstance(found, Move)
    assert (found.history, found.rules, found.decision) == (history, rules, None)


@pytest.mark.parametrize(
    ("name", "skill", "decision"),
    [
        ("no-skill", (), None),
        ("general-skill", (), None),
        ("adaptive-skill", ("old", "Use contractions."), "UPDATE"),
        ("feedback", ("old", SAID.feedback), "UPDATE"),
        ("atom-prompt", ("old", "Use contractions."), "UPDATE"),
        ("user-profile", ("old",), None),
    ],
)
def test_after_feedback(name: str, skill: tuple[str, ...], decision: str | None) -> None:
    found = moved(name, SAID, ("old",))
    assert isinstance(found, Move)
    assert (found.skill, found.decision) == (skill, decision)


@pytest.mark.parametrize("name", ["adaptive-skill", "atom-prompt"])
def test_one_off_feedback_keeps_the_skill(name: str) -> None:
    found = moved(name, Interaction(feedback="Include mentions of Lisbon.", request="r", draft="d"), ("old",))
    assert isinstance(found, Move)
    assert (found.skill, found.decision) == (("old",), "KEEP")


@pytest.mark.parametrize("name", ["adaptive-skill", "atom-prompt"])
@pytest.mark.parametrize("reply", ["no JSON", '{"decision": "UPDATE", "rule": ""}', '{"atoms": 3, "decision": 1}'])
def test_an_answer_of_no_use_keeps_the_skill_and_is_told(name: str, reply: str) -> None:
    found = moved(name, SAID, ("old",), reply)
    assert isinstance(found, Move)
    assert (found.skill, found.decision) == (("old",), "KEEP")
    assert found.parked is not None


def test_every_task_has_a_text_of_its_own() -> None:
    from ingrained.bench.writing.document import TASKS

    texts = [general(one.name) for one in TASKS.entries()]
    assert len(set(texts)) == len(texts) == 8
    assert general("somebody's own") not in texts


def test_the_most_similar_text_is_one_of_the_five() -> None:
    assert most_similar(TEXTS, "tunnel splitting") == (TEXTS[2],)
    assert most_similar(TEXTS, "nothing alike at all, xyzzy") == (TEXTS[0],)
    assert most_similar((), "x") == ()


# The protocol


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    return planted_writing.world(tmp_path_factory.mktemp("authors"), authors=8, per_author=1, seeds=1)


def traced(
    world: Prepared, context: Context, name: str, model: Counting, *, rounds: int = 2, drafts: bool = True
) -> TraceShape:
    case = Case(context=context, method=name, model="scripted:x", seed=0)
    method: Method = METHODS.load(name)
    found = world.drafts if drafts else {}
    run = partial(run_case, case, method, Asked(writer=model, updater=model), rounds=rounds, drafts=found)
    return anyio.run(run)


@pytest.mark.parametrize("rounds", [0, 1, 2])
def test_rounds_then_the_held_out_request(rounds: int, world: Prepared) -> None:
    for context in world.built.contexts:
        model = Counting(lambda request, _: spoken(request), free=True)
        found = traced(world, context, "atom-prompt", model, rounds=rounds, drafts=False)
        assert found.stop == "done"
        asked = [*context.rounds[:rounds], context.held_out]
        assert [one.request for one in found.steps] == [one.key for one in asked]
        writes = [request for request in model.asked if request.schema is None]
        assert len(writes) == rounds + 1
        for request, one in zip(writes, asked, strict=True):
            text = request.messages[-1].text
            assert one.request in text
            assert all(example.text in text for example in context.histories)
            assert reveal(one.annotation).own not in text
            assert (request.sampling.temperature, request.sampling.top_p) == (0.7, 0.8)
            assert request.sampling.max_tokens == 1024
        rules = [
            [line for line in request.messages[-1].text.split("\n") if line.startswith("r1: ")] for request in writes
        ]
        assert not rules[0]
        assert found.held_out is not None
        assert not found.held_out.feedback
        skill: tuple[str, ...] = ()
        for step in found.steps[:-1]:
            assert bool(step.feedback) == bool(step.targets) == (step.update is not None)
            if step.update is not None:
                assert step.update.before == skill
                assert step.update.after[: len(skill)] == skill  # eq. 8 appends
                skill = step.update.after
        assert found.skill == skill


def test_a_share_of_the_rounds_gets_a_draft_that_asks_for_keep(world: Prepared) -> None:
    rounds = sum(len(one.rounds) for one in world.built.contexts)
    assert len(world.drafts) == round(0.25 * rounds)
    assert styled(world.built, share=0.25, seed=0) == world.drafts
    assert not styled(world.built, share=0.0, seed=0)
    model = Counting(lambda request, _: spoken(request), free=True)
    steps = [step for one in world.built.contexts for step in traced(world, one, "atom-prompt", model).steps]
    style = [step for step in steps if step.source == "style"]
    assert {step.request for step in style} == set(world.drafts)
    for step in style:
        assert not any(target.tau for target in step.targets)
        assert step.update is None or step.update.reward.value == 1


def quota(_request: Request, _number: int) -> Completion | str:
    raise ModelQuotaError("used up")


def capped(request: Request, number: int) -> Completion | str:
    if number >= 2:
        raise BudgetReachedError("--max-calls 2 is reached")
    return spoken(request)


@pytest.mark.parametrize(("reply", "why"), [(quota, "quota"), (capped, "budget")])
def test_a_call_that_never_came_back_ends_the_trace(
    reply: Callable[[Request, int], Completion | str], why: str, world: Prepared
) -> None:
    found = traced(world, world.built.contexts[0], "atom-prompt", Counting(reply, free=True), drafts=False)
    assert found.stop == "parked"
    assert found.parked is not None
    assert found.parked.why == why
    assert found.held_out is None
    assert found.scores is None


def test_an_empty_text_is_worth_nothing_and_no_failure(world: Prepared) -> None:
    found = traced(world, world.built.contexts[0], "no-skill", Counting(lambda *_: " ", free=True))
    assert found.stop == "done"
    assert found.scores is not None
    assert found.scores.mean == 0


def test_two_seeds_are_two_samples_of_one_question(world: Prepared, tmp_path: Path) -> None:
    model = Counting(lambda request, _: spoken(request), free=True)
    for seed in (0, 1):
        case = Case(context=world.built.contexts[0], method="no-skill", model="x", seed=seed)
        asked = Asked(writer=model, updater=model)
        anyio.run(partial(run_case, case, METHODS.load("no-skill"), asked, rounds=0, drafts={}))
    first, second = model.asked
    assert first.messages == second.messages
    assert (first.sample, second.sample) == (0, 1)
    assert len(first.messages[-1].text) > HISTORIES
