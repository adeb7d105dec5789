"""Carrying out a plan: under the home's lock, all files or none, read back afterwards.

What is reported is what the files hold after the write, not what was meant to be written.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ingrained.errors import RefusedError, StoreError
from ingrained.install.plan import Action, Plan
from ingrained.store.files import HomeLock, read_bytes_or_none
from ingrained.store.library import Library
from ingrained.store.manifest import dump
from ingrained.store.retention import tidy
from ingrained.store.transaction import Recovered, Work, commit


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """One file as it was read back."""

    path: Path
    action: Action
    size: int | None
    """Bytes; `None`: there is no file any more."""
    readers: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """What is there now."""

    files: tuple[Written, ...]
    kept_folders: tuple[Path, ...]
    """Folders of ours that were to go and stay, since something else is in them."""


def finish(library: Library, *, say: Callable[[str], None] | None = None) -> Recovered | None:
    """Finish an install, undo or draft that a kill cut off; `None` where there is none. To be called before planning.

    The person had said yes to it, so it goes on without another question.

    Raises:
        StoreError: it cannot be finished (its journal stays), or the lock is held.
    """
    if library.desk.pending() is None:
        return None
    with HomeLock(library.home, what="install", say=say):
        recovered = library.recover()
        tidy(library)
        return recovered


def apply(library: Library, plan: Plan, *, say: Callable[[str], None] | None = None) -> Applied:
    """Do what the plan shows. A plan without changes writes nothing at all.

    Args:
        library: where the plan came from.
        plan: from `plan_install` or `plan_undo`.
        say: gets one message where another process has to be waited for.

    Raises:
        RefusedError: the library or a file changed since the plan was made; nothing was written.
        StoreError: the disk is full or a permission is missing (nothing was changed), the lock is held, or a file does
            not read back as it was written.
    """
    if plan.changes_nothing:
        return Applied(files=(), kept_folders=())
    with HomeLock(library.home, what=plan.what, say=say):
        recovered = library.recover()
        if recovered is not None or library.manifest() != plan.before:
            raise RefusedError(
                "the library changed after the difference was computed; nothing was written",
                hint=f"run ingrained {plan.what} again to see the new difference",
            )
        library.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        changes = tuple(file.change for file in plan.files)
        work = Work(
            what=plan.what, changes=changes, make=plan.make, drop=plan.drop, keep=plan.keep, manifest=dump(plan.after)
        )
        commit(library.desk, work)
        tidy(library)
        return Applied(
            files=tuple(_read_back(plan)), kept_folders=tuple(folder for folder in plan.drop if folder.is_dir())
        )


def _read_back(plan: Plan) -> list[Written]:
    written: list[Written] = []
    for file in plan.files:
        found = read_bytes_or_none(file.change.path)
        if found != file.change.after:
            raise StoreError(
                f"{file.path} does not hold what was written a moment ago; someone else writes it too",
                hint="ingrained doctor shows the difference",
            )
        size = None if found is None else len(found)
        written.append(Written(path=file.path, action=file.action, size=size, readers=file.readers))
    return written
