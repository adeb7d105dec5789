"""The one plug-in mechanism: a name becomes an object.

Built-ins are `"module:attr"` strings, so that listing them imports nothing; then entry points of the group; then a
literal `package.module:attr`. A broken plug-in is reported by name and never breaks a listing.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec
from typing import Generic, TypeVar

from ingrained.errors import MissingExtraError, UnknownNameError

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Where a name leads: its target `module:attr` and who provides it (`built-in` or a distribution's name)."""

    name: str
    target: str
    source: str
    extra: str = ""
    needs: str = ""
    """The package of that extra without which the target is of no use; a target may import it late."""

    @property
    def installed(self) -> bool:
        """Whether that package is there."""
        return not self.needs or find_spec(self.needs) is not None


class Registry(Generic[T]):
    """Names of one seam (`group`, such as `ingrained.readers`) and how to load them."""

    def __init__(
        self,
        group: str,
        built_in: dict[str, str],
        extras: dict[str, str] | None = None,
        needs: dict[str, str] | None = None,
    ) -> None:
        self.group = group
        self._built_in = built_in
        self._extras = extras or {}
        self._needs = needs or {}

    def entries(self) -> list[Entry]:
        """All known names, built-ins first; a plug-in cannot shadow a built-in."""
        found = [self._own(name) for name in self._built_in]
        for point in sorted(entry_points(group=self.group), key=lambda p: p.name):
            if point.name not in self._built_in:
                source = point.dist.name if point.dist else "unknown"
                found.append(Entry(name=point.name, target=point.value, source=source))
        return found

    def _own(self, name: str) -> Entry:
        return Entry(
            name=name,
            target=self._built_in[name],
            source="built-in",
            extra=self._extras.get(name, ""),
            needs=self._needs.get(name, ""),
        )

    def load(self, name: str) -> T:
        """The object called `name`, or at the import path `package.module:attr`. A built-in costs no look at plug-ins.

        Raises:
            UnknownNameError: the name is nowhere; the message lists what exists and the nearest match.
            MissingExtraError: the target needs an optional dependency; the hint is the install command.
        """
        if name in self._built_in:
            return self._import(self._own(name))
        known = self.entries()
        for entry in known:
            if entry.name == name:
                return self._import(entry)
        if ":" in name:
            return self._import(Entry(name=name, target=name, source="import path"))
        names = [entry.name for entry in known]
        raise UnknownNameError(
            f"no {self.group} called {name!r}; there are: {', '.join(names) or 'none'}{nearest(name, names)}",
            hint="ingrained plugins lists all",
        )

    def _import(self, entry: Entry) -> T:
        module, _, attr = entry.target.partition(":")
        if not entry.installed:
            raise missing(entry.name, entry.needs, entry.extra)
        try:
            loaded = import_module(module)
        except ModuleNotFoundError as error:
            if entry.extra:
                raise missing(entry.name, error.name or module, entry.extra) from error
            raise UnknownNameError(f"{self.group} {entry.name!r}: cannot import {module!r}: {error}") from error
        try:
            return getattr(loaded, attr)
        except AttributeError as error:
            raise UnknownNameError(f"{self.group} {entry.name!r}: {module!r} has no {attr!r}") from error


def missing(name: str, package: str, extra: str) -> MissingExtraError:
    """The error for `name`, which needs a package that is not installed."""
    return MissingExtraError(
        f"{name!r} needs the package {package!r}, which is not installed",
        hint=f"pip install 'ingrained[{extra}]'",
    )


def nearest(name: str, names: list[str]) -> str:
    """`; did you mean 'x'?` where one name is near, else nothing. Case is ignored."""
    from rapidfuzz import process, utils

    found = process.extractOne(name, names, processor=utils.default_process, score_cutoff=60)
    return f"; did you mean {found[0]!r}?" if found else ""
