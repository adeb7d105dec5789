"""Cursor: the editor's `state.vscdb` (all conversations in one database, older ones one a workspace), and its CLI.

A conversation (`composerData:<id>`) lists its messages in order; each stands in a row of its own (`bubbleId:…`), and
only the person's are loaded, with the one or two of the agent before each. The decision to know: of a message only
`text` counts, which is what was typed; files, rules and terminal output are attached in other fields.

What cannot be known: most messages have no time of their own, so they bear that of their conversation; a refused edit
or command carries no words. Copies of a prompt that ran in several models at once are set aside, like sub-agents'. The
folder comes from the conversation, else from the lists in the workspaces' own databases, and may be unknown.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

from ingrained.ids import MessageKey, message_key
from ingrained.session.jsonl import CAP, Row, Tally, decode, mapping, objects, string
from ingrained.session.readers.base import Found, text_hash
from ingrained.session.readers.cursor_cli import is_cli, read_cli
from ingrained.session.readers.cursor_folders import Folders, folder_in, uri_path
from ingrained.session.readers.database import MAGIC, Cell, blob, columns, logs_of, opened_copy, query
from ingrained.session.readers.dialogue import Dialogue

FORMAT = "cursor"

_DATABASE = "state.vscdb"
_CHATS = "workbench.panel.aichat.view.aichat.chatdata"
_COMPOSERS = "composer.composerData"
_USER, _AGENT = 1, 2
_IDS = "SELECT key FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;' ORDER BY key"
_VALUE = "SELECT CASE WHEN length(value) <= ? THEN value END FROM cursorDiskKV WHERE key = ?"
_ITEM = "SELECT CASE WHEN length(value) <= ? THEN value END FROM ItemTable WHERE key = ?"
_REJECTED = """
    SELECT count(*) FROM cursorDiskKV WHERE key >= ? AND key < ?
    AND instr(CAST(value AS TEXT), '"userDecision":"rejected"') > 0
"""
_LOOK_BACK = 20


class Cursor:
    """The reader of Cursor's databases."""

    name = FORMAT
    version = 1

    def matches(self, head: bytes, path: Path) -> bool:
        """By the tables in the first pages, or by the name below a folder of the editor's."""
        if not head.startswith(MAGIC):
            return False
        if path.name == _DATABASE:
            return b"cursorDiskKV" in head or "Cursor" in path.parts
        return is_cli(head, path)

    def read_store(self, path: Path, found: Found) -> None:
        """Put the turns of every conversation in the database into `found`."""
        with opened_copy(path, found.tally) as db:
            if db is None:
                return
            known = False
            if {"key", "value"} <= columns(db, "cursorDiskKV"):
                known = True
                _Conversations(found, db, path).all()
            if {"key", "value"} <= columns(db, "ItemTable"):
                known = True
                _workspace(found, db, path)
            if {"id", "data"} <= columns(db, "blobs") and {"key", "value"} <= columns(db, "meta"):
                known = True
                read_cli(db, found, path)
            if not known:
                found.tally.add("shape", 1)

    def beside(self, path: Path) -> Iterable[Path]:
        """The database's log."""
        return logs_of(path)


class _Conversations:
    """The conversations of one database."""

    def __init__(self, found: Found, db: sqlite3.Connection, path: Path) -> None:
        self.found = found
        self.db = db
        self.folders = Folders(db, path)
        self.seen: set[MessageKey] = set()
        self.number = 0

    def all(self) -> None:
        """Read every conversation in the database."""
        for (key,) in list(query(self.db, self.found.tally, _IDS)):
            for data in self._rows(_VALUE, key):
                self.one(string(data, "composerId") or str(key).partition(":")[2], data)

    def one(self, id: str, data: Row) -> None:
        """Read one conversation."""
        inline = objects(data.get("conversation"))
        headers = objects(data.get("fullConversationHeadersOnly")) or inline
        if not any(header.get("type") == _USER for header in headers):
            return
        side = data.get("subagentInfo") or data.get("isSubagent") or data.get("isBestOfNSubcomposer")
        dialogue = Dialogue(
            self.found,
            tool=FORMAT,
            session=id,
            cwd=folder_in(data) or self.folders.of(id),
            sidechain=bool(side),
            seen=self.seen,
        )
        dialogue.at(data.get("createdAt"))
        bubbles = {string(bubble, "bubbleId"): bubble for bubble in inline}
        for index, header in enumerate(headers):
            self.number += 1
            kind = header.get("type")
            if kind == _USER:
                bubble = self._bubble(id, header, bubbles)
                if not dialogue.sidechain:
                    self._agent(dialogue, (self._bubble(id, one, bubbles) for one in _before(headers, index)))
                self._user(dialogue, bubble, data)
            elif kind != _AGENT:
                self.found.not_known(f"bubble of type {kind}")
        for (rejected,) in query(self.db, self.found.tally, _REJECTED, (f"bubbleId:{id}:", f"bubbleId:{id};")):
            self.found.refusals += rejected if isinstance(rejected, int) else 0
        dialogue.at(data.get("lastUpdatedAt"))

    def _bubble(self, id: str, header: Row, inline: dict[str, Row]) -> Row:
        bubble = string(header, "bubbleId")
        if bubble in inline:
            return inline[bubble]
        return next(self._rows(_VALUE, f"bubbleId:{id}:{bubble}"), {})

    def _agent(self, dialogue: Dialogue, bubbles: Iterable[Row]) -> None:
        """What the agent did before a message: its last words, and its last call; the nearest come first."""
        said, call = "", Row()
        for bubble in bubbles:
            said = said or string(bubble, "text").strip()
            call = call or mapping(bubble, "toolFormerData")
            if said and call:
                break
        if said:
            dialogue.says(said)
        if call:
            dialogue.calls(string(call, "name"), string(call, "rawArgs") or string(call, "params"))

    def _user(self, dialogue: Dialogue, bubble: Row, data: Row) -> None:
        text = string(bubble, "text") or rich_text(bubble.get("richText"))
        time = bubble.get("createdAt") or mapping(bubble, "timingInfo").get("clientStartTime") or data.get("createdAt")
        uris = bubble.get("workspaceUris")
        if not dialogue.cwd and isinstance(uris, list) and uris:
            dialogue.cwd = uri_path(uris[0])
        record = string(bubble, "bubbleId")
        key = message_key(FORMAT, record) if record else message_key(FORMAT, dialogue.session, text_hash(text))
        dialogue.typed(key, [text], line=self.number, record=record, time=time)

    def _rows(self, sql: str, key: Cell) -> Iterator[Row]:
        for (value,) in query(self.db, self.found.tally, sql, (CAP, key)):
            if value is not None:
                yield from decode(max(self.number, 1), blob(value), self.found.tally)


def _before(headers: list[Row], index: int) -> Iterator[Row]:
    """The agent's messages just before one, the nearest first."""
    for header in reversed(headers[max(index - _LOOK_BACK, 0) : index]):
        if header.get("type") != _AGENT:
            return
        yield header


def _workspace(found: Found, db: sqlite3.Connection, path: Path) -> None:
    """The conversations that older versions kept in a workspace's own database."""
    folder = uri_path(string(_small(path.with_name("workspace.json")), "folder"))
    conversations = _Conversations(found, db, path)
    for (value,) in query(db, found.tally, _ITEM, (CAP, _COMPOSERS)):
        for row in decode(1, blob(value), found.tally) if value is not None else ():
            for data in objects(row.get("allComposers")):
                if isinstance(data.get("conversation"), list):
                    conversations.one(string(data, "composerId"), {"workspaceUri": folder} | data)
    for (value,) in query(db, found.tally, _ITEM, (CAP, _CHATS)):
        for row in decode(1, blob(value), found.tally) if value is not None else ():
            for tab in objects(row.get("tabs")):
                _tab(found, tab, folder)


def _tab(found: Found, tab: Row, folder: str) -> None:
    """One tab of the chat panel that came before conversations."""
    dialogue = Dialogue(found, tool=FORMAT, session=string(tab, "tabId"), cwd=folder)
    for number, bubble in enumerate(objects(tab.get("bubbles")), start=1):
        kind = bubble.get("type")
        if kind == "user":
            text = string(bubble, "text") or rich_text(bubble.get("initText"))
            record = string(bubble, "id")
            key = message_key(FORMAT, record) if record else message_key(FORMAT, dialogue.session, text_hash(text))
            dialogue.typed(key, [text], line=number, record=record, time=tab.get("lastSendTime"))
        elif kind == "ai":
            dialogue.says(string(bubble, "rawText") or string(bubble, "text"))
        else:
            found.not_known(f"bubble of type {kind}")


def rich_text(value: object) -> str:
    """The words in an editor's state, where a message has no plain text."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return ""
    root = mapping(value, "root") if isinstance(value, dict) else {}
    return "\n".join("".join(_leaves(block, 0)) for block in objects(root.get("children"))).strip()


def _leaves(node: Row, depth: int) -> Iterator[str]:
    if node.get("type") == "linebreak":
        yield "\n"
    yield string(node, "text")
    for child in objects(node.get("children")) if depth < _LOOK_BACK else ():
        yield from _leaves(child, depth + 1)


def _small(path: Path) -> Row:
    try:
        return next(iter(decode(1, path.read_bytes(), Tally())), Row())
    except OSError:
        return {}
