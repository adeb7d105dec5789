"""A JSON schema in the form that strict servers take: every property required, nothing beside them, no `oneOf`.

Without it such a server refuses a schema with a default in it, or with shapes that are told apart by a field. The
answer is checked against the original shape, so a field that may be left out is merely always there.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

_SAID_BY_SHAPE = ("default", "title", "discriminator")


def strict_schema(schema: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """A copy of the schema in which each object is closed and each of its properties required."""
    made: dict[str, JsonValue] = {}
    for name, value in schema.items():
        if name in {"properties", "$defs", "definitions"} and isinstance(value, dict):
            made[name] = {key: _strict(item) for key, item in value.items()}
        elif name in {"enum", "const"}:
            made[name] = value
        elif name not in _SAID_BY_SHAPE:
            made["anyOf" if name == "oneOf" else name] = _strict(value)
    properties = made.get("properties")
    if isinstance(properties, dict):
        made["required"] = list(properties)
        made["additionalProperties"] = False
    return made


def _strict(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return strict_schema(value)
    if isinstance(value, list):
        return [_strict(item) for item in value]
    return value
