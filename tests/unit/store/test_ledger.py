"""What the ledger keeps and tells, one behaviour a test."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from ingrained.feedback.decompose import Atom
from ingrained.ids import AtomKey, MessageKey, PersonId, atom_key
from ingrained.session.lineage import SessionRef
from ingrained.session.session import Act, Damage, Turn
from ingrained.skill.rule import Decision
from ingrained.store.ledger import Ledger
from ledger_world import ME, START, facts, read, state, turn

ANA = PersonId("ana")


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.open(tmp_path / "home") as opened:
        yield opened


def atom(of: Turn, quote: str, **more: object) -> Atom:
    values: dict[str, object] = {
        "message": of.key, "start": of.text.index(quote), "quote": quote, "text": quote, "kind": "workflow",
        "polarity": "do", "transferable": True, "confidence": 0.8,
    }  # fmt: skip
    return Atom(**values | more)  # type: ignore[arg-type]


def decision(*atoms: AtomKey, minute: int = 0, **more: object) -> Decision:
    return Decision(action="accept", atoms=atoms, time=START + timedelta(minutes=minute), **more)  # type: ignore[arg-type]


def only_turn(ledger: Ledger) -> Turn:
    (message,) = ledger.messages()
    return message.turn


def test_what_was_added_is_told_again_to_the_last_field(ledger: Ledger) -> None:
    said = turn(
        "Nie wieder  so,\nbitte — 🎯", session="s9", line=12, minute=3, tool="codex", form="refusal",
        after_interrupt=True, by_tag=True, branch="fix/ü", act=Act(tool="Edit", input="a.py", said="Done."),
    )  # fmt: skip
    fact = facts("s9", minute=1, tool="codex", forked_from="s8", entrypoint="cli")
    added = ledger.add(ME, read("/l/9.jsonl", [said], [fact]))
    assert (added.new, added.copies, added.forgotten, added.stale) == (1, 0, 0, False)
    assert only_turn(ledger) == said
    assert ledger.sessions() == {SessionRef(ME, "codex", "s9"): fact}
    (sighting,) = ledger.messages()[0].sightings
    assert (sighting.path, sighting.line, sighting.record, sighting.live) == ("/l/9.jsonl", 12, "r12", True)


def test_every_field_of_a_turn_has_its_column(ledger: Ledger) -> None:
    columns = {row[1] for row in ledger.database.connection.execute("PRAGMA table_info(sightings)")}
    assert {field.name for field in fields(Turn)} <= columns


def test_it_is_the_same_after_closing(tmp_path: Path) -> None:
    with Ledger.open(tmp_path) as ledger:
        ledger.add(ME, read("/l/1", [turn("use pnpm")]))
        ledger.ignore("**/scratch/**")
        before = state(ledger)
    with Ledger.open(tmp_path) as ledger:
        assert state(ledger) == before
    with Ledger.open(tmp_path, read_only=True) as ledger:
        assert state(ledger) == before


def test_nobody_else_can_read_it(ledger: Ledger) -> None:
    ledger.add(ME, read("/l/1", [turn("use pnpm")]))
    assert stat.S_IMODE(ledger.path.parent.stat().st_mode) == 0o700
    files = [path for path in ledger.path.parent.iterdir() if path.name.startswith("ledger.db")]
    assert len(files) == 3
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in files)


def test_copies_of_a_message_are_one_message(ledger: Ledger) -> None:
    first = turn("use pnpm", key="k", session="s1", line=4, minute=5)
    ledger.add(ME, read("/l/fork", [replace(first, session="s2", line=2, time=START + timedelta(minutes=9))]))
    added = ledger.add(ME, read("/l/orig", [first]))
    assert (added.new, added.copies) == (0, 1)
    (message,) = ledger.messages()
    assert message.turn == first
    assert [sighting.session for sighting in message.sightings] == ["s1", "s2"]
    assert ledger.totals().messages == 1


def test_the_time_of_a_copy_that_has_none_does_not_count(ledger: Ledger) -> None:
    timed = turn("use pnpm", key="k", session="s1", minute=5)
    ledger.add(ME, read("/l/1", [replace(timed, session="s0", time=None)]))
    ledger.add(ME, read("/l/2", [timed]))
    assert only_turn(ledger).time == timed.time


@pytest.mark.parametrize(
    ("texts", "kept"),
    [
        (("use pnpm", "use pnpm, always"), "use pnpm, always"),
        (("key [redacted:aws-key]", "key abcdefghijklmnopqrstuvwxyz0123456789"), "key [redacted:aws-key]"),
        (("use pnpm ", "use pnpn "), None),
    ],
    ids=["longest", "most-redacted", "by-hash"],
)
def test_which_words_of_differing_copies_count(tmp_path: Path, texts: tuple[str, str], kept: str | None) -> None:
    found = []
    for n, order in enumerate([texts, texts[::-1]]):
        with Ledger.open(tmp_path / str(n)) as ledger:
            for place, text in enumerate(order):
                ledger.add(ME, read(f"/l/{texts.index(text)}", [turn(text, key="k", line=place + 1)]))
            found.append(only_turn(ledger).text)
    assert found[0] == found[1]
    assert kept is None or found[0] == kept


def test_people_are_kept_apart_and_share_the_words_of_a_message(ledger: Ledger) -> None:
    ledger.add(ANA, read("/ana/1", [turn("use pnpm", key="k"), turn("only ana", key="a", line=2)]))
    ledger.add(ME, read("/me/1", [turn("use pnpm, always", key="k")]))
    assert ledger.people() == [ANA, ME]
    assert {m.person: m.turn.text for m in ledger.messages() if m.turn.text != "only ana"} == {
        ANA: "use pnpm, always",
        ME: "use pnpm, always",
    }
    assert [m.turn.text for m in ledger.messages(ME)] == ["use pnpm, always"]
    assert len(ledger.unjudged("d", "1")) == 2
    assert ledger.totals(ANA).messages == 2
    assert ledger.totals().messages == 3


def test_a_log_read_for_someone_else_moves_to_them(ledger: Ledger) -> None:
    log = read("/l/1", [turn("use pnpm")])
    ledger.add(ME, log)
    assert ledger.cursor(ME, "/l/1") == log.cursor
    assert ledger.cursor(ANA, "/l/1") is None
    ledger.add(ANA, log)
    assert ledger.people() == [ANA]
    assert {m.person for m in ledger.messages()} == {ANA}
    assert ledger.cursor(ME, "/l/1") is None


def test_a_record_that_leaves_its_log_stays_as_gone(ledger: Ledger) -> None:
    ledger.add(ME, read("/l/1", [turn("use pnpm", key="a"), turn("do not push", key="b", line=2)]))
    ledger.add(ME, read("/l/1", [turn("do not push", key="b", line=1)], [facts("s1")]))
    told = {m.turn.text: [s.live for s in m.sightings] for m in ledger.messages()}
    assert told == {"use pnpm": [False], "do not push": [True]}
    ledger.add(ME, read("/l/1", [turn("use pnpm", key="a", line=7)]))
    told = {m.turn.text: [(s.live, s.line) for s in m.sightings] for m in ledger.messages()}
    assert told == {"use pnpm": [(True, 7)], "do not push": [(False, 1)]}


def test_a_message_that_a_newer_reader_no_longer_finds_goes(ledger: Ledger) -> None:
    def at(version: int, *turns: Turn):
        log = read("/l/1", list(turns))
        mark = {"reader": "claude-code", "version": version, "state": {"seen": len(turns)}}
        return replace(log, cursor=replace(log.cursor, state=mark))

    harness, said = turn("Caveat: the messages below", key="a"), turn("use pnpm", key="b", line=2)
    ledger.add(ME, at(1, harness, said))
    ledger.add_atoms("d", "1", {harness.key: [atom(harness, "Caveat")], said.key: []})
    ledger.add(ME, at(2, said))
    assert only_turn(ledger) == said
    assert ledger.atoms("d", "1") == []
    assert ledger.unjudged("d", "1") == []


def test_words_that_read_otherwise_now_are_judged_again(ledger: Ledger) -> None:
    old = turn("the password is hunter2, never log it", key="k")
    ledger.add(ME, read("/l/1", [old]))
    ledger.add_atoms("d", "1", {old.key: [atom(old, "never log it")]})
    new = replace(old, text="the password is [redacted:password], never log it")
    ledger.add(ME, read("/l/1", [new]))
    assert only_turn(ledger) == new
    assert ledger.atoms("d", "1") == []
    assert ledger.unjudged("d", "1") == [new]
    held = ledger.database.connection.execute("SELECT count(*) FROM atoms").fetchone()
    assert held == (0,)


def test_only_what_was_added_since_the_cursor_is_added(ledger: Ledger) -> None:
    one = read("/l/1", [turn("use pnpm")], by_tag=2, damage=(Damage(kind="torn", lines=(2,), count=1),))
    ledger.add(ME, one)
    assert ledger.cursor(ME, "/l/1") == one.cursor
    two = read("/l/1", [turn("do not push", line=2)], resumed=True, by_tag=1, secrets={"mail": 1})
    assert ledger.add(ME, two).new == 1
    assert ledger.cursor(ME, "/l/1") == two.cursor
    counts = ledger.totals().counts
    assert (counts.by_tag, counts.secrets, counts.damage, counts.bytes) == (3, {"mail": 1}, {}, 200)


def test_of_two_records_with_one_key_the_first_counts(ledger: Ledger) -> None:
    first, again = turn("use pnpm", key="k"), turn("use pnpm, always", key="k", line=2)
    ledger.add(ME, read("/l/1", [first, again]))
    assert only_turn(ledger) == first
    ledger.add(ME, read("/l/2", [first]))
    ledger.add(ME, read("/l/2", [again], resumed=True))
    assert only_turn(ledger) == first


def test_a_pass_that_another_process_was_faster_with_is_not_added(tmp_path: Path) -> None:
    first = read("/l/1", [turn("use pnpm")])
    second = read("/l/1", [turn("do not push", line=2)], resumed=True, by_tag=1)
    both = read("/l/1", [turn("do not push", line=2), turn("yes", line=3)], resumed=True, by_tag=2)
    with Ledger.open(tmp_path) as here, Ledger.open(tmp_path) as there:
        here.add(ME, first)
        assert here.cursor(ME, "/l/1") == there.cursor(ME, "/l/1") == first.cursor
        assert not there.add(ME, second).stale
        assert here.add(ME, both).stale
        assert here.totals().counts.by_tag == 1
        assert here.cursor(ME, "/l/1") == second.cursor
        rest = replace(both, turns=both.turns[1:], by_tag=1)
        assert here.add(ME, rest).new == 1
        assert here.totals().counts.by_tag == 2


def test_a_resumed_pass_over_a_log_that_is_not_there_is_not_added(ledger: Ledger) -> None:
    assert ledger.add(ME, read("/l/1", [turn("use pnpm")], resumed=True)).stale
    assert ledger.messages() == []


def test_sessions_are_told_from_all_their_logs(ledger: Ledger) -> None:
    late = facts("s1", minute=30, cwd="/b", reason="replay")
    early = facts("s1", minute=10, cwd="/a", forked_from="s0", ended=None)
    ledger.add(ME, read("/l/1", [], [late]))
    assert ledger.totals().sessions_set_aside == {"replay": 1}
    ledger.add(ME, read("/l/2", [], [early]))
    (found,) = ledger.sessions().values()
    assert found == replace(early, ended=late.ended)
    assert (ledger.totals().sessions, ledger.totals().sessions_set_aside) == (1, {})


def test_totals_add_up_what_was_set_aside(ledger: Ledger) -> None:
    more = {"set_aside": {"headless": 3}, "unknown": {"pr-link": 2}, "refusals": 1, "secrets": {"mail": 2}}
    ledger.add(ME, read("/l/1", [], [facts("a", reason="headless")], **more))
    ledger.add(ME, read("/l/2", [], [facts("b", reason="headless"), facts("c", reason="own")], **more))
    totals = ledger.totals()
    assert (totals.files, totals.sessions) == (2, 0)
    assert totals.sessions_set_aside == {"headless": 2, "own": 1}
    counts = totals.counts
    assert (counts.set_aside, counts.unknown, counts.refusals) == ({"headless": 6}, {"pr-link": 4}, 2)
    assert counts.secrets == {"mail": 4}


def test_versions_of_decomposers_stand_side_by_side(ledger: Ledger) -> None:
    said, other = turn("use pnpm", key="a"), turn("yes", key="b", line=2)
    ledger.add(ME, read("/l/1", [said, other]))
    assert ledger.unjudged("rules", "1") == [said, other]
    one = atom(said, "pnpm", when="in shop", paths=("*.ts",), reasons=("always",), expires=True)
    assert ledger.add_atoms("rules", "1", {said.key: [one], other.key: []}).added == 1
    assert ledger.unjudged("rules", "1") == []
    assert ledger.unjudged("rules", "2") == [said, other]
    two = [atom(said, "use"), atom(said, "pnpm", text="pnpm!")]
    ledger.add_atoms("rules", "2", {said.key: two})
    assert ledger.atoms("rules", "1") == [one]
    assert ledger.atoms("rules", "2") == two
    assert ledger.unjudged("rules", "2") == [other]


def test_judging_again_replaces_the_same_version(ledger: Ledger) -> None:
    said = turn("use pnpm")
    ledger.add(ME, read("/l/1", [said]))
    ledger.add_atoms("rules", "1", {said.key: [atom(said, "use"), atom(said, "pnpm")]})
    ledger.add_atoms("rules", "1", {said.key: [atom(said, "pnpm")]})
    assert ledger.atoms("rules", "1") == [atom(said, "pnpm")]


def test_an_atom_that_cites_what_was_not_said_is_dropped(ledger: Ledger) -> None:
    said, good = turn("use pnpm", key="a"), turn("run tests", key="b", line=2)
    ledger.add(ME, read("/l/1", [said, good]))
    nobody = MessageKey("b2:none")
    invented = replace(atom(said, "use"), quote="use npm")
    elsewhere = replace(atom(said, "use"), start=1)
    unknown = replace(atom(said, "use"), message=nobody)
    result = ledger.add_atoms(
        "d", "1", {said.key: [atom(said, "use"), invented, elsewhere], nobody: [unknown], good.key: [atom(good, "run")]}
    )
    assert result.dropped == (invented.key, elsewhere.key, unknown.key)
    assert result.added == 1
    assert ledger.atoms("d", "1") == [atom(good, "run")]
    assert ledger.unjudged("d", "1") == [said]


def test_decisions_are_told_in_the_order_of_their_times(ledger: Ledger) -> None:
    key = atom_key(MessageKey("b2:1"), 0)
    late = decision(key, minute=9)
    early = replace_time(decision(key, minute=1), timezone(timedelta(hours=5)))
    for one in (late, early, late):
        ledger.decide(one)
    assert ledger.decisions() == [early, late]


def replace_time(one: Decision, zone: timezone) -> Decision:
    return one.model_copy(update={"time": one.time.astimezone(zone)})


def test_the_ignore_list_is_remembered(ledger: Ledger) -> None:
    for pattern in ("b/**", "a/**", "b/**"):
        ledger.ignore(pattern)
    assert ledger.ignored() == ["a/**", "b/**"]
    assert ledger.unignore("a/**")
    assert not ledger.unignore("a/**")
    assert ledger.ignored() == ["b/**"]


@pytest.mark.parametrize(
    "path", ["/l/ä ö?#%20.jsonl", "/l/bad-\udce4.jsonl", "C:\\Users\\x\\a.jsonl", "/l/" + "x" * 300]
)
def test_any_path_is_kept_to_the_byte(ledger: Ledger, path: str) -> None:
    log = read(path, [turn("use pnpm")])
    ledger.add(ME, log)
    ledger.add(ME, log)
    assert ledger.cursor(ME, path) == log.cursor
    assert [s.path for s in ledger.messages()[0].sightings] == [path]


def test_texts_come_out_as_valid_unicode(ledger: Ledger) -> None:
    said = turn("half \ud83d and whole \ud83d\ude00, nul \x00, line \u2028", cwd="/a\udcff", act=Act(said="\udfff"))
    ledger.add(ME, read("/l/1", [said], [facts("s1", cwd="/a\udcff")]))
    told = only_turn(ledger)
    assert told.text == "half \ufffd and whole 😀, nul \x00, line \u2028"
    assert (told.cwd, told.act.said) == ("/a\ufffd", "\ufffd")
    for (fact,) in [ledger.sessions().values()]:
        fact.cwd.encode()


def test_a_home_may_have_any_name(tmp_path: Path) -> None:
    home = tmp_path / "mit Leerzeichen ? # % ä"
    with Ledger.open(home) as ledger:
        ledger.add(ME, read("/l/1", [turn("use pnpm")]))
    assert (home / "ledger.db").stat().st_size > 0
    link = tmp_path / "link"
    link.symlink_to(home)
    with Ledger.open(link) as ledger:
        assert ledger.path == home.resolve() / "ledger.db"
        assert len(ledger.messages()) == 1


def test_unknown_times_come_before_all_others(ledger: Ledger) -> None:
    turns = [turn("c", minute=9, line=1), turn("b", minute=2, line=2), turn("a", minute=None, line=3)]
    ledger.add(ME, read("/l/1", turns))
    assert [m.turn.text for m in ledger.messages()] == ["a", "b", "c"]
    assert [t.text for t in ledger.unjudged("d", "1")] == ["a", "b", "c"]
    assert ledger.messages()[1].turn.time == datetime(2026, 3, 1, 9, 2, tzinfo=UTC)
