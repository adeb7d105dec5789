"""Logs that are text and no records: their lines, as the file has them."""

from __future__ import annotations

from pathlib import Path

from ingrained.session.jsonl import CAP, Tally, scrub


def text_lines(path: Path, tally: Tally) -> list[str]:
    """The lines of a file; only a line feed ends one, with or without a return before it.

    Args:
        path: the file.
        tally: takes bytes that are no UTF-8, NUL bytes as left by a power cut, and what lies beyond the cap.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        data = file.read(CAP + 1).removeprefix(b"\xef\xbb\xbf")
    if not data:
        tally.add("empty", 1)
    if len(data) > CAP:
        data = data[:CAP]
        tally.add("oversize", data.count(b"\n") + 1)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        tally.add("encoding", data.count(b"\n", 0, error.start) + 1)
        text = data.decode("utf-8", "replace")
    if "\0" in text:
        tally.add("cut", text.count("\n", 0, text.index("\0")) + 1)
        text = text.replace("\0", "")
    return [scrub(line.removesuffix("\r")) for line in text.split("\n")]
