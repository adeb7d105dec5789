"""The verifier `cells`: a program on several cases, soft and hard, and what is said of one that fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingrained.errors import ConfigError
from ingrained.harness.base import Stop, Task, Trace
from ingrained.verify.base import VERIFIERS, Checked
from ingrained.verify.score import Score, Unscored
from workbooks import workbook

DOUBLES = """
import openpyxl
book = openpyxl.load_workbook("input.xlsx")
for row in range(1, book["S"].max_row + 1):
    book["S"].cell(row=row, column=2).value = book["S"].cell(row=row, column=1).value * 2
book.save("output.xlsx")
"""
KNOWS_ONE = """
import openpyxl
book = openpyxl.load_workbook("input.xlsx")
book["S"]["B1"], book["S"]["B2"] = 2, 4
book.save("output.xlsx")
"""


@pytest.fixture
def task(tmp_path: Path) -> Task:
    """Column B is to be twice column A, in three cases."""
    cases = []
    for number, column in enumerate(([1, 2], [5, 7], [0, 9]), start=1):
        for kind, rows in (("input", [[one] for one in column]), ("answer", [[one, 2 * one] for one in column])):
            (tmp_path / f"{number}_{kind}.xlsx").write_bytes(workbook({"S": rows}))
        cases.append(
            {"input": str(tmp_path / f"{number}_input.xlsx"), "answer": str(tmp_path / f"{number}_answer.xlsx")}
        )
    known = {"answer_position": "B1:B2", "answer_sheet": "S", "cases": cases}
    return Task.model_validate({"id": "t1", "benchmark": "invented", "request": "Double it.", "known": known})


async def check(task: Task, answer: str, stop: Stop = "answered", **options: object) -> Checked:
    trace = Trace(task=task.id, worker="w", skill="", seed=0, answer=answer, stop=stop, reason="no server")
    verifier = VERIFIERS.load("cells")(None, {"allow_unconfined": True, **options})  # type: ignore[dict-item]
    return await verifier.check(task, trace)


@pytest.mark.anyio
async def test_a_program_that_does_the_work_passes_all_cases(task: Task) -> None:
    checked = await check(
        task, f"First I thought\n```python\nraise SystemExit(1)\n```\nbut:\n```python\n{DOUBLES}```\nDone."
    )
    assert checked.outcome == Score(value=1.0)
    assert set(checked.parts) == {"hard", "soft", "case 1", "case 2", "case 3"}
    assert checked.why.startswith("3 of 3 cases")


@pytest.mark.anyio
@pytest.mark.parametrize(("score", "value"), [("hard", 0.0), ("soft", pytest.approx(1 / 3))])
async def test_a_program_that_knows_one_answer_fails_the_other_cases(task: Task, score: str, value: float) -> None:
    checked = await check(task, KNOWS_ONE, score=score)
    assert isinstance(checked.outcome, Score)
    assert checked.outcome.value == value
    assert [checked.parts[f"case {number}"] for number in (1, 2, 3)] == [Score(value=1), Score(value=0), Score(value=0)]
    assert "case 2: S!B1: expected 10, found 2" in checked.why


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("I cannot do that.", "exit code 1: SyntaxError"),
        ("", "it wrote no output.xlsx"),
        ("1 / 0", "exit code 1: ZeroDivisionError"),
        ("open('output.xlsx', 'w').write('no zip')", "output.xlsx is no workbook"),
        (DOUBLES.replace('"S"', '"T"'), "KeyError"),
        (DOUBLES.replace(" * 2", " * 2.1"), "found"),
        (DOUBLES.replace("column=2", "column=3"), "found None"),
        (DOUBLES.replace('book.save("output', 'book["S"].title = "T"; book.save("output'), "no sheet 'S'"),
        ("while True: pass", "SIGXCPU"),
    ],
)
async def test_whatever_keeps_a_program_from_its_output_is_a_case_that_fails(task: Task, code: str, why: str) -> None:
    one = task.model_copy(update={"known": {**task.known, "cases": task.known["cases"][:1]}})  # type: ignore[index]
    checked = await check(one, code, limits={"cpu_seconds": 3})
    assert checked.outcome == Score(value=0.0)
    assert why in checked.why


@pytest.mark.anyio
async def test_what_nobody_answered_is_unscored(task: Task) -> None:
    assert isinstance((await check(task, "", "parked")).outcome, Unscored)


@pytest.mark.anyio
async def test_what_is_no_task_or_no_option_is_an_error_that_names_it(task: Task) -> None:
    for change, why in (
        ({"cases": []}, r"'t1': known\.cases"),
        ({"answer_position": "nowhere at all"}, "names no cells"),
        ({"answer_position": "'X'!A1"}, "has no sheet 'X'"),
        ({"cases": [{"input": "gone.xlsx", "answer": "gone.xlsx"}]}, r"gone\.xlsx: No such file"),
    ):
        with pytest.raises(ConfigError, match=why):
            await check(task.model_copy(update={"known": {**task.known, **change}}), DOUBLES)
    with pytest.raises(ConfigError, match=r"'cells': option score 'best'"):
        await check(task, DOUBLES, score="best")
