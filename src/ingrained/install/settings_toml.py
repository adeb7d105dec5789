"""The notify program of Codex in its config.toml: one line at the top, put in and taken out as text.

Codex runs one such program, so one of somebody else's is never replaced. A key of the root has to stand before the
first table, and the top of the file is the one place that is surely so.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence

from ingrained.errors import RefusedError

_BOM = b"\xef\xbb\xbf"
_MEND = "mend the file (Codex does not start with it), then run the same command again"


def put_in(data: bytes, argv: Sequence[str], ours: str, *, where: str) -> bytes:
    """The config with our program as `notify`; as it is where it, or a command that calls ours, stands there already.

    Args:
        data: the file.
        argv: the program and its arguments.
        ours: the path by which a command of ours is known.
        where: the file's name, for errors.

    Raises:
        RefusedError: the file does not parse, or another program is set.
    """
    found = _settings(data, where)
    program = found.get("notify")
    line = f"notify = [{', '.join(json.dumps(word, ensure_ascii=False) for word in argv)}]"
    if program is not None:
        words = program if isinstance(program, list) else [program]
        at = _own_line(data, ours)
        if at is not None and words != list(argv):
            lines = _lines(data)
            lines[at] = line.encode() + _end(lines[at])
            return _mark(data) + b"".join(lines)
        if any(ours in str(word) for word in words):
            return data
        raise RefusedError(
            f"{where} has notify = {program!r} already and Codex runs one such program; nothing was changed",
            hint=f"call ours from that program: {' '.join(map(json.dumps, argv))} and the JSON that it gets",
        )
    lines = _lines(data)
    end = _end(lines[0]) if lines else b"\n"
    after = _mark(data) + line.encode() + (end or b"\n") + b"".join(lines)
    if _settings(after, where) != {**found, "notify": list(argv)}:
        raise RefusedError(f"{where}: the line cannot be put in safely; nothing was changed", hint=line)
    return after


def taken_out(data: bytes, before: bytes | None, ours: str, *, where: str) -> bytes | None:
    """The config without our line; `None`: there was no file before, and nothing is left.

    Raises:
        RefusedError: the file does not parse, or our program stands there in another form than we wrote it.
    """
    found = _settings(data, where)
    at = _own_line(data, ours)
    if at is None:
        if any(ours in str(word) for word in _words(found)):
            raise RefusedError(
                f"{where}: notify calls our program in another form than we wrote it; nothing was changed",
                hint="take it out of notify by hand, then run the same command again",
            )
        return data
    lines = _lines(data)
    del lines[at]
    left = _mark(data) + b"".join(lines)
    return None if before is None and not left.strip() else left


def holds(data: bytes, ours: str) -> bool:
    """Whether our program is set; false where the file does not parse."""
    try:
        return any(ours in str(word) for word in _words(_settings(data, "")))
    except RefusedError:
        return False


def _words(found: dict[str, object]) -> list[object]:
    program = found.get("notify")
    return program if isinstance(program, list) else []


def _own_line(data: bytes, ours: str) -> int | None:
    """The line that is our setting and nothing else, and without which the file says the same but for it."""
    lines = _lines(data)
    for at, line in enumerate(lines):
        if not line.lstrip().startswith(b"notify"):
            continue
        try:
            alone = tomllib.loads(line.decode())
            rest = tomllib.loads(b"".join(lines[:at] + lines[at + 1 :]).decode())
            whole = tomllib.loads(b"".join(lines).decode())
        except ValueError:
            continue
        words = alone.get("notify")
        own = isinstance(words, list) and len(words) > 3 and words[1:3] == ["-I", "-S"] and ours in str(words[3])
        if own and len(alone) == 1 and whole == {**rest, "notify": words} and "notify" not in rest:
            return at
    return None


def _settings(data: bytes, where: str) -> dict[str, object]:
    try:
        return tomllib.loads(data.removeprefix(_BOM).decode())
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RefusedError(f"{where}:{line} is no UTF-8; nothing was changed", hint=_MEND) from error
    except (ValueError, RecursionError) as error:
        raise RefusedError(f"{where} does not parse: {error}; nothing was changed", hint=_MEND) from error


def _lines(data: bytes) -> list[bytes]:
    """The lines with their ends, cut at line feeds only, without a byte order mark."""
    parts = data.removeprefix(_BOM).split(b"\n")
    return [part + b"\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _end(line: bytes) -> bytes:
    return b"\r\n" if line.endswith(b"\r\n") else b"\n" if line.endswith(b"\n") else b""


def _mark(data: bytes) -> bytes:
    return _BOM if data.startswith(_BOM) else b""
