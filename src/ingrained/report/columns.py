"""Tables for a terminal: each column as wide as its widest cell, two blanks between them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

_GAP = "  "


def columns(rows: Sequence[Sequence[str]], *, left: Collection[int] = (0,)) -> list[str]:
    """The rows as lines.

    Args:
        rows: of as many cells each, the head first.
        left: columns that begin at one place; the others end at one.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        _GAP.join(
            cell.ljust(width) if place in left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
