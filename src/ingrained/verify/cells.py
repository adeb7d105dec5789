"""Spreadsheets: a program is run on each test case of a task, and the cells that it should have filled are compared.

As in SpreadsheetBench a task has several cases, which are the same work on other values, so that a program that wrote
one answer down fails the others. Soft is the share of the cases that pass, hard is whether all do. The decision to
know: the program is the last fenced block of the answer, it reads `input.xlsx` and writes `output.xlsx` in a folder of
its own (`harness.sandbox`), and whatever keeps it from that is a case that fails; only where nothing can be run safely
at all is it an error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Literal

from anyio.to_thread import run_sync
from pydantic import Field, JsonValue

from ingrained.errors import ConfigError
from ingrained.harness.base import Task, Trace, options_of
from ingrained.harness.sandbox import Limits, Ran, run_python
from ingrained.model.base import Model
from ingrained.skill.rule import Frozen
from ingrained.verify.base import Checked, Verifier, known_as, unanswered
from ingrained.verify.fenced import last_block
from ingrained.verify.score import Score
from ingrained.verify.sheets import Span, difference, opened, spans

INPUT: Final = "input.xlsx"
OUTPUT: Final = "output.xlsx"


class Case(Frozen):
    """One test case: where its workbooks lie."""

    input: str
    answer: str


class Known(Frozen):
    """`known` of such a task."""

    answer_position: str
    """Which cells count: `verify.sheets.spans`."""
    answer_sheet: str = ""
    """The sheet of a position that names none; several, with commas, name none."""
    cases: tuple[Case, ...] = Field(min_length=1)


class Options(Frozen):
    """Options of the verifier."""

    score: Literal["hard", "soft"] = "hard"
    """Which of the two is the outcome; both are among the parts."""
    allow_unconfined: bool = False
    """Run programs also where they cannot be confined; `why` then says so."""
    limits: Limits = Limits()


class Cells:
    """Checks workbooks."""

    def __init__(self, options: Options | None = None) -> None:
        self._options = options or Options()

    async def check(self, task: Task, trace: Trace) -> Checked:
        """Hard or soft score, with the parts `hard`, `soft`, `case 1` and so on. Cost: about a second a case.

        Raises:
            ConfigError: the task is none for this verifier, or its files are not there.
            EnvironmentFaultError: programs cannot be confined here, and `allow_unconfined` is not set.
        """
        known = known_as(task, Known)
        try:
            wanted = spans(known.answer_position, "" if "," in known.answer_sheet else known.answer_sheet)
        except ValueError as error:
            raise ConfigError(f"task {task.id!r}: known.answer_position: {error}") from error
        if (none := unanswered(trace)) is not None:
            return Checked(outcome=none)
        code = last_block(trace.answer)
        wrong: list[str] = []
        marked = ""
        for case in known.cases:
            ran = await run_python(
                code,
                files={INPUT: _bytes(task, case.input)},
                wanted=[OUTPUT],
                limits=self._options.limits,
                allow_unconfined=self._options.allow_unconfined,
            )
            marked = "" if ran.enforced.confined else ran.enforced.told
            wrong.append(await _wrong(task, case, ran, wanted))
        return self._checked(wrong, marked)

    def _checked(self, wrong: Sequence[str], marked: str) -> Checked:
        passed = [not one for one in wrong]
        parts = {
            "hard": Score(value=float(all(passed))),
            "soft": Score(value=sum(passed) / len(passed)),
            **{f"case {number}": Score(value=float(one)) for number, one in enumerate(passed, start=1)},
        }
        said = [f"case {number}: {one}" for number, one in enumerate(wrong, start=1) if one]
        why = "; ".join([f"{sum(passed)} of {len(passed)} cases", *said, *([marked] if marked else [])])
        return Checked(outcome=parts[self._options.score], parts=parts, why=why)


def cells(_judge: Model | None, options: Mapping[str, JsonValue], /) -> Verifier:
    """The verifier `cells`; options: `score`, `allow_unconfined`, `limits`.

    Raises:
        ConfigError: an option is unknown or wrong.
    """
    return Cells(options_of("verifier 'cells'", Options, options))


async def _wrong(task: Task, case: Case, ran: Ran, wanted: Sequence[Span]) -> str:
    """Why a case fails; empty where it passes."""
    if ran.ended != "done":
        return ran.told
    if OUTPUT not in ran.files:
        return f"it wrote no {OUTPUT}"
    gold = _bytes(task, case.answer)
    try:
        return await run_sync(_compared, gold, ran.files[OUTPUT], wanted)
    except ValueError as error:
        raise ConfigError(f"task {task.id!r}: {case.answer}: {error}") from error


def _compared(gold: bytes, made: bytes, wanted: Sequence[Span]) -> str:
    right = opened(gold)
    try:
        done = opened(made)
    except ValueError as error:
        return f"{OUTPUT} is {error}"
    return difference(right, done, wanted)


def _bytes(task: Task, path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise ConfigError(
            f"task {task.id!r}: {path}: {error.strerror}",
            hint="the task was made from data that has moved: load it again",
        ) from error
