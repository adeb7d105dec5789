"""The reader seam: what a log format has to provide, and the collector that its findings go through.

A reader is handed the lines of one file and a `Found`. It decides who said what; `Found.turn` is the only way to a
`Turn`, and it redacts every text on the way, so that no reader, ours or a plug-in, can let a raw text out. What a
reader has to remember until the next run goes into its state as `Safe` values, redacted as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field

from ingrained.errors import IngrainedError
from ingrained.ids import MessageKey, content_hash, normal_text
from ingrained.registry import Registry
from ingrained.session.jsonl import Line, Row, Tally, scrub, timestamp
from ingrained.session.provenance import is_included, reason_of
from ingrained.session.session import Act, Form, Reason, Redactor, SessionFacts, Turn

ACT_LIMIT = 300
KIND_LIMIT = 60
HEAD = 65536
"""Bytes at the start of a file that readers may look at to recognise it."""

REASONS: tuple[Reason, ...] = ("own", "subagent", "observer", "replay", "headless")
"""By precedence, highest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """How the person wants their logs read."""

    include_entrypoints: frozenset[tuple[str, str]] = frozenset()
    """(front end as the log names it, folder): there the person works through a program that logs like a script."""


class State(BaseModel):
    """Base of what a reader remembers between runs; JSON, without any raw text."""

    model_config = ConfigDict(extra="forbid")


class Safe(State):
    """A redacted text, with the replacements that it cost."""

    text: str = ""
    counts: dict[str, int] = Field(default_factory=dict)


class SafeAct(State):
    """The agent's last act, redacted and short."""

    tool: str = ""
    input: Safe = Field(default_factory=Safe)
    said: Safe = Field(default_factory=Safe)


class SessionState(State):
    """What was seen of one session so far."""

    started: str = ""
    ended: str = ""
    cwd: str = ""
    branch: str = ""
    forked_from: str = ""
    entrypoint: str = ""
    human: int = 0
    aside: dict[Reason, int] = Field(default_factory=dict)
    marked: Reason | None = None
    """The log says `own` or `observer` of the whole session."""


class Found:
    """Collects what one pass over one file finds."""

    def __init__(self, *, path: str, redactor: Redactor, options: ReadOptions, tally: Tally | None = None) -> None:
        """Nothing found yet.

        Args:
            path: the file, as the ledger names it.
            redactor: takes the secrets out of every text.
            options: how the person wants their logs read.
            tally: takes damage, also that of lines.
        """
        self.path = path
        self.options = options
        self.tally = tally or Tally()
        self.turns: list[Turn] = []
        self.set_aside: Counter[Reason] = Counter()
        self.by_tag = 0
        self.refusals = 0
        self.unknown: Counter[str] = Counter()
        self.secrets: Counter[str] = Counter()
        self.sessions: dict[tuple[str, str], SessionState] = {}
        """By (tool, session id)."""
        self._redactor = redactor

    def not_known(self, kind: str) -> None:
        """Count something of a kind that the reader does not know; only the start of a name is kept."""
        self.unknown[scrub(kind)[:KIND_LIMIT]] += 1

    def safe(self, text: str) -> Safe:
        """The text without its secrets."""
        redaction = self._redactor.redact(scrub(text))
        return Safe(text=redaction.text, counts=dict(redaction.counts))

    def act(self, *, tool: str = "", input: str = "", said: str = "") -> SafeAct:
        """An act without its secrets, each part at most `ACT_LIMIT` characters."""
        return SafeAct(tool=scrub(tool)[:ACT_LIMIT], input=self._short(input), said=self._short(said))

    def _short(self, text: str) -> Safe:
        if not text:
            return Safe()
        safe = self.safe(text)
        return Safe(text=one_line(safe.text), counts=safe.counts)

    def turn(
        self,
        *,
        key: MessageKey,
        tool: str,
        session: str,
        record: str,
        line: int,
        text: Safe,
        form: Form,
        time: datetime | None,
        cwd: str,
        branch: str,
        act: SafeAct,
        after_interrupt: bool = False,
        by_tag: bool = False,
    ) -> None:
        """Add one message that a person typed."""
        for part in (text, act.input, act.said):
            self.secrets.update(part.counts)
        self.session(tool, session).human += 1
        self.turns.append(
            Turn(
                key=key,
                tool=tool,
                session=session,
                record=record or f"L{line}",
                line=line,
                text=text.text,
                form=form,
                time=time,
                cwd=cwd,
                branch=branch,
                act=Act(tool=act.tool, input=act.input.text, said=act.said.text),
                after_interrupt=after_interrupt,
                by_tag=by_tag,
            )
        )

    def aside(self, tool: str, session: str, reason: Reason) -> None:
        """Count one turn in the user's role that no person typed."""
        self.set_aside[reason] += 1
        counts = self.session(tool, session).aside
        counts[reason] = counts.get(reason, 0) + 1

    def session(self, tool: str, session: str) -> SessionState:
        """What is known of a session; new where it was not seen before."""
        return self.sessions.setdefault((tool, session), SessionState())

    def reason(self, state: SessionState, *, text: str, cwd: str, entrypoint: str, sidechain: bool) -> Reason | None:
        """Why a text in the user's role is set aside, and remembers what holds for the whole session."""
        headless = bool(entrypoint) and not is_included(entrypoint, cwd, self.options.include_entrypoints)
        reason = reason_of(text=text, places=(cwd, self.path), sidechain=sidechain, headless=headless)
        if reason in {"own", "observer"} and state.marked is None:
            state.marked = reason
        ranked = [known for known in REASONS if known in {reason, state.marked}]
        return ranked[0] if ranked else None

    def facts(self) -> tuple[SessionFacts, ...]:
        """What is known of each session, in the order in which they were met."""
        return tuple(
            SessionFacts(
                tool=tool,
                session=session,
                started=timestamp(state.started),
                ended=timestamp(state.ended),
                cwd=state.cwd,
                forked_from=state.forked_from,
                entrypoint=state.entrypoint,
                reason=next((reason for reason in REASONS if state.aside.get(reason)), None)
                if not state.human
                else None,
            )
            for (tool, session), state in self.sessions.items()
        )


class Reader(Protocol):
    """One log format."""

    name: str
    version: int
    """Raised when its judgement or its state changes: files are then read again from the start."""

    def matches(self, head: bytes, path: Path) -> bool:
        """Whether a file that starts with `head` (at most `HEAD` bytes) is of this format."""
        ...

    def read(self, lines: Iterable[Line], found: Found, state: Row) -> Row:
        """Put what the lines hold into `found`; `state` is what the last call returned, or empty at the start."""
        ...


@runtime_checkable
class Store(Protocol):
    """A format whose file is no list of lines that only grows: a document, an archive, a database.

    Its reader opens the file itself, and reads it whole whenever it changed; known messages keep their keys.
    """

    name: str
    version: int

    def matches(self, head: bytes, path: Path) -> bool:
        """As `Reader.matches`."""
        ...

    def read_store(self, path: Path, found: Found) -> None:
        """Put what the file holds into `found`."""
        ...

    def beside(self, path: Path) -> Iterable[Path]:
        """Other files in which a change is a change of this one."""
        ...


READERS: Registry[type[Reader | Store]] = Registry(
    "ingrained.readers",
    {
        "entire": "ingrained.session.readers.entire:Entire",
        "gemini": "ingrained.session.readers.gemini:Gemini",
        "cline": "ingrained.session.readers.cline:Cline",
        "opencode": "ingrained.session.readers.opencode:OpenCode",
        "vscode-chat": "ingrained.session.readers.vscode_chat:VSCodeChat",
        "cursor": "ingrained.session.readers.cursor:Cursor",
        "chatgpt": "ingrained.session.readers.chatgpt:ChatGPT",
        "claude-ai": "ingrained.session.readers.claude_ai:ClaudeAI",
        "claude-code": "ingrained.session.readers.claude_code:ClaudeCode",
        "codex": "ingrained.session.readers.codex:Codex",
        "entire-prompts": "ingrained.session.readers.entire_prompts:EntirePrompts",
        "copilot": "ingrained.session.readers.copilot:Copilot",
        "specstory": "ingrained.session.readers.specstory:SpecStory",
        "aider": "ingrained.session.readers.aider:Aider",
        "chats": "ingrained.session.readers.chats:Chats",
    },
)
"""In the order in which a file is offered to them."""


def is_unfinished(head: bytes) -> bool:
    """Whether a file is empty, or its first record is still being written: then only its name tells the format."""
    return len(head) < HEAD and b"\n" not in head.strip(b"\0 \r\n")


@cache
def known_readers() -> dict[str, Reader | Store]:
    """Every reader by name, in the order of `READERS`; a plug-in that does not load is left out here.

    Looked up once a process: asking the installed distributions takes milliseconds, and folders hold many files.
    """
    found: dict[str, Reader | Store] = {}
    for entry in READERS.entries():
        try:
            found[entry.name] = READERS.load(entry.name)()
        except IngrainedError:
            if entry.source == "built-in":
                raise
    return found


@cache
def reader_called(name: str) -> Reader | Store:
    """One reader, without loading the others: a process that only reads logs of one format needs no more.

    Raises:
        UnknownNameError: there is none of that name.
    """
    return READERS.load(name)()


def text_hash(text: str) -> str:
    """Short hash of a text, the same however its white space is set."""
    return content_hash(normal_text(text), size=8)


def one_line(text: str) -> str:
    """A part of an act as it is kept: one line of at most `ACT_LIMIT` characters."""
    line = " ".join(text.split())
    return line if len(line) <= ACT_LIMIT else line[: ACT_LIMIT - 1] + "…"
