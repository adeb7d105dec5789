from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from install_world import World, make_world, without_sync


@pytest.fixture(autouse=True, scope="module")
def fast() -> Iterator[None]:
    with without_sync():
        yield


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path)
