"""The JSON schema of the edits that fit one document: what a model is held to that proposes one.

Ids and headings are those that exist, a rule gets no heading, texts have an end. A small model that may write anything
names rules that are not there and writes until it is cut off. The answer is read by `edit.Proposal` all the same, as
not every server enforces a schema.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from pydantic import JsonValue

from ingrained.skill.edit import MOST_CHARACTERS
from ingrained.skill.living import Living
from ingrained.skill.outline import outline

MOST_NAMED: Final = 200
"""Names of each sort that are listed in a schema; a document with more is asked for any. Servers take about 500."""


def moves_schema(living: Living, ops: Collection[str]) -> dict[str, JsonValue]:
    """The schema of `{"edit": …}` for a document.

    Args:
        living: the document.
        ops: moves that are allowed; those that nothing can be done to are left out (a merge of fewer than two rules).
    """
    text: dict[str, JsonValue] = {"type": "string", "minLength": 1, "maxLength": MOST_CHARACTERS}
    rule, section = _rule(living), _section(living)
    several: dict[str, JsonValue] = {"type": "array", "items": rule, "minItems": 2}
    rules = len(living.rules)
    moves = [
        *[_move("create", target=rule, text=text)] * (rules > 0),
        _move("create", target=section, text=text),
        _move("create", target=section, text=text, heading=text),
        *[_move("update", target=rule, text=text)] * (rules > 0),
        _move("update", target=section, text=text),
        _move("update", target=section, heading=text),
        *[_move("merge", targets=several, text=text)] * (rules > 1),
        *[_move("prune", target=rule)] * (rules > 0),
        _move("prune", target=section),
    ]
    return _object({"edit": {"anyOf": [schema for op, schema in (*moves, _move("noop")) if op in {*ops, "noop"}]}})


def _rule(living: Living) -> dict[str, JsonValue]:
    return {"type": "string"} | _named([rule.id for rule in living.rules])


def _section(living: Living) -> dict[str, JsonValue]:
    paths = [section.path for section in outline(living.text).sections]
    headings = sorted({heading for path in paths for heading in path})
    return {
        "type": "array",
        "items": {"type": "string"} | _named(headings),
        "maxItems": max(len(path) for path in paths),
    }


def _named(names: list[str]) -> dict[str, JsonValue]:
    return {"enum": [*names]} if 0 < len(names) <= MOST_NAMED else {}


def _move(op: str, **fields: dict[str, JsonValue]) -> tuple[str, dict[str, JsonValue]]:
    return op, _object({"op": {"type": "string", "const": op}, **fields})


def _object(fields: dict[str, JsonValue]) -> dict[str, JsonValue]:
    return {"type": "object", "properties": fields, "required": [*fields], "additionalProperties": False}
