"""How a ledger of an older version becomes one of today's: a list of named steps, each whole or not at all.

The number of steps applied is the ledger's version (`user_version`); a step, once released, is never changed, only
followed by another. Before the first step on a ledger that holds something, its file is copied beside it.
"""

from __future__ import annotations

import contextlib
import secrets
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from ingrained.errors import StoreError
from ingrained.store.faults import point, register
from ingrained.store.files import sync_folder

register("migrate", "before-backup", "backup-written", "begun", "applied", "committed")

APPLICATION_ID: Final = 0x1269A14D
"""Marks a SQLite file as a ledger of ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """One step. `apply` runs inside a transaction that also records the step."""

    name: str
    apply: Callable[[sqlite3.Connection], None]


def _first_tables(connection: sqlite3.Connection) -> None:
    for statement in _FIRST_TABLES:
        connection.execute(statement)
    connection.execute("INSERT INTO meta VALUES ('salt', ?)", (secrets.token_hex(32),))


_FIRST_TABLES: Final = (
    "CREATE TABLE migrations (n INTEGER PRIMARY KEY, name TEXT NOT NULL, applied TEXT NOT NULL)",
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    # One row per log. `cursor` says how far it was read; `stats` holds the sums over all passes.
    """CREATE TABLE files (
        path TEXT PRIMARY KEY, person TEXT NOT NULL, reader TEXT NOT NULL, cursor TEXT NOT NULL, stats TEXT NOT NULL
    )""",
    """CREATE TABLE sessions (
        path TEXT NOT NULL REFERENCES files ON UPDATE CASCADE ON DELETE CASCADE,
        tool TEXT NOT NULL, session TEXT NOT NULL, facts TEXT NOT NULL, PRIMARY KEY (path, tool, session)
    ) WITHOUT ROWID""",
    # One row per message and log. Rows of one log depend on that log's own history alone, so the order in which logs
    # are read cannot matter. `content` is the hash of what a decomposer judges; `rank` sorts the text to keep first.
    """CREATE TABLE sightings (
        path TEXT NOT NULL REFERENCES files ON UPDATE CASCADE ON DELETE CASCADE,
        key TEXT NOT NULL, tool TEXT NOT NULL, session TEXT NOT NULL, record TEXT NOT NULL, line INTEGER NOT NULL,
        time TEXT, cwd TEXT NOT NULL, branch TEXT NOT NULL, text TEXT NOT NULL, form TEXT NOT NULL, act TEXT NOT NULL,
        after_interrupt INTEGER NOT NULL, by_tag INTEGER NOT NULL, live INTEGER NOT NULL,
        content TEXT NOT NULL, rank TEXT NOT NULL, PRIMARY KEY (path, key)
    )""",
    "CREATE INDEX sightings_by_key ON sightings (key)",
    # Which words a decomposer has judged, and what it found in them; several versions stand side by side.
    """CREATE TABLE judged (
        name TEXT NOT NULL, version TEXT NOT NULL, message TEXT NOT NULL, content TEXT NOT NULL,
        PRIMARY KEY (name, version, message, content)
    ) WITHOUT ROWID""",
    """CREATE TABLE atoms (
        name TEXT NOT NULL, version TEXT NOT NULL, message TEXT NOT NULL, content TEXT NOT NULL, n INTEGER NOT NULL,
        start INTEGER NOT NULL, atom TEXT NOT NULL, PRIMARY KEY (name, version, message, content, n),
        FOREIGN KEY (name, version, message, content) REFERENCES judged ON DELETE CASCADE
    )""",
    "CREATE INDEX judged_by_message ON judged (message)",
    "CREATE INDEX atoms_by_message ON atoms (message)",
    "CREATE TABLE decisions (id TEXT PRIMARY KEY, time TEXT NOT NULL, decision TEXT NOT NULL)",
    # Keyed hashes of what was forgotten; `lineage` ties those of one independent session together.
    "CREATE TABLE tombstones (hash TEXT NOT NULL, lineage TEXT NOT NULL, PRIMARY KEY (hash, lineage)) WITHOUT ROWID",
    "CREATE TABLE ignores (pattern TEXT PRIMARY KEY) WITHOUT ROWID",
)

MIGRATIONS: Final[tuple[Migration, ...]] = (Migration(name="first-tables", apply=_first_tables),)


def version_of(connection: sqlite3.Connection) -> int:
    """Steps that the ledger has had; 0 for an empty file."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def backups(path: Path) -> list[Path]:
    """Copies that migrations of the ledger at `path` left beside it, and pieces of copies that were cut off."""
    return sorted(path.parent.glob(f"{path.name}.v*.bak*"))


def refuse_newer(found: int, known: int, path: Path) -> None:
    """Raise where the ledger is of a version that this program does not know.

    Raises:
        StoreError: it is.
    """
    if found > known:
        raise StoreError(
            f"{str(path)!r} is a ledger of version {found}; this program knows versions up to {known}",
            hint="upgrade: pip install --upgrade ingrained",
        )


def migrate(connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration] = MIGRATIONS) -> list[str]:
    """Bring the ledger at `path`, open on `connection`, to the newest version; the names of the steps taken.

    Several processes may do this at once: each step is taken by one of them. A kill leaves a whole older or newer
    version.

    Raises:
        StoreError: the ledger was written by a newer version of the program; nothing was changed.
        sqlite3.Error: the disk is full, or the like; the step that failed was rolled back.
    """
    known = len(migrations)
    found = version_of(connection)
    refuse_newer(found, known, path)
    if 0 < found < known:
        _back_up(connection, path, found)
    taken: list[str] = []
    for n, migration in enumerate(migrations, start=1):
        if found < n and _take(connection, n, migration):
            taken.append(migration.name)
    return taken


def _take(connection: sqlite3.Connection, n: int, migration: Migration) -> bool:
    connection.execute("BEGIN IMMEDIATE")
    try:
        if version_of(connection) >= n:
            connection.execute("ROLLBACK")
            return False
        point("migrate.begun")
        migration.apply(connection)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        connection.execute("INSERT INTO migrations VALUES (?, ?, ?)", (n, migration.name, now))
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {n}")
        point("migrate.applied")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    point("migrate.committed")
    return True


def _back_up(connection: sqlite3.Connection, path: Path, version: int) -> None:
    """Copy the whole ledger, write-ahead log included, to `ledger.db.v<version>.bak`."""
    target = path.with_name(f"{path.name}.v{version}.bak")
    part = target.with_name(f"{target.name}-part")
    # The write lock keeps out other processes that migrate: nobody copies a ledger that has moved on meanwhile.
    connection.execute("BEGIN IMMEDIATE")
    try:
        if version_of(connection) != version:
            return
        point("migrate.before-backup")
        _remove_with_journals(part)
        part.touch(mode=0o600)
        with (
            contextlib.closing(sqlite3.connect(path, isolation_level=None)) as source,
            contextlib.closing(sqlite3.connect(part, isolation_level=None)) as copy,
        ):
            source.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")
        point("migrate.backup-written")
        part.replace(target)
        sync_folder(target.parent)
    except BaseException:
        _remove_with_journals(part)
        raise
    finally:
        connection.execute("ROLLBACK")


def _remove_with_journals(path: Path) -> None:
    for ending in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + ending).unlink(missing_ok=True)
