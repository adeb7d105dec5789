"""Workbooks compared: places, forms of values, and that what is wrong is found."""

from __future__ import annotations

import datetime as dt
import zipfile
from io import BytesIO

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ingrained.verify import sheets
from ingrained.verify.sheets import Span, alike, difference, opened, plain, spans
from workbooks import workbook


def at(year: int, month: int, day: int, hour: int = 0) -> dt.datetime:
    return dt.datetime(year, month, day, hour)  # noqa: DTZ001 - workbooks know no zones


def span(sheet: str, left: int, top: int, right: int, bottom: int) -> Span:
    return Span(sheet=sheet, left=left, top=top, right=right, bottom=bottom)


@pytest.mark.parametrize(
    ("position", "sheet", "found"),
    [
        ("B2", "", [span("", 2, 2, 2, 2)]),
        ("A1:C9", "Out", [span("Out", 1, 1, 3, 9)]),
        ("'Sheet 1'!$A$2:$AB$9", "Out", [span("Sheet 1", 1, 2, 28, 9)]),
        ("Sheet1!B2:B6", "", [span("Sheet1", 2, 2, 2, 6)]),
        ("'One'!A1,'Two'!B2:B3", "", [span("One", 1, 1, 1, 1), span("Two", 2, 2, 2, 3)]),
        ("'One!'A1:B2,'Two!'C3'", "", [span("One", 1, 1, 2, 2), span("Two", 3, 3, 3, 3)]),
        ("'One!A1:B2','Two!C3'", "", [span("One", 1, 1, 2, 2), span("Two", 3, 3, 3, 3)]),
        ("One'!A1", "", [span("One", 1, 1, 1, 1)]),
        ("'One'!'B2:C3", "", [span("One", 2, 2, 3, 3)]),
        ("'One'!A1:A2, C1", "Out", [span("One", 1, 1, 1, 2), span("One", 3, 1, 3, 1)]),
        ("'One'!A:G", "", [span("One", 1, 1, 7, 0)]),
        ("'One'!BD2:308", "", [span("One", 56, 2, 56, 308)]),
        ("k4：K35", "", [span("", 11, 4, 11, 35)]),
        ("\u00a0'ورقة1'!C2", "", [span("ورقة1", 3, 2, 3, 2)]),
        ("'O'Neil'!B4", "", [span("O'Neil", 2, 4, 2, 4)]),
    ],
)
def test_a_position_is_read_as_it_is_meant(position: str, sheet: str, found: list[Span]) -> None:
    assert spans(position, sheet) == found


@pytest.mark.parametrize(
    "position", ["", "Sheet1", "1:2", "B2:A1", "A9:A1", "A0", "A0:A3", "A1:G", "A:G5", "A", "A1;B2", "A1:XFD999999"]
)
def test_what_names_no_cells_is_an_error_that_shows_it(position: str) -> None:
    with pytest.raises(ValueError, match="cells"):
        spans(position)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (None, "", True),
        (0, None, False),
        (0, "", False),
        (1.004, 1, True),
        (1.006, 1, False),
        ("3.10", 3.1, True),
        ("three", 3, False),
        ("Yes", "yes", False),
        ("a ", "a", False),
        (True, 1, True),
        (True, "TRUE", False),
        (at(2024, 1, 1), 45292, True),
        (at(2024, 1, 1, 8), at(2024, 1, 1, 9), True),
        (at(2024, 1, 1), at(2024, 1, 2), False),
        (at(2024, 1, 1), "2024-01-01", False),
        (dt.time(8, 30, 10), "08:30", True),
        (dt.time(8, 30), dt.time(8, 31), False),
        (dt.timedelta(hours=30), dt.timedelta(hours=30), True),
        (dt.timedelta(hours=30), 1.25, False),
        ("nan", "nan", True),
        ("inf", "1e999", False),
    ],
)
def test_values_meet_in_their_plain_form(one: object, other: object, same: bool) -> None:
    assert alike(one, other) is same
    assert alike(other, one) is same


values = st.one_of(
    st.none(),
    st.integers(-(10**6), 10**6),
    st.floats(-1e6, 1e6, allow_nan=False).map(lambda number: round(number, 3)),
    st.booleans(),
    st.text(st.sampled_from("abc XYZ é5."), max_size=6),
    st.datetimes(at(1950, 1, 1), at(2050, 1, 1)).map(lambda moment: moment.replace(microsecond=0)),
)
tables = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(values, min_size=width, max_size=width), min_size=2, max_size=5)
)


@given(values, values)
def test_being_alike_is_an_equivalence_by_form(one: object, other: object) -> None:
    assert alike(one, one)
    assert alike(one, other) == alike(other, one) == (plain(one) == plain(other))


@settings(max_examples=40, deadline=None)
@given(tables, st.data())
def test_a_table_is_like_itself_and_a_wrong_value_or_type_is_found_where_it_stands(
    table: list[list[object]], data: st.DataObject
) -> None:
    right, done = opened(workbook({"S": table})), opened(workbook({"S": table}))
    wanted = [span("S", 1, 1, len(table[0]), len(table))]
    assert difference(right, done, wanted) == ""
    row, column = data.draw(st.integers(1, len(table))), data.draw(st.integers(1, len(table[0])))
    cell = done["S"].cell(row=row, column=column)
    before = cell.value
    others = [
        0 if before is None else None,
        "some other text",
        7_654_321.5,
        not before if isinstance(before, bool) else "x",
    ]
    cell.value = data.draw(st.sampled_from([one for one in others if not alike(one, before)]))
    assert difference(right, done, wanted).startswith(f"S!{cell.coordinate}: expected ")
    assert difference(right, done, spans("Z99,'S'!A90:B91")) == ""


@settings(max_examples=40, deadline=None)
@given(tables)
def test_a_shifted_table_is_found_unless_it_looks_the_same(table: list[list[object]]) -> None:
    shifted = [[None] * len(table[0]), *table[:-1]]
    assume(
        any(
            not alike(one, other)
            for row, moved in zip(table, shifted, strict=True)
            for one, other in zip(row, moved, strict=True)
        )
    )
    wanted = [span("S", 1, 1, len(table[0]), len(table))]
    assert difference(opened(workbook({"S": table})), opened(workbook({"S": shifted})), wanted)


def test_sheets_are_found_by_name_and_else_the_first_one_counts() -> None:
    right = opened(workbook({"One": [[1]], "Two ": [[2]]}))
    assert difference(right, opened(workbook({"Two ": [[2]], "One": [[1]]})), spans("A1,'Two '!A1")) == ""
    assert difference(right, opened(workbook({"One": [[1]]})), spans("'Two'!A1")) == "no sheet 'Two '"
    with pytest.raises(ValueError, match="no sheet 'Three'"):
        difference(right, right, spans("'Three'!A1"))


def test_whole_columns_end_with_the_longer_sheet() -> None:
    right = opened(workbook({"S": [[1], [2]]}))
    assert difference(right, opened(workbook({"S": [[1], [2]]})), spans("A:B")) == ""
    assert difference(right, opened(workbook({"S": [[1], [2], [3]]})), spans("A:B")) == "S!A3: expected None, found 3"


def test_a_formula_that_nobody_computed_is_empty() -> None:
    assert opened(workbook({"S": [["=1+1"]]}))["S"]["A1"].value is None


def test_what_is_no_workbook_or_unpacks_to_too_much_is_refused() -> None:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("xl/workbook.xml", bytes(sheets.MOST_UNPACKED + 1))
    assert len(packed.getvalue()) < 1 << 16
    for data, why in ((b"no zip", "no workbook"), (packed.getvalue(), "unpacks to")):
        with pytest.raises(ValueError, match=why):
            opened(data)
