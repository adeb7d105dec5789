"""What a task of the writing benchmark is made of: documents by author, each with the facts that a request may give.

A task is a loader by path and a sentence that asks for one text. The decision to know: a document's own text never
enters a request; only its facts do (`request.fact_sheet`). What a loader leaves out is kept with its reason, so that
bad input never loses good input and every count adds up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ingrained.errors import ConfigError
from ingrained.registry import Registry

SHOWN = 3
"""So many reasons an error names, where nothing could be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One line of a fact sheet."""

    name: str
    values: tuple[str, ...]
    own_words: bool = False
    """Whether the values are single words of the document's own text; they are told in the order of the alphabet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One text of an author, and what it is about."""

    key: str
    """Unique in its set."""
    author: str
    text: str
    facts: tuple[Fact, ...]
    order: str = ""
    """Sorts an author's documents in time, as text; empty where that is not known."""
    place: str = ""
    """Where it was read: `file:line`."""
    topic: str = ""
    """Documents of one topic (sections of one proposal) never stand on both sides of a context; empty: its own."""

    @property
    def subject(self) -> str:
        """Its topic, or itself."""
        return self.topic or self.key


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """What was found and not used."""

    place: str
    """`file:line` or `file`, or the author where a whole author goes."""
    why: str
    """One of few phrases, so that they can be counted."""
    detail: str = ""
    """The field, value or name that it is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """What a loader found."""

    documents: tuple[Document, ...]
    dropped: tuple[Dropped, ...] = ()


class Task(Protocol):
    """One writing task."""

    @property
    def name(self) -> str:
        """What it is called on the command line."""
        ...

    @property
    def asks(self) -> str:
        """The first sentence of each request."""
        ...

    @property
    def least_words(self) -> int:
        """A shorter text is no document."""
        ...

    @property
    def most_words(self) -> int:
        """A longer text is no document."""
        ...

    def load(self, paths: Sequence[Path]) -> Loaded:
        """The documents at these paths.

        Raises:
            ConfigError: a path is not there, or cannot be what this task reads.
        """
        ...


_HERE = "ingrained.bench.writing"
TASKS: Registry[Task] = Registry(
    "ingrained.writing_tasks",
    {
        "pep": f"{_HERE}.pep:PEP",
        "commit": f"{_HERE}.commit:COMMIT",
        "turns": f"{_HERE}.turns:TURNS",
        "topic": f"{_HERE}.longlamp:TOPIC",
        "review": f"{_HERE}.longlamp:REVIEW",
        "abstract": f"{_HERE}.longlamp:ABSTRACT",
        "email": f"{_HERE}.enron:EMAIL",
        "yelp": f"{_HERE}.yelp:YELP",
    },
)
"""The first three run on open data; the other five read the paper's data sets where a person has them."""


def load(task: Task, paths: Sequence[Path]) -> Loaded:
    """Load a task's documents.

    Raises:
        ConfigError: no path, a path that is not there, or none of what is there can be used.
    """
    if not paths:
        raise ConfigError(f"task {task.name!r} needs its data", hint="name it with --data PATH")
    for path in paths:
        if not path.exists():
            raise ConfigError(f"{path}: not there", hint=f"--data takes what task {task.name!r} reads")
    found = task.load(paths)
    if not found.documents:
        shown = "; ".join(told(one) for one in found.dropped[:SHOWN]) or "no file of its layout"
        raise ConfigError(
            f"{', '.join(map(str, paths))}: nothing that task {task.name!r} can use: {shown}",
            hint="docs/papers.md says what each task reads",
        )
    return found


def told(one: Dropped) -> str:
    """A dropped piece in a line."""
    return f"{one.place}: {one.why}" + (f" ({one.detail})" if one.detail else "")


def counted(dropped: Iterable[Dropped]) -> list[tuple[str, int]]:
    """How many were dropped for each reason, the commonest first."""
    return sorted(Counter(one.why for one in dropped).items(), key=lambda pair: (-pair[1], pair[0]))
