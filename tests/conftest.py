"""Fixtures that several folders of tests share."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A busy machine is no defect of a test. `HYPOTHESIS_PROFILE=thorough` draws more, where a test names no number itself.
_CALM = [HealthCheck.too_slow]
settings.register_profile("brief", max_examples=40, deadline=None, suppress_health_check=_CALM)
settings.register_profile("thorough", max_examples=500, deadline=None, suppress_health_check=_CALM)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "brief"))

# The helpers beside this file (`session_logs`, `ledger_world`…) are imported by their names.
sys.path.insert(0, str(Path(__file__).parent))

CASES = Path(__file__).parent / "cases"


@pytest.fixture
def case_home(tmp_path: Path) -> Callable[..., Path]:
    """`case_home(name, member=None)`: a person's home folder of a case, copied, with its dotted names."""

    def copy(name: str, member: str | None = None) -> Path:
        (case,) = CASES.glob(f"{name}*")
        home = tmp_path / "home" / (member or "me")
        shutil.copytree(case / "members" / member / "home" if member else case / "home", home)
        for path in sorted(home.rglob("dot-*"), reverse=True):
            path.rename(path.with_name("." + path.name.removeprefix("dot-")))
        return home

    return copy


@pytest.fixture
def case_expected() -> Callable[[str], dict[str, object]]:
    """`case_expected(name)`: the machine-checkable block of a case's `expected.md`."""

    def block(name: str) -> dict[str, object]:
        (case,) = CASES.glob(f"{name}*")
        text = (case / "expected.md").read_text(encoding="utf-8")
        return json.loads(text.partition("```json")[2].partition("```")[0])

    return block
