"""What of held-out tasks must stand in no candidate: the tasks' own words, their strings, and their answers. Pure.

Nobody who proposes edits sees the held-out split, so what a candidate has in common with it by more than chance came by
a way that it should not have come. The decision to know: what the editor was shown is no secret, whatever it is; of the
rest, rare strings (identifiers, numbers, addresses, rare words) are looked for alone, runs of words by five with three
that carry meaning, and an answer that anybody may use ("B", "blue") counts only beside words of its question. So does a
name that one held-out task alone has: whoever writes of it knows the task, however well the answer is paraphrased. Each
line is also read as `gate.disguise` undoes it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from pydantic import JsonValue

from ingrained.embed.lexical import content
from ingrained.gate.disguise import readings
from ingrained.harness.base import Task
from ingrained.verify.spelling import common
from ingrained.verify.words import normal, words

RUN: Final = 5
"""Words in a row that are no chance any more, if `CONTENT` of them have a meaning of their own."""
MOST_RUN: Final = 8
"""Words that a run is lengthened to, until it has as many with a meaning."""
CONTENT: Final = 3
BESIDE: Final = 2
"""Words of a question that make a common answer in the same line its answer."""
BESIDE_NAME: Final = 2
"""The same beside a name that no other task has."""
USUAL: Final = 0.1
"""Share of the longer texts that were shown, from which on a word in them is no sign of a single question."""
_SHORT: Final = 4
"""Words of an answer at most; a longer one is looked for by its runs."""
_PIECE: Final = re.compile(r"[^\s`'\"“”‘’()\[\]<>|,;]+")
_AROUND: Final = ".,:!?*#^$"
"""Points around a string that are none of it."""
_NAME: Final = re.compile(r"(?<=[^\W_] )(?<![.!?:] )[A-Z][a-z]{3,}(?:'s)?(?![\w-])")
"""A word with one capital that does not begin a sentence."""
_TITLE: Final = re.compile(r"\b(Mrs?|Ms|Dr|Prof|St|v)\.")
_DATA: Final = re.compile(r"[^\s`]*[{}\[\]\"][^\s`]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """Something in a candidate that only a held-out task holds."""

    line: str
    found: str
    """As the task has it."""
    how: str
    """`text`, `string`, `answer`, `name`, with `, in disguise` where the line does not say it openly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Group:
    """One task."""

    runs: frozenset[tuple[str, ...]]
    strings: frozenset[str]
    """Rare ones, casefolded."""
    rare: frozenset[tuple[str, ...]]
    """Answers that are rare by themselves, as words."""
    usual: frozenset[str]
    """Answers that need their question beside them, as they are written."""
    topic: frozenset[str]
    """Stems of the task's longer texts, without usual ones."""
    names: frozenset[str]
    """Uncommon ones in its longer texts, casefolded."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The held-out tasks, made ready; two are equal where they find the same."""

    groups: tuple[_Group, ...]

    @classmethod
    def of(cls, tasks: Iterable[Task], shown: Iterable[str] = ()) -> Kept:
        """Of held-out tasks: their ids, requests, and all strings and numbers in `known`.

        Args:
            tasks: the held-out split.
            shown: all that the editor is given: evidence, the skill as it is, other tasks with what is known of them.
                What stands there is free.
        """
        return cls.of_texts(([task.id, task.request, *strings_in(task.known)] for task in tasks), shown)

    @classmethod
    def of_texts(cls, groups: Iterable[Iterable[str]], shown: Iterable[str] = ()) -> Kept:
        """The same of bare texts, those of one task together."""
        free = _Free.of(shown)
        made = [_group(tuple(texts), free) for texts in groups]
        held = Counter(name for group in made for name in group.names)
        return cls(
            groups=tuple(
                replace(group, names=frozenset(name for name in group.names if held[name] == 1)) for group in made
            )
        )

    def leaks(self, text: str) -> tuple[Leak, ...]:
        """What stands in a text, each once, in its order. Cost: some milliseconds a line for a hundred tasks."""
        found: dict[tuple[str, str], Leak] = {}
        for line in text.split("\n"):
            for read, disguised in readings(line):
                for how, what in self._in(read):
                    said = f"{how}, in disguise" if disguised else how
                    found.setdefault((line, what), Leak(line=line.strip(), found=what, how=said))
        return tuple(found.values())

    def _in(self, line: str) -> Iterator[tuple[str, str]]:
        folded = _folded(line)
        runs, pieces, short, stems = _runs(folded), _pieces(line), _short(folded), _stems(folded)
        names = {word.removesuffix("'s") for word in folded}
        every = _together(self.groups)
        beside = len(stems & every.topic) >= min(BESIDE, BESIDE_NAME)
        if not (beside or runs & every.runs or pieces & every.strings or short & every.rare):
            return
        for group in self.groups:
            yield from (("text", " ".join(run)) for run in sorted(runs & group.runs))
            yield from (("string", one) for one in sorted(pieces & group.strings))
            yield from (("answer", " ".join(one)) for one in sorted(short & group.rare))
            if beside and len(stems & group.topic) >= min(BESIDE, BESIDE_NAME):
                yield from (("answer", one) for one in sorted(group.usual) if _beside(one, line, stems, group))
                yield from (("name", one) for one in sorted(names & group.names) if _on_topic(one, stems, group))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Free:
    """What was shown."""

    runs: frozenset[tuple[str, ...]]
    short: frozenset[tuple[str, ...]]
    pieces: frozenset[str]
    stems: frozenset[str]
    """Of words that many longer texts have: they tell no question from another."""

    @classmethod
    def of(cls, shown: Iterable[str]) -> _Free:
        runs: set[tuple[str, ...]] = set()
        short: set[tuple[str, ...]] = set()
        pieces: set[str] = set()
        times: Counter[str] = Counter()
        long = 0
        for text in shown:
            folded = _folded(text)
            runs |= _runs(folded)
            short |= _short(folded)
            pieces |= _pieces(text)
            if len(folded) > _SHORT:
                long += 1
                times.update(_stems(folded))
        usual = frozenset(stem for stem, n in times.items() if n >= max(2, long * USUAL))
        return cls(runs=frozenset(runs), short=frozenset(short), pieces=frozenset(pieces), stems=usual)


@lru_cache(maxsize=8)
def _together(groups: tuple[_Group, ...]) -> _Group:
    """All tasks as one, to tell lines that have nothing of any at once."""
    return _Group(
        runs=frozenset().union(*(group.runs for group in groups)),
        strings=frozenset().union(*(group.strings for group in groups)),
        rare=frozenset().union(*(group.rare for group in groups)),
        usual=frozenset(),
        topic=frozenset().union(*(group.topic for group in groups)),
        names=frozenset(),
    )


def _group(texts: tuple[str, ...], free: _Free) -> _Group:
    runs: set[tuple[str, ...]] = set()
    strings: set[str] = set()
    rare: set[tuple[str, ...]] = set()
    usual: set[str] = set()
    topic: set[str] = set()
    names: set[str] = set()
    for text in texts:
        folded = _folded(text)
        runs |= _runs(folded)
        strings |= {piece for piece in _pieces(text) if _telling(piece)}
        if not 0 < len(folded) <= _SHORT:
            topic |= _stems(folded)
            names |= {name.casefold().removesuffix("'s") for name in _NAME.findall(_TITLE.sub(r"\1", normal(text)))}
        elif folded not in free.short and (len(folded) > 1 or len(folded[0]) > _SHORT) and not _all_common(folded):
            rare.add(folded)
        else:
            usual.add(normal(text).strip())
    return _Group(
        runs=frozenset(runs - free.runs),
        strings=frozenset(strings - free.pieces),
        rare=frozenset(rare),
        usual=frozenset(usual),
        topic=frozenset(topic - free.stems),
        names=frozenset(name for name in names if name not in common() and (name,) not in free.short),
    )


def _beside(answer: str, line: str, stems: set[str], group: _Group) -> bool:
    """Whether a common answer stands in a line as one, with words of its question."""
    own = _stems(_folded(answer))
    if len((stems - own) & group.topic) < BESIDE:
        return False
    end = r"(?=\W*\Z|[.,;:)\]*`\"']|\s+(?:as|is|because|since|for)\b)" if len(answer) == 1 else r"(?![^\W_])"
    how = re.NOFLAG if len(answer) == 1 else re.IGNORECASE
    return re.search(rf"(?<![^\W_]){re.escape(answer)}{end}", normal(line), how) is not None


def _on_topic(name: str, stems: set[str], group: _Group) -> bool:
    """Whether words of its task stand in a line beside a name."""
    return len((stems - _stems([name])) & group.topic) >= BESIDE_NAME


def _folded(text: str) -> tuple[str, ...]:
    return tuple(word.casefold() for word in words(text))


def _short(folded: tuple[str, ...]) -> set[tuple[str, ...]]:
    """All that could be a short answer."""
    return {folded[at : at + size] for size in range(1, _SHORT + 1) for at in range(len(folded) - size + 1)}


def _runs(folded: tuple[str, ...]) -> set[tuple[str, ...]]:
    """From each word on the shortest run that is no chance."""
    found: set[tuple[str, ...]] = set()
    for begin in range(len(folded) - RUN + 1):
        sizes = range(RUN, min(MOST_RUN, len(folded) - begin) + 1)
        runs = (folded[begin : begin + size] for size in sizes)
        run = next((run for run in runs if len(_stems(run)) >= CONTENT), None)
        if run is not None:
            found.add(run)
    return found


def _stems(folded: Iterable[str]) -> set[str]:
    return {stem for word in folded if (stem := content(word))}


def _pieces(text: str) -> set[str]:
    """Strings between blanks and quotes, without the points around them; also whole pieces of data."""
    said = normal(text).casefold()
    found = {piece.strip(_AROUND) for piece in _PIECE.findall(said)}
    return (found | {piece.strip(_AROUND) for piece in _DATA.findall(said)}) - {""}


def _telling(piece: str) -> bool:
    """Whether a string is rare by its form: digits among letters, four digits, points or lines inside, data."""
    letters, digits = any(char.isalpha() for char in piece), sum(char.isdigit() for char in piece)
    inside = re.search(r"\w[_/\\.@#:{}\"=]+\w", piece) is not None and len(piece) >= 6
    return len(piece) >= 4 and ((letters and digits > 0) or digits >= 4 or (inside and (letters or digits > 2)))


def _all_common(folded: Iterable[str]) -> bool:
    return all(word in common() or word.isdigit() for word in folded)


def strings_in(value: JsonValue | dict[str, JsonValue]) -> Iterator[str]:
    """All strings and numbers of a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings_in(item)
    elif value is not None and not isinstance(value, bool):
        yield str(value)
