"""The queue of logs that agents' hooks named, taken up by `learn`.

Hooks append to `queue.jsonl` (`enqueue.py`) while `learn` takes it up. The one decision: the file is renamed under the
lock that a hook takes for its line, so a line is either in the file that was taken or in the next one. What was taken
stays on disk until its logs are read (`Taken.done`), so a kill loses nothing.
"""

from __future__ import annotations

import contextlib
import secrets
import time
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from ingrained.store.enqueue import QUEUE
from ingrained.store.faults import point, register
from ingrained.store.files import FileError, file_error, read_bytes_or_none

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None

register("queue", "taken", "cleared")

_WAIT_S = 1.0


class Queued(BaseModel):
    """One line: the log of a session in which a turn ended, or the session's id where the agent names no log."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    version: int
    agent: str
    time: int = 0
    """Seconds since the epoch."""
    transcript: str = ""
    session: str = ""
    folder: str = ""
    """Codex: its own folder (`CODEX_HOME`), where that is not the usual one."""
    cwd: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """What was taken up: each log once, in the order in which it was last named."""

    entries: tuple[Queued, ...]
    unreadable: int
    """Lines that are none of ours, or torn."""
    files: tuple[Path, ...]

    def done(self) -> None:
        """Clear what was taken; its logs have been read.

        Raises:
            FileError: a file cannot be removed.
        """
        for path in self.files:
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise file_error("remove", path, error) from error
        if self.files:
            point("queue.cleared")


def take(home: Path) -> Taken:
    """Take up the queue. The caller holds the home's lock; hooks may append all the while.

    Raises:
        FileError: the queue cannot be read or renamed.
    """
    path = home / QUEUE
    try:
        with _quiet(path) as there:
            if there:
                path.rename(home / f"queue-taken-{time.time_ns()}-{secrets.token_hex(2)}.jsonl")
                point("queue.taken")
    except OSError as error:
        raise file_error("take up", path, error) from error
    return _read(tuple(waiting(home)))


def peek(home: Path) -> Taken:
    """What is in the queue, without taking it up; nothing where it cannot be read."""
    try:
        return _read((*waiting(home), home / QUEUE))
    except FileError:
        return Taken(entries=(), unreadable=0, files=())


def _read(files: tuple[Path, ...]) -> Taken:
    """What stands in the files.

    Raises:
        FileError: one cannot be read.
    """
    entries: dict[str, Queued] = {}
    unreadable = 0
    for file in files:
        for line in (read_bytes_or_none(file) or b"").split(b"\n"):
            if not line.strip():
                continue
            try:
                entry = Queued.model_validate_json(line)
            except ValidationError:
                unreadable += 1
                continue
            key = entry.transcript or entry.session
            entries.pop(key, None)
            entries[key] = entry
    return Taken(entries=tuple(entries.values()), unreadable=unreadable, files=files)


def waiting(home: Path) -> list[Path]:
    """The files of the queue that no hook appends to any more, by name."""
    return sorted(path for path in home.glob("queue-*.jsonl") if path.is_file() and not path.is_symlink())


def queue_files(home: Path) -> list[Path]:
    """Everything of the queue in the home folder."""
    return [path for path in (home / QUEUE, *waiting(home), *home.glob("queue-*.jsonl.new")) if path.is_file()]


@contextlib.contextmanager
def _quiet(path: Path) -> Generator[bool]:
    """While no hook writes to the file; whether it is there. A hook holds the lock for the moment of one write."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        yield False
        return
    with file:
        until = time.monotonic() + _WAIT_S
        while fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= until:
                    raise
                time.sleep(0.005)
        yield True
