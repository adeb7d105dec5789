"""Session histories of agents and chat exports for tests, written as their programs write them.

A conversation is a list of steps, the same for every format: `typed` (a person), `says` and `calls` (the agent), and
`machine` (what the program puts in the user's role).
"""

from __future__ import annotations

import json
import sqlite3
import uuid
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

SESSION = "5a0e3c1d-0000-4000-8000-0000000000aa"
FOLDER = "/home/dana/src/shop"
START_MS = 1_767_225_600_000


@dataclass(frozen=True, slots=True)
class Step:
    kind: Literal["typed", "says", "calls", "machine"]
    text: str


def typed(text: str) -> Step:
    return Step("typed", text)


def says(text: str) -> Step:
    return Step("says", text)


def calls(command: str) -> Step:
    return Step("calls", command)


def machine(text: str = "") -> Step:
    return Step("machine", text)


def id_of(number: int, session: str = SESSION) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_OID, f"{session}{number}"))


def ms(number: int) -> int:
    return START_MS + number * 60_000


def iso(number: int) -> str:
    return datetime.fromtimestamp(ms(number) / 1000, tz=UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def dump(path: Path, value: object, *, indent: int | None = None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, ensure_ascii=False, indent=indent), encoding="utf-8", newline="")
    return path


def dump_lines(path: Path, rows: Iterable[object]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows))
    return path


# Gemini CLI.


def gemini_header(**fields: object) -> dict[str, object]:
    return {"sessionId": SESSION, "projectHash": "7e89", "startTime": iso(0), "lastUpdated": iso(0), **fields}


def gemini_message(number: int, step: Step) -> dict[str, object]:
    row: dict[str, object] = {"id": id_of(number), "timestamp": iso(number)}
    if step.kind == "typed":
        return {**row, "type": "user", "content": step.text}
    if step.kind == "machine":
        text = step.text or "<session_context>\nalways obey\n</session_context>"
        return {**row, "type": "user", "content": [{"text": text}]}
    if step.kind == "says":
        return {**row, "type": "gemini", "content": step.text, "thoughts": [], "model": "gemini-2.5-pro"}
    call = {"id": "c", "name": "run_shell_command", "args": {"command": step.text}, "status": "success"}
    return {**row, "type": "gemini", "content": "", "toolCalls": [call], "model": "gemini-2.5-pro"}


def gemini_json(folder: Path, steps: Iterable[Step]) -> Path:
    messages = [gemini_message(number, step) for number, step in enumerate(steps, start=1)]
    path = folder / "shop" / "chats" / f"session-2026-01-01T00-00-{SESSION[:8]}.json"
    return dump(path, {**gemini_header(), "messages": messages}, indent=2)


def gemini_lines(folder: Path, steps: Iterable[Step]) -> Path:
    """Every agent's message is written twice, as the client does when its tokens are known."""
    rows: list[object] = [gemini_header()]
    for number, step in enumerate(steps, start=1):
        message = gemini_message(number, step)
        rows.append(message)
        if message["type"] == "gemini":
            rows.append({**message, "tokens": {"input": 1}})
        rows.append({"$set": {"lastUpdated": iso(number)}})
    return dump_lines(folder / "shop" / "chats" / f"session-2026-01-01T00-00-{SESSION[:8]}.jsonl", rows)


# Cline and Roo Code.


def cline_messages(steps: Iterable[Step], *, task: str = "task") -> list[dict[str, object]]:
    """A task has to begin with what the person typed; `task` is `text` in Roo Code."""
    rows: list[dict[str, object]] = []
    for number, step in enumerate(steps, start=1):
        row: dict[str, object] = {"ts": ms(number), "type": "say"}
        if step.kind == "typed":
            rows.append({**row, "say": "user_feedback" if rows else task, "text": step.text, "images": []})
        elif step.kind == "says":
            rows.append({**row, "say": "text", "text": step.text[:3], "partial": True})
            rows.append({**row, "say": "text", "text": step.text})
        elif step.kind == "calls":
            rows.append({**row, "type": "ask", "ask": "command", "text": step.text})
            rows.append({**row, "say": "command_output", "text": "never: 3 failed"})
        else:
            request = {"request": f"<environment_details>{step.text or 'never'}</environment_details>"}
            rows.append({**row, "say": "api_req_started", "text": json.dumps(request)})
    return rows


def cline_task(folder: Path, steps: Iterable[Step], *, name: str = "1767225600000", task: str = "task") -> Path:
    at = folder / "tasks" / name
    details = f"<environment_details>\n# Current Working Directory ({FOLDER}) Files\nREADME.md\n</environment_details>"
    content = [{"type": "text", "text": "<task>\nnever\n</task>"}, {"type": "text", "text": details}]
    dump(at / "api_conversation_history.json", [{"role": "user", "content": content}])
    return dump(at / "ui_messages.json", cline_messages(steps, task=task))


# OpenCode.

OPENCODE_SCHEMA = """
CREATE TABLE `project` (`id` text PRIMARY KEY, `worktree` text NOT NULL, `time_created` integer NOT NULL);
CREATE TABLE `session` (`id` text PRIMARY KEY, `project_id` text NOT NULL, `parent_id` text, `slug` text NOT NULL,
    `directory` text NOT NULL, `title` text NOT NULL, `version` text NOT NULL, `revert` text,
    `time_created` integer NOT NULL, `time_updated` integer NOT NULL);
CREATE TABLE `message` (`id` text PRIMARY KEY, `session_id` text NOT NULL, `time_created` integer NOT NULL,
    `time_updated` integer NOT NULL, `data` text NOT NULL);
CREATE TABLE `part` (`id` text PRIMARY KEY, `message_id` text NOT NULL, `session_id` text NOT NULL,
    `time_created` integer NOT NULL, `time_updated` integer NOT NULL, `data` text NOT NULL);
"""

Record = tuple[dict[str, object], list[dict[str, object]]]
"""A message's info, and its parts."""


def opencode_info(session: str = "ses_1", **fields: object) -> dict[str, object]:
    return {
        "id": session,
        "slug": "quiet-otter",
        "projectID": "4b0ea68d",
        "directory": FOLDER,
        "title": "A title: never do it",
        "version": "1.2.0",
        "time": {"created": ms(0), "updated": ms(9)},
        **fields,
    }


def opencode_records(steps: Iterable[Step], session: str = "ses_1", fork: str = "") -> list[Record]:
    """Every message has its own id, which a fork makes anew."""
    records: list[Record] = []
    for number, step in enumerate(steps, start=1):
        id = f"msg_{fork}{number:04}"
        role = "user" if step.kind in {"typed", "machine"} else "assistant"
        info = {"id": id, "sessionID": session, "role": role, "time": {"created": ms(number)}}
        if step.kind == "calls":
            state = {"status": "completed", "input": {"command": step.text}, "output": "never: 3 failed"}
            part: dict[str, object] = {"type": "tool", "callID": "c", "tool": "bash", "state": state}
        else:
            part = {"type": "text", "text": step.text or "never"}
        if step.kind == "machine":
            part["synthetic"] = True
        start: dict[str, object] = {"type": "reasoning" if role == "assistant" else "file", "text": "never"}
        parts = [
            {"id": f"prt_{fork}{number:04}{n}", "sessionID": session, "messageID": id, **one}
            for n, one in enumerate([start, part])
        ]
        records.append((info, parts))
    return records


def opencode_database(
    path: Path, sessions: Sequence[tuple[dict[str, object], list[Record]]], *, wal: bool = False
) -> sqlite3.Connection:
    """The open connection: while it is open the last rows stand in the write-ahead log only."""
    path.parent.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(path, isolation_level=None)
    if wal:
        db.execute("PRAGMA journal_mode = WAL")
    db.executescript(OPENCODE_SCHEMA)
    for info, records in sessions:
        opencode_insert(db, info, records)
    return db


def opencode_insert(db: sqlite3.Connection, info: dict[str, object], records: list[Record]) -> None:
    revert = json.dumps(info["revert"]) if "revert" in info else None
    row = (info["id"], "p", info.get("parentID"), "slug", info["directory"], "t", "1", revert, ms(0), ms(9))
    db.execute("INSERT OR REPLACE INTO session VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
    for message, parts in records:
        data = {name: value for name, value in message.items() if name not in {"id", "sessionID"}}
        db.execute(
            "INSERT INTO message VALUES (?, ?, ?, ?, ?)",
            (message["id"], info["id"], message["time"]["created"], 0, json.dumps(data)),
        )  # type: ignore[index]
        for part in parts:
            data = {name: value for name, value in part.items() if name not in {"id", "sessionID", "messageID"}}
            db.execute(
                "INSERT INTO part VALUES (?, ?, ?, 0, 0, ?)", (part["id"], message["id"], info["id"], json.dumps(data))
            )


def opencode_db(folder: Path, steps: Iterable[Step]) -> Path:
    path = folder / "opencode" / "opencode.db"
    with closing(opencode_database(path, [(opencode_info(), opencode_records(steps))], wal=True)):
        return path


def opencode_files(folder: Path, steps: Iterable[Step], info: dict[str, object] | None = None) -> Path:
    info = info or opencode_info()
    storage = folder / "opencode" / "storage"
    for message, parts in opencode_records(steps, str(info["id"])):
        dump(storage / "message" / str(info["id"]) / f"{message['id']}.json", message, indent=2)
        for part in parts:
            dump(storage / "part" / str(message["id"]) / f"{part['id']}.json", part, indent=2)
    return dump(storage / "session" / "4b0ea68d" / f"{info['id']}.json", info, indent=2)


def opencode_export(folder: Path, steps: Iterable[Step]) -> Path:
    messages = [{"info": info, "parts": parts} for info, parts in opencode_records(steps)]
    return dump(folder / "export.json", {"info": opencode_info(), "messages": messages}, indent=2)
