"""Rows of others' data sets: JSON lines or an array, each row checked by a model; a bad row is a record, never the end.

A reason names the file, the line and the field. Lines are cut at line feeds only, since JSON strings may hold others.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from ingrained.bench.writing.document import Dropped
from ingrained.errors import ConfigError

PACKED = frozenset({".parquet", ".arrow", ".gz", ".zip", ".tar", ".tgz"})


class Row(BaseModel):
    """A row that somebody else wrote: what is not named here is passed over."""

    model_config = ConfigDict(extra="ignore", frozen=True)


R = TypeVar("R", bound=Row)


def rows(path: Path, shape: type[R]) -> Iterator[tuple[str, R | Dropped]]:
    """Each row with its place `file:line`; of an array, the row's number stands for the line.

    Raises:
        ConfigError: the file cannot be read.
    """
    for number, text in _pieces(path):
        place = f"{path.name}:{number}"
        try:
            yield place, shape.model_validate_json(text)
        except ValidationError as error:
            yield place, _reason(place, error)


def _pieces(path: Path) -> Iterator[tuple[int, bytes | str]]:
    try:
        with path.open("rb") as file:
            head = file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")
            file.seek(0)
            if head.startswith(b"["):
                yield from _array(path, file.read())
                return
            for number, line in enumerate(file, start=1):
                line = line.removeprefix(b"\xef\xbb\xbf")
                if line.strip():
                    yield number, line
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or 'it cannot be read'}") from error


def _array(path: Path, data: bytes) -> Iterator[tuple[int, str]]:
    try:
        items = json.loads(data)
    except ValueError as error:
        raise ConfigError(f"{path}: no JSON: {error}", hint="JSON lines lose only the broken ones") from error
    for number, item in enumerate(items, start=1):
        yield number, json.dumps(item)


def _reason(place: str, error: ValidationError) -> Dropped:
    first = error.errors(include_url=False, include_input=False)[0]
    field = ".".join(map(str, first["loc"]))
    if not field:
        return Dropped(place=place, why="no JSON object of its layout", detail=first["msg"])
    return Dropped(
        place=place, why=f"field {field.split('.')[0]!r} is missing or wrong", detail=f"{field}: {first['msg']}"
    )


def files(paths: Sequence[Path], endings: Sequence[str]) -> list[Path]:
    """The files that were named, and those with one of the endings in the folders that were, by name.

    Raises:
        ConfigError: a file that was named is packed.
    """
    found: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = sorted(one for one in path.rglob("*") if one.is_file() and one.suffix not in PACKED)
            found += [one for one in inside if one.name.endswith(tuple(endings))]
        elif path.suffix in PACKED:
            raise ConfigError(f"{path}: {path.suffix[1:]} is not read", hint="unpack it, or write it out as JSON lines")
        else:
            found.append(path)
    return list(dict.fromkeys(found))
