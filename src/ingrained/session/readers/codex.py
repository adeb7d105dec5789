"""Codex: `sessions/YYYY/MM/DD/rollout-*.jsonl`, all generations of it, and the single JSON object before them.

Newer logs say each message twice: as a typed event (`user_message`, or `item_completed` with a `UserMessage`) and as an
item in the user's role, among which machine preambles stand too. The decision to know: a file that has typed events is
read by them alone; only where it has none do the items count, block by block, without the known preambles. The key of a
message is the root of its thread, its text and how often that text was said before, because a fork repeats its parent's
turns under new times; the file's own `session_meta` rows name the ancestors.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from ingrained.ids import message_key
from ingrained.session.jsonl import Line, Row, Tally, decode, mapping, objects, string, timestamp
from ingrained.session.provenance import clean
from ingrained.session.readers.acts import call_input, last_sentence
from ingrained.session.readers.base import Found, SafeAct, SessionState, State, is_unfinished, text_hash
from ingrained.session.readers.codex_rows import (
    CALLS,
    ENVELOPES,
    HEAD,
    ITEMS,
    OLDEST,
    OUTPUTS,
    called,
    is_bulk,
    is_declined,
    kinds_of,
    texts_of,
)
from ingrained.session.session import Reason

FORMAT = "codex"

_TIME = re.compile(rb'"timestamp"\s*:\s*"([^"\\]+)"')
_CWD = re.compile(r"<cwd>(.*?)</cwd>")


@dataclass(slots=True, kw_only=True)
class _Said:
    """A message before it is known whether the file's events or its items count."""

    hash: str
    nth: int
    line: int
    record: str
    text: str
    time: str
    cwd: str
    act: SafeAct
    after_interrupt: bool
    by_tag: bool
    reason: Reason | None


class _Channel(State):
    """How often each text was said, by one way of logging it."""

    counts: dict[str, int] = Field(default_factory=dict)
    last: str = ""
    last_time: str = ""


class _State(State):
    session: str = ""
    parents: dict[str, str] = Field(default_factory=dict)
    """Of each thread named in the file the one that it was forked from, "" at the root."""
    sessions: dict[str, SessionState] = Field(default_factory=dict)
    has_events: bool = False
    events: _Channel = Field(default_factory=_Channel)
    items: _Channel = Field(default_factory=_Channel)
    seen: list[str] = Field(default_factory=list)
    block: dict[str, int] = Field(default_factory=dict)
    """Lines of the items since the agent's last act, by hash."""
    subagent: bool = False
    script: str = ""
    cwd: str = ""
    branch: str = ""
    act: SafeAct = Field(default_factory=SafeAct)
    answered: bool = False
    interrupt: bool = False


class Codex:
    """The reader of Codex rollouts."""

    name = FORMAT
    version = 1

    def matches(self, head: bytes, path: Path) -> bool:
        """By the envelope or, in the oldest, by the first object's keys; before the first record ends by the name."""
        if is_unfinished(head):
            return path.name.startswith("rollout-") and path.suffix == ".jsonl"
        if re.search(rb'"type"\s*:\s*"(?:session_meta|response_item|event_msg|turn_context)"', head):
            return b'"payload"' in head
        if path.suffix == ".json":
            return b'"items"' in head and OLDEST.match(head) is not None
        first = head.partition(b"\n")[0]
        return b'"record_type"' in head or all(key in first for key in (b'"id"', b'"timestamp"', b'"instructions"'))

    def read(self, lines: Iterable[Line], found: Found, state: Row) -> Row:
        """Put the turns of one file into `found`."""
        reading = _Reading(found, _State.model_validate(state))
        for number, data in lines:
            reading.line(number, data)
        return reading.end()


class _Reading:
    """One pass over one file."""

    def __init__(self, found: Found, state: _State) -> None:
        self.found = found
        self.state = state
        self.events: list[_Said] = []
        self.items: list[_Said] = []
        self.event_tags = 0
        self.item_tags = 0
        self.call = b""
        self.said = ""
        self.last = b""
        for session, known in state.sessions.items():
            found.sessions[FORMAT, session] = known

    def line(self, number: int, data: bytes) -> None:
        """Take in one line."""
        self.last = data
        kinds = kinds_of(data)
        if is_bulk(kinds, data):
            return
        if not kinds.isdisjoint(CALLS) and "message" not in kinds and data[-1] == 0x7D:
            self._agent_acts()
            self.call = data
            return
        for row in decode(number, data, self.found.tally):
            self._row(number, row)

    def end(self) -> Row:
        """Turn what was said into turns, and give the state for the next run."""
        said, tags = (self.events, self.event_tags) if self.state.has_events else (self.items, self.item_tags)
        self.found.by_tag += tags
        known = self._session()
        if match := _TIME.search(self.last, 0, HEAD):
            known.ended = match.group(1).decode("utf-8", "replace")
        seen = set(self.state.seen)
        root = self._root()
        for message in said:
            key = message_key(FORMAT, root, message.hash, message.nth)
            if key in seen:
                continue
            seen.add(key)
            if message.reason is not None:
                self.found.aside(FORMAT, self._id(), message.reason)
                continue
            self.found.turn(
                key=key,
                tool=FORMAT,
                session=self._id(),
                record=message.record,
                line=message.line,
                text=self.found.safe(message.text),
                form="typed",
                time=timestamp(message.time),
                cwd=message.cwd,
                branch=self.state.branch,
                act=message.act,
                after_interrupt=message.after_interrupt,
                by_tag=message.by_tag,
            )
        self.state.act = self._act()
        self.state.seen = sorted(seen)
        self.state.sessions = {session: state for (_, session), state in self.found.sessions.items()}
        return self.state.model_dump(mode="json")

    def _row(self, number: int, row: Row) -> None:
        kind = row.get("type")
        payload = mapping(row, "payload")
        time = string(row, "timestamp")
        if kind == "session_meta":
            self._meta(payload, time)
        elif kind == "turn_context":
            self.state.cwd = string(payload, "cwd") or self.state.cwd
        elif kind == "event_msg":
            self._event(number, payload, time)
        elif kind == "response_item":
            self._item(number, payload, time)
        elif isinstance(kind, str):
            if kind in ITEMS:
                self._item(number, row, time)
            elif kind not in ENVELOPES:
                self.found.unknown[kind] += 1
        elif isinstance(row.get("items"), list):
            self._meta(mapping(row, "session"), "")
            for index, item in enumerate(objects(row.get("items")), start=1):
                self._item(index, item, string(item, "timestamp"))
        elif "id" in row and "timestamp" in row:
            self._meta(row, time)
        elif "record_type" not in row:
            self.found.tally.add("shape", number)

    # The thread.

    def _meta(self, meta: Row, time: str) -> None:
        """The thread's own record, or, after it, that of an ancestor whose history was copied."""
        id = string(meta, "id") or string(meta, "session_id")
        if not id or id in self.state.parents:
            return
        parent = string(meta, "forked_from_id")
        if self.state.session:
            youngest = self._root()
            if self.state.parents.get(youngest) == "":
                self.state.parents[youngest] = id
            self.state.parents[id] = parent
            return
        self.state.session = id
        self.state.parents[id] = parent
        source = meta.get("source")
        self.state.subagent = (isinstance(source, dict) and "subagent" in source) or (
            meta.get("thread_source") == "subagent"
        )
        originator = string(meta, "originator")
        self.state.script = originator if originator == "codex_exec" or source == "exec" else ""
        self.state.cwd = string(meta, "cwd") or self.state.cwd
        self.state.branch = string(mapping(meta, "git"), "branch")
        known = self._session()
        known.started = known.started or string(meta, "timestamp") or time
        known.cwd = known.cwd or self.state.cwd
        known.forked_from = parent
        known.entrypoint = originator

    def _id(self) -> str:
        return self.state.session or Path(self.found.path).stem

    def _session(self) -> SessionState:
        known = self.found.session(FORMAT, self._id())
        known.cwd = known.cwd or self.state.cwd
        return known

    def _root(self) -> str:
        """The oldest ancestor that the file names."""
        id = self._id()
        for _ in range(len(self.state.parents) + 1):
            parent = self.state.parents.get(id, "")
            if not parent:
                break
            id = parent
        return id

    # The agent.

    def _agent_acts(self) -> None:
        """Something that the agent did or said."""
        self.state.block = {}
        self.state.interrupt = False
        if self.state.answered:
            self.state.answered = False
            self.state.act, self.call, self.said = SafeAct(), b"", ""

    def _agent_says(self, text: str) -> None:
        self._agent_acts()
        self.said = last_sentence(text) or self.said

    def _agent_calls(self, tool: str, arguments: object) -> None:
        last = self.found.act(tool=tool, input=call_input(tool, arguments))
        self.call = b""
        self.state.act = SafeAct(tool=last.tool, input=last.input, said=self.state.act.said)

    def _act(self) -> SafeAct:
        """The agent's last act."""
        act = self.state.act
        if self.said:
            act = SafeAct(tool=act.tool, input=act.input, said=self.found.act(said=self.said).said)
            self.said = ""
        for row in decode(0, self.call, Tally()) if self.call else []:
            tool, arguments = called(mapping(row, "payload") or row)
            last = self.found.act(tool=tool, input=call_input(tool, arguments))
            act = SafeAct(tool=last.tool, input=last.input, said=act.said)
        self.call = b""
        self.state.act = act
        return act

    # What stands in the user's role.

    def _event(self, number: int, event: Row, time: str) -> None:
        kind = event.get("type")
        if kind == "user_message" and event.get("kind", "plain") == "plain":
            self._typed(number, "", [string(event, "message")], time, is_event=True)
        elif kind == "agent_message":
            self._agent_says(string(event, "message"))
        elif kind == "turn_aborted":
            self.state.interrupt = True
        elif kind == "item_completed":
            self._completed(number, mapping(event, "item"), time)

    def _completed(self, number: int, item: Row, time: str) -> None:
        kind = string(item, "type").lower()
        if kind == "usermessage":
            self._typed(number, string(item, "id"), texts_of(item), time, is_event=True)
        elif kind == "agentmessage":
            self._agent_says("\n".join(texts_of(item)))
        elif kind in {"commandexecution", "filechange", "mcptoolcall"}:
            self._agent_acts()
            command = item.get("command")
            if command:
                self._agent_calls("exec_command", {"command": command})
            if string(item, "status").lower() == "declined":
                self.found.refusals += 1

    def _item(self, number: int, item: Row, time: str) -> None:
        kind = item.get("type")
        if kind in OUTPUTS:
            self.found.refusals += is_declined(item)
        elif kind != "message":
            self._agent_acts()
            if kind in CALLS:
                self._agent_calls(*called(item))
        elif item.get("role") == "assistant":
            self._agent_says("\n".join(texts_of(item)))
        elif item.get("role") == "user":
            self._typed(number, string(item, "id"), texts_of(item), time, is_event=False)

    def _typed(self, number: int, record: str, texts: list[str], time: str, *, is_event: bool) -> None:
        """A message by one of the two ways of logging it."""
        self._environment(texts)
        blocks = [clean(text) for text in texts if text]
        tags = sum(block.by_tag and not block.text for block in blocks)
        if any(text.lstrip().startswith("<turn_aborted>") for text in texts):
            self.state.interrupt = True
        words = "\n\n".join(block.text for block in blocks if block.text)
        if is_event:
            self.event_tags += tags
        else:
            self.item_tags += tags
        if not words:
            return
        digest = text_hash(words)
        channel = self.state.events if is_event else self.state.items
        self.state.has_events = self.state.has_events or is_event
        logged_twice = channel.last == digest and bool(time) and channel.last_time == time
        sent_again = channel.last == digest and self.state.interrupt
        channel.last, channel.last_time = digest, time
        if logged_twice or sent_again:
            return
        nth = channel.counts[digest] = channel.counts.get(digest, 0) + 1
        line = number
        if is_event:
            line = self.state.block.pop(digest, number)
        else:
            self.state.block[digest] = number
        said = _Said(
            hash=digest,
            nth=nth,
            line=line,
            record=record,
            text=words,
            time=time,
            cwd=self.state.cwd,
            act=self._act(),
            after_interrupt=self.state.interrupt,
            by_tag=any(block.by_tag for block in blocks),
            reason=self.found.reason(
                self._session(),
                text=words,
                cwd=self.state.cwd,
                entrypoint=self.state.script,
                sidechain=self.state.subagent,
            ),
        )
        (self.events if is_event else self.items).append(said)
        self.state.answered = True

    def _environment(self, texts: list[str]) -> None:
        """The working folder, which the second generation tells in a preamble only."""
        for text in texts:
            if text.lstrip().startswith("<environment_context>") and (match := _CWD.search(text)):
                self.state.cwd = match.group(1)
                self._session()
