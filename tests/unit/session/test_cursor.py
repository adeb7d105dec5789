"""Cursor's databases: the editor's, a workspace's, and the CLI's."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path

import pytest

from histories import (
    FOLDER,
    SESSION,
    Step,
    calls,
    cursor_bubbles,
    cursor_cli,
    cursor_composer,
    cursor_db,
    cursor_inline,
    cursor_insert,
    cursor_tables,
    cursor_workspace,
    dump,
    id_of,
    machine,
    ms,
    proto_field,
    says,
    typed,
)
from ingrained.session.read import read_file
from ingrained.session.readers.cursor import rich_text
from ingrained.session.readers.cursor_folders import uri_path
from ingrained.session.sources import find, source_of
from session_logs import Masking, read, texts

STEPS = [machine(), typed("add a test"), says("I will. Adding it."), calls("pytest"), typed("not like that, hush-x")]

Writer = Callable[[Path, Iterable[Step]], Path]


@pytest.mark.parametrize("write", [cursor_db, cursor_inline, cursor_cli])
def test_the_three_stores_give_the_same_turns(tmp_path: Path, write: Writer) -> None:
    found = read(write(tmp_path, STEPS))
    first, second = found.turns
    assert texts(found) == ["add a test", "not like that, [redacted:hush]"]
    assert (first.session, first.tool, first.cwd) == (SESSION, "cursor", FOLDER)
    assert (second.act.input, second.act.said) == ("pytest", "Adding it.")
    assert second.act.tool in {"run_terminal_cmd", "Shell"}
    assert second.time is not None
    assert second.time.timestamp() * 1000 == ms(0)
    assert (found.damage, found.unknown, found.reader) == ((), {}, "cursor")


def test_the_editors_two_generations_have_the_same_keys(tmp_path: Path) -> None:
    new, old = read(cursor_db(tmp_path / "a", STEPS)), read(cursor_inline(tmp_path / "b", STEPS))
    assert [turn.key for turn in new.turns] == [turn.key for turn in old.turns]
    assert [turn.record for turn in new.turns] == [id_of(2), id_of(5)]


def test_they_are_found_in_a_folder(tmp_path: Path) -> None:
    cursor_db(tmp_path, STEPS)
    cursor_cli(tmp_path, STEPS)
    cursor_workspace(tmp_path, "w1", {})
    code = tmp_path / "Code" / "User" / "globalStorage" / "state.vscdb"
    code.parent.mkdir(parents=True)
    with closing(sqlite3.connect(code)) as db:
        db.execute("CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
        db.commit()
    assert [source.reader for source in find([tmp_path])] == ["cursor"] * 3
    assert source_of(code) is None


def test_only_the_rows_that_are_needed_are_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ingrained.session.readers import cursor

    loaded: list[int] = []

    def count(value: object) -> bytes:
        data = value.encode() if isinstance(value, str) else bytes(value)  # type: ignore[call-overload]
        loaded.append(len(data))
        return data

    monkeypatch.setattr(cursor, "blob", count)
    steps = [typed("start"), *[calls("x" * 9000)] * 60, says("Done."), typed("end")]
    found = read(cursor_db(tmp_path, steps))
    assert (texts(found), found.turns[1].act.said) == (["start", "end"], "Done.")
    assert sum(loaded) < 50_000


def test_rows_that_stand_in_the_log_only(tmp_path: Path) -> None:
    path = tmp_path / "state.vscdb"
    bubbles = cursor_bubbles(STEPS)
    with closing(cursor_tables(path)) as db:
        pass
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA journal_mode = WAL")
        cursor_insert(db, cursor_composer(bubbles[:2]), bubbles[:2])
        first = read(path)
        assert texts(first) == ["add a test"]
        assert read_file(path, cursor=first.cursor, redactor=Masking()) is None
        cursor_insert(db, cursor_composer(bubbles), bubbles)
        second = read(path, first.cursor)
    assert (second.resumed, len(second.turns), second.turns[0].key) == (False, 2, first.turns[0].key)


def test_conversations_of_agents_and_refused_edits(tmp_path: Path) -> None:
    path = tmp_path / "state.vscdb"
    bubbles = cursor_bubbles([typed("start"), calls("rm -rf build"), typed("no")])
    bubbles[1]["toolFormerData"]["userDecision"] = "rejected"  # type: ignore[index]
    with closing(cursor_tables(path)) as db:
        db.execute("UPDATE cursorDiskKV SET value = '[]' WHERE key LIKE 'check%'")
        for id, fields in (
            ("a", {}),
            ("b", {"subagentInfo": {"parentComposerId": "a"}}),
            ("c", {"isBestOfNSubcomposer": True}),
        ):
            own = [{**bubble, "bubbleId": f"{id}{bubble['bubbleId']}"} for bubble in bubbles]
            cursor_insert(db, cursor_composer(own, id, **fields), own)  # type: ignore[arg-type]
        text = json.dumps(bubbles[1], separators=(",", ":"))
        db.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", (f"bubbleId:a:a{bubbles[1]['bubbleId']}", text.encode()))
    found = read(path)
    assert (texts(found), found.set_aside, found.refusals) == (["start", "no"], {"subagent": 4}, 1)
    assert [facts.reason for facts in found.sessions] == [None, "subagent", "subagent"]


def test_the_folder_of_a_conversation(tmp_path: Path) -> None:
    path = tmp_path / "Cursor" / "User" / "globalStorage" / "state.vscdb"
    bubbles = cursor_bubbles([typed("start")])
    with closing(cursor_tables(path)) as db:
        for id in "abcd":
            own = [{**bubble, "bubbleId": id} for bubble in bubbles]
            if id == "c":
                own[0]["workspaceUris"] = ["file:///home/dana/src/c%20c"]
            cursor_insert(db, cursor_composer(own, id, workspaceIdentifier=None), own)
        db.execute("CREATE TABLE composerHeaders (composerId TEXT PRIMARY KEY, workspaceId TEXT)")
        db.execute("INSERT INTO composerHeaders VALUES ('a', 'w1'), ('d', NULL)")
    cursor_workspace(tmp_path, "w1", {}, "file:///home/dana/src/a")
    cursor_workspace(
        tmp_path,
        "w2",
        {"composer.composerData": {"allComposers": [{"composerId": "b"}]}},
        "vscode-remote://ssh-remote%2Bbox/srv/b",
    )
    (tmp_path / "Cursor" / "User" / "workspaceStorage" / "w3").mkdir()
    broken = cursor_workspace(tmp_path, "w4", {})
    broken.write_bytes(b"SQLite format 3\0 and then nothing")
    found = read(path)
    assert [(turn.session, turn.cwd) for turn in found.turns] == [
        ("a", "/home/dana/src/a"),
        ("b", "/srv/b"),
        ("c", "/home/dana/src/c c"),
        ("d", ""),
    ]
    assert found.damage == ()


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///home/dana/src%20x", "/home/dana/src x"),
        ("file:///c%3A/Users/dana", "c:/Users/dana"),
        ("/home/dana", "/home/dana"),
        ("vscode-remote://wsl%2Bubuntu/home/dana", "/home/dana"),
        ("file://[broken", ""),
        (None, ""),
    ],
)
def test_uris(uri: object, path: str) -> None:
    assert uri_path(uri) == path


def test_a_workspaces_database_of_older_versions(tmp_path: Path) -> None:
    chat = {
        "tabs": [
            {
                "tabId": "t1",
                "lastSendTime": ms(1),
                "bubbles": [
                    {"type": "user", "id": "u1", "text": "", "initText": json.dumps(rich("why is it", "slow?"))},
                    {"type": "ai", "id": "a1", "rawText": "An N+1 query. Fix it?"},
                    {"type": "user", "id": "u2", "text": "measure first"},
                    {"type": "banner", "id": "x", "text": "never"},
                ],
            }
        ]
    }
    inline = {"composerId": "c1", "createdAt": ms(2), "conversation": cursor_bubbles([typed("use tabs")])}
    items = {
        "workbench.panel.aichat.view.aichat.chatdata": chat,
        "composer.composerData": {"allComposers": [inline, {"composerId": "c2"}]},
        "aiService.prompts": [{"text": "measure first"}],
    }
    found = read(cursor_workspace(tmp_path, "w1", items))
    assert [(turn.text, turn.session, turn.cwd) for turn in found.turns] == [
        ("use tabs", "c1", FOLDER),
        ("why is it\nslow?", "t1", FOLDER),
        ("measure first", "t1", FOLDER),
    ]
    assert found.turns[2].act.said == "Fix it?"
    assert found.unknown == {"bubble of type banner": 1}


def rich(*lines: str) -> dict[str, object]:
    return {
        "root": {"children": [{"type": "paragraph", "children": [{"type": "text", "text": line}]} for line in lines]}
    }


def test_rich_text() -> None:
    assert rich_text(rich("one", "two")) == "one\ntwo"
    assert rich_text(json.dumps(rich("one"))) == "one"
    deep: dict[str, object] = {"text": "x"}
    for _ in range(100):
        deep = {"children": [deep]}
    assert rich_text({"root": deep}) == ""
    assert [rich_text(value) for value in ("{", "[]", None, {"root": []})] == [""] * 4


def test_a_bubble_without_plain_text(tmp_path: Path) -> None:
    path = tmp_path / "state.vscdb"
    bubbles = cursor_bubbles([typed("")])
    bubbles[0]["richText"] = json.dumps(rich("use tabs"))
    with closing(cursor_tables(path)) as db:
        cursor_insert(db, cursor_composer(bubbles), [])
        assert texts(read(path)) == []
        cursor_insert(db, cursor_composer(bubbles), bubbles)
    assert texts(read(path)) == ["use tabs"]


def test_the_cli_where_its_root_cannot_be_read(tmp_path: Path) -> None:
    listed = read(cursor_cli(tmp_path / "a", STEPS))
    written = read(cursor_cli(tmp_path / "b", STEPS, root=False))
    assert texts(written) == texts(listed)
    assert [turn.key for turn in written.turns] == [turn.key for turn in listed.turns]


def test_the_clis_folder_and_messages_of_other_shapes(tmp_path: Path) -> None:
    path = cursor_cli(tmp_path, [typed("start")])
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        rows = [{"role": "user", "content": "no tags: never"}, {"role": "judge", "content": "never"}]
        listed = b""
        for index, row in enumerate(rows):
            db.execute("INSERT INTO blobs VALUES (?, ?)", (bytes([index] * 32).hex(), json.dumps(row)))
            listed += proto_field(1, bytes([index] * 32))
        listed += proto_field(1, b"\x07" * 32) + proto_field(9, b"file:///home/dana/src/web") + b"\x10\x05"
        db.execute("INSERT INTO blobs VALUES ('root', ?)", (listed,))
        meta = {"agentId": "s", "latestRootBlobId": "root", "createdAt": ms(0)}
        db.execute("UPDATE meta SET value = ?", (json.dumps(meta),))
    found = read(path)
    assert (found.turns, found.unknown) == ((), {"user's message without <user_query>": 1, "message of judge": 1})
    assert found.sessions[0].cwd == "/home/dana/src/web"
    dump(path.with_name("meta.json"), {"cwd": "/home/dana/src/api"})
    assert read(path).sessions[0].cwd == "/home/dana/src/api"


def test_rows_that_are_broken_cost_themselves_only(tmp_path: Path) -> None:
    path = cursor_db(tmp_path, [typed("one"), typed("two"), typed("three")])
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("UPDATE cursorDiskKV SET value = x'7b22ff' WHERE key LIKE ?", (f"bubbleId:%{id_of(2)}",))
        db.execute("INSERT INTO cursorDiskKV VALUES ('composerData:torn', '{\"composerId\": \"to')")
        db.execute("INSERT INTO cursorDiskKV VALUES ('composerData:list', '[1]')")
    found = read(path)
    assert texts(found) == ["one", "three"]
    assert {damage.kind: damage.count for damage in found.damage} == {"cut": 2, "encoding": 1, "shape": 1}
    cli = cursor_cli(tmp_path, [typed("one"), typed("two")])
    with closing(sqlite3.connect(cli, isolation_level=None)) as db:
        db.execute("UPDATE blobs SET data = '{\"role\": \"us' WHERE instr(data, CAST('two' AS BLOB)) > 0")
        db.execute("UPDATE meta SET value = 'zz'")
    found = read(cli)
    assert texts(found) == ["one"]
    assert {damage.kind: damage.count for damage in found.damage} == {"cut": 2}


@pytest.mark.parametrize("write", [cursor_db, cursor_cli])
def test_a_database_that_is_cut_off(tmp_path: Path, write: Writer) -> None:
    path = write(tmp_path, STEPS)
    whole = path.read_bytes()
    for size in range(4096, len(whole), 4096):
        path.write_bytes(whole[:size])
        found = read(path)
        assert len(found.turns) <= 2
        assert {damage.kind for damage in found.damage} == {"cut"}
    path.write_bytes(whole[:200])
    assert {damage.kind for damage in read(path).damage} == {"cut"}


def test_a_database_with_other_tables(tmp_path: Path) -> None:
    path = tmp_path / "Cursor" / "state.vscdb"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE cursorDiskKV (id TEXT, data BLOB)")
        db.commit()
    found = read(path)
    assert (found.turns, [damage.kind for damage in found.damage]) == ((), ["shape"])
