"""What several commands ask for in the same words: where to read, since when, whose, and which rule."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ingrained.cli.output import Options, Progress, confirm, emit, say
from ingrained.errors import ConfigError

if TYPE_CHECKING:
    from ingrained.install.plan import Plan
    from ingrained.learn.reading import Roots
    from ingrained.learn.texts import Histories
    from ingrained.store.library import Library

_AGO = re.compile(r"(\d+)\s*([hdwmy])")
_NAME = re.compile(r"[\w.-]{1,64}")
_HOURS = {"h": 1, "d": 24, "w": 168, "m": 730, "y": 8766}


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """Which logs to read."""

    person: Annotated[
        tuple[str, ...], Parameter(help="NAME=PATH: the logs at PATH are NAME's. May be given several times.")
    ] = ()
    project: Annotated[
        Path | None, Parameter(help="Only sessions in this folder's project, such as . for this one.")
    ] = None
    since: Annotated[str, Parameter(help="Only logs changed since: 90d, 12h, 6w, or a date such as 2026-05-01.")] = ""
    exclude: Annotated[tuple[str, ...], Parameter(help="Leave out logs under this folder or matching this glob.")] = ()
    include_entrypoint: Annotated[
        tuple[str, ...], Parameter(help="A front end that logs as sdk-* and that a person types in; needs --under.")
    ] = ()
    under: Annotated[tuple[Path, ...], Parameter(help="The folder in which --include-entrypoint holds.")] = ()


EVERYWHERE = Where()

RequestFile = Annotated[Path, Parameter(help="File with what is asked for.")]
HistoryFolder = Annotated[Path | None, Parameter(help="Folder of texts that the person wrote before; five are used.")]


def shown_texts(folder: Path | None) -> Histories:
    """The texts of a folder that a model is shown; none where none is named.

    Raises:
        ConfigError: there is no such folder, or it cannot be listed.
    """
    from ingrained.learn.grain import HISTORIES
    from ingrained.learn.texts import Histories, histories

    return histories(folder, HISTORIES) if folder else Histories()


def tell_left(shown: Histories, options: Options) -> None:
    """Say which files of the folder are not shown, and why."""
    for one in shown.left:
        say(f"not shown: {one.path.name}: {one.why}", options)


def roots(paths: tuple[Path, ...], where: Where) -> Roots:
    """What the options mean, as the learner takes it.

    Raises:
        ConfigError: an option does not parse, or one of a pair is missing.
    """
    from ingrained.ids import PersonId
    from ingrained.learn.reading import ME, Roots

    places = [(ME, path) for path in paths]
    for entry in where.person:
        name, sign, path = entry.partition("=")
        if not sign or not _NAME.fullmatch(name) or not path:
            raise ConfigError(f"--person {entry!r} is not NAME=PATH (a name of letters, digits, . _ -)")
        places.append((PersonId(name), Path(path)))
    if bool(where.include_entrypoint) != bool(where.under):
        raise ConfigError(
            "--include-entrypoint and --under belong together",
            hint="ingrained learn --include-entrypoint sdk-ts --under ~/your/project",
        )
    fronts = frozenset(
        (front, str(folder.expanduser().resolve())) for front in where.include_entrypoint for folder in where.under
    )
    return Roots(
        places=tuple(places),
        since=moment(where.since, "--since") if where.since else None,
        exclude=where.exclude,
        project=where.project,
        include_entrypoints=fronts,
    )


def person_name(text: str, option: str) -> str:
    """The name of a person, as `--person NAME=PATH` takes it.

    Raises:
        ConfigError: it is none.
    """
    if not _NAME.fullmatch(text):
        raise ConfigError(f"{option} {text!r} is no name of a person: 1 to 64 letters, digits, . _ -")
    return text


def moment(text: str, option: str) -> datetime:
    """A time in UTC from `90d` (hours, days, weeks, months, years ago) or a date.

    Raises:
        ConfigError: it is neither.
    """
    ago = _AGO.fullmatch(text.strip().lower())
    if ago:
        return datetime.now(UTC) - timedelta(hours=int(ago.group(1)) * _HOURS[ago.group(2)])
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise ConfigError(f"{option} {text!r} is neither a time ago (90d, 12h, 6w) nor a date (2026-05-01)") from error
    return found if found.tzinfo else found.replace(tzinfo=UTC)


class Steps:
    """Progress over several steps, each with a bar of its own; a context manager, called with (what, done, total)."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self._what = ""
        self._done = 0
        self._bar: Progress | None = None

    def __enter__(self) -> Steps:
        return self

    def __call__(self, what: str, done: int, total: int) -> None:
        """Say where the step called `what` stands."""
        if what != self._what:
            self._close()
            unit = "B" if what == "reading" else "turns"
            self._what, self._done = what, 0
            self._bar = Progress(what, total=total, unit=unit, options=self._options).__enter__()
        if self._bar is not None:
            self._bar.advance(done - self._done)
        self._done = done

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.__exit__(None, None, None)
            self._bar = None

    def __exit__(self, *_: object) -> None:
        self._close()


def home_words(home: Path | None) -> str:
    """` --home DIR` for commands that a report suggests, or nothing where the default home is in use."""
    return f" --home {shlex.quote(str(home))}" if home is not None else ""


def same_words(paths: tuple[Path, ...], where: Where, home: Path | None) -> str:
    """The paths and options of reading as they were given, for the command that a report suggests next."""
    given = [
        ("--person", where.person),
        ("--project", (where.project,) if where.project else ()),
        ("--since", (where.since,) if where.since else ()),
        ("--exclude", where.exclude),
        ("--include-entrypoint", where.include_entrypoint),
        ("--under", where.under),
    ]
    words = [str(path) for path in paths] + [str(word) for name, values in given for v in values for word in (name, v)]
    return "".join(f" {shlex.quote(word)}" for word in words) + home_words(home)


def carry_out(
    library: Library,
    plan: Plan,
    user: Path,
    *,
    dry_run: bool,
    yes: bool,
    json: bool,
    options: Options,
    then: Callable[[], None] = lambda: None,
) -> int:
    """Show what a plan would change, ask, and do it; the exit code.

    What needs no answer is done before anything is printed, and so is `then`: a reader that closes the pipe after one
    line cuts off the text, not the work.
    """
    from ingrained.install.apply import apply
    from ingrained.install.request import shape
    from ingrained.report.placing import applied_text, plan_text

    for line in plan_text(plan, user):
        say(line, options)
    if plan.changes_nothing or dry_run:
        if not dry_run:
            then()
        emit(shape(plan), json=json, renderer=lambda _: plan.diff(user))
        return 0
    if not json and not yes:
        emit(plan.diff(user), json=False, renderer=str)
    if not confirm("Write this?", yes=yes):
        return 1
    done = apply(library, plan, say=lambda text: say(text, options))
    then()
    if not json and yes:
        emit(plan.diff(user), json=False, renderer=str)
    emit(shape(plan, done), json=json, renderer=lambda _: applied_text(done, user, undoable=plan.what == "install"))
    return 0
