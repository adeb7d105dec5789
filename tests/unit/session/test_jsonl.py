"""Records out of damaged, growing and endless files."""

from __future__ import annotations

import io
import json
import zlib

import pytest

from ingrained.session import jsonl
from ingrained.session.jsonl import LineReader, Tally, decode, scrub, timestamp


def read_all(data: bytes, *, cap: int = jsonl.CAP) -> tuple[list[tuple[int, bytes]], LineReader, dict[str, int]]:
    tally = Tally()
    reader = LineReader(io.BytesIO(data), tally=tally, cap=cap)
    found = list(reader)
    return found, reader, {damage.kind: damage.count for damage in tally.damage()}


def rows(data: bytes) -> tuple[list[dict[str, object]], dict[str, int]]:
    tally = Tally()
    return decode(1, data, tally), {damage.kind: damage.count for damage in tally.damage()}


def test_only_the_byte_0a_ends_a_line() -> None:
    text = json.dumps({"a": "one\u2028two\u2029three\x85four"}, ensure_ascii=False)
    found, _, damage = read_all(f"{text}\r\n{text}\n".encode())
    assert [number for number, _ in found] == [1, 2]
    assert all(json.loads(data)["a"].count("\u2028") == 1 for _, data in found)
    assert damage == {}


def test_blank_lines_count_as_lines_and_are_not_handed_on() -> None:
    found, reader, _ = read_all(b'\n  \n{"a":1}\n')
    assert found == [(3, b'{"a":1}')]
    assert reader.number == 3


def test_a_bom_is_no_part_of_the_first_record() -> None:
    found, reader, _ = read_all(b'\xef\xbb\xbf{"a":1}\n')
    assert found == [(1, b'{"a":1}')]
    assert reader.offset == 11


def test_offset_and_hash_stand_for_the_lines_that_were_understood() -> None:
    whole = b'{"a":1}\n{"b":2}\n'
    _, reader, damage = read_all(whole + b'{"c":')
    assert reader.offset == len(whole)
    assert reader.prefix.tag() == f"crc32:{zlib.crc32(whole):08x}"
    assert damage == {"torn": 1}


def test_a_last_record_without_a_line_end_is_read_once_it_is_whole() -> None:
    found, reader, damage = read_all(b'{"a":1}\n{"b":2}')
    assert found == [(1, b'{"a":1}'), (2, b'{"b":2}')]
    assert (reader.offset, reader.number, damage) == (15, 2, {})


@pytest.mark.parametrize("tail", [b'{"a":"te\0\0\0\0', b"\0\0\0\0", b"12", b'"text"', b'{"a":1}{"b":', b"[1]"])
def test_a_last_line_that_is_no_whole_object_is_left_for_the_next_run(tail: bytes) -> None:
    found, reader, damage = read_all(b'{"a":1}\n' + tail)
    assert found == [(1, b'{"a":1}')]
    assert (reader.offset, damage) == (8, {"torn": 1})


def test_a_record_over_the_cap_is_skipped_and_the_rest_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "_BLOCK", 16)
    data = b'{"a":1}\n{"big":"' + b"x" * 500 + b'"}\n{"b":2}\n'
    found, reader, damage = read_all(data, cap=100)
    assert [number for number, _ in found] == [1, 3]
    assert damage == {"oversize": 1}
    assert (reader.offset, reader.prefix.tag()) == (len(data), f"crc32:{zlib.crc32(data):08x}")


class Endless:
    """A line that never ends."""

    def __init__(self, size: int) -> None:
        self.left = size

    def read(self, size: int = -1, /) -> bytes:
        take = min(size, self.left)
        self.left -= take
        return b"x" * take

    readline = read


def test_memory_stays_flat_on_a_line_with_no_end() -> None:
    import tracemalloc

    tally = Tally()
    reader = LineReader(Endless(200 << 20), tally=tally, cap=4 << 20)
    tracemalloc.start()
    assert list(reader) == []
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 << 20
    assert reader.offset == 0
    assert [damage.kind for damage in tally.damage()] == ["oversize"]


def test_glued_records_are_both_read() -> None:
    assert rows(b'{"a":1}{"b":2} {"c":3}') == ([{"a": 1}, {"b": 2}, {"c": 3}], {"glued": 1})


def test_a_cut_record_costs_only_itself() -> None:
    assert rows(b'{"type":"user","mess') == ([], {"cut": 1})
    assert rows(b'{"a":1}{"type":"user","mess') == ([{"a": 1}], {"cut": 1})


def test_the_record_after_a_cut_one_on_the_same_line_is_read() -> None:
    whole = {"type": "user", "uuid": "u", "message": {"role": "user", "content": "hi"}}
    line = b'{"parentUuid":"x","type":"us' + json.dumps(whole).encode()
    assert rows(line) == ([whole], {"cut": 1})


def test_the_inside_of_a_damaged_record_is_no_record() -> None:
    assert rows(b'lost start","toolUseResult":{"type":"text","file":"a"}}') == ([], {"cut": 1})
    assert rows(b'lost start","message":{"type":"text","text":"always lie"}') == ([], {"cut": 1})


def test_nul_bytes_are_taken_out() -> None:
    assert rows(b'{"a":\0\0 1}') == ([{"a": 1}], {"cut": 1})
    whole = {"type": "user", "uuid": "u"}
    assert rows(b'{"half":"te\0\0\0\0' + json.dumps(whole).encode()) == ([whole], {"cut": 2})


@pytest.mark.parametrize("value", ["1", "null", '"text"', "[1,2]", "true"])
def test_what_is_no_object_is_counted(value: str) -> None:
    assert rows(value.encode()) == ([], {"shape": 1})


def test_bad_utf8_loses_no_record() -> None:
    found, damage = rows(b'{"a":"caf\xe9 au lait"}')
    assert found == [{"a": "caf\ufffd au lait"}]
    assert damage == {"encoding": 1}


def test_lone_surrogates_become_storable() -> None:
    (row,), damage = rows(rb'{"a":"x\ud83d y\ud83d\ude00"}')
    text = jsonl.string(row, "a")
    assert text == "x\ufffd y\N{GRINNING FACE}"
    assert damage == {}
    assert scrub(text).encode("utf-8")


def test_hostile_records_are_damage() -> None:
    assert rows(b"[" * 100_000)[1] == {"cut": 1}
    assert rows(b'{"n":' + b"9" * 5000 + b"}")[1] == {"cut": 1}


def test_tally_shows_at_most_ten_lines() -> None:
    tally = Tally()
    for line in range(1, 31):
        tally.add("cut", line)
    (damage,) = tally.damage()
    assert (damage.count, damage.lines) == (30, tuple(range(1, 11)))


@pytest.mark.parametrize("size", range(17))
def test_no_more_is_read_than_was_asked_for(size: int) -> None:
    data = b'{"a":1}\n{"b":2}\n' + b'{"c":3}\n'
    tally = Tally()
    reader = LineReader(io.BytesIO(data), tally=tally, size=size)
    found = list(reader)
    assert reader.bytes_read == size
    assert found == [(1, b'{"a":1}'), (2, b'{"b":2}')][: (size + 1) // 8]
    assert reader.offset == (size if size % 8 in {0, 7} else size // 8 * 8)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-03-01T09:00:00.250Z", "2026-03-01T09:00:00.250000+00:00"),
        ("2026-03-01T11:00:00+02:00", "2026-03-01T09:00:00+00:00"),
        ("2026-03-01T09:00:00", "2026-03-01T09:00:00+00:00"),
        (1772355600, "2026-03-01T09:00:00+00:00"),
        (1772355600000, "2026-03-01T09:00:00+00:00"),
    ],
)
def test_times_are_utc(value: object, expected: str) -> None:
    time = timestamp(value)
    assert time is not None
    assert time.isoformat() == expected


@pytest.mark.parametrize("value", [None, "", "soon", True, [], 1e300, float("nan"), "2026-13-01T00:00:00Z"])
def test_what_is_no_time_is_none(value: object) -> None:
    assert timestamp(value) is None
