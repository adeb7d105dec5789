"""Sets of tasks by name and place (`conventions:PATH`), and their seeded split.

Owns the registry of benchmarks. The decision to know: a task's side of the split depends on the seed and its own id
alone, within its family, so that no order of input changes it; the held-out side is for the last measurement and is
shown to no editor.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from ingrained.bench.writing.document import Dropped
from ingrained.errors import ConfigError
from ingrained.harness.base import Task
from ingrained.ids import content_hash
from ingrained.registry import Registry

EVALS: Final = "evals"
"""The benchmark that a bare path means."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSet:
    """What a loader found."""

    tasks: tuple[Task, ...]
    dropped: tuple[Dropped, ...] = ()
    verifier: str = ""
    """The name of the verifier that fits the tasks; empty where a person has to say."""


class BenchMaker(Protocol):
    """Loads the tasks of a benchmark."""

    def __call__(self, place: str, /) -> TaskSet:
        """The tasks at a place: what stands behind the colon of `name:PLACE`, maybe empty.

        Raises:
            ConfigError: nothing is there, or it is not what this benchmark reads.
            MissingExtraError: a package that it needs is not installed.
        """
        ...


_HERE = "ingrained.bench"
BENCHES: Registry[BenchMaker] = Registry(
    "ingrained.benches",
    {
        EVALS: f"{_HERE}.evals:at",
        "conventions": f"{_HERE}.conventions:at",
        "spreadsheetbench": f"{_HERE}.spreadsheetbench:at",
        "cl-bench": f"{_HERE}.clbench:at",
        "tau2-retail": f"{_HERE}.tau2:retail",
        "tau2-airline": f"{_HERE}.tau2:airline",
        "tau2-telecom": f"{_HERE}.tau2:telecom",
    },
    extras={"spreadsheetbench": "bench"},
    needs={"spreadsheetbench": "openpyxl"},
)


def tasks_of(reference: str) -> TaskSet:
    """The tasks that a reference names: `name:PLACE`, or a bare path for `evals:PATH`.

    Such a path leads to an evals.json: the file, its folder or the skill's. The name of another benchmark comes before
    a path that reads the same. A maker of one's own is `package.module:function:PLACE`.

    Raises:
        UnknownNameError: there is no such benchmark; the message lists those that there are.
        ConfigError: a bare path leads to no evals.json, or as `BenchMaker` says.
        MissingExtraError: as `BenchMaker` says.
    """
    named = reference.strip()
    name, _, place = named.partition(":")
    if named == EVALS or name not in {one.name for one in BENCHES.entries()}:
        if _is_path(named):
            return BENCHES.load(EVALS)(_evals_at(named))
        if "." in name:
            function, _, place = place.partition(":")
            name = f"{name}:{function}"
    return BENCHES.load(name)(place)


def _is_path(reference: str) -> bool:
    """Whether it is meant as a path: it has no colon and looks like one, or something is there."""
    if ":" not in reference and (reference.endswith(".json") or "/" in reference or os.sep in reference):
        return True
    try:
        return bool(reference) and Path(reference).expanduser().exists()
    except (OSError, RuntimeError):  # a name that is too long, a user that is not there
        return False


def _evals_at(place: str) -> str:
    """The place, where an evals.json may be there.

    Raises:
        ConfigError: something else is there, or nothing.
    """
    from ingrained.bench.evals import FILE, FOLDER

    path = Path(place).expanduser()
    if path.is_dir():
        kind = "" if any((path / one).is_file() for one in (f"{FOLDER}/{FILE}", FILE)) else f"no {FILE} is in it"
    else:
        kind = "" if path.suffix == ".json" else f"it is no {FILE}" if path.exists() else "not there"
    if kind:
        raise ConfigError(
            f"tasks {place!r}: {kind}; a bare path is {FOLDER}/{FILE}, its folder or the skill's",
            hint="name other tasks as BENCH:PATH; ingrained plugins benchmark lists what BENCH may be",
        )
    return place


def path_of(name: str, place: str, wanted: str) -> Path:
    """The path behind the colon of `name:PLACE`; a `~` at its beginning is the user's folder.

    Args:
        name: of the benchmark.
        place: what stands behind the colon.
        wanted: what should be there, for the error to tell.

    Raises:
        ConfigError: none is given, or nothing is there.
    """
    hint = f"name it as {name}:PATH; ingrained plugins benchmark lists the sets of tasks that can be named"
    if not place:
        raise ConfigError(f"{name!r} needs a path to {wanted}", hint=hint)
    path = Path(place).expanduser()
    if not path.exists():
        raise ConfigError(f"{name}:{place}: not there; expected is {wanted}", hint=hint)
    return path


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """Tasks to learn and decide on, and those that are kept apart."""

    pool: tuple[Task, ...]
    held_out: tuple[Task, ...]


def split(tasks: Sequence[Task], *, share: float, seed: int = 0) -> Split:
    """Hold out about `share`, in [0, 1), of each family; a family of one task stays in the pool.

    Raises:
        ConfigError: the share is outside its range, or two tasks have one id.
    """
    if not 0 <= share < 1:
        raise ConfigError(f"share of held-out tasks: {share} is not in [0, 1)")
    families: dict[str, list[Task]] = defaultdict(list)
    for task in tasks:
        families[task.family].append(task)
    if len({task.id for task in tasks}) < len(tasks):
        raise ConfigError("two tasks have one id")
    held: set[str] = set()
    for family in families.values():
        drawn = sorted(family, key=lambda task: content_hash([seed, task.id]))
        held.update(task.id for task in drawn[: min(round(share * len(family)), len(family) - 1)])
    sides = {side: tuple(task for task in tasks if (task.id in held) is side) for side in (False, True)}
    return Split(pool=sides[False], held_out=sides[True])
