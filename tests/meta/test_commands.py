"""Every command has help, an example that parses, a page; every command line in the texts is one that exists."""

from __future__ import annotations

import ast
import inspect
import json
import re
import shlex
import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from ingrained.cli import app as frame

ROOT = Path(__file__).resolve().parents[2]
TEXTS = [
    path for path in (ROOT / "README.md", ROOT / "AGENTS.md", *sorted((ROOT / "docs").glob("*.md"))) if path.exists()
]
BLOCK = re.compile(r"^```bash\n(.*?)^```", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`(ingrained [^`]*)`")
MAX_LINES = 40
"""Of a command's body: options in, one call, one renderer."""


def make_docs() -> ModuleType:
    spec = spec_from_file_location("make_docs", ROOT / "scripts" / "make_docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def parse(line: str) -> None:
    """Raise where `ingrained …` is no command line that the program accepts. Nothing is run."""
    words = shlex.split(line)[1:]
    name = " ".join(word for word in words[:2] if not word.startswith("-"))
    if "--help" in words or "--version" in words or not words:
        return
    frame.build(name).parse_args(words, exit_on_error=False, print_error=False)


def command_lines(text: str) -> list[str]:
    """The calls of `ingrained` in a page: in shell blocks (chained ones each), and whole ones in running text."""
    lines = [
        part.strip().removeprefix(".venv/bin/")
        for block in BLOCK.findall(text)
        for line in block.splitlines()
        for part in line.split("&&")
    ]
    return [line for line in lines if line.startswith("ingrained")] + INLINE.findall(text)


@pytest.mark.parametrize("command", frame.COMMANDS, ids=lambda command: command.name)
def test_a_command_says_what_it_does(command: frame.Command) -> None:
    module, _, attr = command.target.partition(":")
    function = getattr(import_module(module), attr)
    first, *_ = inspect.getdoc(function).splitlines()
    assert first == command.help
    assert first.endswith(".")


@pytest.mark.parametrize("command", frame.COMMANDS, ids=lambda command: command.name)
def test_every_option_has_help(command: frame.Command) -> None:
    app = frame.build(command.name)
    for word in command.name.split():
        app = app[word]
    arguments = [argument for argument in app.assemble_argument_collection(parse_docstring=True) if argument.parse]
    assert {"--home", "--quiet"} <= {name for argument in arguments for name in argument.names}
    assert [argument.name for argument in arguments if not argument.children and not argument.parameter.help] == []


@pytest.mark.parametrize("command", frame.COMMANDS, ids=lambda command: command.name)
def test_a_command_has_examples_that_parse(command: frame.Command) -> None:
    assert command.examples
    for example in command.examples:
        assert example.startswith(f"ingrained {command.name}")
        parse(example)


@pytest.mark.parametrize("command", frame.COMMANDS, ids=lambda command: command.name)
def test_a_command_is_short(command: frame.Command) -> None:
    module, _, attr = command.target.partition(":")
    parsed = ast.parse(inspect.getsource(getattr(import_module(module), attr))).body[0]
    assert isinstance(parsed, ast.FunctionDef | ast.AsyncFunctionDef)
    first, last = parsed.body[1], parsed.body[-1]  # after the docstring
    assert (last.end_lineno or 0) - first.lineno < MAX_LINES


def test_the_frame_itself_names_every_shared_option() -> None:
    assert "--home" in frame.EPILOGUE


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_commands_in_the_texts_exist(path: Path) -> None:
    for line in command_lines(path.read_text(encoding="utf-8")):
        parse(line)


def test_generated_pages_are_current() -> None:
    assert [str(path.relative_to(ROOT)) for path in make_docs().stale()] == []


def test_the_check_notices_a_wrong_line() -> None:
    assert command_lines("```bash\na && .venv/bin/ingrained x\n```\n`ingrained y` `other`") == [
        "ingrained x",
        "ingrained y",
    ]
    with pytest.raises(Exception, match="Unknown"):
        parse("ingrained no-such-verb")
    with pytest.raises(Exception, match="Unknown"):
        parse("ingrained plugins --no-such-option")
    assert "make_docs" not in sys.modules


def test_functions_in_the_paper_index_exist() -> None:
    rows = [line.split("|") for line in (ROOT / "docs" / "papers.md").read_text(encoding="utf-8").splitlines()]
    names = [name for row in rows if len(row) == 6 for name in re.findall(r"`([\w.]+)`", row[3])]
    assert len(names) > 5
    for name in names:
        module, _, attr = f"ingrained.{name}".rpartition(".")
        try:
            import_module(f"{module}.{attr}")
        except ModuleNotFoundError:
            assert hasattr(import_module(module), attr), name


def test_every_published_shape_has_a_version() -> None:
    schemas = {
        path.name: json.loads(path.read_text(encoding="utf-8")) for path in (ROOT / "docs/schemas").glob("*.json")
    }
    assert len(schemas) > 5
    without = [name for name, schema in sorted(schemas.items()) if "version" not in schema["properties"]]
    assert without == [f"skill-creator-{name}.json" for name in ("benchmark", "evals")], "only others' formats"
