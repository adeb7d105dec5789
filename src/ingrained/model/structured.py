"""Answers of a shape: asked for by JSON schema, checked, repaired by asking once more, then parked with a reason.

A parked question is a value, not a crash: its answer was unusable twice, was declined, or never came. In a batch it
stays beside the good ones, counted. Where `Parked.stops` the next question would meet the same end (no money left, no
quota), and the batch is over.

An answer that is JSON inside a fence or a sentence is taken as it stands, without a second call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Generic, Literal, TypeVar

import anyio
from pydantic import BaseModel, ValidationError

from ingrained.errors import (
    BudgetReachedError,
    IngrainedError,
    ModelError,
    ModelMalformedError,
    ModelQuotaError,
    ModelRateError,
    ModelRefusedError,
    UnseenRequestError,
)
from ingrained.model.base import Completion, Message, Model, Request, Schema, Usage
from ingrained.model.jsontext import NoJsonError, json_in
from ingrained.model.prompt import Prompt
from ingrained.wording import plural

T = TypeVar("T", bound=BaseModel)

Why = Literal["malformed", "cut", "empty", "refused", "rate", "quota", "budget", "failed"]
"""Not of the shape; ended at `max_tokens`; no text; declined; too fast; no quota; a cap of ours; no answer came."""

REPAIR: Final = Prompt.load("ingrained.model", "repair")
_MOST_QUOTED: Final = 6_000
_MOST_PROBLEMS: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered(Generic[T]):
    """An answer of the shape that was asked for."""

    value: T
    completion: Completion
    """The one that the value stands in: the second one where `repaired`."""
    usage: Usage
    """Of all calls together."""
    repaired: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Parked:
    """A question without a usable answer, and why."""

    why: Why
    reason: str
    """For a person to read."""
    text: str = ""
    """What the model said last; empty where nothing came."""
    calls: int = 0
    """Answers that came."""

    @property
    def came(self) -> bool:
        """Whether the model said something, which is of no use; else nothing came."""
        return self.why in {"malformed", "cut", "empty", "refused"}

    @property
    def stops(self) -> bool:
        """Whether the next question would meet the same end."""
        return self.why in {"quota", "budget"}


class _UnusableError(Exception):
    """An answer that is not what was asked for."""

    def __init__(self, why: Why, problem: str) -> None:
        super().__init__(problem)
        self.why: Why = why
        self.problem = problem


def schema_of(shape: type[BaseModel]) -> Schema:
    """The schema of a shape, under its name."""
    return Schema(name=shape.__name__.strip("_").lower(), body=shape.model_json_schema())


async def ask(
    model: Model, request: Request, shape: type[T], *, check: Callable[[T], str] | None = None
) -> Answered[T] | Parked:
    """Ask for a value of a shape; one call, two where the first answer cannot be used.

    Args:
        model: who is asked.
        request: the question; its schema is that of `shape` where it has none.
        shape: what the answer has to be.
        check: what the shape alone cannot say (that a quote exists…): the problem in words for the model, "" for none.

    Raises:
        UnseenRequestError: only stored answers are allowed, and there is none.
        IngrainedError: no model can be asked at all (no key, an extra is missing, the store failed).
    """
    first = replace(request, schema=request.schema or schema_of(shape))
    second: Request | None = None
    said: list[Completion] = []
    try:
        while True:
            answer = await model.complete(second or first)
            said.append(answer)
            try:
                value = _value(answer, shape, check)
            except _UnusableError as problem:
                if second is not None or problem.why == "refused":
                    return Parked(why=problem.why, reason=problem.problem, text=answer.text, calls=len(said))
                second = again(first, answer, problem.problem)
                continue
            usage = said[0].usage if len(said) == 1 else said[0].usage + answer.usage
            return Answered(value=value, completion=answer, usage=usage, repaired=second is not None)
    except (ModelError, BudgetReachedError) as error:
        return parked_by(error, said)


def parked_by(error: ModelError | BudgetReachedError, said: Sequence[Completion] = ()) -> Parked:
    """A question that ended with an error, after some answers.

    Raises:
        UnseenRequestError: it is one; a test that replays must not go on.
    """
    if isinstance(error, UnseenRequestError):
        raise error
    return Parked(why=_why(error), reason=error.message, text=said[-1].text if said else "", calls=len(said))


async def ask_each(
    model: Model,
    requests: Sequence[Request],
    shape: type[T],
    *,
    check: Callable[[T], str] | None = None,
    told: Callable[[int], None] = lambda _: None,
) -> list[Answered[T] | Parked]:
    """`ask` for each request, as many at once as the model has slots; the outcomes in the order of the requests.

    `check` is the same for all; `told` is called after each outcome with how many there are. Once one is parked for
    good (`Parked.stops`), the rest is parked unsent.

    Raises:
        UnseenRequestError, IngrainedError: as `ask` says, the first one; nothing more is asked.
    """
    came: dict[int, Answered[T] | Parked] = {}
    failed: list[IngrainedError] = []

    async def one(place: int) -> None:
        try:
            came[place] = await ask(model, requests[place], shape, check=check)
            told(len(came))
        except IngrainedError as error:  # the group would wrap it
            failed.append(error)
            group.cancel_scope.cancel()

    async with anyio.create_task_group() as group:
        for place in range(len(requests)):
            group.start_soon(one, place)
    if failed:
        raise failed[0]
    return [came[place] for place in range(len(requests))]


def again(request: Request, answer: Completion, problem: str) -> Request:
    """The request that asks once more: the same conversation, the answer, and what is wrong with it."""
    quoted = (Message(role="assistant", text=answer.text[:_MOST_QUOTED]),) if answer.text.strip() else ()
    told = Message(role="user", text=REPAIR.text(problem=problem))
    return replace(request, messages=(*request.messages, *quoted, told), prompt=f"{request.prompt}+{REPAIR.hash}")


def text_of(answer: Completion) -> str:
    """The text of an answer to a request without a schema.

    Raises:
        ModelRefusedError: the model declined.
        ModelMalformedError: there is no text.
    """
    if answer.finish == "refused":
        raise ModelRefusedError(
            f"the model declined to answer: {answer.text[:200]!r}", hint="word the request otherwise"
        )
    if not answer.text.strip():
        raise ModelMalformedError("the model's answer is empty", hint="run the same command again")
    return answer.text


def _value(answer: Completion, shape: type[T], check: Callable[[T], str] | None) -> T:
    if answer.finish == "refused":
        raise _UnusableError("refused", f"the model declined to answer: {answer.text[:200]!r}")
    if not answer.text.strip():
        # Models that think first may spend all they may write on it.
        raise _UnusableError("cut" if answer.finish == "length" else "empty", "the answer is empty")
    try:
        value = shape.model_validate(json_in(answer.text))
    except (NoJsonError, ValidationError) as error:
        problem = _told(error) if isinstance(error, ValidationError) else str(error)
        if answer.finish == "length":
            wrote = answer.usage.output_tokens
            raise _UnusableError(
                "cut", f"the answer was cut off after {plural(wrote, 'token')}; a shorter one is needed"
            ) from error
        raise _UnusableError("malformed", problem) from error
    problem = check(value) if check is not None else ""
    if problem:
        raise _UnusableError("malformed", problem)
    return value


def _told(error: ValidationError) -> str:
    found = [f"{'.'.join(str(part) for part in one['loc']) or 'the value'}: {one['msg']}" for one in error.errors()]
    rest = len(found) - _MOST_PROBLEMS
    return "; ".join(found[:_MOST_PROBLEMS]) + (f"; and {rest} more" if rest > 0 else "")


def _why(error: ModelError | BudgetReachedError) -> Why:
    kinds: tuple[tuple[type[Exception], Why], ...] = (
        (BudgetReachedError, "budget"),
        (ModelQuotaError, "quota"),
        (ModelRateError, "rate"),
        (ModelRefusedError, "refused"),
        (ModelMalformedError, "malformed"),
    )
    return next((why for kind, why in kinds if isinstance(error, kind)), "failed")
