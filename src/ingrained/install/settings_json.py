"""A hook of ours in a settings file in JSON: put in and taken out as text, so that every other byte stays.

The file is parsed to know what it says and is never written from what was parsed. A member goes behind the last one of
its container, and comes out from the end of its predecessor to its own end; so taking out what was just put in gives
the same bytes. What Claude Code reads: `{"hooks": {EVENT: [{"hooks": [{"type": "command", "command": …}]}]}}`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

from ingrained.errors import RefusedError

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]', re.DOTALL)
_SCALAR = re.compile(r"[^\s,\]}]+")
_BOM = "\ufeff"

Ours = Callable[[str], bool]
"""Whether a command is our hook."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A member of an object or an element of an array, by offsets."""

    key: str
    """Empty in an array."""
    start: int
    """Of the key, or of the value in an array."""
    value: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """An object or array in the text."""

    start: int
    """Of the opening bracket."""
    end: int
    """Behind the closing bracket."""
    items: tuple[Item, ...]

    def item(self, key: str) -> Item | None:
        """The member called so; the last, which counts where there are several."""
        return next((item for item in reversed(self.items) if item.key == key), None)


def put_in(data: bytes, event: str, command: str, ours: Ours, *, where: str) -> bytes:
    """The settings with our hook for an event; as they are where it stands there already.

    A hook of ours with another command (an older place of the program) gets the new one in place.

    Args:
        data: the file.
        event: name of the event.
        command: what is to be run.
        ours: tells our commands.
        where: the file's name, for errors.

    Raises:
        RefusedError: the file does not parse, or holds something else where hooks belong.
    """
    text, mark = _text(data)
    _settings(text, where)
    at = next(iter(_commands(text, ours)), None)
    if at is not None:
        end = _value_end(text, at)
        same = json.loads(text[at:end]) == command
        return data if same else _bytes(text[:at] + json.dumps(command, ensure_ascii=False) + text[end:], mark)
    entry = {"hooks": [{"type": "command", "command": command, "timeout": 5}]}
    root = _container(text, _blank(text, 0))
    hooks = root.item("hooks")
    if hooks is None:
        return _bytes(_added(text, root, "hooks", {event: [entry]}), mark)
    events = _container(text, hooks.value)
    found = events.item(event)
    if found is None:
        return _bytes(_added(text, events, event, [entry]), mark)
    return _bytes(_added(text, _container(text, found.value), "", entry), mark)


def taken_out(data: bytes, before: bytes | None, ours: Ours, *, where: str) -> bytes | None:
    """The settings without our hook, and without what was made for it and is empty now; `None`: nothing is left.

    Args:
        data: the file.
        before: the file as it was before our hook came; `None`: there was none.
        ours: tells our commands.
        where: the file's name, for errors.

    Raises:
        RefusedError: the file does not parse.
    """
    text, mark = _text(data)
    _settings(text, where)
    was = _settings(_text(before)[0], where) if before is not None and before.strip(b"\xef\xbb\xbf \t\r\n") else {}
    while path := next(iter(_paths(text, ours)), None):
        text = _without(text, path, was)
    left = _bytes(text, mark)
    return None if before is None and not json.loads(text) else left


def holds(data: bytes, ours: Ours) -> bool:
    """Whether our hook stands in the settings; false where they do not parse."""
    try:
        text = _text(data)[0]
        _settings(text, "")
        return bool(_commands(text, ours))
    except RefusedError:
        return False


def _without(text: str, path: list[tuple[Container, Item]], was: dict[str, object]) -> str:
    """Takes out the innermost item of the path, or an outer one that it leaves empty and that we made."""
    (_, top), (_, event), (members, _), (inner, _) = path[0], path[1], path[3], path[4]
    hooks = was.get("hooks")
    known = {"hooks"} if isinstance(hooks, dict) else set()
    known |= {f"hooks.{name}" for name in hooks} if isinstance(hooks, dict) else set()
    drop = 4 if len(inner.items) > 1 or len(members.items) > 1 else 2
    if drop == 2 and len(path[2][0].items) == 1 and f"hooks.{event.key}" not in known:
        drop = 1
        if len(path[1][0].items) == 1 and top.key not in known:
            drop = 0
    container, item = path[drop]
    place = container.items.index(item)
    if place:
        return text[: container.items[place - 1].end] + text[item.end :]
    if len(container.items) > 1:
        return text[: item.start] + text[container.items[1].start :]
    return text[: container.start + 1] + text[item.end :]


def _commands(text: str, ours: Ours) -> list[int]:
    """Offsets of the values of our commands."""
    return [path[-1][1].value for path in _paths(text, ours)]


def _paths(text: str, ours: Ours) -> list[list[tuple[Container, Item]]]:
    """The ways to our commands: hooks, event, group, `hooks`, entry, `command`; each with its container."""
    found: list[list[tuple[Container, Item]]] = []
    root = _container(text, _blank(text, 0))
    top = root.item("hooks")
    if top is None:
        return found
    events = _container(text, top.value)
    for event in events.items:
        groups = _maybe(text, event.value, "[")
        for group in groups.items if groups else ():
            members = _maybe(text, group.value, "{")
            inner = members.item("hooks") if members else None
            entries = _maybe(text, inner.value, "[") if inner else None
            if groups is None or members is None or inner is None or entries is None:
                continue
            for entry in entries.items:
                fields = _maybe(text, entry.value, "{")
                command = fields.item("command") if fields else None
                if fields and command and text[command.value] == '"' and ours(_string(text, command)):
                    way = [(root, top), (events, event), (groups, group), (members, inner), (entries, entry)]
                    found.append([*way, (fields, command)])
    return found


def _string(text: str, item: Item) -> str:
    return str(json.loads(text[item.value : item.end]))


def _maybe(text: str, at: int, opening: str) -> Container | None:
    return _container(text, at) if text[at] == opening else None


def _added(text: str, container: Container, key: str, value: object) -> str:
    """The text with a new last item in a container, laid out as its neighbours are."""
    inside = text[container.start + 1 : container.end - 1]
    last = container.items[-1] if container.items else None
    gap = text[container.start + 1 : container.items[0].start] if container.items else inside
    at = last.end if last else container.start + 1
    joint = "," if last else ""
    line_end = "\r\n" if "\r\n" in gap else "\n"
    head = f"{json.dumps(key)}: " if key else ""
    if "\n" not in gap:
        space = " " if last else ""
        return text[:at] + joint + space + head + json.dumps(value, ensure_ascii=False) + text[at:]
    pad = gap.rpartition("\n")[2] if last else _outer(text, container) + _unit(text)
    body = json.dumps(value, indent=_unit(text), ensure_ascii=False).replace("\n", line_end + pad)
    return text[:at] + joint + line_end + pad + head + body + text[at:]


def _outer(text: str, container: Container) -> str:
    """The blanks before the line that closes a container."""
    return text[: container.end - 1].rpartition("\n")[2]


def _unit(text: str) -> str:
    """One step of indentation: what stands before the first member, else two blanks."""
    found = re.match(r"\s*\{[ \t]*\r?\n([ \t]+)\"", text)
    return found[1] if found else "  "


def _container(text: str, at: int) -> Container:
    """The object or array that opens at an offset of a valid document."""
    items: list[Item] = []
    place = _blank(text, at + 1)
    while text[place] not in "}]":
        start = place
        key = ""
        if text[at] == "{":
            end = _value_end(text, place)
            key = str(json.loads(text[place:end]))
            place = _blank(text, _blank(text, end) + 1)
        end = _value_end(text, place)
        items.append(Item(key=key, start=start, value=place, end=end))
        place = _blank(text, end)
        if text[place] == ",":
            place = _blank(text, place + 1)
    return Container(start=at, end=place + 1, items=tuple(items))


def _value_end(text: str, at: int) -> int:
    """Where the value that begins at an offset of a valid document ends."""
    if text[at] not in '"{[':
        found = _SCALAR.match(text, at)
        return found.end() if found else at
    depth = 0
    for token in _TOKEN.finditer(text, at):
        depth += (token[0] in "{[") - (token[0] in "}]")
        if depth == 0:
            return token.end()
    raise AssertionError("the document was parsed before")


def _blank(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at


def _text(data: bytes) -> tuple[str, str]:
    """The text and its byte order mark; bytes that are no UTF-8 are refused by `_settings`."""
    text = data.decode("utf-8", "surrogateescape")
    return text.removeprefix(_BOM), _BOM if text.startswith(_BOM) else ""


def _bytes(text: str, mark: str) -> bytes:
    return (mark + text).encode("utf-8", "surrogateescape")


def _settings(text: str, where: str) -> dict[str, object]:
    """What the settings say.

    Raises:
        RefusedError: they do not parse, or hold something else where hooks belong.
    """
    try:
        text.encode()
        found = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise RefusedError(f"{where}{_place(error, text)}; nothing was changed", hint=_MEND) from error
    if not isinstance(found, dict):
        raise RefusedError(f"{where} holds no object but {_kind(found)}; nothing was changed", hint=_MEND)
    hooks = found.get("hooks", {})
    if not isinstance(hooks, dict):
        raise RefusedError(f'{where}: "hooks" is no object but {_kind(hooks)}; nothing was changed', hint=_MEND)
    for event, groups in hooks.items():
        if not isinstance(groups, list):
            raise RefusedError(f'{where}: "hooks.{event}" is no list; nothing was changed', hint=_MEND)
    return found


_MEND = "mend the file (the agent may ignore it as a whole), then run the same command again"


def _place(error: Exception, text: str) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f":{error.lineno}:{error.colno} does not parse: {error.msg}"
    if isinstance(error, UnicodeEncodeError):
        return f":{text.count(chr(10), 0, error.start) + 1} is no UTF-8"
    return f" does not parse: {error or 'nested too deeply'}"


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _kind(value: object) -> str:
    return {"str": "a text", "list": "a list", "NoneType": "null", "bool": "true or false"}.get(
        type(value).__name__, "a number"
    )
