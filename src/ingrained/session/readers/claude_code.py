"""Claude Code: `projects/<slug>/<session>.jsonl` and the sub-agents' files beside it.

A user row is a person's when its fields say so (no `isMeta`, summary, side chain, foreign origin or script), and then
only in the words that `provenance.clean` leaves. Words also come in refused tool calls, in answers to the agent's
questions, and in queue records. The decision to know is how a queued message is counted: it becomes one turn, at the
line of its `enqueue`, when it is delivered (`remove`), sent (a user row or attachment with the same text, which is then
no second turn) or still waits at the end of the file; `popAll` takes drafts back. A text that was sent again from the
same point of the tree (rewind), or at once after an interrupt, is the same message. All branches of the tree count.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path

from pydantic import Field

from ingrained.ids import MessageKey, message_key
from ingrained.session.jsonl import Line, Row, decode, mapping, objects, string, timestamp
from ingrained.session.provenance import (
    SETTINGS_COMMANDS,
    Cleaned,
    clean,
    is_machine_queued,
    refused_words,
    slash_command,
)
from ingrained.session.readers.base import Found, Safe, SafeAct, SessionState, State, is_unfinished, text_hash
from ingrained.session.readers.claude_acts import Acts, ActState, Call
from ingrained.session.readers.claude_rows import (
    KNOWN_TYPES,
    Sort,
    added_lines,
    answers,
    result_id,
    result_text,
    sort_row,
    text_blocks,
)
from ingrained.session.session import Form, Reason

FORMAT = "claude-code"

_TYPED = re.compile(
    rb'"type"\s*:\s*"(?:user|assistant|system|summary|attachment|progress|queue-operation|file-history-snapshot)"'
)
_NAME = re.compile(r"(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|agent-[\w-]+)\.jsonl")
_MARKS = (b'"sessionId"', b'"leafUuid"', b'"snapshot"')


class _Queued(State):
    """A message in the agent's queue."""

    hash: str
    key: str
    session: str
    line: int
    text: Safe
    form: Form
    time: str
    cwd: str
    branch: str
    act: SafeAct
    counted: bool = False
    """It became a turn at the end of an earlier run."""


class _State(State):
    sessions: dict[str, SessionState] = Field(default_factory=dict)
    acts: ActState = Field(default_factory=ActState)
    seen: list[str] = Field(default_factory=list)
    """Keys of the rows whose words were counted."""
    sent: dict[str, str] = Field(default_factory=dict)
    """Of each text sent its hash and the row before it."""
    last_sent: str = ""
    queue: list[_Queued] = Field(default_factory=list)
    queued: dict[str, int] = Field(default_factory=dict)
    """How often a text was queued, by hash."""
    delivered: list[str] = Field(default_factory=list)
    """Hashes of texts just delivered, whose rows may follow."""
    interrupt: bool = False
    command: tuple[str, str] | None = None
    """Row and prompt id of a slash command just before."""
    cwd: str = ""
    branch: str = ""


class ClaudeCode:
    """The reader of Claude Code logs."""

    name = FORMAT
    version = 1

    def matches(self, head: bytes, path: Path) -> bool:
        """By a row type and an id in the first bytes; before the first record ends by the name."""
        if is_unfinished(head) and _NAME.fullmatch(path.name):
            return True
        if _TYPED.search(head) is None or (b'"projectHash"' in head and b'"uuid"' not in head):
            return False
        return any(mark in head for mark in _MARKS)

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
        self.acts = Acts(found, state.acts)
        self.seen = set(state.seen)
        self.raw = b""
        path = Path(found.path)
        self.file = path.stem
        self.is_agent = path.name.startswith("agent-") or "subagents" in path.parts
        for session, known in state.sessions.items():
            found.sessions[FORMAT, session] = known

    def line(self, number: int, data: bytes) -> None:
        """Take in one line."""
        sort = sort_row(data)
        if sort is Sort.SKIP:
            return
        if sort is Sort.ACT:
            self._agent_speaks()
            self.acts.raw_row(data)
            self.raw = data
        elif sort is Sort.DECODE or (sort is Sort.RESULT and not self.acts.has_result(result_id(data))):
            for row in decode(number, data, self.found.tally):
                self._row(number, row)
        elif sort is Sort.RESULT:
            self.raw = data

    def end(self) -> Row:
        """Count what still waits in the queue, and give the state for the next run."""
        for waiting in self.state.queue:
            self._count_queued(waiting)
        self._fold()
        self.found.turns.sort(key=lambda turn: turn.line)
        self.state.acts = self.acts.end()
        self.state.seen = sorted(self.seen)
        self.state.sessions = {session: known for (_, session), known in self.found.sessions.items()}
        return self.state.model_dump(mode="json")

    def _row(self, number: int, row: Row) -> None:
        kind = row.get("type")
        if kind == "user":
            self._user(number, row)
        elif kind == "assistant":
            if row.get("isSidechain") is not True and row.get("isApiErrorMessage") is not True:
                self._agent_speaks()
                self.acts.row(row)
                self._note(row)
        elif kind == "queue-operation":
            self._queue(number, row)
        elif kind == "attachment":
            self._attachment(number, row)
        elif not isinstance(kind, str):
            self.found.tally.add("shape", number)
        elif kind not in KNOWN_TYPES:
            self.found.unknown[kind] += 1

    def _agent_speaks(self) -> None:
        state = self.state
        if state.command or state.interrupt or state.delivered:
            state.command, state.interrupt = None, False
            state.delivered.clear()

    # What holds for a session and for the place of a row.

    def _session_id(self, session: str) -> str:
        """The session of a row; a sub-agent's file has one of its own, since its rows name the parent's."""
        return f"{session or '?'}/{self.file}" if self.is_agent else session or self.file

    def _note(self, row: Row) -> SessionState:
        """Remember what a decoded row says of its session."""
        self._fold()
        known = self.found.session(FORMAT, self._session_id(string(row, "sessionId")))
        if time := string(row, "timestamp"):
            known.started = known.started or time
            known.ended = time
        if cwd := string(row, "cwd"):
            known.cwd = known.cwd or cwd
            self.state.cwd, self.state.branch = cwd, string(row, "gitBranch")
        known.forked_from = known.forked_from or string(mapping(row, "forkedFrom"), "sessionId")
        known.entrypoint = string(row, "entrypoint") or known.entrypoint
        return known

    def _fold(self) -> None:
        """Remember what the last row that was not decoded says of its session and place."""
        data, self.raw = self.raw, b""
        if data and (session := _raw_string(data, "sessionId")):
            known = self.found.session(FORMAT, self._session_id(session))
            known.ended = _raw_string(data, "timestamp") or known.ended
        if data and (cwd := _raw_string(data, "cwd")):
            self.state.cwd, self.state.branch = cwd, _raw_string(data, "gitBranch")

    def _place(self) -> tuple[str, str]:
        """Working folder and branch now, from the last row that has them, decoded or not."""
        self._fold()
        return self.state.cwd, self.state.branch

    def _reason(self, row: Row, known: SessionState, text: str) -> Reason | None:
        entrypoint = string(row, "entrypoint") or known.entrypoint
        scripted = entrypoint.startswith("sdk") or row.get("promptSource") == "sdk"
        team = bool(string(row, "teamName")) and bool(string(row, "agentName"))
        return self.found.reason(
            known,
            text=text,
            cwd=string(row, "cwd") or self.state.cwd,
            entrypoint=(entrypoint or "sdk") if scripted else "",
            sidechain=self.is_agent or team or row.get("isSidechain") is True,
        )

    # Rows that may hold a person's words.

    def _user(self, number: int, row: Row) -> None:
        content = mapping(row, "message").get("content")
        if not isinstance(content, (str, list)):
            self.found.tally.add("shape", number)
            return
        known = self._note(row)
        results = [block for block in objects(content) if block.get("type") == "tool_result"]
        for index, block in enumerate(results):
            self._result(number, row, known, block, index)
        texts = text_blocks(content)
        if texts and not _is_harness(row):
            self._texts(number, row, known, texts, "with-tool" if results else "typed")
        elif texts:
            self.state.command = None

    def _attachment(self, number: int, row: Row) -> None:
        attachment = mapping(row, "attachment")
        mode = attachment.get("commandMode", "prompt")
        if attachment.get("type") == "queued_command" and mode == "prompt" and not _is_harness(attachment):
            texts = text_blocks(attachment.get("prompt"))
            self._texts(number, row, self._note(row), texts, "queued")

    def _texts(self, number: int, row: Row, known: SessionState, texts: list[str], form: Form) -> None:
        """Text blocks that pass every field test but that of the whole session."""
        blocks = [clean(text) for text in texts]
        words = "\n\n".join(block.text for block in blocks if block.text)
        reason = self._reason(row, known, texts[0] if texts else "")
        if reason is not None:
            if words:
                self._take_waiting(text_hash(words))
                self.found.aside(FORMAT, self._session_id(string(row, "sessionId")), reason)
            return
        if self._is_command_body(row, blocks):
            return
        self.state.command = None
        for block in blocks:
            if block.by_tag and (block.kind != "words" or not block.text):
                self.found.by_tag += 1
            if block.kind == "interrupt":
                self.state.interrupt = True
            if block.kind == "command":
                form = "command"
                if block.command not in SETTINGS_COMMANDS:
                    self.state.command = (string(row, "uuid"), string(row, "promptId"))
        if words:
            self._typed(number, row, words, form, by_tag=any(block.by_tag for block in blocks))

    def _is_command_body(self, row: Row, blocks: list[Cleaned]) -> bool:
        """Whether this is the text of a custom command, which older versions log as if it were typed."""
        if self.state.command is None or any(block.kind != "words" for block in blocks):
            return False
        uuid, prompt = self.state.command
        self.state.command = None
        return (bool(uuid) and row.get("parentUuid") == uuid) or (bool(prompt) and row.get("promptId") == prompt)

    def _typed(self, number: int, row: Row, words: str, form: Form, *, by_tag: bool) -> None:
        """A message in a row of its own: a new turn, or one that was counted already."""
        key = self._new_key(row, words)
        if key is None:
            return
        digest = text_hash(words)
        parent = string(row, "parentUuid")
        waiting = self._take_waiting(digest)
        again = self.state.sent.get(digest)
        if waiting is not None:
            self._count_queued(waiting)
        elif digest in self.state.delivered:
            self.state.delivered.remove(digest)
        elif not (again and again == parent) and not (self.state.interrupt and self.state.last_sent == digest):
            act = self.acts.last()
            self._turn(number, row, key, self.found.safe(words), form, act, by_tag=by_tag)
        self.state.sent[digest] = parent
        self.state.last_sent = digest
        self.state.interrupt = False
        self.acts.answered()

    def _result(self, number: int, row: Row, known: SessionState, block: Row, index: int) -> None:
        """A tool result: words of a refusal, or an answer to the agent's question."""
        content = result_text(block)
        call = self.acts.take(string(block, "tool_use_id"), string(row, "sourceToolAssistantUUID")) or Call()
        words = refused_words(
            content,
            is_error=block.get("is_error") is True,
            outcome=row.get("toolUseResult"),
            denial=string(row, "toolDenialKind"),
        )
        form: Form = "refusal"
        if words is None and block.get("is_error") is not True:
            form = "answer"
            words = _answer(call, content, row.get("toolUseResult"))
        if words is None:
            return
        cleaned = clean(words)
        if reason := self._reason(row, known, ""):
            if cleaned.text:
                self.found.aside(FORMAT, self._session_id(string(row, "sessionId")), reason)
            return
        key = self._new_key(row, words, index)
        if key is None:
            return
        if form == "refusal":
            self.found.refusals += 1
        if cleaned.text:
            act = self.acts.called_with(call)
            self._turn(number, row, key, self.found.safe(cleaned.text), form, act, by_tag=cleaned.by_tag)
            self.state.interrupt = False
        self.acts.answered()

    def _new_key(self, row: Row, words: str, index: int = 0) -> MessageKey | None:
        """The key of a row's words, `None` where the file holds the same record already."""
        uuid = string(row, "uuid")
        if uuid:
            key = message_key(FORMAT, uuid, index) if index else message_key(FORMAT, uuid)
        else:
            key = message_key(FORMAT, string(row, "sessionId"), string(row, "timestamp"), text_hash(words), index)
        if key in self.seen:
            return None
        self.seen.add(key)
        return key

    def _turn(
        self, number: int, row: Row, key: MessageKey, text: Safe, form: Form, act: SafeAct, *, by_tag: bool
    ) -> None:
        cwd, branch = self._place()
        self.found.turn(
            key=key,
            tool=FORMAT,
            session=self._session_id(string(row, "sessionId")),
            record=string(row, "uuid"),
            line=number,
            text=text,
            form=form,
            time=timestamp(row.get("timestamp")),
            cwd=cwd,
            branch=branch,
            act=act,
            after_interrupt=self.state.interrupt,
            by_tag=by_tag,
        )

    # The queue of messages that are typed while the agent works.

    def _queue(self, number: int, row: Row) -> None:
        operation = row.get("operation")
        if operation == "enqueue":
            self._enqueue(number, row)
        elif operation == "popAll":
            self.state.queue = []
        elif operation == "remove" and self.state.queue:
            waiting = self.state.queue.pop(0)
            self._count_queued(waiting)
            self.state.delivered.append(waiting.hash)

    def _enqueue(self, number: int, row: Row) -> None:
        text = "\n".join(text_blocks(row.get("content")))
        block = slash_command(text) or clean(text)
        if is_machine_queued(text) or not block.text:
            return
        session = self._session_id(string(row, "sessionId"))
        digest = text_hash(block.text)
        record = message_key(FORMAT, session, "queue", string(row, "timestamp"), digest)
        if record in self.seen:
            return
        self.seen.add(record)
        count = self.state.queued[digest] = self.state.queued.get(digest, 0) + 1
        cwd, branch = self._place()
        self.state.queue.append(
            _Queued(
                hash=digest,
                key=message_key(FORMAT, session, digest, count),
                session=session,
                line=number,
                text=self.found.safe(block.text),
                form="command" if block.kind == "command" else "queued",
                time=string(row, "timestamp"),
                cwd=cwd,
                branch=branch,
                act=self.acts.last(),
            )
        )

    def _take_waiting(self, digest: str) -> _Queued | None:
        """Take the first message with this text out of the queue."""
        waiting = next((queued for queued in self.state.queue if queued.hash == digest), None)
        if waiting is not None:
            self.state.queue.remove(waiting)
        return waiting

    def _count_queued(self, queued: _Queued) -> None:
        """Make a queued message a turn, once; only now may it be known who runs the session."""
        if queued.counted:
            return
        queued.counted = True
        known = self.found.session(FORMAT, queued.session)
        if reason := self._reason({"cwd": queued.cwd}, known, queued.text.text):
            self.found.aside(FORMAT, queued.session, reason)
            return
        self.found.turn(
            key=MessageKey(queued.key),
            tool=FORMAT,
            session=queued.session,
            record="",
            line=queued.line,
            text=queued.text,
            form=queued.form,
            time=timestamp(queued.time),
            cwd=queued.cwd,
            branch=queued.branch,
            act=queued.act,
        )


def _is_harness(row: Row) -> bool:
    """Whether the fields of a row or attachment say that the harness wrote it."""
    flags = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly")
    kind = mapping(row, "origin").get("kind", "human")
    return (
        any(row.get(flag) is True for flag in flags)
        or bool(row.get("planContent"))
        or kind != "human"
        or row.get("promptSource") == "system"
    )


def _answer(call: Call, content: str, outcome: object) -> str | None:
    """What a person answered to a question or wrote into a plan; `None` where the result is another tool's."""
    if call.tool == "AskUserQuestion":
        return "\n".join(answers(content, call.questions, outcome))
    if call.tool == "ExitPlanMode":
        return added_lines(content, call.plan)
    return None


def _raw_string(data: bytes, key: str) -> str:
    """The text of a key out of a row's bytes, "" where it is missing."""
    match = re.search(rb'"' + key.encode() + rb'":("(?:[^"\\]|\\.)*")', data)
    try:
        return str(json.loads(match.group(1))) if match else ""
    except ValueError:
        return ""
