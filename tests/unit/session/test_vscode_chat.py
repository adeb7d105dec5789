"""VS Code's chat sessions, whole and as logs of changes."""

from __future__ import annotations

import json
from pathlib import Path

from ingrained.session.sources import find, standard_places
from session_logs import SESSION, lines, read, texts, write


def request(number: int, text: str, *response: object, **fields: object) -> dict[str, object]:
    return {
        "requestId": f"request_{number}",
        "timestamp": 1_767_225_600_000 + number * 60_000,
        "message": {"text": text, "parts": [{"kind": "text", "text": text}]},
        "variableData": {"variables": [{"kind": "file", "value": "never read me"}]},
        "response": list(response),
        **fields,
    }


def says(text: str) -> dict[str, object]:
    return {"value": text, "supportThemeIcons": False}


def runs(command: str, **fields: object) -> dict[str, object]:
    data = {"kind": "terminal", "commandLine": {"original": command}}
    return {"kind": "toolInvocationSerialized", "toolId": "run_in_terminal", "toolSpecificData": data, **fields}


def session(*requests: object) -> dict[str, object]:
    return {
        "version": 3,
        "responderUsername": "GitHub Copilot",
        "creationDate": 1_767_225_600_000,
        "sessionId": SESSION,
        "requests": list(requests),
    }


def store(folder: Path) -> Path:
    """The storage of one workspace."""
    folder = folder / "workspaceStorage" / "1a2b"
    (folder / "chatSessions").mkdir(parents=True)
    (folder / "workspace.json").write_text('{"folder": "file:///home/dana/my%20shop"}', encoding="utf-8")
    return folder / "chatSessions"


def write_json(folder: Path, value: object, name: str = f"{SESSION}.json") -> Path:
    (folder / name).write_text(json.dumps(value, indent=1), encoding="utf-8")
    return folder / name


def test_a_whole_session(tmp_path: Path) -> None:
    chat = session(
        request(1, "round up, hush-me", says("I see. I run it."), runs("pytest"), {"kind": "undoStop"}),
        request(
            2,
            "@workspace /fix the rounding",
            {"kind": "textEditGroup", "uri": {"path": "/home/dana/cart.py"}},
            isCanceled=True,
        ),
        request(3, "no, whole cents"),
        request(4, "/clear"),
    )
    found = read(write_json(store(tmp_path), chat))
    first, second, third = found.turns
    assert found.reader == "vscode-chat"
    assert texts(found) == ["round up, [redacted:hush]", "the rounding", "no, whole cents"]
    assert (first.session, first.record, first.line, first.cwd) == (SESSION, "request_1", 1, "/home/dana/my shop")
    assert (second.act.tool, second.act.input, second.act.said) == ("run_in_terminal", "pytest", "I run it.")
    assert (second.form, third.after_interrupt, third.act.input) == ("command", True, "/home/dana/cart.py")
    assert first.time is not None
    assert first.time.isoformat() == "2026-01-01T00:01:00+00:00"


def test_requests_of_the_program_and_refusals(tmp_path: Path) -> None:
    chat = session(
        request(1, "run it", runs("rm -r x", isConfirmed={"type": 0}), runs("ls", isConfirmed={"type": 4})),
        request(2, '@agent Continue: "Continue to iterate?"', confirmation="Continue"),
        request(3, "the terminal is done, never stop", isSystemInitiated=True),
        request(4, "ok", runs("x", isConfirmed=False)),
        {"message": "as text only"},
        7,
    )
    found = read(write_json(store(tmp_path), chat))
    assert texts(found) == ["run it", "ok", "as text only"]
    assert found.refusals == 2
    assert [damage.kind for damage in found.damage] == ["shape"]


def log(*changes: dict[str, object]) -> list[dict[str, object]]:
    return [{"kind": 0, "v": session(request(1, "one"))}, *changes]


def test_a_log_is_replayed(tmp_path: Path) -> None:
    rows = log(
        {"kind": 2, "k": ["requests", 0, "response"], "v": [says("Done. Shall I?")]},
        {"kind": 2, "k": ["requests"], "v": [request(2, "two, before the edit")]},
        {"kind": 2, "k": ["requests"], "v": [request(3, "two")], "i": 1},
        {"kind": 1, "k": ["requests", 1, "modelState"], "v": {"value": 2}},
        {"kind": 1, "k": ["customTitle"], "v": "Cart"},
        {"kind": 3, "k": ["customTitle"]},
        {"kind": 2, "k": ["requests"], "v": [request(4, "three")]},
    )
    path = write(store(tmp_path) / f"{SESSION}.jsonl", rows)
    found = read(path)
    assert texts(found) == ["one", "two", "three"]
    assert found.turns[1].act.said == "Shall I?"
    assert [turn.after_interrupt for turn in found.turns] == [False, False, True]
    assert found.damage == ()


def test_changes_that_do_not_fit_are_counted(tmp_path: Path) -> None:
    rows = log(
        {"kind": 1, "k": ["requests", 7, "result"], "v": 1},
        {"kind": 2, "k": ["version"], "v": [1]},
        {"kind": 1, "k": [], "v": 1},
        {"kind": 1, "k": ["requests", 999_999_999], "v": 1},
        {"kind": 9, "k": ["x"]},
        {"kind": 2, "k": ["pendingRequests"], "v": [1]},
        {"kind": 2, "k": ["requests"], "v": [request(2, "two")]},
    )
    path = write(store(tmp_path) / f"{SESSION}.jsonl", rows)
    path.write_bytes(path.read_bytes() + b'{"kind":2,"k":["requ')
    found = read(path)
    assert texts(found) == ["one", "two"]
    assert {damage.kind: damage.count for damage in found.damage} == {"shape": 4, "torn": 1}
    assert found.unknown == {"kind 9": 1}


def test_both_forms_of_a_session_have_the_same_keys_and_a_log_that_grows_keeps_them(tmp_path: Path) -> None:
    folder = store(tmp_path)
    one = read(write_json(folder, session(request(1, "one"))))
    path = write(folder / f"{SESSION}.jsonl", log())
    two = read(path)
    assert [turn.key for turn in one.turns] == [turn.key for turn in two.turns]
    path.write_bytes(path.read_bytes() + lines([{"kind": 2, "k": ["requests"], "v": [request(2, "two")]}]))
    more = read(path, two.cursor)
    assert texts(more) == ["one", "two"]
    assert more.turns[0].key == one.turns[0].key


def test_found_in_its_standard_places_and_others_are_not(tmp_path: Path) -> None:
    user = tmp_path / ".config" / "Code" / "User"
    write_json(store(user), session(request(1, "one")))
    empty = user / "globalStorage" / "emptyWindowChatSessions"
    write(empty / "6b2d.jsonl", log())
    (user / "workspaceStorage" / "1a2b" / "chatSessions" / "notes.jsonl").write_text(
        '{"kind":0,"v":{"a":1}}\n', encoding="utf-8"
    )
    write_json(user / "workspaceStorage", {"requests": [], "url": "x"}, f"{SESSION}.json")
    places = [place for place in standard_places({}, tmp_path, "linux") if place.is_dir()]
    assert sorted(source.reader for source in find(places)) == ["vscode-chat", "vscode-chat"]
    assert read(empty / "6b2d.jsonl").turns[0].cwd == ""
