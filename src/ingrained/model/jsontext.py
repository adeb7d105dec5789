"""The JSON value in an answer's text, also where the model wrapped it in a fence or in a sentence.

Repairs nothing: a value is taken as it stands or not at all. Of several values the last complete one counts, since
models that think aloud give their answer at the end.
"""

from __future__ import annotations

import json
from typing import Final

from pydantic import JsonValue

MOST_CHARACTERS: Final = 400_000
"""A longer answer is not searched: no question of ours has one."""

_MOST_TRIES: Final = 200


class NoJsonError(ValueError):
    """There is no JSON value in the text; the message says why, for the model to read."""


def json_in(text: str) -> JsonValue:
    """The JSON object or array in `text`.

    Raises:
        NoJsonError: there is none, it is not finished, or the text is longer than `MOST_CHARACTERS`.
    """
    stripped = text.strip().removeprefix("\ufeff")
    if not stripped:
        raise NoJsonError("the answer is empty")
    if len(stripped) > MOST_CHARACTERS:
        raise NoJsonError(f"the answer has {len(stripped)} characters, more than {MOST_CHARACTERS}")
    try:
        return _strict(stripped)
    except ValueError as error:
        problem = str(error)
    found = _last_value(stripped)
    if found is None:
        raise NoJsonError(f"the answer is no JSON: {problem}")
    return found[0]


def _refuse_constant(name: str) -> JsonValue:
    raise ValueError(f"{name} is no JSON")


def _strict(text: str) -> JsonValue:
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _last_value(text: str) -> tuple[JsonValue] | None:
    decoder = json.JSONDecoder(parse_constant=_refuse_constant)
    found: tuple[JsonValue] | None = None
    at = 0
    for _ in range(_MOST_TRIES):
        at = _next_open(text, at)
        if at < 0:
            break
        try:
            value, at = decoder.raw_decode(text, at)
            found = (value,)
        except (ValueError, RecursionError):
            # An unfinished value hides those inside it: none of them is the answer.
            if not _closed(text, at):
                return found
            at += 1
    return found


def _next_open(text: str, start: int) -> int:
    places = [place for mark in "{[" if (place := text.find(mark, start)) >= 0]
    return min(places, default=-1)


def _closed(text: str, start: int) -> bool:
    """Whether the bracket at `start` has a partner behind it."""
    return text.rfind("}" if text[start] == "{" else "]") > start
