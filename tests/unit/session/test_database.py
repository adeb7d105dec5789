"""Reading databases of other programs: a copy of one moment, and nothing is left behind or touched."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from ingrained.errors import EnvironmentFaultError
from ingrained.session.jsonl import Tally
from ingrained.session.read import read_source
from ingrained.session.readers import database
from ingrained.session.readers.database import columns, opened_copy, query
from ingrained.session.sources import source_of
from session_logs import Masking


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where copies are made."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def numbers(path: Path, tally: Tally) -> list[object]:
    with opened_copy(path, tally) as db:
        return [] if db is None else [value for (value,) in query(db, tally, "SELECT n FROM t ORDER BY n")]


def filled(path: Path, count: int) -> Path:
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA synchronous = OFF")
        db.execute("CREATE TABLE t (n INTEGER, filler TEXT)")
        db.executemany("INSERT INTO t VALUES (?, ?)", [(n, "x" * 500) for n in range(count)])
    return path


def kinds(tally: Tally) -> list[str]:
    return [damage.kind for damage in tally.damage()]


def test_a_transaction_that_is_going_on_is_not_seen(tmp_path: Path, place: Path) -> None:
    path = filled(tmp_path / "a.db", 400)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA cache_size = 2")
        db.execute("BEGIN EXCLUSIVE")
        db.execute("UPDATE t SET n = n + 1000")
        assert path.with_name("a.db-journal").stat().st_size > 0
        tally = Tally()
        assert numbers(path, tally) == list(range(400))
        db.execute("ROLLBACK")
    assert kinds(tally) == []
    assert list(place.iterdir()) == []


def test_a_database_that_changes_while_it_is_copied_is_left_for_the_next_run(
    tmp_path: Path, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = filled(tmp_path / "a.db", 3)
    left = 10
    real = shutil.copyfile

    def copy_and_change(source: Path, target: Path) -> None:
        nonlocal left
        real(source, target)
        if left:
            left -= 1
            os.utime(path, ns=(left, left))

    monkeypatch.setattr(database.shutil, "copyfile", copy_and_change)
    tally = Tally()
    assert (numbers(path, tally), kinds(tally)) == ([], ["torn"])
    left, tally = 2, Tally()
    assert (numbers(path, tally), kinds(tally)) == ([0, 1, 2], [])
    assert list(place.iterdir()) == []


def test_nothing_can_be_written_and_what_is_broken_is_counted(tmp_path: Path, place: Path) -> None:
    path = filled(tmp_path / "a.db", 400)
    tally = Tally()
    with opened_copy(path, tally) as db:
        assert db is not None
        assert columns(db, "t") == {"n", "filler"}
        assert columns(db, "no such table") == frozenset()
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            db.execute("DELETE FROM t")
    whole = path.read_bytes()
    path.write_bytes(whole[:8192] + bytes(len(whole) - 8192))
    assert len(numbers(path, tally)) < 400
    assert kinds(tally) == ["cut"]
    assert list(place.iterdir()) == []


def test_texts_that_are_no_unicode_are_read(tmp_path: Path, place: Path) -> None:
    path = tmp_path / "a.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("CREATE TABLE t (n TEXT)")
        db.execute("INSERT INTO t VALUES (CAST(x'61ff' AS TEXT))")
    assert numbers(path, Tally()) == ["a\N{REPLACEMENT CHARACTER}"]


def test_no_room_for_a_copy_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = filled(tmp_path / "opencode.db", 3)
    source = source_of(path)
    assert source is not None
    monkeypatch.setattr(database, "_SPARE", 10**18)
    with pytest.raises(EnvironmentFaultError, match="no room for a copy of 0 MB; TMPDIR names another"):
        read_source(source, cursor=None, redactor=Masking())
