"""SpreadsheetBench (arXiv 2406.14991): instructions from forums, each with workbooks before and after, by path.

Reads the layout of github.com/RUCKBReasoning/SpreadsheetBench: a folder with `dataset.json` (or one folder above) and
`spreadsheet/ID/N_ID_input.xlsx`, `N_ID_answer.xlsx`. The data are CC BY-SA and are never copied: a task knows where its
workbooks lie. Only the input of the first case is shown to a worker. Tasks have no common source; those of one kind
(cells or a whole sheet) count as tied to the same evidence, since it is what the benchmark itself reports by.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from pydantic import Field

from ingrained.bench.tasks import TaskSet, path_of
from ingrained.bench.writing.document import SHOWN, Dropped, told
from ingrained.bench.writing.rows import Row, rows
from ingrained.errors import ConfigError
from ingrained.harness.base import Task
from ingrained.verify.cells import INPUT, OUTPUT, Case, Known
from ingrained.verify.sheets import opened, spans

NAME: Final = "spreadsheetbench"
SHOWN_ROWS: Final = 6
SHOWN_COLUMNS: Final = 14
_SHOWN_TEXT: Final = 40
_CASE: Final = re.compile(r"(?P<number>\d+)_.*_input\.xlsx", re.DOTALL)


class _Row(Row):
    id: str | int
    instruction: str = Field(min_length=1)
    spreadsheet_path: str
    instruction_type: str
    answer_position: str
    answer_sheet: str | None = None


def at(place: str) -> TaskSet:
    """The tasks of `spreadsheetbench:PLACE`.

    Raises:
        ConfigError, MissingExtraError: nothing is there, or as `load` says.
    """
    return load(path_of(NAME, place, "the folder of SpreadsheetBench, with dataset.json and its workbooks"))


def load(folder: Path) -> TaskSet:
    """The tasks that can be run; a row that is none, or that lacks workbooks, is dropped with its reason.

    Cost: the first workbook of each task is read, about 0.1 s.

    Raises:
        ConfigError: there is no such data, or none of it can be used.
        MissingExtraError: openpyxl is not installed.
    """
    found = [one for one in (folder / "dataset.json", *sorted(folder.glob("*/dataset.json"))) if one.is_file()]
    if not found:
        hint = "docs/papers.md says where the data are from"
        raise ConfigError(f"{folder}: no dataset.json, here or one folder below", hint=hint)
    tasks: dict[str, Task] = {}
    dropped: list[Dropped] = []
    for place, row in rows(found[0], _Row):
        made = row if isinstance(row, Dropped) else _task(row, found[0].parent, place)
        if isinstance(made, Task) and made.id in tasks:
            made = Dropped(place=place, why="an id that came before", detail=made.id)
        if isinstance(made, Dropped):
            dropped.append(made)
        else:
            tasks[made.id] = made
    if not tasks:
        raise ConfigError(f"{found[0]}: no task can be used: {'; '.join(told(one) for one in dropped[:SHOWN])}")
    return TaskSet(tasks=tuple(tasks.values()), dropped=tuple(dropped), verifier="cells")


def _task(row: _Row, root: Path, place: str) -> Task | Dropped:
    folder = root / row.spreadsheet_path
    inputs = {int(found["number"]): one for one in folder.glob("*.xlsx") if (found := _CASE.fullmatch(one.name))}
    cases = [(inputs[number], _answer(inputs[number])) for number in sorted(inputs)]
    lacking = [answer.name for _, answer in cases if not answer.is_file()] or ([] if cases else [row.spreadsheet_path])
    if lacking:
        return Dropped(place=place, why="a workbook is missing", detail=", ".join(lacking))
    known = Known(
        answer_position=row.answer_position,
        answer_sheet=row.answer_sheet or "",
        cases=tuple(Case(input=str(one), answer=str(other)) for one, other in cases),
    )
    try:
        spans(known.answer_position)
        shown = preview(cases[0][0].read_bytes())
    except ValueError as error:
        return Dropped(place=place, why="a position or workbook that cannot be read", detail=str(error))
    return Task(
        id=str(row.id),
        benchmark=NAME,
        family=row.instruction_type,
        request=request(row.instruction, row.instruction_type, row.answer_position, shown),
        known=known.model_dump(mode="json"),
    )


def _answer(path: Path) -> Path:
    return path.with_name(path.name.removesuffix("_input.xlsx") + "_answer.xlsx")


def request(instruction: str, kind: str, position: str, shown: str) -> str:
    """What a worker is asked."""
    return "\n".join(
        [
            "Write a Python program that does to a workbook what a person asks for.",
            f"It is started in a folder with {INPUT} and writes the finished workbook there as {OUTPUT}; openpyxl is",
            "installed. Nothing computes formulas afterwards, so write values. It will also be run on workbooks of the",
            "same layout with other values. Answer with the whole program in one fenced block.",
            "",
            f"What the person asks for ({kind}):",
            instruction.strip(),
            "",
            f"The cells that count: {position}",
            "",
            f"The beginning of {INPUT}:",
            shown,
        ]
    )


def preview(data: bytes) -> str:
    """The first rows and columns of each sheet, with its name and size.

    Raises:
        ValueError: it is no workbook.
    """
    return "\n".join(_sheet(one) for one in opened(data).worksheets)


def _sheet(sheet: Any) -> str:
    lines = [f"Sheet {sheet.title!r}, cells {sheet.dimensions}"]
    area = sheet.iter_rows(max_row=min(sheet.max_row, SHOWN_ROWS), max_col=min(sheet.max_column, SHOWN_COLUMNS))
    for cells in area:
        held = [f"{one.coordinate}={_short(one.value)}" for one in cells if one.value is not None]
        lines += ["  " + " | ".join(held)] if held else []
    return "\n".join(lines)


def _short(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= _SHOWN_TEXT else text[: _SHOWN_TEXT - 1] + "…"
