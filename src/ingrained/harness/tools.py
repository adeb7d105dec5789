"""A worker with tools: it calls them, talks to the user of the task where there is one, and says when it is done.

The decision to know: every attempt ends by a named stop. A call that fails and an answer that cannot be read are
failures; too many of them in a row end the attempt, and so do too many turns. The skill stands in the system part,
behind the policy of the task's world.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from pydantic import Field, JsonValue

from ingrained.errors import ConfigError
from ingrained.harness.base import Action, By, Drawing, Harness, Rollout, Said, Spent, Stop, Trace, options_of
from ingrained.harness.simulator import Reply, User, UserMaker, shown, simulated_by
from ingrained.harness.speaker import Move, Speaker, failed_turn
from ingrained.harness.world import World, use, world_of
from ingrained.ids import content_hash
from ingrained.model.base import Message, Model, Role, Sampling
from ingrained.model.prompt import Prompt
from ingrained.model.structured import Parked

TOOLS: Final = Prompt.load("ingrained.harness", "tools")
SAMPLING: Final = Sampling(temperature=0.0, max_tokens=1024)
TURNS: Final = 60
"""Moves of the worker at most."""
FAILURES: Final = 5
"""In a row at most."""
GREETING: Final = "Hello, what can I do for you?"
"""What the user hears first, so that they begin."""


@dataclass(slots=True, kw_only=True)
class _Attempt:
    """What has happened so far."""

    world: World
    messages: list[Said] = field(default_factory=list)
    actions: list[Action] = field(default_factory=list)
    answer: str = ""
    failures: int = 0
    """In a row."""

    def call(self, by: By, tool: str, arguments: Mapping[str, JsonValue]) -> Action:
        action = use(self.world, tool, arguments, by)
        self.actions.append(action)
        return action

    def say(self, role: Role, text: str) -> None:
        if text.strip():
            self.messages.append(Said(role=role, text=text))


class Options(Drawing):
    """Of the harness."""

    turns: int = Field(default=TURNS, ge=1)
    failures: int = Field(default=FAILURES, ge=1)


class ToolLoop:
    """A model that works with tools."""

    def __init__(
        self,
        model: Model,
        *,
        users: UserMaker | None = None,
        sampling: Sampling = SAMPLING,
        turns: int = TURNS,
        failures: int = FAILURES,
    ) -> None:
        """Make one.

        Args:
            model: who works.
            users: who plays the user of a task; the same model by default, in a conversation of its own.
            sampling: how the worker's answers are drawn.
            turns: its moves at most, at least 1.
            failures: in a row at most, at least 1.

        Raises:
            ConfigError: turns or failures below 1.
        """
        if min(turns, failures) < 1:
            raise ConfigError(f"turns={turns!r}, failures={failures!r}: each has to be at least 1")
        self._model, self._users = model, users or simulated_by(model)
        self._sampling, self._turns, self._failures = sampling, turns, failures

    @property
    def name(self) -> str:
        """`tools` and the model."""
        return f"tools={self._model.facts.provider}:{self._model.facts.model}"

    async def run(self, rollout: Rollout) -> Trace:
        """One call a turn, two where an answer has to be repaired, and those of the user.

        Raises:
            ConfigError: the task has no tools.
            MissingExtraError: its world needs a package that is not installed.
            UnseenRequestError, BudgetReachedError, IngrainedError: as `Harness.run` says.
        """
        task = rollout.task
        attempt = _Attempt(world=world_of(task))
        user: User | None = None
        first = Reply()
        if task.user:
            user = self._users(task, attempt.world.tools("user"), partial(attempt.call, "user"), rollout.seed)
            attempt.say("assistant", GREETING)
            first = await user.reply(GREETING)
            attempt.say("user", first.text)
            if (ended := _ended(first)) is not None:
                return self._trace(rollout, attempt, user.spent, *ended)
        tools = attempt.world.tools("worker")
        speaker = Speaker(
            self._model,
            opening=opening(rollout, attempt.world, first.text),
            prompt=TOOLS,
            tools=tools,
            sampling=self._sampling,
            sample=rollout.seed,
            says=user is not None,
        )
        stop, reason = await self._work(speaker, user, attempt)
        spent = speaker.spent if user is None else speaker.spent.with_(user.spent)
        return self._trace(rollout, attempt, spent, stop, reason)

    async def _work(self, speaker: Speaker, user: User | None, attempt: _Attempt) -> tuple[Stop, str]:
        for _ in range(self._turns):
            move = await speaker.move()
            if isinstance(move, Parked):
                if not failed_turn(move):
                    return ("refused" if move.why == "refused" else "parked"), move.reason
                attempt.failures += 1
                attempt.say("system", f"a turn failed: {move.reason}")
            elif move.do == "call":
                action = attempt.call("worker", move.tool, move.arguments)
                attempt.failures = attempt.failures + 1 if action.failed else 0
                speaker.see(action)
            else:
                attempt.failures = 0
                ended = await _told(move, speaker, user, attempt)
                if ended is not None:
                    return ended
            if attempt.failures >= self._failures:
                return "failures", f"{attempt.failures} failures in a row"
        return "turns", f"not done within {self._turns} turns"

    def _trace(self, rollout: Rollout, attempt: _Attempt, spent: Spent, stop: Stop, reason: str) -> Trace:
        return Trace(
            task=rollout.task.id,
            worker=self.name,
            skill=content_hash(rollout.skill),
            seed=rollout.seed,
            messages=tuple(attempt.messages),
            actions=tuple(attempt.actions),
            answer=attempt.answer,
            stop=stop,
            reason=reason,
            spent=spent,
        )


def tools(model: Model, options: Mapping[str, JsonValue]) -> Harness:
    """The harness `tools`; options: `temperature`, `top_p`, `max_tokens`, `turns`, `failures`.

    Raises:
        ConfigError: an option is unknown or wrong.
    """
    chosen = options_of("worker 'tools'", Options, options)
    return ToolLoop(model, sampling=chosen.over(SAMPLING), turns=chosen.turns, failures=chosen.failures)


def opening(rollout: Rollout, world: World, said: str) -> tuple[Message, ...]:
    """What the worker reads first; `said` is empty where nobody talks to it."""
    return TOOLS.messages(
        policy=world.policy.strip(),
        skill=rollout.skill.strip(),
        tools=shown(world.tools("worker")),
        request=rollout.task.request,
        said=said,
    )


async def _told(move: Move, speaker: Speaker, user: User | None, attempt: _Attempt) -> tuple[Stop, str] | None:
    """Pass on what the worker says; how that ended the attempt, or None."""
    attempt.say("assistant", move.text)
    if move.do == "finish" or user is None:
        attempt.answer = move.text.strip()
        return "answered", ""
    reply = await user.reply(move.text)
    attempt.say("user", reply.text)
    if (ended := _ended(reply)) is not None:
        attempt.answer = move.text.strip()
        return ended
    speaker.hear(reply.text)
    return None


def _ended(reply: Reply) -> tuple[Stop, str] | None:
    """How a reply ends the attempt; None where it goes on."""
    if reply.lost:
        return "parked", reply.lost
    return ("answered", "the user ended the conversation") if reply.ended else None
