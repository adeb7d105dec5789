"""Edits: the five moves of Skill-α, as values that a model proposes and a run directory stores.

An edit names what it is for by a *target*. Text names a rule: its id, the id of a rule merged into it, or its whole
line as it stands, with or without the bullet. An array names a section by the headings that lead to it, or by the last
of them where only one section ends so; `[]` is the part before the first heading. No move touches the frontmatter; none
enters a code block, an HTML block, a table or a quote, though `prune` takes them with the rule or section that they
stand in. How each move changes the text is in `apply.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, WithJsonSchema, model_validator

from ingrained.errors import EditError
from ingrained.ids import content_hash
from ingrained.registry import nearest
from ingrained.skill.lines import line_words, plain
from ingrained.skill.rule import Frozen

MOST_CHARACTERS = 500
"""Of a rule, as for rules that are handed on."""
MOST_EVIDENCE = 200
"""Keys of one edit."""
_HASHES = re.compile(r"^#{1,6}\s+")


def _one_line(text: str, clean: Callable[[str], str]) -> str:
    if "\n" in text.strip() or "\r" in text.strip():
        raise ValueError("it has more than one line; one edit writes one rule, in one line")
    while (cleaned := clean(text)) != text:
        text = cleaned
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"it has {len(text)} characters, at most {MOST_CHARACTERS}")
    return text


def _words(text: str) -> str:
    return _one_line(text, lambda one: plain(line_words(one)))


def _heading(text: str) -> str:
    return _one_line(text, lambda one: plain(_HASHES.sub("", one.strip())))


def _some(text: str) -> str:
    if not text:
        raise ValueError("it is empty")
    return text


def _several(targets: tuple[str, ...]) -> tuple[str, ...]:
    if len(targets) < 2:
        raise ValueError(f"two or more rules can be merged, and it names {len(targets)}")
    return targets


def _keys(keys: tuple[str, ...]) -> tuple[str, ...]:
    if len(keys) > MOST_EVIDENCE:
        raise ValueError(f"{len(keys)} keys, at most {MOST_EVIDENCE}")
    return tuple(dict.fromkeys(keys))


_BOUNDED = WithJsonSchema({"type": "string", "maxLength": MOST_CHARACTERS})
"""The reader counts what is left once a bullet and superfluous blanks are out."""
Words = Annotated[str, AfterValidator(_words), _BOUNDED]
"""A rule's words on one line: a bullet before them, hidden characters and superfluous blanks are taken out."""
Heading = Annotated[str, AfterValidator(_heading), _BOUNDED]
"""A heading's words on one line, without the `#`."""
Named = Annotated[str, AfterValidator(str.strip), AfterValidator(_some)]
"""A rule, by its id or its line."""
Target: TypeAlias = Named | tuple[str, ...]
Keys = Annotated[tuple[str, ...], AfterValidator(_keys)]


class _Op(Frozen):
    @property
    def hash(self) -> str:
        """Of the whole value."""
        return content_hash(self.model_dump(mode="json"))


class Create(_Op):
    """A new rule: behind the rule that is named, in its form, or behind the last list item of the section.

    A section without a list gets one at the end of its own content. With `heading` the rule opens a new section of that
    name, the last one within the section that is named.
    """

    op: Literal["create"] = "create"
    target: Target
    text: Annotated[Words, AfterValidator(_some)]
    heading: Heading = ""
    evidence: Keys = ()

    @model_validator(mode="after")
    def _whole(self) -> Create:
        if self.heading and isinstance(self.target, str):
            raise ValueError("a new section stands in a section; name that as the target, as an array of headings")
        return self


class Update(_Op):
    """Other words: of the rule that is named (what is nested in it stays), or of a section.

    Of a section, `text` becomes its prose: the paragraphs right under the heading, up to what is no paragraph, are one
    paragraph then, and where there was none it is put there. `heading` renames the section.
    """

    op: Literal["update"] = "update"
    target: Target
    text: Words = ""
    heading: Heading = ""
    evidence: Keys = ()

    @model_validator(mode="after")
    def _whole(self) -> Update:
        if not self.text and not self.heading:
            raise ValueError("it changes nothing: give the new words as 'text'")
        if self.heading and isinstance(self.target, str):
            raise ValueError("only a section has a heading; name it as the target, as an array of headings")
        return self


class Merge(_Op):
    """One rule instead of two or more, wherever they stand.

    It has the place, form and id of the one that is named first, the words that the edit gives, the evidence of all,
    and the ids of the others as aliases.
    """

    op: Literal["merge"] = "merge"
    targets: Annotated[tuple[Named, ...], AfterValidator(_several)]
    text: Annotated[Words, AfterValidator(_some)]
    evidence: Keys = ()


class Prune(_Op):
    """A rule or section gone, with all that is nested in it, and nothing else.

    A section that lost its last rule keeps its heading, where the next rule can go; numbers of a list stay as they are.
    """

    op: Literal["prune"] = "prune"
    target: Target


class Noop(_Op):
    """Nothing: the evidence asks for no change."""

    op: Literal["noop"] = "noop"


Edit: TypeAlias = Annotated[Create | Update | Merge | Prune | Noop, Field(discriminator="op")]

_OPS: dict[str, type[Create | Update | Merge | Prune | Noop]] = {
    "create": Create,
    "update": Update,
    "merge": Merge,
    "prune": Prune,
    "noop": Noop,
}


def read_edit(value: object) -> Edit:
    """The edit that a JSON value is.

    Raises:
        EditError: it is none; the message says which field is wrong and what is allowed, for a model to repair.
    """
    if isinstance(value, tuple(_OPS.values())):
        return value
    if not isinstance(value, Mapping):
        raise EditError(
            f"an edit is a JSON object, not {type(value).__name__}", hint=f"its 'op' is one of {_listed(_OPS)}"
        )
    op = value.get("op")
    if not isinstance(op, str) or op not in _OPS:
        said = "has no 'op'" if op is None else f"has the op {op!r}{nearest(str(op), list(_OPS))}"
        raise EditError(f"the edit {said}; there are: {_listed(_OPS)}")
    try:
        return _OPS[op].model_validate(value)
    except ValidationError as error:
        told = "; ".join(dict.fromkeys(_told(op, dict(one)) for one in error.errors()))
        raise EditError(told) from error


class Proposal(Frozen):
    """The answer of a model that proposes an edit, and the line that a run directory has for one."""

    version: Literal[1] = 1
    edit: Annotated[Edit, BeforeValidator(read_edit)]


def _told(op: str, one: dict[str, Any]) -> str:
    """One thing wrong with the fields of an edit."""
    fields = [name for name in _OPS[op].model_fields if name != "op"]
    field = str(one["loc"][0]) if one["loc"] else ""
    if one["type"] == "missing":
        return f"{op} needs the field {field!r}"
    if one["type"] == "extra_forbidden":
        return f"{op} has no field {field!r}{nearest(field, fields)}; it has: {_listed(fields) or 'none'}"
    if field in {"target", "targets"} and one["type"] != "value_error":
        shape = (
            "text (a rule's id or line) or an array of headings"
            if field == "target"
            else "an array of two or more rules"
        )
        return f"{op}: {field!r} is {shape}, not {one['input']!r}"
    said = str(one["msg"]).removeprefix("Value error, ")
    return f"{op}: {field!r}: {said}" if field else f"{op}: {said}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
