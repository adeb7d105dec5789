"""Session histories of agents and chat exports for tests, written as their programs write them.

A conversation is a list of steps, the same for every format: `typed` (a person), `says` and `calls` (the agent), and
`machine` (what the program puts in the user's role).
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import uuid
import zipfile
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
    db.execute("PRAGMA synchronous = OFF")
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


# Cursor.


def cursor_bubbles(steps: Iterable[Step], session: str = SESSION) -> list[dict[str, object]]:
    bubbles: list[dict[str, object]] = []
    for number, step in enumerate(steps, start=1):
        bubble: dict[str, object] = {"_v": 3, "bubbleId": id_of(number, session), "text": step.text}
        if step.kind == "typed":
            context = {"fileSelections": [{"uri": {"fsPath": "/a.py"}, "content": "never"}], "cursorRules": ["never"]}
            bubbles.append({**bubble, "type": 1, "context": context})
        elif step.kind == "calls":
            call = {"name": "run_terminal_cmd", "rawArgs": json.dumps({"command": step.text}), "result": "never"}
            bubbles.append({**bubble, "type": 2, "text": "", "toolFormerData": call})
        elif step.kind == "says":
            bubbles.append({**bubble, "type": 2, "createdAt": iso(number)})
        else:
            bubbles.append({**bubble, "type": 1, "text": "<user_info>\nnever\n</user_info>"})
    return bubbles


def cursor_composer(bubbles: list[dict[str, object]], session: str = SESSION, **fields: object) -> dict[str, object]:
    headers = [{"bubbleId": bubble["bubbleId"], "type": bubble["type"]} for bubble in bubbles]
    uri = {"fsPath": FOLDER, "external": f"file://{FOLDER}", "scheme": "file"}
    return {
        "_v": 10,
        "composerId": session,
        "name": None,
        "createdAt": ms(0),
        "lastUpdatedAt": ms(9),
        "fullConversationHeadersOnly": headers,
        "workspaceIdentifier": {"id": "w1", "uri": uri},
        **fields,
    }


def cursor_tables(path: Path, *, wal: bool = False) -> sqlite3.Connection:
    path.parent.mkdir(parents=True, exist_ok=True)
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA synchronous = OFF")
    if wal:
        db.execute("PRAGMA journal_mode = WAL")
    for table in ("ItemTable", "cursorDiskKV"):
        db.execute(f"CREATE TABLE {table} (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
    db.execute("INSERT INTO cursorDiskKV VALUES ('composerData:empty', NULL)")
    db.execute("INSERT INTO cursorDiskKV VALUES ('checkpointId:x:y', ?)", (b"never" * 1000,))
    return db


def cursor_insert(
    db: sqlite3.Connection, composer: dict[str, object], bubbles: Iterable[dict[str, object]], *, text: bool = False
) -> None:
    def put(key: str, value: object) -> None:
        data = json.dumps(value, ensure_ascii=False)
        db.execute("INSERT INTO cursorDiskKV VALUES (?, ?)", (key, data if text else data.encode()))

    put(f"composerData:{composer['composerId']}", composer)
    for bubble in bubbles:
        put(f"bubbleId:{composer['composerId']}:{bubble['bubbleId']}", bubble)


def cursor_db(folder: Path, steps: Iterable[Step]) -> Path:
    path = folder / "Cursor" / "User" / "globalStorage" / "state.vscdb"
    bubbles = cursor_bubbles(steps)
    with closing(cursor_tables(path, wal=True)) as db:
        cursor_insert(db, cursor_composer(bubbles), bubbles)
    return path


def cursor_inline(folder: Path, steps: Iterable[Step]) -> Path:
    """As older versions kept it: the messages within the conversation."""
    path = folder / "Cursor" / "User" / "globalStorage" / "state.vscdb"
    composer = cursor_composer([], conversation=cursor_bubbles(steps), fullConversationHeadersOnly=[])
    with closing(cursor_tables(path)) as db:
        cursor_insert(db, composer, [], text=True)
    return path


def cursor_workspace(folder: Path, name: str, items: dict[str, object], uri: str = f"file://{FOLDER}") -> Path:
    path = folder / "Cursor" / "User" / "workspaceStorage" / name / "state.vscdb"
    with closing(cursor_tables(path)) as db:
        for key, value in items.items():
            db.execute("INSERT INTO ItemTable VALUES (?, ?)", (key, json.dumps(value).encode()))
    dump(path.with_name("workspace.json"), {"folder": uri})
    return path


def proto_field(number: int, data: bytes) -> bytes:
    size = len(data)
    head = bytes([number << 3 | 2])
    while size > 0x7F:
        head += bytes([size & 0x7F | 0x80])
        size >>= 7
    return head + bytes([size]) + data


def cursor_cli_messages(steps: Iterable[Step]) -> list[dict[str, object]]:
    info = f"<user_info>\nOS Version: linux\nWorkspace Path: {FOLDER}\n</user_info>\n<rules>never</rules>"
    rows: list[dict[str, object]] = [{"role": "system", "content": "never"}, {"role": "user", "content": info}]
    for number, step in enumerate(steps, start=1):
        if step.kind == "typed":
            text = f"<open_and_recently_viewed_files>never</open_and_recently_viewed_files>\n<user_query>\n{step.text}\n</user_query>"
            options = {"cursor": {"requestId": id_of(number)}}
            rows.append({"role": "user", "content": [{"type": "text", "text": text}], "providerOptions": options})
        elif step.kind == "machine":
            rows.append({"role": "user", "content": f"<system_reminder>{step.text or 'never'}</system_reminder>"})
        elif step.kind == "says":
            content: list[dict[str, object]] = [
                {"type": "reasoning", "text": "never"},
                {"type": "text", "text": step.text},
            ]
            rows.append({"role": "assistant", "id": str(number), "content": content})
        else:
            call = {"type": "tool-call", "toolCallId": "c", "toolName": "Shell", "args": {"command": step.text}}
            rows.append({"role": "assistant", "id": str(number), "content": [call]})
            rows.append({"role": "tool", "id": "c", "content": [{"type": "tool-result", "result": "never"}]})
    return rows


def cursor_cli(folder: Path, steps: Iterable[Step], *, root: bool = True) -> Path:
    path = folder / ".cursor" / "chats" / hashlib.md5(FOLDER.encode()).hexdigest() / SESSION / "store.db"
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("PRAGMA synchronous = OFF")
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB)")
        db.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)")
        listed = b""
        for row in cursor_cli_messages(steps):
            data = json.dumps(row, ensure_ascii=False).encode()
            id = hashlib.sha256(data).digest()
            db.execute("INSERT OR IGNORE INTO blobs VALUES (?, ?)", (id.hex(), data))
            listed += proto_field(1, id)
        listed += proto_field(5, b"\x08\x01")
        id = hashlib.sha256(listed).digest()
        db.execute("INSERT INTO blobs VALUES (?, ?)", (id.hex(), listed if root else b"\xff\xff"))
        meta = {"agentId": SESSION, "latestRootBlobId": id.hex(), "name": "New Agent", "createdAt": ms(0)}
        db.execute("INSERT INTO meta VALUES ('0', ?)", (json.dumps(meta).encode().hex(),))
    return path


# Exports of chats.


def chatgpt_node(number: int, step: Step, session: str = SESSION) -> dict[str, object]:
    role = {"typed": "user", "machine": "user", "says": "assistant", "calls": "assistant"}[step.kind]
    content: dict[str, object] = {"content_type": "text", "parts": [step.text]}
    if step.kind == "machine":
        content = {"content_type": "user_editable_context", "user_profile": "never", "user_instructions": "never"}
    if step.kind == "calls":
        content = {"content_type": "code", "language": "unknown", "text": step.text}
    message = {
        "id": id_of(number, session),
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": ms(number) / 1000,
        "content": content,
        "status": "finished_successfully",
        "metadata": {"is_visually_hidden_from_conversation": True} if step.kind == "machine" else {},
        "recipient": "python" if step.kind == "calls" else "all",
    }
    return {"id": message["id"], "message": message}


def chatgpt_conversation(steps: Iterable[Step], session: str = SESSION) -> dict[str, object]:
    """Every typed message has a sibling that was sent before it was edited, and is no longer shown."""
    root = {"id": "client-created-root", "message": None, "parent": None, "children": []}
    nodes: dict[str, dict[str, object]] = {"client-created-root": root}
    parent = root
    for number, step in enumerate(steps, start=1):
        siblings = [chatgpt_node(number, step, session)]
        if step.kind == "typed":
            siblings.insert(0, chatgpt_node(number + 10_000, typed("as it was before: never"), session))
        for node in siblings:
            node |= {"parent": parent["id"], "children": []}
            parent["children"].append(node["id"])  # type: ignore[attr-defined]
            nodes[str(node["id"])] = node
        parent = siblings[-1]
    return {
        "title": None,
        "create_time": ms(0) / 1000,
        "update_time": ms(99) / 1000,
        "mapping": nodes,
        "current_node": parent["id"],
        "conversation_id": session,
        "id": session,
    }


def chatgpt_json(folder: Path, steps: Iterable[Step]) -> Path:
    return dump(folder / "conversations.json", [chatgpt_conversation(steps)])


def archive(path: Path, members: dict[str, object]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, value in members.items():
            file.writestr(name, json.dumps(value, ensure_ascii=False))
    return path


def chatgpt_zip(folder: Path, steps: Iterable[Step]) -> Path:
    """As a large export comes: in parts, among other files."""
    others = {"user.json": {"email": "never"}, "shared_conversations.json": [], "chat.html": "never"}
    parts = {"conversations-000.json": [chatgpt_conversation(steps)], "conversations-001.json": []}
    return archive(folder / "export.zip", {**others, **parts})


def claude_ai_conversation(steps: Iterable[Step], session: str = SESSION) -> dict[str, object]:
    messages: list[dict[str, object]] = []
    for number, step in enumerate(steps, start=1):
        message: dict[str, object] = {
            "uuid": id_of(number, session),
            "text": step.text,
            "content": [{"type": "text", "text": step.text, "citations": []}],
            "sender": "human" if step.kind in {"typed", "machine"} else "assistant",
            "created_at": iso(number),
            "updated_at": iso(number),
            "attachments": [],
            "files": [],
        }
        if step.kind == "machine":
            message |= {"text": "", "content": [], "attachments": [{"file_name": "a", "extracted_content": "never"}]}
        if step.kind == "calls":
            call = {"type": "tool_use", "name": "repl", "input": {"command": step.text}}
            message |= {"text": "", "content": [{"type": "thinking", "thinking": "never"}, call]}
        messages.append(message)
    account = {"uuid": "a"}
    times = {"created_at": iso(0), "updated_at": iso(99)}
    return {"uuid": session, "name": "", "summary": "", **times, "account": account, "chat_messages": messages}


def claude_ai_json(folder: Path, steps: Iterable[Step]) -> Path:
    return dump(folder / "conversations.json", [claude_ai_conversation(steps)], indent=2)


def claude_ai_zip(folder: Path, steps: Iterable[Step]) -> Path:
    others = {"users.json": [], "projects.json": [{"prompt_template": "never"}]}
    return archive(folder / "data-2026.zip", {**others, "conversations.json": [claude_ai_conversation(steps)]})
