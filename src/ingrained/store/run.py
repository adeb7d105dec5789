"""A run is a directory: its configuration, one line of JSON a trace, and what was made of them at the end.

`config.json` is written once; who opens the folder again has to mean the same run. A trace is on disk before the next
thing happens, so that a kill loses none that was finished; a torn last line is cut off when the folder is opened. Who
only reads passes over it, since it may be one that is being written. Of two lines with one key the later one counts.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final, TypeVar

from pydantic import BaseModel, JsonValue, ValidationError

from ingrained.errors import ConfigError
from ingrained.ids import canonical_json
from ingrained.store.files import file_error, read_bytes_or_none, write_atomic

CONFIG: Final = "config.json"
TRACES: Final = "traces.jsonl"
_SHOWN: Final = 120
S = TypeVar("S", bound=BaseModel)


class RunFolder:
    """The folder of one run."""

    def __init__(self, path: Path) -> None:
        """Only to read; `RunFolder.open` is for who adds traces."""
        self.path = path

    @classmethod
    def open(cls, path: Path, config: Mapping[str, JsonValue]) -> RunFolder:
        """The folder of this run, made where there is none.

        A run without a line is none yet, and its configuration gives way.

        Raises:
            ConfigError: another run lies there, or something else.
            FileError: it cannot be made or written.
        """
        before = stored_config(path)
        if before is None:
            if path.exists() and (not path.is_dir() or any(path.iterdir())):
                raise ConfigError(f"{str(path)!r} is there and is no run", hint="name a new folder with --out")
            try:
                path.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise file_error("make", path, error) from error
            write_atomic(path / CONFIG, _pretty(config))
        elif not (read_bytes_or_none(path / TRACES) or b"").strip():
            write_atomic(path / CONFIG, _pretty(config))
        elif differing := _differing(before, config):
            raise ConfigError(
                f"{str(path)!r} holds another run: {'; '.join(differing)}",
                hint="name a new folder with --out, or give --out alone to go on with that one",
            )
        found = cls(path)
        found._mend()
        return found

    def traces(self) -> list[dict[str, JsonValue]]:
        """The traces so far, the last line of each `key`, in the order of their first lines; a torn one is none.

        Raises:
            ConfigError: a line is no trace.
        """
        by_key: dict[str, dict[str, JsonValue]] = {}
        *whole, _ = (read_bytes_or_none(self.path / TRACES) or b"").split(b"\n")
        for number, line in enumerate(whole, start=1):
            if not line.strip():
                continue
            try:
                trace: dict[str, JsonValue] = json.loads(line)
                by_key[str(trace["key"])] = trace
            except (ValueError, KeyError, TypeError) as error:
                raise ConfigError(
                    f"{self.path / TRACES}:{number}: no trace: {error}", hint="remove the line; it is made again"
                ) from error
        return list(by_key.values())

    def append(self, trace: Mapping[str, JsonValue]) -> None:
        """Add a trace; on disk when this returns.

        Raises:
            FileError: it cannot be written.
        """
        path = self.path / TRACES
        try:
            with path.open("ab") as file:
                file.write(canonical_json(dict(trace)).encode("utf-8", "backslashreplace") + b"\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise file_error("write", path, error) from error

    def write(self, name: str, data: bytes) -> None:
        """Write a file of the run, whole.

        Raises:
            FileError: it cannot be written.
        """
        write_atomic(self.path / name, data)

    def _mend(self) -> None:
        path = self.path / TRACES
        data = read_bytes_or_none(path)
        if data and not data.endswith(b"\n"):
            write_atomic(path, data[: data.rfind(b"\n") + 1])


def stored_config(path: Path) -> dict[str, JsonValue] | None:
    """The configuration of the run in a folder; None where there is none.

    Raises:
        ConfigError: it cannot be read.
    """
    data = read_bytes_or_none(path / CONFIG) if path.is_dir() else None
    if data is None:
        return None
    try:
        found: JsonValue = json.loads(data)
    except ValueError as error:
        raise ConfigError(f"{path / CONFIG}: no JSON: {error}", hint="name a new folder with --out") from error
    if not isinstance(found, dict):
        raise ConfigError(f"{path / CONFIG}: no JSON object", hint="name a new folder with --out")
    return found


def stored_as(path: Path, shape: type[S]) -> S | None:
    """The same in its shape.

    Raises:
        ConfigError: it cannot be read, or is not of the shape; the field is named.
    """
    found = stored_config(path)
    if found is None:
        return None
    try:
        return shape.model_validate_json(canonical_json(found))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise ConfigError(f"{path / CONFIG}: {place}: {first['msg']}", hint="name a new folder with --out") from error


def _pretty(value: Mapping[str, JsonValue]) -> bytes:
    return (json.dumps(dict(value), indent=2, ensure_ascii=False) + "\n").encode()


def _differing(before: Mapping[str, JsonValue], now: Mapping[str, JsonValue]) -> list[str]:
    names = [name for name in {**before, **now} if before.get(name) != now.get(name)]
    return [f"{name} was {_short(before.get(name))} and is {_short(now.get(name))}" for name in names]


def _short(value: JsonValue) -> str:
    text = canonical_json(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
