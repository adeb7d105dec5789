"""The agent's acts in a Claude Code log: the last one, and the calls that have no result yet.

Tool calls are kept as the bytes of their row and decoded only when a turn or the state asks for one, since nearly all
of them are never asked for.
"""

from __future__ import annotations

import re
from collections import deque

from pydantic import Field

from ingrained.session.jsonl import Row, Tally, decode, mapping, objects, string
from ingrained.session.readers.acts import call_input, last_sentence
from ingrained.session.readers.base import Found, Safe, SafeAct, State, text_hash

_RAW_KEPT = 64 * 1024
_CALL_ID = re.compile(rb'"type":"tool_use","id":"([^"\\]*)","name":"([^"\\]*)"')
_ASKING = frozenset({b"AskUserQuestion", b"ExitPlanMode"})
_OPEN_KEPT = 64
_TEXTS_KEPT = 16


class Call(State):
    """A tool call, redacted."""

    uuid: str = ""
    tool: str = ""
    input: Safe = Field(default_factory=Safe)
    questions: list[str] = Field(default_factory=list)
    plan: list[str] = Field(default_factory=list)
    """Hashes of the lines of a proposed plan."""


class ActState(State):
    """What has to be known of the agent's acts in the next run."""

    calls: dict[str, Call] = Field(default_factory=dict)
    last: SafeAct = Field(default_factory=SafeAct)
    answered: bool = False
    moved: int = 0


class Acts:
    """Follows the agent through one file."""

    def __init__(self, found: Found, state: ActState) -> None:
        self._found = found
        self._calls: dict[bytes, bytes | Call] = {id.encode(): call for id, call in state.calls.items()}
        self._asks = {
            id for id, call in self._calls.items() if isinstance(call, Call) and (call.questions or call.plan)
        }
        self._last = state.last
        self._last_call = b""
        self._texts: deque[bytes | str] = deque(maxlen=_TEXTS_KEPT)
        self._answered = state.answered
        self._moved = state.moved

    def answered(self) -> None:
        """A person spoke: the agent's next act begins a new stretch, and what it did before is no longer the last."""
        self._answered = True

    def raw_row(self, data: bytes) -> None:
        """Take in an assistant row by its bytes."""
        if len(data) > _RAW_KEPT:
            for row in decode(0, data, Tally()):
                self.row(row)
            return
        if self._answered:
            self._begin()
        if b'"type":"text"' in data:
            self._texts.append(data)
        at = data.find(b'"type":"tool_use"')
        while at >= 0:
            match = _CALL_ID.match(data, at)
            if match is None:
                for row in decode(0, data, Tally()):
                    self.row(row)
                return
            self._open(match.group(1), data)
            if match.group(2) in _ASKING:
                self._asks.add(match.group(1))
            self._last_call = data
            at = data.find(b'"type":"tool_use"', match.end())

    def row(self, row: Row) -> None:
        """Take in a decoded assistant row."""
        if self._answered:
            self._begin()
        for block in objects(mapping(row, "message").get("content")):
            if block.get("type") == "tool_use":
                call = self._read_call(row, block)
                id = string(block, "id").encode()
                self._open(id, call)
                if call.questions or call.plan:
                    self._asks.add(id)
                self._last = SafeAct(tool=call.tool, input=call.input, said=self._last.said)
                self._last_call = b""
            elif block.get("type") == "text":
                self._texts.append(string(block, "text"))

    def _open(self, id: bytes, call: bytes | Call) -> None:
        """Keep a call until its result; one with the same id moves aside, to be found by its row."""
        other = self._calls.pop(id, None)
        if other is not None and not _is_same_row(other, call):
            self._moved += 1
            self._calls[b"%b %d" % (id, self._moved)] = other
        self._calls[id] = call
        while len(self._calls) > _OPEN_KEPT:
            oldest = next(iter(self._calls))
            del self._calls[oldest]
            self._asks.discard(oldest)

    def _begin(self) -> None:
        self._answered = False
        self._last, self._last_call = SafeAct(), b""
        self._texts.clear()

    def has_result(self, id: bytes) -> bool:
        """Note the result of a call; false where it has to be decoded, because it may hold a person's answer."""
        if not id or id in self._asks:
            return False
        self._calls.pop(id, None)
        return True

    def last(self) -> SafeAct:
        """The agent's last act."""
        if sentence := next(filter(None, map(_sentence, reversed(self._texts))), ""):
            said = self._found.act(said=sentence).said
            self._last = SafeAct(tool=self._last.tool, input=self._last.input, said=said)
        self._texts.clear()
        if self._last_call:
            calls = self._decode_calls(self._last_call)
            if calls:
                call = list(calls.values())[-1]
                self._last = SafeAct(tool=call.tool, input=call.input, said=self._last.said)
            self._last_call = b""
        return self._last

    def take(self, id: str, source: str) -> Call | None:
        """The call that a result answers, which is closed by it.

        Args:
            id: the call's id; redaction by other programs may have made it ambiguous.
            source: the id of the assistant row that made the call, "" where the log does not say.
        """
        key = id.encode()
        found = self._calls.get(key)
        if source and not _is_from(found, source):
            key, found = next(((k, v) for k, v in self._calls.items() if _is_from(v, source)), (key, found))
        self._calls.pop(key, None)
        self._asks.discard(key)
        if isinstance(found, bytes):
            calls = self._decode_calls(found)
            return calls.get(id) or next(reversed(calls.values()), None)
        return found

    def called_with(self, call: Call) -> SafeAct:
        """The act of a refused or answered call, with what the agent said before it."""
        return SafeAct(tool=call.tool, input=call.input, said=self.last().said)

    def end(self) -> ActState:
        """The state for the next run."""
        calls: dict[str, Call] = {}
        for id, call in self._calls.items():
            name = id.decode("utf-8", "replace")
            if isinstance(call, Call):
                calls[name] = call
            elif decoded := self._decode_calls(call):
                calls[name] = decoded.get(name) or list(decoded.values())[-1]
        return ActState(calls=calls, last=self.last(), answered=self._answered, moved=self._moved)

    def _decode_calls(self, data: bytes) -> dict[str, Call]:
        return {
            string(block, "id"): self._read_call(row, block)
            for row in decode(0, data, Tally())
            for block in objects(mapping(row, "message").get("content"))
            if block.get("type") == "tool_use"
        }

    def _read_call(self, row: Row, block: Row) -> Call:
        tool, arguments = string(block, "name"), mapping(block, "input")
        return Call(
            uuid=string(row, "uuid"),
            tool=tool,
            input=self._found.act(input=call_input(tool, arguments)).input,
            questions=[self._found.safe(question).text for question in _questions(tool, arguments)],
            plan=[text_hash(line) for line in _plan(tool, arguments).splitlines() if line.strip()],
        )


def _is_same_row(one: bytes | Call, other: bytes | Call) -> bool:
    """Whether two calls stand in one row, which was logged twice."""
    if isinstance(one, Call):
        return _is_from(other, one.uuid)
    return _is_from(one, other.uuid) if isinstance(other, Call) else one == other


def _sentence(text: bytes | str) -> str:
    """The last sentence of a text, or of the last text in a row, that has one."""
    if isinstance(text, str):
        return last_sentence(text)
    blocks = [block for row in decode(0, text, Tally()) for block in objects(mapping(row, "message").get("content"))]
    texts = [string(block, "text") for block in reversed(blocks) if block.get("type") == "text"]
    return next(filter(None, map(last_sentence, texts)), "")


def _is_from(call: bytes | Call | None, source: str) -> bool:
    if isinstance(call, Call):
        return call.uuid == source
    return call is not None and b'"uuid":"%b"' % source.encode() in call


def _questions(tool: str, arguments: Row) -> list[str]:
    if tool != "AskUserQuestion":
        return []
    return [string(question, "question") for question in objects(arguments.get("questions"))]


def _plan(tool: str, arguments: Row) -> str:
    return string(arguments, "plan") if tool == "ExitPlanMode" else ""
