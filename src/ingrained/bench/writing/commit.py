"""Task `commit`: the body of a commit message, from its subject and the files that it touches.

Reads JSON lines `{author, commit, date, subject, body, files: [{path}]}`; one file or a folder of them. What no writer
could guess is given as a fact: the numbers of the issues that the body closes, and the names of the code it speaks of.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ingrained.bench.writing.document import Document, Dropped, Fact, Loaded
from ingrained.bench.writing.rows import Row, files, rows
from ingrained.bench.writing.topics import names, topic_words

_MOST_FILES = 6
_TOPICS = 6
_REFERENCE = re.compile(r"#\d+\b|\bhttps?://\S+")


class _File(Row):
    path: str


class _Commit(Row):
    author: str
    commit: str
    subject: str
    body: str
    date: str = ""
    files: tuple[_File, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """The task."""

    name: str = "commit"
    asks: str = "Write the body of the message for this commit, below its subject line."
    least_words: int = 15
    most_words: int = 250

    def load(self, paths: Sequence[Path]) -> Loaded:
        """One document a commit that has a body."""
        documents: list[Document] = []
        dropped: list[Dropped] = []
        for path in files(paths, (".jsonl",)):
            for number, (place, row) in enumerate(rows(path, _Commit)):
                if isinstance(row, Dropped):
                    dropped.append(row)
                elif not row.body.strip():
                    dropped.append(Dropped(place=place, why="no text"))
                else:
                    documents.append(_document(row, place, f"{row.date}:{number:07d}"))
        return Loaded(documents=tuple(documents), dropped=tuple(dropped))


COMMIT = Commit()


def _document(row: _Commit, place: str, order: str) -> Document:
    body = row.body.strip()
    facts = [
        Fact(name="Subject", values=(row.subject,)),
        Fact(name="Files", values=tuple(one.path for one in row.files[:_MOST_FILES])),
        Fact(name="Names", values=names(body), own_words=True),
        Fact(name="Topics", values=topic_words(body, most=_TOPICS), own_words=True),
        Fact(name="Refers to", values=tuple(dict.fromkeys(_REFERENCE.findall(body)))),
    ]
    return Document(
        key=row.commit,
        author=row.author,
        text=body,
        facts=tuple(one for one in facts if one.values),
        order=order,
        place=place,
    )
