"""Removing what the program keeps in its home folder, after every installed copy was taken out.

Only names that the program itself writes are removed, with the home of the sample and the copies of edited files that a
forced undo put aside. The person's settings file and anything else in the folder stay and are named.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from ingrained.errors import RefusedError
from ingrained.model.answers import answer_files
from ingrained.session.sample import SAMPLE, sample_settings
from ingrained.store.database import LEDGER_NAME
from ingrained.store.files import LOCK_NAME, HomeLock, file_error, read_bytes_or_none
from ingrained.store.imports import FOLDER
from ingrained.store.library import Library
from ingrained.store.migrations import backups
from ingrained.store.queue import queue_files


@dataclass(frozen=True, slots=True, kw_only=True)
class Purged:
    """What went and what is left."""

    removed: tuple[Path, ...]
    left: tuple[Path, ...]
    """Entries of the home folder that are not the program's."""


def purge(home: Path) -> Purged:
    """Remove the ledger, library, queue, stored answers and locks; the home folder too where nothing else is in it.

    The ledger must not be open. There is no way back: all evidence, decisions and drafts are gone.

    Raises:
        RefusedError: copies are still installed.
        StoreError: another process uses the home folder, the library is damaged, or a file cannot be removed.
    """
    if not home.is_dir():
        return Purged(removed=(), left=())
    library = Library(home)
    removed = _sample(home / SAMPLE)
    with HomeLock(home, what="uninstall --purge"):
        library.recover()
        if library.manifest().copies or library.manifest().steps:
            raise RefusedError(
                "copies are still installed, so their originals are kept", hint=f"ingrained uninstall --home {home}"
            )
        ledger = home / LEDGER_NAME
        files = [
            ledger,
            *(ledger.with_name(f"{LEDGER_NAME}{end}") for end in ("-wal", "-shm")),
            *backups(ledger),
            *queue_files(home),
            *answer_files(home),
        ]
        try:
            for path in files:
                if path.is_file():
                    path.unlink()
                    removed.append(path)
            for folder in (library.folder, home / FOLDER):
                if folder.is_dir() and not folder.is_symlink():
                    shutil.rmtree(folder)
                    removed.append(folder)
        except OSError as error:
            raise file_error("remove", Path(error.filename or home), error) from error
    (home / f"{LOCK_NAME}.guard").unlink(missing_ok=True)
    left = tuple(sorted(home.iterdir()))
    if not left and not home.is_symlink():
        home.rmdir()
        removed.append(home)
    return Purged(removed=tuple(removed), left=left)


def _sample(home: Path) -> list[Path]:
    """Removes the home of the sample, with the settings that came with it; the paths removed."""
    if not (home / LEDGER_NAME).is_file():
        return []
    settings = home / "ingrained.toml"
    if read_bytes_or_none(settings) == sample_settings():
        settings.unlink()
    return list(purge(home).removed)
