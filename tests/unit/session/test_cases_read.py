"""The cases that concern reading: what their `expected.md` says of turns, counts and damage."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ingrained.session.read import read_source
from ingrained.session.session import FileRead
from ingrained.session.sources import find, standard_places
from session_logs import Masking

Home = Callable[..., Path]
Expected = Callable[[str], dict[str, Any]]


def read_home(home: Path) -> list[FileRead]:
    reads = [
        read_source(source, cursor=None, redactor=Masking())
        for source in find([place for place in standard_places({}, home) if place.is_dir()])
    ]
    return [read for read in reads if read is not None]


def texts(reads: list[FileRead]) -> list[str]:
    return [turn.text for read in reads for turn in read.turns]


def assert_never_evidence(reads: list[FileRead], words: list[str]) -> None:
    said = "\n".join(texts(reads)).lower()
    assert [word for word in words if word.lower() in said] == []


def assert_found(reads: list[FileRead], groups: list[list[str]]) -> None:
    said = [text.lower() for text in texts(reads)]
    assert [group for group in groups if not any(all(word.lower() in text for word in group) for text in said)] == []


def test_torn_and_malformed_lines(case_home: Home, case_expected: Expected) -> None:
    expected = case_expected("01")
    reads = read_home(case_home("01"))
    assert len(texts(reads)) == expected["human_turns"]
    assert len([read for read in reads if read.sessions]) == expected["sessions"]
    damage = Counter({kind.kind: kind.count for read in reads for kind in read.damage})
    assert damage == {"cut": 1, "shape": 5, "glued": 1, "torn": 1, "empty": expected["empty_files"]}
    lines = {kind.kind: kind.lines for read in reads for kind in read.damage}
    assert (lines["cut"], lines["shape"], lines["glued"], lines["torn"]) == ((6,), (9, 10, 11, 12, 13), (16,), (17,))
    assert sum(damage[kind] for kind in ("cut", "shape", "glued")) >= expected["damaged_lines_counted_at_least"]
    assert_found(reads, expected["must_find_corrections"])
    assert sum("tenacity" in text for text in texts(reads)) == 1


def test_separators_inside_strings(case_home: Home, case_expected: Expected) -> None:
    expected = case_expected("02")
    home = case_home("02")
    reads = read_home(home)
    assert len(texts(reads)) == expected["human_turns"]
    assert len(reads) == expected["sessions"]
    assert [read.damage for read in reads] == [()] * 3
    assert_found(reads, expected["must_find_corrections"])
    script = (
        "import sys; from pathlib import Path; sys.path[:0] = sys.argv[2:]\n"
        "from test_cases_read import read_home, texts; print(ascii(texts(read_home(Path(sys.argv[1])))))"
    )
    helpers = [str(Path(__file__).parent), str(Path(__file__).parents[2])]
    env = {**os.environ, **expected["run_also_with"], "PYTHONCOERCECLOCALE": "0"}
    done = subprocess.run(
        [sys.executable, "-c", script, str(home), *helpers], env=env, capture_output=True, check=True, text=True
    )
    assert ast.literal_eval(done.stdout) == texts(reads)


def test_harness_text_in_user_rows(case_home: Home, case_expected: Expected) -> None:
    expected = case_expected("03")
    reads = read_home(case_home("03"))
    assert texts(reads) == expected["human_turns"]
    assert [turn.form for read in reads for turn in read.turns] == ["typed", "queued", "typed", "typed"]
    assert_never_evidence(reads, expected["must_not_be_evidence"])
    assert [list(read.unknown) for read in reads] == [expected["unknown_row_types_reported"]]


def test_tool_output_that_imitates_the_user(case_home: Home, case_expected: Expected) -> None:
    expected = case_expected("04")
    reads = read_home(case_home("04"))
    refusals = [turn for read in reads for turn in read.turns if turn.form == "refusal"]
    assert sum(read.refusals for read in reads) == expected["refusals_real"]
    assert len(refusals) == expected["refusals_with_words"]
    assert refusals[0].act.input == 'git commit -am "chore: bump lockfile" --no-verify'
    assert_found(reads, expected["must_find_corrections"])
    assert_never_evidence(reads, expected["must_not_be_evidence"])


def test_sessions_that_no_person_typed(case_home: Home, case_expected: Expected) -> None:
    expected = case_expected("05")
    reads = read_home(case_home("05"))
    assert len(reads) == expected["files"]
    assert len([read for read in reads if read.turns]) == expected["human_sessions"]
    aside: Counter[str] = Counter()
    for read in reads:
        aside.update(read.set_aside)
    observer = expected["set_aside"].pop("other_observer")
    assert aside == {**expected["set_aside"], "observer": observer}
    assert_found(reads, expected["must_find_corrections"])
    assert_never_evidence(reads, expected["must_not_be_evidence"])
    assert Counter(fact.reason for read in reads for fact in read.sessions)[None] == 2


def test_one_message_in_many_copies(case_home: Home, case_expected: Expected) -> None:
    expected = case_expected("06")
    reads = read_home(case_home("06"))
    keys = {turn.key: turn.text for read in reads for turn in read.turns}
    assert len(keys) == expected["distinct_human_messages"]
    for word, count in expected["evidence_count_for"].items():
        assert sum(word in text for text in keys.values()) == count
    parents = {fact.session: fact.forked_from for read in reads for fact in read.sessions if fact.forked_from}
    assert len(parents) == 6
    assert {parent[:8] for parent in parents.values()} == {"8bc85a0b", "019d0000"}


@pytest.mark.parametrize("case", ["03", "06"])
def test_reading_again_gives_the_same(case: str, case_home: Home) -> None:
    home = case_home(case)
    assert read_home(home) == read_home(home)


def test_codex_formats(case_home: Home, case_expected: Expected) -> None:
    expected = case_expected("11")
    reads = read_home(case_home("11"))
    assert sorted(texts(reads)) == sorted(expected["human_turns"])
    assert_never_evidence(reads, expected["must_not_be_evidence"])
    aside: Counter[str] = Counter()
    for read in reads:
        aside.update(read.set_aside)
    assert aside == expected["set_aside"]
