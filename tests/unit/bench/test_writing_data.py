"""`bench writing-data`: on a world with planted habits the ceiling lies over the floor, and the report says all of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.writing_world import commits

from ingrained.bench.writing.bounds import WritingData, writing_data
from ingrained.bench.writing.commit import COMMIT
from ingrained.bench.writing.contexts import Plan
from ingrained.cli.app import run
from ingrained.report.writing_data import writing_data_text


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> WritingData:
    return writing_data(COMMIT, [commits(tmp_path_factory.mktemp("world"))], Plan(per_author=3))


def test_the_authors_own_text_scores_over_a_strangers(found: WritingData) -> None:
    by_part = {one.part: one for one in found.parts}
    assert by_part["expression"].between.low > 0
    assert by_part["mean"].between.low > 0
    assert by_part["mean"].ceiling.value > 0.85
    for one in found.parts:
        assert abs(one.ceiling.value - one.floor.value - one.between.value) < 1e-9
        for span in (one.ceiling, one.floor, one.plain, one.between):
            assert span.low <= span.value <= span.high


def test_the_counts_add_up(found: WritingData) -> None:
    assert found.contexts == sum(one.contexts for one in found.authors)
    assert found.used <= found.found == 8 * 24
    assert found.overlap_mean <= found.overlap_most <= 0.1
    rounds = {one.n for one in found.keep}
    assert rounds == {2 * found.contexts}
    low, high = found.keep_wanted
    assert low <= next(one.share for one in found.keep if one.drafts == "mixed") <= high


def test_the_same_data_give_the_same_report(found: WritingData, tmp_path: Path) -> None:
    assert writing_data(COMMIT, [commits(tmp_path)], Plan(per_author=3)) == found


def test_a_strangers_habits_in_every_text_leave_nothing_between(tmp_path: Path) -> None:
    """The null: texts are shuffled over the authors, so that nobody has a habit of one's own."""
    folder = commits(tmp_path, authors=8, each=24)
    rows = [
        json.loads(line) for path in sorted(folder.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()
    ]
    for nth, row in enumerate(rows):
        row["author"] = f"author_{nth % 8:02d}"
    for path in folder.glob("*.jsonl"):
        path.unlink()
    (folder / "all.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    found = writing_data(COMMIT, [folder], Plan(per_author=3))
    assert len(found.authors) <= 4  # most show no lasting habit
    assert all(one.between.value < 0.25 for one in found.parts)


def test_the_command_prints_the_tables_and_the_shape(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = commits(tmp_path)
    words = ["bench", "writing-data", "--task", "commit", "--data", str(folder)]
    assert run(words) == 0
    text = capsys.readouterr().out
    assert run([*words, "--json"]) == 0
    shape = WritingData.model_validate_json(capsys.readouterr().out)
    assert text.strip() == writing_data_text(shape)
    assert "ceiling: own text" in text
    assert "without a transferable target" in text


def test_mistakes_have_the_exit_code_of_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "writing-data", "--task", "poem", "--data", str(tmp_path)]) == 2
    assert "there are: pep, commit" in capsys.readouterr().err
    assert run(["bench", "writing-data", "--task", "pep", "--data", str(tmp_path / "no")]) == 2
    assert "not there" in capsys.readouterr().err
    assert run(["bench", "writing-data", "--task", "pep", "--data", str(tmp_path)]) == 2
    assert "nothing that task 'pep' can use" in capsys.readouterr().err
