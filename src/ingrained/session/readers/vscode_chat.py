"""Chat of VS Code (GitHub Copilot): `chatSessions/<id>.json`, since then a log of changes to that object, `.jsonl`.

A log's first line holds the whole object; the others set a value at a path (kind 1), cut a list and add to it (2), or
delete (3), and are replayed. The decision to know: a prompt that was edited and sent again cuts the list, so the words
before the edit do not count. Requests that the program made itself, or that are a click on a button, say so in a field.

What cannot be known: whether a prompt came from a prompt file (`/name` is logged, not its text), and what a person
changed by hand in an edit. The folder comes from `workspace.json` beside it, and is empty for a file that was moved.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ingrained.ids import message_key
from ingrained.session.jsonl import LineReader, Row, decode, mapping, objects, scrub, string
from ingrained.session.provenance import slash_command
from ingrained.session.readers.base import Found, text_hash
from ingrained.session.readers.dialogue import Dialogue
from ingrained.session.readers.pieces import Pieces

FORMAT = "vscode-chat"

_LOG = re.compile(rb'\s*\{\s*"kind"\s*:\s*0\s*,\s*"v"\s*:\s*\{')
_FIELDS = re.compile(
    rb'"(?:responderUsername|requesterUsername|initialLocation|responderAvatarIconUri|creationDate)"\s*:'
)
_REQUESTS = re.compile(rb'"requests"\s*:\s*\[')
_AGENT = re.compile(r"@[\w.-]+\s+")
_FOLDER_LIMIT = 65536
_CANCELLED = 2
_DENIED = 0
_MOST_AT = 100_000
"""Longest list that a log may ask for."""


class VSCodeChat:
    """The reader of VS Code's chat sessions."""

    name = FORMAT
    version = 1

    def matches(self, head: bytes, path: Path) -> bool:
        """By the fields of a session, in an object that is whole or the first line of a log."""
        head = head.removeprefix(b"\xef\xbb\xbf")
        if _LOG.match(head):
            return _FIELDS.search(head) is not None or b'"sessionId"' in head
        is_object = path.suffix == ".json" and head.lstrip()[:1] == b"{"
        return is_object and _FIELDS.search(head) is not None and _REQUESTS.search(head) is not None

    def read_store(self, path: Path, found: Found) -> None:
        """Put the turns of one session into `found`."""
        with path.open("rb") as stream:
            is_log = _LOG.match(stream.read(256).removeprefix(b"\xef\xbb\xbf")) is not None
            stream.seek(0)
            if is_log:
                state = _replayed(LineReader(stream, tally=found.tally), found)
                requests = list(enumerate(objects(state.get("requests")), start=1))
            else:
                pieces = Pieces(stream, tally=found.tally, marks=frozenset({"message"}), key="requests")
                requests = list(pieces)
                state = pieces.header
        folder = _path_of(string(state, "workingDirectory")) or _folder(path)
        session = string(state, "sessionId") or path.stem
        dialogue = Dialogue(found, tool=FORMAT, session=session, cwd=folder)
        dialogue.at(state.get("creationDate"))
        for number, request in requests:
            _request(number, request, dialogue)

    def beside(self, path: Path) -> tuple[Path, ...]:
        """The file that names the folder."""
        return (path.parent.parent / "workspace.json",)


def _request(number: int, request: Row, dialogue: Dialogue) -> None:
    """A prompt and what was done about it."""
    message = request.get("message")
    text = scrub(message) if isinstance(message, str) else string(mapping(request, "message"), "text")
    if request.get("isSystemInitiated") is not True and not request.get("confirmation"):
        id = string(request, "requestId")
        bare = _AGENT.sub("", text, count=1) if _AGENT.match(text) else text
        command = slash_command(bare)
        words = bare if command is None else command.text
        key = message_key(FORMAT, dialogue.session, id or text_hash(text), 0 if id else number)
        form = "typed" if command is None else "command"
        dialogue.typed(key, [words], line=number, record=id, time=request.get("timestamp"), form=form)
    for part in objects(request.get("response")):
        _part(part, dialogue)
    state = request.get("modelState")
    is_cancelled = mapping(request, "modelState").get("value") == _CANCELLED or state == _CANCELLED
    if request.get("isCanceled") is True or is_cancelled:
        dialogue.after_interrupt = True


def _part(part: Row, dialogue: Dialogue) -> None:
    """One part of a response."""
    kind = part.get("kind")
    if kind is None or kind in {"markdownContent", "markdownVuln"}:
        if text := _text_of(part.get("value")) or _text_of(part.get("content")):
            dialogue.says(text)
    elif kind in {"toolInvocationSerialized", "toolInvocation"}:
        dialogue.calls(string(part, "toolId") or string(part, "toolCallId"), {"command": _command(part)})
        confirmed = part.get("isConfirmed")
        if confirmed is False or (isinstance(confirmed, dict) and confirmed.get("type") == _DENIED):
            dialogue.found.refusals += 1
    elif kind in {"textEditGroup", "notebookEditGroup"}:
        dialogue.calls("edit", {"path": string(mapping(part, "uri"), "path")})


def _command(part: Row) -> str:
    """What a tool was called with: the shell line, else what the program says about it."""
    line = mapping(mapping(part, "toolSpecificData"), "commandLine")
    said = _text_of(part.get("pastTenseMessage")) or _text_of(part.get("invocationMessage"))
    return string(line, "original") or string(mapping(part, "toolSpecificData"), "command") or said


def _text_of(value: object) -> str:
    """A text that stands bare or in an object."""
    if isinstance(value, str):
        return scrub(value)
    return string(value, "value") if isinstance(value, dict) else ""


def _replayed(lines: LineReader, found: Found) -> Row:
    """The object after all its changes; a change that does not fit is counted and left out."""
    state: Row = {}
    for number, data in lines:
        for row in decode(number, data, found.tally):
            value, path = row.get("v"), row.get("k")
            if row.get("kind") == 0 and isinstance(value, dict):
                state = value
            elif row.get("kind") not in {1, 2, 3}:
                found.unknown[f"kind {row.get('kind')}"] += 1
            elif not isinstance(path, list) or not _change(state, path, row):
                found.tally.add("shape", number)
    return state


def _change(state: Row, path: list[object], row: Row) -> bool:
    """Make one change in place; whether its path exists."""
    holder: object = state
    for step in path[:-1]:
        holder = _at(holder, step)
    last = path[-1] if path else None
    if row.get("kind") == 2:
        return _push(holder, last, row)
    if isinstance(holder, dict) and isinstance(last, str):
        if row.get("kind") == 3:
            holder.pop(last, None)
        else:
            holder[last] = row.get("v")
        return True
    if isinstance(holder, list) and isinstance(last, int) and 0 <= last < _MOST_AT and row.get("kind") == 1:
        holder.extend([None] * (last + 1 - len(holder)))
        holder[last] = row.get("v")
        return True
    return False


def _push(holder: object, last: object, row: Row) -> bool:
    """Cut the list at a path and add to it; a list that is not there yet begins."""
    items = _at(holder, last)
    if items is None and isinstance(holder, dict) and isinstance(last, str):
        items = holder.setdefault(last, list[object]())
    if not isinstance(items, list):
        return False
    start, added = row.get("i"), row.get("v")
    if isinstance(start, int):
        del items[max(0, start) :]
    items.extend(added if isinstance(added, list) else [])
    return True


def _at(holder: object, step: object) -> object:
    if isinstance(holder, dict) and isinstance(step, str):
        return holder.get(step)
    if isinstance(holder, list) and isinstance(step, int) and 0 <= step < len(holder):
        return holder[step]
    return None


def _folder(path: Path) -> str:
    """The folder that the editor's storage belongs to, "" where nothing says so."""
    try:
        with (path.parent.parent / "workspace.json").open("rb") as file:
            row = json.loads(file.read(_FOLDER_LIMIT))
    except (OSError, ValueError):
        return ""
    if not isinstance(row, dict):
        return ""
    workspace = _path_of(string(row, "workspace"))
    return _path_of(string(row, "folder")) or workspace.rpartition("/")[0]


def _path_of(uri: str) -> str:
    """The path in a `file:` address; also of a remote one, since it names the project all the same."""
    if "://" not in uri:
        return uri if uri.startswith("/") else ""
    path = unquote(urlsplit(uri).path)
    return path[1:] if re.match(r"/[A-Za-z]:", path) else path
