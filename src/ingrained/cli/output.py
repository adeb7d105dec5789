"""How commands speak: results on stdout, talk and progress on stderr, a question before a change.

Owns the options that every command shares (`--home`, `--quiet`, `--json`). The decision to know: nothing here ever lets
an escape code through that the reader's terminal did not ask for. Texts come out of other people's logs, so `emit`
and `say` make control characters visible, and colour exists only on a terminal without `NO_COLOR`.
"""

from __future__ import annotations

import json as jsonlib
import os
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, fields, is_dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TextIO, TypeVar

from cyclopts import Parameter

from ingrained.errors import ConfigError

if TYPE_CHECKING:
    from types import TracebackType

    from rich.progress import Progress as Bar
    from rich.progress import TaskID

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What every command takes."""

    home: Annotated[Path | None, Parameter(help="Folder for everything that ingrained owns (or INGRAINED_HOME).")] = (
        None
    )
    quiet: Annotated[bool, Parameter(name=("--quiet", "-q"), help="No talk or progress on stderr.")] = False


Shared = Annotated[Options, Parameter(name="*")]
"""Type of the last parameter of every command: `options: Shared = DEFAULTS`."""

DEFAULTS = Options()

Json = Annotated[bool, Parameter(name="--json", help="The result as one JSON document.")]
"""Type of the `json` parameter of every command that reads."""

Yes = Annotated[bool, Parameter(name=("--yes", "-y"), help="Do not ask.")]
"""Type of the `yes` parameter of every command that asks before it changes something."""


def emit(value: T, *, json: bool, renderer: Callable[[T], str]) -> None:
    """Print a command's one result on stdout: the value as JSON, or what `renderer` makes of it as text.

    JSON is indented, keeps other scripts readable and escapes every control character. Models, dataclasses, paths,
    times, sets (sorted) and tuples become plain JSON; NaN is refused.
    """
    if json:
        text = jsonlib.dumps(to_json(value), indent=2, ensure_ascii=False, allow_nan=False)
        print(_escape_controls(text))
        return
    text = visible(renderer(value), keep_style=has_colour(sys.stdout))
    print(text, end="" if text.endswith("\n") or not text else "\n")


def say(message: str, options: Options = DEFAULTS) -> None:
    """Print one message for the person on stderr, unless `--quiet`."""
    if not options.quiet:
        print(visible(message, keep_style=has_colour(sys.stderr)), file=sys.stderr)


def confirm(question: str, *, yes: bool = False, hint: str = "add --yes, or --dry-run to look only") -> bool:
    """Whether the person says yes; the question is on stderr, and anything but y or yes is a no.

    Args:
        question: what is asked.
        yes: the answer was given as an option.
        hint: what to do where nobody can be asked.

    Raises:
        ConfigError: there is nobody to ask (stdin is no terminal) and `yes` was not given.
    """
    if yes:
        return True
    if not sys.stdin.isatty():
        raise ConfigError(f"nobody to ask {question!r}: stdin is no terminal", hint=hint)
    print(visible(question), end=" [y/N] ", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


def style(text: str, how: Literal["bold", "dim", "red", "green", "yellow"], stream: TextIO | None = None) -> str:
    """The text in a style where the stream (stdout by default) shows colour, else the text alone."""
    code = {"bold": 1, "dim": 2, "red": 31, "green": 32, "yellow": 33}[how]
    return f"\x1b[{code}m{text}\x1b[0m" if has_colour(stream or sys.stdout) else text


def has_colour(stream: TextIO) -> bool:
    """Whether escape codes are welcome: a terminal that is not dumb, and no `NO_COLOR` (any value but empty)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "") not in {"", "dumb"}


_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_CONTROL_BUT_STYLE = re.compile("(\x1b\\[[0-9;]*m)|[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def visible(text: str, *, keep_style: bool = False) -> str:
    r"""The text with control characters spelled out (`\x1b`), so that a quoted log cannot drive the terminal.

    Line ends and tabs stay; `keep_style` lets colour codes through, which cannot move the cursor or clear the screen.
    """
    if keep_style:
        return _CONTROL_BUT_STYLE.sub(lambda m: m[1] or f"\\x{ord(m[0]):02x}", text)
    return _CONTROL.sub(lambda m: f"\\x{ord(m[0]):02x}", text)


def _escape_controls(text: str) -> str:
    """JSON text with DEL and the C1 controls as JSON escapes; `json` itself escapes only those below the space."""
    return re.sub("[\x7f-\x9f]", lambda m: f"\\u{ord(m[0]):04x}", text)


def to_json(value: object) -> object:
    """The value as what `json` can write.

    Raises:
        TypeError: for a type that has no agreed JSON form.
    """
    if value is None or isinstance(value, str | bool | int | float):
        return value
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return dump(mode="json")
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_json(item) for key, item in value.items()}
    if isinstance(value, AbstractSet):
        return sorted((to_json(item) for item in value), key=repr)
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [to_json(item) for item in value]
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no agreed JSON form")


class Progress:
    """A progress line with the time left on stderr: a live bar on a terminal, else one line now and then.

    Silent with `--quiet`. Use as a context manager and call `advance`; `total` and the amounts are in `unit`.
    """

    def __init__(
        self,
        label: str,
        *,
        total: int,
        unit: Literal["B", "files", "turns", "worlds"] = "files",
        options: Options = DEFAULTS,
        every_s: float = 10.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._label = label
        self._total = total
        self._unit = unit
        self._quiet = options.quiet
        self._every_s = every_s
        self._clock = clock
        self._done = 0
        self._started = self._told = clock()
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Progress:
        if not self._quiet and has_colour(sys.stderr):
            from rich.console import Console
            from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
            from rich.progress import Progress as RichProgress

            columns = (TextColumn("{task.description}", markup=False), BarColumn(), TaskProgressColumn())
            self._bar = RichProgress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task(visible(self._label), total=self._total)
        return self

    def advance(self, amount: int = 1) -> None:
        """Count `amount` more as done."""
        self._done += amount
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, advance=amount)
        elif not self._quiet and self._clock() - self._told >= self._every_s:
            self._told = self._clock()
            print(visible(self.line()), file=sys.stderr, flush=True)

    def line(self) -> str:
        """Where it stands, as one line: `reading 12/40 files, about 7 s left`."""
        left = self.seconds_left()
        tail = "" if left is None else f", about {left:.0f} s left"
        if self._unit == "B":
            return f"{self._label} {self._done / 1e6:.0f}/{self._total / 1e6:.0f} MB{tail}"
        return f"{self._label} {self._done}/{self._total} {self._unit}{tail}"

    def seconds_left(self) -> float | None:
        """The time that the rest takes at the mean rate so far; `None` before anything is done."""
        spent = self._clock() - self._started
        if self._done <= 0 or spent <= 0:
            return None
        return max(0.0, (self._total - self._done) * spent / self._done)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
