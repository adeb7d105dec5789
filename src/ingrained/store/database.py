"""The SQLite file under the ledger: opening, checking, transactions, and errors that say what to do.

One resolved path, write-ahead log, every transaction begun as a writer: two processes then wait for each other and
never meet in a half-made change. What cannot be gone on with (damage, a full disk, a newer version) is a `StoreError`
here and nowhere turns into an empty answer.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote

from ingrained.errors import StoreError
from ingrained.store.faults import point, register
from ingrained.store.files import file_error, make_home, way_out
from ingrained.store.migrations import APPLICATION_ID, MIGRATIONS, Migration, backups, migrate, refuse_newer, version_of

LEDGER_NAME: Final = "ledger.db"
BUSY_S: Final = 30.0
"""How long another process may hold the ledger before an error says so; its transactions take milliseconds."""

register("ledger", *(f"{step}-{when}" for step in ("add", "atoms", "decide") for when in ("begun", "written", "done")))
register("forget", "begun", "written", "done", "backups-removed", "vacuumed", "truncated")

_NO_FOLLOW: Final[int] = getattr(os, "O_NOFOLLOW", 0)
_SOON_S: Final = 1.0


class Database:
    """An open ledger file. One thread of one process holds one."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        """Use `Database.open`."""
        self.path = path
        self.connection = connection

    @classmethod
    def open(cls, home: Path, *, read_only: bool = False, migrations: Sequence[Migration] = MIGRATIONS) -> Database:
        """The ledger file in `home`, checked for damage, at the version that `migrations` lead to.

        Raises:
            StoreError: see `Ledger.open`.
        """
        path = home.resolve() / LEDGER_NAME
        if not read_only:
            make_home(path.parent)
        with typed(path):
            connection = _connect_to_read(path) if read_only else _connect_to_write(path)
            try:
                _check(connection, path)
                if read_only:
                    _require_current(version_of(connection), len(migrations), path)
                else:
                    migrate(connection, path, migrations)
                opened = cls(connection, path)
                if not read_only and opened.scrub_pending():
                    opened.scrub(wait_s=_SOON_S)
            except BaseException:
                connection.close()
                raise
        return opened

    @contextmanager
    def reading(self) -> Generator[sqlite3.Connection, None, None]:
        """Several reads that see one state: that of the transaction around them, where there is one."""
        with typed(self.path):
            if self.connection.in_transaction:
                yield self.connection
                return
            self.connection.execute("BEGIN")
            try:
                yield self.connection
            finally:
                self.connection.execute("ROLLBACK")

    @contextmanager
    def writing(self, step: str = "", *, durable: bool = False) -> Generator[sqlite3.Connection, None, None]:
        """One transaction that writes: all of it happens, or nothing. `step` names its kill points.

        One that is not `durable` may be lost in a power cut, whole; what a log gave is then read again.
        """
        with typed(self.path):
            self.connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                if step:
                    point(f"{step}begun")
                yield self.connection
                if step:
                    point(f"{step}written")
                self.connection.execute("COMMIT")
            except BaseException:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise
            if step:
                point(f"{step}done")

    def meta(self, name: str) -> str:
        """A value of the ledger's own; empty where there is none."""
        row = self.connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
        return "" if row is None else str(row[0])

    def want_scrub(self) -> None:
        """Within a transaction: whoever opens the ledger next scrubs it, unless `scrub` is done before."""
        self.connection.execute("INSERT OR REPLACE INTO meta VALUES ('scrub', 'wanted')")

    def scrub_pending(self) -> bool:
        """Whether bytes of deleted rows may still be in the files."""
        return self.meta("scrub") != ""

    def scrub(self, *, wait_s: float = BUSY_S) -> bool:
        """Remove every byte of deleted rows: backups, free pages, the write-ahead log; whether all of it is done.

        False where another process kept reading an older state for `wait_s`, or the disk is too full to rewrite the
        file; it stays pending then, and the next one to open the ledger tries again.
        """
        self.connection.execute(f"PRAGMA busy_timeout = {int(wait_s * 1000)}")
        try:
            for backup in backups(self.path):
                backup.unlink(missing_ok=True)
            point("forget.backups-removed")
            self.connection.execute("VACUUM")
            point("forget.vacuumed")
            busy, _, _ = self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if busy:
                return False
            point("forget.truncated")
            self.connection.execute("DELETE FROM meta WHERE name = 'scrub'")
        except sqlite3.OperationalError:
            return False
        finally:
            self.connection.execute(f"PRAGMA busy_timeout = {int(BUSY_S * 1000)}")
        return True


@contextmanager
def typed(path: Path) -> Generator[None, None, None]:
    """Turn what SQLite and the system say about the file at `path` into a `StoreError`."""
    try:
        yield
    except sqlite3.Error as error:
        found = _store_error(error, path)
        if found is None:
            raise
        raise found from error
    except StoreError:
        raise
    except OSError as error:
        raise file_error("write", path, error) from error


def _store_error(error: sqlite3.Error, path: Path) -> StoreError | None:
    """`None` for what is no fault of the file or its surroundings, but a mistake of ours."""
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return StoreError(
                f"another process has held {str(path)!r} for over {BUSY_S:.0f} seconds",
                hint="wait for it to end, or stop it, and run the same command again",
            )
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return _damaged(path, str(error))
        case sqlite3.SQLITE_FULL:
            return StoreError(f"cannot write {str(path)!r}: the disk is full", hint=way_out(errno.ENOSPC))
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return StoreError(f"cannot write {str(path)!r}: {error}", hint=way_out(errno.EACCES))
        case sqlite3.SQLITE_IOERR:
            return StoreError(
                f"the disk failed while {str(path)!r} was used: {error}",
                hint="check the disk and its free space, then run ingrained doctor",
            )
        case _:
            return None


def _damaged(path: Path, detail: str) -> StoreError:
    kept = [str(backup) for backup in backups(path)]
    copy = f", or put the copy {kept[-1]!r} in its place" if kept else ""
    return StoreError(
        f"the ledger {str(path)!r} is damaged: {detail}",
        hint=f"nothing was changed; move it away with its -wal and -shm files{copy}, then run ingrained learn, which "
        "reads the logs again (your decisions are in the damaged file: `sqlite3 FILE .recover` may save them)",
    )


def _connect_to_write(path: Path) -> sqlite3.Connection:
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | _NO_FOLLOW, 0o600))
    connection = _connect(path, "mode=rw")
    deadline = time.monotonic() + BUSY_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return connection
        except sqlite3.OperationalError as error:
            # Two processes that create the ledger at once: SQLite does not wait here by itself.
            busy = getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY
            if not busy or time.monotonic() > deadline:
                connection.close()
                raise
            time.sleep(0.02)
        except BaseException:
            connection.close()
            raise


def _connect_to_read(path: Path) -> sqlite3.Connection:
    if not path.exists():
        raise StoreError(f"there is no ledger at {str(path)!r} yet", hint="ingrained learn")
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        connection = _connect(path, "mode=rw")
        connection.execute("PRAGMA query_only = ON")
        return connection
    log = path.with_name(path.name + "-wal")
    # Without a write-ahead log nothing is missed by reading the file as it lies, which needs no lock files.
    alone = not log.exists() or log.stat().st_size == 0
    return _connect(path, "mode=ro&immutable=1" if alone else "mode=ro")


def _connect(path: Path, how: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"file:{quote(os.fsencode(path))}?{how}", uri=True, timeout=BUSY_S, isolation_level=None
    )
    for pragma in ("foreign_keys = ON", "secure_delete = ON", "temp_store = MEMORY"):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def _check(connection: sqlite3.Connection, path: Path) -> None:
    mark = connection.execute("PRAGMA application_id").fetchone()[0]
    if mark != APPLICATION_ID:
        if mark == 0 and connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0] == 0:
            return
        raise StoreError(
            f"{str(path)!r} is a database of another program (application id {mark:#x})",
            hint="move it away, or choose another home folder with --home DIR",
        )
    found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        raise _damaged(path, str(found))


def _require_current(found: int, known: int, path: Path) -> None:
    refuse_newer(found, known, path)
    if found < known:
        raise StoreError(
            f"{str(path)!r} is a ledger of version {found}, this program uses {known}",
            hint="ingrained learn brings it up to date (a copy of the old one is kept)",
        )
