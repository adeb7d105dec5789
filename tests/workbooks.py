"""Workbooks for tests, made in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO


def workbook(sheets: Mapping[str, Sequence[Sequence[object]]]) -> bytes:
    """A workbook with these rows from A1 on in each sheet."""
    import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row, values in enumerate(rows, start=1):
            for column, value in enumerate(values, start=1):
                sheet.cell(row=row, column=column).value = value
    data = BytesIO()
    book.save(data)
    return data.getvalue()
