"""`scripted:`: answers from a file or a function, for tests, demonstrations and dry runs; free.

`scripted:FILE` reads JSON lines, each with an `answer` (a text, or a JSON value that becomes its text) and, where it is
not for any request, a `when`: words that the conversation has to contain (all of them, case ignored) or, with `regex`
true, one pattern. A line with a `when` serves every request that it fits, the first such line wins; lines without one
are given out once each, in order, to requests that no `when` fits. A line may also carry `finish` (`length`, `refused`)
or an `error` (`rate`, `quota`, `refused`, `malformed`, `down`) instead of an answer.

`scripted:package.module:function` calls the function with the request; it returns a text, a JSON value or a
`Completion`, or awaits one. Identity, for stored answers: the file's content, or the function's source.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Final, Literal, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, model_validator

from ingrained.errors import (
    ConfigError,
    IngrainedError,
    ModelError,
    ModelMalformedError,
    ModelQuotaError,
    ModelRateError,
    ModelRefusedError,
)
from ingrained.ids import bytes_hash
from ingrained.model.base import Completion, Facts, Finish, Model, Request, Settings
from ingrained.model.wire import estimated, parsed

SLOTS: Final = 16

_SHOWN: Final = 600
"""Characters of a request in an error: what is wrong with an answer comes late in the request that says so."""
_FUNCTION: Final = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")
_ERRORS: Final[dict[str, type[ModelError]]] = {
    "rate": ModelRateError,
    "quota": ModelQuotaError,
    "refused": ModelRefusedError,
    "malformed": ModelMalformedError,
    "down": ModelError,
}


class Line(BaseModel):
    """One line of a script."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    when: str | tuple[str, ...] | None = None
    regex: bool = False
    answer: JsonValue = None
    finish: Finish = "stop"
    error: Literal["", "rate", "quota", "refused", "malformed", "down"] = ""
    note: str = Field(default="", description="For whoever reads the script.")

    @property
    def words(self) -> tuple[str, ...]:
        """What the conversation has to contain."""
        return (self.when,) if isinstance(self.when, str) else self.when or ()

    @model_validator(mode="after")
    def _patterns(self) -> Line:
        for word in self.words if self.regex else ():
            try:
                re.compile(word)
            except re.error as error:
                raise ValueError(f"{word!r} is no pattern: {error}") from error
        return self

    @model_validator(mode="after")
    def _says_something(self) -> Line:
        if not self.error and "answer" not in self.model_fields_set:
            raise ValueError("it has neither an answer nor an error")
        return self

    def fits(self, said: str) -> bool:
        """Whether the line is meant for a conversation."""
        if self.when is None:
            return False
        if self.regex:
            return all(re.search(word, said, re.IGNORECASE | re.DOTALL) for word in self.words)
        return all(word.casefold() in said.casefold() for word in self.words)


class ScriptedModel:
    """Gives out what a script says."""

    def __init__(self, answer: Callable[[Request], object], facts: Facts, name: str = "the script") -> None:
        self._answer = answer
        self._name = name
        self._facts = facts

    @property
    def facts(self) -> Facts:
        """What is known of it."""
        return self._facts

    async def complete(self, request: Request) -> Completion:
        """What the script says to the request.

        Raises:
            ModelError: the script says so, has no answer left, or its function raised something.
        """
        try:
            said = self._answer(request)
            if inspect.isawaitable(said):
                said = await said
            return said if isinstance(said, Completion) else _completion(cast("JsonValue", said), request)
        except IngrainedError:
            raise
        except Exception as error:  # somebody else's function may raise anything
            raise ModelError(
                f"{self._name} failed: {type(error).__name__}: {error}",
                hint="the function is called with the request alone and returns a text, a JSON value or a Completion",
            ) from error

    async def aclose(self) -> None:
        """Nothing to give back."""


def _completion(said: JsonValue, request: Request, finish: Finish = "stop") -> Completion:
    text = said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)
    usage = estimated(request, text)
    return Completion(text=text, parsed=parsed(text, request), usage=usage, finish=finish)


def scripted_model(name: str, settings: Settings) -> Model:
    """The model of `scripted:name`.

    Raises:
        ConfigError: there is no such file or function, or a line of the file is wrong.
    """
    if not name:
        raise ConfigError(
            "'scripted:' names no script", hint="scripted:FILE with JSON lines, or scripted:package.module:function"
        )
    if _FUNCTION.fullmatch(name) and not Path(name).exists():
        function = _function(name)
        identity = f"{name}@{bytes_hash(_source(function).encode())}"
        return ScriptedModel(function, _facts(identity, settings), f"scripted:{name}")
    path = Path(name).expanduser()
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(
            f"cannot read the script {name!r}: {error.strerror or error}",
            hint="scripted:FILE with JSON lines, or scripted:package.module:function",
        ) from error
    lines = list(_lines(data, name))
    return ScriptedModel(_from_lines(lines, name), _facts(bytes_hash(data), settings))


def _facts(identity: str, settings: Settings) -> Facts:
    return Facts(provider="scripted", model=identity, slots=settings.slots or SLOTS, free=True)


def _from_lines(lines: list[Line], name: str) -> Callable[[Request], Completion]:
    in_order = iter([line for line in lines if line.when is None])

    def answer(request: Request) -> Completion:
        said = "\n".join(message.text for message in request.messages)
        line = next((line for line in lines if line.fits(said)), None) or next(in_order, None)
        if line is None:
            shown = " ".join(request.messages[-1].text.split())[:_SHOWN] if request.messages else ""
            raise ModelError(
                f"the script {name!r} has no answer to {shown!r}",
                hint="add a line for it; a question that is put again, with what was wrong, takes a line of its own",
            )
        if line.error:
            raise _ERRORS[line.error](f"scripted:{name} was told to fail: {line.error}", hint="it is in the script")
        return _completion(line.answer, request, line.finish)

    return answer


def _lines(data: bytes, name: str) -> Iterator[Line]:
    for number, raw in enumerate(data.split(b"\n"), start=1):
        if not raw.strip():
            continue
        try:
            yield Line.model_validate_json(raw)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            raise ConfigError(
                f"{name}:{number}: no line of a script: {place + ': ' if place else ''}{first['msg']}",
                hint='{"when": "words of the request", "answer": "text or JSON"}',
            ) from error


def _function(name: str) -> Callable[[Request], object]:
    module, _, attr = name.partition(":")
    try:
        found = getattr(import_module(module), attr)
    except Exception as error:  # importing runs somebody else's module
        raise ConfigError(
            f"scripted:{name}: {type(error).__name__}: {error}",
            hint="scripted:FILE with JSON lines, or scripted:package.module:function",
        ) from error
    if not callable(found):
        raise ConfigError(f"scripted:{name}: {attr!r} is no function")
    return found


def _source(function: Callable[[Request], object]) -> str:
    """The source of the function's module: what it calls there is part of it."""
    try:
        return inspect.getsource(inspect.getmodule(function) or function)
    except (OSError, TypeError):
        return ""
