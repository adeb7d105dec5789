"""Conventions that every module keeps: its size, its values, its docstring."""

from __future__ import annotations

import ast
import dataclasses
import re
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "src" / "ingrained"
MODULES = sorted(SOURCE.rglob("*.py"))
HARD_LIMIT = 600
ASK_WHY = 400
CATCH_ALL_NAMES = {"utils", "util", "helpers", "common", "core", "types", "misc"}


def name_of(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_there_are_modules_to_judge() -> None:
    assert len(MODULES) > 10


def test_no_two_files_of_tests_have_one_name() -> None:
    names = Counter(path.name for path in Path(__file__).resolve().parents[1].rglob("test_*.py"))
    assert not [name for name, n in names.items() if n > 1], "pytest would take one for the other"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_module_is_too_long(path: Path) -> None:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    if lines > ASK_WHY:
        print(f"{name_of(path)}: {lines} lines; which second thing moved in?")
    assert lines <= HARD_LIMIT


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_every_module_says_what_it_owns(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


def test_things_live_with_the_concept_that_owns_them() -> None:
    named = {part.removesuffix(".py") for path in MODULES for part in path.relative_to(SOURCE).parts}
    assert not named & CATCH_ALL_NAMES


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_public_dataclasses_are_frozen_slotted_and_keyword_only(path: Path) -> None:
    module = import_module(name_of(path))
    for name, value in vars(module).items():
        if name.startswith("_") or not isinstance(value, type) or value.__module__ != module.__name__:
            continue
        if dataclasses.is_dataclass(value):
            assert vars(value)["__dataclass_params__"].frozen, f"{name} is not frozen"
            assert "__slots__" in vars(value), f"{name} is not slotted"
            loose = [field.name for field in dataclasses.fields(value) if field.init and not field.kw_only]
            assert not loose, f"{name}: {loose} can be given by position"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_nothing_pickles(path: Path) -> None:
    imported = {
        alias.name.partition(".")[0]
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    assert not imported & {"pickle", "shelve", "marshal", "dill", "cloudpickle"}


def test_no_expression_repeats_a_group_without_giving_back() -> None:
    """Python 3.11.0 to 3.11.4 match `(…)*+`, `(…)++` and `(?>…)` wrongly where the group may give back."""
    wrong = re.compile(r"\)(?:[*+?]|\{\d*,?\d*\})\+|\(\?>")
    found = [
        f"{path.name}:{node.lineno}"
        for path in sorted(SOURCE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and wrong.search(node.value)
    ]
    found += [path.name for path in sorted(SOURCE.rglob("*.toml")) if wrong.search(path.read_text("utf-8"))]
    assert found == []
