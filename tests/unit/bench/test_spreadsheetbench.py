"""SpreadsheetBench by path: what becomes a task, what is dropped, and the real data where a person has them.

The real data are looked for in `$INGRAINED_DATA/spreadsheetbench`; they are CC BY-SA and no part of this project.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from ingrained.bench.spreadsheetbench import load
from ingrained.bench.tasks import tasks_of
from ingrained.errors import ConfigError
from ingrained.harness.base import Task, Trace
from ingrained.verify.base import VERIFIERS
from ingrained.verify.cells import Known
from ingrained.verify.score import Score
from ingrained.verify.sheets import Span, alike, difference, opened, spans
from workbooks import workbook

ROW: dict[str, object] = {
    "id": 7,
    "instruction": "Add the two columns up, please.",
    "spreadsheet_path": "spreadsheet/7",
    "instruction_type": "Cell-Level Manipulation",
    "answer_position": "C1:C2",
}


def write(root: Path, *rows: dict[str, object], cases: int = 2) -> Path:
    (root / "set").mkdir()
    (root / "set" / "dataset.json").write_text(json.dumps(rows), encoding="utf-8")
    folder = root / "set" / "spreadsheet" / "7"
    folder.mkdir(parents=True)
    for number in range(1, cases + 1):
        table = [[number, 2, number + 2], [5, number, number + 5]]
        (folder / f"{number}_7_input.xlsx").write_bytes(workbook({"S": [one[:2] for one in table]}))
        (folder / f"{number}_7_answer.xlsx").write_bytes(workbook({"S": table}))
    return root


def test_named_by_place_they_come_with_their_verifier(tmp_path: Path) -> None:
    found = tasks_of(f"spreadsheetbench:{write(tmp_path, ROW)}")
    assert found == load(tmp_path)
    assert (len(found.tasks), found.verifier) == (1, "cells")


@pytest.mark.anyio
async def test_a_task_shows_the_first_input_and_can_be_done(tmp_path: Path) -> None:
    (task,) = load(write(tmp_path, ROW)).tasks
    assert (task.id, task.benchmark, task.family) == ("7", "spreadsheetbench", "Cell-Level Manipulation")
    assert "Add the two columns up, please." in task.request
    assert "A1=1 | B1=2" in task.request
    assert "C1=" not in task.request
    assert str(tmp_path) not in task.request
    code = (
        "import openpyxl\nbook = openpyxl.load_workbook('input.xlsx')\nfor row in book.active.iter_rows():\n"
        "    book.active.cell(row=row[0].row, column=3).value = row[0].value + row[1].value\nbook.save('output.xlsx')"
    )
    trace = Trace(task="7", worker="w", skill="", seed=0, answer=f"```python\n{code}\n```", stop="answered")
    checked = await VERIFIERS.load("cells")(None, {"allow_unconfined": True}).check(task, trace)
    assert checked.outcome == Score(value=1)


def test_what_cannot_be_a_task_is_dropped_with_its_reason(tmp_path: Path) -> None:
    rows = (
        {"id": 1},
        ROW,
        ROW,
        {**ROW, "id": 8, "spreadsheet_path": "spreadsheet/8"},
        {**ROW, "id": 9, "answer_position": "?"},
    )
    found = load(write(tmp_path, *rows))
    assert [one.id for one in found.tasks] == ["7"]
    assert [(one.place, one.why) for one in found.dropped] == [
        ("dataset.json:1", "field 'instruction' is missing or wrong"),
        ("dataset.json:3", "an id that came before"),
        ("dataset.json:4", "a workbook is missing"),
        ("dataset.json:5", "a position or workbook that cannot be read"),
    ]


def test_a_folder_without_tasks_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"no dataset\.json"):
        load(tmp_path)
    with pytest.raises(ConfigError, match="a workbook is missing"):
        load(write(tmp_path, ROW, cases=0))


DATA = Path(os.environ.get("INGRAINED_DATA", "")) / "spreadsheetbench"
real = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (os.environ.get("INGRAINED_DATA") and DATA.is_dir()), reason="INGRAINED_DATA has no such data"
    ),
]


@pytest.fixture(scope="module")
def cases() -> list[tuple[list[Span], Path, Path]]:
    """Of the real data: what counts, and the workbooks before and after."""
    found = []
    for task in load(DATA).tasks:
        known = Known.model_validate(task.known)
        wanted = spans(known.answer_position, "" if "," in known.answer_sheet else known.answer_sheet)
        found += [(wanted, Path(one.input), Path(one.answer)) for one in known.cases]
    return found


class TestRealData:
    """Without a model: gold passes, nothing done fails, and so does what is wrong in one cell."""

    pytestmark = real

    def test_gold_passes_and_untouched_inputs_do_not(self, cases: list[tuple[list[Span], Path, Path]]) -> None:
        gold = untouched = 0
        for wanted, before, after in cases:
            right = opened(after.read_bytes())
            gold += not difference(right, opened(after.read_bytes()), wanted)
            untouched += not difference(right, opened(before.read_bytes()), wanted)
        assert (gold, untouched, len(cases)) == (141, 9, 141)

    def test_a_wrong_cell_and_a_shifted_sheet_fail(self, cases: list[tuple[list[Span], Path, Path]]) -> None:
        wrong = shifted = 0
        for wanted, _, after in cases:
            right, done = opened(after.read_bytes()), opened(after.read_bytes())
            for cell in Random(after.name).sample(cells := list(counted(done, wanted)), min(8, len(cells))):
                before = cell.value
                for other in others(before):
                    cell.value = other
                    assert f"!{cell.coordinate}: " in difference(right, done, wanted)
                    wrong += 1
                cell.value = before
            assert difference(right, done, wanted) == ""
            shifted += moved(done, wanted) and bool(difference(right, done, wanted))
        assert wrong > 2000
        assert shifted == sum(moved(opened(after.read_bytes()), wanted) for wanted, _, after in cases)
        assert shifted > 130

    @pytest.mark.anyio
    async def test_a_program_that_copies_the_gold_passes_and_one_that_copies_the_input_does_not(self) -> None:
        task = load(DATA).tasks[0]
        known = Known.model_validate(task.known)
        copies = "import shutil; shutil.copy('input.xlsx', 'output.xlsx')"
        swapped = {**task.known, "cases": [{"input": one.answer, "answer": one.answer} for one in known.cases]}
        verifier = VERIFIERS.load("cells")(None, {"allow_unconfined": True})
        trace = Trace(task=task.id, worker="w", skill="", seed=0, answer=copies, stop="answered")
        gold = Task.model_validate({**task.model_dump(), "known": swapped})
        assert (await verifier.check(gold, trace)).outcome == Score(value=1)
        assert (await verifier.check(task, trace)).outcome == Score(value=0)


def counted(book: Any, wanted: list[Span]) -> Iterator[Any]:
    """The cells that count and that can be written."""
    for span in wanted:
        sheet = next((one for one in book.worksheets if one.title == span.sheet), book.worksheets[0])
        for row in sheet.iter_rows(min_row=span.top, max_row=span.bottom, min_col=span.left, max_col=span.right):
            yield from (cell for cell in row if type(cell).__name__ == "Cell")


def others(value: object) -> list[object]:
    """A wrong value and a wrong type; text that says the number is the same to this benchmark."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    changed = [value + 1, f"about {value}"] if number else [f"{value}!", 12345.67]  # type: ignore[operator]
    return [one for one in (*changed, None) if not alike(one, value)]


def moved(book: Any, wanted: list[Span]) -> bool:
    """Shift what counts down by one row, in place; whether that changed anything."""
    changed = False
    for span in wanted:
        sheet = next((one for one in book.worksheets if one.title == span.sheet), book.worksheets[0])
        for column in range(span.left, span.right + 1):
            values = [sheet.cell(row=row, column=column).value for row in range(span.top, span.bottom + 1)]
            for row, value in enumerate([None, *values[:-1]], start=span.top):
                cell = sheet.cell(row=row, column=column)
                if type(cell).__name__ == "Cell":
                    changed |= not alike(cell.value, value)
                    cell.value = value
    return changed
