"""Lists of prompts read piece by piece, and that every typed word comes out once."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from session_logs import lines, read, texts

TYPED = st.sampled_from(["use tabs", "no, hush-x", "ok", "größer \u2028 \N{GRINNING FACE}", "why?\n\n---\n\nask"])
ASIDE = st.sampled_from(["[Request interrupted by user]", "<bash-input>ls</bash-input>", "Warmup", ""])
SESSIONS = st.lists(
    st.tuples(st.sampled_from(["s1", "s2", "2026-02-03-s3"]), st.lists(st.one_of(TYPED, ASIDE), max_size=6)),
    min_size=1,
    max_size=6,
)


@given(SESSIONS, st.floats(0, 1))
@settings(max_examples=30, deadline=None)
def test_split_at_any_byte_and_read_as_a_whole(sessions: list[tuple[str, list[str]]], cut: float) -> None:
    rows = [{"session_id": session, "checkpoints": 1, "prompts": prompts} for session, prompts in sessions]
    data = lines(rows)
    at = len(lines(rows[:1])) + int(cut * (len(data) - len(lines(rows[:1]))))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "dev.jsonl"
        path.write_bytes(data)
        whole = read(path)
        path.write_bytes(data[:at])
        start = read(path)
        path.write_bytes(data)
        rest = read(path, start.cursor) if at < len(data) else None
    assert [turn.key for turn in (*start.turns, *(rest.turns if rest else ()))] == [turn.key for turn in whole.turns]


@given(st.lists(TYPED, min_size=1, max_size=12))
@settings(max_examples=30, deadline=None)
def test_every_typed_prompt_comes_out_once_in_its_place(prompts: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "dev.jsonl"
        path.write_bytes(lines([{"session_id": "s1", "checkpoints": 1, "prompts": prompts}]))
        found = read(path)
    assert texts(found) == [text.replace("hush-x", "[redacted:hush]") for text in prompts]
    assert [turn.line for turn in found.turns] == list(range(1, len(prompts) + 1))
