"""Claude Code: `projects/<slug>/<session>.jsonl` and the sub-agents' files beside it.

A user row is a person's when its fields say so (no `isMeta`, summary, side chain, foreign origin or script), and then
only in the words that `provenance.clean` leaves. Words also come in refused tool calls, in answers to the agent's
questions, and in queue records (see `claude_queue`), where a message stands at the line at which it was queued. The
decision to know is what counts once: a row that is logged twice; a queued message whose row follows; a text that was
sent again from the same point of the tree (rewind), or at once after an interrupt. All branches of the tree count.
"""

from __future__ import annotations

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
from ingrained.session.readers.claude_queue import Queue, Queued, QueueState
from ingrained.session.readers.claude_rows import (
    KNOWN_TYPES,
    Sort,
    added_lines,
    answers,
    is_harness,
    raw_string,
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


class _State(State):
    sessions: dict[str, SessionState] = Field(default_factory=dict)
    acts: ActState = Field(default_factory=ActState)
    queue: QueueState = Field(default_factory=QueueState)
    seen: list[str] = Field(default_factory=list)
    """Keys of the rows whose words were counted."""
    sent: dict[str, str] = Field(default_factory=dict)
    """Of each text sent its hash and the row before it."""
    last_sent: str = ""
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
        self.queue = Queue(state.queue, self._count_queued)
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
        self.state.queue = self.queue.end()
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
            self._queued(number, row)
        elif kind == "attachment":
            self._attachment(number, row)
        elif not isinstance(kind, str):
            self.found.tally.add("shape", number)
        elif kind not in KNOWN_TYPES:
            self.found.unknown[kind] += 1

    def _agent_speaks(self) -> None:
        self.queue.agent_speaks()
        if self.state.command or self.state.interrupt:
            self.state.command, self.state.interrupt = None, False

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
        if data and (session := raw_string(data, "sessionId")):
            known = self.found.session(FORMAT, self._session_id(session))
            known.ended = raw_string(data, "timestamp") or known.ended
        if data and (cwd := raw_string(data, "cwd")):
            self.state.cwd, self.state.branch = cwd, raw_string(data, "gitBranch")

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
        has_words = [self._result(number, row, known, block, index) for index, block in enumerate(results)]
        texts = text_blocks(content)
        if texts and not is_harness(row):
            index = len(results) if any(has_words) else 0
            self._texts(number, row, known, texts, "with-tool" if results else "typed", index)
        elif texts:
            self.state.command = None

    def _attachment(self, number: int, row: Row) -> None:
        attachment = mapping(row, "attachment")
        mode = attachment.get("commandMode", "prompt")
        if attachment.get("type") == "queued_command" and mode == "prompt" and not is_harness(attachment):
            texts = text_blocks(attachment.get("prompt"))
            self._texts(number, row, self._note(row), texts, "queued")

    def _texts(self, number: int, row: Row, known: SessionState, texts: list[str], form: Form, index: int = 0) -> None:
        """Text blocks that pass every field test but that of the whole session.

        `index` tells them from the other words of the row, where results before them held some.
        """
        blocks = [clean(text) for text in texts]
        words = "\n\n".join(block.text for block in blocks if block.text)
        reason = self._reason(row, known, texts[0] if texts else "")
        if reason is not None:
            if words:
                session = self._session_id(string(row, "sessionId"))
                if reason != "subagent":
                    self.queue.is_sent(session, text_hash(words), by_script=True)
                self.found.aside(FORMAT, session, reason)
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
            self._typed(number, row, words, form, index, by_tag=any(block.by_tag for block in blocks))

    def _is_command_body(self, row: Row, blocks: list[Cleaned]) -> bool:
        """Whether this is the text of a custom command, which older versions log as if it were typed."""
        if self.state.command is None or any(block.kind != "words" for block in blocks):
            return False
        uuid, prompt = self.state.command
        self.state.command = None
        return (bool(uuid) and row.get("parentUuid") == uuid) or (bool(prompt) and row.get("promptId") == prompt)

    def _typed(self, number: int, row: Row, words: str, form: Form, index: int, *, by_tag: bool) -> None:
        """A message in a row: a new turn, or one that was counted already."""
        key = self._new_key(row, words, index)
        if key is None:
            return
        digest = text_hash(words)
        parent = string(row, "parentUuid")
        rewound = bool(parent) and self.state.sent.get(digest) == parent
        resent = self.state.interrupt and self.state.last_sent == digest
        session = self._session_id(string(row, "sessionId"))
        if not self.queue.is_sent(session, digest) and not rewound and not resent:
            act = self.acts.last()
            self._turn(number, row, key, self.found.safe(words), form, act, by_tag=by_tag)
        self.state.sent[digest] = parent
        self.state.last_sent = digest
        self.state.interrupt = False
        self.acts.answered()

    def _result(self, number: int, row: Row, known: SessionState, block: Row, index: int) -> bool:
        """A tool result; whether it is a person's refusal, or their answer to the agent's question."""
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
            return False
        cleaned = clean(words)
        if reason := self._reason(row, known, ""):
            if cleaned.text:
                self.found.aside(FORMAT, self._session_id(string(row, "sessionId")), reason)
            return True
        key = self._new_key(row, words, index)
        if key is None:
            return True
        if form == "refusal":
            self.found.refusals += 1
        if cleaned.text:
            act = self.acts.called_with(call)
            self._turn(number, row, key, self.found.safe(cleaned.text), form, act, by_tag=cleaned.by_tag)
            self.state.interrupt = False
        self.acts.answered()
        return True

    def _new_key(self, row: Row, words: str, index: int) -> MessageKey | None:
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

    def _queued(self, number: int, row: Row) -> None:
        operation = row.get("operation")
        if operation == "enqueue":
            self._enqueue(number, row)
        elif operation == "popAll":
            self.queue.take_back()
        elif operation == "remove":
            self.queue.deliver()

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
        cwd, branch = self._place()
        self.queue.add(
            Queued(
                hash=digest,
                key=message_key(FORMAT, session, digest, self.queue.nth(digest)),
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

    def _count_queued(self, queued: Queued) -> None:
        """Make a queued message a turn; only now may it be known who runs the session."""
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


def _answer(call: Call, content: str, outcome: object) -> str | None:
    """What a person answered to a question or wrote into a plan; `None` where the result is another tool's."""
    if call.tool == "AskUserQuestion":
        return "\n".join(answers(content, call.questions, outcome))
    if call.tool == "ExitPlanMode":
        return added_lines(content, call.plan)
    return None
