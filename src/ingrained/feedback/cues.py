"""The cue tables: what in a clause speaks for feedback, and what for a rule that transfers.

`cues.toml` beside this file holds them. A cue counts once per clause. It matches where one of its `words` stands as a
whole word or one of its `patterns` matches and, if given, one of its `with` words too or (`directed`) a directive such
as "always", "make sure" or a leading imperative. The points of the feedback table were set by a ridge logistic
regression on the training turns, doubled and rounded, and by hand for explicit words that are too rare there; those of
the transfer table were set by hand with the same turns in view (docs/results.md says which).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

FEEDBACK_POINTS = 1
"""A clause with so many points, or a turn whose words together have so many, is feedback."""
TRANSFER_POINTS = 4
"""A feedback clause with so many transfer points is a rule that transfers."""

EXPLICIT_POINTS = 6
"""What the words of a standing rule give in the transfer table; a plain question with such a word states none."""

IN_A_LANGUAGE = (
    r"(?:in|en|auf|em) (?:english|spanish|german|french|italian|portuguese|espa[nñ]ol|ingl[eéê]s|deutsch|englisch|"
    r"fran[cç]ais|anglais|portugu[eê]s)"
)
"""Stands for `<in a language>` in the file."""

Table = Literal["feedback", "transfer"]
Marker = Literal["explicit", "one_off", "directive", "insists", "statement"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cue:
    """One cue: its points and the phrase that tells a reader why."""

    name: str
    points: int
    phrase: str
    patterns: tuple[re.Pattern[str], ...]
    """All must be found."""

    def __call__(self, clause: str) -> bool:
        """Whether the clause shows the cue."""
        return all(pattern.search(clause) for pattern in self.patterns)


class _List(BaseModel):
    """A list of the file: whole words, free patterns, or both."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    words: tuple[str, ...] = ()
    patterns: tuple[str, ...] = ()

    def compiled(self) -> re.Pattern[str]:
        return _any(self.words, self.patterns)


class _Entry(_List):
    """A cue as the file has it."""

    name: str
    points: int
    phrase: str
    same_as: Marker | None = None
    with_: tuple[str, ...] = Field(default=(), alias="with")
    directed: bool = False


class _Tables(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    explicit: _List
    one_off: _List
    directive: _List
    insists: _List
    statement: _List
    feedback: tuple[_Entry, ...]
    transfer: tuple[_Entry, ...]


@lru_cache(maxsize=1)
def _tables() -> _Tables:
    return _Tables.model_validate(tomllib.loads(files("ingrained.feedback").joinpath("cues.toml").read_text("utf-8")))


def _any(words: Sequence[str], patterns: Sequence[str] = ()) -> re.Pattern[str]:
    parts = [rf"\b(?:{'|'.join(words)})\b"] if words else []
    whole = "|".join([*parts, *patterns]).replace("<in a language>", IN_A_LANGUAGE)
    return re.compile(whole, re.IGNORECASE | re.DOTALL)


@lru_cache(maxsize=8)
def marker(name: Marker) -> re.Pattern[str]:
    """The pattern of one of the marker lists, compiled."""
    marked: _List = getattr(_tables(), name)
    return marked.compiled()


@lru_cache(maxsize=4)
def cues(table: Table) -> tuple[Cue, ...]:
    """The cues of one table, compiled."""
    return tuple(_cue(entry) for entry in (_tables().feedback if table == "feedback" else _tables().transfer))


def _cue(entry: _Entry) -> Cue:
    patterns = [marker(entry.same_as) if entry.same_as else entry.compiled()]
    if entry.with_:
        patterns.append(_any(entry.with_))
    if entry.directed:
        patterns.append(marker("directive"))
    return Cue(name=entry.name, points=entry.points, phrase=entry.phrase, patterns=tuple(patterns))
