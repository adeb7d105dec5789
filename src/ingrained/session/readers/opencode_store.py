"""The records of OpenCode's sessions out of the three places in which they stand, one message at a time.

Of a message's parts only those that may hold words or an act are loaded: no attached file, no reasoning, no snapshot;
of a sub-agent's session the prompts alone. Forks of the program are read as far as their tables have the same columns.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ingrained.session.jsonl import CAP, Row, Tally, decode, mapping, string
from ingrained.session.readers.base import Found
from ingrained.session.readers.database import Cell, blob, columns, opened_copy, query
from ingrained.session.readers.pieces import Pieces

_START = 200
_KIND = re.compile(rb'"type"\s*:\s*"([\w-]+)"')
_COLUMNS = {
    "session": {"id", "directory", "parent_id", "time_created", "revert"},
    "message": {"id", "session_id", "time_created", "data"},
    "part": {"id", "message_id", "data"},
}
_SESSIONS = "SELECT id, directory, parent_id, time_created, revert FROM session ORDER BY id"
_MESSAGES = """
    SELECT id, CASE WHEN length(data) <= ? THEN data END FROM message WHERE session_id = ? ORDER BY time_created, id
"""
_STARTS = "SELECT id, CAST(substr(data, 1, ?) AS BLOB) FROM part WHERE message_id = ? ORDER BY id"
_PART = "SELECT CASE WHEN length(data) <= ? THEN data END FROM part WHERE id = ?"
_PASSED_OVER = frozenset({"file", "reasoning", "snapshot", "patch", "step-start", "step-finish", "retry"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message's info, and its parts in their order."""

    info: Row
    parts: Iterable[Row]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A session's info, and its messages in their order."""

    info: Row
    messages: Iterable[Message]


def _is_wanted(start: bytes) -> bool:
    """Whether a part that begins so may hold words or an act."""
    match = _KIND.search(start)
    return match is None or match.group(1).decode() not in _PASSED_OVER


# The database.


def stored(path: Path, found: Found) -> Iterator[Source]:
    """The sessions of a database."""
    with opened_copy(path, found.tally) as db:
        if db is None:
            return
        if any(not needed <= columns(db, table) for table, needed in _COLUMNS.items()):
            found.tally.add("shape", 1)
            return
        for id, directory, parent, created, revert in list(query(db, found.tally, _SESSIONS)):
            info: Row = {"id": id, "directory": directory, "parentID": parent, "time": {"created": created}}
            for reverted in _rows(blob(revert), found.tally):
                info["revert"] = reverted
            yield Source(info=info, messages=_messages(db, found.tally, id))


def _messages(db: sqlite3.Connection, tally: Tally, session: Cell) -> Iterator[Message]:
    for number, (id, data) in enumerate(query(db, tally, _MESSAGES, (CAP, session)), start=1):
        if data is None:
            tally.add("oversize", number)
        for info in _rows(blob(data), tally, number):
            yield Message(info=info | {"id": id}, parts=_parts(db, tally, id, number))


def _parts(db: sqlite3.Connection, tally: Tally, message: Cell, number: int) -> Iterator[Row]:
    for id, start in list(query(db, tally, _STARTS, (_START, message))):
        if not _is_wanted(blob(start)):
            continue
        for (data,) in query(db, tally, _PART, (CAP, id)):
            if data is None:
                tally.add("oversize", number)
            for part in _rows(blob(data), tally, number):
                yield part | {"id": id}


def _rows(data: bytes, tally: Tally, number: int = 1) -> list[Row]:
    return decode(number, data, tally) if data else []


# The JSON files of older versions.


def filed(path: Path, tally: Tally) -> Iterator[Source]:
    """The session whose file this is."""
    info = _document(path, tally)
    if not info:
        return
    storage = path.parent.parent.parent
    yield Source(info=info, messages=_filed_messages(storage, string(info, "id"), tally))


def _filed_messages(storage: Path, session: str, tally: Tally) -> Iterator[Message]:
    infos = [(file.stem, _document(file, tally)) for file in _files(storage / "message" / session)]
    kept = [(_created(info), id, info) for id, info in infos if info]
    for _, id, info in sorted(kept, key=lambda item: item[:2]):
        yield Message(info=info | {"id": string(info, "id") or id}, parts=_filed_parts(storage, id, tally))


def _filed_parts(storage: Path, message: str, tally: Tally) -> Iterator[Row]:
    for file in _files(storage / "part" / message):
        with file.open("rb") as stream:
            start = stream.read(_START)
        if _is_wanted(start) and (part := _document(file, tally)):
            yield part


def _created(info: Row) -> float:
    created = mapping(info, "time").get("created")
    return created if isinstance(created, int | float) else 0


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir() or folder.is_symlink():
        return []
    return sorted(file for file in folder.glob("*.json") if file.is_file() and not file.is_symlink())


def _document(path: Path, tally: Tally) -> Row:
    """The object that a file holds, an empty one where it is broken."""
    with path.open("rb") as file:
        data = file.read(CAP + 1)
    if len(data) > CAP:
        tally.add("oversize", 1)
        return {}
    try:
        value = json.loads(data.decode("utf-8", "replace").lstrip("\ufeff"))
    except (ValueError, RecursionError):
        tally.add("cut", 1)
        return {}
    if not isinstance(value, dict):
        tally.add("shape", 1)
        return {}
    return value


# What `opencode export` prints.


def exported(path: Path, tally: Tally) -> Iterator[Source]:
    """The session of an export, whose info stands before its messages."""
    with path.open("rb") as stream:
        pieces = Pieces(stream, tally=tally, marks=frozenset({"info", "parts"}), key="messages")
        messages = iter(pieces)
        first = next(messages, None)
        info = mapping(pieces.header, "info")
        rows = [first[1]] if first else []
        yield Source(info=info, messages=_exported(rows, messages))


def _exported(first: list[Row], rest: Iterator[tuple[int, Row]]) -> Iterator[Message]:
    for row in (*first, *(row for _, row in rest)):
        parts = row.get("parts")
        yield Message(
            info=mapping(row, "info"),
            parts=[part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else [],
        )
