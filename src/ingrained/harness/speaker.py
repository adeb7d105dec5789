"""One side of a conversation: a model that in each turn calls a tool, says something or ends.

The decision to know: models here have no tool calls of their own. A move is an answer in a JSON schema, one shape for
each tool, so that every provider can make one and one with a grammar can make no other. An answer that is none is asked
for again once; after that the turn has failed, which the model is told before its next one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator

from ingrained.errors import BudgetReachedError, ModelQuotaError
from ingrained.harness.base import Action, Spent
from ingrained.harness.world import Tool, no_tool
from ingrained.model.base import Message, Model, Request, Sampling, Schema
from ingrained.model.prompt import Prompt
from ingrained.model.structured import Answered, Parked, ask

EVENT: Final = Prompt.load("ingrained.harness", "event")
Do = Literal["call", "say", "finish"]


class Move(BaseModel):
    """What one side does in a turn."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    do: Do
    tool: str = ""
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    text: str = ""


class Turn(BaseModel):
    """An answer: an object around the move, since strict servers take no choice of shapes at the top."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    move: Move

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, value: object) -> object:
        """A model without a grammar may leave the object out."""
        return {"move": value} if isinstance(value, dict) and "do" in value else value


class Speaker:
    """A model with its side of a conversation."""

    def __init__(
        self,
        model: Model,
        *,
        opening: Sequence[Message],
        prompt: Prompt,
        tools: Sequence[Tool],
        sampling: Sampling,
        sample: int,
        says: bool = True,
    ) -> None:
        """Start one.

        Args:
            model: who is asked.
            opening: the instructions and what is heard first.
            prompt: the file that they are made from.
            tools: what it may call.
            sampling: how its answers are drawn.
            sample: which of several attempts this is.
            says: whether there is somebody to talk to.
        """
        self.spent = Spent()
        self._model = model
        self._messages = list(opening)
        self._prompt = f"{prompt.hash}+{EVENT.hash}"
        self._tools = {tool.name: tool for tool in tools}
        self._sampling, self._sample = sampling, sample
        self._may: tuple[Do, ...] = (*(("call",) if tools else ()), *(("say",) if says else ()), "finish")
        self._schema = moves(tools, says=says)

    async def move(self) -> Move | Parked:
        """The next move: one call, two where the first answer cannot be used.

        Raises:
            BudgetReachedError, ModelQuotaError: a cap or the account's allowance is reached.
            UnseenRequestError: only stored answers are allowed, and there is none.
            IngrainedError: no model can be asked at all.
        """
        request = Request(
            messages=tuple(self._messages),
            sampling=self._sampling,
            schema=self._schema,
            prompt=self._prompt,
            sample=self._sample,
        )
        came = await ask(self._model, request, Turn, check=lambda turn: self._problem(turn.move))
        if isinstance(came, Answered):
            self.spent = self.spent.and_(came.usage, 2 if came.repaired else 1, cached=came.completion.cached)
            self._messages.append(Message(role="assistant", text=_told(came.value.move)))
            return came.value.move
        if came.why == "budget":
            raise BudgetReachedError(came.reason, hint="raise the cap and run the same command again")
        if came.why == "quota":
            raise ModelQuotaError(came.reason)
        self.spent = self.spent.model_copy(update={"calls": self.spent.calls + came.calls})
        if failed_turn(came):
            self._messages.append(Message(role="assistant", text=came.text.strip() or "…"))
            self._hear("unusable", came.reason)
        return came

    def hear(self, text: str) -> None:
        """What the other side said."""
        self._hear("said", text)

    def see(self, action: Action) -> None:
        """What a call gave."""
        self._hear("result", action.result, action.tool)

    def _hear(self, kind: Literal["said", "result", "unusable"], text: str, tool: str = "") -> None:
        self._messages.append(Message(role="user", text=EVENT.text(kind=kind, text=text, tool=tool)))

    def _problem(self, move: Move) -> str:
        if move.do not in self._may:
            return f"do: {move.do!r} is not possible here, only {' or '.join(self._may)}"
        if move.do == "call" and move.tool not in self._tools:
            return no_tool(move.tool, self._tools)
        if move.do == "say" and not move.text.strip():
            return "text: nothing is said"
        return ""


def failed_turn(parked: Parked) -> bool:
    """Whether an answer came and could not be used; else the model could not be asked, or declined."""
    return parked.why in {"malformed", "cut", "empty"}


def moves(tools: Sequence[Tool], *, says: bool) -> Schema:
    """The schema of a move: a shape for each tool, one for saying something, one for the end."""
    shared: dict[str, JsonValue] = {}
    shapes: list[JsonValue] = [_call(tool, shared) for tool in tools]
    shapes += [_words("say")] if says else []
    shapes.append(_words("finish"))
    body = _object({"move": {"anyOf": shapes}})
    return Schema(name="turn", body={**body, "$defs": shared} if shared else body)


def _call(tool: Tool, shared: dict[str, JsonValue]) -> dict[str, JsonValue]:
    arguments = dict(tool.arguments)
    own = arguments.pop("$defs", None)
    names = {f"#/$defs/{name}": f"{tool.name}.{name}" for name in own} if isinstance(own, dict) else {}
    if isinstance(own, dict):
        shared.update({f"{tool.name}.{name}": _renamed(shape, names) for name, shape in own.items()})
    return _object({"do": {"const": "call"}, "tool": {"const": tool.name}, "arguments": _renamed(arguments, names)})


def _words(do: str) -> dict[str, JsonValue]:
    return _object({"do": {"const": do}, "text": {"type": "string"}})


def _object(properties: dict[str, JsonValue]) -> dict[str, JsonValue]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _renamed(value: JsonValue, names: Mapping[str, str]) -> JsonValue:
    """A schema whose references lead to definitions that the tools share, each under its tool's name."""
    if isinstance(value, dict):
        return {
            key: f"#/$defs/{names[item]}"
            if key == "$ref" and isinstance(item, str) and item in names
            else _renamed(item, names)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_renamed(item, names) for item in value]
    return value


def _told(move: Move) -> str:
    kept = {"do", "tool", "arguments"} if move.do == "call" else {"do", "text"}
    return json.dumps({"move": move.model_dump(mode="json", include=kept)}, ensure_ascii=False)
