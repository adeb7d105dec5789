"""Whose words a log holds: one name per person, however many data sets the person stands in.

The same people stand in several public sets under several numbers, and one set goes by the author of a commit, who is
not always the one who typed. Whoever counts people, or learns from one and measures on another, asks here, so that
nobody counts twice or is somebody else to himself. A session belongs to one person: where two are named and nothing
says which of them it was, it is nobody's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import NamedTuple

ALIASES: Mapping[str, str] = {
    "entire-cli-sessions/dev_01": "entireio-cli/dev-2",
    "entire-cli-sessions/dev_02": "entireio-cli/dev-1",
    "entire-cli-sessions/dev_04": "entireio-cli/dev-4",
    "entire-cli-sessions/dev_05": "entireio-cli/dev-3",
}
"""Label of a place to the one name of the person; a label that is not here is a name itself."""

SESSIONS: Mapping[str, str] = {"7f78a542-6201-447a-8277-213165356894": "entireio-cli/dev-1"}
"""Sessions that stand under somebody else's label too, and whose they are."""

_REPOSITORIES: Mapping[str, str] = {"entire-cli-sessions": "entireio-cli"}
"""Data sets that go by another name than the repository that their sessions are from."""

NOBODYS = frozenset({"entireio-cli/gemini-cli-samples"})
"""Labels of places that hold sessions of several people and do not say whose."""

_CHECKPOINT = re.compile(r"/[0-9a-f]{2}/[0-9a-f]{10}/\d+/[^/]+$")
"""A transcript in the layout of checkpoints: its folders are hashes, not people."""

_ONE_FILE_A_PERSON = "entire-prompts"


class Told(NamedTuple):
    """What a place says of a session."""

    label: str
    """Label of the place; empty where it says nothing of a person."""
    session: str


def canonical(label: str) -> str:
    """The one name of whoever stands under this label; empty for nobody in particular."""
    return "" if label in NOBODYS else ALIASES.get(label, label)


def repository_of(person: str) -> str:
    """The repository that a person's sessions are from, to leave it out of what a judge learned from."""
    first = person.partition("/")[0]
    return _REPOSITORIES.get(first, first)


def label_of(path: str, reader: str) -> str:
    """The label of a log by where it lies: `repository/person`, the names of the last two folders.

    A data set that keeps one person a file gives `data set/file`; a checkpoint says nothing.
    """
    place = PurePath(path)
    if _CHECKPOINT.search(place.as_posix()):
        return ""
    if reader == _ONE_FILE_A_PERSON:
        return f"{place.parent.name}/{place.stem}"
    return f"{place.parent.parent.name}/{place.parent.name}"


def whose(told: Iterable[Told]) -> dict[Told, str]:
    """The person of each session at each place; empty where nobody, or more than one, is named.

    `SESSIONS` decides before the label; what bears no person's label is theirs who have the same session elsewhere.
    """
    places = set(told)
    named: dict[str, set[str]] = {}
    for place in places:
        named.setdefault(place.session, set()).add(canonical(place.label))
    people = {session: _one(session, names - {""}) for session, names in named.items()}
    return {place: people[place.session] for place in places}


def _one(session: str, names: set[str]) -> str:
    if session in SESSIONS:
        return SESSIONS[session]
    return next(iter(names)) if len(names) == 1 else ""
