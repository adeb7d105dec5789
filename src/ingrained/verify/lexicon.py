"""The word tables of directives, compiled, and what they find in a statement.

`directives.toml` beside this file holds them: set phrases, signals (what a word asks for: use, drop, more, too many),
topics (what it is asked of) and words too weak to decide anything. A finding takes its characters, so that a word counts
once; phrases are read before topics, topics before signals, and among equals the longest match wins.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from ingrained.verify.target import Dimension, Feature, Topic

Signal: TypeAlias = Literal[
    "negate", "stop", "use", "mention", "drop", "unpack", "no", "excess", "deficit", "more", "less", "floor", "good",
    "bad", "back", "filler",
]  # fmt: skip
"""What a word asks of a topic. `back` points back to one, `filler` says nothing."""
Kind: TypeAlias = Literal["noun", "state", "change", "excess", "quantity", "term"]
"""`noun`: a thing of which there may be more. `state`: a property ("short"). `change`: an order in itself ("shorten").
`excess`: a property that nobody asks for ("rambling"). `quantity`: a noun of length unless it has a property of its own
("sentences"). `term`: a term of a target."""
Scope: TypeAlias = Literal["condition", "hold", "reason", "agent", "modal", "person", "opinion"]

NUMBER = r"(?:\d[\d,.]*|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|fifty|a hundred|one hundred|two hundred|a dozen)"
UNIT = r"(?:words?|characters?|chars?|lines?|paragraphs?|pages?|sentences?|letters|tokens|screens?)"
_OVER = (
    r"(?:at least|no fewer than|no less than|not fewer than|not less than|a minimum of|minimum(?: of)?|more than|longer than|"
    r"over|above|upwards of|beyond|past|exceed(?:s|ing)?|north of)"
)
_UNDER = (
    r"(?:at (?:the )?most|no more than|not more than|no longer than|under|below|fewer than|less than|shorter than|within|"
    r"up to|(?:a )?max(?:imum)?(?: of)?|cap(?:ped)?(?: it| this| the \w+| everything)? (?:at|to)|limit(?:ed)?(?: it| this| the \w+| yourself| everything)? to|"
    r"keep (?:it |this |them |everything |the \w+ )?(?:down )?to|down to|stop at|fits? (?:in|into|on)|stick(?:ing)? (?:to|with)|around or under)"
)
LIMITS: tuple[tuple[int, re.Pattern[str]], ...] = (
    (-1, re.compile(rf"\b{_UNDER}(?: about| around| roughly)? {NUMBER}(?:\s*(?:-|to|or)\s*{NUMBER})?(?: \w+)?? {UNIT}\b")),
    (1, re.compile(rf"\b{_OVER}(?: about| around| roughly)? {NUMBER}(?: \w+)?? {UNIT}\b")),
    (-1, re.compile(rf"\b{NUMBER}(?: \w+)?? {UNIT}(?: (?:per|in) \w+)?,? (?:or (?:fewer|less|under)|max(?:imum)?|at (?:the )?most|tops|is the (?:limit|max(?:imum)?)|are the (?:limit|max(?:imum)?)|limit)\b")),
    (1, re.compile(rf"\b(?:{NUMBER}\+ {UNIT}|{NUMBER} {UNIT},? (?:or more|minimum|min|at (?:the )?least|and up|upwards))")),
    (-1, re.compile(rf"\b{_UNDER} {NUMBER}\b(?! \w+s\b)")),
    (1, re.compile(rf"\b{_OVER} {NUMBER}\b(?! \w+s\b)")),
)  # fmt: skip
"""Bounds of the length with the sign of what they ask for: "at least 200 words" is 1, "under 200 words" is -1."""
BARE_NUMBER = re.compile(rf"\b{NUMBER}(?:\s*(?:-|to|or)\s*{NUMBER})? {UNIT}\b")
"""A number of words without a bound: whether that is more or less depends on the draft."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A finding: `[start, end)` in the statement, and either what a word asks for or what it is asked of."""

    start: int
    end: int
    signal: Signal | None = None
    topic: Topic | None = None
    sign: int = 1
    """Of a topic: 1 where having more of the word is having more of the topic, -1 for its opposite."""
    kind: Kind = "noun"


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class _Phrase(_Table):
    means: Literal["", "use", "drop", "short", "long"]
    words: tuple[str, ...]


class _Topic(_Table):
    dimension: Dimension
    feature: Feature | None = None
    sign: Literal[-1, 1]
    kind: Kind
    words: tuple[str, ...]


class _Tables(_Table):
    phrase: tuple[_Phrase, ...]
    signals: dict[Signal, tuple[str, ...]]
    scope: dict[Scope, tuple[str, ...]]
    weak: dict[str, tuple[str, ...]]
    topic: tuple[_Topic, ...]


@lru_cache(maxsize=1)
def _tables() -> _Tables:
    text = files("ingrained.verify").joinpath("directives.toml").read_text("utf-8")
    return _Tables.model_validate(tomllib.loads(text))


def whole_words(words: Iterable[str]) -> re.Pattern[str]:
    """A pattern of alternatives that do not start or end within a word."""
    return re.compile(rf"(?<![\w'])(?:{'|'.join(words)})(?!\w)")


@lru_cache(maxsize=32)
def scope(name: Scope) -> re.Pattern[str]:
    """The pattern of one list that says what a clause is."""
    return whole_words(_tables().scope[name])


@lru_cache(maxsize=1)
def subjects() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Starts of a clause: an opinion or politeness to strip, the draft with a modal, the draft as it is, the person."""
    lists = {name: "|".join(words) for name, words in _tables().scope.items()}
    modal = rf"(?:{lists['modal']})"
    return (
        re.compile(rf"\W*(?:{lists['opinion']})\s*"),
        re.compile(rf"(?:(?!(?:than|as)\b)[\w'-]+ ){{0,5}}?(?:{modal}|[\w']+(?:'d|'ll))\b"),
        re.compile(rf"(?:{lists['agent']})\b"),
        re.compile(rf"(?:{lists['person']})\b"),
    )


@lru_cache(maxsize=32)
def weak(name: str) -> re.Pattern[str]:
    """Words that may be about a dimension or feature (its name; `anything`, `terms`) and decide nothing."""
    return whole_words(_tables().weak[name])


@lru_cache(maxsize=1)
def _phrases() -> tuple[tuple[Event, re.Pattern[str]], ...]:
    length = Topic(dimension="length")
    means: dict[str, Event] = {
        "": Event(start=0, end=0, signal="filler"),
        "use": Event(start=0, end=0, signal="use"),
        "drop": Event(start=0, end=0, signal="no"),
        "short": Event(start=0, end=0, topic=length, sign=-1, kind="state"),
        "long": Event(start=0, end=0, topic=length, sign=1, kind="state"),
    }
    return tuple((means[phrase.means], whole_words(phrase.words)) for phrase in _tables().phrase)


@lru_cache(maxsize=1)
def _topics() -> tuple[tuple[Event, re.Pattern[str]], ...]:
    return tuple(
        (
            Event(
                start=0,
                end=0,
                topic=Topic(dimension=one.dimension, feature=one.feature),
                sign=one.sign,
                kind=one.kind,
            ),
            whole_words(one.words),
        )
        for one in _tables().topic
    )


@lru_cache(maxsize=1)
def _signals() -> tuple[tuple[Event, re.Pattern[str]], ...]:
    order: Sequence[Signal] = (
        "deficit", "excess", "stop", "negate", "no", "floor", "less", "more", "bad", "good", "drop", "unpack", "mention",
        "use", "back", "filler",
    )  # fmt: skip
    return tuple((Event(start=0, end=0, signal=name), whole_words(_tables().signals[name])) for name in order)


def scan(text: str, found: Sequence[Event] = ()) -> list[Event]:
    """All findings of a folded statement, in its order; `found` (the terms) keep their characters. Cost: a millisecond."""
    taken = list(found)
    rest = _masked(text, taken)
    for group in (_phrases(), _limits(), _topics(), _signals()):
        if group is not _phrases():
            rest = _unquoted(rest) if group is _signals() else rest
        fresh = _greedy(rest, group)
        rest = _masked(rest, fresh)
        taken += fresh
    return sorted(taken, key=lambda event: event.start)


def _limits() -> tuple[tuple[Event, re.Pattern[str]], ...]:
    length = Topic(dimension="length")
    return tuple(
        (Event(start=0, end=0, topic=length, sign=sign, kind="state"), pattern) for sign, pattern in LIMITS
    )


def _greedy(text: str, group: Iterable[tuple[Event, re.Pattern[str]]]) -> list[Event]:
    """Matches that do not overlap, the longest first."""
    matches = [
        (match.start() - match.end(), order, match.start(), like)
        for order, (like, pattern) in enumerate(group)
        for match in pattern.finditer(text)
        if match.end() > match.start()
    ]
    free = [True] * len(text)
    chosen: list[Event] = []
    for minus_size, _, start, like in sorted(matches, key=lambda m: m[:3]):
        end = start - minus_size
        if all(free[start:end]):
            free[start:end] = [False] * (end - start)
            chosen.append(
                Event(start=start, end=end, signal=like.signal, topic=like.topic, sign=like.sign, kind=like.kind)
            )
    return chosen


def _masked(text: str, events: Iterable[Event]) -> str:
    """The text with the characters of findings put out of reach of further patterns, at the same length."""
    chars = list(text)
    for event in events:
        chars[event.start : event.end] = "\0" * (event.end - event.start)
    return "".join(chars)


_QUOTED = re.compile(r"\"[^\"]*\"|(?<![\w\0])'[^']+(?:'\w[^']*)*'(?![\w\0])")


def _unquoted(text: str) -> str:
    return _QUOTED.sub(lambda match: "\0" * len(match.group()), text)
