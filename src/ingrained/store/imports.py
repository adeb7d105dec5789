"""Files of shared rules that were read: one JSON file each in the folder `imports` of the home folder.

They are kept apart from the ledger, which holds nothing but what was typed here. Reading a file of the same name again
replaces what it said before.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import ValidationError

from ingrained.errors import StoreError
from ingrained.ids import ProjectId
from ingrained.skill.rule import Frozen
from ingrained.skill.shared import SharedRule
from ingrained.store.files import file_error, make_home, read_bytes_or_none, write_atomic

IMPORTS_VERSION = 1
FOLDER = "imports"


class Import(Frozen):
    """What one file said."""

    version: int = IMPORTS_VERSION
    name: str
    """Who it is from, as the person calls them; also the name of our file."""
    project: ProjectId
    """The project that it was read for; its rules are proposed there and nowhere else."""
    title: str
    """Short name of the project."""
    rules: tuple[SharedRule, ...]


def imports(home: Path) -> list[Import]:
    """All of them, by name.

    Raises:
        StoreError: one does not parse, or a newer version of the program wrote it.
    """
    folder = home / FOLDER
    paths = sorted(folder.glob("*.json")) if folder.is_dir() else []
    return [_load(path) for path in paths if path.is_file() and not path.is_symlink()]


def keep(home: Path, found: Import) -> Path:
    """Write it down, in place of one of the same name; the file. The caller holds the home's lock.

    Raises:
        StoreError: it cannot be written.
    """
    folder = make_home(home) / FOLDER
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise file_error("create", folder, error) from error
    path = folder / f"{found.name}.json"
    write_atomic(path, (found.model_dump_json(indent=1) + "\n").encode(), mode=0o600)
    return path


def drop(home: Path, name: str) -> bool:
    """Remove the one of that name; whether there was one. The caller holds the home's lock.

    Raises:
        StoreError: it cannot be removed.
    """
    path = home / FOLDER / f"{name}.json"
    if not path.is_file():
        return False
    try:
        path.unlink()
    except OSError as error:
        raise file_error("remove", path, error) from error
    return True


def _load(path: Path) -> Import:
    data = read_bytes_or_none(path) or b""
    try:
        found = Import.model_validate_json(data)
    except ValidationError as error:
        first = error.errors()[0]
        raise StoreError(
            f"{path} cannot be read: {'.'.join(map(str, first['loc'])) or 'file'}: {first['msg']}",
            hint="remove that file and read the shared rules again, or use the version of ingrained that wrote it",
        ) from error
    if found.version != IMPORTS_VERSION:
        raise StoreError(
            f"{path}: version {found.version}, this program knows {IMPORTS_VERSION}", hint="pip install -U ingrained"
        )
    return found
