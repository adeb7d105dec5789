"""Checkpoints in git: the branch `entire/checkpoints/v1` of a repository, read without a checkout.

git is asked for objects only (`ls-tree`, `cat-file --batch`): no hook runs, nothing is fetched, nothing is written.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from ingrained.errors import EnvironmentFaultError
from ingrained.session.jsonl import Readable, Row, string, timestamp
from ingrained.session.readers.entire import is_checkpoint, plain_session

BRANCH = "entire/checkpoints/v1"

_REFS = (f"refs/heads/{BRANCH}", f"refs/remotes/origin/{BRANCH}")
_QUIET = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "LC_ALL": "C",
}
_TIMEOUT_S = 60
_METADATA_LIMIT = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """One transcript on the branch."""

    ref: str
    path: str
    blob: str
    size: int
    session: str
    """Without a date before it; "" where the metadata does not say."""
    time_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    path: str
    blob: str
    size: int


def git(folder: Path, arguments: Sequence[str]) -> bytes | None:
    """What a git command printed, `None` where it failed or there is no git."""
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            check=False,
            timeout=_TIMEOUT_S,
            stdin=subprocess.DEVNULL,
            env={**os.environ, **_QUIET},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def checkpoint_ref(folder: Path) -> str:
    """The ref that holds the checkpoints of the repository whose root is `folder`, "" where there is none."""
    if not (folder / ".git").exists() and not (folder / "HEAD").is_file():
        return ""
    for ref in _REFS:
        if git(folder, ["rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}"]) is not None:
            return ref
    return ""


def list_checkpoints(folder: Path, ref: str) -> list[Checkpoint]:
    """Every transcript at the tip of `ref`, with what its metadata says."""
    listed = git(folder, ["ls-tree", "-r", "-l", "-z", "--full-tree", ref])
    entries = [_entry(line) for line in (listed or b"").decode("utf-8", "replace").split("\0") if "\t" in line]
    by_path = {entry.path: entry for entry in entries}
    transcripts = [entry for entry in entries if is_checkpoint(entry.path) and entry.size > 0]
    wanted = {meta.blob for entry in transcripts for meta in _metadata_of(entry.path, by_path)}
    documents = _read_small(folder, sorted(wanted))
    found: list[Checkpoint] = []
    for entry in transcripts:
        known = [documents.get(meta.blob, {}) for meta in _metadata_of(entry.path, by_path)]
        created = next((time for row in known if (time := timestamp(row.get("created_at")))), None)
        session = next((name for row in known if (name := string(row, "session_id"))), "")
        found.append(
            Checkpoint(
                ref=ref,
                path=entry.path,
                blob=entry.blob,
                size=entry.size,
                session=plain_session(session),
                time_ns=int(created.timestamp() * 1e9) if created else 0,
            )
        )
    return found


def _entry(line: str) -> _Entry:
    fields, _, path = line.partition("\t")
    _, _, blob, size = fields.split()
    return _Entry(path=path, blob=blob, size=int(size) if size.isdigit() else 0)


def _metadata_of(path: str, entries: dict[str, _Entry]) -> list[_Entry]:
    """The metadata of a transcript: beside it, and of the whole checkpoint."""
    folders = list(PurePosixPath(path).parents)[:2]
    return [entries[name] for folder in folders if (name := str(folder / "metadata.json")) in entries]


def session_beside(transcript: Path) -> str:
    """The session that the metadata beside a transcript names, "" where there is none."""
    for folder in list(transcript.parents)[:2]:
        try:
            with (folder / "metadata.json").open("rb") as file:
                row = json.loads(file.read(_METADATA_LIMIT))
        except (OSError, ValueError):
            continue
        if isinstance(row, dict) and (session := string(row, "session_id")):
            return plain_session(session)
    return ""


def _read_small(folder: Path, blobs: list[str]) -> dict[str, Row]:
    """The JSON objects in some blobs; what is no JSON object is left out."""
    rows: dict[str, Row] = {}
    if not blobs:
        return rows
    with _batch(folder) as (ask, answers):
        for blob in blobs:
            size = _ask(ask, answers, blob)
            data = answers.read(size)
            answers.read(1)
            try:
                row = json.loads(data)
            except ValueError:
                continue
            if isinstance(row, dict):
                rows[blob] = row
    return rows


@contextmanager
def open_blob(folder: Path, blob: str) -> Generator[Readable]:
    """A blob as a stream, which goes on after the blob's size.

    Raises:
        EnvironmentFaultError: the repository has it no longer.
    """
    with _batch(folder) as (ask, answers):
        _ask(ask, answers, blob)
        yield answers


@contextmanager
def _batch(folder: Path) -> Generator[tuple[IO[bytes], IO[bytes]]]:
    """A running `git cat-file --batch`."""
    try:
        process = subprocess.Popen(
            ["git", "-C", str(folder), "cat-file", "--batch"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **_QUIET},
        )
    except OSError as error:
        raise EnvironmentFaultError(f"git cannot be started: {error.strerror}", hint="install git") from error
    with process:
        if process.stdin is None or process.stdout is None:
            raise EnvironmentFaultError("git gave no pipes")
        try:
            yield process.stdin, process.stdout
        finally:
            process.kill()


def _ask(ask: IO[bytes], answers: IO[bytes], blob: str) -> int:
    """Ask for one blob; its size, with the answers at its first byte."""
    try:
        ask.write(blob.encode() + b"\n")
        ask.flush()
        fields = answers.readline().split()
    except OSError as error:
        raise EnvironmentFaultError(f"git stopped: {error.strerror}", hint="run it again") from error
    if len(fields) != 3 or fields[1] != b"blob":
        raise EnvironmentFaultError(f"the repository has no object {blob!r} any more", hint="run it again")
    return int(fields[2])
