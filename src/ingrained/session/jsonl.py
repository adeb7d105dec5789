"""JSON records out of log files that other programs wrote, were killed while writing, or are writing right now.

Lines end at the byte 0x0A and nowhere else: U+2028, U+0085 and form feeds are legal inside JSON strings. A line is
handed on as bytes, so that a reader can reject it by a byte test before anything is decoded; `decode` then saves every
intact record of the line. A last line without an end that does not parse is a live session: it is left for the next
run, and `LineReader.offset` stays before it. Memory is bounded by `cap`, whatever the file holds.
"""

from __future__ import annotations

import json
import re
import sys
import zlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Literal, Protocol, TypeAlias

from ingrained.session.session import Damage

CAP = 64 * 1024 * 1024
"""Longest record read, in bytes; longer ones are skipped and counted."""

_BLOCK = 1024 * 1024
_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r\n\0"
_ENDS = 1024
_LINES_SHOWN = 10
_RECOVER_TRIES = 64
_RECOVER_BYTES = 1024 * 1024
_ENVELOPE = frozenset({"uuid", "timestamp", "sessionId", "payload", "session_id"})
_LONE = re.compile("[\ud800-\udfff]")

Line: TypeAlias = tuple[int, bytes]
"""1-based physical line number and the line without its end."""

Row: TypeAlias = dict[str, object]

DamageKind = Literal["cut", "torn", "shape", "glued", "oversize", "encoding", "empty"]


class Tally:
    """Damage of one file, by kind, with the first line numbers of each."""

    def __init__(self) -> None:
        self._counts: dict[DamageKind, int] = {}
        self._lines: dict[DamageKind, list[int]] = {}

    def add(self, kind: DamageKind, line: int) -> None:
        """Count one damaged place."""
        self._counts[kind] = self._counts.get(kind, 0) + 1
        shown = self._lines.setdefault(kind, [])
        if len(shown) < _LINES_SHOWN and line not in shown:
            shown.append(line)

    def damage(self) -> tuple[Damage, ...]:
        """What was counted, in the order of the kinds' names."""
        return tuple(
            Damage(kind=kind, lines=tuple(self._lines[kind]), count=self._counts[kind]) for kind in sorted(self._counts)
        )


class PrefixHash:
    """Checksum of the bytes read so far: CRC-32, together with their number, which the cursor holds.

    It tells a file that was appended to from one that was rewritten. Nobody has a reason to forge it, and a
    cryptographic hash would take a third of the reading time.
    """

    def __init__(self, value: int = 0) -> None:
        self.value = value

    def update(self, data: bytes) -> None:
        """Take in more bytes."""
        self.value = zlib.crc32(data, self.value)

    def copy(self) -> PrefixHash:
        """An independent checksum that goes on from here."""
        return PrefixHash(self.value)

    def tag(self) -> str:
        """`crc32:` and eight hex digits."""
        return f"crc32:{self.value:08x}"


class Readable(Protocol):
    """What lines are read from."""

    def read(self, size: int = -1, /) -> bytes:
        """At most `size` bytes, b"" at the end."""
        ...

    def readline(self, size: int = -1, /) -> bytes:
        """The next line with its end, at most `size` bytes of it, b"" at the end."""
        ...


class LineReader:
    """The complete lines of a binary stream, without blank ones; iterate once, then look at the attributes.

    `offset`, `number` and `prefix` describe what was understood: everything before a torn last line.
    """

    def __init__(
        self,
        stream: Readable,
        *,
        tally: Tally,
        size: int | None = None,
        offset: int = 0,
        number: int = 0,
        in_line: bool = False,
        prefix: PrefixHash | None = None,
        cap: int = CAP,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        """Read on from the stream's position.

        Args:
            stream: opened for bytes, at `offset`.
            tally: takes the damage that shows at line level (`torn`, `oversize`).
            size: bytes to read and no more, so that a file that grows for ever is read once; `None` for all.
            offset: bytes before the stream's position.
            number: physical lines before it.
            in_line: the last of those has no end yet.
            prefix: checksum of the bytes before it.
            cap: longest line, in bytes.
            progress: called with the number of bytes read, about once a mebibyte.
        """
        self.offset = offset
        self.number = number - in_line
        self._in_line = in_line
        self.prefix = prefix or PrefixHash()
        self.bytes_read = 0
        self._stream = stream
        self._tally = tally
        self._left = sys.maxsize if size is None else size
        self._cap = cap
        self._progress = progress

    def __iter__(self) -> Iterator[Line]:
        # In local variables, since this loop runs once a line: they are stored a block at a time and at the end.
        readline, crc32, cap, left, number = self._stream.readline, zlib.crc32, self._cap, self._left, self.number
        stored, value = left, self.prefix.value
        while line := readline(min(cap + 1, left)):
            if line[-1] != 0x0A:
                self._store(stored - left, number, value)
                yield from self._without_end(line)
                stored = left = self._left
                number, value = self.number, self.prefix.value
                continue
            value = crc32(line, value)
            left -= len(line)
            number += 1
            if stored - left >= _BLOCK:
                self._store(stored - left, number, value)
                stored = left
            if data := line.strip(_BLANK):
                yield number, data.removeprefix(_BOM) if number == 1 else data
        self._store(stored - left, number, value)
        if not self.bytes_read:
            self.number += self._in_line

    def _store(self, size: int, number: int, value: int) -> None:
        """Note whole lines of `size` bytes that were handed on, and the checksum after them."""
        self.prefix = PrefixHash(value)
        self.offset += size
        self.number = number
        self._take(size)

    def _take(self, size: int) -> None:
        self._left -= size
        self.bytes_read += size
        if self._progress is not None and size:
            self._progress(size)

    def _without_end(self, line: bytes) -> Iterator[Line]:
        """A line over the cap, which is skipped; or the last one, which is read when it is whole."""
        self._take(len(line))
        if len(line) > self._cap:
            self._skip(line)
            return
        data = line.removeprefix(_BOM).strip(_BLANK)
        if data and is_whole(data):
            self.prefix.update(line)
            self.offset += len(line)
            self.number += 1
            yield self.number, data
        elif data or b"\0" in line:
            self._tally.add("torn", self.number + 1)

    def _skip(self, line: bytes) -> None:
        """Pass over the rest of a line; where it has no end yet it is left for the next run."""
        prefix, size = self.prefix.copy(), len(line)
        self._tally.add("oversize", self.number + 1)
        prefix.update(line)
        while line := self._stream.readline(min(_BLOCK, self._left)):
            self._take(len(line))
            prefix.update(line)
            size += len(line)
            if line.endswith(b"\n"):
                self.prefix = prefix
                self.offset += size
                self.number += 1
                return


def looks_whole(data: bytes) -> bool:
    """Whether a line looks like one intact object, so that a byte test may judge it.

    Cheap, and never wrong about a short record that stands before or after another on its line, glued to it or with the
    NUL bytes of a power cut between them: of a long line only the ends are searched.
    """
    if data[0] != 0x7B or data[-1] != 0x7D:
        return False
    if len(data) > 2 * _ENDS:
        data = data[:_ENDS] + data[-_ENDS:]
    return b'}{"' not in data and b"\0" not in data


def is_whole(data: bytes) -> bool:
    """Whether the bytes are complete JSON objects and nothing else."""
    if data[-1:] != b"}":
        return False
    values, clean = _values(data.decode("utf-8", "replace"))
    return clean and all(isinstance(value, dict) for value in values)


def decode(number: int, data: bytes, tally: Tally) -> list[Row]:
    """Every intact record of one line; what is broken is counted in `tally`, never raised.

    Two records glued together give both; a record cut by a kill and followed by the next one gives the next one.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        tally.add("encoding", number)
        text = data.decode("utf-8", "replace")
    if "\0" in text:
        tally.add("cut", number)
        text = text.replace("\0", "")
    values, clean = _values(text)
    if not clean:
        tally.add("cut", number)
    elif len(values) > 1:
        tally.add("glued", number)
    rows: list[Row] = []
    for value in values:
        if isinstance(value, dict):
            rows.append(value)
        else:
            tally.add("shape", number)
    return rows


_decoder = json.JSONDecoder()


def _values(text: str) -> tuple[list[object], bool]:
    """The JSON values in a text, and whether they are all of it."""
    try:
        return [json.loads(text)], True
    except (ValueError, RecursionError):
        pass
    values: list[object] = []
    at = 0
    while at < len(text):
        if text[at] in " \t\r\n":
            at += 1
            continue
        try:
            value, at = _decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            rescued = _rescue(text, at)
            return [*values, *rescued], False
        values.append(value)
    return values, bool(values)


def _rescue(text: str, at: int) -> list[object]:
    """The record that follows a cut one on the same line: an object that ends exactly where the line ends."""
    if len(text) - at > _RECOVER_BYTES:
        return []
    for _ in range(_RECOVER_TRIES):
        at = text.find('{"', at + 1)
        if at < 0:
            return []
        try:
            value, end = _decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            continue
        if end == len(text.rstrip()) and isinstance(value, dict) and "type" in value and _ENVELOPE & value.keys():
            return [value]
    return []


def string(row: Row, key: str) -> str:
    """The text at `key` with lone surrogates replaced, or "" where there is none."""
    value = row.get(key)
    return scrub(value) if isinstance(value, str) else ""


def mapping(row: Row, key: str) -> Row:
    """The object at `key`, or an empty one."""
    value = row.get(key)
    return value if isinstance(value, dict) else {}


def objects(value: object) -> list[Row]:
    """The objects in a list; empty for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def scrub(text: str) -> str:
    """The text with surrogate pairs joined and lone ones replaced, so that it can be stored as UTF-8."""
    if _LONE.search(text) is None:
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def timestamp(value: object) -> datetime | None:
    """An aware UTC time from ISO text, or from seconds or milliseconds since 1970; `None` where it is neither."""
    try:
        if isinstance(value, str) and value:
            time = datetime.fromisoformat(value)
            return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value / 1000 if value > 1e11 else value, tz=UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None
