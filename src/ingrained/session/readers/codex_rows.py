"""One row of a Codex log: whether it is bulk, and what a message or a call in it holds."""

from __future__ import annotations

import re

from ingrained.session.jsonl import Row, looks_whole, mapping, objects, string

OLDEST = re.compile(rb'\A\s*\{\s*"session"\s*:')
"""How the one JSON document of the oldest versions begins."""

CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call"})
OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output", "local_shell_call_output"})
ITEMS = frozenset({"message", "reasoning", "web_search_call", "ghost_snapshot", "compaction"}) | CALLS | OUTPUTS
ENVELOPES = frozenset({"session_meta", "turn_context", "response_item", "event_msg", "compacted"})

HEAD = 512
"""Bytes at the start of a row in which its type, its payload's and perhaps an item's are named."""

_EVENTS = frozenset({"user_message", "agent_message", "turn_aborted", "item_completed"})
_DECLINED = ("exec command rejected by user", "patch rejected by user", "rejected by user")
_NAMED = re.compile(rb'"type"\s*:\s*"(\w+)"')
_DEVELOPER = re.compile(rb'"role"\s*:\s*"developer"')
_SMALL = 4096


def kinds_of(data: bytes) -> set[str]:
    """The type names near the start of a row."""
    return set() if OLDEST.match(data) else {name.decode() for name in _NAMED.findall(data, 0, HEAD)}


def is_bulk(kinds: set[str], data: bytes) -> bool:
    """Whether a row holds no words of a person and no act, by the names at its start."""
    if not looks_whole(data):
        return False
    if "compacted" in kinds:
        return True
    if not kinds.isdisjoint(OUTPUTS):
        return len(data) > _SMALL or b"rejected by user" not in data
    if "item_completed" in kinds:
        items = kinds - {"event_msg", "item_completed"}
        declined = len(data) <= _SMALL and b"eclined" in data
        return bool(items) and items.isdisjoint({"UserMessage", "AgentMessage"}) and not declined
    if "event_msg" in kinds:
        return len(kinds) > 1 and kinds.isdisjoint(_EVENTS)
    if "message" in kinds:
        return _DEVELOPER.search(data, 0, HEAD) is not None
    return "reasoning" in kinds or "ghost_snapshot" in kinds


def texts_of(item: Row) -> list[str]:
    """The text blocks of a message or item."""
    content = item.get("content")
    return [content] if isinstance(content, str) else [string(block, "text") for block in objects(content)]


def called(item: Row) -> tuple[str, object]:
    """Name and arguments of a call, whichever of the three shapes it has."""
    if item.get("type") == "local_shell_call":
        return "shell", {"command": mapping(item, "action").get("command")}
    return string(item, "name"), item.get("arguments", item.get("input"))


def is_declined(output: Row) -> bool:
    """Whether a call's output says that the person did not allow it."""
    inner = output.get("output")
    text = string(inner, "content") if isinstance(inner, dict) else inner
    return isinstance(text, str) and text.startswith(_DECLINED)
