"""Claude.ai: the export of a person's data, as an archive or as the `conversations.json` in it.

A person's words are the text blocks of a message whose `sender` is `human`. The decision to know: long pastes and files
come as attachments, whose text was not typed, and are left out. Newer exports name each message's parent and, at times,
the last message that is shown: then only its path counts; else all do, also a prompt that was edited afterwards.

What cannot be known: what an attached file says; where the person worked. The instructions of projects
(`projects.json`) and the memory are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from ingrained.ids import MessageKey, message_key
from ingrained.session.jsonl import Row, objects, string
from ingrained.session.readers.base import Found, text_hash
from ingrained.session.readers.dialogue import Dialogue
from ingrained.session.readers.exports import conversations, head_of

FORMAT = "claude-ai"

_MARKS = frozenset({"chat_messages"})
_START = re.compile(rb"\s*(?:\[\s*)?\{\s*\"uuid\"\s*:")
_MESSAGES = re.compile(rb'"chat_messages"\s*:\s*\[')
_QUIET = frozenset({"thinking", "tool_result", "token_budget", "flag", "voice_note"})


class ClaudeAI:
    """The reader of Claude.ai's exports."""

    name = FORMAT
    version = 2

    def matches(self, head: bytes, path: Path) -> bool:
        """By the list of messages near the start."""
        head = head_of(head, path)
        return _START.match(head) is not None and _MESSAGES.search(head) is not None

    def read_store(self, path: Path, found: Found) -> None:
        """Put the turns of every conversation into `found`."""
        number = 0
        seen: set[MessageKey] = set()
        for place, conversation in conversations(path, found.tally, _MARKS):
            if not _is_whole(conversation):
                found.tally.add("shape", place)
                if not objects(conversation.get("chat_messages")):
                    continue
            dialogue = Dialogue(found, tool=FORMAT, session=string(conversation, "uuid"), seen=seen)
            dialogue.at(conversation.get("created_at"))
            for message in _shown(conversation):
                number += 1
                _message(dialogue, number, message)
            dialogue.at(conversation.get("updated_at"))

    def beside(self, path: Path) -> Iterable[Path]:  # noqa: ARG002 - an export stands alone
        """Nothing."""
        return ()


def _message(dialogue: Dialogue, number: int, message: Row) -> None:
    sender = string(message, "sender")
    if sender == "human":
        texts = _texts(message)
        id, time = string(message, "uuid"), message.get("created_at")
        place = (id,) if id else (dialogue.session, str(time), text_hash("\n\n".join(texts)))
        dialogue.typed(message_key(FORMAT, *place), texts, line=number, record=id, time=time)
    elif sender == "assistant":
        dialogue.says("\n".join(_texts(message)))
        for block in objects(message.get("content")):
            kind = string(block, "type")
            if kind == "tool_use":
                dialogue.calls(string(block, "name"), block.get("input"))
            elif kind not in _QUIET | {"text"}:
                dialogue.found.not_known(f"block {kind}")
    else:
        dialogue.found.not_known(f"message of {sender or 'nobody'}")


def _texts(message: Row) -> list[str]:
    """The text blocks; older exports have one text beside them, which may be all that there is."""
    texts = [string(block, "text") for block in objects(message.get("content")) if block.get("type") == "text"]
    return texts if any(texts) else [string(message, "text")]


def _is_whole(conversation: Row) -> bool:
    """Whether the messages are a list of objects; a conversation without any is whole."""
    messages = conversation.get("chat_messages")
    return isinstance(messages, list) and all(isinstance(message, dict) for message in messages)


def _shown(conversation: Row) -> list[Row]:
    """The messages that are shown, where the export says which; else all in their order."""
    messages = objects(conversation.get("chat_messages"))
    by_id = {id: message for message in messages if (id := string(message, "uuid"))}
    current = string(conversation, "current_leaf_message_uuid")
    if current not in by_id:
        return messages
    path: list[Row] = []
    while current in by_id:
        path.append(by_id.pop(current))
        current = string(path[-1], "parent_message_uuid")
    return path[::-1]
