"""One pass over one log: what was said in it, and a cursor so that the next pass reads only what was added.

`read_file` (or `read_source`, for what `sources.find` found) is the one place where turns are made; every text in a
`FileRead`, the cursor's state included, went through the redactor. A file whose size, time and inode are as the cursor
says is not opened. Else the hash of the bytes that were read before decides: the same, then reading goes on there;
another, then the file was rewritten and is read whole. A queued message that waits at the end of one pass is counted
then; should the person take it back before the next pass, it stays counted.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from ingrained.errors import EnvironmentFaultError, MissingExtraError
from ingrained.session.jsonl import CAP, Line, LineReader, PrefixHash, Readable, Row, Tally
from ingrained.session.readers.base import Found, Reader, ReadOptions, Store, reader_called
from ingrained.session.readers.checkpoints import open_blob
from ingrained.session.readers.entire import is_checkpoint
from ingrained.session.session import Cursor, FileRead, Redactor
from ingrained.session.sources import Source, not_a_log, source_of

__all__ = ["ReadOptions", "read_file", "read_source"]

_BLOCK = 1024 * 1024
_PACKED = ".zst"
_DOCUMENT = ".json"
_AS_LOGGED = ReadOptions()


def read_file(
    path: Path,
    *,
    cursor: Cursor | None,
    redactor: Redactor,
    options: ReadOptions = _AS_LOGGED,
    progress: Callable[[int], None] | None = None,
) -> FileRead | None:
    """Read one log file.

    Args:
        path: the file.
        cursor: where the last pass ended, `None` for the first.
        redactor: takes the secrets out of every text.
        options: how the person wants their logs read; after a change of these a file is read whole.
        progress: called with the number of bytes read, about once a mebibyte.

    Returns:
        What was found, or `None` where the file is as it was at the cursor.

    Raises:
        SessionFormatError: no reader knows the file.
        EnvironmentFaultError: it cannot be read; `MissingExtraError` where a package to unpack it is missing.
    """
    try:
        source = source_of(path.resolve())
    except OSError as error:
        raise _unreadable(str(path), error) from error
    if source is None:
        raise not_a_log(path)
    return read_source(source, cursor=cursor, redactor=redactor, options=options, progress=progress)


def read_source(
    source: Source,
    *,
    cursor: Cursor | None,
    redactor: Redactor,
    options: ReadOptions = _AS_LOGGED,
    progress: Callable[[int], None] | None = None,
) -> FileRead | None:
    """Read one transcript that `sources.find` found; see `read_file`."""
    reader = reader_called(source.reader)
    if cursor is not None and not _mark(reader, options).items() <= cursor.state.items():
        cursor = None
    if cursor is not None and _is_unchanged(source, cursor):
        return None
    this_pass = _Pass(source=source, reader=reader, redactor=redactor, options=options, progress=progress)
    try:
        if cursor is not None and (read := this_pass.resume(cursor)):
            return read
        return this_pass.whole()
    except OSError as error:
        raise _unreadable(source.path, error) from error


def is_known(source: Source, cursor: Cursor | None, options: ReadOptions = _AS_LOGGED) -> bool:
    """Whether a pass would find the transcript as it was at the cursor; reads nothing."""
    if cursor is None:
        return False
    reader = reader_called(source.reader)
    return _mark(reader, options).items() <= cursor.state.items() and _is_unchanged(source, cursor)


def _mark(reader: Reader | Store, options: ReadOptions) -> dict[str, object]:
    """What a cursor's state depends on: with another reader, version or options the file is read again."""
    included = sorted([name, folder] for name, folder in options.include_entrypoints)
    return {"reader": reader.name, "version": reader.version, "options": included}


def _is_unchanged(source: Source, cursor: Cursor) -> bool:
    return (source.size, source.mtime_ns, source.inode) == (cursor.size, cursor.mtime_ns, cursor.inode)


def _unreadable(path: str, error: OSError) -> EnvironmentFaultError:
    return EnvironmentFaultError(
        f"{path!r} cannot be read: {error.strerror or type(error).__name__}",
        hint="see that it is still there and that you may read it",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pass:
    """One pass over one source."""

    source: Source
    reader: Reader | Store
    redactor: Redactor
    options: ReadOptions
    progress: Callable[[int], None] | None

    def whole(self) -> FileRead:
        """Read from the start."""
        if isinstance(self.reader, Store):
            return self._store()
        is_document = self._is_document()
        with _opened(self.source) as stream:
            tally = Tally()
            if self.source.size == 0:
                tally.add("empty", 1)
            if is_document:
                most = self.source.size if self.source.blob else CAP + 1
                return self._read(_Document(stream, tally, most), tally, {}, resumed=False)
            size = None if self.source.path.endswith(_PACKED) else self.source.size
            lines = LineReader(stream, tally=tally, size=size, progress=self.progress)
            return self._read(lines, tally, {}, resumed=False)

    def _store(self) -> FileRead:
        """Read a file that its reader opens itself."""
        read = self._read(_Unopened(self.source.size), Tally(), {}, resumed=False)
        if self.progress is not None:
            self.progress(self.source.size)
        return read

    def resume(self, cursor: Cursor) -> FileRead | None:
        """Read what was added since the cursor; `None` where what stands before it is no longer the same."""
        if not self._grows() or not 0 < cursor.offset <= self.source.size:
            return None
        with _opened(self.source) as stream:
            prefix, in_line = _hash_prefix(stream, cursor.offset)
            if prefix.tag() != cursor.prefix:
                return None
            tally = Tally()
            lines = LineReader(
                stream,
                tally=tally,
                size=self.source.size - cursor.offset,
                offset=cursor.offset,
                number=cursor.line,
                in_line=in_line,
                prefix=prefix,
                progress=self.progress,
            )
            inner = cursor.state.get("state")
            return self._read(lines, tally, inner if isinstance(inner, dict) else {}, resumed=True)

    def _is_document(self) -> bool:
        """One JSON value by its name, or a transcript of a checkpoint whose first line is no whole object."""
        if self.source.path.endswith(_DOCUMENT) or not is_checkpoint(self.source.path.replace("\\", "/")):
            return self.source.path.endswith(_DOCUMENT)
        with _opened(self.source) as stream:
            return stream.readline(3).strip() == b"{"

    def _grows(self) -> bool:
        """Whether more lines may be appended: not to a blob, a compressed file, a store or one JSON document."""
        whole = bool(self.source.blob) or isinstance(self.reader, Store)
        return not whole and not self.source.path.endswith((_PACKED, _DOCUMENT))

    def _read(self, lines: LineReader | _Document | _Unopened, tally: Tally, state: Row, *, resumed: bool) -> FileRead:
        found = Found(path=self.source.path, redactor=self.redactor, options=self.options, tally=tally)
        if isinstance(self.reader, Store):
            self.reader.read_store(Path(self.source.path), found)
        else:
            state = self.reader.read(lines, found, state)
        grows = self._grows()
        return FileRead(
            path=self.source.path,
            reader=self.reader.name,
            sessions=found.facts(),
            turns=tuple(found.turns),
            set_aside=dict(found.set_aside),
            by_tag=found.by_tag,
            refusals=found.refusals,
            unknown=dict(found.unknown),
            damage=tally.damage(),
            secrets=dict(found.secrets),
            bytes_read=lines.bytes_read,
            cursor=Cursor(
                size=self.source.size,
                mtime_ns=self.source.mtime_ns,
                inode=self.source.inode,
                offset=lines.offset if grows else 0,
                prefix=lines.prefix.tag() if grows else "",
                line=lines.number if grows else 0,
                state={**_mark(self.reader, self.options), "state": state if grows else {}},
            ),
            resumed=resumed,
        )


class _Document:
    """A file that is one JSON value, handed on as if it were one line."""

    def __init__(self, stream: Readable, tally: Tally, most: int) -> None:
        self._stream = stream
        self._tally = tally
        self._most = most
        self.bytes_read = self.number = self.offset = 0
        self.prefix = PrefixHash()

    def __iter__(self) -> Iterator[Line]:
        data = self._stream.read(min(self._most, CAP + 1))
        self.bytes_read = len(data)
        if len(data) > CAP:
            self._tally.add("oversize", 1)
        elif data := data.removeprefix(b"\xef\xbb\xbf").strip():
            yield 1, data


class _Unopened:
    """A file that its reader opens itself: no lines of it are handed on."""

    def __init__(self, size: int) -> None:
        self.bytes_read = size
        self.number = self.offset = 0
        self.prefix = PrefixHash()

    def __iter__(self) -> Iterator[Line]:
        return iter(())


def _hash_prefix(stream: Readable, size: int) -> tuple[PrefixHash, bool]:
    """The hash of the next `size` bytes, and whether they end inside a line."""
    prefix = PrefixHash()
    block = b"\n"
    while size and (block := stream.read(min(_BLOCK, size))):
        prefix.update(block)
        size -= len(block)
    return prefix, not block.endswith(b"\n")


@contextmanager
def _opened(source: Source) -> Generator[Readable]:
    """The transcript's bytes, unpacked."""
    if source.blob:
        with open_blob(Path(source.repository), source.blob) as stream:
            yield stream
        return
    with Path(source.path).open("rb", buffering=_BLOCK) as file:
        if source.path.endswith(_PACKED):
            with _unpacked(file) as stream:
                yield stream
        else:
            yield file


@contextmanager
def _unpacked(file: BinaryIO) -> Generator[Readable]:
    """A Zstandard stream, by the standard library (Python 3.14) or the package `zstandard`.

    Raises:
        MissingExtraError: there is neither.
    """
    try:
        stream = import_module("compression.zstd").ZstdFile(file)
    except ModuleNotFoundError:
        try:
            stream = BufferedReader(import_module("zstandard").ZstdDecompressor().stream_reader(file), _BLOCK)
        except ModuleNotFoundError as error:
            raise MissingExtraError(
                f"{file.name!r} is compressed, and nothing here can unpack it", hint="pip install zstandard"
            ) from error
    with stream:
        yield stream
