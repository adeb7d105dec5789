"""Logs that are text and no records: their lines, as the file has them."""

from __future__ import annotations

from collections.abc import Iterable

from ingrained.session.jsonl import Line, Tally, scrub


def text_lines(lines: Iterable[Line], tally: Tally) -> list[str]:
    """The lines of a file that is handed on as one piece; only a line feed ends one, with or without a return.

    Args:
        lines: the one piece.
        tally: takes bytes that are no UTF-8, and NUL bytes as left by a power cut.
    """
    data = b"".join(piece for _, piece in lines)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        tally.add("encoding", data.count(b"\n", 0, error.start) + 1)
        text = data.decode("utf-8", "replace")
    if "\0" in text:
        tally.add("cut", text.count("\n", 0, text.index("\0")) + 1)
        text = text.replace("\0", "")
    return [scrub(line.removesuffix("\r")) for line in text.split("\n")]
