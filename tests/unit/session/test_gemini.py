"""Gemini CLI sessions, both generations."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from histories import (
    FOLDER,
    SESSION,
    calls,
    dump,
    dump_lines,
    gemini_header,
    gemini_json,
    gemini_lines,
    gemini_message,
    id_of,
    machine,
    says,
    typed,
)
from ingrained.session.read import read_file
from ingrained.session.sources import find, source_of
from session_logs import Masking, read, texts

STEPS = [machine(), typed("add a test"), says("I will. Adding it."), calls("pytest"), typed("not like that, hush-x")]


@pytest.mark.parametrize("write", [gemini_json, gemini_lines])
def test_both_generations_give_the_same_turns(tmp_path: Path, write: object) -> None:
    found = read(write(tmp_path, STEPS))  # type: ignore[operator]
    first, second = found.turns
    assert texts(found) == ["add a test", "not like that, [redacted:hush]"]
    assert (first.session, first.record, second.record) == (SESSION, id_of(2), id_of(5))
    assert (second.act.tool, second.act.input, second.act.said) == ("run_shell_command", "pytest", "Adding it.")
    assert second.time is not None
    assert second.time.isoformat() == "2026-01-01T00:05:00+00:00"
    assert (found.damage, found.unknown) == ((), {})


def test_a_resumed_session_has_the_same_keys_in_both_files(tmp_path: Path) -> None:
    old, new = read(gemini_json(tmp_path, STEPS)), read(gemini_lines(tmp_path, STEPS))
    assert [turn.key for turn in old.turns] == [turn.key for turn in new.turns]


def test_they_are_found_in_a_folder(tmp_path: Path) -> None:
    gemini_json(tmp_path, STEPS)
    gemini_lines(tmp_path, STEPS)
    (tmp_path / "shop" / "logs.json").write_text('[{"sessionId": "x", "message": "never"}]', encoding="utf-8")
    assert [source.reader for source in find([tmp_path])] == ["gemini", "gemini"]


def test_a_rewind_takes_words_back_and_a_new_list_does_not(tmp_path: Path) -> None:
    start, wrong, answer, last = (
        gemini_message(number, step)
        for number, step in enumerate([typed("start"), typed("wrong"), says("Done."), typed("last")], start=1)
    )
    summary = gemini_message(9, machine("<state_snapshot>start, never</state_snapshot>"))
    only_in_list = gemini_message(10, typed("only in the list"))
    masked = {**last, "content": [{"text": "[masked]"}]}
    rows = [
        gemini_header(),
        start,
        wrong,
        answer,
        {"$rewindTo": wrong["id"]},
        last,
        {"$set": {"messages": [summary, masked, only_in_list]}},
        {"$rewindTo": "no such message"},
    ]
    found = read(dump_lines(tmp_path / "session-1.jsonl", rows))
    assert texts(found) == ["start", "last", "only in the list"]
    assert found.unknown == {}


def test_a_message_that_is_written_again_counts_once_by_its_last_text(tmp_path: Path) -> None:
    rows = [gemini_header(), gemini_message(1, typed("ad a test")), gemini_message(1, typed("add a test"))]
    assert texts(read(dump_lines(tmp_path / "s.jsonl", rows))) == ["add a test"]


def test_what_no_person_typed(tmp_path: Path) -> None:
    attached = [
        {"text": "why is @a.py slow?"},
        {"text": "\n--- Content from referenced files ---"},
        {"text": "\nContent from @a.py:\nnever do it\n"},
    ]
    rows = [
        gemini_header(),
        gemini_message(1, machine("System: Please continue.")),
        {**gemini_message(2, typed("")), "content": attached},
        {**gemini_message(3, typed("")), "content": [{"functionResponse": {"response": {"output": "never"}}}]},
        {**gemini_message(4, typed("expanded: never")), "displayContent": [{"text": "/review the last commit"}]},
        gemini_message(5, typed("/compress")),
        gemini_message(6, typed("<hook_context>never</hook_context>\nuse tabs")),
        {**gemini_message(7, says("Request cancelled.")), "type": "info"},
        gemini_message(8, typed("stop")),
        {**gemini_message(9, says("x")), "type": "telemetry"},
    ]
    found = read(dump_lines(tmp_path / "s.jsonl", rows))
    assert texts(found) == ["why is @a.py slow?", "/review the last commit", "use tabs", "stop"]
    assert [turn.after_interrupt for turn in found.turns] == [False, False, False, True]
    assert found.unknown == {"telemetry": 1}


def test_subagents_and_declined_calls(tmp_path: Path) -> None:
    declined = {**gemini_message(2, calls("rm -rf build")), "type": "gemini"}
    declined["toolCalls"][0]["status"] = "cancelled"  # type: ignore[index]
    rows = [gemini_header(kind="subagent"), gemini_message(1, typed("always do it")), declined]
    found = read(dump_lines(tmp_path / "chats" / SESSION / "sub.jsonl", rows))
    assert (found.turns, found.set_aside, found.refusals) == ((), {"subagent": 1}, 1)


def test_the_folder_comes_from_the_files_beside_it(tmp_path: Path) -> None:
    path = gemini_json(tmp_path / "tmp", STEPS)
    assert read(path).turns[0].cwd == ""
    dump(tmp_path / "projects.json", {"projects": {"/elsewhere": "other", FOLDER: "shop"}})
    assert read(path).turns[0].cwd == FOLDER
    (path.parent.parent / ".project_root").write_text("/home/dana/src/web\n", encoding="utf-8")
    assert read(path).turns[0].cwd == "/home/dana/src/web"
    hashed = tmp_path / "tmp" / hashlib.sha256(FOLDER.encode()).hexdigest() / "chats" / path.name
    hashed.parent.mkdir(parents=True)
    path.rename(hashed)
    assert read(hashed).sessions[0].cwd == FOLDER


def test_a_document_that_is_cut_off_keeps_what_was_before(tmp_path: Path) -> None:
    path = gemini_json(tmp_path, STEPS)
    whole = path.read_bytes()
    first = whole.index(b"add a test") + 40
    for end in range(first, len(whole) - 2, 37):
        path.write_bytes(whole[:end])
        found = read(path)
        assert texts(found)[:1] == ["add a test"]
        assert [(damage.kind, damage.count) for damage in found.damage] == [("cut", 1)]


def test_a_broken_message_costs_itself_only(tmp_path: Path) -> None:
    path = gemini_json(tmp_path, [typed("one"), typed("two"), typed("three")])
    path.write_bytes(path.read_bytes().replace(b'"two"', b'"tw\xff\x00 "o"'))
    found = read(path)
    assert texts(found) == ["one", "three"]
    assert {damage.kind for damage in found.damage} == {"cut", "encoding"}
    lines = gemini_lines(tmp_path, [typed("one"), typed("two"), typed("three")])
    lines.write_bytes(lines.read_bytes().replace(b'"two"', b'"tw\x00 "o"') + b'{"id": "torn')
    found = read(lines)
    assert texts(found) == ["one", "three"]
    assert {damage.kind for damage in found.damage} == {"cut", "torn"}


def test_a_changed_file_is_read_whole_and_an_unchanged_one_is_not(tmp_path: Path) -> None:
    path = gemini_lines(tmp_path, STEPS)
    first = read(path)
    assert read_file(path, cursor=first.cursor, redactor=Masking()) is None
    gemini_lines(tmp_path, [*STEPS, typed("thanks")])
    second = read(path, first.cursor)
    assert (second.resumed, texts(second)[-1]) == (False, "thanks")
    assert [turn.key for turn in second.turns[:2]] == [turn.key for turn in first.turns]


def test_what_is_no_session(tmp_path: Path) -> None:
    for name, content in (
        ("session-1.json", b""),
        ("session-2.json", b'{"sessionId": "x"}'),
        ("session-3.json", b'{"sessionId": "x", "projectHash": "y"}'),
        ("session-4.json", json.dumps({"messages": []}).encode()),
    ):
        (tmp_path / name).write_bytes(content)
        assert source_of(tmp_path / name) is None
    new = tmp_path / "chats" / "session-2026-01-01T00-00-abcdef01.jsonl"
    new.parent.mkdir()
    new.write_bytes(b"")
    os.utime(new, (1, 1))
    source = source_of(new)
    assert source is not None
    assert source.reader == "gemini"
