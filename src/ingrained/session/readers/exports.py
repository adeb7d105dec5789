"""The conversations in an export of a chat: `conversations.json`, a part of it, or the archive that it came in.

An archive is read as it is: nothing of it is written to disk, one conversation at a time is held, and no other file in
it is opened.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from zipfile import BadZipFile, ZipFile, ZipInfo

from ingrained.session.jsonl import Readable, Row, Tally
from ingrained.session.readers.base import HEAD
from ingrained.session.readers.pieces import Pieces

_ARCHIVE = b"PK\x03\x04"
_NAME = re.compile(r"conversations(?:[-_ ]?\w+)*\.json", re.IGNORECASE)
_LARGEST = 16 * 1024**3
_BROKEN = (BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, ValueError)
"""What a damaged, encrypted or exotic archive raises."""


def head_of(head: bytes, path: Path) -> bytes:
    """How the conversations begin: the start of the file, or of the first fitting file in an archive."""
    if not head.startswith(_ARCHIVE):
        return head.removeprefix(b"\xef\xbb\xbf")
    try:
        with ZipFile(path) as archive:
            for info in _members(archive):
                with archive.open(info) as stream:
                    return stream.read(HEAD).removeprefix(b"\xef\xbb\xbf")
    except (*_BROKEN, OSError):
        return b""
    return b""


def conversations(path: Path, tally: Tally, marks: frozenset[str]) -> Iterator[tuple[int, Row]]:
    """Every conversation with its number in its file, in their order; one without the keys `marks` is damage.

    Raises:
        OSError: the file is gone or may not be read.
    """
    with path.open("rb") as file:
        if file.read(len(_ARCHIVE)) != _ARCHIVE:
            file.seek(0)
            yield from _marked(file, tally, marks)
            return
        try:
            with ZipFile(file) as archive:
                for info in _members(archive):
                    yield from _in_archive(archive, info, tally, marks)
        except _BROKEN:
            tally.add("cut", 1)


def _in_archive(archive: ZipFile, info: ZipInfo, tally: Tally, marks: frozenset[str]) -> Iterator[tuple[int, Row]]:
    if info.file_size > _LARGEST:
        tally.add("oversize", 1)
        return
    try:
        with archive.open(info) as stream:
            yield from _marked(stream, tally, marks)
    except _BROKEN:
        tally.add("cut", 1)


def _marked(stream: Readable, tally: Tally, marks: frozenset[str]) -> Iterator[tuple[int, Row]]:
    for number, row in Pieces(stream, tally=tally, marks=marks):
        if marks <= row.keys():
            yield number, row
        else:
            tally.add("shape", number)


def _members(archive: ZipFile) -> list[ZipInfo]:
    """The files with conversations in an archive."""
    found = [info for info in archive.infolist() if _NAME.fullmatch(PurePosixPath(info.filename).name)]
    return sorted(found, key=lambda info: info.filename)
