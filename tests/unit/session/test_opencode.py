"""OpenCode sessions: the database, the files before it, and exports."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path

import pytest

from histories import (
    FOLDER,
    Step,
    calls,
    dump,
    machine,
    ms,
    opencode_database,
    opencode_db,
    opencode_export,
    opencode_files,
    opencode_info,
    opencode_insert,
    opencode_records,
    says,
    typed,
)
from ingrained.session.read import read_file
from ingrained.session.sources import find, source_of
from session_logs import Masking, read, texts

STEPS = [machine(), typed("add a test"), says("I will. Adding it."), calls("pytest"), typed("not like that, hush-x")]
WRITERS = [opencode_db, opencode_files, opencode_export]

Writer = Callable[[Path, Iterable[Step]], Path]


@pytest.mark.parametrize("write", WRITERS)
def test_the_three_places_give_the_same_turns(tmp_path: Path, write: Writer) -> None:
    found = read(write(tmp_path, STEPS))
    first, second = found.turns
    assert texts(found) == ["add a test", "not like that, [redacted:hush]"]
    assert (first.session, first.record, first.cwd, first.line) == ("ses_1", "msg_0002", FOLDER, 2)
    assert (second.act.tool, second.act.input, second.act.said) == ("bash", "pytest", "Adding it.")
    assert second.time is not None
    assert second.time.timestamp() * 1000 == ms(5)
    assert (found.damage, found.unknown, found.reader) == ((), {}, "opencode")
    assert found.sessions[0].started is not None


def test_copies_in_all_places_and_forks_have_the_same_keys(tmp_path: Path) -> None:
    keys = [[turn.key for turn in read(write(tmp_path, STEPS)).turns] for write in WRITERS]
    assert keys[0] == keys[1] == keys[2]
    path = tmp_path / "opencode.db"
    sessions = [
        (opencode_info(), opencode_records(STEPS)),
        (opencode_info("ses_2"), opencode_records([*STEPS, typed("on")], "ses_2", "fork")),
    ]
    with closing(opencode_database(path, sessions)):
        pass
    assert texts(read(path)) == ["add a test", "not like that, [redacted:hush]", "on"]


def test_they_are_found_in_a_folder(tmp_path: Path) -> None:
    opencode_db(tmp_path, STEPS)
    opencode_files(tmp_path, STEPS)
    assert sorted(Path(source.path).name for source in find([tmp_path])) == ["opencode.db", "ses_1.json"]


def test_rows_that_stand_in_the_log_only_are_read_and_nothing_is_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    path = tmp_path / "data" / "opencode.db"
    with closing(opencode_database(path, [(opencode_info(), opencode_records(STEPS))], wal=True)) as db:
        first = read(path)
        assert len(first.turns) == 2
        before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
        assert read_file(path, cursor=first.cursor, redactor=Masking()) is None
        assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == before
        record = opencode_records([*STEPS, typed("thanks")])[-1:]
        opencode_insert(db, opencode_info(), record)
        second = read(path, first.cursor)
    assert (second.resumed, texts(second)[2:]) == (False, ["thanks"])
    assert [turn.key for turn in second.turns[:2]] == [turn.key for turn in first.turns]
    assert list(place.iterdir()) == []


def test_a_database_that_another_program_locked_is_read_as_it_was(tmp_path: Path) -> None:
    path = opencode_db(tmp_path, STEPS)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = DELETE")
        db.execute("BEGIN EXCLUSIVE")
        db.execute("DELETE FROM message")
        assert len(read(path).turns) == 2
        db.execute("ROLLBACK")


def test_subagents_and_words_that_were_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "opencode.db"
    sessions = [
        (opencode_info("ses_1", revert={"messageID": "msg_0005"}), opencode_records(STEPS)),
        (opencode_info("ses_2", parentID="ses_1"), opencode_records([typed("always do it")], "ses_2", "sub")),
    ]
    with closing(opencode_database(path, sessions)):
        pass
    found = read(path)
    assert (texts(found), found.set_aside) == (["add a test"], {"subagent": 1})
    assert [facts.reason for facts in found.sessions] == [None, "subagent"]


def tool(id: str, name: str, state: dict[str, object]) -> dict[str, object]:
    return {"id": id, "type": "tool", "tool": name, "state": {"time": {"end": ms(3)}, **state}}


def test_refusals_and_answers(tmp_path: Path) -> None:
    rejected = "The user rejected permission to use this specific tool call"
    question = {"questions": [{"question": "Which?", "options": [{"label": "tabs"}, {"label": "spaces"}]}]}
    records = opencode_records([typed("start"), says("Ok.")])
    records[1][1].extend(
        [
            tool("prt_90", "bash", {"status": "error", "input": {"command": "rm -rf build"}, "error": rejected + "."}),
            tool(
                "prt_91", "bash", {"status": "error", "input": {"command": "git push"}, "error": "exit code 1: never"}
            ),
            tool(
                "prt_92",
                "edit",
                {
                    "status": "error",
                    "input": {"filePath": "a.py"},
                    "error": rejected + " with the following feedback: keep the build folder",
                },
            ),
            tool(
                "prt_93",
                "question",
                {
                    "status": "completed",
                    "input": question,
                    "metadata": {"answers": [["tabs"], ["two, as in the old files"]]},
                },
            ),
        ]
    )
    path = tmp_path / "opencode.db"
    with closing(opencode_database(path, [(opencode_info(), records)])):
        pass
    found = read(path)
    assert [(turn.text, turn.form) for turn in found.turns] == [
        ("start", "typed"),
        ("keep the build folder", "refusal"),
        ("two, as in the old files", "answer"),
    ]
    assert found.refusals == 2
    assert found.turns[1].act.tool == "edit"


def test_unknown_kinds_are_counted(tmp_path: Path) -> None:
    path = opencode_files(tmp_path, [typed("one"), typed("two")])
    storage = path.parent.parent.parent
    dump(storage / "message" / "ses_1" / "msg_0003.json", {"role": "judge", "time": {"created": ms(3)}})
    dump(storage / "part" / "msg_0001" / "prt_9.json", {"type": "mystery"})
    found = read(path)
    assert (texts(found), found.unknown) == (["one", "two"], {"message of judge": 1, "part mystery": 1})


def test_files_that_are_torn(tmp_path: Path) -> None:
    path = opencode_files(tmp_path, [typed("one"), typed("two"), typed("three")])
    storage = path.parent.parent.parent
    (storage / "message" / "ses_1" / "msg_0001.json").write_text('{"role": "us', encoding="utf-8")
    (storage / "part" / "msg_0002" / "prt_00021.json").write_text("[]", encoding="utf-8")
    found = read(path)
    assert texts(found) == ["three"]
    assert [(damage.kind, damage.count) for damage in found.damage] == [("cut", 1), ("shape", 1)]


def test_a_row_that_is_broken_costs_itself_only(tmp_path: Path) -> None:
    path = opencode_db(tmp_path, [typed("one"), typed("two"), typed("three")])
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("UPDATE part SET data = '{\"type\": \"te' WHERE message_id = 'msg_0002'")
        db.execute("UPDATE message SET data = x'ff00fe' WHERE id = 'msg_0003'")
    found = read(path)
    assert texts(found) == ["one"]
    assert {damage.kind for damage in found.damage} == {"cut", "encoding"}


def test_databases_that_are_none(tmp_path: Path) -> None:
    path = opencode_db(tmp_path, STEPS)
    whole = path.read_bytes()
    kinds = set()
    for size in (17, 100, 5000, len(whole) // 2, len(whole) - 4096):
        path.write_bytes(whole[:size])
        found = read(path)
        assert len(found.turns) <= 2
        kinds |= {damage.kind for damage in found.damage}
    assert kinds == {"cut"}
    path.write_bytes(whole[:4096] + b"\xa5" * (len(whole) - 4096))
    assert {damage.kind for damage in read(path).damage} == {"cut"}
    path.unlink()
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE session (id TEXT, data TEXT)")
        db.commit()
    assert {damage.kind for damage in read(path).damage} == {"shape"}


def test_an_export_that_is_cut_off_keeps_what_was_before(tmp_path: Path) -> None:
    path = opencode_export(tmp_path, STEPS)
    whole = path.read_bytes()
    for end in range(whole.index(b'"msg_0003"'), len(whole) - 2, 61):
        path.write_bytes(whole[:end])
        found = read(path)
        assert texts(found)[:1] == ["add a test"]
        assert [(damage.kind, damage.count) for damage in found.damage] == [("cut", 1)]


def test_what_is_no_session(tmp_path: Path) -> None:
    dump(tmp_path / "ses_1.json", {"id": "ses_1", "title": "x"})
    (tmp_path / "opencode.db").write_bytes(b"")
    (tmp_path / "other.db").write_bytes(b"SQLite format 3\0" + bytes(4080))
    assert [source_of(file) for file in sorted(tmp_path.iterdir())] == [None, None, None]
    assert json.loads((tmp_path / "ses_1.json").read_text(encoding="utf-8"))["title"] == "x"
