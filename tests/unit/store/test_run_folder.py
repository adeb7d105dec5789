"""Run directories: whole lines only, the later of two lines with one key, and never two runs in one folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ingrained.errors import ConfigError
from ingrained.store.run import CONFIG, TRACES, RunFolder, stored_config

SETTINGS = {"version": 1, "task": "pep", "seeds": 3}


def test_traces_come_back_and_the_later_line_of_a_key_counts(tmp_path: Path) -> None:
    folder = RunFolder.open(tmp_path / "run", SETTINGS)
    for trace in ({"key": "a", "n": 1}, {"key": "b", "text": "ü \u2028 \n"}, {"key": "a", "n": 2}):
        folder.append(trace)
    again = RunFolder.open(tmp_path / "run", SETTINGS)
    assert again.traces() == [{"key": "a", "n": 2}, {"key": "b", "text": "ü \u2028 \n"}]
    assert stored_config(tmp_path / "run") == SETTINGS


@pytest.mark.parametrize("cut", range(1, 12))
def test_a_torn_line_is_cut_off_wherever_it_was_torn(cut: int, tmp_path: Path) -> None:
    folder = RunFolder.open(tmp_path / "run", SETTINGS)
    folder.append({"key": "a"})
    path = tmp_path / "run" / TRACES
    path.write_bytes(path.read_bytes() + json.dumps({"key": "b"}).encode()[:cut])
    again = RunFolder.open(tmp_path / "run", SETTINGS)
    again.append({"key": "c"})
    assert [one["key"] for one in again.traces()] == ["a", "c"]


def test_who_only_reads_passes_over_a_line_that_is_being_written(tmp_path: Path) -> None:
    RunFolder.open(tmp_path / "run", SETTINGS).append({"key": "a"})
    path = tmp_path / "run" / TRACES
    path.write_bytes(path.read_bytes() + b'{"key": "b"')
    before = path.read_bytes()
    assert RunFolder(tmp_path / "run").traces() == [{"key": "a"}]
    assert path.read_bytes() == before


def test_another_run_is_refused_with_what_differs(tmp_path: Path) -> None:
    RunFolder.open(tmp_path / "run", SETTINGS).append({"key": "a"})
    with pytest.raises(ConfigError, match="seeds was 3 and is 4"):
        RunFolder.open(tmp_path / "run", SETTINGS | {"seeds": 4})


def test_a_run_in_which_nothing_was_done_gives_way_to_a_corrected_one(tmp_path: Path) -> None:
    RunFolder.open(tmp_path / "run", SETTINGS | {"seeds": 4})
    RunFolder.open(tmp_path / "run", SETTINGS)
    assert stored_config(tmp_path / "run") == SETTINGS


def test_what_is_no_run_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "one.txt").write_text("dear", encoding="utf-8")
    for path in (tmp_path / "letters", tmp_path / "letters" / "one.txt"):
        with pytest.raises(ConfigError, match="is no run"):
            RunFolder.open(path, SETTINGS)
    assert [one.name for one in (tmp_path / "letters").iterdir()] == ["one.txt"]


@pytest.mark.parametrize("line", [b"nonsense", b"[1]", b'{"n": 1}', b'"key"'])
def test_a_line_that_is_no_trace_is_named(line: bytes, tmp_path: Path) -> None:
    folder = RunFolder.open(tmp_path / "run", SETTINGS)
    folder.append({"key": "a"})
    path = tmp_path / "run" / TRACES
    path.write_bytes(path.read_bytes() + line + b"\n")
    with pytest.raises(ConfigError, match=r"traces\.jsonl:2: no trace"):
        folder.traces()


@pytest.mark.parametrize("data", [b"", b"{", b"[]"])
def test_a_broken_configuration_is_named(data: bytes, tmp_path: Path) -> None:
    RunFolder.open(tmp_path / "run", SETTINGS)
    (tmp_path / "run" / CONFIG).write_bytes(data)
    with pytest.raises(ConfigError, match=r"config\.json"):
        stored_config(tmp_path / "run")
