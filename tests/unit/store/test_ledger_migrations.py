"""Ledgers of every released version open, newer ones are refused, and what is migrated is copied first.

`tests/golden/ledger/v<n>.sql` is a ledger as version n wrote it, `v<n>.json` what it has to tell for ever; neither is
ever written again.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import stat
from dataclasses import asdict
from pathlib import Path

import pytest

from ingrained.errors import StoreError
from ingrained.store.database import Database
from ingrained.store.forget import forget
from ingrained.store.ledger import Ledger
from ingrained.store.migrations import MIGRATIONS, Migration
from ledger_child import LATER, base, move_on
from ledger_world import ME, read, state, turn

GOLDEN = Path(__file__).parents[2] / "golden" / "ledger"


def restore(version: int, home: Path) -> Path:
    with contextlib.closing(sqlite3.connect(home / "ledger.db")) as connection:
        connection.executescript((GOLDEN / f"v{version}.sql").read_text(encoding="utf-8"))
    return home


def plain(ledger: Ledger) -> object:
    found = state(ledger)
    told = {
        "people": found["people"],
        "messages": [asdict(message) for message in ledger.messages()],
        "sessions": [[*ref, asdict(fact)] for ref, fact in ledger.sessions().items()],
        "totals": asdict(ledger.totals()),
        "atoms": [asdict(atom) for atom in ledger.atoms("d", "1")],
        "unjudged": [turn.key for turn in ledger.unjudged("d", "1")],
        "decisions": [decision.model_dump(mode="json") for decision in ledger.decisions()],
        "ignored": ledger.ignored(),
        "cursor": asdict(ledger.cursor(ME, "/me/1.jsonl")),  # type: ignore[arg-type]
    }
    return json.loads(json.dumps(told, default=str))


def without_news(told: object, golden: object) -> object:
    """What is told, without fields that were not there when the golden file was written."""
    if isinstance(told, dict) and isinstance(golden, dict):
        return {key: without_news(told[key], golden[key]) for key in golden if key in told}
    if isinstance(told, list) and isinstance(golden, list) and len(told) == len(golden):
        return [without_news(one, old) for one, old in zip(told, golden, strict=True)]
    return told


def versions() -> list[int]:
    return sorted(int(path.stem.removeprefix("v")) for path in GOLDEN.glob("v*.sql"))


def test_every_released_version_has_a_golden_ledger() -> None:
    assert versions() == list(range(1, len(MIGRATIONS) + 1))


@pytest.mark.parametrize("version", versions())
def test_a_ledger_of_an_older_version_tells_what_it_told(version: int, tmp_path: Path) -> None:
    with Ledger.open(restore(version, tmp_path)) as ledger:
        golden = json.loads((GOLDEN / f"v{version}.json").read_text(encoding="utf-8"))
        assert without_news(plain(ledger), golden) == golden
        forgotten = ledger.add(ME, read("/me/2.jsonl", [turn("the garden gate is 4711", key="gate", session="gone")]))
        assert forgotten.forgotten == 1


def test_a_migration_copies_the_ledger_before(tmp_path: Path) -> None:
    base(tmp_path)
    with Ledger.open(tmp_path) as ledger:
        before = state(ledger)
    move_on(tmp_path)
    backup = tmp_path / "ledger.db.v1.bak"
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    (tmp_path / "restored").mkdir()
    backup.rename(tmp_path / "restored" / "ledger.db")
    with Ledger.open(tmp_path / "restored") as ledger:
        assert state(ledger) == before
    with contextlib.closing(sqlite3.connect(tmp_path / "ledger.db")) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (3,)
        names = connection.execute("SELECT name FROM migrations ORDER BY n").fetchall()
    assert names == [("first-tables",), ("later",), ("latest",)]


def test_a_new_ledger_needs_no_copy(tmp_path: Path) -> None:
    move_on(tmp_path)
    assert not list(tmp_path.glob("*.bak*"))


def test_a_ledger_of_a_newer_version_is_refused_untouched(tmp_path: Path) -> None:
    base(tmp_path)
    move_on(tmp_path)
    before = (tmp_path / "ledger.db").read_bytes()
    for read_only in (False, True):
        with pytest.raises(StoreError, match="version 3; this program knows versions up to 1") as raised:
            Ledger.open(tmp_path, read_only=read_only)
        assert "upgrade" in raised.value.hint
    assert (tmp_path / "ledger.db").read_bytes() == before


def test_an_older_ledger_is_not_migrated_by_reading(tmp_path: Path) -> None:
    base(tmp_path)
    with pytest.raises(StoreError, match="version 1, this program uses 3") as raised:
        Database.open(tmp_path, read_only=True, migrations=LATER)
    assert "ingrained learn" in raised.value.hint
    assert not list(tmp_path.glob("*.bak*"))


def test_a_migration_that_fails_leaves_the_version_before_it(tmp_path: Path) -> None:
    def fail(connection: sqlite3.Connection) -> None:
        connection.execute("DROP TABLE ignores")
        connection.execute("SELECT * FROM nowhere")

    base(tmp_path)
    with pytest.raises(sqlite3.OperationalError, match="nowhere"):
        Database.open(tmp_path, migrations=[*LATER[:2], Migration(name="bad", apply=fail)])
    with contextlib.closing(Database.open(tmp_path, migrations=LATER[:2]).connection) as connection:
        assert connection.execute("SELECT why FROM ignores").fetchall() == []


def test_forgetting_takes_the_copies_of_older_versions_too(tmp_path: Path) -> None:
    base(tmp_path)
    backup = tmp_path / "ledger.db.v1.bak"
    backup.write_bytes((tmp_path / "ledger.db").read_bytes())
    with Ledger.open(tmp_path) as ledger:
        forget(ledger, sessions=["s2"])
    assert not backup.exists()
