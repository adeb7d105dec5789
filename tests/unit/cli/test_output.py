"""Results, talk, questions and progress: what reaches the terminal and what does not."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingrained.cli.output import Options, Progress, confirm, emit, has_colour, say, style, to_json, visible
from ingrained.errors import ConfigError
from ingrained.session.session import Act
from ingrained.skill.rule import Scope


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def on_terminal(monkeypatch: pytest.MonkeyPatch, typed: str = "") -> Terminal:
    """Called in the test's body: pytest puts its own streams in place after the fixtures."""
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setattr(sys, "stdin", Terminal(typed))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return stream


@given(st.text())
def test_no_control_character_gets_through(text: str) -> None:
    shown = visible(text)
    assert not [c for c in shown if (ord(c) < 0x20 and c not in "\n\t") or 0x7F <= ord(c) < 0xA0]
    assert visible(shown) == shown


@given(st.text(alphabet="\x1b[]0;m3HJK\x07\x9bab\n"))
def test_only_colour_codes_survive_on_a_colour_terminal(text: str) -> None:
    import re

    rest = re.sub("\x1b\\[[0-9;]*m", "", visible(text, keep_style=True))
    assert "\x1b" not in rest
    assert "\x9b" not in rest


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.booleans() | st.none()))
def test_json_comes_back_as_it_went_in(value: dict[str, object]) -> None:
    stream = io.StringIO()
    before, sys.stdout = sys.stdout, stream
    try:
        emit(value, json=True, renderer=str)
    finally:
        sys.stdout = before
    assert json.loads(stream.getvalue()) == value
    assert not [c for c in stream.getvalue() if 0x7F <= ord(c) < 0xA0]


def test_json_of_our_values() -> None:
    assert to_json(
        {
            "dataclass": Act(tool="Bash"),
            "model": Scope(project=None, paths=("*.go",)),
            "set": {"b", "a"},
            "path": Path("a/b"),
            "time": datetime(2026, 1, 2, tzinfo=UTC),
            3: (1, None),
        }
    ) == {
        "dataclass": {"tool": "Bash", "input": "", "said": ""},
        "model": {"project": None, "paths": ["*.go"], "when": ""},
        "set": ["a", "b"],
        "path": "a/b",
        "time": "2026-01-02T00:00:00+00:00",
        "3": [1, None],
    }
    with pytest.raises(TypeError, match="object has no agreed JSON form"):
        to_json(object())
    with pytest.raises(ValueError, match="Out of range"):
        emit(float("nan"), json=True, renderer=str)


def test_text_ends_with_one_line_end(capsys: pytest.CaptureFixture[str]) -> None:
    for text in ("a", "b\n", ""):
        emit(text, json=False, renderer=str)
    assert capsys.readouterr() == ("a\nb\n", "")


def test_talk_is_on_stderr_and_can_be_silenced(capsys: pytest.CaptureFixture[str]) -> None:
    say("12 secrets seen \x1b[2J")
    say("no", Options(quiet=True))
    assert capsys.readouterr() == ("", "12 secrets seen \\x1b[2J\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    term: str
    no_color: str | None
    tty: bool
    colour: bool


@pytest.mark.parametrize(
    "case",
    [
        Case(term="xterm", no_color=None, tty=True, colour=True),
        Case(term="xterm", no_color="", tty=True, colour=True),
        Case(term="xterm", no_color="1", tty=True, colour=False),
        Case(term="dumb", no_color=None, tty=True, colour=False),
        Case(term="", no_color=None, tty=True, colour=False),
        Case(term="xterm", no_color=None, tty=False, colour=False),
    ],
    ids=str,
)
def test_colour_only_where_it_is_welcome(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", case.term)
    if case.no_color is None:
        monkeypatch.delenv("NO_COLOR", raising=False)
    else:
        monkeypatch.setenv("NO_COLOR", case.no_color)
    stream = Terminal() if case.tty else io.StringIO()
    assert has_colour(stream) is case.colour
    assert ("\x1b" in style("a", "bold", stream)) is case.colour


def test_a_styled_result_keeps_its_style_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    emit("x", json=False, renderer=lambda text: style(text, "green") + "\x1b[H")
    assert terminal.getvalue() == "\x1b[32mx\x1b[0m\\x1b[H\n"


@pytest.mark.parametrize(
    ("typed", "answer"), [("y\n", True), ("YES\n", True), ("n\n", False), ("\n", False), ("", False)]
)
def test_only_a_yes_is_a_yes(typed: str, answer: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch, typed)
    assert confirm("change 2 files?") is answer
    assert terminal.getvalue() == "change 2 files? [y/N] "


def test_nobody_to_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    with pytest.raises(ConfigError) as error:
        confirm("change 2 files?")
    assert "--yes" in error.value.hint
    assert confirm("change 2 files?", yes=True)


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_progress_without_a_terminal_is_a_line_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    with Progress("reading", total=40, clock=clock) as progress:
        for _ in range(4):
            clock.now += 4.0
            progress.advance(2)
    assert capsys.readouterr() == ("", "reading 6/40 files, about 68 s left\n")
    with Progress("reading", total=4, options=Options(quiet=True), clock=clock) as progress:
        clock.now += 99
        progress.advance(2)
    assert capsys.readouterr() == ("", "")


def test_progress_knows_the_time_left_once_something_is_done() -> None:
    clock = Clock()
    progress = Progress("reading", total=3_000_000, unit="B", clock=clock)
    assert progress.seconds_left() is None
    assert progress.line() == "reading 0/3 MB"
    clock.now += 2
    progress.advance(1_000_000)
    assert progress.seconds_left() == 4.0
    assert progress.line() == "reading 1/3 MB, about 4 s left"
    progress.advance(9_000_000)
    assert progress.seconds_left() == 0.0


def test_progress_on_a_terminal_leaves_the_screen_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    with Progress("reading [x]", total=4) as progress:
        progress.advance(4)
    assert "reading [x]" in terminal.getvalue()
    assert "100%" in terminal.getvalue()
