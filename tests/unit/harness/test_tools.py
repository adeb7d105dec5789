"""The worker with tools: every way an attempt goes and ends, and who is shown what."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from ingrained.errors import (
    BudgetReachedError,
    ConfigError,
    ModelError,
    ModelQuotaError,
    ModelRefusedError,
    UnseenRequestError,
)
from ingrained.harness.base import HARNESSES, Rollout, Said, Task, Trace
from ingrained.harness.simulator import MOST_CALLS, ScriptedUser, SimulatedUser, UserMaker
from ingrained.harness.speaker import moves
from ingrained.harness.tools import GREETING, ToolLoop
from ingrained.harness.world import FunctionTool, use, world_of
from ingrained.model.base import Completion, Usage
from ingrained.model.strict import strict_schema
from tool_world import POLICY, Player, call, finish, order_task, say

pytestmark = pytest.mark.anyio

GOLDEN = Path(__file__).parents[2] / "golden" / "prompts"
SKILL = "# Service\n\n- Greet by name"


def scripted(*lines: Any) -> UserMaker:
    return lambda task, tools, use, seed: ScriptedUser(lines, use)


async def run(model: Player, *lines: Any, task: Task | None = None, skill: str = "", **limits: int) -> Trace:
    loop = ToolLoop(model, users=scripted(*lines), **limits)
    return await loop.run(Rollout(task=task or order_task(), skill=skill))


async def test_an_attempt_is_calls_and_words_until_the_worker_is_done() -> None:
    worker = Player(call("look", order="7"), say("Cancel it?"), call("cancel", order="7"), finish("It is cancelled."))
    trace = await run(worker, "Please cancel seven.", "Yes.")
    assert [(one.tool, one.result, one.failed, one.by) for one in trace.actions] == [
        ("look", "open", False, "worker"),
        ("cancel", "cancelled", False, "worker"),
    ]
    assert trace.messages == (
        Said(role="assistant", text=GREETING),
        Said(role="user", text="Please cancel seven."),
        Said(role="assistant", text="Cancel it?"),
        Said(role="user", text="Yes."),
        Said(role="assistant", text="It is cancelled."),
    )
    assert (trace.stop, trace.reason, trace.answer) == ("answered", "", "It is cancelled.")
    assert (trace.spent.calls, trace.spent.input_tokens, trace.spent.output_tokens) == (4, 20, 8)


async def test_the_worker_reads_policy_skill_and_tools_but_neither_what_is_known_nor_the_users_part() -> None:
    worker = Player(call("look", order="7"), finish())
    task = order_task(user="You are Zed and hate lamps.", known={"tell": ["secret-9"]})
    await run(worker, "Hello.", task=task, skill=SKILL)
    system = worker.asked[0].messages[0]
    assert system.role == "system"
    assert (
        system.text.index(POLICY) < system.text.index("- Greet by name") < system.text.index("cancel: Cancel an order.")
    )
    for hidden in ("secret-9", "Zed", "switch", "gold"):
        assert hidden not in worker.read()
    assert [message.role for message in worker.asked[1].messages] == ["system", "user", "assistant", "user"]
    assert json.loads(worker.asked[1].messages[2].text) == {"move": json.loads(call("look", order="7"))}
    assert "look gave:" in worker.asked[1].messages[-1].text


@pytest.mark.parametrize("name", ["tools", "tools-alone", "user"])
async def test_a_prompt_reads_as_it_did(name: str) -> None:
    worker, user = (
        Player(call("look", order="7"), say("It is open."), finish()),
        Player(call("switch"), say("Mine?"), finish()),
    )
    task = order_task() if name != "tools-alone" else order_task(user="", request="How is order 7?")
    loop = ToolLoop(worker, users=lambda task, tools, use, seed: SimulatedUser(user, task, tools, use, seed))
    await loop.run(Rollout(task=task, skill=SKILL))
    asked = user.asked if name == "user" else worker.asked
    text = "".join(f"=== {message.role}\n{message.text}\n" for message in asked[-1].messages)
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("INGRAINED_WRITE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


async def test_every_attempt_has_its_own_world_and_another_seed_is_another_sample() -> None:
    worker = Player(call("cancel", order="7"), finish(), call("cancel", order="7"), finish())
    loop, task = ToolLoop(worker, users=scripted("Cancel seven.")), order_task()
    first, second = [await loop.run(Rollout(task=task, skill="", seed=seed)) for seed in (0, 1)]
    assert first.actions == second.actions
    assert [request.sample for request in worker.asked] == [0, 0, 1, 1]
    assert worker.asked[0].messages == worker.asked[2].messages


async def test_an_answer_that_is_no_move_is_asked_for_again_once() -> None:
    worker = Player("I will look.", call("look", order="7"), call("lock", order="7"), finish())
    trace = await run(worker, "Hello.")
    assert [one.tool for one in trace.actions] == ["look"]
    assert (trace.stop, trace.spent.calls) == ("answered", 4)
    assert "did you mean 'look'" in worker.asked[3].messages[-1].text


async def test_a_turn_that_fails_twice_is_recorded_told_and_counted() -> None:
    worker = Player("no", "no", call("look", order="7"), "no", "no", finish())
    trace = await run(worker, "Hello.", failures=2)
    assert trace.stop == "answered"
    assert sum(one.role == "system" and "a turn failed" in one.text for one in trace.messages) == 2
    assert "That turn is lost" in worker.asked[2].messages[-1].text
    worker = Player("no")
    trace = await run(worker, "Hello.", failures=3)
    assert (trace.stop, trace.reason, trace.spent.calls) == ("failures", "3 failures in a row", 6)


async def test_calls_that_fail_count_until_one_does_not() -> None:
    wrong, right = call("cancel", order="8"), call("look", order="8")
    trace = await run(Player(wrong, right, wrong, finish()), "Hello.", failures=2)
    assert (trace.actions[0].result, trace.actions[0].failed) == ("Error: too late", True)
    assert trace.stop == "answered"
    assert (await run(Player(wrong, wrong, finish()), "Hello.", failures=2)).stop == "failures"


async def test_turns_are_limited() -> None:
    trace = await run(Player(call("look", order="7")), "Hello.", turns=4)
    assert (trace.stop, len(trace.actions)) == ("turns", 4)
    for limits in ({"turns": 0}, {"failures": 0}):
        with pytest.raises(ConfigError, match="at least 1"):
            ToolLoop(Player(finish()), **limits)


@pytest.mark.parametrize(
    ("answer", "stop"),
    [
        (ModelRefusedError("declined"), "refused"),
        (Completion(text="no", usage=Usage(input_tokens=1, output_tokens=1), finish="refused"), "refused"),
        (ModelError("down"), "parked"),
    ],
)
async def test_a_model_that_cannot_be_asked_ends_the_attempt_and_what_was_done_is_kept(answer: Any, stop: str) -> None:
    trace = await run(Player(call("cancel", order="7"), answer), "Hello.")
    assert (trace.stop, len(trace.actions)) == (stop, 1)
    assert trace.reason


@pytest.mark.parametrize(
    "error", [BudgetReachedError("cap"), ModelQuotaError("no money left"), UnseenRequestError("unseen")]
)
async def test_caps_and_missing_stored_answers_are_raised(error: Exception) -> None:
    with pytest.raises(type(error)):
        await run(Player(call("look", order="7"), error), "Hello.")


async def test_the_user_may_end_it() -> None:
    trace = await run(Player(say("Anything else?")), "Hello.")
    assert (trace.stop, trace.reason, trace.answer) == (
        "answered",
        "the user ended the conversation",
        "Anything else?",
    )
    assert (await run(Player(finish()))).spent.calls == 0


async def test_without_a_user_there_is_nobody_to_talk_to() -> None:
    worker = Player(say("Hello?"), finish("7 is open"))
    trace = await run(worker, task=order_task(user="", request="How is order 7?"))
    assert (trace.stop, trace.answer, trace.messages) == (
        "answered",
        "7 is open",
        (Said(role="assistant", text="7 is open"),),
    )
    assert "They say" not in worker.asked[0].messages[-1].text
    assert "only call or finish" in worker.asked[1].messages[-1].text


async def test_a_simulated_user_plays_its_part_with_its_own_tools_and_knows_nothing_else() -> None:
    user = Player(call("switch"), say("My lamp is on, cancel seven."), finish("Thanks."))
    worker = Player(say("What can I do?"))
    task = order_task(user="You want the lamp on.", known={"tell": ["secret-9"]})
    loop = ToolLoop(worker, users=lambda task, tools, use, seed: SimulatedUser(user, task, tools, use, seed))
    trace = await loop.run(Rollout(task=task, skill=SKILL, seed=3))
    assert [(one.tool, one.result, one.by) for one in trace.actions] == [("switch", "on", "user")]
    assert trace.messages[-1] == Said(role="user", text="Thanks.")
    assert (trace.stop, trace.spent.calls) == ("answered", 4)
    assert "You want the lamp on." in user.asked[0].messages[0].text
    assert all(request.sample == 3 for request in user.asked)
    for hidden in ("secret-9", "Greet by name", POLICY, "cancel: Cancel", "gold"):
        assert hidden not in user.read()
    assert "switch" not in worker.read()


@pytest.mark.parametrize(
    ("user", "reason"),
    [
        (Player(ModelError("down")), "could not be asked: down"),
        (Player("no"), f"did not answer within {MOST_CALLS} moves"),
        (Player(call("switch")), f"did not answer within {MOST_CALLS} moves"),
    ],
)
async def test_a_user_who_does_not_play_parks_the_attempt(user: Player, reason: str) -> None:
    loop = ToolLoop(Player(finish()), users=lambda task, tools, use, seed: SimulatedUser(user, task, tools, use, seed))
    trace = await loop.run(Rollout(task=order_task(), skill=""))
    assert trace.stop == "parked"
    assert reason in trace.reason


async def test_a_task_without_tools_is_not_for_it() -> None:
    with pytest.raises(ConfigError, match="'o1' has no tools"):
        await run(Player(finish()), task=order_task(world=""))


def test_a_call_never_raises_and_a_name_that_is_not_the_callers_is_told() -> None:
    world = world_of(order_task())
    assert use(world, "switch", {}, "worker").result.startswith(
        "Error: no tool called 'switch'; there are: look, cancel"
    )
    assert use(world, "cancel", {}, "worker").failed
    assert use(world, "switch", {}, "user").result == "on"


def test_the_schema_has_a_shape_for_each_move_and_tools_share_definitions_under_their_names() -> None:
    shape = {"type": "object", "properties": {"at": {"$ref": "#/$defs/Day"}}, "$defs": {"Day": {"type": "string"}}}
    two = [FunctionTool(name=name, description="", arguments=shape, function=lambda _: "") for name in ("a", "b")]
    schema = moves(two, says=True).body
    assert [json.dumps(one).count("const") for one in schema["properties"]["move"]["anyOf"]] == [2, 2, 1, 1]  # type: ignore[union-attr]
    assert schema["$defs"] == {"a.Day": {"type": "string"}, "b.Day": {"type": "string"}}
    assert schema["properties"]["move"]["anyOf"][1]["properties"]["arguments"]["properties"]["at"] == {
        "$ref": "#/$defs/b.Day"
    }  # type: ignore[index]
    assert len(moves([], says=False).body["properties"]["move"]["anyOf"]) == 1  # type: ignore[arg-type]
    assert strict_schema(schema)["$defs"] == schema["$defs"]


def test_the_harness_is_known_by_its_name_and_takes_its_limits() -> None:
    made = HARNESSES.load("tools")(Player(finish()), {"turns": 3, "temperature": 0.5})
    assert made.name == "tools=fake:player"
    with pytest.raises(ConfigError):
        HARNESSES.load("tools")(Player(finish()), {"turns": 0})
