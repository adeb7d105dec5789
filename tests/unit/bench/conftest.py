"""Contexts of the writing benchmark are made once for the same data and plan, which many tests here share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from ingrained.bench.writing import prepared


def _stamp(path: Path) -> list[tuple[str, int, int]]:
    files = sorted(path.rglob("*")) if path.is_dir() else [path]
    return [(str(one), one.stat().st_mtime_ns, one.stat().st_size) for one in files if one.is_file()]


@pytest.fixture(autouse=True, scope="session")
def contexts_once() -> Iterator[None]:
    load, contexts = prepared.load, prepared.contexts
    loaded: dict[str, Any] = {}
    made: dict[tuple[int, str], Any] = {}

    def loaded_once(task: Any, paths: Sequence[Path]) -> Any:
        key = repr([task.name, [_stamp(path) for path in paths], [str(path) for path in paths]])
        if key not in loaded:
            loaded[key] = load(task, paths)
        return loaded[key]

    def made_once(task: Any, found: Any, plan: Any) -> Any:
        key = (id(found), repr(plan))
        if key not in made:
            made[key] = contexts(task, found, plan)
        return made[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prepared, "load", loaded_once)
        patch.setattr(prepared, "contexts", made_once)
        yield
