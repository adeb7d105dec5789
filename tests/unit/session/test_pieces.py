"""The elements of a JSON array out of a stream, whatever pieces it comes in and whatever is broken in it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingrained.session.jsonl import Row, Tally
from ingrained.session.readers.pieces import Pieces

MARKS = frozenset({"id"})
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
ROWS = st.lists(st.dictionaries(st.text(max_size=3), VALUES, max_size=3).map(lambda row: {"id": 1, **row}), max_size=6)


class Dribble:
    """A stream that gives a few bytes at a time."""

    def __init__(self, data: bytes, size: int) -> None:
        self.data, self.size = data, size

    def read(self, size: int = -1, /) -> bytes:
        part, self.data = self.data[: self.size], self.data[self.size :]
        return part

    def readline(self, size: int = -1, /) -> bytes:
        raise NotImplementedError


def pieces(data: bytes, *, size: int = 7, key: str = "", cap: int = 10_000) -> tuple[list[Row], Row, dict[str, int]]:
    tally = Tally()
    found = Pieces(Dribble(data, size), tally=tally, marks=MARKS, key=key, cap=cap)
    rows = [row for _, row in found]
    return rows, found.header, {damage.kind: damage.count for damage in tally.damage()}


@given(rows=ROWS, size=st.integers(1, 50), indent=st.sampled_from([None, 2]), is_ascii=st.booleans())
def test_every_element_in_whatever_pieces(rows: list[Row], size: int, indent: int | None, is_ascii: bool) -> None:
    data = json.dumps(rows, indent=indent, ensure_ascii=is_ascii).encode()
    assert pieces(data, size=size) == (rows, {}, {})
    assert pieces(b"\xef\xbb\xbf \n" + data + b"\n", size=size) == (rows, {}, {})


@given(rows=ROWS, size=st.integers(1, 50), before=VALUES, after=VALUES, is_ascii=st.booleans())
def test_an_array_within_a_document(rows: list[Row], size: int, before: object, after: object, is_ascii: bool) -> None:
    data = json.dumps({"a": before, "list": rows, "z": after}, ensure_ascii=is_ascii).encode()
    assert pieces(data, size=size, key="list") == (rows, {"a": before, "z": after}, {})


@given(rows=ROWS.filter(bool), cut=st.floats(0, 1, exclude_max=True), size=st.integers(1, 50))
def test_a_document_that_ends_early_gives_what_was_whole(rows: list[Row], cut: float, size: int) -> None:
    data = json.dumps(rows).encode()
    found, _, damage = pieces(data[: 1 + int(cut * (len(data) - 1))], size=size)
    assert found == rows[: len(found)]
    assert damage == {"cut": 1}


@pytest.mark.parametrize(
    "broken", ['{"id": 1 "x"}', '{"id": }', '{"id": "\x01"}', "nonsense", '{"id": {"a": [tru]}}', "}"]
)
@pytest.mark.parametrize("size", [1, 13, 10_000])
def test_a_broken_element_costs_itself_only(broken: str, size: int) -> None:
    rows = [{"id": n, "inner": [{"no": "id"}, {"n": n}]} for n in range(4)]
    texts = [json.dumps(row) for row in rows]
    data = f"[{texts[0]}, {broken}, {', '.join(texts[1:])}]".encode()
    assert pieces(data, size=size) == (rows, {}, {"cut": 1})
    document = f'{{"a": 1, "list": {data.decode()}, "z": 2}}'.encode()
    assert pieces(document, size=size, key="list") == (rows, {"a": 1, "z": 2}, {"cut": 1})


def test_an_element_over_the_cap_is_passed_over() -> None:
    rows: list[Row] = [{"id": 1}, {"id": 2, "x": "y" * 500, "inner": [{"z": 1}]}, {"id": 3}]
    assert pieces(json.dumps(rows).encode(), cap=100) == ([rows[0], rows[2]], {}, {"oversize": 1})


@pytest.mark.parametrize(
    ("data", "rows", "damage"),
    [
        (b"", [], {}),
        (b"  \n", [], {}),
        (b"[]", [], {}),
        (b'{"id": 1}', [{"id": 1}], {}),
        (b'"text"', [], {"shape": 1}),
        (b'[1, {"id": 1}, null]', [{"id": 1}], {"shape": 2}),
        (b'[{"id": "\xff"}]', [{"id": "\N{REPLACEMENT CHARACTER}"}], {"encoding": 1}),
        (b"[" * 20_000, [], {"oversize": 1}),
    ],
)
def test_other_documents(data: bytes, rows: list[Row], damage: dict[str, int]) -> None:
    assert pieces(data, size=1000) == (rows, {}, damage)
