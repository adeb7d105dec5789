"""Bytes by their hash: what installed files held before and after each step, so that `undo` restores every one.

A blob is written once and never changed; its name is its hash, so a damaged one is noticed when it is read. Blobs can
hold files of the person's own (what stood there before an install) and are readable by the owner alone.
"""

from __future__ import annotations

from pathlib import Path

from ingrained.errors import StoreError
from ingrained.ids import bytes_hash
from ingrained.store.files import read_bytes_or_none, write_atomic


class Blobs:
    """A folder of blobs, one file each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, data: bytes) -> tuple[str, bool]:
        """The hash of `data` and whether it was new; a damaged blob of that name is written again."""
        name = bytes_hash(data)
        path = self._path(name)
        if read_bytes_or_none(path) == data:
            return name, False
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomic(path, data, mode=0o600)
        return name, True

    def get(self, name: str) -> bytes:
        """The bytes whose hash is `name`.

        Raises:
            StoreError: they are missing or no longer have that hash.
        """
        data = read_bytes_or_none(self._path(name))
        if data is None or bytes_hash(data) != name:
            state = "missing" if data is None else "damaged"
            raise StoreError(
                f"{self._path(name)}: the kept bytes {name!r} are {state}, so what they belong to cannot be restored",
                hint="ingrained doctor lists the files concerned; restore the home folder from a backup",
            )
        return data

    def sound(self, name: str) -> bool:
        """Whether the bytes are there and have that hash."""
        data = read_bytes_or_none(self._path(name))
        return data is not None and bytes_hash(data) == name

    def drop(self, name: str) -> None:
        """Remove the bytes; nothing happens where there are none."""
        self._path(name).unlink(missing_ok=True)

    def names(self) -> set[str]:
        """Hashes of all that is kept."""
        if not self.folder.is_dir():
            return set()
        return {f"b2:{entry.name}" for entry in self.folder.iterdir() if not entry.name.startswith(".")}

    def _path(self, name: str) -> Path:
        return self.folder / name.removeprefix("b2:")
