"""Gemini CLI: `~/.gemini/tmp/<project>/chats/session-*.json`, and since then the same messages line by line, `.jsonl`.

In the lines a message may be written again under its id, `$set` may hold a new list of messages, and `$rewindTo` takes
back a message with all after it. The decision to know: what the person took back does not count; what the client left
out of a new list, because it summed it up, was typed all the same and stays. A resumed session may stand in several
files; a message has one id in all of them, which is its key.

What cannot be known: a prompt that a script passed with `-p` is logged like a typed one; of an expanded command only
what was typed is read where the log has it (`displayContent`), else the expansion is. The folder is not in the log: it
comes from `.project_root` and `projects.json` beside it, and stays empty for a file that was moved away.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path

from ingrained.ids import MessageKey, message_key
from ingrained.session.jsonl import Line, LineReader, Row, decode, mapping, objects, scrub, string
from ingrained.session.readers.acts import RAW_LIMIT, call_input, last_sentence
from ingrained.session.readers.base import Found, is_unfinished, text_hash
from ingrained.session.readers.dialogue import Dialogue
from ingrained.session.readers.pieces import Pieces

FORMAT = "gemini"

_HEADER = re.compile(rb'\s*\{\s*"sessionId"\s*:\s*"[^"\\]*"\s*,\s*"projectHash"\s*:\s*"[^"\\]*"')
_LISTED = re.compile(rb'\s*\{\s*(?:"\w+"\s*:\s*"[^"\\]*"\s*,\s*)*"messages"\s*:\s*\[')
_PART = re.compile(rb'\s*\{\s*"messages"\s*:\s*\[\s*\{')
_TYPED = re.compile(rb'"type"\s*:\s*"(?:user|gemini|info)"')
_NAME = re.compile(r"session-\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\w+\.jsonl")
_MARKS = frozenset({"id", "type", "content"})
_FILES = "--- Content from referenced files ---"
_MACHINE = ("<session_context>", "<state_snapshot>", "System: Please continue.")
_HOOK = re.compile(r"<hook_context>.*?</hook_context>\s*", re.DOTALL)
_KNOWN = frozenset({"info", "warning", "error"})
_CANCELLED = "Request cancelled."
_KEPT = ("sessionId", "projectHash", "startTime", "kind")
_ROOT = ".project_root"
_ROOT_LIMIT = 4096
_REGISTRY_LIMIT = 4 * 1024 * 1024


@dataclass(slots=True, kw_only=True)
class _Message:
    """What is kept of one message."""

    line: int
    kind: str
    time: str
    text: str = ""
    calls: list[tuple[str, str]] = field(default_factory=list)
    declined: int = 0


class Gemini:
    """The reader of Gemini CLI sessions."""

    name = FORMAT
    version = 1

    def matches(self, head: bytes, path: Path) -> bool:
        """By the keys that open the document or the first line; before that ends by the name."""
        if head.strip(b"\0 \r\n") and _HEADER.match(head.removeprefix(b"\xef\xbb\xbf")) is not None:
            return b'"startTime"' in head
        return is_unfinished(head) and _NAME.fullmatch(path.name) is not None and path.parent.name == "chats"

    def read_store(self, path: Path, found: Found) -> None:
        """Put the turns of one file into `found`."""
        log = _Log(found)
        with path.open("rb") as stream:
            if path.suffix == ".json" or _is_document(path):
                pieces = Pieces(stream, tally=found.tally, marks=_MARKS, key="messages")
                for number, row in pieces:
                    log.message(number, row)
                log.header = pieces.header
            else:
                for number, data in LineReader(stream, tally=found.tally):
                    for row in decode(number, data, found.tally):
                        log.row(number, row)
        log.tell(path)

    def beside(self, path: Path) -> tuple[Path, ...]:
        """The file that names the folder."""
        return (path.parent.parent / _ROOT,)


def is_kept(head: bytes) -> bool:
    """Whether another program keeps a session under a name of its own: whole, or as a bare list of messages."""
    return Gemini().matches(head, Path()) or (_PART.match(head) is not None and _TYPED.search(head) is not None)


def read_kept(lines: Iterable[Line], found: Found, state: Row, *, cwd: str) -> Row:
    """Put the turns of a session that another program keeps into `found`.

    Args:
        lines: of the session's file; a document is one line.
        found: takes the turns.
        state: what the last call returned, or empty at the start.
        cwd: the folder that it worked in, where that is known.
    """
    log = _Log(found)
    log.header = dict(state)
    for number, data in lines:
        if number == 1 and _LISTED.match(data):
            pieces = Pieces(BytesIO(data), tally=found.tally, marks=_MARKS, key="messages")
            for place, row in pieces:
                log.message(place, row)
            log.header |= pieces.header
        else:
            for row in decode(number, data, found.tally):
                log.row(number, row)
    if log.messages and not string(log.header, "sessionId"):
        log.header["sessionId"] = text_hash(next(iter(log.messages)))
    if log.header:
        log.tell(Path(found.path), cwd=cwd)
    return {name: value for name in _KEPT if (value := string(log.header, name))}


def _is_document(path: Path) -> bool:
    """Whether a file is one document, however it is called: its first line is no whole object."""
    with path.open("rb") as file:
        return file.readline(3).strip() == b"{"


class _Log:
    """The messages that stand at the end of a file."""

    def __init__(self, found: Found) -> None:
        self.found = found
        self.header: Row = {}
        self.messages: dict[str, _Message] = {}

    def row(self, number: int, row: Row) -> None:
        """Take in one line."""
        target, update = row.get("$rewindTo"), row.get("$set")
        if isinstance(target, str):
            self._rewind(target)
        elif isinstance(update, dict):
            self.header |= {name: value for name, value in update.items() if name != "messages"}
            self._replace(number, objects(update.get("messages")))
        elif isinstance(row.get("id"), str):
            self.message(number, row)
        elif "sessionId" in row:
            self.header |= row
            self._replace(number, objects(row.get("messages")))
        elif not any(name.startswith("$") for name in row):
            self.found.tally.add("shape", number)
        else:
            self.found.not_known(next(iter(row)))

    def message(self, number: int, row: Row) -> None:
        """A message, or one that is written again."""
        id = string(row, "id") or f"L{number}"
        known = self.messages.get(id)
        self.messages[id] = self._slim(known.line if known else number, row)

    def _rewind(self, target: str) -> None:
        ids = list(self.messages)
        if target in self.messages:
            for id in ids[ids.index(target) :]:
                del self.messages[id]

    def _replace(self, number: int, rows: list[Row]) -> None:
        """A new list: words that are known already stay as they were typed, and those that it leaves out stay too."""
        if not rows:
            return
        listed: dict[str, _Message] = {}
        for index, row in enumerate(rows):
            id = string(row, "id") or f"L{number}.{index}"
            known = self.messages.get(id)
            listed[id] = known if known and known.kind == "user" else self._slim(number, row)
        self.messages = {id: known for id, known in self.messages.items() if id not in listed} | listed

    def _slim(self, number: int, row: Row) -> _Message:
        kind, time = string(row, "type"), string(row, "timestamp")
        if kind == "user":
            return _Message(line=number, kind=kind, time=time, text=_typed(row))
        message = _Message(line=number, kind=kind, time=time)
        text = "".join(_texts(row.get("content")))
        message.text = last_sentence(text) if kind == "gemini" else text[:RAW_LIMIT]
        if kind == "gemini":
            for call in objects(row.get("toolCalls")):
                message.calls.append((string(call, "name"), call_input(string(call, "name"), call.get("args"))))
                message.declined += call.get("status") == "cancelled"
        return message

    def tell(self, path: Path, *, cwd: str = "") -> None:
        """Make turns of what the person typed."""
        session = string(self.header, "sessionId") or path.stem
        dialogue = Dialogue(
            self.found,
            tool=FORMAT,
            session=session,
            cwd=cwd or _folder(path, string(self.header, "projectHash")),
            sidechain=self.header.get("kind") == "subagent",
        )
        dialogue.at(self.header.get("startTime"))
        for id, message in self.messages.items():
            if message.kind == "user":
                key = self._key(session, id, message)
                dialogue.typed(key, [message.text], line=message.line, record=id, time=message.time)
            elif message.kind == "gemini":
                dialogue.at(message.time)
                self.found.refusals += message.declined
                if message.text:
                    dialogue.says(message.text)
                for tool, arguments in message.calls[-1:]:
                    dialogue.calls(tool, arguments)
            elif message.kind not in _KNOWN:
                self.found.not_known(message.kind or "message without a type")
            elif message.text.startswith(_CANCELLED):
                dialogue.after_interrupt = True

    def _key(self, session: str, id: str, message: _Message) -> MessageKey:
        if id.startswith("L"):
            return message_key(FORMAT, session, message.time, text_hash(message.text))
        return message_key(FORMAT, id)


def _texts(content: object) -> Iterator[str]:
    """The text parts of a content, whichever of its shapes it has; a function's response is none."""
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            yield scrub(part)
        elif isinstance(part, dict) and part.get("thought") is not True:
            yield string(part, "text")


def _typed(row: Row) -> str:
    """The person's own words in a user's message."""
    shown = "".join(_texts(row.get("displayContent")))
    text = shown or "".join(_texts(row.get("content")))
    if text.lstrip().startswith(_MACHINE):
        return ""
    return _HOOK.sub("", text.partition(_FILES)[0]).strip()


def _folder(path: Path, project: str) -> str:
    """The folder that the session worked in, by the files that the client keeps beside its logs."""
    chats = next((parent for parent in path.parents if parent.name == "chats"), None)
    if chats is None:
        return ""
    named = _small(chats.parent / _ROOT, _ROOT_LIMIT).strip()
    if named:
        return named
    try:
        registry = json.loads(_small(chats.parent.parent.parent / "projects.json", _REGISTRY_LIMIT) or "{}")
    except (ValueError, RecursionError):
        return ""
    wanted = {chats.parent.name, project}
    for folder, slug in mapping(registry, "projects").items() if isinstance(registry, dict) else ():
        if slug in wanted or hashlib.sha256(folder.encode("utf-8", "surrogatepass")).hexdigest() in wanted:
            return scrub(folder)
    return ""


def _small(path: Path, limit: int) -> str:
    try:
        with path.open("rb") as file:
            return file.read(limit).decode("utf-8", "replace")
    except OSError:
        return ""
