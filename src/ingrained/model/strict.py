"""A JSON schema in the form that strict servers take: every property required, nothing beside them, no `oneOf`.

Without it such a server refuses a schema with a default in it, or with shapes that are told apart by a field; some
refuse bounds of lengths and numbers too. The answer is checked against the original shape, so a field that may be left
out is merely always there, and a bound that was not sent holds all the same.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

_SAID_BY_SHAPE = frozenset({"default", "title", "discriminator"})
_BOUNDS = frozenset(
    {"minLength", "maxLength", "minItems", "maxItems", "uniqueItems", "pattern"}
    | {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}
)


def bounded(schema: Mapping[str, JsonValue]) -> bool:
    """Whether a strict schema loses something without its bounds."""
    return strict_schema(schema) != strict_schema(schema, bounds=False)


def strict_schema(schema: Mapping[str, JsonValue], *, bounds: bool = True) -> dict[str, JsonValue]:
    """A copy of the schema in which each object is closed and each of its properties required.

    Args:
        schema: any JSON schema.
        bounds: keep those of lengths and numbers.
    """
    made: dict[str, JsonValue] = {}
    for name, value in schema.items():
        if name in {"properties", "$defs", "definitions"} and isinstance(value, dict):
            made[name] = {key: _strict(item, bounds) for key, item in value.items()}
        elif name in {"enum", "const"}:
            made[name] = value
        elif name not in _SAID_BY_SHAPE and (bounds or name not in _BOUNDS):
            made["anyOf" if name == "oneOf" else name] = _strict(value, bounds)
    properties = made.get("properties")
    if isinstance(properties, dict):
        made["required"] = list(properties)
        made["additionalProperties"] = False
    return made


def _strict(value: JsonValue, bounds: bool) -> JsonValue:
    if isinstance(value, dict):
        return strict_schema(value, bounds=bounds)
    if isinstance(value, list):
        return [_strict(item, bounds) for item in value]
    return value
