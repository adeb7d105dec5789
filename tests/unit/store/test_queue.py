"""The queue: what the hook's program writes, and that no line is lost while `learn` takes it up."""

from __future__ import annotations

import ast
import fcntl
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ingrained.store import enqueue
from ingrained.store.queue import peek, queue_files, take

PROGRAM = Path(enqueue.__file__)
SAID = {
    "session_id": "4a1c",
    "transcript_path": "/home/dana/.claude/projects/p/4a1c.jsonl",
    "cwd": "/home/dana/shop",
    "hook_event_name": "Stop",
    "last_assistant_message": "a word that must not be kept",
}
NOTIFIED = {
    "type": "agent-turn-complete",
    "thread-id": "0b9e-77",
    "turn-id": "3",
    "cwd": "/home/dana/shop",
    "input-messages": ["a word that must not be kept"],
    "last-assistant-message": "nor this",
}


def run(*words: str, told: bytes = b"", env: dict[str, str] | None = None, cwd: Path | None = None) -> None:
    """Run the program as an agent would; it says nothing and ends well."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(PROGRAM), *words],
        input=told, capture_output=True, timeout=30, env={**os.environ, **(env or {})}, cwd=cwd,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_one_turn_is_one_line_without_a_word_of_the_person(tmp_path: Path) -> None:
    run("claude-code", str(tmp_path), told=json.dumps(SAID).encode())
    run("codex", str(tmp_path), json.dumps(NOTIFIED), env={"CODEX_HOME": "/home/dana/c"})
    lines = (tmp_path / "queue.jsonl").read_bytes().split(b"\n")
    assert len(lines) == 3
    assert not lines[-1]
    first, second = map(json.loads, lines[:2])
    assert first.pop("time") <= time.time() + 1
    assert first == {
        "version": 1,
        "agent": "claude-code",
        "transcript": SAID["transcript_path"],
        "session": "4a1c",
        "cwd": "/home/dana/shop",
    }
    assert (second["session"], second["folder"]) == ("0b9e-77", "/home/dana/c")
    assert b"must not" not in b"".join(lines)
    assert (tmp_path / "queue.jsonl").stat().st_mode & 0o777 == 0o600


def test_a_hook_of_codex_names_its_log_or_else_its_session(tmp_path: Path) -> None:
    said = {
        "hook_event_name": "Stop", "session_id": "0b9e-77", "turn_id": "3", "cwd": "/home/dana/shop", "model": "o",
        "permission_mode": "default", "stop_hook_active": False, "last_assistant_message": "a word that must not be kept",
    }  # fmt: skip
    for log in ("/home/dana/.codex/sessions/rollout-1.jsonl", None):
        told = json.dumps(said | {"transcript_path": log}).encode()
        run("codex", str(tmp_path), told=told, env={"CODEX_HOME": "/home/dana/c"})
    lines = (tmp_path / "queue.jsonl").read_bytes().splitlines()
    first, second = map(json.loads, lines)
    assert (first["transcript"], first["session"]) == ("/home/dana/.codex/sessions/rollout-1.jsonl", "0b9e-77")
    assert ("transcript" in second, second["session"], second["folder"]) == (False, "0b9e-77", "/home/dana/c")
    assert b"must not" not in b"".join(lines)


@pytest.mark.parametrize(
    "told",
    [b"", b"{", b"null", b"[1]", b"\xff\xfe", b'{"transcript_path": 3}', b'{"type": "other", "session_id": "x"}'],
)
def test_nothing_to_find_a_log_by_is_no_line(tmp_path: Path, told: bytes) -> None:
    run("claude-code", str(tmp_path), told=told)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("locale", ["C", "en_US.ISO-8859-1", "C.UTF-8"])
def test_names_in_any_script_stay_whole_under_any_locale(tmp_path: Path, locale: str) -> None:
    home = tmp_path / "ünïcode 家"
    home.mkdir()
    env = {"LC_ALL": locale, "LANG": locale, "PYTHONIOENCODING": "cp1252"}
    run("claude-code", str(home), told=json.dumps(SAID | {"cwd": "/Ä/家"}, ensure_ascii=False).encode(), env=env)
    run("codex", str(home), json.dumps(NOTIFIED | {"cwd": "/Ä/家"}, ensure_ascii=False), env=env)
    assert [entry.cwd for entry in take(home).entries] == ["/Ä/家", "/Ä/家"]


def test_whatever_is_wrong_the_agent_does_not_notice(tmp_path: Path) -> None:
    told = json.dumps(SAID).encode()
    run()
    run("claude-code")
    run("no-such-agent", str(tmp_path), told=told)
    run("claude-code", str(tmp_path / "gone"), told=told)
    (tmp_path / "queue.jsonl").mkdir()
    run("claude-code", str(tmp_path), told=told)
    assert [path.name for path in tmp_path.iterdir()] == ["queue.jsonl"]


def test_what_we_started_ourselves_is_not_queued(tmp_path: Path) -> None:
    run("claude-code", str(tmp_path), told=json.dumps(SAID).encode(), env={enqueue.OWN_RUN: "1"})
    assert list(tmp_path.iterdir()) == []


def test_an_agent_that_never_closes_stdin_is_not_waited_for(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.write(writer, json.dumps(SAID).encode())
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(PROGRAM), "claude-code", str(tmp_path)], stdin=reader, timeout=30
    )
    os.close(reader)
    os.close(writer)
    assert done.returncode == 0
    assert len(take(tmp_path).entries) == 1


def test_it_imports_the_standard_library_alone_and_nothing_of_the_folder_it_runs_in(tmp_path: Path) -> None:
    tree = ast.parse(PROGRAM.read_text(encoding="utf-8"))
    names = {a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names}
    names |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in names} <= set(sys.stdlib_module_names)
    for name in ("json", "select", "os"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(9)\n", encoding="utf-8")
    (tmp_path / "home").mkdir()
    run("claude-code", str(tmp_path / "home"), told=json.dumps(SAID).encode(), cwd=tmp_path)
    assert len(take(tmp_path / "home").entries) == 1


def test_where_the_queue_is_busy_a_line_is_a_file_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "queue.jsonl"
    with path.open("wb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        enqueue.append(str(tmp_path), b'{"version":1,"agent":"codex","session":"alone"}\n')
    assert [entry.session for entry in take(tmp_path).entries] == ["alone"]


def test_a_full_queue_takes_no_more(tmp_path: Path) -> None:
    path = tmp_path / "queue.jsonl"
    path.write_bytes(b"\n" * enqueue.MOST_BYTES)
    run("claude-code", str(tmp_path), told=json.dumps(SAID).encode())
    assert path.stat().st_size == enqueue.MOST_BYTES


def test_what_was_taken_stays_until_it_is_done(tmp_path: Path) -> None:
    enqueue.append(str(tmp_path), b'{"version":1,"agent":"codex","session":"a"}\n')
    taken = take(tmp_path)
    enqueue.append(str(tmp_path), b'{"version":1,"agent":"codex","session":"b"}\n\xff torn')
    assert [entry.session for entry in peek(tmp_path).entries] == ["a", "b"]
    again = take(tmp_path)
    assert ([entry.session for entry in again.entries], again.unreadable) == (["a", "b"], 1)
    taken.done()
    assert [entry.session for entry in take(tmp_path).entries] == ["b"]
    again.done()
    assert queue_files(tmp_path) == []
    assert take(tmp_path).entries == ()


def test_each_log_is_named_once_in_the_order_of_its_last_turn(tmp_path: Path) -> None:
    for name in ("a", "b", "a"):
        enqueue.append(str(tmp_path), json.dumps({"version": 1, "agent": "codex", "session": name}).encode() + b"\n")
    assert [entry.session for entry in take(tmp_path).entries] == ["b", "a"]


WRITER = """
import sys, time
sys.path.insert(0, sys.argv[1])
import enqueue
for number in range(int(sys.argv[4])):
    line = '{"version":1,"agent":"codex","session":"%s-%d"}\\n' % (sys.argv[3], number)
    enqueue.append(sys.argv[2], line.encode())
    time.sleep(0.0005)
"""


def test_no_line_is_lost_or_doubled_while_processes_append_and_one_takes(tmp_path: Path) -> None:
    writers, lines = 4, 250
    running = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(PROGRAM.parent), str(tmp_path), f"w{n}", str(lines)])
        for n in range(writers)
    ]
    seen: list[str] = []
    takes = 0
    while any(process.poll() is None for process in running):
        taken = take(tmp_path)
        seen += [entry.session for entry in taken.entries]
        assert taken.unreadable == 0
        takes += bool(taken.entries)
        taken.done()
    assert [process.wait() for process in running] == [0] * writers
    taken = take(tmp_path)
    seen += [entry.session for entry in taken.entries]
    taken.done()
    assert takes > 1
    assert sorted(seen) == sorted(f"w{n}-{number}" for n in range(writers) for number in range(lines))
    assert queue_files(tmp_path) == []
