"""Worlds: the tools of a task and the state that they change.

Owns the Protocols of both and the registry. The decision to know: a world is made anew from its task for each attempt
and each check, and calling a tool never raises: a call that fails is an action like any other, told to whoever called.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pydantic import JsonValue

from ingrained.errors import ConfigError
from ingrained.harness.base import Action, By, Task
from ingrained.registry import Registry, nearest


class CallFailedError(Exception):
    """A tool refused a call; the message is for whoever called it."""


class Tool(Protocol):
    """Something that can be called by name."""

    @property
    def name(self) -> str:
        """Unique among the tools of one caller."""
        ...

    @property
    def description(self) -> str:
        """What it does, for the caller to read."""
        ...

    @property
    def arguments(self) -> Mapping[str, JsonValue]:
        """JSON schema of the object that it is called with."""
        ...

    def call(self, arguments: Mapping[str, JsonValue]) -> str:
        """What it gives.

        Raises:
            CallFailedError: wrong arguments, or it cannot be done in this state.
        """
        ...


class World(Protocol):
    """The tools of a task, and the state behind them."""

    @property
    def policy(self) -> str:
        """What the worker has to keep to; Markdown, maybe empty."""
        ...

    def tools(self, by: By) -> Sequence[Tool]:
        """Those that the worker, or the user, may call."""
        ...

    def digest(self) -> str:
        """Hash of the whole state: the same for the same state, however it came about."""
        ...

    def holds(self, claim: Mapping[str, JsonValue]) -> bool:
        """Whether a claim of the task is true of the state as it is.

        Raises:
            ConfigError: the world knows no such claim.
        """
        ...


class WorldMaker(Protocol):
    """Makes the world of a task, in the state in which the task begins."""

    def __call__(self, task: Task, /) -> World:
        """The world.

        Raises:
            ConfigError: the task is none of this world's.
            MissingExtraError: it needs a package that is not installed.
        """
        ...


WORLDS: Registry[WorldMaker] = Registry("ingrained.worlds", {"tau2": "ingrained.harness.tau2:tau2_world"})


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionTool:
    """A tool that is a function."""

    name: str
    description: str
    arguments: Mapping[str, JsonValue]
    function: Callable[[Mapping[str, JsonValue]], str]

    def call(self, arguments: Mapping[str, JsonValue]) -> str:
        """What the function gives; it raises `CallFailedError` itself."""
        return self.function(arguments)


def world_of(task: Task) -> World:
    """A new world for a task.

    Raises:
        ConfigError: the task has none.
    """
    if not task.world:
        raise ConfigError(
            f"task {task.id!r} has no tools",
            hint="plain chat does it: name the worker without `tools=`",
        )
    return WORLDS.load(task.world)(task)


def use(world: World, tool: str, arguments: Mapping[str, JsonValue], by: By = "worker") -> Action:
    """Call a tool; a name that the caller does not have is a failed call that says which there are."""
    tools = {one.name: one for one in world.tools(by)}
    found = tools.get(tool)
    try:
        if found is None:
            raise CallFailedError(no_tool(tool, tools))
        result, failed = found.call(arguments), False
    except CallFailedError as error:
        result, failed = f"Error: {error}", True
    return Action(tool=tool, arguments=dict(arguments), result=result, failed=failed, by=by)


def no_tool(name: str, tools: Mapping[str, Tool]) -> str:
    """That there is no such tool, in words for the caller."""
    return f"no tool called {name!r}; there are: {', '.join(tools) or 'none'}{nearest(name, list(tools))}"
