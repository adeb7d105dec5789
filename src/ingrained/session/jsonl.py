"""JSON records out of log files that other programs wrote, were killed while writing, or are writing right now.

Lines end at the byte 0x0A and nowhere else: U+2028, U+0085 and form feeds are legal inside JSON strings. A line is
handed on as bytes, so that a reader can reject it by a byte test before anything is decoded; `decode` then saves every
intact record of the line. A last line without an end that does not parse is a live session: it is left for the next
run, and `LineReader.offset` stays before it. Memory is bounded by `cap`, whatever the file holds.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Literal, Protocol, TypeAlias

from ingrained.session.session import Damage

CAP = 64 * 1024 * 1024
"""Longest record read, in bytes; longer ones are skipped and counted."""

_BLOCK = 1024 * 1024
_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r\0"
_GLUED = 2048
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
        self._value = value

    def update(self, data: bytes) -> None:
        """Take in more bytes."""
        self._value = zlib.crc32(data, self._value)

    def copy(self) -> PrefixHash:
        """An independent checksum that goes on from here."""
        return PrefixHash(self._value)

    def tag(self) -> str:
        """`crc32:` and eight hex digits."""
        return f"crc32:{self._value:08x}"


class LineReader:
    """The complete lines of a binary stream, without blank ones; iterate once, then look at the attributes.

    `offset`, `number` and `prefix` describe what was understood: everything before a torn last line.
    """

    def __init__(
        self,
        stream: Readable,
        *,
        tally: Tally,
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
            offset: bytes before the stream's position.
            number: physical lines before it.
            in_line: the last of those has no end yet.
            prefix: hash of the bytes before it.
            cap: longest line, in bytes.
            progress: called with the number of bytes read, about once a mebibyte.
        """
        self.offset = offset
        self.number = number
        self.prefix = prefix or PrefixHash()
        self.bytes_read = 0
        self._stream = stream
        self._tally = tally
        self._cap = cap
        self._progress = progress
        self._in_line = in_line
        self._held: list[bytes] = []
        self._held_size = 0
        self._held_prefix: PrefixHash | None = None
        self._skipping = False

    def __iter__(self) -> Iterator[Line]:
        while block := self._stream.read(_BLOCK):
            self.bytes_read += len(block)
            if self._progress is not None:
                self._progress(len(block))
            cut = block.rfind(b"\n") + 1
            if not cut:
                self._hold(block)
                continue
            whole = block[:cut]
            first, *others = whole.split(b"\n")
            yield from self._end_held(first)
            number = self.number
            for line in others[:-1]:
                number += 1
                if data := line.strip(_BLANK):
                    yield number, data
            self.number = number
            self.prefix = self._held_prefix or self.prefix
            self.prefix.update(whole)
            self.offset += self._held_size + cut
            self._held_size, self._held_prefix, self._skipping = 0, None, False
            if cut < len(block):
                self._hold(block[cut:])
        yield from self._last()

    def _hold(self, piece: bytes) -> None:
        """Keep the start of a line whose end is not read yet; past the cap only its hash."""
        self._held_size += len(piece)
        self._held_prefix = self._held_prefix or self.prefix.copy()
        self._held_prefix.update(piece)
        self._skipping = self._skipping or self._held_size > self._cap
        if self._skipping:
            self._held = []
        else:
            self._held.append(piece)

    def _end_held(self, rest: bytes) -> Iterator[Line]:
        if self._skipping or self._held_size + len(rest) > self._cap:
            self._held = []
            self._tally.add("oversize", self._next())
        elif self._held:
            data = b"".join([*self._held, rest])
            self._held = []
            yield from self._line(data)
        else:
            yield from self._line(rest)

    def _next(self) -> int:
        """The number of the line that is handed on now."""
        if self._in_line:
            self._in_line = False
        else:
            self.number += 1
        return self.number

    def _line(self, data: bytes) -> Iterator[Line]:
        number = self._next()
        if number == 1 and data.startswith(_BOM):
            data = data[len(_BOM) :]
        if data := data.strip(_BLANK):
            yield number, data

    def _last(self) -> Iterator[Line]:
        """The line that has no end: read when it is whole, else left for the next run."""
        if self._skipping:
            self._tally.add("oversize", self.number + 1)
        elif self._held_prefix is not None:
            data = b"".join(self._held)
            self._held = []
            bare = data.removeprefix(_BOM).strip(_BLANK)
            if bare and is_whole(bare):
                self.offset += len(data)
                self.prefix = self._held_prefix
                yield self._next(), bare
            elif bare or b"\0" in data:
                self._tally.add("torn", self.number + 1)


def looks_whole(data: bytes) -> bool:
    """Whether a line looks like one intact object, so that a byte test may judge it.

    Cheap, and never wrong about a short record that was glued to another: of a long line only the ends are searched.
    """
    if data[0] != 0x7B or data[-1] != 0x7D or b"\0" in data:
        return False
    if len(data) <= 2 * _GLUED:
        return b'}{"' not in data
    return data.find(b'}{"', 0, _GLUED) < 0 and data.find(b'}{"', -_GLUED) < 0


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


class Readable(Protocol):
    """What lines are read from."""

    def read(self, size: int = -1, /) -> bytes:
        """At most `size` bytes, b"" at the end."""
        ...


class Bounded:
    """The next `size` bytes of a stream and no more, so that a file that grows for ever is read once."""

    def __init__(self, stream: Readable, size: int) -> None:
        self._stream = stream
        self._left = size

    def read(self, size: int = -1, /) -> bytes:
        """At most `size` bytes, b"" at the end."""
        wanted = self._left if size < 0 else min(size, self._left)
        data = self._stream.read(wanted) if wanted else b""
        self._left -= len(data)
        return data
