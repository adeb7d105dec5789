"""Databases of tau2-bench that are made anew in milliseconds: entries are copied when they are first taken.

The decision to know: the digest is upstream's own hash to the letter, SHA-256 over the sorted JSON of the whole
database. The JSON of entries that nobody took is kept from the first time; where a database has other sections than
dictionaries, upstream copies and hashes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final, NoReturn, cast

from typing_extensions import override

_ABSENT: Final = object()


class Entries(dict[str, Any]):
    """Entries by their keys over some that are shared: whoever takes one gets a copy that is this dictionary's own.

    Reading by key, by `get` and by iteration over values or items takes entries; `in`, `len` and the keys do not.
    """

    def __init__(self, shared: Mapping[str, Any]) -> None:
        super().__init__(shared)
        self.taken: set[str] = set()

    @override
    def __getitem__(self, key: str) -> Any:
        found = super().__getitem__(key)
        if key not in self.taken:
            found = found.model_copy(deep=True)
            self[key] = found
        return found

    @override
    def __setitem__(self, key: str, value: Any) -> None:
        self.taken.add(key)
        super().__setitem__(key, value)

    @override
    def __delitem__(self, key: str) -> None:
        self.taken.add(key)
        super().__delitem__(key)

    @override
    def get(self, key: str, default: Any = None) -> Any:
        """The entry, or the default."""
        if key not in self:
            return default
        return self[key]

    @override
    def pop(self, key: str, default: Any = _ABSENT) -> Any:
        """Take the entry out, or the default.

        Raises:
            KeyError: there is none, and no default.
        """
        if key not in self and default is not _ABSENT:
            return default
        found = self[key]
        del self[key]
        return found

    @override
    def values(self) -> list[Any]:  # type: ignore[override]
        """All entries, taken."""
        return [self[key] for key in self]

    @override
    def items(self) -> list[tuple[str, Any]]:  # type: ignore[override]
        """All keys with their entries, taken."""
        return [(key, self[key]) for key in self]

    def _refused(self, *_: object, **__: object) -> NoReturn:
        raise NotImplementedError("it would change entries unseen: set them one by one")

    setdefault = popitem = update = clear = __ior__ = _refused  # type: ignore[assignment]


class Pristine:
    """A database as it is in the beginning."""

    def __init__(self, database: Any) -> None:
        self._shape = type(database)
        self._sections: dict[str, Any] = {name: getattr(database, name) for name in self._shape.model_fields}
        self._data = database.model_dump_json().encode()

    @property
    def _shared(self) -> bool:
        return all(isinstance(section, dict) for section in self._sections.values())

    def fresh(self) -> Any:
        """The same database, of which nothing is shared that can be changed."""
        if not self._shared:
            return self._shape.model_validate_json(self._data)
        return self._shape.model_construct(**{name: Entries(section) for name, section in self._sections.items()})

    def digest(self, database: Any) -> str:
        """Upstream's hash of a database that was made by `fresh`, in whatever state it is now."""
        sections = {name: getattr(database, name) for name in self._sections}
        if not all(isinstance(section, Entries) for section in sections.values()):
            return database.get_hash()
        whole = _object({name: self._section(name, section) for name, section in sections.items()})
        return hashlib.sha256(whole.encode()).hexdigest()

    def _section(self, name: str, entries: Entries) -> str:
        kept = self._texts[name]
        return _object(
            {
                key: _text(dict.__getitem__(entries, key)) if key in entries.taken else kept[key]
                for key in dict.keys(entries)
            }
        )

    @cached_property
    def _texts(self) -> dict[str, dict[str, str]]:
        return {
            name: {key: _text(entry) for key, entry in cast("dict[str, Any]", section).items()}
            for name, section in self._sections.items()
        }


def _text(entry: Any) -> str:
    return json.dumps(entry.model_dump(), sort_keys=True, default=str)


def _object(texts: Mapping[str, str]) -> str:
    """As `json.dumps` writes an object with sorted keys, from the texts of its values."""
    return "{" + ", ".join(f"{json.dumps(key)}: {texts[key]}" for key in sorted(texts)) + "}"
