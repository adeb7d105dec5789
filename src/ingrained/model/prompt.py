"""Prompts: `.md` files in a folder `prompts` beside the code that fills them.

A file opens with a Jinja comment (purpose, variables, who reads the answer) and may be cut into messages by lines that
say only `<!-- system -->`, `<!-- user -->` or `<!-- assistant -->`. It is cut before it is filled, so no value can open
a message. Text from outside goes in through the filter `data`, between delimiters that occur in none of the values.
The delimiters are made from the values: the same values give the same request, and so the same key in the cache.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

from ingrained.errors import ConfigError
from ingrained.ids import content_hash
from ingrained.model.base import Message, Role

if TYPE_CHECKING:
    from jinja2 import Environment, Template
    from jinja2.runtime import Context

_CUT: Final = re.compile(r"^<!-- (system|user|assistant) -->[ \t]*$", re.MULTILINE)
_FENCE: Final = "_fence"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One prompt, not yet filled."""

    name: str
    source: str

    @classmethod
    def load(cls, package: str, name: str, *, folder: Path | None = None) -> Prompt:
        """`prompts/<name>.md` of a package; a file of that name in `folder` comes first.

        Raises:
            ConfigError: there is no such file, or it is not UTF-8.
        """
        own = files(package).joinpath("prompts", f"{name}.md")
        place = folder / f"{name}.md" if folder is not None and (folder / f"{name}.md").is_file() else own
        try:
            return cls(name=name, source=place.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"cannot read the prompt {str(place)!r}: {error}") from error

    @property
    def hash(self) -> str:
        """Content hash of the file; part of the key of every answer."""
        return content_hash(self.source)

    def text(self, **values: object) -> str:
        """The whole file filled as one text.

        Raises:
            ConfigError: the file uses a variable that was not given, or is no template.
        """
        return self._fill(self.source, values).strip()

    def messages(self, **values: object) -> tuple[Message, ...]:
        """The file filled, cut into messages; what stands before the first cut is left out.

        Raises:
            ConfigError: as for `text`, or there is no cut in it.
        """
        parts = _CUT.split(self.source)
        if len(parts) < 3:
            raise ConfigError(f"the prompt {self.name!r} has no line such as <!-- user -->")
        return tuple(
            Message(role=cast("Role", role), text=self._fill(source, values).strip())
            for role, source in zip(parts[1::2], parts[2::2], strict=True)
        )

    def _fill(self, source: str, values: dict[str, object]) -> str:
        from jinja2 import TemplateError

        try:
            return _template(source).render(**values, **{_FENCE: fence(values)})
        except TemplateError as error:
            raise ConfigError(f"the prompt {self.name!r} cannot be filled: {error}") from error


def fence(values: object) -> str:
    """Twelve hex digits that depend on all text in `values` and occur in none of it."""
    texts = list(_texts(values))
    digest = blake2b(digest_size=16)
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big") + data)
    count = 0
    while True:
        made = blake2b(digest.digest() + count.to_bytes(8, "big"), digest_size=6).hexdigest()
        if not any(made in text.lower() for text in texts):
            return made
        count += 1


def _texts(value: object) -> Iterator[str]:
    """Every text that a template can reach in plain values: texts, mappings, sequences, attributes of dataclasses."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _texts(key)
            yield from _texts(item)
    elif isinstance(value, Set):
        for item in sorted(value, key=repr):
            yield from _texts(item)
    elif isinstance(value, Sequence):
        for item in value:
            yield from _texts(item)
    elif value is not None:
        yield str(value)


def _fenced(context: Context, value: object) -> str:
    mark = str(context[_FENCE])
    text = str(value)
    if mark in text.lower():
        raise ConfigError("a text holds the delimiter of its own prompt: give it as a value of its own")
    return f"<data {mark}>\n{text}\n</data {mark}>"


@cache
def _template(source: str) -> Template:
    return _environment().from_string(source)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, StrictUndefined, pass_context

    # A prompt is plain text for a model, no page: nothing to escape.
    made = Environment(undefined=StrictUndefined, autoescape=False)  # noqa: S701
    filters = cast("dict[str, object]", made.filters)
    filters["data"] = pass_context(_fenced)
    return made
