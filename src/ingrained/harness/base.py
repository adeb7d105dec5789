"""The seam of workers: a task and a skill go in, a trace comes out.

Owns `Task`, `Trace` and the registry of harnesses. The decision to know: what the verifier knows of a task (`known`)
lies in the task but is never shown to a worker, and a harness that cannot finish still returns its trace, with a named
reason; it raises only where nobody can be asked at all. A worker is named `provider:name`, which is plain chat with
that model, or `harness=provider:name`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, Protocol, TypeVar

from pydantic import BaseModel, Field, JsonValue, ValidationError

from ingrained.errors import ConfigError
from ingrained.ids import content_hash
from ingrained.model.base import Model, Role, Sampling, Usage
from ingrained.registry import Registry
from ingrained.skill.rule import Frozen

Stop = Literal["answered", "turns", "failures", "cut", "refused", "parked"]
"""Done by its own word or the user's; out of turns; too many failures in a row; cut at the most tokens of an answer;
declined; no answer came."""
By = Literal["worker", "user"]


class Task(Frozen):
    """One thing to solve, with what its verifier knows of it."""

    version: int = 1
    id: str
    benchmark: str
    family: str = ""
    """Tasks of one family are about the same evidence; anchors are drawn from it."""
    request: str
    """What the worker is asked."""
    world: str = ""
    """Whose tools are at hand (`WORLDS`); empty for none."""
    user: str = ""
    """What a simulated user is told: who they are, what they want. No worker and no editor sees it."""
    known: dict[str, JsonValue] = Field(default_factory=dict)
    """For the verifier and the world alone: answers, tests, states, places of files. Neither a worker nor an editor nor
    a simulated user sees it."""

    @property
    def hash(self) -> str:
        """Of the whole task."""
        return content_hash(self.model_dump(mode="json"))


class Said(Frozen):
    """One message of a trace."""

    role: Role
    text: str


class Action(Frozen):
    """A tool that was called, and what it gave."""

    tool: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    result: str = ""
    failed: bool = False
    by: By = "worker"


class Spent(Frozen):
    """What an attempt took."""

    calls: int = 0
    """Answers, stored ones too."""
    cached: int = 0
    """Calls of these that had a stored answer."""
    input_tokens: int = 0
    output_tokens: int = 0

    def and_(self, usage: Usage, calls: int = 1, *, cached: bool = False) -> Spent:
        """The same with what further calls took together; `cached` where the last of them was a stored answer."""
        further = Spent(
            calls=calls, cached=int(cached), input_tokens=usage.input_tokens, output_tokens=usage.output_tokens
        )
        return self.with_(further)

    def with_(self, other: Spent) -> Spent:
        """Both together."""
        return Spent(
            calls=self.calls + other.calls,
            cached=self.cached + other.cached,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
        )


class Trace(Frozen):
    """One attempt at a task under a skill."""

    version: int = 1
    task: str
    """Its id."""
    worker: str
    """Harness and model."""
    skill: str
    """Content hash of the skill's text."""
    seed: int
    """Which of several attempts."""
    messages: tuple[Said, ...] = ()
    """What was said, without the skill and the task."""
    actions: tuple[Action, ...] = ()
    answer: str = ""
    """What the worker gave in the end."""
    stop: Stop
    reason: str = ""
    """Why it is not `answered`."""
    spent: Spent = Spent()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollout:
    """Which attempt is wanted."""

    task: Task
    skill: str
    """The Markdown that the worker follows; empty for none."""
    seed: int = 0


class Harness(Protocol):
    """Somebody who does tasks."""

    @property
    def name(self) -> str:
        """Harness and model, as a trace names them."""
        ...

    async def run(self, rollout: Rollout) -> Trace:
        """One attempt. It shares nothing with another one: no conversation, no files.

        Raises:
            UnseenRequestError: only stored answers are allowed, and one is missing.
            BudgetReachedError, ModelQuotaError: a cap or the account's allowance is reached; nothing is known of this
                attempt, and nothing more can be asked.
            IngrainedError: nobody can be asked at all.
        """
        ...


class HarnessMaker(Protocol):
    """Makes a harness over a model."""

    def __call__(self, model: Model, options: Mapping[str, JsonValue], /) -> Harness:
        """The harness; asks nothing yet."""
        ...


HARNESSES: Registry[HarnessMaker] = Registry(
    "ingrained.harnesses",
    {"chat": "ingrained.harness.chat:chat", "tools": "ingrained.harness.tools:tools"},
)

_NAMED = re.compile(r"(?P<harness>[A-Za-z_][\w-]*)=(?P<model>.+)", re.DOTALL)


def worker_of(reference: str) -> tuple[str, str]:
    """Harness and model reference of `harness=provider:name`; plain chat without the first part."""
    found = _NAMED.fullmatch(reference.strip())
    return (found["harness"], found["model"]) if found else ("chat", reference.strip())


class Drawing(Frozen):
    """Options of a harness that say how answers are drawn; what is left out is the harness's own."""

    temperature: float | None = Field(default=None, ge=0, le=10)
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: int | None = Field(default=None, ge=1)

    def over(self, otherwise: Sampling) -> Sampling:
        """The same over the harness's own."""
        given = self.model_dump(include=set(Drawing.model_fields), exclude_none=True)
        return replace(otherwise, **given)


S = TypeVar("S", bound=BaseModel)


def options_of(whose: str, shape: type[S], options: Mapping[str, JsonValue]) -> S:
    """The options of a worker or a verifier.

    Args:
        whose: as `worker 'chat'`, for the error.
        shape: what they have to be.
        options: as they were given.

    Raises:
        ConfigError: one is unknown or wrong; it is named.
    """
    try:
        return shape.model_validate(dict(options))
    except ValidationError as error:
        allowed = ", ".join(shape.model_fields)
        raise ConfigError(f"{whose}: option {first_wrong(error)}", hint=f"options: {allowed}") from error


def first_wrong(error: ValidationError) -> str:
    """The first field that is wrong, what it holds, and why it may not."""
    first = error.errors(include_url=False)[0]
    return f"{'.'.join(map(str, first['loc']))} {first['input']!r:.80}: {first['msg']}"
