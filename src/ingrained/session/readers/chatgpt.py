"""ChatGPT: the export of a person's data, as an archive or as the `conversations.json` in it, split or whole.

A conversation is a tree, since an edited prompt and a repeated answer open a branch. The decision to know: only the
path from `current_node` to the root counts, so a prompt that was edited counts as it was sent last; a path without a
root is damage. Messages have ids, which a later export repeats; they are the keys.

What cannot be known: how a prompt was worded before it was edited; what an attached file says; where the person worked
(there is no folder). Custom instructions stand in the tree as messages and are left out: nobody typed them there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from ingrained.ids import MessageKey, message_key
from ingrained.session.jsonl import Row, mapping, scrub, string
from ingrained.session.readers.base import Found, text_hash
from ingrained.session.readers.dialogue import Dialogue
from ingrained.session.readers.exports import conversations, head_of

FORMAT = "chatgpt"

_MARKS = frozenset({"mapping"})
_START = re.compile(rb"\s*(?:\[\s*)?\{\s*\"")
_MAPPING = re.compile(rb'"mapping"\s*:\s*\{')
_TEXTS = frozenset({"text", "multimodal_text"})
_QUIET = frozenset({"user_editable_context", "model_editable_context"})


class ChatGPT:
    """The reader of ChatGPT's exports."""

    name = FORMAT
    version = 2

    def matches(self, head: bytes, path: Path) -> bool:
        """By the tree of messages near the start."""
        head = head_of(head, path)
        return _START.match(head) is not None and _MAPPING.search(head) is not None and b'"parent"' in head

    def read_store(self, path: Path, found: Found) -> None:
        """Put the turns of every conversation into `found`."""
        reading = _Reading(found)
        for number, conversation in conversations(path, found.tally, _MARKS):
            reading.conversation(number, conversation)

    def beside(self, path: Path) -> Iterable[Path]:  # noqa: ARG002 - an export stands alone
        """Nothing."""
        return ()


class _Reading:
    """One pass over one export."""

    def __init__(self, found: Found) -> None:
        self.found = found
        self.number = 0
        self.seen: set[MessageKey] = set()

    def conversation(self, number: int, row: Row) -> None:
        """Read one conversation; a damaged one is a session only where a message of it can be read."""
        path = active_path(row)
        messages = [node for node in path if node.get("message") is not None]
        readable = [node for node in messages if _role(mapping(node, "message"))]
        if not path or string(path[0], "parent") or len(readable) < len(messages):
            self.found.tally.add("shape", number)
            if not readable:
                return
        session = string(row, "conversation_id") or string(row, "id")
        session = session or text_hash("\n".join(string(node, "id") for node in path))
        dialogue = Dialogue(self.found, tool=FORMAT, session=session, seen=self.seen)
        dialogue.at(row.get("create_time"))
        for node in readable:
            self.number += 1
            self._message(dialogue, string(node, "id"), mapping(node, "message"))
        dialogue.at(row.get("update_time"))

    def _message(self, dialogue: Dialogue, node: str, message: Row) -> None:
        role = _role(message)
        meta = mapping(message, "metadata")
        if meta.get("is_visually_hidden_from_conversation") is True or meta.get("is_user_system_message") is True:
            return
        if role == "user":
            self._user(dialogue, string(message, "id") or node, message)
        elif role == "assistant":
            self._assistant(dialogue, message)
        elif role not in {"system", "tool"}:
            self.found.not_known(f"message of {role}")

    def _user(self, dialogue: Dialogue, id: str, message: Row) -> None:
        content = mapping(message, "content")
        kind = string(content, "content_type")
        if kind not in _TEXTS:
            if kind not in _QUIET:
                self.found.not_known(f"content {kind}")
            return
        texts = _texts(content)
        time = message.get("create_time")
        place = (id,) if id else (dialogue.session, str(time), text_hash("\n\n".join(texts)))
        dialogue.typed(message_key(FORMAT, *place), texts, line=self.number, record=id, time=time)

    def _assistant(self, dialogue: Dialogue, message: Row) -> None:
        content = mapping(message, "content")
        recipient = string(message, "recipient")
        if recipient not in {"", "all"}:
            dialogue.calls(recipient, string(content, "text") or "\n".join(_texts(content)))
        elif string(content, "content_type") in _TEXTS:
            dialogue.says("\n".join(_texts(content)))


def _role(message: Row) -> str:
    return string(mapping(message, "author"), "role")


def active_path(conversation: Row) -> list[Row]:
    """The nodes from the root to the one that is shown last."""
    nodes = mapping(conversation, "mapping")
    current = string(conversation, "current_node")
    if not isinstance(nodes.get(current), dict):
        current = _newest_leaf(nodes)
    path: list[Row] = []
    passed: set[str] = set()
    while current not in passed and (node := mapping(nodes, current)):
        passed.add(current)
        path.append(node if "id" in node else {**node, "id": current})
        current = string(node, "parent")
    return path[::-1]


def _newest_leaf(nodes: Row) -> str:
    """The id of the last message without an answer, where the export does not name the current one."""
    leaves = [id for id in nodes if not mapping(nodes, id).get("children")]
    return max(leaves, key=lambda id: _created(mapping(nodes, id)), default="")


def _created(node: Row) -> float:
    created = mapping(node, "message").get("create_time")
    return created if isinstance(created, int | float) else 0


def _texts(content: Row) -> list[str]:
    """The text parts, and what was said where the person spoke; images and other assets are none."""
    parts = content.get("parts")
    found: list[str] = []
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, str):
            found.append(scrub(part))
        elif isinstance(part, dict) and part.get("content_type") == "audio_transcription":
            found.append(string(part, "text"))
    return found
