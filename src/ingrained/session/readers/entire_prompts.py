"""Prompts of Entire sessions as a data set gives them: one session a line, its prompts in a list, nothing of the agent.

`{"session_id", "created_at", "agent", "prompts": [...], ...}`; made from the `prompt.txt` files of checkpoints, where
prompts stand between rulers. The decision to know: a text that holds rulers itself (a plan, a sub-agent's report) comes
in several pieces, and only its first one bears a harness mark, so the pieces that follow it are set aside with it. The
copies of a session grow from line to line and bear a date before their id; a message is its session without that date,
its words, and how often they were said before in it.

What cannot be known: what the agent did before a prompt (`Turn.act` is empty), which folder it worked in, when exactly
a prompt was typed (the time is that of the session's record), whether text under a heading was typed or expanded from
a command's file, and what stood in a prompt after the place where the data set cut it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import Field

from ingrained.ids import message_key
from ingrained.session.jsonl import Line, Row, decode, scrub, string, timestamp
from ingrained.session.provenance import SETTINGS_COMMANDS, Cleaned, clean, slash_command
from ingrained.session.readers.base import Found, SafeAct, SessionState, State, text_hash
from ingrained.session.readers.entire import plain_session
from ingrained.session.readers.templates import expanded, is_heading, is_template
from ingrained.session.session import Form

FORMAT = "entire-prompts"

_FIRST = re.compile(rb'\s*\{\s*"session_id"\s*:\s*"')
_FIELDS = re.compile(rb'"(?:checkpoints|branch_present|initial_attribution|files_touched)"\s*:')
_PROMPTS = re.compile(rb'"prompts"\s*:\s*\[')
_REPORT, _REPORT_END = "<task-notification>", "</task-notification>"
_CUT = "[truncated]"


class _State(State):
    sessions: dict[str, SessionState] = Field(default_factory=dict)
    seen: list[str] = Field(default_factory=list)


class EntirePrompts:
    """The reader of prompt lists."""

    name = FORMAT
    version = 2

    def matches(self, head: bytes, _path: Path) -> bool:
        """By the session id at the start of a line and the fields of a checkpoint beside the list."""
        return all(part.search(head) for part in (_FIELDS, _PROMPTS)) and _FIRST.match(head) is not None

    def read(self, lines: Iterable[Line], found: Found, state: Row) -> Row:
        """Put the prompts of one file into `found`."""
        known = _State.model_validate(state)
        for session, facts in known.sessions.items():
            found.sessions[FORMAT, session] = facts
        seen = set(known.seen)
        for number, data in lines:
            for row in decode(number, data, found.tally):
                _row(number, row, found, seen)
        known.seen = sorted(seen)
        known.sessions = {session: facts for (_, session), facts in found.sessions.items()}
        return known.model_dump(mode="json")


def _row(number: int, row: Row, found: Found, seen: set[str]) -> None:
    """One session."""
    prompts = row.get("prompts")
    session = plain_session(string(row, "session_id"))
    if not session or not isinstance(prompts, list):
        found.tally.add("shape", number)
        return
    time = string(row, "created_at")
    facts = found.session(FORMAT, session)
    facts.started = facts.started or time
    facts.ended = time or facts.ended
    texts = [scrub(text) if isinstance(text, str) else "" for text in prompts]
    said: Counter[str] = Counter()
    after_interrupt = False
    for nth, text, cleaned, form in _pieces(texts):
        found.by_tag += cleaned.by_tag
        if cleaned.kind == "interrupt":
            after_interrupt = True
        if not cleaned.text:
            continue
        words = text_hash(cleaned.text)
        said[words] += 1
        key = message_key(FORMAT, session, words, said[words])
        interrupted, after_interrupt = after_interrupt, False
        if key in seen:
            continue
        seen.add(key)
        if reason := found.reason(facts, text=text, cwd="", entrypoint="", sidechain=False):
            found.aside(FORMAT, session, reason)
            continue
        found.turn(
            key=key,
            tool=FORMAT,
            session=session,
            record=f"L{number}P{nth}",
            line=nth,
            text=found.safe(cleaned.text),
            form=form,
            time=timestamp(time),
            cwd="",
            branch="",
            act=SafeAct(),
            after_interrupt=interrupted,
            by_tag=cleaned.by_tag,
        )


def _pieces(texts: list[str]) -> Iterator[tuple[int, str, Cleaned, Form]]:
    """Each prompt with its number and what it holds; a piece that belongs to harness text before it is such itself."""
    report_ends = 0
    goes_on = False
    before: Cleaned | None = None
    for nth, text in enumerate(texts, start=1):
        cleaned = clean(text)
        if cleaned.kind == "words":
            cleaned = slash_command(text) or expanded(text, before) or cleaned
        before = cleaned
        form: Form = "command" if cleaned.kind == "command" else "typed"
        if nth <= report_ends or (cleaned.kind == "words" and is_template(text, called=goes_on)):
            goes_on = nth > report_ends
            yield nth, text, Cleaned(kind="harness", by_tag=True), form
            continue
        if text.startswith(_REPORT) and _REPORT_END not in text:
            report_ends = _end_of_report(texts, nth)
        custom = cleaned.kind == "command" and cleaned.command not in SETTINGS_COMMANDS
        goes_on = custom or (cleaned.kind == "harness" and _may_go_on(text))
        yield nth, text, cleaned, form


def _may_go_on(text: str) -> bool:
    """Whether pieces of the same document may follow: not after a shell line or its output."""
    return not text.lstrip().startswith(("<bash-", "<local-command-"))


def _end_of_report(texts: list[str], nth: int) -> int:
    """Number of the last piece of a report whose first piece is the `nth`; a piece that was cut may hide the end."""
    for at, text in enumerate(texts[nth:], start=nth + 1):
        if text.startswith(_REPORT):
            return at - 1 if is_heading(texts[at - 2]) else nth
        if _REPORT_END in text or text.endswith(_CUT):
            return at
    return nth
