"""The objects of one JSON array that may be larger than memory: an export, a list of messages.

The array is the whole document, or the value of one key of the object that is the document. One element at a time is
held. A broken element costs itself only: what follows is searched for the next object that looks like an element.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator

from ingrained.session.jsonl import CAP, Readable, Row, Tally

_BLOCK = 1024 * 1024
_SPACE = " \t\r\n\0\ufeff"
_NUMBER = "0123456789+-.eE"
_NEXT = re.compile(r"[,\[]\s*(?=\{)")


class Pieces:
    """The elements of an array in a stream, with their numbers; iterate once, then look at `header`."""

    def __init__(self, stream: Readable, *, tally: Tally, marks: frozenset[str], key: str = "", cap: int = CAP) -> None:
        """Read from the stream's position.

        Args:
            stream: opened for bytes.
            tally: takes damage; its lines are the numbers of elements.
            marks: keys that every element has.
            key: where the array stands; "" where it is the document, or the document is one element.
            cap: how many characters of an element are waited for.
        """
        self.header: Row = {}
        """The other keys of the document: while iterating those before the array, then all."""
        self.number = 0
        self._is_lost = False
        self._text = _Window(stream, tally, cap)
        self._tally = tally
        self._marks = marks
        self._key = key

    def __iter__(self) -> Iterator[tuple[int, Row]]:
        start = self._text.peek()
        if start == "[":
            self._text.at += 1
            yield from self._elements()
        elif start == "{" and self._key:
            self._text.at += 1
            yield from self._members()
        elif start == "{":
            yield from self._element()
        elif start:
            self._tally.add("shape", 1)

    def _members(self) -> Iterator[tuple[int, Row]]:
        """The pairs of the document; the array's elements are handed on."""
        while (mark := self._text.peek()) and mark != "}":
            try:
                if mark == ",":
                    self._text.at += 1
                    continue
                name = self._text.value()
                if not isinstance(name, str) or self._text.peek() != ":":
                    raise _BrokenError
                self._text.at += 1
                if name == self._key and self._text.peek() == "[":
                    self._text.at += 1
                    yield from self._elements()
                else:
                    self.header[name] = self._text.value()
            except _BrokenError:
                self._tally.add("cut", self.number + 1)
                yield from self._after_damage()
                return
        if mark != "}":
            self._ends_early()

    def _elements(self) -> Iterator[tuple[int, Row]]:
        while mark := self._text.peek():
            if mark == "]":
                self._text.at += 1
                return
            if mark == ",":
                self._text.at += 1
            else:
                yield from self._element()
        self._ends_early()

    def _ends_early(self) -> None:
        """The stream ended within the array; said once, and not where a broken element took the rest with it."""
        if not self._is_lost:
            self._is_lost = True
            self._tally.add("cut", self.number + 1)

    def _element(self) -> Iterator[tuple[int, Row]]:
        self.number += 1
        try:
            value = self._text.value()
        except _BrokenError:
            self._tally.add("oversize" if self._text.is_full else "cut", self.number)
            yield from self._next()
            return
        if isinstance(value, dict):
            yield self.number, value
        else:
            self._tally.add("shape", self.number)

    def _after_damage(self) -> Iterator[tuple[int, Row]]:
        found = list(self._next())
        yield from found
        if found:
            yield from self._elements()

    def _next(self) -> Iterator[tuple[int, Row]]:
        """The next element after damage, if there is one."""
        row = self._text.search(self._marks)
        if row is None:
            self._is_lost = True
        else:
            self.number += 1
            yield self.number, row


class _BrokenError(Exception):
    """No JSON value stands here, or one that is over the cap."""


class _Window:
    """A part of a stream's text that grows as far as a value needs it; `at` is the place in it."""

    def __init__(self, stream: Readable, tally: Tally, cap: int) -> None:
        self.at = 0
        self.is_full = False
        self._text = ""
        self._stream = stream
        self._tally = tally
        self._cap = cap
        self._decoder = codecs.getincrementaldecoder("utf-8")("strict")
        self._ended = False
        self._json = json.JSONDecoder()

    def peek(self) -> str:
        """The next letter that is no white space, "" at the end."""
        while True:
            while self.at < len(self._text):
                if self._text[self.at] not in _SPACE:
                    return self._text[self.at]
                self.at += 1
            if not self._more():
                return ""

    def value(self) -> object:
        """The JSON value here.

        Raises:
            _BrokenError: there is none.
        """
        self.is_full = False
        self.peek()
        while True:
            try:
                value, end = self._json.raw_decode(self._text, self.at)
            except (ValueError, RecursionError) as error:
                if len(self._text) - self.at > self._cap:
                    self.is_full = True
                    raise _BrokenError from error
                if not self._more():
                    raise _BrokenError from error
                continue
            if not isinstance(value, (dict, list, str)) and not self._text[end:].strip(_NUMBER) and self._more():
                continue  # a number may go on
            self.at = end
            return value

    def search(self, marks: frozenset[str]) -> Row | None:
        """The next object that has these keys, `None` where none follows; it is looked for behind damage."""
        self.at += 1
        while True:
            match = _NEXT.search(self._text, self.at)
            if match is None:
                self.at = self._before_end()
                if not self._more():
                    self.at = len(self._text)
                    return None
                continue
            try:
                value, end = self._json.raw_decode(self._text, match.end())
            except (ValueError, RecursionError):
                self.at = match.start()
                if len(self._text) - self.at > self._cap or not self._more():
                    self.at = match.end()
                continue
            self.at = end
            if isinstance(value, dict) and marks <= value.keys():
                return value

    def _before_end(self) -> int:
        """The end of the text, or the mark before it after which an object may follow."""
        end = len(self._text.rstrip())
        return end - 1 if end > self.at and self._text[end - 1] in ",[" else len(self._text)

    def _more(self) -> bool:
        """Take in at least as much text as is held, so that no value is tried more than a few times."""
        if self._ended:
            return False
        self._text = self._text[self.at :]
        self.at = 0
        data = self._stream.read(max(_BLOCK, len(self._text)))
        self._ended = not data
        state = self._decoder.getstate()
        try:
            self._text += self._decoder.decode(data, final=self._ended)
        except UnicodeDecodeError:
            self._tally.add("encoding", 1)
            self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
            self._decoder.setstate(state)
            self._text += self._decoder.decode(data, final=self._ended)
        return True
