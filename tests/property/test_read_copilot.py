"""Copilot's two logs: every typed word comes out once, in its place, however far the log had been written before."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from ingrained.session.session import FileRead
from session_logs import lines, read, texts

WORDS = st.sampled_from(["use tabs", "no, hush-x", "größer \u2028 \N{GRINNING FACE}", "ok", "one\n\ntwo"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("typed"), WORDS),
        st.tuples(st.just("machine"), WORDS),
        st.tuples(st.just("says"), WORDS),
        st.tuples(st.just("calls"), WORDS),
    ),
    max_size=12,
)


def events(steps: list[tuple[str, str]]) -> list[object]:
    rows: list[object] = [{"type": "session.start", "data": {"sessionId": "s", "context": {"cwd": "/src"}}, "id": "e"}]
    for at, (kind, words) in enumerate(steps):
        data: dict[str, object] = {"content": words}
        if kind == "calls":
            data = {"toolName": "bash", "toolCallId": f"c{at}", "arguments": {"command": words}}
        elif kind == "machine":
            data["source"] = "skill-x"
        name = {"says": "assistant.message", "calls": "tool.execution_start"}.get(kind, "user.message")
        rows.append({"type": name, "data": data, "id": f"e{at}", "timestamp": "2026-03-01T09:00:00Z"})
    return rows


def changes(steps: list[tuple[str, str]]) -> list[object]:
    rows: list[object] = [{"kind": 0, "v": {"version": 3, "sessionId": "s", "requests": []}}]
    number = -1
    for at, (kind, words) in enumerate(steps):
        if kind in {"typed", "machine"}:
            number += 1
            request = {"requestId": f"r{at}", "message": {"text": words}, "isSystemInitiated": kind == "machine"}
            rows.append({"kind": 2, "k": ["requests"], "v": [request]})
        elif number >= 0:
            part = {"value": words} if kind == "says" else {"kind": "toolInvocationSerialized", "toolId": words}
            rows.append({"kind": 2, "k": ["requests", number, "response"], "v": [part]})
    return rows


def reads(rows: list[object], cut: float) -> tuple[FileRead, FileRead]:
    """What is found in the first part of the log, and then in all of it."""
    data, first = lines(rows), len(lines(rows[:1]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "events.jsonl"
        path.write_bytes(data[: first + int(cut * (len(data) - first))])
        start = read(path)
        path.write_bytes(data)
        return start, read(path)


@given(STEPS, st.floats(0, 1), st.booleans())
@settings(max_examples=40, deadline=None)
def test_typed_words_once_and_the_start_of_a_log_has_its_turns(
    steps: list[tuple[str, str]], cut: float, in_editor: bool
) -> None:
    start, whole = reads(changes(steps) if in_editor else events(steps), cut)
    assert texts(whole) == [words.replace("hush-x", "[redacted:hush]") for kind, words in steps if kind == "typed"]
    assert [turn.line for turn in whole.turns] == sorted(turn.line for turn in whole.turns)
    assert len({turn.key for turn in whole.turns}) == len(whole.turns)
    assert [turn.key for turn in start.turns] == [turn.key for turn in whole.turns[: len(start.turns)]]
