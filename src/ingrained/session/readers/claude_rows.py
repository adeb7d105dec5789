"""One row of a Claude Code log: whether it is worth decoding, and what its tool results say.

Nearly all bytes of a log are tool output. `sort_row` tells by byte searches which rows may hold a person's words; the
needles hold unescaped quotes, so they match structure and never the inside of a JSON string. A row in an unusual
spelling (spaces after colons, other key order) matches no needle and is decoded: slower, never lost.
"""

from __future__ import annotations

import json
import re
from enum import Enum, auto

from ingrained.session.jsonl import Row, looks_whole, mapping, objects, scrub, string
from ingrained.session.readers.base import text_hash

KNOWN_TYPES = frozenset(
    {
        "agent-color",
        "agent-name",
        "agent-setting",
        "ai-title",
        "assistant",
        "attachment",
        "content-replacement",
        "custom-title",
        "file-history-snapshot",
        "last-prompt",
        "mode",
        "permission-mode",
        "pr-link",
        "progress",
        "queue-operation",
        "summary",
        "system",
        "tag",
        "user",
        "worktree-state",
    }
)
"""Row types that are read, or known to hold no person's words."""

_SKIPPED = frozenset(kind.encode() for kind in KNOWN_TYPES - {"assistant", "attachment", "queue-operation", "user"})

_FIRST_TYPE = re.compile(rb'"type":"(message","role":"assistant|[\w-]+)"')
_AGENT = frozenset({b'message","role":"assistant', b"assistant"})
_AGENT_END = re.compile(rb'"type":"assistant"[^{}]*\}\Z')
_RESULT_ID = re.compile(rb'"tool_use_id":"([^"\\]*)"')
_ENDS = 512
_START = 1024
_NEAR = 4096


class Sort(Enum):
    """What to do with a row."""

    SKIP = auto()
    """Nothing that a person typed, and no act of the agent."""
    ACT = auto()
    """An assistant row: kept as it is, decoded only when a turn asks for the last act."""
    RESULT = auto()
    """A tool result by the machine."""
    DECODE = auto()


def sort_row(data: bytes) -> Sort:
    """Sort one line by its bytes: by the first type that it names, which is the row's, or its message's."""
    first = _FIRST_TYPE.search(data, 0, _NEAR)
    if first is None or data[0] != 0x7B:
        return Sort.DECODE
    kind = first.group(1)
    if kind in _AGENT and (_AGENT_END.search(data, len(data) - _ENDS) or looks_whole(data)):
        foreign = data.find(b'"isSidechain":true', 0, _ENDS) >= 0 or data.find(b'"isApiErrorMessage":true', -_ENDS) >= 0
        return Sort.SKIP if foreign else Sort.ACT
    if not looks_whole(data):
        return Sort.DECODE
    if kind == b"user":
        return _sort_user(data, first.end())
    if kind in _SKIPPED or (kind == b"attachment" and b'"queued_command"' not in data):
        return Sort.SKIP
    return Sort.DECODE


def _sort_user(data: bytes, start: int) -> Sort:
    """A user row: a machine's result, unless it is a refusal or holds text beside the result."""
    if data.find(b'"type":"tool_result"', start) < 0 or data.find(b"want to proceed", start, start + _START) >= 0:
        return Sort.DECODE
    text = data.find(b'"type":"text"', start)
    in_outcome = text >= 0 and data.find(b'"toolUseResult":', start, text) >= 0
    return Sort.RESULT if text < 0 or in_outcome else Sort.DECODE


def result_id(data: bytes) -> bytes:
    """The id of the call that a tool result row answers, b"" where it is not near the start."""
    match = _RESULT_ID.search(data, 0, _NEAR)
    return match.group(1) if match else b""


def raw_string(data: bytes, key: str) -> str:
    """The text of a key out of a row's bytes, "" where it is missing."""
    match = re.search(rb'"' + key.encode() + rb'":("(?:[^"\\]|\\.)*")', data)
    try:
        return str(json.loads(match.group(1))) if match else ""
    except ValueError:
        return ""


def is_harness(row: Row) -> bool:
    """Whether the fields of a row or attachment say that the harness wrote it."""
    flags = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly")
    kind = mapping(row, "origin").get("kind", "human")
    return (
        any(row.get(flag) is True for flag in flags)
        or bool(row.get("planContent"))
        or kind != "human"
        or row.get("promptSource") == "system"
    )


def text_blocks(content: object) -> list[str]:
    """The texts of a message's content, whichever form it has."""
    if isinstance(content, str):
        return [scrub(content)]
    return [string(block, "text") for block in objects(content) if block.get("type") == "text"]


def result_text(block: Row) -> str:
    """The text of a tool result."""
    return "\n".join(text_blocks(block.get("content")))


def answers(content: str, questions: list[str], outcome: object) -> list[str]:
    """What a person answered to the agent's questions, without the questions.

    The result's text is read along the known questions; where they do not stand in it, the structured outcome is.
    """
    found = _answers_in_text(content, questions)
    if found:
        return found
    given: list[str] = []
    row = outcome if isinstance(outcome, dict) else {}
    notes = mapping(row, "annotations")
    for question, answer in mapping(row, "answers").items():
        said = ", ".join(map(str, answer)) if isinstance(answer, list) else answer
        note = string(mapping(notes, question), "notes")
        if isinstance(said, str):
            given.append(_with_note(scrub(said), note))
    return [answer for answer in given if answer]


def _answers_in_text(content: str, questions: list[str]) -> list[str]:
    marks = [(content.find(f'"{question}"="'), f'"{question}"="') for question in questions]
    if not marks or any(at < 0 for at, _ in marks):
        return []
    marks.sort()
    found: list[str] = []
    for (at, mark), (following, _) in zip(marks, [*marks[1:], (len(content), "")], strict=True):
        piece = content[at + len(mark) : following]
        if following == len(content):
            piece = piece.rpartition(". You can now continue")[0] or piece
        answer, marked, note = piece.partition('" user notes: ')
        found.append(_with_note(answer if marked else answer.rstrip(', ."'), note.rstrip(", ")))
    return [answer for answer in found if answer]


def _with_note(answer: str, note: str) -> str:
    answer, note = answer.strip(), note.strip()
    return answer if not note or note.rstrip(".") == answer.rstrip(".") else f"{answer}\n{note}".strip()


def added_lines(approved: str, before: list[str]) -> str:
    """The lines of an approved plan that the person wrote into it; "" where it was not edited.

    Args:
        approved: the tool result's text.
        before: hashes (`text_hash`) of the lines of the plan as the agent wrote it.
    """
    head, marked, plan = approved.partition("(edited by user):")
    if not marked or not before or not head.startswith("User has approved your plan"):
        return ""
    known = set(before)
    return "\n".join(line for line in plan.splitlines() if line.strip() and text_hash(line) not in known).strip()
