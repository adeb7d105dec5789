"""Two workbooks, compared at the cells that a task names.

Follows the public evaluation of SpreadsheetBench (arXiv 2406.14991; github.com/RUCKBReasoning/SpreadsheetBench,
`evaluation/evaluation.py`): values and not formats; numbers to two decimals, whether written as numbers, as text or as
true and false; points in time as whole days since 1899-12-30, so that they meet the numbers that Excel keeps; times of
day to the minute; nothing and an empty text are alike; all else has to be the same. A formula counts by the value that
is stored beside it. The departures: text that reads as no finite number stays text, and places are also read where
their quotation marks are misplaced, as they are in the benchmark.
"""

from __future__ import annotations

import datetime as dt
import math
import re
import threading
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Final, TypeAlias

from ingrained.registry import missing

Workbook: TypeAlias = Any
"""openpyxl's; it brings no types."""
Value: TypeAlias = float | str | dt.date | dt.timedelta | None
MOST_CELLS: Final = 2_000_000
MOST_UNPACKED: Final = 1 << 25
"""Bytes; what a program wrote is read here, and few bytes unpack to many. The benchmark's stay under 1 MB."""

_DAY_ZERO: Final = dt.datetime(1899, 12, 30)  # noqa: DTZ001 - workbooks know no zones
_SECONDS: Final = 86400
_QUOTES: Final = "'‘’ \t\u00a0"
_SPAN: Final = re.compile(r"(?P<left>[A-Z]{1,3})(?P<top>\d*)(?::(?P<right>[A-Z]{0,3})(?P<bottom>\d*))?")
_ONE_READER: Final = threading.Lock()
"""Warnings are switched off while a workbook is read, which is for the whole process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A rectangle of cells; rows and columns from 1. A bottom of 0 is the last row of either workbook."""

    sheet: str
    """Empty for the first one."""
    left: int
    top: int
    right: int
    bottom: int


def spans(position: str, sheet: str = "") -> list[Span]:
    """What a place means: `B2`, `'Sheet 1'!A2:C9`, `A:G`, or several with commas.

    A span without a sheet has that of the span before it, else `sheet`, else the first of the workbook.

    Raises:
        ValueError: it names no cells, or too many.
    """
    found: list[Span] = []
    for part in position.split(","):
        before, _, cells = part.replace("：", ":").rpartition("!")
        named = before.rpartition("!")[2].strip(_QUOTES)
        # The mark may stand behind the sheet (`'A!B1'`), which leaves it at the end of the cells.
        place = _SPAN.fullmatch(cells.strip(_QUOTES).replace(" ", "").replace("$", "").upper())
        if place is None:
            raise ValueError(f"{part!r} names no cells")
        found.append(_span(place, named or (found[-1].sheet if found else sheet)))
    if sum((one.bottom - one.top + 1) * (one.right - one.left + 1) for one in found if one.bottom) > MOST_CELLS:
        raise ValueError(f"{position!r} names more than {MOST_CELLS:,} cells")
    return found


def _span(place: re.Match[str], sheet: str) -> Span:
    left = _column(place["left"])
    right = _column(place["right"]) if place["right"] else left
    whole = place["bottom"] is not None and not place["top"] and not place["bottom"]
    top = 1 if whole else int(place["top"] or 0)
    bottom = 0 if whole else top if place["bottom"] is None else int(place["bottom"] or 0)
    if right < left or not (whole or 1 <= top <= bottom):
        raise ValueError(f"{place[0]!r} names no cells")
    return Span(sheet=sheet, left=left, top=top, right=right, bottom=bottom)


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def plain(value: object) -> Value:
    """The form in which values are compared."""
    if isinstance(value, dt.datetime):
        since = value.replace(tzinfo=None) - _DAY_ZERO
        return float(round(since.days + since.seconds / _SECONDS))
    if isinstance(value, dt.time):
        return value.isoformat("minutes")
    if isinstance(value, bool | int | float):
        return round(float(value), 2)
    if isinstance(value, str):
        number = _number(value)
        return number if number is not None else value or None
    return value if isinstance(value, dt.date | dt.timedelta) or value is None else str(value)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return round(number, 2) if math.isfinite(number) else None


def alike(one: object, other: object) -> bool:
    """Whether two cells hold the same."""
    return plain(one) == plain(other)


def difference(right: Workbook, done: Workbook, wanted: Sequence[Span]) -> str:
    """The first cell of `done` that differs from the expected one, in a phrase; empty where none does.

    Raises:
        ValueError: the expected workbook lacks a sheet.
    """
    for span in wanted:
        expected, found = (_sheet(book, span.sheet or right.sheetnames[0]) for book in (right, done))
        if expected is None:
            raise ValueError(f"the expected workbook has no sheet {span.sheet!r}, only {right.sheetnames!r}")
        if found is None:
            return f"no sheet {expected.title!r}"
        for place, one, other in _cells(expected, found, span):
            if not alike(one, other):
                return f"{expected.title}!{place}: expected {one!r}, found {other!r}"[:300]
    return ""


def opened(data: bytes) -> Workbook:
    """A workbook with the stored values of its formulas. Cost: 0.1 s and more, all of it in memory.

    Raises:
        ValueError: it is none, or unpacks to more than `MOST_UNPACKED`.
        MissingExtraError: openpyxl is not installed.
    """
    try:
        import openpyxl
    except ModuleNotFoundError as error:
        raise missing("workbooks", "openpyxl", "bench") from error
    with _ONE_READER, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with zipfile.ZipFile(BytesIO(data)) as packed:
                if (size := sum(one.file_size for one in packed.infolist())) > MOST_UNPACKED:
                    raise ValueError(f"it unpacks to {size:,} bytes, more than {MOST_UNPACKED:,}")
            return openpyxl.load_workbook(BytesIO(data), data_only=True)
        except Exception as error:
            raise ValueError(f"no workbook: {type(error).__name__}: {error}"[:300]) from error


def _sheet(book: Workbook, name: str) -> Any:
    """By its name, also where the place's own spaces were lost; None where there is none, or only a chart."""
    for one in book.worksheets:
        if one.title.strip(_QUOTES) == name.strip(_QUOTES):
            return one
    return None


def _cells(one: Any, other: Any, span: Span) -> Iterator[tuple[str, object, object]]:
    from openpyxl.utils.cell import get_column_letter

    bottom = span.bottom or min(max(one.max_row, other.max_row), MOST_CELLS // (span.right - span.left + 1))
    bounds = {"min_row": span.top, "max_row": bottom, "min_col": span.left, "max_col": span.right, "values_only": True}
    rows = zip(one.iter_rows(**bounds), other.iter_rows(**bounds), strict=True)
    for row, (right, done) in enumerate(rows, start=span.top):
        for column, (value, found) in enumerate(zip(right, done, strict=True), start=span.left):
            yield f"{get_column_letter(column)}{row}", value, found
