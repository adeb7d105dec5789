"""Tasks of Cline and Roo Code."""

from __future__ import annotations

import json
from pathlib import Path

from histories import FOLDER, calls, cline_messages, cline_task, dump, machine, ms, says, typed
from ingrained.session.read import read_file
from ingrained.session.sources import find, source_of
from session_logs import Masking, read, texts

STEPS = [typed("add a test"), machine(), says("I will. Adding it."), calls("pytest"), typed("not like that, hush-x")]


def ask(kind: str, text: str) -> dict[str, object]:
    return {"ts": 1, "type": "ask", "ask": kind, "text": text}


def say(kind: str, text: str, ts: int = 1) -> dict[str, object]:
    return {"ts": ts, "type": "say", "say": kind, "text": text}


def test_a_task_of_cline(tmp_path: Path) -> None:
    found = read(cline_task(tmp_path, STEPS))
    first, second = found.turns
    assert texts(found) == ["add a test", "not like that, [redacted:hush]"]
    assert (first.session, first.tool, first.cwd) == ("1767225600000", "cline", FOLDER)
    assert (first.line, second.line, second.form) == (1, 7, "with-tool")
    assert (second.act.tool, second.act.input, second.act.said) == ("command", "pytest", "Adding it.")
    assert second.time is not None
    assert second.time.timestamp() * 1000 == ms(5)
    assert (found.damage, found.unknown) == ((), {})


def test_a_task_of_roo_code_begins_with_a_text(tmp_path: Path) -> None:
    assert texts(read(cline_task(tmp_path, STEPS, task="text"))) == ["add a test", "not like that, [redacted:hush]"]


def test_a_task_that_another_task_started(tmp_path: Path) -> None:
    path = cline_task(tmp_path, STEPS, task="text")
    dump(path.with_name("history_item.json"), {"id": "x", "parentTaskId": "y", "workspace": "/home/dana/src/web"})
    found = read(path)
    assert (texts(found), found.set_aside) == (["not like that, [redacted:hush]"], {"subagent": 1})
    assert found.turns[0].cwd == "/home/dana/src/web"


def test_the_folder_by_the_list_of_tasks(tmp_path: Path) -> None:
    path = cline_task(tmp_path, STEPS)
    tasks = [{"id": "other"}, {"id": path.parent.name, "cwdOnTaskInitialization": "/home/dana/src/web"}]
    dump(tmp_path / "state" / "taskHistory.json", tasks)
    assert read(path).turns[0].cwd == "/home/dana/src/web"
    (tmp_path / "state" / "taskHistory.json").write_text("[{", encoding="utf-8")
    assert read(path).turns[0].cwd == FOLDER


def test_how_words_came_in(tmp_path: Path) -> None:
    rows = [
        say("task", "start"),
        ask(
            "followup", json.dumps({"question": "Which database? Say it.", "options": ["a", "b"], "selected": "never"})
        ),
        say("user_feedback", "sqlite", 2),
        ask("tool", json.dumps({"tool": "editedExistingFile", "path": "a.py", "diff": "never"})),
        say("user_feedback_diff", json.dumps({"tool": "editedExistingFile", "path": "a.py", "diff": "never"})),
        say("user_feedback", "keep the comment", 3),
        ask("use_mcp_server", json.dumps({"serverName": "s", "toolName": "fetch", "arguments": '{"url": "u"}'})),
        say("user_feedback", "no network", 4),
        ask("completion_result", ""),
        say("completion_result", "All done. Tests pass."),
        say("user_feedback", "now commit", 5),
        ask("resume_task", ""),
        say("user_feedback", "go on", 6),
        say("user_feedback", "go on", 7),
        say("user_feedback", "/smol", 8),
    ]
    found = read(dump(tmp_path / "ui_messages.json", rows))
    assert [(turn.text, turn.form) for turn in found.turns] == [
        ("start", "typed"),
        ("sqlite", "answer"),
        ("keep the comment", "with-tool"),
        ("no network", "with-tool"),
        ("now commit", "typed"),
        ("go on", "typed"),
        ("go on", "typed"),
    ]
    assert [turn.after_interrupt for turn in found.turns] == [False] * 5 + [True, False]
    acts = [(turn.act.tool, turn.act.input, turn.act.said) for turn in found.turns]
    assert acts[1][2] == "Say it."
    assert acts[2][:2] == ("editedExistingFile", "a.py")
    assert acts[3][:2] == ("fetch", "u")
    assert acts[4][2] == "Tests pass."
    assert len({turn.key for turn in found.turns}) == 7


def test_keys_stay_when_a_folder_is_copied_and_when_the_task_goes_on(tmp_path: Path) -> None:
    first = read(cline_task(tmp_path / "a", STEPS))
    second = read(cline_task(tmp_path / "b", [*STEPS, typed("thanks")], name="copy"))
    assert [turn.key for turn in second.turns[:2]] == [turn.key for turn in first.turns]
    assert read_file(Path(first.path), cursor=first.cursor, redactor=Masking()) is None


def test_they_are_found_in_a_folder(tmp_path: Path) -> None:
    cline_task(tmp_path, STEPS)
    dump(tmp_path / "tasks" / "2" / "ui_messages.json", [])
    dump(tmp_path / "tasks" / "3" / "ui_messages.json", {"ts": 1})
    assert [source.reader for source in find([tmp_path])] == ["cline", "cline"]
    assert source_of(tmp_path / "tasks" / "3" / "ui_messages.json") is None


def test_unknown_kinds_are_counted(tmp_path: Path) -> None:
    rows = [say("task", "start"), say("new_kind", "never"), ask("new_ask", "never"), {"ts": 1, "type": "shout"}]
    found = read(dump(tmp_path / "ui_messages.json", rows))
    assert (texts(found), found.unknown) == (["start"], {"say new_kind": 1, "ask new_ask": 1})
    assert [damage.kind for damage in found.damage] == ["shape"]


def test_a_file_that_is_cut_off_at_any_byte(tmp_path: Path) -> None:
    path = dump(tmp_path / "ui_messages.json", cline_messages([typed("one"), says("Two."), typed("drei — 三")]))
    whole = path.read_bytes()
    for end in range(60, len(whole)):
        path.write_bytes(whole[:end])
        if source_of(path) is not None:
            found = read(path)
            assert texts(found) in ([], ["one"], ["one", "drei — 三"])
            assert {damage.kind for damage in found.damage} <= {"cut", "encoding"}
            assert found.damage


def test_the_agents_text_is_no_task_where_the_task_is_broken(tmp_path: Path) -> None:
    path = cline_task(tmp_path, [typed("one"), says("Two."), typed("three")], task="text")
    path.write_bytes(path.read_bytes().replace(b'"one"', b'"o "ne"'))
    assert texts(read(path)) == ["three"]


def test_a_broken_message_costs_itself_only(tmp_path: Path) -> None:
    path = cline_task(tmp_path, [typed("one"), typed("two"), typed("three")])
    path.write_bytes(path.read_bytes().replace(b'"two"', b'"tw "o"'))
    found = read(path)
    assert texts(found) == ["one", "three"]
    assert [(damage.kind, damage.count) for damage in found.damage] == [("cut", 1)]
