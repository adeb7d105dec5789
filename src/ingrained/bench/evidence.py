"""Evidence by reference: units for an editor from texts, from the folder of a run, or from a person's corrections.

A reference is a path, `FAMILY=PATH` where it is about one family of the pool alone, or the word `corrections`. The
decision to know: an attempt is shown only where its task is of the pool, so that a task that is kept apart never
becomes evidence; and evidence that names no family is about the pool's only one, or about the tasks of all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from ingrained.bench.writing.document import Dropped, counted
from ingrained.errors import ConfigError
from ingrained.gate.records import Attempt, Judged, records
from ingrained.harness.base import Task
from ingrained.ids import content_hash
from ingrained.learn.pipeline import looked_at
from ingrained.learn.texts import Text, read_text, texts_in
from ingrained.learn.units import BATCH, Tried, Unit, batches, corrections, segments
from ingrained.registry import nearest
from ingrained.store.run import CONFIG, TRACES, RunFolder

CORRECTIONS: Final = "corrections"
"""What a person said, from the rules of the home folder."""
_SHOWN: Final = 20

Order: TypeAlias = Literal["given", "reversed", "shuffled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitSet:
    """What references lead to."""

    units: tuple[Unit, ...]
    dropped: tuple[Dropped, ...] = ()


def units_of(
    references: Sequence[str],
    pool: Sequence[Task],
    *,
    home: Path,
    per_unit: int = BATCH,
    order: Order = "given",
    seed: int = 0,
    decomposer: str = "",
) -> UnitSet:
    """The units of all references, those of one together unless they are shuffled.

    Args:
        references: text files, folders with texts directly in them, folders of runs, or `corrections`; each may have
            `FAMILY=` before it.
        pool: the tasks that edits are decided on; attempts at others are left out.
        home: whose rules `corrections` are.
        per_unit: attempts a unit at most; texts are cut into segments instead.
        order: as given, backwards, or shuffled by the seed.
        seed: of the shuffle.
        decomposer: whose judgement of the corrections; that of the last learn where it is empty.

    Raises:
        ConfigError: none is named, or one is not there, is no text, says nothing, or names a family that is not in the
            pool.
        GateError: a line of a run says that it is an attempt and is none.
        EnvironmentFaultError: nothing was learned yet in the home folder.
        StoreError: the home folder or a run cannot be read.
    """
    if not references:
        raise ConfigError("no evidence is named", hint=f"name text files, folders of runs, or {CORRECTIONS}")
    families = tuple(dict.fromkeys(task.family for task in pool))
    units: list[Unit] = []
    dropped: list[Dropped] = []
    for reference in references:
        named, what = _parted(reference, families)
        path = Path(what).expanduser()
        if what == CORRECTIONS:
            units += _corrected(home, decomposer, _about(named, families))
            continue
        if (path / TRACES).is_file() or (path / CONFIG).is_file():
            found, left = _tried(path, pool, named, per_unit)
        else:
            found, left = _read(path, _about(named, families))
        units += found
        dropped += left
    return UnitSet(units=tuple(ordered(units, order, seed)), dropped=tuple(dropped))


def _parted(reference: str, families: Sequence[str]) -> tuple[str | None, str]:
    """The family that is named, if one is, and the rest. What is there as it stands is a path, whatever it holds."""
    family, sign, rest = reference.partition("=")
    if not sign or Path(reference).expanduser().exists():
        return None, reference
    if family not in families:
        more = f" and {len(families) - _SHOWN} more" if len(families) > _SHOWN else ""
        raise ConfigError(
            f"evidence {reference!r}: the pool has no family {family!r}; "
            f"it has {', '.join(families[:_SHOWN]) or 'none'}{more}{nearest(family, list(families))}",
            hint="name it as FAMILY=PATH, or without FAMILY where it is about all of them",
        )
    return family, rest


def _about(named: str | None, families: Sequence[str]) -> str | None:
    """The family of evidence that is not made of tasks; None: all of them."""
    return families[0] if named is None and len(families) == 1 else named


def _corrected(home: Path, decomposer: str, family: str | None) -> list[Unit]:
    found = corrections(looked_at(home, decomposer).rules, family=family)
    if not found:
        raise ConfigError(
            f"{CORRECTIONS}: no rule in {str(home)!r} has words that were typed", hint="ingrained learn, then rules"
        )
    return found


def _read(path: Path, family: str | None) -> tuple[list[Unit], list[Dropped]]:
    """The segments of a text, or of those that lie directly in a folder."""
    texts: list[Text] = []
    dropped: list[Dropped] = []
    if path.is_dir():
        texts, skipped = texts_in(path)
        dropped = [Dropped(place=str(one.path), why=one.why) for one in skipped]
    else:
        texts = [read_text(path)]
    dropped += [Dropped(place=str(one.path), why="it is empty") for one in texts if not one.text.strip()]
    units = [unit for one in texts for unit in segments(one.text, family=family)]
    if not units:
        why = ", ".join(f"{why} ({n})" for why, n in counted(dropped)) if path.is_dir() else "it is empty"
        raise ConfigError(
            f"evidence {str(path)!r} says nothing: {why or 'no file lies in it'}",
            hint="name text files in UTF-8, or a folder with some directly in it",
        )
    return units, dropped


def _tried(path: Path, pool: Sequence[Task], family: str | None, per_unit: int) -> tuple[list[Unit], list[Dropped]]:
    """The attempts of a run at tasks of the pool, and of the family where one is named."""
    tasks = {task.id: task for task in pool}
    found = records(RunFolder(path).traces())
    judged = {one.place: one.arm for one in found if isinstance(one, Judged)}
    tried: list[Tried] = []
    dropped: list[Dropped] = []
    for one in found:
        if not isinstance(one, Attempt):
            continue
        task = tasks.get(one.task)
        if task is None:
            dropped.append(Dropped(place=str(path), why="its task is not of the pool", detail=one.task))
        elif family is not None and task.family != family:
            dropped.append(Dropped(place=str(path), why="its task is of another family", detail=one.task))
        elif one.place not in judged:
            dropped.append(Dropped(place=str(path), why="it was not judged", detail=one.task))
        else:
            tried.append(Tried(task=task, trace=one.trace, outcome=judged[one.place].outcome))
    if not tried:
        why = ", ".join(f"{why} ({n})" for why, n in counted(dropped))
        raise ConfigError(
            f"evidence {str(path)!r} is a run without an attempt that can be shown: {why or 'it holds none'}",
            hint="name a run on tasks of the same benchmark, or name the texts of a folder one by one",
        )
    return batches(tried, size=per_unit), dropped


def ordered(units: Sequence[Unit], order: Order, seed: int) -> list[Unit]:
    """The units as given, backwards, or shuffled by the seed."""
    match order:
        case "given":
            return list(units)
        case "reversed":
            return list(units)[::-1]
        case "shuffled":
            places = sorted(range(len(units)), key=lambda place: content_hash([seed, place]))
            return [units[place] for place in places]
