"""In every format a conversation comes out as it was typed: each message once, in order, and nothing else."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from histories import (
    Step,
    chatgpt_json,
    chatgpt_zip,
    claude_ai_json,
    claude_ai_zip,
    cline_task,
    cursor_cli,
    cursor_db,
    cursor_inline,
    gemini_json,
    gemini_lines,
    opencode_db,
    opencode_export,
    opencode_files,
)
from ingrained.session.sources import find, source_of
from session_logs import read, texts

Writer = Callable[[Path, Iterable[Step]], Path]

WRITERS = [
    gemini_json,
    gemini_lines,
    cline_task,
    opencode_db,
    opencode_files,
    opencode_export,
    cursor_db,
    cursor_inline,
    cursor_cli,
    chatgpt_json,
    chatgpt_zip,
    claude_ai_json,
    claude_ai_zip,
]

WORDS = st.text(
    st.characters(
        exclude_categories=["Cs", "Cc"], include_characters="\n\t\u2028\u0085", exclude_characters="<>/[]#\0"
    ),
    min_size=1,
    max_size=40,
).map(str.strip)
TYPED = st.one_of(
    WORDS.filter(bool), st.sampled_from(["yes", "use tabs", "größer \u2028 \N{GRINNING FACE}", '"a": {"b": [1'])
)
STEPS = st.lists(
    st.one_of(
        TYPED.map(lambda text: Step("typed", text)),
        st.sampled_from([Step("says", "I will. Done."), Step("calls", "pytest -x"), Step("machine", "")]),
    ),
    max_size=12,
).map(lambda steps: [Step("typed", "start"), *steps])


@pytest.mark.parametrize("write", WRITERS)
@given(steps=STEPS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=12)
def test_every_typed_message_comes_out_once_and_in_order(write: Writer, steps: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder), steps)
        found = read(path)
        assert texts(found) == [step.text for step in steps if step.kind == "typed"]
        assert len({turn.key for turn in found.turns}) == len(found.turns)
        assert (found.damage, found.set_aside, found.unknown, found.refusals) == ((), {}, {}, 0)
        assert [(turn.act.said, turn.act.input) for turn in found.turns] == acts_before(steps)
        assert [turn.line for turn in found.turns] == sorted(turn.line for turn in found.turns)
        if write is not opencode_export:
            assert [source.path for source in find([Path(folder)])] == [str(path.resolve())]


@pytest.mark.parametrize("write", WRITERS)
@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=12)
def test_garbled_bytes_are_damage_and_never_an_error(write: Writer, data: st.DataObject) -> None:
    steps = [Step("typed", "start"), Step("says", "Done."), Step("calls", "pytest"), Step("typed", "use tabs")]
    with tempfile.TemporaryDirectory() as folder:
        path = write(Path(folder), steps)
        garbled = bytearray(path.read_bytes())
        for _ in range(data.draw(st.integers(1, 20))):
            garbled[data.draw(st.integers(0, len(garbled) - 1))] = data.draw(st.integers(0, 255))
        path.write_bytes(garbled[: data.draw(st.integers(0, len(garbled)))] if data.draw(st.booleans()) else garbled)
        if source_of(path) is not None:
            assert len(read(path).turns) <= len(steps)


def acts_before(steps: list[Step]) -> list[tuple[str, str]]:
    """Before each typed message what the agent said and called since the one before; where nothing, as before that."""
    acts: list[tuple[str, str]] = []
    act, answered = ("", ""), False
    for step in steps:
        if step.kind == "typed":
            acts.append(act)
            answered = True
        elif step.kind != "machine":
            act = ("", "") if answered else act
            answered = False
            act = ("Done.", act[1]) if step.kind == "says" else (act[0], step.text)
    return acts
