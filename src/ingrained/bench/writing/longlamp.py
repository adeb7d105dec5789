"""Tasks `topic`, `review` and `abstract`: LongLaMP's rows, written out as JSON lines or an array.

A row is `{author | reviewerId | name, input, output, profile: [...]}` (Kumar et al. 2024, the settings "user" and
"temporal"). Each entry of a profile is a document of the author, and so is the row's output; its input is an
instruction that the benchmark wrote, and goes into the facts as it is. Rows of one author in several files share
entries: an entry is known by its author and words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import AliasChoices, Field

from ingrained.bench.writing.document import Document, Dropped, Fact, Loaded
from ingrained.bench.writing.rows import Row, files, rows
from ingrained.ids import content_hash


class _Entry(Row):
    """An entry of a profile; which fields there are is the task's."""

    text: str | None = Field(default=None, validation_alias=AliasChoices("content", "reviewText", "abstract"))
    title: str | None = None
    summary: str | None = None
    description: str | None = None
    overall: float | str | None = None
    year: int | str | None = None


class _Row(Row):
    author: str = Field(validation_alias=AliasChoices("author", "reviewerId", "name"))
    input: str
    output: str
    profile: tuple[_Entry, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LongLamp:
    """One of the three tasks; they differ in what is asked and in the names of their fields alone."""

    name: str
    asks: str
    least_words: int = 40
    most_words: int = 700

    def load(self, paths: Sequence[Path]) -> Loaded:
        """One document an entry of a profile, and one a row."""
        documents: dict[str, Document] = {}
        dropped: list[Dropped] = []
        for path in files(paths, (".jsonl", ".json")):
            for place, row in rows(path, _Row):
                if isinstance(row, Dropped):
                    dropped.append(row)
                    continue
                for one in _documents(row, place):
                    if isinstance(one, Dropped):
                        dropped.append(one)
                    else:
                        documents.setdefault(one.key, one)
        return Loaded(documents=tuple(documents.values()), dropped=tuple(dropped))


TOPIC = LongLamp(name="topic", asks="Write a post on this topic.")
REVIEW = LongLamp(name="review", asks="Write a review of this product.")
ABSTRACT = LongLamp(name="abstract", asks="Write the abstract of this paper.", most_words=450)


def _documents(row: _Row, place: str) -> list[Document | Dropped]:
    found: list[Document | Dropped] = []
    for number, one in enumerate(row.profile, start=1):
        here = f"{place}, profile {number}"
        text = (one.text or "").strip()
        if not text:
            found.append(Dropped(place=here, why="no text", detail="content, reviewText or abstract"))
            continue
        order = f"{number:06d}" if one.year is None else f"{one.year}:{number:06d}"
        key = _key(row.author, text)
        found.append(Document(key=key, author=row.author, text=text, facts=_facts(one), order=order, place=here))
    facts = (Fact(name="Task", values=(" ".join(row.input.split()),)),)
    text = row.output.strip()
    # "~" comes after any year and number
    last = Document(key=_key(row.author, text), author=row.author, text=text, facts=facts, order="~", place=place)
    return [*found, last]


def _key(author: str, text: str) -> str:
    return content_hash([author, " ".join(text.split())])


def _facts(one: _Entry) -> tuple[Fact, ...]:
    rating = f"{one.overall:g}" if isinstance(one.overall, float) else one.overall
    named = [("Title", one.title), ("Product", one.description), ("Rating", rating), ("Summary", one.summary)]
    return tuple(Fact(name=name, values=(" ".join(value.split()),)) for name, value in named if value and value.strip())
