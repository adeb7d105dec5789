"""Entire checkpoints: `<2 hex>/<10 hex>/<n>/full.jsonl`, each a copy of the agent's own transcript so far.

The metadata's agent name is unreliable, so the transcript is sniffed. That of Gemini CLI is one document under the name
of lines, or a bare list of messages where it was cut into parts. Copies are cumulative: `sources.find` offers the
longest of a session only. Here a copy is read as what it is, through its own format's reader; turns keep that format's
name and keys, so that a checkpoint and the original log count once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain, islice
from pathlib import Path

from ingrained.session.jsonl import Line, Row
from ingrained.session.readers.base import Found, Reader
from ingrained.session.readers.claude_code import ClaudeCode
from ingrained.session.readers.codex import Codex
from ingrained.session.readers.gemini import Gemini, is_kept, read_kept

_SNIFFED = 20
_LAYOUT = re.compile(r"(?:^|[/:])[0-9a-f]{2}/[0-9a-f]{10}/(?:\d+/)?(?:full|transcript)\.jsonl$")
_SUBAGENT = re.compile(r"(?:^|[/:])[0-9a-f]{2}/[0-9a-f]{10}/(?:\d+/)?tasks/[^/]+/agent-[^/]*\.jsonl$")
_DATED = re.compile(r"^\d{4}-\d{2}-\d{2}-(?=.)")


def is_checkpoint(path: str) -> bool:
    """Whether a path (with `/`) is a transcript in the layout of checkpoints."""
    return _LAYOUT.search(path) is not None or _SUBAGENT.search(path) is not None


def is_transcript(path: str) -> bool:
    """Whether it is a session's transcript, not a sub-agent's."""
    return _LAYOUT.search(path) is not None


def plain_session(session: str) -> str:
    """A session id without the date that older versions put before it."""
    return _DATED.sub("", session)


class Entire:
    """The reader of checkpoints."""

    name = "entire"
    version = (ClaudeCode.version * 100 + Codex.version) * 100 + Gemini.version

    def matches(self, head: bytes, path: Path) -> bool:
        """By the layout, where a known transcript format stands in it."""
        return is_checkpoint(path.as_posix()) and _format(head, path) != ""

    def read(self, lines: Iterable[Line], found: Found, state: Row) -> Row:
        """Read a transcript through the reader of its own format; one of an unknown agent is counted as such."""
        source = iter(lines)
        start = list(islice(source, _SNIFFED)) if "format" not in state else []
        name = str(state.get("format", ""))
        if not name:
            name = _format(b"\n".join(data for _, data in start), Path(found.path))
            if not name:
                found.unknown["transcript of another agent"] += 1
                return {}
        inner = state.get("state")
        known = inner if isinstance(inner, dict) else {}
        lines = chain(start, source)
        if name == Gemini.name:
            return {"format": name, "state": read_kept(lines, found, known, cwd=_repository(found.path))}
        return {"format": name, "state": _FORMATS[name]().read(lines, found, known)}


_FORMATS: dict[str, type[Reader]] = {ClaudeCode.name: ClaudeCode, Codex.name: Codex}


def _format(head: bytes, path: Path) -> str:
    """Name of the format of a transcript, "" where none is known."""
    for name, reader in _FORMATS.items():
        if reader().matches(head, path):
            return name
    return Gemini.name if is_kept(head) else ""


def _repository(path: str) -> str:
    """The folder of the repository on whose branch a transcript stands, "" for one in a folder."""
    folder, mark, _ = path.rpartition("@refs/")
    return folder if mark else ""
