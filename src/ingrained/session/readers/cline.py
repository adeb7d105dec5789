"""Cline and Roo Code: one folder a task, with `ui_messages.json`, the messages as the panel shows them.

The decision to know: a person's words are the task (`say: task`, in Roo Code the first `say: text`) and every
`user_feedback`; the history for the model beside it mixes these with environment details and is read for the working
folder only. A message has no id: its time to the millisecond and its words are its key, which a copied folder keeps.

What cannot be known: whether words typed beside a tool that waited for approval allowed or refused it. The task that
one task of Roo Code started for another is set aside as the agent's; that it is one is known from `history_item.json`
only, which older versions do not write. A click on an option that the agent offered, and a person's own edit of a
proposed file, are no typed words.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path

from ingrained.ids import message_key
from ingrained.session.jsonl import Row, objects, scrub, string
from ingrained.session.readers.base import Found, text_hash
from ingrained.session.readers.dialogue import Dialogue
from ingrained.session.readers.pieces import Pieces
from ingrained.session.session import Form

FORMAT = "cline"

_NAME = "ui_messages.json"
_HISTORY = "api_conversation_history.json"
_ITEM = "history_item.json"
_START = re.compile(rb'\s*\[\s*\{\s*"ts"\s*:\s*\d+')
_SPEAKS = re.compile(rb'"(?:say|ask)"\s*:\s*"')
_MARKS = frozenset({"ts", "type"})
_HEAD = 256 * 1024
_CWD = re.compile(r"# Current (?:Working|Workspace) Directory \((.*?)\) Files")
_TOOLS = frozenset({"tool", "command", "use_mcp_server", "mcp_server_request_started", "browser_action_launch"})
_SAYS = frozenset({"text", "completion_result"})
_ASKS = frozenset({"followup", "plan_mode_respond", "act_mode_respond", "completion_result"})
_RESUMES = frozenset({"resume_task", "resume_completed_task"})
# fmt: off
_QUIET = frozenset({
    "error", "error_retry", "reasoning", "command_output", "user_feedback_diff", "shell_integration_warning",
    "shell_integration_warning_with_suggestion", "browser_action", "browser_action_result", "browser_session_status",
    "mcp_server_response", "mcp_notification", "diff_error", "deleted_api_reqs", "clineignore_error",
    "rooignore_error", "command_permission_denied", "load_mcp_documentation", "generate_explanation", "info",
    "task_progress", "hook_status", "hook_output_stream", "subagent", "subagent_usage", "use_subagents",
    "conditional_rules_applied", "condense", "condense_context", "condense_context_error",
    "sliding_window_truncation", "summarize_task", "report_bug", "new_task", "new_task_started", "subtask_result",
    "finishTask", "user_edit_todos", "codebase_search_result", "image", "mistake_limit_reached", "api_req_failed",
    "auto_approval_max_req_reached", "command_auto_approved",
})
# fmt: on


class Cline:
    """The reader of Cline's and Roo Code's tasks."""

    name = FORMAT
    version = 1

    def matches(self, head: bytes, path: Path) -> bool:
        """By the first message's keys; before those are there by the name."""
        head = head.removeprefix(b"\xef\xbb\xbf")
        if _START.match(head) is not None:
            return _SPEAKS.search(head) is not None
        return path.name == _NAME and head.strip() in {b"", b"[", b"[]"}

    def read_store(self, path: Path, found: Found) -> None:
        """Put the turns of one task into `found`."""
        task = _Task(path, found)
        with path.open("rb") as stream:
            for number, row in Pieces(stream, tally=found.tally, marks=_MARKS):
                task.message(number, row)

    def beside(self, path: Path) -> tuple[Path, ...]:
        """What tells the folder and the task that started this one."""
        return (path.with_name(_ITEM),)


class _Task:
    """The messages of one task in their order."""

    def __init__(self, path: Path, found: Found) -> None:
        self.found = found
        item = _document(path.with_name(_ITEM))
        self.is_child = bool(string(item, "parentTaskId"))
        session = path.parent.name if path.name == _NAME else path.stem
        cwd = string(item, "workspace") or string(item, "cwdOnTaskInitialization")
        cwd = cwd or _indexed(path, session) or _environment(path.with_name(_HISTORY))
        self.dialogue = Dialogue(found, tool=FORMAT, session=session, cwd=cwd)
        self.form: Form = "typed"

    def message(self, number: int, row: Row) -> None:
        """Take in one message."""
        kind = row.get("type")
        if kind == "say":
            self._says(number, row, string(row, "say"))
        elif kind == "ask":
            self._asks(row, string(row, "ask"))
        else:
            self.found.tally.add("shape", number)

    def _says(self, number: int, row: Row, say: str) -> None:
        text = string(row, "text")
        if say == "task" or (say == "text" and number == 1):
            self._typed(number, row, sidechain=self.is_child)
        elif say == "user_feedback":
            self._typed(number, row)
        elif row.get("partial") is True:
            return
        elif say in _SAYS:
            self.form = "typed"
            if text:
                self.dialogue.says(text)
        elif say in _TOOLS:
            self._calls(say, text)
        elif not say.startswith(("api_req", "checkpoint")) and say not in _QUIET:
            self.found.not_known(f"say {say}")

    def _asks(self, row: Row, ask: str) -> None:
        text = string(row, "text")
        if row.get("partial") is True:
            return
        if ask in _RESUMES:
            self.form = "typed"
            self.dialogue.after_interrupt = ask == "resume_task"
        elif ask in _TOOLS:
            self._calls(ask, text)
            self.form = "with-tool"
        elif ask in _ASKS:
            asked = _parsed(text)
            said = string(asked, "question") or string(asked, "response") or ("" if asked else text)
            if said:
                self.dialogue.says(said)
            self.form = "answer" if ask == "followup" else "typed"
        elif ask not in _QUIET and ask != "command_output":
            self.found.not_known(f"ask {ask}")

    def _typed(self, number: int, row: Row, *, sidechain: bool = False) -> None:
        text, time = string(row, "text"), row.get("ts")
        form, self.form = self.form, "typed"
        place = time if isinstance(time, int) else f"{self.dialogue.session}.{number}"
        key = message_key(FORMAT, place, text_hash(text))
        self.dialogue.typed(key, [text], line=number, time=time, form=form, sidechain=sidechain)

    def _calls(self, kind: str, text: str) -> None:
        call = _parsed(text)
        tool = string(call, "toolName") or string(call, "tool") or kind
        self.dialogue.calls(tool, call.get("arguments") or _place(call) or text)


def _place(call: Row) -> Row:
    """Of a call what it was about, without a file's content."""
    return {name: call[name] for name in ("path", "command", "regex", "url") if call.get(name)}


def _parsed(text: str) -> Row:
    """A text that may be a JSON object, an empty row where it is none."""
    if not text.startswith("{"):
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _document(path: Path) -> Row:
    return _parsed(_start(path).strip())


def _start(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_HEAD).decode("utf-8", "replace")
    except OSError:
        return ""


def _indexed(path: Path, session: str) -> str:
    """The folder by the list of all tasks, which loses some."""
    index = path.parent.parent.parent / "state" / "taskHistory.json"
    try:
        changed = index.stat().st_mtime_ns
    except OSError:
        return ""
    return _index(index, changed).get(session, "")


@lru_cache(maxsize=8)
def _index(path: Path, changed: int) -> dict[str, str]:  # noqa: ARG001 - a part of the key
    """The folders of all tasks in a list; one list is read once, however many tasks there are."""
    try:
        tasks = objects(json.loads(path.read_bytes()))
    except (OSError, ValueError, RecursionError):
        return {}
    return {string(task, "id"): string(task, "cwdOnTaskInitialization") or string(task, "workspace") for task in tasks}


def _environment(path: Path) -> str:
    """The folder by the environment details in the first message to the model."""
    match = _CWD.search(_start(path))
    if match is None:
        return ""
    try:
        return scrub(json.loads(f'"{match.group(1)}"'))
    except ValueError:
        return match.group(1)
