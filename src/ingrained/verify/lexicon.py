"""The word tables of directives, compiled, and what they find in a statement.

`directives.toml` beside this file holds them: set phrases, signals (what a word asks for: use, drop, more, too many),
topics (what it is asked of) and words too weak to decide anything. A finding takes its characters, so that a word
counts once; phrases are read before topics, topics before signals, and among equals the longest match wins.
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

from ingrained.verify.expression import Feature
from ingrained.verify.target import Dimension, Topic

Signal: TypeAlias = Literal[
    "negate", "stop", "use", "mention", "drop", "unpack", "no", "excess", "deficit", "more", "less", "floor", "good",
    "praise", "bad", "back", "filler",
]  # fmt: skip
"""What a word asks of a topic. `back` points back to one, `filler` says nothing."""
Kind: TypeAlias = Literal["noun", "state", "change", "excess", "quantity", "term"]
"""`noun`: a thing of which there may be more. `state`: a property ("short"). `change`: an order in itself ("shorten").
`excess`: a property that nobody asks for ("rambling"). `quantity`: a noun of length unless it has a property of its own
("sentences"). `term`: a term of a target."""
Scope: TypeAlias = Literal[
    "open", "place", "condition", "hold", "reason", "agent", "modal", "person", "opinion", "treat", "english"
]  # fmt: skip
Noun: TypeAlias = Literal["whole", "object", "idea", "after", "part"]


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


class _Limit(_Table):
    number: tuple[str, ...]
    unit: tuple[str, ...]
    over: tuple[str, ...]
    under: tuple[str, ...]
    or_more: tuple[str, ...]
    or_fewer: tuple[str, ...]


class _Swap(_Table):
    pattern: str


class _Plain(_Table):
    words: tuple[str, ...]


class _Spelling(_Table):
    words: tuple[str, ...]
    slips: dict[str, str]


class _Tables(_Table):
    phrase: tuple[_Phrase, ...]
    signals: dict[Signal, tuple[str, ...]]
    scope: dict[Scope, tuple[str, ...]]
    limit: _Limit
    swap: tuple[_Swap, ...]
    spelling: _Spelling
    plain: _Plain
    noun: dict[Noun, tuple[str, ...]]
    core: dict[str, tuple[str, ...]]
    weak: dict[str, tuple[str, ...]]
    topic: tuple[_Topic, ...]


@lru_cache(maxsize=1)
def _tables() -> _Tables:
    text = files("ingrained.verify").joinpath("directives.toml").read_text("utf-8")
    return _Tables.model_validate(tomllib.loads(text))


def whole_words(words: Iterable[str]) -> re.Pattern[str]:
    """A pattern of alternatives that do not start or end within a word."""
    return re.compile(rf"(?<![\w'])(?<!non-)(?:{'|'.join(words)})(?!\w)")


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
        re.compile(rf"(?:(?!(?:than|as|twice|half|size|length)\b)[\w'-]+ ){{0,5}}?(?:{modal}|[\w']+(?:'d|'ll))\b"),
        re.compile(rf"(?:{lists['agent']})\b"),
        re.compile(rf"(?:{lists['person']})\b"),
    )


@lru_cache(maxsize=1)
def plain() -> frozenset[str]:
    """Words that turn nothing that stands beside them."""
    return frozenset(word for words in _tables().plain.words for word in words.split())


@lru_cache(maxsize=1)
def keywords() -> frozenset[str]:
    """Words that decide something, into which a mistyped one may be mended."""
    return frozenset(word for words in _tables().spelling.words for word in words.split())


@lru_cache(maxsize=1)
def slips() -> dict[str, str]:
    """Short words as people mistype or shorten them, with what they mean."""
    return _tables().spelling.slips


@lru_cache(maxsize=8)
def alternatives(*names: Noun) -> str:
    """The words of lists of nouns as one group of a pattern."""
    return f"(?:{'|'.join(word for name in names for word in _tables().noun[name])})"


@lru_cache(maxsize=32)
def weak(name: str) -> re.Pattern[str]:
    """Words that may be about a dimension or feature (its name; `anything`, `terms`) and decide nothing."""
    return whole_words(_tables().weak[name])


@lru_cache(maxsize=32)
def core(name: str) -> re.Pattern[str]:
    """Words that name a dimension or feature."""
    return whole_words(_tables().core[name])


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
        "deficit", "excess", "stop", "negate", "no", "floor", "less", "more", "bad", "good", "praise", "drop", "unpack",
        "mention", "use", "back", "filler",
    )  # fmt: skip
    return tuple((Event(start=0, end=0, signal=name), whole_words(_tables().signals[name])) for name in order)


def scan(text: str, found: Sequence[Event] = ()) -> list[Event]:
    """All findings of a folded statement, in its order; `found` (the terms) keep their place. Cost: a millisecond."""
    taken = list(found)
    rest = _masked(text, taken)
    for group in (_phrases(), _limits(), _topics(), _signals()):
        if group is _signals():
            rest = _unquoted(rest)
        fresh = _greedy(rest, group)
        fresh = [event for event in fresh if not _is_only_quoted(text, event)]
        rest = _masked(rest, fresh)
        taken += fresh
    return sorted(taken, key=lambda event: event.start)


@lru_cache(maxsize=1)
def _limits() -> tuple[tuple[Event, re.Pattern[str]], ...]:
    """Bounds of the length: "at least 200 words" asks for more, "under 200 words" for less."""
    limit = _tables().limit
    number, unit, over, under, more, fewer = (
        f"(?:{'|'.join(words)})"
        for words in (limit.number, limit.unit, limit.over, limit.under, limit.or_more, limit.or_fewer)
    )
    alone = (
        r"(?! (?!(?:please|if|in|for|or|at|each|per|every|next|when|and|this|total|overall|always|here|thanks)\b)\w)"
    )
    about = "(?: about| around| roughly)?"
    patterns = (
        (-1, rf"\b{under}{about} {number}(?:\s*(?:-|to|or)\s*{number})?(?: \w+)?? {unit}\b"),
        (1, rf"\b{over}{about} {number}(?: \w+)?? {unit}\b"),
        (-1, rf"\b{number}(?: \w+)?? {unit}(?: (?:per|in) \w+)?,? {fewer}\b"),
        (1, rf"\b(?:{number}\+ {unit}|{number}(?: \w+)?? {unit},? {more})\b"),
        (-1, rf"\b{under} {number}\b{alone}"),
        (1, rf"\b{over} {number}\b{alone}"),
    )
    length = Topic(dimension="length")
    return tuple(
        (Event(start=0, end=0, topic=length, sign=sign, kind="state"), re.compile(pattern))
        for sign, pattern in patterns
    )


@lru_cache(maxsize=1)
def swaps() -> tuple[re.Pattern[str], ...]:
    """Patterns of one thing for another, with the groups `not`, `out` and `in_`."""
    negated = (
        r"\b(?P<not>(?:do(?:es)? not|don't|doesn't|never|should not|shouldn't|must not|avoid|stop|no need to|not)"
        r"\s+(?:\w+\s+)?)?"
    )
    found: list[re.Pattern[str]] = []
    for swap in _tables().swap:
        first, last = sorted(("<out>", "<in>"), key=swap.pattern.index)
        names = {"<out>": "out", "<in>": "in_"}
        pattern = swap.pattern.replace(first, rf"(?P<{names[first]}>[^.;]{{1,60}}?)")
        pattern = pattern.replace(last, rf"(?P<{names[last]}>[^.;,]+)")
        found.append(re.compile(negated + pattern))
    return tuple(found)


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


def _is_only_quoted(text: str, event: Event) -> bool:
    """Whether a word of length stands in quotes: it is spoken of, not used."""
    if event.topic is None or event.topic.dimension != "length":
        return False
    return any(m.start() < event.start and event.end < m.end() for m in _QUOTED.finditer(text))


def _unquoted(text: str) -> str:
    return _QUOTED.sub(lambda match: "\0" * len(match.group()), text)
