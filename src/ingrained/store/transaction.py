"""Several files change together or not at all, across a kill, a full disk and a refused permission.

All bytes, the new ones and the old ones, are on disk before the first file changes: as blobs, in a journal that names
each change, and as temporary files beside their targets. Then only renames are left, which need no space. What fails
before or among them is rolled back; a kill leaves the journal, and the next writer finishes from it (`recover`). A
file that somebody else changed in between is left as it is.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ingrained.errors import RefusedError, StoreError
from ingrained.ids import bytes_hash
from ingrained.skill.rule import Frozen
from ingrained.store.blobs import Blobs
from ingrained.store.faults import point, register
from ingrained.store.files import read_bytes_or_none, sync_folder, way_out, write_atomic
from ingrained.wording import plural

JOURNAL_VERSION = 1

_POINTS = (
    "bytes-kept",
    "journal-written",
    "folder-made",
    "before-temporary",
    "staged",
    "before-file",
    "after-file",
    "before-manifest",
    "manifest-written",
    "folders-dropped",
    "ended",
)
register("install", *_POINTS)
register("undo", *_POINTS)
register("draft", *_POINTS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One file before and after; `None` is no file."""

    path: Path
    """The real file: a link in the way is resolved by whoever plans the change, and stays a link."""
    before: bytes | None
    after: bytes | None
    mode_before: int | None
    """Permission bits of the file as it is; `None` where there is none."""
    mode_after: int | None = None
    """Permission bits that it gets; `None`: as before, and what the umask allows for a new file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What one transaction does. `manifest` replaces the manifest in the same stroke."""

    what: str
    """`draft`, `install` or `undo`; names the kill points."""
    changes: tuple[Change, ...]
    make: tuple[Path, ...]
    """Folders to create, outermost first."""
    drop: tuple[Path, ...]
    """Folders to remove where they are empty, innermost first."""
    keep: tuple[bytes, ...] = ()
    """More blobs that the manifest names."""
    manifest: str


class _Step(Frozen):
    path: str
    before: str | None
    after: str | None
    mode_before: int | None
    mode_after: int | None


class Journal(Frozen):
    """What a transaction was doing when it was cut off."""

    version: int = JOURNAL_VERSION
    what: str
    steps: tuple[_Step, ...]
    make: tuple[str, ...]
    drop: tuple[str, ...]
    manifest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovered:
    """What finishing a cut-off transaction did."""

    what: str
    finished: tuple[Path, ...]
    left: tuple[Path, ...]
    """Files that somebody else changed meanwhile, or that lie behind a new link; they were not touched."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Where transactions keep their papers."""

    blobs: Blobs
    journal: Path
    manifest: Path
    needed: Callable[[str], set[str]]
    """The names of the blobs that a manifest's text needs."""

    def sweep(self, manifest: str) -> int:
        """Remove the blobs that this manifest does not need; how many. One that cannot be removed waits."""
        unneeded = self.blobs.names() - self.needed(manifest)
        with contextlib.suppress(OSError):
            for name in unneeded:
                self.blobs.drop(name)
        return len(unneeded)

    def pending(self) -> Journal | None:
        """The journal of a transaction that was cut off, if there is one.

        Raises:
            StoreError: the journal does not parse or is of a newer version.
        """
        data = read_bytes_or_none(self.journal)
        if data is None:
            return None
        try:
            found = Journal.model_validate_json(data)
        except ValueError as error:
            raise StoreError(
                f"{self.journal}: not a journal that this version can read: {str(error).splitlines()[0]}",
                hint="use the version of ingrained that wrote it, or move the file away and run ingrained doctor",
            ) from error
        if found.version != JOURNAL_VERSION:
            raise StoreError(
                f"{self.journal}: version {found.version}, this program knows {JOURNAL_VERSION}",
                hint="use the version of ingrained that wrote it",
            )
        return found


def commit(desk: Desk, work: Work) -> None:
    """Carry out `work` whole, or leave everything as it was.

    Raises:
        RefusedError: a file no longer is what the work expects; nothing was changed.
        StoreError: the disk is full or a permission is missing; nothing was changed, or, where even the way back was
            barred, the next run finishes.
    """
    for change in work.changes:
        _expect(change)
    new_blobs: list[str] = []
    made: list[Path] = []
    done: list[Change] = []
    try:
        for data in (*work.keep, *(side for change in work.changes for side in (change.before, change.after))):
            if data is not None:
                name, new = desk.blobs.put(data)
                new_blobs += [name] if new else []
        point(f"{work.what}.bytes-kept")
        write_atomic(desk.journal, _journal(work).model_dump_json().encode(), mode=0o600)
        point(f"{work.what}.journal-written")
        _stage(desk, work, made)
        point(f"{work.what}.staged")
        for change in work.changes:
            point(f"{work.what}.before-file")
            _expect(change)
            done.append(change)
            _move_in(change)
            point(f"{work.what}.after-file")
        point(f"{work.what}.before-manifest")
        _temporary(desk.manifest).replace(desk.manifest)
        sync_folder(desk.manifest.parent)
    except BaseException as error:
        _roll_back(desk, work, new_blobs=new_blobs, made=made, done=done, cause=error)
        if isinstance(error, OSError):
            raise StoreError(_why(error) + "; nothing was changed", hint=way_out(error.errno)) from error
        raise
    point(f"{work.what}.manifest-written")
    _drop_folders(work.drop)
    desk.sweep(work.manifest)
    point(f"{work.what}.folders-dropped")
    desk.journal.unlink()
    sync_folder(desk.journal.parent)
    point(f"{work.what}.ended")


def recover(desk: Desk) -> Recovered | None:
    """Finish the transaction that a kill cut off; `None` where there is none. Running it again changes nothing.

    Raises:
        StoreError: the journal or a blob that it needs is damaged, or a write fails; the journal stays.
    """
    journal = desk.pending()
    if journal is None:
        return None
    finished: list[Path] = []
    left: list[Path] = []
    try:
        for folder in map(Path, journal.make):
            if not _through_link(folder):
                folder.mkdir(parents=True, exist_ok=True)
        for step in journal.steps:
            (finished if _redo(desk, step) else left).append(Path(step.path))
        _temporary(desk.manifest).unlink(missing_ok=True)
        write_atomic(desk.manifest, journal.manifest.encode(), mode=0o600)
        _drop_folders(tuple(Path(folder) for folder in journal.drop))
        desk.sweep(journal.manifest)
        desk.journal.unlink()
    except OSError as error:
        raise StoreError(
            f"an interrupted {journal.what} could not be finished: {_why(error)}", hint=way_out(error.errno)
        ) from error
    return Recovered(what=journal.what, finished=tuple(finished), left=tuple(left))


def _redo(desk: Desk, step: _Step) -> bool:
    """Bring one file to its state after the step, unless it is neither what it was before nor after it."""
    path = Path(step.path)
    if _through_link(path):
        return False
    _temporary(path).unlink(missing_ok=True)
    current = read_bytes_or_none(path)
    if step.after is not None and not path.parent.is_dir():
        return False
    name = None if current is None else bytes_hash(current)
    if name not in (step.before, step.after):
        return False
    if step.after is None:
        path.unlink(missing_ok=True)
    elif name != step.after:
        write_atomic(path, desk.blobs.get(step.after), mode=step.mode_after)
    return True


def _journal(work: Work) -> Journal:
    return Journal(
        what=work.what,
        steps=tuple(
            _Step(
                path=str(change.path),
                before=None if change.before is None else bytes_hash(change.before),
                after=None if change.after is None else bytes_hash(change.after),
                mode_before=change.mode_before,
                mode_after=change.mode_after if change.mode_after is not None else change.mode_before,
            )
            for change in work.changes
        ),
        make=tuple(map(str, work.make)),
        drop=tuple(map(str, work.drop)),
        manifest=work.manifest,
    )


def _expect(change: Change) -> None:
    if _through_link(change.path):
        raise RefusedError(
            f"{change.path} is reached through a symbolic link since the difference was computed; nothing was changed",
            hint="run the same command again to see where it would be written now",
        )
    if read_bytes_or_none(change.path) != change.before:
        raise RefusedError(
            f"{change.path} was changed by someone else after the difference was computed; nothing of ours replaced it",
            hint="run the same command again to see the new difference",
        )


def _through_link(path: Path) -> bool:
    """Whether a link stands in the way to a path that was free of links when it was planned."""
    return os.path.realpath(path) != str(path)


def _stage(desk: Desk, work: Work, made: list[Path]) -> None:
    for folder in work.make:
        if not folder.is_dir():
            folder.mkdir()
            made.append(folder)
        point(f"{work.what}.folder-made")
    for change in work.changes:
        if change.after is not None:
            point(f"{work.what}.before-temporary")
            mode = change.mode_after if change.mode_after is not None else change.mode_before
            _write_temporary(change.path, change.after, mode=mode)
    _write_temporary(desk.manifest, work.manifest.encode(), mode=0o600)


def _write_temporary(path: Path, data: bytes, *, mode: int | None) -> None:
    temporary = _temporary(path)
    temporary.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(temporary, flags, 0o666 if mode is None else 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    if mode is not None:
        temporary.chmod(mode)
    with contextlib.suppress(OSError):
        owner = path.stat()
        if hasattr(os, "chown") and owner.st_uid != os.geteuid():
            os.chown(temporary, owner.st_uid, owner.st_gid)


def _move_in(change: Change) -> None:
    if change.after is None:
        change.path.unlink()
    else:
        _temporary(change.path).replace(change.path)
    sync_folder(change.path.parent)


def _roll_back(
    desk: Desk, work: Work, *, new_blobs: list[str], made: list[Path], done: list[Change], cause: BaseException
) -> None:
    """Undo what was done so far. The journal goes last: while it is there, the next run can still finish."""
    try:
        for change in reversed(done):
            if read_bytes_or_none(change.path) == change.before:
                continue
            if change.before is None:
                change.path.unlink()
            else:
                write_atomic(change.path, change.before, mode=change.mode_before)
        for path in (*(change.path for change in work.changes), desk.manifest, desk.journal):
            _temporary(path).unlink(missing_ok=True)
        _drop_folders(tuple(reversed(made)))
        desk.journal.unlink(missing_ok=True)
        for name in new_blobs:
            desk.blobs.drop(name)
    except OSError as error:
        raise StoreError(
            f"{_why(cause)}; the way back failed too ({_why(error)}): {len(done)} of "
            f"{plural(len(work.changes), 'file was', 'files were')} changed, each whole, and the rest will be by "
            "the next run",
            hint=f"free the cause and run the {work.what} again",
        ) from cause


def _drop_folders(folders: tuple[Path, ...]) -> None:
    for folder in folders:
        # A folder that is not empty holds something of the person's or another program's.
        with contextlib.suppress(OSError):
            if not folder.is_symlink():
                folder.rmdir()


def _temporary(path: Path) -> Path:
    """One fixed name per target, so that whoever finishes or rolls back a cut-off transaction finds it."""
    return path.with_name(f".{path.name[:200]}.ingrained-tmp")


def permission_bits(path: Path) -> int | None:
    """The permission bits of the file, `None` where there is none."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return None


def _why(error: BaseException) -> str:
    if not isinstance(error, OSError):
        return str(error) or type(error).__name__
    where = f" at {error.filename}" if error.filename else ""
    return f"{error.strerror or error}{where}"
