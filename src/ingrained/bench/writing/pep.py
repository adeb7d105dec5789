"""Task `pep`: a section of a Python Enhancement Proposal, from its title, its headings, names and topic words.

Reads a folder with one folder an author, each with reStructuredText files that begin with PEP headers; the folder's
name is the author. A document is prose from a heading on, in whole paragraphs until there are enough words, then from
the next heading on; the first `MOST_SECTIONS` of a proposal count. Directives, literal blocks and marks of footnotes
are left out, since a reader of the request could not write them. Sections of one proposal are of one topic.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path

from ingrained.bench.writing.document import Document, Dropped, Fact, Loaded
from ingrained.bench.writing.topics import names, topic_words
from ingrained.verify.words import words

ENOUGH_WORDS = 150
"""A text ends with the paragraph that reaches so many."""
MOST_SECTIONS = 3
_MOST_HEADINGS = 12
_HEADER = re.compile(r"^([A-Z][\w-]*):[ \t]*(.*)$")
_RULE = re.compile(r"^([=\-~^\"'#*+.`])\1{2,}[ \t]*$")
_FOOTNOTE = re.compile(r"[ \t\n]*\[(?:#[\w-]*|\d+)\]_?(?!\w)")
_ROLE = re.compile(r":[\w:-]+:`([^`<]+?)(?:\s*<[^>]*>)?`")
_APART = frozenset("references copyright acknowledgements acknowledgments footnotes".split()) | {  # noqa: SIM905
    "pep withdrawal", "withdrawal notice", "rejection notice", "rejection", "pep rejection", "bdfl pronouncement",
}  # fmt: skip
"""Sections that say nothing of the proposal."""
_DATES = ("%d-%b-%Y", "%d-%B-%Y", "%Y-%m-%d", "%d-%b-%y")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pep:
    """The task."""

    name: str = "pep"
    asks: str = "Write this section of a Python Enhancement Proposal."
    least_words: int = 60
    most_words: int = 450

    def load(self, paths: Sequence[Path]) -> Loaded:
        """Some documents a proposal."""
        documents: list[Document] = []
        dropped: list[Dropped] = []
        for path in _files(paths):
            found = read_pep(path)
            if isinstance(found, Dropped):
                dropped.append(found)
            else:
                documents += found
        return Loaded(documents=tuple(documents), dropped=tuple(dropped))


PEP = Pep()


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(one for one in path.rglob("*") if one.suffix in {".rst", ".txt"} and one.is_file())
        else:
            yield path


def read_pep(path: Path) -> list[Document] | Dropped:
    """The sections of one proposal."""
    place = f"{path.parent.name}/{path.name}"
    try:
        lines = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        return Dropped(place=place, why="no text in UTF-8", detail=str(error))
    headers, start = _headers(lines)
    for field in ("PEP", "Title"):
        if not headers.get(field):
            return Dropped(place=f"{place}:1", why=f"field {field!r} is missing or wrong", detail="no such header")
    sections = [*_sections(lines[start:])][:MOST_SECTIONS]
    if not sections:
        return Dropped(place=place, why="no prose under a heading")
    about = [
        Fact(name="Title", values=(headers["Title"],)),
        Fact(name="Type", values=(headers.get("Type", ""),)),
        Fact(name="Headings", values=tuple(_headings(lines[start:]))),
    ]
    return [
        Document(
            key=f"pep-{headers['PEP']}-{nth}",
            author=path.parent.name,
            text=text,
            facts=tuple(one for one in (*about, *_facts(heading, text)) if any(one.values)),
            order=f"{nth}:{_date(headers.get('Created', ''))}",
            place=f"{place}, section {nth}",
            topic=f"pep-{headers['PEP']}",
        )
        for nth, (heading, text) in enumerate(sections, start=1)
    ]


def _facts(heading: str, text: str) -> list[Fact]:
    return [
        Fact(name="Section", values=(heading,)),
        Fact(name="Names", values=names(text), own_words=True),
        Fact(name="Topics", values=topic_words(text), own_words=True),
    ]


def _headers(lines: Sequence[str]) -> tuple[dict[str, str], int]:
    found: dict[str, str] = {}
    for number, line in enumerate(lines):
        if not line.strip():
            return found, number
        match = _HEADER.match(line)
        if match:
            found[match[1]] = " ".join(match[2].replace("``", "").split())
    return found, len(lines)


def _date(text: str) -> str:
    for form in _DATES:
        try:
            return datetime.strptime(text.split(" ")[0].split(",")[0], form).strftime("%Y-%m-%d")  # noqa: DTZ007 - a day
        except ValueError:
            continue
    return ""


def _headings(lines: Sequence[str]) -> list[str]:
    found = [line.strip() for line, under in pairwise(lines) if line.strip() and _RULE.match(under)]
    telling = [one.replace("``", "") for one in found if one.casefold() not in _APART and not _RULE.match(one)]
    return list(dict.fromkeys(telling))[:_MOST_HEADINGS]


def _sections(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Heading and text of each document: from a heading on, whole paragraphs until there are enough words."""
    heading, kept, count = "", list[str](), 0
    for under, paragraph in _paragraphs(lines):
        if under != heading and count >= ENOUGH_WORDS:
            yield heading, "\n\n".join(kept)
            kept, count = list[str](), 0
        if not kept:
            heading = under
        if count < ENOUGH_WORDS:
            kept.append(paragraph)
            count += len(words(paragraph))
    if kept:
        yield heading, "\n\n".join(kept)


def _paragraphs(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each paragraph of prose with the heading that it stands under."""
    heading = ""
    literal = False
    for block in re.split(r"\n[ \t]*\n", "\n".join(lines)):
        inner = [line for line in block.split("\n") if line.strip()]
        if len(inner) > 1 and _RULE.match(inner[1]):
            heading, literal, inner = inner[0].strip(), False, inner[2:]
        if not inner or not heading or heading.casefold() in _APART:
            continue
        directive = inner[0].lstrip().startswith("..")
        if directive or (literal and all(line[0] in " \t" for line in inner)):
            literal = literal or directive
            continue
        literal = inner[-1].rstrip().endswith("::")
        text = "\n".join(line.strip() for line in inner)
        text = _ROLE.sub(r"\1", _FOOTNOTE.sub("", text)).replace("::", ":")
        if words(text):
            yield heading, text
