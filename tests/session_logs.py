"""Logs of agents for tests: rows as the agents write them, and a redactor that can be seen to work."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterable
from pathlib import Path

from ingrained.session.read import ReadOptions, read_file
from ingrained.session.session import Cursor, FileRead, Redaction

SESSION = "11111111-2222-4333-8444-555555555555"
CWD = "/home/dana/src/shop"
REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file). "
)
SAID = "To tell you how to proceed, the user said:\n"
STOP = "STOP what you are doing and wait for the user to tell you how to proceed."


class Masking:
    """Replaces every `hush-…` by a marker, and counts."""

    def redact(self, text: str) -> Redaction:
        text, count = re.subn(r"hush-\w+", "[redacted:hush]", text)
        return Redaction(text=text, counts={"hush": count} if count else {})


class Claude:
    """Writes rows of one Claude Code session, each the child of the one before."""

    def __init__(self, session: str = SESSION, **fields: object) -> None:
        self.fields = {"sessionId": session, "cwd": CWD, "gitBranch": "main", "isSidechain": False, **fields}
        self.rows: list[dict[str, object]] = []
        self.parent: str | None = None
        self.minute = 0
        self.calls = 0

    def row(self, type: str, **fields: object) -> dict[str, object]:
        self.minute += 1
        id = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{self.fields['sessionId']}{self.minute}"))
        time = f"2026-03-01T{9 + self.minute // 60:02}:{self.minute % 60:02}:00.000Z"
        row = {"parentUuid": self.parent, **self.fields, "type": type, "uuid": id, "timestamp": time, **fields}
        self.parent = str(row["uuid"])
        self.rows.append(row)
        return row

    def user(self, content: object, **fields: object) -> dict[str, object]:
        return self.row("user", message={"role": "user", "content": content}, **fields)

    def agent(self, *blocks: object) -> dict[str, object]:
        content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
        return self.row("assistant", message={"role": "assistant", "type": "message", "content": content})

    def call(self, tool: str, **input: object) -> dict[str, object]:
        """A `tool_use` block; its id is `last_call`."""
        self.calls += 1
        return {"type": "tool_use", "id": self.last_call, "name": tool, "input": input}

    @property
    def last_call(self) -> str:
        return f"toolu_{self.calls}"

    def result(self, content: object, *, error: bool = False, outcome: object = None, **fields: object) -> None:
        block = {"tool_use_id": self.last_call, "type": "tool_result", "content": content, "is_error": error}
        self.user([block], toolUseResult=outcome if outcome is not None else {"stdout": content}, **fields)

    def refuse(self, words: str | None = None, **fields: object) -> None:
        content = REFUSED + (SAID + words if words is not None else STOP)
        outcome = "Error: " + content if words is not None else "User rejected tool use"
        self.result(content, error=True, outcome=outcome, **fields)

    def queue(self, operation: str, content: str | None = None) -> None:
        self.minute += 1
        row: dict[str, object] = {
            "type": "queue-operation",
            "operation": operation,
            "timestamp": f"2026-03-01T{9 + self.minute // 60:02}:{self.minute % 60:02}:00.000Z",
            "sessionId": self.fields["sessionId"],
        }
        if content is not None:
            row["content"] = content
        self.rows.append(row)


def codex(payload_type: str, payload: dict[str, object], *, second: int = 0) -> dict[str, object]:
    """One row of the newer Codex envelope."""
    return {
        "timestamp": f"2026-04-01T10:{second // 60:02}:{second % 60:02}.000Z",
        "type": payload_type,
        "payload": payload,
    }


def codex_meta(id: str = "t-1", **fields: object) -> dict[str, object]:
    return codex("session_meta", {"id": id, "cwd": CWD, "originator": "codex_cli_rs", "source": "cli", **fields})


def codex_event(text: str, *, second: int = 0) -> dict[str, object]:
    return codex("event_msg", {"type": "user_message", "message": text, "images": []}, second=second)


def codex_item(*texts: str, role: str = "user", second: int = 0) -> dict[str, object]:
    kind = "input_text" if role == "user" else "output_text"
    content = [{"type": kind, "text": text} for text in texts]
    return codex("response_item", {"type": "message", "role": role, "content": content}, second=second)


def lines(rows: Iterable[object]) -> bytes:
    """Rows in the spelling of the agents: no spaces, text as it is."""
    return b"".join(
        json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass") + b"\n"
        for row in rows
    )


def write(path: Path, rows: Iterable[object]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(lines(rows))
    return path


def read(path: Path, cursor: Cursor | None = None, **included: str) -> FileRead:
    """Read a file; `included` is front end = folder."""
    options = ReadOptions(include_entrypoints=frozenset((name.replace("_", "-"), at) for name, at in included.items()))
    found = read_file(path, cursor=cursor, redactor=Masking(), options=options)
    assert found is not None
    return found


def read_rows(tmp_path: Path, rows: Iterable[object], name: str = f"{SESSION}.jsonl") -> FileRead:
    return read(write(tmp_path / name, rows))


def texts(found: FileRead) -> list[str]:
    return [turn.text for turn in found.turns]
