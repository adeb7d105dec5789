"""Aider's history: every typed word comes out once and in its place, and a cut file has the turns before the cut."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from session_logs import read, texts

WORDS = st.sampled_from(
    [
        "use tabs",
        "no, hush-x",
        "one\n\ntwo\n  three",
        "größer \u2028 \N{GRINNING FACE}",
        "# aider chat started at 2026-01-01 10:00:00",
    ]
)
REPLIES = st.sampled_from(["Done.", "#### A heading\n\n> quote", "```\n#### /help me\n", "```\nx\n```\nShall I?"])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("mine"), WORDS),
        st.tuples(st.just("model"), REPLIES),
        st.tuples(st.just("tool"), st.sampled_from(["Applied edit to x.py", "Commit a1b2c3d fix: x", "^C"])),
        st.tuples(st.just("run"), st.sampled_from(["2026-03-01 09:00:00", "2026-03-02 09:00:00"])),
    ),
    max_size=14,
)


def history(steps: list[tuple[str, str]]) -> str:
    text = "# aider chat started at 2026-02-01 09:00:00\n\n> Aider v0.60  \n"
    for kind, words in steps:
        if kind == "mine":
            text += "\n" + "".join(f"#### {line}  \n" for line in words.split("\n"))
        elif kind == "run":
            text += f"\n# aider chat started at {words}\n\n> Aider v0.60  \n"
        else:
            text += f"> {words}  \n" if kind == "tool" else f"\n{words}\n\n"
    return text


@given(STEPS, st.floats(0, 1))
@settings(max_examples=40, deadline=None)
def test_typed_words_once_and_a_cut_keeps_what_stands_before(steps: list[tuple[str, str]], cut: float) -> None:
    data = history(steps).encode("utf-8")
    at = int(cut * len(data))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ".aider.chat.history.md"
        path.write_bytes(data[:at])
        start = read(path)
        path.write_bytes(data)
        whole = read(path)
    said = [words.replace("hush-x", "[redacted:hush]") for kind, words in steps if kind == "mine"]
    assert texts(whole) == said
    assert len({turn.key for turn in whole.turns}) == len(said)
    assert [turn.line for turn in whole.turns] == sorted(turn.line for turn in whole.turns)
    before = start.turns[:-1]
    assert [turn.key for turn in before] == [turn.key for turn in whole.turns[: len(before)]]


ANSWERS = st.sampled_from(
    ["Done.", "Sure.\n\n#### A heading\n\ntext", "#### Plan\n\ntext", "> quote\n\n#### next\n\nx"]
)
AFTER = st.sampled_from(["", "> Tokens: 1k sent, 20 received.  \n", "> Applied edit to x.py  \n> Commit a1b2c3d x  \n"])


@given(st.lists(st.tuples(WORDS, ANSWERS, AFTER), max_size=8), st.integers(0, 8))
@settings(max_examples=40, deadline=None)
def test_trimming_the_first_rounds_changes_nothing(rounds: list[tuple[str, str, str]], trimmed: int) -> None:
    text = history([])
    for nth, (words, answer, after) in enumerate(rounds):
        if nth == trimmed:
            text = re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE)
        text += history([("mine", words), ("model", answer)]).removeprefix(history([])) + after
    if trimmed >= len(rounds):
        text = re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ".aider.chat.history.md"
        path.write_text(text, encoding="utf-8", newline="")
        found = read(path)
    assert texts(found) == [words.replace("hush-x", "[redacted:hush]") for words, _, _ in rounds]
