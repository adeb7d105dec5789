"""Databases of other programs, read without touching them.

A database belongs to a program that may be writing to it, so it is never opened where it lies: `opened_copy` copies it,
with the write-ahead log beside it, into a temporary folder of the person's own, and reads that. The `-shm` file is not
copied: it is an index of the log for programs that run at the same time, and the first to open a database makes it
anew. What is damaged, unfinished or of another shape is counted, never raised.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from errno import ENOSPC
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import TypeAlias

from ingrained.session.jsonl import Tally

MAGIC = b"SQLite format 3\0"

_LARGE = "/var/tmp"  # noqa: S108 - a folder of our own is made in it
_SPARE = 64 * 1024 * 1024
_TRIES = 3
_WAL_HEADER = 32
_LOGS = ("-wal", "-journal")

_FAULTS = (sqlite3.Error, UnicodeError, MemoryError)
"""What a damaged database raises; where its message is no Unicode, that is the error."""

Cell: TypeAlias = str | bytes | int | float | None


def logs_of(path: Path) -> list[Path]:
    """The files beside a database in which a part of it may stand."""
    return [path.with_name(path.name + ending) for ending in _LOGS]


@contextmanager
def opened_copy(path: Path, tally: Tally) -> Generator[sqlite3.Connection | None]:
    """A copy of a database, opened for reading; `None` where there is nothing to read, which `tally` then says.

    Raises:
        OSError: the file is gone or may not be read, or there is no room for a copy.
    """
    place = _roomy(sum(file.stat().st_size for file in (path, *logs_of(path)) if file.is_file()))
    with TemporaryDirectory(prefix="ingrained-", dir=place, ignore_cleanup_errors=True) as folder:
        copy = Path(folder) / "copy.db"
        if not _copied(path, copy):
            tally.add("torn", 1)
            yield None
            return
        with closing(sqlite3.connect(copy, isolation_level=None)) as db:
            if not _is_sound(db):
                tally.add("cut", 1)
                yield None
                return
            yield db


def _roomy(size: int) -> str:
    """A temporary folder with room for so many bytes; the usual one may be in memory.

    Raises:
        OSError: there is none.
    """
    for place in (gettempdir(), _LARGE):
        if Path(place).is_dir() and shutil.disk_usage(place).free > size + _SPARE:
            return place
    raise OSError(ENOSPC, f"no room for a copy of {size / 1e6:,.0f} MB; TMPDIR names another temporary folder")


def _copied(path: Path, copy: Path) -> bool:
    """Whether the copy is of one moment: nobody moved pages into the database while it was taken."""
    for _ in range(_TRIES):
        before = _moment(path)
        for source, target in zip((path, *logs_of(path)), (copy, *logs_of(copy)), strict=True):
            target.unlink(missing_ok=True)
            if source == path or source.is_file():
                try:
                    shutil.copyfile(source, target)
                except FileNotFoundError:
                    if source == path:
                        raise
        if _moment(path) == before:
            return True
    return False


def _moment(path: Path) -> tuple[object, ...]:
    """What stays the same while a program only appends to the write-ahead log."""
    info = path.stat()
    wal, journal = logs_of(path)
    return info.st_size, info.st_mtime_ns, _start(wal), _start(journal)


def _start(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_WAL_HEADER)
    except OSError:
        return b""


def _is_sound(db: sqlite3.Connection) -> bool:
    """Whether the database answers at all; nothing in it may run or write from here on."""
    db.text_factory = _text
    try:
        db.execute("PRAGMA trusted_schema = OFF")
        db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        db.execute("PRAGMA query_only = ON")
    except _FAULTS:
        return False
    return True


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def columns(db: sqlite3.Connection, table: str) -> frozenset[str]:
    """The names of a table's columns, empty where there is no such table."""
    try:
        return frozenset(str(row[1]) for row in db.execute(f"PRAGMA table_info({table})"))
    except _FAULTS:
        return frozenset()


def query(db: sqlite3.Connection, tally: Tally, sql: str, values: Sequence[Cell] = ()) -> Iterator[tuple[Cell, ...]]:
    """The rows of a query; a page that cannot be read is counted, and ends it."""
    try:
        yield from db.execute(sql, values)
    except _FAULTS:
        tally.add("cut", 1)


def blob(value: Cell) -> bytes:
    """A cell as bytes, whether it was stored as text or not."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    return value if isinstance(value, bytes) else b""
