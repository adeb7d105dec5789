"""The pages on `evolve` and its tasks: what is to be copied works, and no worker, verifier or option is left out."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import BaseModel

from ingrained.bench.evolve.shape import EvolveShape
from ingrained.harness import chat, tools
from ingrained.harness.base import HARNESSES, Drawing
from ingrained.harness.sandbox import Limits
from ingrained.verify import cells, database, judge, program
from ingrained.verify.base import VERIFIERS

DOCS = Path(__file__).resolve().parents[2] / "docs"
TASKS = (DOCS / "tasks.md").read_text(encoding="utf-8")
OPTIONS: dict[str, type[BaseModel]] = {
    "rubrics": judge.Options,
    "program": program.Options,
    "cells": cells.Options,
    "database": database.Options,
}


def rows(column: str) -> dict[str, str]:
    """The rows of the table with that first column, by the name in it."""
    (table,) = re.findall(rf"^\| {column} \|.*\n\|[-| ]*\n((?:\|.*\n)+)", TASKS, re.MULTILINE)
    return {re.findall(r"`([\w-]+)[=:`]", row)[0]: row for row in table.splitlines()}


@pytest.mark.skipif(shutil.which("bash") is None, reason="the block is for bash")
def test_the_try_without_a_model_works_when_copied(tmp_path: Path) -> None:
    page = (DOCS / "evolve.md").read_text(encoding="utf-8").partition("## Try it without a model")[2]
    block = re.findall(r"```bash\n(.*?)```", page, re.DOTALL)[0]
    for name, call in (("ingrained", "-m ingrained "), ("python3", "")):
        (tmp_path / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {call}"$@"\n', encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    env = {
        **os.environ,
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "INGRAINED_HOME": str(tmp_path / "home"),
    }
    done = subprocess.run(
        ["bash", "-e", "-c", block],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = EvolveShape.model_validate_json((tmp_path / "try" / "run" / "result.json").read_text(encoding="utf-8"))
    assert (found.accepted, found.invalid, found.unscored) == (1, 0, 0)
    assert "Name the unit" in (tmp_path / "try" / "run" / "SKILL.md").read_text(encoding="utf-8")


def test_every_verifier_has_a_row_with_its_options() -> None:
    found = rows("verifier")
    assert found.keys() == {one.name for one in VERIFIERS.entries() if one.source == "built-in"}
    for name, row in found.items():
        fields = OPTIONS[name].model_fields if name in OPTIONS else {}
        told = row.rsplit("|", 2)[1]
        assert (told.strip() == "none") is not bool(fields)
        for option, field in fields.items():
            assert f"`{option}`" in told
            if isinstance(field.default, bool | str) and name != "cells":
                assert re.search(rf"`{option}` `?{str(field.default).lower()}`?\b", told), (name, option)
    (limits,) = re.findall(r"^`limits` are of.*(?:\n.+)*", TASKS, re.MULTILINE)
    assert {f"`{one}`" for one in Limits.model_fields} <= set(re.findall(r"`\w+`", limits))


def test_every_worker_has_a_row_with_its_options() -> None:
    (table,) = re.findall(r"^\| worker \| how.*\n\|[-| ]*\n((?:\|.*\n)+)", TASKS, re.MULTILINE)
    found = dict(zip(("chat", "tools"), table.splitlines(), strict=True))
    assert found.keys() == {one.name for one in HARNESSES.entries() if one.source == "built-in"}
    for name, options in (("chat", Drawing), ("tools", tools.Options)):
        assert f"`{name}=PROVIDER:NAME`" in found[name]
        assert {f"`{one}`" for one in options.model_fields} <= set(re.findall(r"`\w+`", found[name]))
    for row, sampling in ((found["chat"], chat.SAMPLING), (found["tools"], tools.SAMPLING)):
        assert f"`temperature` {sampling.temperature:g}" in row
        assert f"`max_tokens` {sampling.max_tokens}" in row
    assert f"`turns` {tools.TURNS}" in found["tools"]
    assert f"`failures` {tools.FAILURES}" in found["tools"]
