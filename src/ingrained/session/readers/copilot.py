"""GitHub Copilot CLI: `~/.copilot/session-state/<id>/events.jsonl`, one event a line with a dotted type.

The decision to know: of a user's message `content` is what was typed, and `source` says who typed it; anything but the
person (a skill, a command's body, autopilot, another agent) is set aside by that field. The words said when a tool call
or a plan was turned down stand in the event that closes the request. The key of a message is the id of its event.

What cannot be known: whether a script passed the prompt (`copilot -p`), and, in versions that do not log `source`,
whether a skill put a message in.
"""

from __future__ import annotations

import re
from pathlib import Path

from ingrained.ids import message_key
from ingrained.session.jsonl import LineReader, Row, decode, mapping, objects, string
from ingrained.session.provenance import slash_command
from ingrained.session.readers.base import Found, text_hash
from ingrained.session.readers.dialogue import Dialogue
from ingrained.session.session import Form

FORMAT = "copilot"

_TYPED = re.compile(rb'"type"\s*:\s*"(?:session\.(?:start|resume|info)|user\.message|assistant\.message)"')
_DATA = re.compile(rb'"data"\s*:\s*\{')
_KNOWN = re.compile(
    r"(?:session|user|assistant|tool|external_tool|permission|user_input|elicitation|exit_plan_mode|auto_mode_switch"
    r"|subagent|skill|hook|system|mcp|sampling|command|commands|capabilities|pending_messages|model)\.\w+|abort|result"
)
_ANSWERED = re.compile(r"User (?:selected|responded|response|answered)(?: with)?:? ?(.+)", re.DOTALL)
_DENIED = "denied-interactively-by-user"


class Copilot:
    """The reader of Copilot CLI's events."""

    name = FORMAT
    version = 1

    def matches(self, head: bytes, _path: Path) -> bool:
        """By a dotted type and the data beside it."""
        return _TYPED.search(head) is not None and _DATA.search(head) is not None

    def read_store(self, path: Path, found: Found) -> None:
        """Put the turns of one session into `found`."""
        events = _Events(found, path.parent.name if path.name == "events.jsonl" else path.stem)
        with path.open("rb") as stream:
            for number, data in LineReader(stream, tally=found.tally):
                for row in decode(number, data, found.tally):
                    events.event(number, row)

    def beside(self, _path: Path) -> tuple[Path, ...]:
        """No other file holds a part of it."""
        return ()


class _Events:
    """One pass over one session."""

    def __init__(self, found: Found, session: str) -> None:
        self.found = found
        self.dialogue = Dialogue(found, tool=FORMAT, session=session)
        self.branch = ""
        self.asked: dict[str, Row] = {}
        """Requests for permission that wait, by their ids."""
        self.questions: set[str] = set()
        """Calls of the tool that asks the person."""
        self.answers = 0

    def event(self, number: int, row: Row) -> None:
        """Take in one event."""
        kind, data = row.get("type"), mapping(row, "data")
        if not isinstance(kind, str):
            self.found.tally.add("shape", number)
        elif row.get("ephemeral") is True and kind == "user.message":
            return
        elif kind in {"session.start", "session.resume", "session.context_changed"}:
            self._session(row, data)
        elif kind == "user.message":
            self._message(number, row, data)
        elif kind == "abort":
            self.dialogue.after_interrupt = string(data, "reason") in {"", "user_initiated", "user initiated"}
        elif kind in {"permission.completed", "exit_plan_mode.completed", "user_input.completed"}:
            self._decision(number, kind, row, data)
        elif kind == "permission.requested":
            self.asked[string(data, "requestId")] = mapping(data, "permissionRequest")
        elif kind.startswith(("assistant.", "tool.")):
            self._acts(number, kind, row, data)
        elif _KNOWN.fullmatch(kind) is None:
            self.found.unknown[kind] += 1

    def _session(self, row: Row, data: Row) -> None:
        context = mapping(data, "context") or data
        if session := string(data, "sessionId"):
            self.dialogue.session = session
        self.dialogue.at(data.get("startTime") or row.get("timestamp"), string(context, "cwd"))

    def _message(self, number: int, row: Row, data: Row) -> None:
        """A message in the person's name; the field that names its source decides."""
        source = string(data, "source")
        if data.get("isAutopilotContinuation") is True or (
            source not in {"", "user"} and not source.startswith("agent")
        ):
            return
        text = string(data, "content")
        command = slash_command(text)
        self._typed(
            number,
            row,
            text if command is None else command.text,
            form="typed" if command is None else "command",
            sidechain=source.startswith("agent") or bool(string(row, "agentId")),
        )

    def _typed(self, number: int, row: Row, text: str, *, form: Form, sidechain: bool = False) -> None:
        id = string(row, "id")
        key = message_key(FORMAT, id) if id else message_key(FORMAT, self.dialogue.session, text_hash(text), number)
        self.dialogue.typed(
            key, [text], line=number, record=id, time=row.get("timestamp"), form=form, sidechain=sidechain
        )

    def _decision(self, number: int, kind: str, row: Row, data: Row) -> None:
        """What the person decided about a tool call or a plan, or answered."""
        result = mapping(data, "result") or data
        if kind == "user_input.completed":
            self.answers += 1
            self._typed(number, row, string(data, "answer"), form="answer")
            return
        refused = data.get("approved") is False or string(result, "kind") == _DENIED
        request = self.asked.pop(string(data, "requestId"), {})
        self.found.refusals += refused
        if refused and request:
            self.dialogue.calls(string(request, "toolName") or string(request, "kind"), _wanted(request))
        self._typed(number, row, string(result, "feedback"), form="refusal" if refused else "answer")

    def _acts(self, number: int, kind: str, row: Row, data: Row) -> None:
        """Something that the agent said or did; what a sub-agent did is none of it."""
        if string(data, "parentToolCallId") or string(row, "agentId"):
            return
        if kind == "assistant.message":
            if text := string(data, "content"):
                self.dialogue.says(text)
            for request in objects(data.get("toolRequests")):
                self._call(string(request, "toolCallId"), string(request, "name"), request.get("arguments"))
        elif kind == "tool.execution_start":
            self._call(string(data, "toolCallId"), string(data, "toolName"), data.get("arguments"))
        elif kind == "tool.execution_complete" and string(data, "toolCallId") in self.questions:
            self.questions.discard(string(data, "toolCallId"))
            answer = _ANSWERED.match(string(mapping(data, "result"), "content"))
            if answer and not self.answers:
                self._typed(number, row, answer[1].strip(), form="answer")
            self.answers = max(0, self.answers - 1)

    def _call(self, id: str, tool: str, arguments: object) -> None:
        self.dialogue.calls(tool, arguments)
        if tool == "ask_user":
            self.questions.add(id)


def _wanted(request: Row) -> Row:
    """What a request for permission was about, as arguments of a call."""
    command = string(request, "fullCommandText") or string(request, "fileName") or string(request, "path")
    return {"command": command or string(request, "url") or string(request, "intention")}
