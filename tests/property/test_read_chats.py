"""Conversations: every typed word comes out once, in its place, whatever the spelling of the file."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from session_logs import lines, read, texts

WORDS = st.sampled_from(["use tabs", "no, hush-x", "größer \u2028 \N{GRINNING FACE}", "ok", "one\n\ntwo", "[Request]"])
TALKS = st.lists(st.lists(WORDS, min_size=1, max_size=5), min_size=1, max_size=4)


def row(number: int, talk: list[str], spelling: str) -> dict[str, object]:
    said: list[tuple[str, str]] = []
    for at, words in enumerate(talk):
        said += [("user", words), ("assistant", f"reply {number}.{at}")]
    if spelling == "conversations":
        names = {"user": "human", "assistant": "gpt"}
        return {spelling: [{"from": names[role], "value": text} for role, text in said]}
    return {spelling: [{"role": role, "content": text} for role, text in said]}


@given(TALKS, st.sampled_from(["messages", "conversation", "conversations"]), st.booleans(), st.floats(0, 1))
@settings(max_examples=40, deadline=None)
def test_typed_words_once_and_in_place(talks: list[list[str]], spelling: str, as_lines: bool, cut: float) -> None:
    rows = [row(number, talk, spelling) for number, talk in enumerate(talks)]
    data = lines(rows) if as_lines else json.dumps(rows).encode()
    first = len(lines(rows[:1])) if as_lines else len(json.dumps(rows[:1])) - 1
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("a.jsonl" if as_lines else "a.json")
        path.write_bytes(data[: first + int(cut * (len(data) - first))])
        start = read(path)
        path.write_bytes(data)
        whole = read(path)
    typed = [words.replace("hush-x", "[redacted:hush]") for talk in talks for words in talk]
    assert texts(whole) == typed
    assert len({turn.key for turn in whole.turns}) == len(typed)
    assert [turn.key for turn in start.turns] == [turn.key for turn in whole.turns[: len(start.turns)]]
