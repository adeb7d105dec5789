"""YAML frontmatter of skill and rule files: split, read without building objects, and write.

Nothing is ever constructed: the parser's events are turned into text, lists and maps of text, and anchors, aliases,
tags, directives and duplicate keys are refused as they come by. So "123" and "off" stay text, and no input grows when
it is read. A file is split at lines that are exactly `---`, never at the characters.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from ingrained.errors import SkillFormatError

if TYPE_CHECKING:
    from ruamel.yaml.events import Event

Node: TypeAlias = "str | list[Node] | dict[str, Node]"

FENCE = "---"
MAX_FILE_BYTES = 1 << 20
MAX_HEAD_CHARS = 16_384
_MAX_BRACKETS = 64
"""The parser is quadratic in nested brackets: 16,000 of them cost half a minute."""
_MAX_DEPTH = 8
_MAX_NODES = 2_000
_QUOTE = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t"}
_ESCAPE = re.compile('[\\\\"\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\ufeff\\ufffe\\uffff]|-{3,}')
_PLAIN_LINE = re.compile(r"(?P<lead>(?P<key>[A-Za-z][\w-]*): +)(?P<value>[^\s\"'|>\[{&*!#%@`].*|[@`%].*)")
_SURROGATE = re.compile("[\ud800-\udfff]")
_SEPARATOR = re.compile("[\r\x85\u2028\u2029]")
_NOT_TEXT = re.compile(r"(?i)(?:[\d.+-].*|y|n|yes|no|on|off|true|false|null|nan|inf)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The text of a file, split."""

    head: str
    """What stands between the fences, each line with its end."""
    body: str
    """All after the line end of the closing fence."""
    repairs: tuple[str, ...]
    """What was changed to read it: `bom`, `crlf`, `line-end` (none after the closing fence)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A top-level field of a frontmatter."""

    name: str
    value: Node
    first: int
    """0-based line in the head."""
    last: int
    """0-based line in the head, the last that belongs to it (comments after it do not)."""
    flow: bool
    """Written with brackets somewhere, which the reference validator refuses."""


def decode(data: bytes, *, where: str) -> tuple[str, tuple[str, ...]]:
    """The text of a file with LF line ends and no byte order mark, and which of `bom`, `crlf` it had.

    Raises:
        SkillFormatError: over 1 MiB, not UTF-8 (the message has the byte offset and line), or with NUL characters.
    """
    if len(data) > MAX_FILE_BYTES:
        raise SkillFormatError(f"{where}: {len(data):,} bytes; a skill or rules file has at most {MAX_FILE_BYTES:,}")
    if data[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        raise SkillFormatError(f"{where}: UTF-16; the file must be UTF-8", hint="save it as UTF-8 in your editor")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SkillFormatError(
            f"{where}:{line}: byte {error.start} ({data[error.start]:#04x}) is not UTF-8",
            hint="save it as UTF-8 in your editor",
        ) from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise SkillFormatError(f"{where}:{line}: a NUL character; this is no text file")
    repairs: list[str] = []
    if text.startswith("\ufeff"):
        repairs.append("bom")
        text = text[1:]
    if "\r\n" in text:
        repairs.append("crlf")
        text = text.replace("\r\n", "\n")
    return text, tuple(repairs)


def verbatim(data: bytes, *, where: str) -> str:
    """The text of a file with nothing changed: byte order mark and line ends are kept.

    Raises:
        SkillFormatError: as `decode`.
    """
    decode(data, where=where)
    return data.decode("utf-8")


def split(data: bytes, *, where: str) -> Source:
    """The frontmatter and body of a file that must have a frontmatter.

    Raises:
        SkillFormatError: as `decode`, or the file does not start with a line `---`, or it is never closed, or the
            head is over 16,384 characters or holds a line separator other than LF.
    """
    text, repairs = decode(data, where=where)
    lines = text.split("\n")
    if lines[0] != FENCE:
        raise SkillFormatError(f"{where}:1: starts with {lines[0][:40]!r}, not with a line that is exactly '---'")
    close = closing(lines)
    if close is None:
        near = next((number for number, line in enumerate(lines[1:], start=2) if line.strip() == FENCE), 0)
        hint = f"line {near} has blanks around '---'" if near else ""
        raise SkillFormatError(f"{where}:1: the frontmatter is never closed by a line '---'", hint=hint)
    head = "".join(line + "\n" for line in lines[1:close])
    if len(head) > MAX_HEAD_CHARS:
        raise SkillFormatError(f"{where}: the frontmatter has {len(head):,} characters, at most {MAX_HEAD_CHARS:,}")
    if separator := _SEPARATOR.search(head):
        line = head.count("\n", 0, separator.start()) + 2
        raise SkillFormatError(f"{where}:{line}: a line separator {separator.group()!r} in the frontmatter; use LF")
    if close == len(lines) - 1:
        repairs += ("line-end",)
    return Source(head=head, body="\n".join(lines[close + 1 :]), repairs=repairs)


def closing(lines: Sequence[str]) -> int | None:
    """The 0-based line that closes the frontmatter which the first line opens; `None` where there is no such pair."""
    if not lines or lines[0] != FENCE:
        return None
    return next((at for at, line in enumerate(lines) if at and line == FENCE), None)


def read(head: str, *, where: str) -> list[Field]:
    """The top-level fields of a frontmatter in their order, all scalars as text.

    Raises:
        SkillFormatError: it is no YAML map, or it holds an anchor, alias, tag, directive, duplicate key, or more or
            deeper nodes than a skill needs. The message has the file's line.
    """
    brackets = head.count("[") + head.count("{")
    if brackets > _MAX_BRACKETS:
        raise SkillFormatError(f"{where}: {brackets} opening brackets in the frontmatter, at most {_MAX_BRACKETS}")
    walk = _Walk(_events(head, where), where)
    return walk.fields(head.split("\n"))


def repair(head: str) -> tuple[str, tuple[str, ...]]:
    """The head with plain one-line values put in quotes where YAML would misread them, and the names of those fields.

    The one thing mended: `description: Use this for work: writing` and values that start with `@`, `` ` `` or `%`.
    """
    lines = head.split("\n")
    mended: list[str] = []
    for index, line in enumerate(lines):
        match = _PLAIN_LINE.fullmatch(line)
        if match and (": " in match["value"] or match["value"].endswith(":") or match["value"][0] in "@`%"):
            lines[index] = match["lead"] + quote(match["value"].rstrip())
            mended.append(match["key"])
    return "\n".join(lines), tuple(mended)


def quote(text: str) -> str:
    """The text as a double-quoted YAML scalar on one line.

    Runs of three or more hyphens are escaped, since the reference validator splits a file at the characters `---`.

    Raises:
        SkillFormatError: the text holds a lone surrogate, which no UTF-8 file can.
    """
    if _SURROGATE.search(text):
        raise SkillFormatError(f"a lone surrogate in {text[:80]!r} cannot be written as UTF-8")

    def escape(match: re.Match[str]) -> str:
        found = match.group()
        if found in _QUOTE:
            return _QUOTE[found]
        if found[0] == "-":
            return "\\x2d" * len(found)
        return f"\\x{ord(found):02x}" if ord(found) < 0x100 else f"\\u{ord(found):04x}"

    return '"' + _ESCAPE.sub(escape, text) + '"'


def word(text: str) -> str:
    """A name or key that YAML reads back as the same text: bare where no YAML version reads it otherwise."""
    bare = re.fullmatch(r"[A-Za-z][\w-]*", text, re.ASCII) and "---" not in text and not _NOT_TEXT.fullmatch(text)
    return text if bare else quote(text)


def _events(head: str, where: str) -> Iterator[Event]:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        yield from YAML(typ="safe", pure=True).parse(head)
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 2 if error.problem_mark else 1
        raise SkillFormatError(
            f"{where}:{line}: the frontmatter is no YAML: {error.problem}",
            hint="put text with a colon, '#' or brackets in double quotes",
        ) from error
    except (YAMLError, ValueError, OverflowError) as error:
        reason = str(error).partition("\n")[0]
        raise SkillFormatError(f"{where}: the frontmatter is no YAML: {reason}") from error


def _in_flow(start: Event) -> bool:
    return bool(getattr(start, "flow_style", False))


class _Walk:
    """Turns the parser's events into fields, refusing what a skill has no use for."""

    def __init__(self, events: Iterator[Event], where: str) -> None:
        self._events = events
        self._where = where
        self._nodes = 0
        self._flow = False
        self._last = 0

    def fields(self, lines: Sequence[str]) -> list[Field]:
        """The fields of the one document, which must be a map."""
        from ruamel.yaml.events import MappingEndEvent, MappingStartEvent, StreamEndEvent

        self._next()
        if isinstance(opened := self._next(), StreamEndEvent):
            raise SkillFormatError(f"{self._where}:1: the frontmatter is empty")
        if getattr(opened, "explicit", False):
            raise SkillFormatError(f"{self._where}:2: a YAML directive or second document in the frontmatter")
        if not isinstance(start := self._next(), MappingStartEvent):
            raise SkillFormatError(f"{self._where}:2: the frontmatter is no map of 'name: value' lines")
        self._check(start)
        found: list[Field] = []
        while not isinstance(event := self._next(), MappingEndEvent):
            self._flow = _in_flow(start)
            name = self._key(event, {field.name for field in found})
            first = event.start_mark.line
            value = self._node(self._next(), 1)
            last = min(max(first, self._last), len(lines) - 1)
            while last > first and not lines[last].strip():  # a block of text takes the blank lines after it
                last -= 1
            found.append(Field(name=name, value=value, first=first, last=last, flow=self._flow))
        self._next()
        if not isinstance(self._next(), StreamEndEvent):
            raise SkillFormatError(f"{self._where}: more than one YAML document in the frontmatter")
        return found

    def _next(self) -> Event:
        return next(self._events)

    def _node(self, event: Event, depth: int) -> Node:
        from ruamel.yaml.events import MappingEndEvent, MappingStartEvent, ScalarEvent, SequenceEndEvent

        self._check(event)
        if depth > _MAX_DEPTH:
            raise self._refused(event, f"values nested deeper than {_MAX_DEPTH}")
        if isinstance(event, ScalarEvent):
            if event.value or event.style:  # an empty value is marked at the token after it
                block = event.style in {"|", ">"} and event.end_mark.column == 0
                self._last = event.end_mark.line - block
            if _SURROGATE.search(event.value):
                raise self._refused(event, "a lone surrogate")
            return str(event.value)
        self._flow = self._flow or _in_flow(event)
        if isinstance(event, MappingStartEvent):
            mapping: dict[str, Node] = {}
            while not isinstance(inner := self._next(), MappingEndEvent):
                name = self._key(inner, mapping.keys())
                mapping[name] = self._node(self._next(), depth + 1)
            self._closed(event, inner)
            return mapping
        listed: list[Node] = []
        while not isinstance(inner := self._next(), SequenceEndEvent):
            listed.append(self._node(inner, depth + 1))
        self._closed(event, inner)
        return listed

    def _closed(self, start: Event, end: Event) -> None:
        if _in_flow(start):
            self._last = end.end_mark.line

    def _key(self, event: Event, known: Collection[str]) -> str:
        from ruamel.yaml.events import ScalarEvent

        self._check(event)
        if not isinstance(event, ScalarEvent):
            raise self._refused(event, "a key that is no text")
        name = str(event.value)
        if name in known:
            raise self._refused(event, f"the key {name!r} stands there twice")
        self._last = event.end_mark.line
        return name

    def _check(self, event: Event) -> None:
        from ruamel.yaml.events import AliasEvent

        self._nodes += 1
        anchor, tag = getattr(event, "anchor", None), getattr(event, "tag", None)
        if isinstance(event, AliasEvent) or anchor is not None:
            raise self._refused(event, f"the anchor or alias {anchor!r}")
        if tag is not None:
            raise self._refused(event, f"the tag {tag!r}")
        if self._nodes > _MAX_NODES:
            raise self._refused(event, f"more than {_MAX_NODES} values")

    def _refused(self, event: Event, what: str) -> SkillFormatError:
        return SkillFormatError(
            f"{self._where}:{event.start_mark.line + 2}: {what}; a frontmatter holds plain fields, lists and maps",
            hint="write the value out as quoted text",
        )
