"""The values that readers produce: turns, what was set aside, and what a file held.

A turn is one message that a person typed, with the agent's last act before it: "don't check this in" means nothing
without it. Everything else in a log (tool output, harness text, summaries, sub-agents, headless runs, assistant text)
is context or is set aside with one named reason. All texts here are already redacted: `read.read_file` is the one
place that makes them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

from ingrained.ids import MessageKey

Form = Literal["typed", "with-tool", "queued", "refusal", "answer", "command"]
"""How the words came in: as a prompt; beside a tool result; while the agent worked; with a refused tool call; as an
answer to the agent's question; as the arguments of a slash command."""

Reason = Literal["own", "subagent", "observer", "replay", "headless"]
"""Why a turn in the user's role is set aside, by precedence: our own marker, a sub-agent, another program's observer,
a replay folder, a headless run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """The agent's last act before a turn. All empty at the start of a session."""

    tool: str = ""
    """Name of the last tool called (`Bash`, `Edit`, `apply_patch`…)."""
    input: str = ""
    """What it was called with: the command, the path or a short summary, at most 300 characters."""
    said: str = ""
    """Last sentence of the agent's last text, at most 300 characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message that a person typed, redacted."""

    key: MessageKey
    """The same for every copy of the message."""
    tool: str
    """The log format: `claude-code`, `codex`…"""
    session: str
    """Session id as the log gives it."""
    record: str
    """Record id within the session, else `L<line>`."""
    line: int
    """1-based physical line (or message number) where the turn starts."""
    text: str
    """The person's own words: harness tags, attached files and reminders cut out, secrets replaced."""
    form: Form
    time: datetime | None
    """UTC, aware; `None` where the log has none."""
    cwd: str
    branch: str
    act: Act
    after_interrupt: bool = False
    """The turn directly follows an interrupt."""
    by_tag: bool = False
    """Part of the row was recognised as harness text only by its tag and cut out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFacts:
    """What a log says of one session as a whole."""

    tool: str
    session: str
    started: datetime | None
    ended: datetime | None
    cwd: str
    """The first cwd seen."""
    forked_from: str = ""
    """Session id of the parent of a fork or resume, where the log names it."""
    entrypoint: str = ""
    reason: Reason | None = None
    """Set where the whole session is set aside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """One kind of damage in a file.

    `cut`: a broken record. `torn`: the last line of a live session (no fault). `shape`: no object, or one of the wrong
    shape. `glued`: several records on one line, all read. `oversize`: a record over the cap, skipped. `encoding`: not
    UTF-8. `empty`: a zero-byte file (no fault).
    """

    kind: Literal["cut", "torn", "shape", "glued", "oversize", "encoding", "empty"]
    lines: tuple[int, ...]
    """1-based numbers of the first lines concerned, at most ten."""
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """How far a file was read, so that a second run reads only what was added."""

    size: int
    mtime_ns: int
    inode: int
    offset: int
    """Bytes read and understood; always a line end, or 0."""
    prefix: str
    """Hash of the first `offset` bytes."""
    line: int = 0
    """Physical lines within `offset`."""
    state: dict[str, object] = field(default_factory=dict)
    """JSON state that the reader needs to go on (last act, pending tool calls, counters)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRead:
    """Everything that one pass over one file (or checkpoint) found; small for any file, since typed text is tiny."""

    path: str
    reader: str
    sessions: tuple[SessionFacts, ...]
    turns: tuple[Turn, ...]
    set_aside: dict[Reason, int]
    """Turns in the user's role that no person typed, by reason."""
    by_tag: int
    """Text blocks that pass every field test and are harness text by their tag alone."""
    refusals: int
    """Refused tool calls, with or without words."""
    unknown: dict[str, int]
    """Row types that the reader does not know, with counts."""
    damage: tuple[Damage, ...]
    secrets: dict[str, int]
    """Redactions by kind (`aws-key`, `mail`…) in this file's turns and acts."""
    bytes_read: int
    cursor: Cursor
    resumed: bool
    """The turns are those after an earlier cursor, to be added; else they are the whole file's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Redaction:
    """A text with its secrets replaced, and how many of each kind there were."""

    text: str
    counts: dict[str, int]
    """Replacements by kind (`aws-key`, `mail`…); empty where nothing was found."""


class Redactor(Protocol):
    """Takes secrets and personal data out of one text. Every text that leaves `read.read_file` went through it."""

    def redact(self, text: str) -> Redaction:
        """The text without its secrets; the same input gives the same output."""
        ...
