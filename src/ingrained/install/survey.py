"""Looking at the places before anything is decided: bytes, permissions, links and what is in the way.

Links are followed within a place's root only, one component at a time, and each one is reported; a link stays a link,
since it is the file behind it that is written. What cannot be written is found here, before the first write.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ingrained.install.places import Place
from ingrained.store.files import read_bytes_or_none

_ANY_WRITE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One file as it is now."""

    path: Path
    real: Path
    """The file itself, after links."""
    content: bytes | None
    """`None`: there is no file."""
    mode: int | None
    """Permission bits; `None` where there is no file."""
    missing: tuple[Path, ...] = ()
    """Folders that have to be made first, outermost first."""
    links: tuple[tuple[Path, Path], ...] = ()
    """Links on the way, each with what it leads to."""
    names: int = 1
    """Hard links of the file."""
    trouble: str = ""
    """Why it cannot be written or must not be; empty where nothing is in the way."""
    hint: str = ""


class _TroubleError(Exception):
    def __init__(self, why: str, hint: str = "") -> None:
        super().__init__(why)
        self.why = why
        self.hint = hint


def look(path: Path, root: Path) -> Look:
    """The file at `path`, reached from `root` without leaving it; troubles are told, not raised."""
    links: list[tuple[Path, Path]] = []
    missing: list[Path] = []
    real = path
    try:
        real = _walk(path, root, links, missing)
        content, mode, names = _file(real)
        _writable(real, missing, mode)
    except _TroubleError as trouble:
        return Look(
            path=path, real=real, content=None, mode=None, links=tuple(links), trouble=trouble.why, hint=trouble.hint
        )
    except OSError as error:
        return Look(path=path, real=real, content=None, mode=None, links=tuple(links), trouble=f"{path}: {error}")
    return Look(
        path=path, real=real, content=content, mode=mode, missing=tuple(missing), links=tuple(links), names=names
    )


def neighbours(place: Place) -> frozenset[str]:
    """Names beside the folder or file that this place would take, folded as a file system that ignores case does."""
    folder = place.path.parent.parent if place.slot.kind == "skill" else place.path.parent
    try:
        return frozenset(entry.name.casefold() for entry in folder.iterdir())
    except OSError:
        return frozenset()


def look_all(places: Sequence[Place]) -> list[Look]:
    """`look` for each place, in order."""
    return [look(place.path, place.root) for place in places]


def _walk(path: Path, root: Path, links: list[tuple[Path, Path]], missing: list[Path]) -> Path:
    _encodable(path)
    try:
        current = root.resolve()
    except (OSError, RuntimeError) as error:
        raise _TroubleError(f"{root} cannot be resolved: {error}") from error
    inside = current
    if not current.is_dir():
        if current.exists():
            raise _TroubleError(f"{root} is a file, not a folder", "move it away or choose another place")
        missing += _missing_above(current)
    parts = path.relative_to(root).parts
    for number, part in enumerate(parts):
        current /= part
        if missing:
            if number < len(parts) - 1:
                missing.append(current)
            continue
        if current.is_symlink():
            target = _follow(current, inside)
            links.append((current, target))
            current = target
        if number < len(parts) - 1:
            if not current.exists():
                missing.append(current)
            elif not current.is_dir():
                raise _TroubleError(f"{current} is a file, not a folder", "move it away or choose another place")
    return current


def _follow(link: Path, inside: Path) -> Path:
    shown = str(link.readlink())
    try:
        target = link.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise _TroubleError(
            f"{link} is a link to {shown!r}, which leads nowhere", "repair or remove the link, then run it again"
        ) from error
    if not target.is_relative_to(inside):
        raise _TroubleError(
            f"{link} is a link to {shown!r}, outside {inside}; links out of it are not followed",
            "replace the link by a folder, or install where it leads to (--into user, CLAUDE_CONFIG_DIR, CODEX_HOME)",
        )
    return target


def _missing_above(folder: Path) -> list[Path]:
    """The folder and those above it that do not exist, outermost first."""
    found: list[Path] = []
    while not folder.exists():
        found.append(folder)
        folder = folder.parent
    return found[::-1]


def _file(real: Path) -> tuple[bytes | None, int | None, int]:
    try:
        found = real.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None, None, 1
    if not stat.S_ISREG(found.st_mode):
        raise _TroubleError(f"{real} is not a regular file", "move it away or choose another place")
    return read_bytes_or_none(real), stat.S_IMODE(found.st_mode), found.st_nlink


def _writable(real: Path, missing: Sequence[Path], mode: int | None) -> None:
    """Permission bits decide as well as the system's answer, which is always yes for the superuser."""
    if mode is not None and (not mode & _ANY_WRITE or not os.access(real, os.W_OK)):
        raise _TroubleError(f"{real} is read-only", f"chmod u+w {real}, if you want it changed")
    folder = missing[0].parent if missing else real.parent
    bits = folder.stat().st_mode
    if not bits & _ANY_WRITE or not os.access(folder, os.W_OK | os.X_OK):
        raise _TroubleError(
            f"the folder {folder} is read-only", f"chmod u+w {folder}, or choose another place (--into user or project)"
        )


def _encodable(path: Path) -> None:
    try:
        str(path).encode()
    except UnicodeEncodeError as error:
        raise _TroubleError(
            f"{str(path)!r} is not UTF-8, so it cannot be written down in the manifest", "rename the folder"
        ) from error
