"""Cursor's CLI: `~/.cursor/chats/<hash of the folder>/<session>/store.db`.

Every message is a blob named by its hash; the newest root blob lists them in order, as a protocol buffer. A person's
words stand in `<user_query>`, between what the program adds. The decision to know: only what the newest root lists
counts, so a branch that was left does not, nor what the program summed up; where the root cannot be understood, all
messages count in the order in which they were written.

What cannot be known: messages have no time, so they bear that of the session; the folder's path is a hash, and is known
only where the program told it to the model.
"""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ingrained.ids import MessageKey, message_key
from ingrained.session.jsonl import CAP, Row, Tally, decode, mapping, objects, string
from ingrained.session.readers.base import Found
from ingrained.session.readers.cursor_folders import uri_path
from ingrained.session.readers.database import blob, query
from ingrained.session.readers.dialogue import Dialogue

FORMAT = "cursor"

_NAME = "store.db"
_TABLES = (b"CREATE TABLE blobs", b"CREATE TABLE meta")
_META = "SELECT value FROM meta WHERE length(value) <= ? ORDER BY key"
_BLOB = "SELECT CASE WHEN length(data) <= ? THEN data END FROM blobs WHERE id = ?"
_ALL = "SELECT id FROM blobs WHERE CAST(substr(data, 1, 1) AS BLOB) = CAST('{' AS BLOB) ORDER BY rowid"
_QUERY = re.compile(r"<user_query>\s*(.*?)\s*</user_query>", re.DOTALL)
_FOLDER = re.compile(r"^Workspace Path: (.+?)\s*$", re.MULTILINE)
_MESSAGE_FIELD, _FOLDER_FIELD, _HASH_SIZE = 1, 9, 32
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


def is_cli(head: bytes, path: Path) -> bool:
    """Whether a database is the CLI's, by its tables or, where those stand in the log, by its place."""
    return all(table in head for table in _TABLES) or (path.name == _NAME and ".cursor" in path.parts)


def read_cli(db: sqlite3.Connection, found: Found, path: Path) -> None:
    """Put the turns of one session into `found`."""
    meta = _meta(db, found.tally)
    session = string(meta, "agentId") or path.parent.name
    dialogue = Dialogue(found, tool=FORMAT, session=session, cwd=_beside(path))
    dialogue.at(meta.get("createdAt"))
    nth: Counter[str] = Counter()
    order, folder = _order(db, found.tally, string(meta, "latestRootBlobId"))
    dialogue.cwd = dialogue.cwd or folder
    for number, id in enumerate(order, start=1):
        nth[id] += 1
        for row in _message(db, found.tally, id, number):
            role = string(row, "role")
            if role == "user":
                _user(dialogue, row, number, id, nth[id], meta.get("createdAt"))
            elif role == "assistant":
                _agent(dialogue, row)
            elif role not in {"system", "tool"}:
                found.not_known(f"message of {role or 'nobody'}")


def _user(dialogue: Dialogue, row: Row, number: int, id: str, nth: int, time: object) -> None:
    texts = _texts(row)
    for text in texts:
        if (folder := _FOLDER.search(text)) and not dialogue.cwd:
            dialogue.cwd = folder.group(1)
    words = [match for text in texts for match in _QUERY.findall(text)]
    if not words and any(text.strip() and not text.lstrip().startswith("<") for text in texts):
        dialogue.found.not_known("user's message without <user_query>")
    request = string(mapping(mapping(row, "providerOptions"), "cursor"), "requestId")
    key: MessageKey = message_key(FORMAT, id) if request else message_key(FORMAT, dialogue.session, id, nth)
    dialogue.typed(key, words, line=number, record=id, time=time)


def _agent(dialogue: Dialogue, row: Row) -> None:
    for text in _texts(row):
        dialogue.says(text)
    for block in objects(row.get("content")):
        if block.get("type") == "tool-call":
            dialogue.calls(string(block, "toolName"), block.get("args"))


def _texts(row: Row) -> list[str]:
    content = row.get("content")
    if isinstance(content, str):
        return [string(row, "content")]
    return [string(block, "text") for block in objects(content) if block.get("type") == "text"]


def _meta(db: sqlite3.Connection, tally: Tally) -> Row:
    """What the database says of the session: JSON as text, or as hex digits of it."""
    for (value,) in query(db, tally, _META, (CAP,)):
        data = blob(value)
        try:
            data = data if data.startswith(b"{") else bytes.fromhex(data.decode("ascii"))
        except ValueError:
            tally.add("cut", 1)
            continue
        for row in decode(1, data, tally):
            return row
    return {}


def _order(db: sqlite3.Connection, tally: Tally, root: str) -> tuple[list[str], str]:
    """The ids of the messages in their order, and the folder where the root names it."""
    for (data,) in query(db, tally, _BLOB, (CAP, root)) if root else ():
        ids, folder = _listed(blob(data))
        if ids:
            return ids, folder
    return [str(id) for (id,) in query(db, tally, _ALL)], ""


def _listed(data: bytes) -> tuple[list[str], str]:
    """The hashes and the folder in a root blob; nothing where it is no protocol buffer that lists some."""
    ids: list[str] = []
    folder = ""
    try:
        for field, value in _fields(data):
            if field == _MESSAGE_FIELD and len(value) == _HASH_SIZE:
                ids.append(value.hex())
            elif field == _FOLDER_FIELD:
                folder = uri_path(value.decode("utf-8", "replace"))
    except (IndexError, ValueError):
        return [], ""
    return ids, folder


def _fields(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The fields of a protocol buffer with their bytes.

    Raises:
        IndexError, ValueError: it is none.
    """
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        field, wire = tag >> 3, tag & 7
        if wire == _VARINT:
            size = _varint(data, at)[1] - at
        elif wire == _BYTES:
            size, at = _varint(data, at)
        elif wire in {_FIXED64, _FIXED32}:
            size = 8 if wire == _FIXED64 else 4
        else:
            raise ValueError(wire)
        if not field or at + size > len(data):
            raise ValueError(field)
        yield field, data[at : at + size]
        at += size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return value, at
        if shift > 63:
            raise ValueError(shift)


def _message(db: sqlite3.Connection, tally: Tally, id: str, number: int) -> Iterator[Row]:
    for (data,) in query(db, tally, _BLOB, (CAP, id)):
        if data is None:
            tally.add("oversize", number)
        elif blob(data).startswith(b"{"):
            yield from decode(number, blob(data), tally)


def _beside(path: Path) -> str:
    """The folder by the file that newer versions write beside the database."""
    try:
        rows = decode(1, path.with_name("meta.json").read_bytes(), Tally())
    except OSError:
        return ""
    return next((string(row, "cwd") for row in rows), "")
