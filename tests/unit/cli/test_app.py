"""The CLI's frame: exit codes, the two lines of an error, streams, settings, shared options."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from ingrained.cli import app as frame
from ingrained.cli.output import DEFAULTS, Json, Shared, emit
from ingrained.errors import (
    BudgetReachedError,
    ConfigError,
    DamageFoundError,
    IngrainedError,
    MissingExtraError,
    RefusedError,
    StoreError,
)

ERRORS: dict[str, type[IngrainedError]] = {
    kind.__name__: kind
    for kind in (RefusedError, ConfigError, StoreError, MissingExtraError, DamageFoundError, BudgetReachedError)
}


def fake(word: str, /, *, since: str = "", json: Json = False, options: Shared = DEFAULTS) -> int:
    """Do what the word says, for these tests.

    Args:
        word: an error's name, a number, or interrupt.
        since: shown in the result.
    """
    if word in ERRORS:
        raise ERRORS[word]("it is 'so'\nand \x1b[31mso", hint="ingrained fake 3")
    if word == "interrupt":
        raise KeyboardInterrupt
    if word == "bug":
        raise ZeroDivisionError
    emit({"since": since, "home": options.home, "quiet": options.quiet}, json=json, renderer=lambda d: str(d["since"]))
    return int(word)


FAKE = frame.Command(
    name="fake",
    target=f"{__name__}:fake",
    help="Do what the word says, for these tests.",
    examples=("ingrained fake 0",),
)


@pytest.fixture(autouse=True)
def _with_fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(frame, "COMMANDS", (FAKE, *frame.COMMANDS))
    monkeypatch.setitem(sys.modules, FAKE.target.partition(":")[0], sys.modules[__name__])
    monkeypatch.setenv("INGRAINED_HOME", str(tmp_path / "home"))


def left_with(*words: str) -> int:
    with pytest.raises(SystemExit) as left:
        frame.main(words)
    assert isinstance(left.value.code, int)
    return left.value.code


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    word: str
    code: int


@pytest.mark.parametrize(
    "case",
    [
        Case(word="RefusedError", code=1),
        Case(word="ConfigError", code=2),
        Case(word="StoreError", code=3),
        Case(word="MissingExtraError", code=3),
        Case(word="DamageFoundError", code=4),
        Case(word="BudgetReachedError", code=5),
    ],
    ids=lambda case: case.word,
)
def test_an_error_is_two_lines_and_its_code(case: Case, capsys: pytest.CaptureFixture[str]) -> None:
    assert left_with("fake", case.word) == case.code
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "error: it is 'so' and \\x1b[31mso\nnext: ingrained fake 3\n"


def test_a_bug_keeps_its_traceback() -> None:
    with pytest.raises(ZeroDivisionError):
        frame.main(["fake", "bug"])


def test_an_interrupt_leaves_with_130(capsys: pytest.CaptureFixture[str]) -> None:
    assert left_with("fake", "interrupt") == 130
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        ("fakee", "0"),
        ("fake",),
        ("fake", "0", "--sinc", "x"),
        ("fake", "0", "--since"),
        ("fake", "0", "1"),
        ("nothing",),
    ],
)
def test_wrong_usage_is_2_and_says_where_the_help_is(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert left_with(*words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    first, second = err.splitlines()
    assert first.startswith("error: ")
    assert second.startswith("next: ingrained ")
    assert second.endswith("--help")


def test_the_returned_number_is_the_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert [left_with("fake", word) for word in ("0", "1", "4")] == [0, 1, 4]
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("words", [(), ("bench",), ("score",)])
def test_help_of_what_is_no_command_takes_shared_options(
    words: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def page(*given: str) -> str:
        with pytest.raises(SystemExit) as left:
            frame.main(given)
        assert left.value.code == 0
        return capsys.readouterr().out

    plain = page(*words)
    assert "Usage: ingrained" in plain
    for options in (("--home", str(tmp_path)), ("-q",), (f"--home={tmp_path}", "--quiet")):
        assert page(*options, *words) == plain
        assert page(*words, *options) == plain
    with pytest.raises(SystemExit):
        frame.main(("--home", str(tmp_path), *words, "nope"))
    assert "nope" in capsys.readouterr().err


@pytest.mark.parametrize("words", [("--home", "H", "--quiet", "fake", "0"), ("fake", "0", "-q", "--home=H")])
def test_shared_options_stand_before_or_after_the_verb(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert left_with(*words, "--json") == 0
    assert capsys.readouterr().out == '{\n  "since": "",\n  "home": "H",\n  "quiet": true\n}\n'


def test_settings_then_environment_then_options(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "ingrained.toml").write_text('[fake]\nsince = "file"\n[projects]\na = "b"\n', encoding="utf-8")
    left_with("fake", "0")
    monkeypatch.setenv("INGRAINED_FAKE_SINCE", "environment")
    left_with("fake", "0")
    left_with("fake", "0", "--since", "option")
    assert capsys.readouterr().out == "file\nenvironment\noption\n"


def test_settings_of_the_working_folder_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "ingrained.toml").write_text('[fake]\nsince = "somebody else\'s"\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert left_with("fake", "0") == 0
    assert capsys.readouterr().out.strip() == ""


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"[fake\n", "no TOML in UTF-8"),
        (b"\xff\xfe", "no TOML in UTF-8"),
        (b'[fake]\nsincee = "x"\n', "sincee"),
        (b"fake = 3\n", "must be a mapping"),
    ],
)
def test_broken_settings_name_the_file(
    content: bytes, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "ingrained.toml").write_bytes(content)
    assert left_with("fake", "0") == 2
    err = capsys.readouterr().err
    assert says in err
    assert "ingrained.toml" in err


def test_version_and_help(capsys: pytest.CaptureFixture[str]) -> None:
    import ingrained

    assert left_with("--version") == 0
    assert capsys.readouterr().out == f"{ingrained.__version__}\n"
    assert left_with("fake", "--help") == 0
    page = capsys.readouterr().out
    for part in ("Usage: ingrained fake", FAKE.help, "an error's name", "--since", "--home", "  ingrained fake 0"):
        assert part in page
    assert left_with() == 0
    assert FAKE.help in capsys.readouterr().out


@pytest.mark.parametrize("columns", ["20", "40", "80", "300"])
def test_help_fits_the_window(
    columns: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    left_with("fake", "--help")
    page = capsys.readouterr().out
    assert "\x1b" not in page
    longest = max(page.split("Examples:")[0].splitlines()[1:], key=len)
    assert len(longest) <= max(46, min(int(columns), 100))


@pytest.mark.parametrize("command", frame.COMMANDS, ids=lambda command: command.name)
def test_help_names_no_empty_choice_and_no_default_that_reads_as_another(
    command: frame.Command, capsys: pytest.CaptureFixture[str]
) -> None:
    assert left_with(*command.name.split(), "--help") == 0
    page = " ".join(capsys.readouterr().out.split())
    assert not re.search(r"One of ,|, ,|Default: \W?\.\.|Default: \.", page)


def ingrained(*words: str, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[bytes]:
    bare = {key: value for key, value in os.environ.items() if key in {"PATH", "SYSTEMROOT", "PYTHONPATH"}}
    return subprocess.run(
        [sys.executable, "-m", "ingrained", *words], capture_output=True, check=False, env=bare | (env or {})
    )


@pytest.mark.parametrize(
    "locale",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"PYTHONIOENCODING": "cp1252"},
        {"LC_ALL": "C.UTF-8"},
    ],
    ids=["C", "cp1252", "utf8"],
)
def test_output_is_utf8_in_every_locale(locale: dict[str, str], tmp_path: Path) -> None:
    done = ingrained("--home", str(tmp_path), "plugins", "läser→", env=locale)
    assert done.returncode == 2
    message = done.stderr.decode("utf-8")
    assert "there are: " in message
    if locale != {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}:  # there argv itself is ASCII
        assert "läser→" in message


def test_a_closed_pipe_is_quiet_and_141(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "ingrained", "--help"], stdout=writer, stderr=subprocess.PIPE, check=False
        )
    finally:
        os.close(writer)
    assert done.returncode == 141
    assert done.stderr == b""
