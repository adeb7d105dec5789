"""Which parts of an attack a text holds, sentence by sentence: who is meant, what is done to what, to which end. Pure.

The decision to know: an attack in new words is still made of old parts (somebody who scores, a claim, a check, an act
on it, "whether or not"), so classes of words are matched and not sentences. The classes (`parts.toml`) are English;
words count by their stems. A part that its clause forbids is another part, with a minus behind it: "never skip a test"
shares nothing with "skip a test".
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import combinations, pairwise
from typing import Final

import snowballstemmer

from ingrained.embed.lexical import content

_TOKEN: Final = re.compile(r"<!--|\|\||__\w+__|[A-Za-z]+(?:'[A-Za-z]+)?|\d+|[.!?;:,\n()\"\u201c\u201d|#*<>{}\[\]`@/=]")
_ENDS: Final = frozenset(".!?\n")
_TURNS: Final = frozenset([*".!?\n;:,", "but"])
"""A negation ends here."""
_NEGATORS: Final = frozenset(
    "never not don't dont avoid no without nor neither doesn't cannot can't mustn't shouldn't won't isn't none nothing "  # noqa: SIM905
    "stop instead rather".split()
)
_LOOSE: Final = re.compile(
    r"\b(?:needs? not|needn't|no need|(?:do|does) not have to|(?:don|doesn)'t (?:have|need) to|(?:do|does) not need to"
    r"|not (?:have|required|necessary|need|matter|worry|only|just)|(?:don|doesn)'t (?:matter|worry)|nothing new"
    r"|no exceptions?|no matter|no (?:further|deductions?|issues?|errors?|findings?|omissions?|mistakes?)|or not|nobody"
    r"|no one)\b",
    re.IGNORECASE,
)
"""A negation that forbids nothing."""
_GAP: Final = "\u2026"
_MOST_BETWEEN: Final = 4
_LONGEST: Final = 2000
"""Characters read of one text."""

_Entry = tuple[tuple[str, ...], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """What stands in one sentence."""

    parts: frozenset[str]
    """Names of `parts.toml`, with "-" behind those that are forbidden."""
    stems: frozenset[str]
    """Of words that say something."""
    pairs: frozenset[str]
    """Stems, numbers and marks that stand beside each other, as "one other"."""


def sentences(text: str) -> list[Sentence]:
    """The sentences of a text with their parts. Cost: well under a millisecond for a rule."""
    plain = text[:_LONGEST].replace("\u2019", "'")
    found = list(_TOKEN.finditer(plain))
    masked = [match.span() for match in _LOOSE.finditer(plain)]
    words = [match[0].lower() for match in found]
    stems = [_stem(word) for word in words]
    return [
        Sentence(
            parts=frozenset(
                _parts(begin, end, words, stems, [_negates(found[at], masked) for at in range(begin, end)])
            ),
            stems=frozenset(
                stem for word, stem in zip(words[begin:end], stems[begin:end], strict=True) if content(word)
            ),
            pairs=frozenset(f"{one} {other}" for one, other in pairwise(stems[begin:end])),
        )
        for begin, end in _bounds(found)
    ]


def features(text: str) -> frozenset[str]:
    """What a text is weighed by.

    `p:part`, `s:part&part` of one sentence in order of the alphabet, `w:stem`, and `b:stem stem` of neighbours.
    """
    found: set[str] = set()
    for one in sentences(text):
        found |= {f"p:{part}" for part in one.parts}
        found |= {f"s:{first}&{second}" for first, second in combinations(sorted(one.parts), 2)}
        found |= {f"w:{stem}" for stem in one.stems}
        found |= {f"b:{pair}" for pair in one.pairs}
    return frozenset(found)


def _bounds(found: list[re.Match[str]]) -> Iterator[tuple[int, int]]:
    """First word and end of each sentence; a point inside a name or a number ends none."""
    begin = 0
    for at, match in enumerate(found):
        inside = match[0] == "." and at + 1 < len(found) and found[at + 1].start() == match.end()
        if match[0] in _ENDS and not (inside and found[at + 1][0][0].isalnum()):
            if at > begin:
                yield begin, at
            begin = at + 1
    if begin < len(found):
        yield begin, len(found)


def _negates(match: re.Match[str], masked: list[tuple[int, int]]) -> bool:
    return match[0].lower() in _NEGATORS and not any(first <= match.start() < end for first, end in masked)


def _parts(begin: int, end: int, words: list[str], stems: list[str], negates: list[bool]) -> Iterator[str]:
    known = _entries()
    negated = False
    for at in range(begin, end):
        if words[at] in _TURNS:
            negated = False
        for entry, name in (*known.get(stems[at], ()), *known.get("=" + words[at], ())):
            if len(entry) == 1 or _goes_on(entry, at + 1, end, words, stems):
                yield name + ("-" if negated else "")
        negated = negated or negates[at - begin]


def _goes_on(entry: tuple[str, ...], at: int, end: int, words: list[str], stems: list[str]) -> bool:
    """Whether the rest of an entry follows from a place on."""
    between = 0
    for said in entry[1:]:
        if said == _GAP:
            between = _MOST_BETWEEN
            continue
        while at < end and not _is(said, words[at], stems[at]):
            if not between:
                return False
            between, at = between - 1, at + 1
        if at >= end:
            return False
        between, at = 0, at + 1
    return True


def _is(said: str, word: str, stem: str) -> bool:
    return said[1:] == word if said[0] == "=" and len(said) > 1 else said == stem


@lru_cache(maxsize=1)
def _entries() -> Mapping[str, tuple[_Entry, ...]]:
    """The entries of `parts.toml` by their first word."""
    read = tomllib.loads(files("ingrained.gate").joinpath("parts.toml").read_text(encoding="utf-8"))
    found: dict[str, set[_Entry]] = {}
    for parts in read.values():
        for name, said in parts.items():
            for phrase in said.replace("\n", " ").split(","):
                if entry := tuple(_as_entry(word) for word in re.findall(rf"{_GAP}|{_TOKEN.pattern}", phrase)):
                    found.setdefault(entry[0], set()).add((entry, name))
    return {first: tuple(sorted(entries)) for first, entries in found.items()}


def _as_entry(word: str) -> str:
    return "=" + word if word.isalpha() and word.endswith(("ed", "ing")) and len(word) > 4 else _stem(word)


@lru_cache(maxsize=1)
def _stemmer() -> object:
    return snowballstemmer.stemmer("english")


@lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    if not word[0].isalpha():
        return "0" if word.isdigit() else word
    said: str = _stemmer().stemWord(word.lower().removesuffix("'s"))  # type: ignore[attr-defined]
    return said
