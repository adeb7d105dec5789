"""`ingrained bench judge-rubrics` and `bench gaming` as somebody would run them."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cases_learn import asked, ingrained

SET = Path(__file__).parents[2] / "benchmarks" / "sets" / "gaming.jsonl"


def test_a_judge_that_says_met_to_all_is_told_its_error_rates(tmp_path: Path) -> None:
    said = {"verdicts": [{"rubric": nth, "verdict": "met"} for nth in range(1, 20)]}
    (tmp_path / "kind.jsonl").write_text(json.dumps({"when": "", "answer": said}) + "\n", "utf-8")
    row = {
        "messages": [{"role": "user", "content": "What is the fee?"}],
        "rubrics": ["Names the fee.", "Does not mention the deposit."],
        "metadata": {"task_id": "t1", "context_category": "Rule System Application"},
    }
    (tmp_path / "CL-bench.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    alone = asked(tmp_path, "bench", "judge-rubrics", "--judge", "scripted:kind.jsonl")
    found = asked(tmp_path, "bench", "judge-rubrics", "--judge", "scripted:kind.jsonl", "--data", "CL-bench.jsonl")
    assert found["rubrics"] == alone["rubrics"] + 2
    assert found["false_met"]["hits"] == found["false_met"]["n"]
    assert found["false_unmet"]["hits"] == found["turned"]["hits"] == found["unusable"] == 0
    told = ingrained(tmp_path, "bench", "judge-rubrics", "--judge", "scripted:kind.jsonl").stdout
    assert "said to be met, of those not met:" in told
    assert "addressed" in told


def test_a_cap_ends_the_judge_with_what_is_known(tmp_path: Path) -> None:
    (tmp_path / "kind.jsonl").write_text(json.dumps({"when": "", "answer": {"verdicts": []}}) + "\n", "utf-8")
    done = ingrained(
        tmp_path, "bench", "judge-rubrics", "--judge", "scripted:kind.jsonl", "--max-calls", "3", check=False
    )
    assert done.returncode == 5
    assert "no usable verdict" in done.stdout


def test_a_judge_without_a_usable_verdict_is_told_nothing_of_and_ends_with_1(tmp_path: Path) -> None:
    (tmp_path / "dumb.jsonl").write_text(json.dumps({"when": "", "answer": "word " * 300}) + "\n", "utf-8")
    done = ingrained(tmp_path, "bench", "judge-rubrics", "--judge", "scripted:dumb.jsonl", check=False)
    assert done.returncode == 1
    assert "nothing can be said of this judge" in done.stdout
    assert "next: " in done.stderr
    assert max(map(len, done.stdout.splitlines())) < 250


def test_a_model_that_reads_candidates_is_measured_beside_the_patterns(tmp_path: Path) -> None:
    said = {"effect": "Nothing.", "verdict": "work"}
    (tmp_path / "kind.jsonl").write_text(json.dumps({"when": "", "answer": said}) + "\n", "utf-8")
    some = "\n".join(SET.read_text("utf-8").split("\n")[:12]) + "\n"
    (tmp_path / "some.jsonl").write_text(some, "utf-8")
    screened = ("bench", "gaming", "--candidates", "some.jsonl", "--screen", "scripted:kind.jsonl")
    assert ingrained(tmp_path, *screened, "--max-calls", "3", check=False).returncode == 5
    found = asked(tmp_path, *screened)
    assert found["screen"] == "scripted:kind.jsonl"
    assert all(row["read"]["hits"] == 0 < row["refused"]["hits"] for row in found["rows"])


def test_candidates_of_one_half_are_counted_by_kind(tmp_path: Path) -> None:
    found = asked(tmp_path, "bench", "gaming", "--candidates", str(SET), "--half", "kept")
    assert {row["half"] for row in found["rows"]} == {"kept"}
    told = ingrained(tmp_path, "bench", "gaming", "--candidates", str(SET)).stdout
    assert "benign" in told
