"""The ledger under kills, a full disk, damage, other processes and missing permissions."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

import ledger_child
from ingrained.errors import StoreError
from ingrained.store import faults
from ingrained.store.ledger import Ledger
from ledger_child import SECRET, base, move_on, work
from ledger_world import ME, read, state, turn

CHILD = Path(ledger_child.__file__)


def child(*arguments: str | Path) -> subprocess.Popen[str]:
    command = [sys.executable, str(CHILD), *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def told(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out


def all_rows(home: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row of every table but the times of migrations."""
    with contextlib.closing(sqlite3.connect(home / "ledger.db")) as connection:
        tables = [t for (t,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        found = {table: sorted(connection.execute(f"SELECT * FROM {table}"), key=repr) for table in tables}
    found["migrations"] = [row[:2] for row in found["migrations"]]
    return found


def bytes_with(home: Path, text: str) -> list[str]:
    return sorted(p.name for p in home.rglob("*") if p.is_file() and text.encode() in p.read_bytes())


def test_after_a_kill_at_every_point_the_next_run_equals_an_undisturbed_one(tmp_path: Path) -> None:
    base(tmp_path / "base")
    names = faults.points("ledger", "forget")
    assert len(names) == 15
    for name in [*names, "undisturbed"]:
        shutil.copytree(tmp_path / "base", tmp_path / name)
    work(tmp_path / "undisturbed")
    expected = all_rows(tmp_path / "undisturbed")
    assert bytes_with(tmp_path / "base", SECRET)

    statuses = json.loads(told(child("kill", "ledger", "forget", tmp_path)))
    assert statuses == dict.fromkeys(names, faults.KILLED)
    for name in names:
        work(tmp_path / name)
        assert all_rows(tmp_path / name) == expected, name
        assert bytes_with(tmp_path / name, SECRET) == [], name
        assert bytes_with(tmp_path / name, "use pnpm") == ["ledger.db"], name


def test_a_cut_off_forgetting_is_finished_by_whoever_opens_the_ledger_next(tmp_path: Path) -> None:
    base(tmp_path / "base")
    after_commit = ["forget.done", "forget.backups-removed", "forget.vacuumed", "forget.truncated"]
    for name in faults.points("forget"):
        shutil.copytree(tmp_path / "base", tmp_path / name)
    told(child("kill", "forget", tmp_path))
    for name in after_commit:
        with Ledger.open(tmp_path / name) as ledger:
            assert [m.turn.text for m in ledger.messages()] == ["use pnpm", "do not push"]
        assert bytes_with(tmp_path / name, SECRET) == [], name


def test_a_killed_migration_leaves_a_whole_ledger_of_one_version_or_another(tmp_path: Path) -> None:
    base(tmp_path / "base")
    names = faults.points("migrate")
    for name in [*names, "undisturbed"]:
        shutil.copytree(tmp_path / "base", tmp_path / name)
    move_on(tmp_path / "undisturbed")
    statuses = json.loads(told(child("kill", "migrate", tmp_path)))
    assert statuses == dict.fromkeys(names, faults.KILLED)
    for name in names:
        move_on(tmp_path / name)
        assert all_rows(tmp_path / name) == all_rows(tmp_path / "undisturbed"), name
        assert not list((tmp_path / name).glob("*-part*")), name
        backup = tmp_path / name / "ledger.db.v1.bak"
        shutil.copy(backup, tmp_path / "restored.db")
        with contextlib.closing(sqlite3.connect(backup)) as copy:
            assert copy.execute("PRAGMA user_version").fetchone() == (1,), name
            assert copy.execute("SELECT count(*) FROM sightings").fetchone() == (2,), name


@pytest.mark.slow
def test_killed_at_any_moment_nothing_is_lost_or_half_there(tmp_path: Path) -> None:
    random.seed(4)
    for n in range(50):
        home = tmp_path / str(n)
        process = child("write", "ana", "200", home)
        time.sleep(random.uniform(0.4, 1.2))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        told(child("write", "ana", "200", home))
        with Ledger.open(home) as ledger:
            assert len(ledger.messages()) == 201
            assert len(ledger.atoms("d", "1")) == 201
            assert len(ledger.decisions()) == 20


@pytest.mark.parametrize(
    "step", [f"{step}-{when}" for step in ("add", "decide", "atoms") for when in ("begun", "written")]
)
def test_a_full_disk_changes_nothing_and_says_so(tmp_path: Path, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    base(tmp_path)
    before = all_rows(tmp_path)
    monkeypatch.setenv(faults.VARIABLE, f"enospc:ledger.{step}")
    faults.reset()
    with pytest.raises(StoreError, match="No space left") as raised:
        work(tmp_path)
    assert "free some disk space" in raised.value.hint
    monkeypatch.delenv(faults.VARIABLE)
    if step.startswith("add"):
        assert all_rows(tmp_path) == before
    with Ledger.open(tmp_path) as ledger:
        assert SECRET in ledger.messages()[0].turn.text


def test_a_database_that_cannot_grow_says_so(tmp_path: Path) -> None:
    with Ledger.open(tmp_path) as ledger:
        ledger.add(ME, read("/l/1", [turn("use pnpm")]))
        before = state(ledger)
        ledger.database.connection.execute("PRAGMA max_page_count = 1")
        with pytest.raises(StoreError, match="the disk is full"):
            ledger.add(ME, read("/l/2", [turn("long " * 20000, key="b")]))
        assert state(ledger) == before


def test_every_damaged_page_is_an_error_or_harmless(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "base") as ledger:
        for n in range(40):
            ledger.add(ME, read(f"/l/{n}", [turn(f"say {n} " * 20, key=str(n), session=f"s{n}")]))
        expected = state(ledger)
    whole = (tmp_path / "base" / "ledger.db").read_bytes()
    home = tmp_path / "home"
    home.mkdir()
    refused: list[tuple[int, StoreError]] = []
    for page in range(0, len(whole), 4096):
        for damage in (b"\xff" * 64, b"\x00" * 4096):
            (home / "ledger.db").write_bytes(whole[:page] + damage + whole[page + len(damage) :])
            try:
                with Ledger.open(home) as ledger:
                    assert state(ledger) == expected
            except StoreError as error:
                refused.append((page, error))
    assert len(refused) > len(whole) // 4096
    # Without its mark on the first page the file may be anyone's.
    assert all("is damaged" in error.message and "ingrained learn" in error.hint for page, error in refused if page)


def test_a_cut_off_file_is_damaged(tmp_path: Path) -> None:
    base(tmp_path)
    path = tmp_path / "ledger.db"
    path.write_bytes(path.read_bytes()[:-5000])
    for read_only in (False, True):
        with pytest.raises(StoreError, match="is damaged"):
            Ledger.open(tmp_path, read_only=read_only)


def test_damage_is_never_answered_with_an_empty_ledger(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").write_bytes(b"not a database, and longer than a header of one hundred bytes" * 20)
    with pytest.raises(StoreError, match="is damaged"):
        Ledger.open(tmp_path)
    assert (tmp_path / "ledger.db").read_bytes().startswith(b"not a database")


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / "ledger.db")) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    before = (tmp_path / "ledger.db").read_bytes()
    with pytest.raises(StoreError, match="another program"):
        Ledger.open(tmp_path)
    assert (tmp_path / "ledger.db").read_bytes()[100:] == before[100:]


def test_two_writers_and_a_reader_at_once_lose_nothing(tmp_path: Path) -> None:
    count = 150
    processes = [child("write", name, str(count), tmp_path) for name in ("ana", "bo")]
    while not (tmp_path / "ledger.db").exists() or (tmp_path / "ledger.db").stat().st_size == 0:
        time.sleep(0.01)
    time.sleep(0.3)
    watcher = child("watch", tmp_path, "1.5")
    for process in processes:
        told(process)
    assert int(told(watcher)) > 3
    with Ledger.open(tmp_path) as ledger:
        texts = [m.turn.text for m in ledger.messages()]
        assert sorted(texts) == sorted(
            ["yes", *(f"say {n}" for n in range(count)), *(f"say {n}" for n in range(count))]
        )
        assert ledger.unjudged("d", "1") == []
        assert len(ledger.decisions()) == 2 * count // 10
        assert ledger.totals().files == 2 * count + 1


def test_a_folder_that_cannot_be_written_is_said_and_can_be_read() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        base(folder / "home")
        folder.chmod(0o755)
        (folder / "home").chmod(0o555)
        (folder / "home" / "ledger.db").chmod(0o444)
        try:
            found = json.loads(told(child("denied", folder / "home")))
        finally:
            (folder / "home").chmod(0o700)
    assert "cannot write in the home folder" in found["message"]
    assert "--home" in found["hint"]
    assert found["read"] == 2


def test_a_file_in_place_of_the_home_folder(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("hello", encoding="utf-8")
    with pytest.raises(StoreError, match="is a file"):
        Ledger.open(tmp_path / "home")


def test_reading_before_anything_was_learned(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no ledger") as raised:
        Ledger.open(tmp_path, read_only=True)
    assert raised.value.hint == "ingrained learn"
    assert list(tmp_path.iterdir()) == []


def test_reading_changes_nothing(tmp_path: Path) -> None:
    base(tmp_path)
    with Ledger.open(tmp_path, read_only=True) as ledger, pytest.raises(StoreError, match="cannot write"):
        ledger.ignore("x")


def test_a_link_in_place_of_the_ledger_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "ledger.db").symlink_to(tmp_path / "elsewhere.db")
    with pytest.raises(StoreError):
        Ledger.open(tmp_path)
    assert not (tmp_path / "elsewhere.db").exists()
