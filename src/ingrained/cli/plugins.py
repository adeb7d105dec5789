"""`ingrained plugins`: what every seam can be told to use. A broken plug-in is a line in the list, never a crash."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Annotated, Any

from cyclopts import Parameter

from ingrained.cli.output import DEFAULTS, Json, Shared, emit
from ingrained.errors import ConfigError, IngrainedError
from ingrained.registry import Registry, nearest

SEAMS = {
    "reader": "ingrained.session.readers.base:READERS",
    "decomposer": "ingrained.feedback.decompose:DECOMPOSERS",
    "target": "ingrained.install.places:TARGETS",
    "writing-task": "ingrained.bench.writing.document:TASKS",
    "writing-method": "ingrained.bench.writing.methods:METHODS",
    "model": "ingrained.model.base:MODELS",
    "harness": "ingrained.harness.base:HARNESSES",
    "verifier": "ingrained.verify.base:VERIFIERS",
    "benchmark": "ingrained.bench.tasks:BENCHES",
}
"""Each seam and its registry."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """One name in one registry, and whether it loads."""

    seam: str
    name: str
    target: str
    source: str
    """`built-in`, or the distribution that provides it."""
    extra: str
    """The extra of ingrained that it needs; empty where it needs none."""
    installed: bool
    """Whether what that extra brings is there; true where it needs none."""
    problem: str
    """Why it cannot be loaded; empty where it can, where its extra is not installed, or without `--check`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugins:
    """The published shape of `plugins --json`."""

    version: int
    plugins: tuple[Plugin, ...]


def plugins(
    seam: str = "",
    /,
    *,
    check: Annotated[bool, Parameter(help="Load each one and say which fail.")] = False,
    json: Json = False,
    options: Shared = DEFAULTS,  # noqa: ARG001 - every command takes these
) -> int:
    """List what each part can be told to use, and who provides it.

    A name from this list is what options such as a reader or an install target accept. Packages add their own through
    entry points (the group is the registry's, such as ingrained.readers); a name of ours cannot be replaced.

    Args:
        seam: only this part, such as reader or target.

    Returns:
        1 where `--check` found one that does not load although what it needs is installed.
    """
    if seam and seam not in SEAMS:
        known = ", ".join(SEAMS)
        raise ConfigError(
            f"no part called {seam!r}; there are: {known}{nearest(seam, list(SEAMS))}", hint="ingrained plugins"
        )
    found = tuple(item for name in SEAMS if seam in {"", name} for item in _listed(name, check=check))
    emit(Plugins(version=1, plugins=found), json=json, renderer=lambda listing: _table(listing.plugins))
    return int(any(item.problem for item in found))


def _listed(seam: str, *, check: bool) -> list[Plugin]:
    module, _, attr = SEAMS[seam].partition(":")
    registry: Registry[Any] = getattr(import_module(module), attr)
    return [
        Plugin(
            seam=seam,
            name=entry.name,
            target=entry.target,
            source=entry.source,
            extra=entry.extra,
            installed=entry.installed,
            problem=_problem(registry, entry.name) if check and entry.installed else "",
        )
        for entry in registry.entries()
    ]


def _problem(registry: Registry[Any], name: str) -> str:
    try:
        registry.load(name)
    except IngrainedError as error:
        return error.message
    except Exception as error:  # noqa: BLE001 - somebody else's module may fail in any way; the listing goes on
        return f"{type(error).__name__}: {error}"
    return ""


def _table(listed: Sequence[Plugin]) -> str:
    rows = [(item.seam, item.name, item.source, _remark(item)) for item in listed]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(3)]
    return "\n".join(
        "  ".join([*(cell.ljust(width) for cell, width in zip(row[:3], widths, strict=True)), row[3]]).rstrip()
        for row in rows
    )


def _remark(item: Plugin) -> str:
    if item.problem:
        return f"does not load: {item.problem}"
    return "" if item.installed else f"not installed: pip install 'ingrained[{item.extra}]'"
