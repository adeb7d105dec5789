"""What was done against what should have been done, in an invented world."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingrained.errors import ConfigError
from ingrained.harness.base import Action, Said, Stop, Trace
from ingrained.model.base import Role
from ingrained.verify.base import VERIFIERS
from ingrained.verify.database import Database, Wanted, product, replayed
from ingrained.verify.score import Score, Unscored
from tool_world import Player, order_task

pytestmark = pytest.mark.anyio

RIGHT, WRONG = Score(value=1.0), Score(value=0.0)
CANCEL = Action(tool="cancel", arguments={"order": "7"})


def attempt(*actions: Action, said: str = "", stop: Stop = "answered") -> Trace:
    messages = (Said(role="assistant", text=said),)
    return Trace(task="o1", worker="w", skill="", seed=0, actions=actions, messages=messages, stop=stop, reason="why")


@pytest.mark.parametrize(
    ("actions", "outcome"),
    [
        ((CANCEL,), RIGHT),
        ((Action(tool="look", arguments={"order": "8"}), CANCEL), RIGHT),
        ((CANCEL, CANCEL), RIGHT),
        ((), WRONG),
        ((Action(tool="cancel", arguments={"order": "9"}),), WRONG),
        ((CANCEL, Action(tool="cancel", arguments={"order": "9"})), WRONG),
        ((CANCEL, Action(tool="switch", by="user")), WRONG),
        ((Action(tool="look", arguments={"order": "7"}, result="cancelled"),), WRONG),
    ],
)
async def test_the_state_in_the_end_counts_and_not_the_way_there(actions: tuple[Action, ...], outcome: Score) -> None:
    checked = await Database().check(order_task(), attempt(*actions))
    assert (checked.outcome, checked.parts) == (outcome, {"database": outcome})
    assert bool(checked.why) == (outcome == WRONG)


@pytest.mark.parametrize("stop", ["turns", "failures", "cut", "refused"])
async def test_an_attempt_that_was_not_ended_by_somebody_is_worth_nothing(stop: Stop) -> None:
    assert (await Database().check(order_task(), attempt(CANCEL, stop=stop))).outcome == WRONG


async def test_what_nobody_answered_is_unscored() -> None:
    assert (await Database().check(order_task(), attempt(stop="parked"))).outcome == Unscored(reason="no answer: why")


@pytest.mark.parametrize(
    ("said", "outcome"),
    [("It was 1,234.50 Euro", RIGHT), ("it was 1234.50 EURO", RIGHT), ("It was 99", WRONG), ("", WRONG)],
)
async def test_what_had_to_be_told_was_told(said: str, outcome: Score) -> None:
    task = order_task(known={"basis": ["communicate"], "tell": ["1234.50 euro"]})
    assert (await Database().check(task, attempt(said=said))).outcome == outcome


@pytest.mark.parametrize("role", ["user", "system"])
async def test_what_others_said_is_not_told_by_the_worker(role: Role) -> None:
    task = order_task(known={"basis": ["communicate"], "tell": ["12"]})
    trace = attempt().model_copy(update={"messages": (Said(role=role, text="It is 12, is it not?"),)})
    assert (await Database().check(task, trace)).outcome == WRONG


async def test_claims_on_the_state_hold_in_the_end() -> None:
    task = order_task(known={"basis": ["environment"], "claims": [{"func_name": "lamp_is_on"}]})
    switch = Action(tool="switch", by="user")
    assert [(await Database().check(task, attempt(*[switch] * n))).outcome for n in range(3)] == [WRONG, RIGHT, WRONG]
    with pytest.raises(ConfigError, match="no claim"):
        await Database().check(order_task(known={"basis": ["environment"], "claims": [{}]}), attempt())


async def test_each_right_action_was_taken() -> None:
    task = order_task(known={"basis": ["action"]})
    assert (await Database().check(task, attempt(CANCEL))).outcome == RIGHT
    missing = await Database().check(task, attempt(Action(tool="cancel")))
    assert (missing.outcome, missing.why) == (WRONG, "never called: cancel")


@pytest.mark.parametrize(
    ("compare", "arguments", "same"),
    [
        (None, {"a": 1, "b": 2}, True),
        (None, {"a": 1}, False),
        (None, {"a": 1, "b": 2, "c": 3}, False),
        (("a",), {"a": 1, "b": 9}, True),
        (("a",), {"b": 2}, False),
        ((), {"x": 0}, True),
    ],
)
def test_an_action_is_the_wanted_one_where_the_arguments_that_count_agree(
    compare: tuple[str, ...] | None, arguments: dict[str, Any], same: bool
) -> None:
    wanted = Wanted(tool="t", arguments={"a": 1, "b": 2}, compare=compare)
    assert wanted.is_(Action(tool="t", arguments=arguments)) is same
    assert not wanted.is_(Action(tool="u", arguments=arguments))


JUDGED = order_task(known={"basis": ["database", "assertions"], "assertions": ["It greets.", "It is brief."]})


def verdicts(*words: str) -> str:
    return json.dumps({"verdicts": [{"rubric": n, "verdict": word} for n, word in enumerate(words, start=1)]})


@pytest.mark.parametrize("actions", [(), (CANCEL,)])
async def test_without_a_judge_what_needs_one_is_unscored_and_so_is_the_whole(actions: tuple[Action, ...]) -> None:
    checked = await Database().check(JUDGED, attempt(*actions))
    assert isinstance(checked.outcome, Unscored)
    assert checked.parts["database"] == (RIGHT if actions else WRONG)
    assert checked.parts["assertions"] == Unscored(reason="its assertions need a judge")
    with pytest.raises(ConfigError, match="judge"):
        VERIFIERS.load("database")(None, {"judge": False})
    left_out = await VERIFIERS.load("database")(None, {"judged": False}).check(JUDGED, attempt(*actions))
    assert left_out.outcome == checked.parts["database"]


async def test_a_task_that_asks_for_a_judge_of_nothing_is_scored_without_one() -> None:
    task = order_task(known={"basis": ["database", "assertions"]})
    assert (await Database().check(task, attempt(CANCEL))).outcome == RIGHT


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ([verdicts("met", "met")], RIGHT),
        ([verdicts("met", "not met"), verdicts("not met", "met")], WRONG),
        ([verdicts("not met", "cannot tell"), verdicts("cannot tell", "not met")], WRONG),
        ([verdicts("met", "cannot tell"), verdicts("cannot tell", "met")], Unscored(reason="the judge cannot tell")),
        ([verdicts("met", "perhaps")], Unscored(reason="the judge gave no verdict of the set")),
    ],
)
async def test_the_judge_of_rubrics_says_whether_assertions_are_met(said: list[str], outcome: object) -> None:
    judge = Player(*said)
    checked = await Database(judge).check(JUDGED, attempt(CANCEL, said="Hello, all claims are met."))
    assert checked.outcome == outcome
    assert "It is brief." in judge.read()
    assert "worker called cancel" in judge.read()
    assert ("unmet: " in checked.why) == (outcome == WRONG)


async def test_a_task_of_another_verifier_is_an_error_that_names_it() -> None:
    for known, place in (({"basis": []}, "basis"), ({"basis": ["x"]}, "basis"), ({"gold": [{}]}, "gold.0.tool")):
        with pytest.raises(ConfigError, match=rf"'o1': known\.{place}"):
            await Database().check(order_task(known=known), attempt())


ACTIONS = st.lists(
    st.builds(
        Action,
        tool=st.sampled_from(["look", "cancel", "switch", "nothing"]),
        arguments=st.fixed_dictionaries({"order": st.sampled_from(["7", "8", "9", "10"])}),
        by=st.sampled_from(["worker", "user"]),
    ),
    max_size=8,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ACTIONS)
async def test_the_right_actions_pass_whatever_they_are_and_however_often_they_are_checked(
    actions: list[Action],
) -> None:
    gold = [{"tool": one.tool, "arguments": one.arguments, "by": one.by} for one in actions]
    task, verifier = order_task(known={"gold": gold, "basis": ["database", "action"]}), Database()
    outcomes = [(await verifier.check(task, attempt(*actions))).outcome for _ in range(2)]
    assert outcomes == [RIGHT, RIGHT]


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(ACTIONS, ACTIONS)
def test_two_ways_to_one_state_have_one_digest(one: list[Action], other: list[Action]) -> None:
    worlds = [replayed(order_task(), actions) for actions in (one, other)]
    states = [(world.orders, world.lamp) for world in worlds]  # type: ignore[attr-defined]
    assert (worlds[0].digest() == worlds[1].digest()) == (states[0] == states[1])


def test_a_product_is_unscored_where_a_factor_is() -> None:
    unscored = Unscored(reason="x")
    assert product([]) == product([RIGHT]) == RIGHT
    assert product([RIGHT, WRONG]) == WRONG
    assert product([WRONG, unscored, unscored]) == unscored
