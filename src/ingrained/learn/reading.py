"""Reading logs: which there are, newest first, and one pass over each. Shared by `scan`, which stores nothing.

A log that cannot be read is a line in the report, never the end of the run. Much is read by several processes; the
answers come in the same order, so nothing after this can tell.
"""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from multiprocessing import get_context
from pathlib import Path

from ingrained.errors import IngrainedError, UnknownNameError
from ingrained.ids import PersonId, ProjectId
from ingrained.registry import nearest
from ingrained.session.projects import resolve
from ingrained.session.read import ReadOptions, is_known, read_source
from ingrained.session.session import Cursor, FileRead, Reason, Redactor
from ingrained.session.sources import Skipped, Source, endings, find, standard_places

ME = PersonId("me")
PARALLEL_BYTES = 200_000_000
"""Bytes to read from which several processes do it; to start them takes as long as one needs for as much."""
_MOST_WORKERS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Roots:
    """Where to look, and whose words they are."""

    places: tuple[tuple[PersonId, Path], ...] = ()
    """Empty: the agents' standard places, as "me"."""
    since: datetime | None = None
    exclude: tuple[str, ...] = ()
    project: Path | None = None
    """Only sessions in this folder's project."""
    include_entrypoints: frozenset[tuple[str, str]] = frozenset()

    @property
    def everything(self) -> bool:
        """Whether all logs of the standard places are meant; only such a run answers for what hooks queued."""
        return not (self.places or self.since or self.exclude or self.project)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A log, whose it is, and what it held (`None`: nothing new)."""

    person: PersonId
    source: Source
    read: FileRead | None


class Trouble:
    """Collects what was searched, and the logs that were found and not used."""

    def __init__(self) -> None:
        """Nothing yet."""
        self.skipped: list[Skipped] = []
        self.looked_at: list[str] = []
        self.missing: list[str] = []
        """Standard places that do not exist."""
        self.lying: Counter[str] = Counter()
        """Files in the folders that hold no log, by the endings of their names."""
        self.older = 0
        """Logs in folders where all are older than the time that was asked for."""
        self.elsewhere = 0
        """Logs of other projects than the one that was asked for."""


def sources(roots: Roots, ignored: Sequence[str], trouble: Trouble) -> list[tuple[PersonId, Source]]:
    """Every log at the roots, newest first, each once.

    Raises:
        EnvironmentFaultError: a path that was named does not exist.
        SessionFormatError: a file that was named is no log.
    """
    exclude = (*roots.exclude, *ignored)
    places = list(roots.places)
    if not places:
        standard = standard_places(os.environ, Path.home())
        places = [(ME, place) for place in standard if place.is_dir()]
        trouble.missing += [str(place) for place in standard if not place.is_dir()]
    found: dict[str, tuple[PersonId, Source]] = {}
    for person, place in places:
        trouble.looked_at.append(str(place))
        here = find([place], since=roots.since, exclude=exclude, skipped=trouble.skipped)
        for source in here:
            found.setdefault(source.path, (person, source))
        if not here:
            left: list[Skipped] = []
            older = len(find([place], exclude=exclude, skipped=left))
            trouble.older += older
            trouble.lying += Counter() if older or left else endings(place.expanduser())
    return newest_first(found.values())


def newest_first(items: Iterable[tuple[PersonId, Source]]) -> list[tuple[PersonId, Source]]:
    """The items in the order in which they are read."""
    return sorted(items, key=lambda item: (-item[1].mtime_ns, item[1].path))


def new_items(
    items: Sequence[tuple[PersonId, Source]],
    roots: Roots,
    cursor: Callable[[PersonId, str], Cursor | None],
) -> list[tuple[PersonId, Source]]:
    """The items that `read_all` would find something new in, as far as that shows without reading them."""
    options = ReadOptions(include_entrypoints=roots.include_entrypoints)
    return [(one, source) for one, source in items if not is_known(source, cursor(one, source.path), options)]


def read_all(
    items: Sequence[tuple[PersonId, Source]],
    roots: Roots,
    redactor: Redactor,
    trouble: Trouble,
    *,
    cursor: Callable[[PersonId, str], Cursor | None] | None = None,
    progress: Callable[[int], None] | None = None,
    remote_of: Callable[[str], str] | None = None,
) -> Iterator[Finding]:
    """One pass over each log. Logs that turn out unreadable go into `trouble`.

    Args:
        items: from `sources`.
        roots: for the options of reading and the project to keep to.
        redactor: takes secrets out of every text.
        trouble: takes what could not be read.
        cursor: where the last pass over a log ended; nothing was read before where it is `None`.
        progress: called with bytes read: as they are, or with those of a whole log when a process is done with it.
        remote_of: the git remote of a folder, for `roots.project`.

    Raises:
        UnknownNameError: there is no folder `roots.project`, and nobody worked in one of that name.
    """
    options = ReadOptions(include_entrypoints=roots.include_entrypoints)
    wanted = _project(roots.project, remote_of)
    work = [(source, cursor(person, source.path) if cursor else None) for person, source in items]
    told = progress or (lambda _bytes: None)
    if _new_bytes(work) > PARALLEL_BYTES and len(work) > 1 and _workers() > 1:
        passes = _side_by_side(work, redactor, options, told)
    else:
        passes = _one_by_one(work, redactor, options, told)
    cwds: set[str] = set()
    found = not wanted
    for (person, source), done in zip(items, passes, strict=True):
        if isinstance(done, IngrainedError):
            trouble.skipped.append(Skipped(path=source.path, why=done.message))
        elif done is None or not wanted or _is_in(done, wanted, remote_of):
            found = True
            yield Finding(person=person, source=source, read=done)
        else:
            trouble.elsewhere += 1
            cwds |= {session.cwd for session in done.sessions}
    if roots.project and cwds and not found and not roots.project.expanduser().exists():
        raise _unknown_project(roots.project, cwds)


def _unknown_project(folder: Path, cwds: set[str]) -> UnknownNameError:
    """The error for a project that is neither a folder nor in any log."""
    known = sorted(cwds)
    shown = ", ".join(known[:5]) + (f" and {len(known) - 5} more" if len(known) > 5 else "")
    return UnknownNameError(
        f"no folder {str(folder)!r}, and no session worked in it; sessions worked in: {shown}"
        f"{nearest(str(folder), known)}",
        hint="name one of those, or a folder that exists, such as . for this one",
    )


Work = tuple[Source, Cursor | None]
Done = FileRead | IngrainedError | None


def _new_bytes(work: Sequence[Work]) -> int:
    """About how much there is to read: the sizes of logs that are not as their cursors say."""
    return sum(
        source.size - (cursor.offset if cursor else 0)
        for source, cursor in work
        if cursor is None or (source.size, source.mtime_ns) != (cursor.size, cursor.mtime_ns)
    )


def _workers() -> int:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(_MOST_WORKERS, usable)


def _one_by_one(
    work: Sequence[Work], redactor: Redactor, options: ReadOptions, told: Callable[[int], None]
) -> Iterator[Done]:
    for source, cursor in work:
        done = _read(source, cursor, redactor, options, told)
        if done is None:
            told(source.size)
        yield done


def _side_by_side(
    work: Sequence[Work], redactor: Redactor, options: ReadOptions, told: Callable[[int], None]
) -> Iterator[Done]:
    """The same answers in the same order, from several processes. Each needs some 60 MB."""
    pool = ProcessPoolExecutor(
        _workers(), mp_context=get_context("spawn"), initializer=_prepare, initargs=(redactor, options)
    )
    try:
        for (source, _), done in zip(work, pool.map(_read_prepared, work), strict=True):
            told(source.size)
            yield done
    finally:
        pool.shutdown(cancel_futures=True)


_prepared: list[tuple[Redactor, ReadOptions]] = []
"""In a worker process: what all its passes share."""


def _prepare(redactor: Redactor, options: ReadOptions) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, which ends the workers
    _prepared[:] = [(redactor, options)]


def _read_prepared(work: Work) -> Done:
    return _read(*work, *_prepared[0])


def _read(
    source: Source,
    cursor: Cursor | None,
    redactor: Redactor,
    options: ReadOptions,
    told: Callable[[int], None] | None = None,
) -> Done:
    try:
        return read_source(source, cursor=cursor, redactor=redactor, options=options, progress=told)
    except IngrainedError as error:
        return error


def _project(folder: Path | None, remote_of: Callable[[str], str] | None) -> ProjectId | None:
    if folder is None:
        return None
    real = str(folder.expanduser().resolve())
    return resolve([real], remote_of=remote_of or (lambda _: ""))[real]


def _is_in(read: FileRead, wanted: ProjectId, remote_of: Callable[[str], str] | None) -> bool:
    """Whether any session of a log worked in the project; a log is kept or left as a whole."""
    cwds = {turn.cwd for turn in read.turns} | {session.cwd for session in read.sessions}
    folder = wanted.partition(":")[2] if wanted.startswith("dir:") else ""
    answers = resolve([*cwds, *([folder] if folder else [])], remote_of=remote_of or (lambda _: ""))
    return any(answers[cwd] == wanted for cwd in cwds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What a number of passes found, in sums."""

    files: int
    read: int
    """Files with something new."""
    bytes_read: int
    sessions: int
    """Sessions with a person in them."""
    set_aside_sessions: Mapping[Reason, int]
    set_aside: Mapping[Reason, int]
    """Turns that no person typed, by reason."""
    human_turns: int
    """Distinct messages."""
    by_tag: int
    refusals: int
    secrets: Mapping[str, int]
    unknown: Mapping[str, int]
    damage: Mapping[str, int]
    damaged_files: tuple[tuple[str, str], ...]
    """Path and what is wrong in it, with line numbers; torn last lines and empty files are no damage."""
    empty_files: int


def count(findings: Sequence[Finding]) -> Counted:
    """Add up what was found."""
    set_aside: Counter[Reason] = Counter()
    secrets: Counter[str] = Counter()
    unknown: Counter[str] = Counter()
    damages: Counter[str] = Counter()
    keys: set[str] = set()
    people: set[tuple[str, str]] = set()
    aside: dict[tuple[str, str], Reason] = {}
    damaged: list[tuple[str, str]] = []
    reads = [(finding.source.path, finding.read) for finding in findings if finding.read is not None]
    for path, read in reads:
        keys |= {turn.key for turn in read.turns}
        set_aside.update(read.set_aside)
        secrets.update(read.secrets)
        unknown.update(read.unknown)
        for damage in read.damage:
            damages[damage.kind] += damage.count
        notes = [
            f"{damage.count} {damage.kind} (line {', '.join(map(str, damage.lines))})"
            for damage in read.damage
            if damage.kind not in {"torn", "empty", "glued"}
        ]
        if notes:
            damaged.append((path, "; ".join(notes)))
        for facts in read.sessions:
            ref = (facts.tool, facts.session)
            if facts.reason is None:
                people.add(ref)
            else:
                aside[ref] = facts.reason
    reasons = Counter(reason for ref, reason in aside.items() if ref not in people)
    return Counted(
        files=len(findings),
        read=len(reads),
        bytes_read=sum(read.bytes_read for _, read in reads),
        sessions=len(people),
        set_aside_sessions=dict(reasons),
        set_aside=dict(set_aside),
        human_turns=len(keys),
        by_tag=sum(read.by_tag for _, read in reads),
        refusals=sum(read.refusals for _, read in reads),
        secrets=dict(secrets),
        unknown=dict(unknown),
        damage=dict(damages),
        damaged_files=tuple(damaged),
        empty_files=damages["empty"],
    )
