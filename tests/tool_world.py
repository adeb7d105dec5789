"""A small invented world: orders that may be looked at and cancelled, and a lamp that the user has at home."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import JsonValue

from ingrained.errors import ConfigError
from ingrained.harness.base import By, Task
from ingrained.harness.world import CallFailedError, FunctionTool, Tool
from ingrained.ids import content_hash
from ingrained.model.base import Completion, Facts, Request, Usage

POLICY = "Cancel nothing that is sent."


class Orders:
    """Orders by number, each open, sent or cancelled."""

    policy = POLICY

    def __init__(self, orders: Mapping[str, str]) -> None:
        self.orders = dict(orders)
        self.lamp = False

    def tools(self, by: By) -> Sequence[Tool]:
        if by == "user":
            return [tool("switch", "Switch the lamp.", [], self._switch)]
        return [
            tool("look", "Look at an order.", ["order"], lambda said: self._at(said)),
            tool("cancel", "Cancel an order.", ["order"], self._cancel),
        ]

    def digest(self) -> str:
        return content_hash({"orders": self.orders, "lamp": self.lamp})

    def holds(self, claim: Mapping[str, JsonValue]) -> bool:
        if claim.get("func_name") != "lamp_is_on":
            raise ConfigError(f"no claim {claim!r}")
        return self.lamp

    def _switch(self, _said: Mapping[str, JsonValue]) -> str:
        self.lamp = not self.lamp
        return "on" if self.lamp else "off"

    def _at(self, said: Mapping[str, JsonValue]) -> str:
        number = str(said.get("order"))
        if number not in self.orders:
            raise CallFailedError(f"no order {number!r}")
        return self.orders[number]

    def _cancel(self, said: Mapping[str, JsonValue]) -> str:
        if self._at(said) != "open":
            raise CallFailedError("too late")
        self.orders[str(said["order"])] = "cancelled"
        return "cancelled"


def tool(
    name: str, description: str, arguments: list[str], function: Callable[[Mapping[str, JsonValue]], str]
) -> FunctionTool:
    shape: dict[str, Any] = {"type": "object", "properties": {one: {"type": "string"} for one in arguments}}
    return FunctionTool(name=name, description=description, arguments=shape, function=function)


def orders(task: Task) -> Orders:
    return Orders({str(key): str(value) for key, value in dict(task.known["orders"]).items()})  # type: ignore[arg-type]


def order_task(**changed: Any) -> Task:
    """A customer wants order 7 cancelled."""
    known = {
        "orders": {"7": "open", "8": "sent", "9": "open"},
        "basis": ["database"],
        "gold": [{"tool": "cancel", "arguments": {"order": "7"}}],
        **changed.pop("known", {}),
    }
    made = {"id": "o1", "benchmark": "invented", "request": "Serve the customer.", "world": "tool_world:orders"}
    return Task.model_validate({**made, "user": "You want order seven cancelled.", **changed, "known": known})


def call(name: str, **arguments: str) -> str:
    """Without the object around it, as a model without a grammar may write it."""
    return json.dumps({"do": "call", "tool": name, "arguments": arguments})


def say(text: str) -> str:
    return json.dumps({"move": {"do": "say", "text": text}})


def finish(text: str = "Done.") -> str:
    return json.dumps({"do": "finish", "text": text})


class Player:
    """A model that gives its answers in order, the last one again and again; an error is raised."""

    def __init__(self, *answers: str | Exception | Completion) -> None:
        self.facts = Facts(provider="fake", model="player")
        self.asked: list[Request] = []
        self._answers = answers

    async def complete(self, request: Request) -> Completion:
        answer = self._answers[min(len(self.asked), len(self._answers) - 1)]
        self.asked.append(request)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Completion):
            return answer
        return Completion(text=answer, usage=Usage(input_tokens=5, output_tokens=2))

    def read(self) -> str:
        """All that it was ever shown."""
        return "\n".join(message.text for request in self.asked for message in request.messages)

    async def aclose(self) -> None:
        """Nothing to give back."""
