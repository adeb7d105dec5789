"""What is forgotten is gone to the byte, stays away, and takes nothing else with it."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingrained.errors import StoreError
from ingrained.feedback.decompose import Atom
from ingrained.ids import PersonId, atom_key, normal_text
from ingrained.session.lineage import Message, SessionRef, independent_sessions
from ingrained.session.read import read_file
from ingrained.session.session import FileRead, Redaction, Turn
from ingrained.skill.rule import Decision
from ingrained.store.database import Database
from ingrained.store.forget import ForgetReport, forget
from ingrained.store.ledger import Ledger
from ledger_world import ME, START, Log, facts, logs, read, state, turn

ANA = PersonId("ana")
SECRET = "Wombat-4711-quince"
FORGOTTEN = turn(f"never say {SECRET}", key="secret", session="s1", line=3, minute=10)
BESIDE = turn("use pnpm", key="beside", session="s1", line=9, minute=11)
ELSEWHERE = turn("use pnpm", key="elsewhere", session="s5", line=1, minute=50)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path) as opened:
        opened.add(ME, read("/l/s1", [FORGOTTEN, BESIDE]))
        opened.add(ME, read("/l/s5", [ELSEWHERE]))
        yield opened


def texts(ledger: Ledger) -> list[str]:
    return [message.turn.text for message in ledger.messages()]


def bytes_with(home: Path, text: str) -> list[str]:
    return sorted(p.name for p in home.rglob("*") if p.is_file() and text.encode() in p.read_bytes())


def atom(of: Turn) -> Atom:
    return Atom(
        message=of.key, start=0, quote=of.text, text=of.text, kind="other", polarity="do", transferable=True, confidence=1
    )  # fmt: skip


def pin(*of: Turn, text: str = "") -> Decision:
    return Decision(action="pin", atoms=tuple(atom_key(one.key, 0) for one in of), time=START, text=text)


def test_no_byte_is_left(ledger: Ledger, tmp_path: Path) -> None:
    (tmp_path / "ledger.db.v1.bak").write_bytes(SECRET.encode())
    log = read("/l/s1", [FORGOTTEN, BESIDE])
    ledger.add(ME, replace(log, cursor=replace(log.cursor, state={"version": 1, "state": {"last": SECRET}})))
    ledger.add_atoms("d", "1", {FORGOTTEN.key: [atom(FORGOTTEN)]})
    ledger.decide(pin(FORGOTTEN, text=f"Never say {SECRET}."))
    assert set(bytes_with(tmp_path, SECRET)) == {"ledger.db-wal", "ledger.db.v1.bak"}
    report = forget(ledger, messages=[FORGOTTEN.key])
    assert report == ForgetReport(messages=1, copies=1, sessions=0, atoms=1, decisions=1)
    assert bytes_with(tmp_path, SECRET) == []
    assert bytes_with(tmp_path, FORGOTTEN.key) == []
    ledger.close()
    assert bytes_with(tmp_path, SECRET) == []
    assert bytes_with(tmp_path, "use pnpm") == ["ledger.db"]


def test_many_pages_of_words_leave_no_byte(ledger: Ledger, tmp_path: Path) -> None:
    long = [turn(f"Numbat-{SECRET} {n} " + "x" * 9000, key=f"l{n}", session="long", line=n + 1) for n in range(40)]
    ledger.add(ME, read("/l/long", long))
    ledger.add_atoms("d", "1", {one.key: [atom(one)] for one in long})
    forget(ledger, sessions=["long"])
    assert bytes_with(tmp_path, "Numbat") == []
    assert ledger.path.stat().st_size < 200_000
    assert len(texts(ledger)) == 3


def test_it_does_not_come_back(ledger: Ledger) -> None:
    forget(ledger, messages=[FORGOTTEN.key])
    again = ledger.add(ME, read("/l/s1", [FORGOTTEN, BESIDE]))
    assert (again.new, again.copies, again.forgotten) == (0, 1, 1)
    fork = replace(FORGOTTEN, session="s2", text=f"never  say {SECRET} ")
    assert ledger.add(ME, read("/l/s2", [fork])).forgotten == 1
    assert texts(ledger) == ["use pnpm", "use pnpm"]


def test_a_copy_that_is_worded_otherwise_does_not_come_back(ledger: Ledger) -> None:
    forget(ledger, messages=[FORGOTTEN.key])
    longer = replace(FORGOTTEN, session="s3", text=f"{FORGOTTEN.text}, and more")
    assert ledger.add(ME, read("/l/s3", [longer])).forgotten == 1
    assert texts(ledger) == ["use pnpm", "use pnpm"]


def test_what_a_reader_remembers_of_forgotten_words_is_not_kept(ledger: Ledger, tmp_path: Path) -> None:
    forget(ledger, messages=[FORGOTTEN.key])
    log = read("/l/s1", [FORGOTTEN, BESIDE])
    log = replace(log, cursor=replace(log.cursor, state={"version": 1, "state": {"last": SECRET}}))
    ledger.add(ME, log)
    kept = ledger.cursor(ME, "/l/s1")
    assert kept == replace(log.cursor, offset=0, prefix="", line=0, state={"version": 1})
    assert bytes_with(tmp_path, SECRET) == []


@pytest.mark.parametrize("link", ["forked-from", "shared-message", "fork-of-a-fork", "same-uuid"])
def test_a_copy_under_another_key_does_not_come_back(tmp_path: Path, link: str) -> None:
    uuid = "019d0000-0000-7000-8000-000000000001"
    copy = replace(turn(f"never say\n{SECRET}", key="other", session="s2"), tool="codex")
    first = replace(FORGOTTEN, session=uuid, tool="codex")
    beside = replace(BESIDE, session=uuid, tool="codex")
    with Ledger.open(tmp_path) as ledger:
        ledger.add(ME, read("/l/1", [first, beside], [facts(uuid, tool="codex")]))
        forget(ledger, messages=[first.key])
        match link:
            case "forked-from":
                added = ledger.add(ME, read("/l/2", [copy], [facts("s2", tool="codex", forked_from=uuid)]))
            case "shared-message":
                shared = replace(beside, session="s2", line=1)
                added = ledger.add(ME, read("/l/2", [shared, replace(copy, line=2)]))
            case "fork-of-a-fork":
                ledger.add(
                    ME, read("/l/3", [replace(beside, session="s3")], [facts("s3", tool="codex", forked_from=uuid)])
                )
                added = ledger.add(ME, read("/l/2", [copy], [facts("s2", tool="codex", forked_from="s3")]))
            case _:
                added = ledger.add(ME, read("/l/2", [replace(copy, session=uuid, tool="export")]))
        assert added.forgotten == 1
        assert SECRET not in "".join(texts(ledger))
    assert bytes_with(tmp_path, SECRET) == []


def test_copies_under_other_keys_that_are_there_go_too(ledger: Ledger) -> None:
    copy = turn(f"never  say {SECRET}", key="other", session="s2", minute=90)
    ledger.add(ME, read("/l/s2", [copy], [facts("s2", forked_from="s1", minute=90)]))
    assert forget(ledger, messages=[FORGOTTEN.key]).messages == 2
    assert texts(ledger) == ["use pnpm", "use pnpm"]


def test_the_same_words_in_an_unrelated_session_are_others(ledger: Ledger) -> None:
    assert forget(ledger, messages=[BESIDE.key]).messages == 1
    assert [m.key for m in ledger.messages()] == [FORGOTTEN.key, ELSEWHERE.key]
    later = turn("use pnpm", key="later", session="s9", minute=99)
    assert ledger.add(ME, read("/l/s9", [later])).new == 1


def test_a_forgotten_session_stays_silent(ledger: Ledger) -> None:
    fork = turn("do not push", key="fork", session="s2", line=5)
    ledger.add(ME, read("/l/s2", [replace(FORGOTTEN, session="s2"), fork], [facts("s2", forked_from="s1")]))
    report = forget(ledger, sessions=["s1"])
    assert (report.messages, report.copies, report.sessions) == (2, 3, 1)
    assert texts(ledger) == ["do not push", "use pnpm"]
    assert [ref.session for ref in ledger.sessions()] == ["s2", "s5"]
    more = turn("one more thing", key="more", session="s1", line=12)
    assert ledger.add(ME, read("/l/s1", [FORGOTTEN, BESIDE, more])).forgotten == 3
    assert [ref.session for ref in ledger.sessions()] == ["s2", "s5"]


def test_all_before_a_time(ledger: Ledger) -> None:
    ledger.add(ME, read("/l/s6", [turn("no time", key="n", session="s6", minute=None)], [facts("s6", minute=None)]))
    forget(ledger, before=START + timedelta(minutes=11))
    assert texts(ledger) == ["no time", "use pnpm", "use pnpm"]
    assert [ref.session for ref in ledger.sessions()] == ["s1", "s5", "s6"]
    forget(ledger, before=START + timedelta(minutes=51))
    assert texts(ledger) == ["no time"]
    assert [ref.session for ref in ledger.sessions()] == ["s6"]
    with pytest.raises(ValueError, match="time zone"):
        forget(ledger, before=datetime(2026, 3, 1))  # noqa: DTZ001


def test_all_of_a_person(ledger: Ledger, tmp_path: Path) -> None:
    ledger.add(
        ANA, read("/ana/s7", [turn("ana says so", key="x", session="s7"), replace(BESIDE, session="s7", line=2)])
    )
    report = forget(ledger, person=ME)
    assert report.messages == 3
    assert ledger.people() == [ANA]
    assert sorted(texts(ledger)) == ["ana says so", "use pnpm"]
    assert bytes_with(tmp_path, "/l/s1") == []
    assert ledger.add(ME, read("/l/s1", [FORGOTTEN, BESIDE])).forgotten == 2
    assert ledger.add(ME, read("/l/s8", [turn("new", key="new", session="s8")])).new == 1


def test_one_persons_copy_leaves_the_others(ledger: Ledger) -> None:
    mine = read("/ana/s1", [FORGOTTEN])
    ledger.add(ANA, mine)
    assert forget(ledger, messages=[FORGOTTEN.key], person=ME).messages == 1
    assert [m.person for m in ledger.messages() if m.key == FORGOTTEN.key] == [ANA]
    assert ledger.add(ANA, mine).forgotten == 0
    assert ledger.add(ME, read("/l/s1", [FORGOTTEN])).forgotten == 1


def test_forgotten_for_everyone_whoever_it_is_read_for(ledger: Ledger) -> None:
    forget(ledger, messages=[FORGOTTEN.key])
    assert ledger.add(ANA, read("/ana/s1", [FORGOTTEN])).forgotten == 1


def test_nothing_named_nothing_happens(ledger: Ledger) -> None:
    before = state(ledger)
    assert forget(ledger) == ForgetReport(messages=0, copies=0, sessions=0, atoms=0, decisions=0)
    assert forget(ledger, sessions=["no such"], messages=[]).messages == 0
    assert state(ledger) == before
    assert not ledger.tombstones.any()


def test_decisions_lose_the_evidence_and_go_with_the_last(ledger: Ledger, tmp_path: Path) -> None:
    both, only = pin(FORGOTTEN, BESIDE, text="Use pnpm."), pin(FORGOTTEN, text=SECRET)
    ledger.decide(both)
    ledger.decide(only)
    assert forget(ledger, messages=[FORGOTTEN.key]).decisions == 1
    assert ledger.decisions() == [pin(BESIDE, text="Use pnpm.")]
    assert not ledger.decide(only)
    assert ledger.decide(both)
    assert ledger.decisions() == [pin(BESIDE, text="Use pnpm.")]
    assert bytes_with(tmp_path, SECRET) == []


def test_what_stays_of_it_is_hashes(ledger: Ledger) -> None:
    forget(ledger, sessions=["s1"])
    rows = ledger.database.connection.execute("SELECT * FROM tombstones").fetchall()
    assert rows
    for row in rows:
        assert all(not value or (len(value) == 40 and int(value, 16)) for value in row)


def test_two_ledgers_hash_alike_words_differently(tmp_path: Path) -> None:
    found = []
    for name in ("a", "b"):
        with Ledger.open(tmp_path / name) as one:
            one.add(ME, read("/l/s1", [FORGOTTEN]))
            forget(one, messages=[FORGOTTEN.key])
            found.append(set(one.database.connection.execute("SELECT hash FROM tombstones").fetchall()))
    assert not found[0] & found[1]


def test_a_reader_of_an_older_state_is_said_and_the_next_one_finishes(tmp_path: Path) -> None:
    with Ledger.open(tmp_path) as first:
        first.add(ME, read("/l/s1", [FORGOTTEN]))
    with Ledger.open(tmp_path) as ledger, contextlib.closing(sqlite3.connect(tmp_path / "ledger.db")) as other:
        other.execute("BEGIN")
        other.execute("SELECT * FROM sightings").fetchall()
        with pytest.raises(StoreError, match="still reads"):
            forget(ledger, sessions=["s1"], wait_s=0.2)
        assert texts(ledger) == []
        other.execute("ROLLBACK")
    with Ledger.open(tmp_path):
        assert bytes_with(tmp_path, SECRET) == []


def lineages(ledger: Ledger, *, apart: bool) -> dict[SessionRef, SessionRef]:
    """Independent sessions, of each person apart or as if all were one person."""
    if apart:
        return independent_sessions(ledger.messages(), ledger.sessions())
    one = PersonId("one")
    messages = [
        replace(m, sightings=tuple(replace(s, person=one) for s in m.sightings), person=one) for m in ledger.messages()
    ]
    roots = independent_sessions(messages, {r._replace(person=one): f for r, f in ledger.sessions().items()})
    return {r._replace(person=person): root for r, root in roots.items() for person in ledger.people()}


class Unredacted:
    """A redactor that lets everything through."""

    def redact(self, text: str) -> Redaction:
        return Redaction(text=text, counts={})


def test_with_a_real_log_and_its_reader(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "a.jsonl"
    log.parent.mkdir()
    row = {
        "type": "user",
        "sessionId": "s1",
        "cwd": "/src",
        "version": "2.1.0",
        "isSidechain": False,
        "userType": "external",
    }

    def append(n: int, text: str) -> None:
        whole = row | {
            "uuid": f"u{n}",
            "timestamp": f"2026-03-01T09:0{n}:00.000Z",
            "message": {"role": "user", "content": text},
        }
        with log.open("a", encoding="utf-8") as file:
            file.write(json.dumps(whole) + "\n")

    def learn(ledger: Ledger) -> FileRead | None:
        found = read_file(log, cursor=ledger.cursor(ME, str(log)), redactor=Unredacted())
        if found is not None:
            ledger.add(ME, found)
        return found

    append(1, f"never say {SECRET}")
    append(2, "use pnpm")
    home = tmp_path / "home"
    with Ledger.open(home) as ledger:
        assert learn(ledger)
        assert len(texts(ledger)) == 2
        gone = next(m.key for m in ledger.messages() if SECRET in m.turn.text)
        forget(ledger, messages=[gone])
        assert learn(ledger) is None
        append(3, "do not push")
        assert (again := learn(ledger))
        assert not again.resumed
        assert texts(ledger) == ["use pnpm", "do not push"]
        assert learn(ledger) is None
    assert bytes_with(home, SECRET) == []


@settings(max_examples=30, deadline=None)
@given(logs(), st.data())
def test_what_is_forgotten_stays_away_and_nothing_else_goes(world: list[Log], data: st.DataObject) -> None:
    folder = "/dev/shm" if Path("/dev/shm").is_dir() else None
    with tempfile.TemporaryDirectory(dir=folder) as home, Ledger.open(Path(home)) as ledger:
        for log in world:
            ledger.add(log.person, log.part(0, len(log.lines), resumed=False))
        before = ledger.messages()
        chosen = data.draw(st.sets(st.sampled_from(before), max_size=2)) if before else set()
        person = data.draw(st.sampled_from([None, *ledger.people()]))
        roots = lineages(ledger, apart=person is not None)
        named = {m.key for m in chosen}
        said = [line.turn for log in world for line in log.lines if line.turn is not None]

        def words(message: Message) -> set[tuple[SessionRef, str]]:
            return {(roots[message.ref], normal_text(t.text)) for t in said if t.key == message.key}

        gone = {w for m in before if m.key in named and person in {None, m.person} for w in words(m)}
        for _ in before:
            gone |= {w for m in before if person in {None, m.person} and words(m) & gone for w in words(m)}
        if person is None or named:
            forget(ledger, messages=named, person=person)
        expected = {(m.person, m.key) for m in before if person not in {None, m.person} or not words(m) & gone}
        assert {(m.person, m.key) for m in ledger.messages()} == expected
        after = state(ledger)
        for log in data.draw(st.permutations(world)):
            ledger.add(log.person, log.part(0, len(log.lines), resumed=False))
        assert {(m.person, m.key) for m in ledger.messages()} == expected
        assert state(ledger) == after
        assert forget(ledger, messages=named, person=person if named else None).messages == 0 or not gone


def test_the_pending_mark_is_gone_after_forgetting(ledger: Ledger) -> None:
    forget(ledger, sessions=["s1"])
    assert not ledger.database.scrub_pending()
    with contextlib.closing(Database.open(ledger.path.parent).connection) as connection:
        assert connection.execute("SELECT count(*) FROM meta WHERE name = 'scrub'").fetchone() == (0,)
