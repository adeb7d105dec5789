"""Edits that game the verifier instead of helping the worker: found in what an edit adds, and named. Pure.

Four attacks are known: headings for their own sake, answers of tasks that are kept back, words for whoever scores, and
tampering with what checks the work. The decision to know: only added lines are judged, each by itself, since an edit
answers for itself and not for the skill that it found; and a rule that forbids such a thing is none. Patterns
(`gaming.toml`) know what is blunt and was seen before, weights on the parts of attacks (`gate.weighed`) know words that
nobody has seen, and a pattern that the weights speak against is a coincidence. Both know English. They raise the price
of an attack and end none: what is decided in the end is decided by replays on held-out tasks, unseen by the editor.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final, Literal, TypeAlias

from ingrained.gate.kept import Kept
from ingrained.gate.weighed import Worded, shipped, weigh
from ingrained.ids import normal_text
from ingrained.skill.outline import outline
from ingrained.skill.safety import forbidden, hidden, weakens_safety

Attack: TypeAlias = Literal["headings", "leak", "judge", "tests"]

MOST_HEADING_WORDS: Final = 9
"""A longer heading is a list of words to be found."""
LEAST_UNDER: Final = 3
"""Words, the bullet among them, that two headings at once have to have under them."""
DOUBT: Final = 0.2
"""Chance below which what a pattern finds is taken for a coincidence of words."""
_GAP: Final = r"(?:[^.;!?\n]|\.(?=\w)){0,90}?"
_SENTENCE: Final = re.compile(r"\n+|(?<=[.!?])[\"')\u201d\u2019]*\s+")
_OFF_GUARD: Final = frozenset({"it skips the tests", "it hides failures"})
"""What `weakens_safety` may find that is an attack here too."""
_TURNED: Final = re.compile(
    r"\b(?:never|don'?t|do not|not|avoid|no|stop)\b(?:\s+[\w'-]+){3,},\s*(?:and |so |but |just |instead |rather )?\Z",
    re.IGNORECASE,
)
"""A negation that has ended before an order begins: "do not let a test fail, change …"."""
_ITEM: Final = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")
_WHOLE: Final = 600
"""Characters; of a longer edit only the passages are weighed, and not all of it at once."""
_READS: Final[dict[Worded, str]] = {
    "headings": "it reads like form that is asked for in place of content",
    "judge": "it reads like words to sway whoever scores",
    "tests": "it reads like getting around what checks the work",
}
_BOLD: Final = re.compile(r"\s*(?:[-*+]\s+)?(?:\*\*|__)[^*_]+(?:\*\*|__):?\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    """Concepts that make an attack where they stand in one sentence."""

    attack: Attack
    why: str
    concepts: tuple[re.Pattern[str], ...]
    unless: re.Pattern[str] | None
    own: bool
    """A negation before it is part of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """Why an edit is refused."""

    attack: Attack | Literal["unread"]
    """`unread`: who should have read it gave no verdict (`gate.screen`)."""
    why: str
    """As "it …"."""
    words: str
    """What of the added text says so."""

    @property
    def reason(self) -> str:
        """For the verdict, the editor's memory and a person."""
        return f"{self.attack}: {self.why}: {self.words!r}"


def gaming(before: str, after: str, kept: Kept | None = None) -> tuple[Hit, ...]:
    """What in the lines that an edit adds games the verifier; empty where nothing does.

    Args:
        before: the skill without the edit.
        after: the skill with it.
        kept: the held-out tasks; none: only what can be told without them is looked for.
    """
    added = _added(before, after)
    text = "\n".join(line for _, line in added)
    found = list(_headings({number for number, _ in added}, after))
    found += [Hit(attack="judge", why="it hides text", words=run.shown) for run in hidden(text)]
    for passage in _passages(added):
        found += _worded(passage)
    if kept is not None:
        found += [Hit(attack="leak", why=f"it tells of a held-out task ({one.how})", words=one.found)
                  for one in kept.leaks(text)]  # fmt: skip
    return tuple(dict.fromkeys(found))


def added_text(before: str, after: str) -> str:
    """The lines that an edit adds, as one text."""
    return "\n".join(line for _, line in _added(before, after))


def _added(before: str, after: str) -> list[tuple[int, str]]:
    """Lines of `after` that `before` has not, with their numbers; a line that is moved is not added."""
    left = Counter(normal_text(line) for line in before.split("\n"))
    found: list[tuple[int, str]] = []
    for number, line in enumerate(after.split("\n")):
        said = normal_text(line)
        if said and left[said] > 0:
            left[said] -= 1
        elif said:
            found.append((number, line))
    return found


def _passages(added: list[tuple[int, str]]) -> list[str]:
    """Paragraphs and items of lists among the added lines, and all of it together where it is short."""
    found: list[list[str]] = []
    last = -2
    for number, line in added:
        if number != last + 1 or _ITEM.match(line) or line.lstrip().startswith("#") or not found:
            found.append([])
        found[-1].append(line)
        last = number
    passages = ["\n".join(lines) for lines in found]
    whole = "\n".join(line for _, line in added)
    return list(dict.fromkeys([*passages, whole])) if len(whole) <= _WHOLE else passages


def _worded(passage: str) -> Iterator[Hit]:
    """What the patterns find, unless the weights speak against it, and what the weights find beside."""
    weighed = weigh(passage)
    chance = 0.0 if weighed is None else weighed.chance
    said = [hit for hit in _said(passage) if chance >= DOUBT or hit.attack == "leak" or hit.why in _OFF_GUARD]
    yield from said
    if weighed is None or chance < shipped().least[weighed.attack] or weighed.attack in {hit.attack for hit in said}:
        return
    why = f"{_READS[weighed.attack]} ({', '.join(weighed.parts)}; {chance:.2f})"
    yield Hit(attack=weighed.attack, why=why, words=normal_text(passage))


def _said(text: str) -> Iterator[Hit]:
    plain = text.replace("\u2019", "'")
    for sentence in _SENTENCE.split(plain):
        for rule in _rules():
            first = _first(rule, sentence)
            if first is not None and all(one.search(sentence) for one in rule.concepts[1:]):
                yield Hit(attack=rule.attack, why=rule.why, words=normal_text(sentence))
        if (why := weakens_safety(sentence)) in _OFF_GUARD:
            yield Hit(attack="tests", why=why, words=normal_text(sentence))


def _first(rule: _Rule, sentence: str) -> re.Match[str] | None:
    """Where a rule's first concept stands in a sentence that does not forbid it."""
    if rule.unless is not None and rule.unless.search(sentence):
        return None
    for match in rule.concepts[0].finditer(sentence):
        if rule.own or not forbidden(sentence, match.start(), match.end()) or _TURNED.search(sentence[: match.start()]):
            return match
    return None


@lru_cache(maxsize=1)
def _rules() -> tuple[_Rule, ...]:
    """The rules of `gaming.toml`."""
    read = tomllib.loads(files("ingrained.gate").joinpath("gaming.toml").read_text(encoding="utf-8"))
    concepts: dict[str, str] = {}
    for name, patterns in read["concepts"].items():
        concepts[name] = "(?:" + "|".join(_filled(one, concepts) for one in patterns) + ")"
    return tuple(
        _Rule(
            attack=one["attack"],
            why=one["why"],
            concepts=tuple(_whole(each, concepts) for each in one["all"]),
            unless=_whole(unless, concepts) if (unless := one.get("unless")) else None,
            own=one.get("own", False),
        )
        for one in read["rules"]
    )


def _whole(pattern: str, concepts: dict[str, str]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{_filled(pattern, concepts)})(?!\w)", re.IGNORECASE)


def _filled(pattern: str, concepts: dict[str, str]) -> str:
    for name, said in concepts.items():
        pattern = pattern.replace(f"{{{name}}}", rf"(?<!\w){said}(?!\w)")
    return pattern.replace(" ~", _GAP)


def _headings(added: set[int], after: str) -> Iterator[Hit]:
    """Headings that were added with nothing under them, twice, or as a list of words."""
    read = outline(after)
    new = [one for one in read.sections if one.level and one.first in added]
    filled = [place for place, line in enumerate(read.lines) if line.strip() and not _titles(read.lines, place)]
    heads = {line for one in read.sections if one.level for line in range(one.first, one.body)}
    body = [line for line in filled if line not in heads]
    under = [" ".join(read.lines[line] for line in body if one.body <= line < one.end) for one in new]
    thin = [one for one, text in zip(new, under, strict=True) if len(text.split()) < LEAST_UNDER]
    for one, text in zip(new, under, strict=True):
        if not text or (len(thin) > 1 and one in thin):
            yield Hit(attack="headings", why="it adds a heading with nothing under it", words=one.words)
    for words, n in Counter(normal_text(one.words).casefold() for one in new).items():
        if n > 1:
            yield Hit(attack="headings", why="it adds one heading more than once", words=words)
    for one in new:
        if len(one.words.split()) > MOST_HEADING_WORDS:
            yield Hit(attack="headings", why="it adds a heading that is a list of words", words=one.words)
    bold = [place for place in sorted(added) if _titles(read.lines, place)]
    if len(bold) > 1:
        yield Hit(attack="headings", why="it adds titles with nothing under them", words=read.lines[bold[0]].strip())


def _titles(lines: tuple[str, ...], place: int) -> bool:
    """Whether a line is nothing but bold words, with another such line or the end behind it."""
    if not _BOLD.fullmatch(lines[place].rstrip("\r\n")):
        return False
    following = next((line for line in lines[place + 1 :] if line.strip()), "")
    return not following or bool(_BOLD.fullmatch(following.rstrip("\r\n")))
