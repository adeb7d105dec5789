"""The simulated user: a person played by a model, or by a script.

The decision to know: a simulated user is told the task's `user` text and what is said to it, and nothing of what the
verifier knows. Where it fails to play, the attempt is parked and not scored: that is no fault of the worker.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from pydantic import JsonValue

from ingrained.harness.base import Action, Spent, Task
from ingrained.harness.speaker import Move, Speaker, failed_turn
from ingrained.harness.world import Tool
from ingrained.model.base import Model, Sampling
from ingrained.model.prompt import Prompt

USER: Final = Prompt.load("ingrained.harness", "user")
SAMPLING: Final = Sampling(temperature=0.0, max_tokens=512)
MOST_CALLS: Final = 12
"""Of tools of their own before they answer, failed turns included."""

Use = Callable[[str, Mapping[str, JsonValue]], Action]
"""Calls a tool of the user's and keeps the record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a user answers."""

    text: str = ""
    ended: bool = False
    lost: str = ""
    """Why nobody answered; empty where somebody did."""


class User(Protocol):
    """Somebody whom a worker talks to, for one attempt."""

    @property
    def spent(self) -> Spent:
        """What their answers took so far."""
        ...

    async def reply(self, said: str) -> Reply:
        """What they answer to the worker.

        Raises:
            BudgetReachedError: a cap was reached.
            IngrainedError: nobody can be asked at all.
        """
        ...


class UserMaker(Protocol):
    """Makes the user of an attempt."""

    def __call__(self, task: Task, tools: Sequence[Tool], use: Use, seed: int, /) -> User:
        """Somebody who has said nothing yet."""
        ...


class SimulatedUser:
    """A person played by a model."""

    def __init__(self, model: Model, task: Task, tools: Sequence[Tool], use: Use, seed: int) -> None:
        self._model, self._part, self._tools, self._use, self._seed = model, task.user, tools, use, seed
        self._speaker: Speaker | None = None

    @property
    def spent(self) -> Spent:
        """What their answers took so far."""
        return Spent() if self._speaker is None else self._speaker.spent

    async def reply(self, said: str) -> Reply:
        """One call, and one more for each tool that they use first; see `User.reply` for what is raised."""
        if self._speaker is None:
            self._speaker = Speaker(
                self._model,
                opening=USER.messages(part=self._part, tools=shown(self._tools), said=said),
                prompt=USER,
                tools=self._tools,
                sampling=SAMPLING,
                sample=self._seed,
            )
        else:
            self._speaker.hear(said)
        for _ in range(MOST_CALLS):
            move = await self._speaker.move()
            if isinstance(move, Move) and move.do == "call":
                self._speaker.see(self._use(move.tool, move.arguments))
            elif isinstance(move, Move):
                return Reply(text=move.text.strip(), ended=move.do == "finish")
            elif not failed_turn(move):
                return Reply(lost=f"the simulated user could not be asked: {move.reason}")
        return Reply(lost=f"the simulated user did not answer within {MOST_CALLS} moves")


class ScriptedUser:
    """A person who says the lines of a script in order, whatever is said to them, and then ends. For tests.

    A line may be a call of their own instead: a tool and its arguments, after which the next line follows at once.
    """

    def __init__(self, lines: Sequence[str | tuple[str, Mapping[str, JsonValue]]], use: Use | None = None) -> None:
        self.heard: list[str] = []
        self.spent = Spent()
        self._lines, self._use = iter(lines), use

    async def reply(self, said: str) -> Reply:
        """The next line; calls nobody."""
        self.heard.append(said)
        for line in self._lines:
            if isinstance(line, str):
                return Reply(text=line)
            if self._use is not None:
                self._use(*line)
        return Reply(ended=True)


def simulated_by(model: Model) -> UserMaker:
    """Users who are played by a model."""

    def made(task: Task, tools: Sequence[Tool], use: Use, seed: int) -> User:
        return SimulatedUser(model, task, tools, use, seed)

    return made


def shown(tools: Sequence[Tool]) -> list[dict[str, str]]:
    """Tools as a prompt tells of them."""
    return [
        {
            "name": tool.name,
            "description": " ".join(tool.description.split()),
            "arguments": json.dumps(dict(tool.arguments), ensure_ascii=False),
        }
        for tool in tools
    ]
