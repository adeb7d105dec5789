"""Where session logs are: the agents' standard places, any path that the person names, and git branches that hold some.

A source is one transcript with its size, time and reader; nothing is opened but the first bytes. Links, FIFOs, sockets
and other special files are never followed or read below a folder. What could not be used is listed with its reason.
"""

from __future__ import annotations

import os
import stat
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

from ingrained.errors import EnvironmentFaultError, SessionFormatError
from ingrained.session.places import is_store_name, store_places
from ingrained.session.provenance import is_under
from ingrained.session.readers.base import HEAD, Store, known_readers
from ingrained.session.readers.checkpoints import Checkpoint, checkpoint_ref, git, list_checkpoints, session_beside
from ingrained.session.readers.entire import is_transcript

_NAMES = (".jsonl", ".jsonl.zst")
_SNIFF = 4096
MOST_SEEN = 10_000
_NAMED_ONLY = frozenset({"chats"})
"""Formats that do not say whose words they hold: data sets in a project are not the person's."""
_SKIPPED_FOLDERS = frozenset({".git", "node_modules", ".venv", "__pycache__", "tool-results"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One transcript that can be read."""

    path: str
    """Absolute path of the file, or `<repository>@<branch>:<path>`: its identity in the ledger."""
    reader: str
    size: int
    """Bytes."""
    mtime_ns: int
    """Last change, in nanoseconds since 1970; of a checkpoint its creation."""
    inode: int
    session: str = ""
    """Of a checkpoint the session whose copy it is, where its metadata says so."""
    blob: str = ""
    """Git object that holds it, in the repository `repository`."""
    repository: str = ""
    copies: int = 0
    """Shorter copies of the same session that it stands for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A path that was found and not used."""

    path: str
    why: str


@dataclass(slots=True, kw_only=True)
class _Search:
    since_ns: int
    exclude: Sequence[str]
    sources: dict[str, Source] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)

    def skip(self, path: Path | str, why: str) -> None:
        self.skipped.append(Skipped(path=str(path), why=why))

    def add(self, source: Source) -> None:
        if source.mtime_ns < self.since_ns:
            return
        if any(matches(source.path, pattern) for pattern in self.exclude):
            self.skip(source.path, "excluded")
        else:
            self.sources[source.path] = source


def standard_places(env: Mapping[str, str], home: Path, platform: str = sys.platform) -> list[Path]:
    """The folders where agents keep their logs, whether they exist or not.

    Args:
        env: the environment; `CLAUDE_CONFIG_DIR` and `CODEX_HOME` move the places.
        home: the person's home folder.
        platform: `linux`, `darwin` or `win32`.
    """
    claude = [Path(env["CLAUDE_CONFIG_DIR"])] if env.get("CLAUDE_CONFIG_DIR") else [home / ".claude"]
    if not env.get("CLAUDE_CONFIG_DIR"):
        claude.append(Path(env.get("XDG_CONFIG_HOME") or home / ".config") / "claude")
    codex = Path(env.get("CODEX_HOME") or home / ".codex")
    lines = [folder / "projects" for folder in claude] + [codex / "sessions", codex / "archived_sessions"]
    return lines + list(store_places(env, home, platform))


def endings(folder: Path) -> Counter[str]:
    """The files below a folder by the endings of their names, to say what lies where no log was found.

    Links are not followed, and after `MOST_SEEN` files it is enough.
    """
    found: Counter[str] = Counter()
    for _, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED_FOLDERS)
        found.update(Path(name).suffix.lower() or name for name in files[: MOST_SEEN - found.total()])
        if found.total() >= MOST_SEEN:
            break
    return found


def find(
    paths: Iterable[Path],
    *,
    since: datetime | None = None,
    exclude: Sequence[str] = (),
    skipped: list[Skipped] | None = None,
) -> list[Source]:
    """All transcripts at the paths, newest first, each once.

    Args:
        paths: files, folders, or git repositories with checkpoints.
        since: leave out what was last changed before (aware); a file that is newer may hold older turns.
        exclude: globs over the whole path, or folders; also the remembered ignore list.
        skipped: takes what was found and not used.

    Raises:
        SessionFormatError: a path that was named is a file that no reader knows.
        EnvironmentFaultError: a path that was named does not exist or cannot be read.
    """
    since_ns = int(since.timestamp() * 1e9) if since else 0
    search = _Search(since_ns=since_ns, exclude=exclude)
    for path in paths:
        _named(path, search)
    if skipped is not None:
        skipped.extend(search.skipped)
    kept = _longest_copies(search.sources.values())
    return sorted(kept, key=lambda source: (-source.mtime_ns, source.path))


def _named(path: Path, search: _Search) -> None:
    """A path that the person gave: here a link is followed, and a mistake is an error."""
    try:
        real = path.expanduser().resolve(strict=True)
        mode = real.stat().st_mode
    except (OSError, RuntimeError) as error:
        raise EnvironmentFaultError(
            f"{str(path)!r} cannot be read: {_why(error)}", hint="name a log file, or a folder that holds some"
        ) from error
    if stat.S_ISDIR(mode):
        _walk(real, search)
        if ref := checkpoint_ref(real):
            for checkpoint in list_checkpoints(real, ref):
                search.add(_of_checkpoint(real, checkpoint))
        return
    if not stat.S_ISREG(mode):
        raise SessionFormatError(f"{str(path)!r} is no regular file", hint="name a log file or a folder")
    source = source_of(real)
    if source is None:
        raise not_a_log(path)
    search.add(source)


def _walk(root: Path, search: _Search) -> None:
    """Every log below a folder, without following links."""
    folders = [root]
    while folders:
        folder = folders.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            search.skip(folder, _why(error))
            continue
        for entry in entries:
            if entry.is_symlink():
                if _is_named_so(entry.name) and not entry.name.endswith(".md"):
                    search.skip(entry.path, "a link")
            elif entry.is_dir(follow_symlinks=False):
                if entry.name not in _SKIPPED_FOLDERS:
                    folders.append(Path(entry.path))
            elif _is_named_so(entry.name):
                _walked(entry, search)


def _is_named_so(name: str) -> bool:
    """Whether a log may have such a name; the oldest Codex wrote one JSON document a session."""
    if name.endswith(_NAMES) or (name.startswith("rollout-") and name.endswith(".json")):
        return True
    return is_store_name(name)


def _walked(entry: os.DirEntry[str], search: _Search) -> None:
    """A file met on the way: what is no log is passed over, what cannot be read is listed."""
    try:
        if not entry.is_file(follow_symlinks=False):
            search.skip(entry.path, "no regular file")
        elif entry.stat(follow_symlinks=False).st_mtime_ns >= search.since_ns and (
            source := source_of(Path(entry.path))
        ):
            if source.reader in _NAMED_ONLY:
                search.skip(entry.path, "conversations of nobody in particular; name the file to read it")
            else:
                search.add(source)
    except OSError as error:
        search.skip(entry.path, _why(error))


def source_of(path: Path) -> Source | None:
    """The file as a source, `None` where it is no regular file or no reader knows it.

    Raises:
        OSError: the file is gone or may not be read.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        return None
    with path.open("rb") as file:
        head = file.read(_SNIFF)
        info = os.fstat(file.fileno())
        reader = _packed(path) or sniff(head, path)
        if reader is None and len(head) == _SNIFF:
            reader = sniff(head + file.read(HEAD - _SNIFF), path)
    if reader is None:
        return None
    size, mtime_ns = _with_those_beside(path, reader, info)
    return Source(
        path=str(path),
        reader=reader,
        size=size,
        mtime_ns=mtime_ns,
        inode=info.st_ino,
        session=session_beside(path) if reader == "entire" and is_transcript(path.as_posix()) else "",
    )


def _with_those_beside(path: Path, reader: str, info: os.stat_result) -> tuple[int, int]:
    """Size and time of the file and of those beside it in which a part of it stands."""
    size, mtime_ns = info.st_size, info.st_mtime_ns
    known = known_readers()[reader]
    for other in known.beside(path) if isinstance(known, Store) else ():
        try:
            more = other.lstat()
        except OSError:
            continue
        size, mtime_ns = size + more.st_size, max(mtime_ns, more.st_mtime_ns)
    return size, mtime_ns


def not_a_log(path: Path) -> SessionFormatError:
    """The error for a file that was named and that no reader knows."""
    return SessionFormatError(
        f"{str(path)!r} is no session log that a reader knows (there are: {', '.join(known_readers())})",
        hint="ingrained plugins lists the readers",
    )


def _packed(path: Path) -> str | None:
    """A compressed file is known by its name; Codex alone writes such."""
    return "codex" if path.name.startswith("rollout-") and path.name.endswith(".jsonl.zst") else None


def sniff(head: bytes, path: Path) -> str | None:
    """Name of the first reader that knows a file which starts with `head`."""
    return next((name for name, reader in known_readers().items() if reader.matches(head, path)), None)


def matches(path: str, pattern: str) -> bool:
    """Whether a path is meant by an exclude pattern: a glob over all of it, or a folder that it lies in."""
    if any(letter in pattern for letter in "*?["):
        return fnmatch(path, pattern) or fnmatch(path, "*/" + pattern)
    return is_under(path, os.path.abspath(os.path.expanduser(pattern)))  # noqa: PTH100, PTH111 - no disk access


def _of_checkpoint(repository: Path, checkpoint: Checkpoint) -> Source:
    return Source(
        path=f"{repository}@{checkpoint.ref}:{checkpoint.path}",
        reader="entire",
        size=checkpoint.size,
        mtime_ns=checkpoint.time_ns,
        inode=int(checkpoint.blob[:12], 16),
        session=checkpoint.session if is_transcript(checkpoint.path) else "",
        blob=checkpoint.blob,
        repository=str(repository),
    )


def _longest_copies(sources: Iterable[Source]) -> list[Source]:
    """Of the cumulative copies of a session in checkpoints only the longest, by session and place."""
    kept: list[Source] = []
    groups: dict[tuple[str, str], list[Source]] = {}
    for source in sources:
        if source.session:
            root = source.repository or str(Path(source.path).parents[3])
            groups.setdefault((root, source.session), []).append(source)
        else:
            kept.append(source)
    for group in groups.values():
        longest = max(group, key=lambda source: (source.size, source.mtime_ns, source.path))
        kept.append(replace(longest, copies=len(group) - 1))
    return kept


def _why(error: Exception) -> str:
    return (error.strerror or type(error).__name__) if isinstance(error, OSError) else "a loop of links"


@cache
def git_remote(folder: str) -> str:
    """The URL of the remote `origin` of the repository that a folder lies in; "" where it is gone or has none.

    For `projects.resolve`. Asks git once a folder; reads configuration only.
    """
    if not folder or not Path(folder).is_dir():
        return ""
    return (git(Path(folder), ["config", "--get", "remote.origin.url"]) or b"").decode("utf-8", "replace").strip()
