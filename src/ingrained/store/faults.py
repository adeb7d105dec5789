"""Named points at which a test can end the process or fill the disk.

Nothing happens here unless the environment variable `INGRAINED_FAULT` is set: `name` or `name:k` ends the process at
the k-th pass (1 by default) through the point of that name, at once and without clean-up, as `kill -9` does;
`enospc:name` or `enospc:name:k` raises "no space left on device" there instead. A module registers the names of its
points when it is imported, so a misspelt one fails wherever it is passed, variable or not.
"""

from __future__ import annotations

import errno
import os
from typing import Final

from ingrained.errors import ConfigError

VARIABLE: Final = "INGRAINED_FAULT"
KILLED: Final = 137
"""Exit status at a kill point, the same as after `kill -9`."""

_points: set[str] = set()
_passes: dict[str, int] = {}


def register(area: str, *names: str) -> None:
    """Make `area.name` known for each name. Registering twice changes nothing."""
    _points.update(f"{area}.{name}" for name in names)


def points(*areas: str) -> list[str]:
    """Registered points of these areas (of all, where none is given), sorted; only imported modules are known."""
    return sorted(name for name in _points if not areas or name.partition(".")[0] in areas)


def reset() -> None:
    """Count the passes from the start again, as a new process does."""
    _passes.clear()


def point(name: str) -> None:
    """Pass the point called `name`; does nothing unless `INGRAINED_FAULT` asks for it.

    Raises:
        ConfigError: the variable cannot be read, or names a point that its area does not have.
        OSError: "no space left on device", where the variable asks for that.
        LookupError: `name` was never registered.
    """
    if name not in _points:
        raise LookupError(f"no fault point called {name!r} is registered")
    wanted = os.environ.get(VARIABLE, "")
    if not wanted:
        return
    full, target, at = _parse(wanted)
    if target != name:
        return
    _passes[name] = _passes.get(name, 0) + 1
    if _passes[name] != at:
        return
    if full:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), name)
    os._exit(KILLED)


def _parse(wanted: str) -> tuple[bool, str, int]:
    full = wanted.startswith("enospc:")
    target, _, count = wanted.removeprefix("enospc:").partition(":")
    area = target.partition(".")[0]
    if target not in _points and points(area):
        raise ConfigError(f"{VARIABLE}={wanted!r}: no point called {target!r}; there are: {', '.join(points(area))}")
    if count and not (count.isascii() and count.isdigit() and int(count) > 0):
        raise ConfigError(f"{VARIABLE}={wanted!r}: the pass {count!r} is not a number from 1 up")
    return full, target, int(count or 1)
