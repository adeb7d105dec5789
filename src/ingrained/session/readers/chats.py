"""Conversations without an agent's log: OpenAI messages, ShareGPT, LMSYS-Chat and WildChat, as JSON or line by line.

`messages` and `conversation` hold `{role, content}`, `conversations` holds `{from, value}`. Such files have no ids that
last, so a message is known by what stands before it and by the reply to it: a file that was copied, a conversation
that stands in two dumps, and one that went on since count once. A folder that is searched gives no such file, since
data sets of other people lie about in projects; it has to be named.

What cannot be known: who typed (a dump may hold many people, and whoever names it takes their words for one person's),
often when, whether the first message is a template, and whether a program wrote the user's part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ingrained.ids import MessageKey, content_hash, message_key
from ingrained.session.jsonl import LineReader, Row, Tally, decode, mapping, objects, scrub, string
from ingrained.session.readers.base import Found, text_hash
from ingrained.session.readers.dialogue import Dialogue
from ingrained.session.readers.pieces import Pieces

FORMAT = "chats"

_START = re.compile(rb'"(?:messages|conversation)"\s*:\s*\[\s*\{\s*"(?:role|content|name|timestamp)"\s*:')
_ROLE = re.compile(rb'"role"\s*:\s*"')
_SHARED = re.compile(rb'"conversations"\s*:\s*\[\s*\{\s*"(?:from|value|markdown|text)"\s*:')
_LIST = re.compile(rb'"(messages|conversations?)"\s*:\s*\[')
_LISTS = ("messages", "conversation", "conversations")
_PERSON = frozenset({"user", "human"})
_AGENT = frozenset({"assistant", "gpt", "chatgpt", "model", "bing", "bard", "claude", "function_call"})
_OTHERS = frozenset({"system", "developer", "tool", "function", "observation", "ipython"})
_IDS = ("conversation_id", "conversation_hash", "session_id", "id")
_TIMES = ("timestamp", "created_at", "create_time", "created", "date")
_PART = re.compile(r"_\d+\Z")
_TAG = re.compile(r"<[^<>]+>")


class Chats:
    """The reader of conversations."""

    name = FORMAT
    version = 1

    def matches(self, head: bytes, _path: Path) -> bool:
        """By the keys of the first message in the list."""
        start = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
        if start not in {b"{", b"["}:
            return False
        return (_START.search(head) is not None and _ROLE.search(head) is not None) or _SHARED.search(head) is not None

    def read_store(self, path: Path, found: Found) -> None:
        """Put the turns of one file into `found`."""
        seen: set[MessageKey] = set()
        for number, row in _rows(path, found.tally):
            name = next((name for name in _LISTS if isinstance(row.get(name), list)), "")
            if name:
                _conversation(number, row, objects(row[name]), found, seen)
            else:
                found.tally.add("shape", number)

    def beside(self, _path: Path) -> tuple[Path, ...]:
        """No other file holds a part of it."""
        return ()


def _rows(path: Path, tally: Tally) -> Iterator[tuple[int, Row]]:
    """The conversations of a file, with their lines or their numbers."""
    with path.open("rb") as stream:
        start = stream.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()
        stream.seek(0)
        if start[:1] == b"[" or path.suffix == ".json":
            marks = frozenset(name.decode() for name in _LIST.findall(start)[:1])
            yield from Pieces(stream, tally=tally, marks=marks)
            return
        for number, data in LineReader(stream, tally=tally):
            for row in decode(number, data, tally):
                yield number, row


def _conversation(number: int, row: Row, messages: list[Row], found: Found, seen: set[MessageKey]) -> None:
    """One conversation."""
    said = [(_role(message), _texts(message), message) for message in messages]
    keys = _keys([(role, "\n".join(texts)) for role, texts, _ in said])
    id = next((name for key in _IDS if (name := string(row, key))), "")
    first = next((key for key, (role, _, _) in zip(keys, said, strict=True) if role in _PERSON), "")
    session = _PART.sub("", id) or text_hash(first)
    dialogue = Dialogue(found, tool=FORMAT, session=session, seen=seen)
    begun = _time(row)
    dialogue.at(begun)
    for nth, ((role, texts, message), key) in enumerate(zip(said, keys, strict=True), start=1):
        if role in _PERSON:
            time = _time(message) or begun
            dialogue.typed(key, texts, line=nth, record=f"{number}.{nth}", time=time)
        elif role in _AGENT:
            _reply(texts, message, dialogue)
        elif role not in _OTHERS:
            found.unknown[f"role {role}"[:40]] += 1


def _reply(texts: list[str], message: Row, dialogue: Dialogue) -> None:
    for text in texts:
        dialogue.says(_TAG.sub(" ", text) if text.lstrip().startswith("<div") else text)
    for call in objects(message.get("tool_calls")):
        function = mapping(call, "function")
        dialogue.calls(string(function, "name"), function.get("arguments"))


def _role(message: Row) -> str:
    return (string(message, "role") or string(message, "from")).lower()


def _texts(message: Row) -> list[str]:
    """The text blocks of a message; what a tool gave back and pictures are none."""
    content = message.get("content", message.get("value"))
    if isinstance(content, str):
        return [scrub(content)]
    kinds = {"text", "input_text", "output_text", None}
    return [string(part, "text") for part in objects(content) if part.get("type") in kinds]


def _keys(messages: list[tuple[str, str]]) -> list[MessageKey]:
    """The key of every message: all that stands before it, itself, and the reply to it."""
    chain: list[str] = []
    last = ""
    for role, text in messages:
        last = content_hash([last, "user" if role in _PERSON else "other", text_hash(text)], size=12)
        chain.append(last)
    keys: list[MessageKey] = []
    for at in range(len(messages)):
        is_answered = at + 1 < len(messages) and messages[at + 1][0] not in _PERSON
        keys.append(message_key(FORMAT, chain[at + is_answered]))
    return keys


def _time(row: Row) -> object:
    """When it was, as logged; `None` where it does not say."""
    return next((value for key in _TIMES if isinstance(value := row.get(key), (str, int, float)) and value), None)
