"""`ingrained bench foresee` as somebody would run it."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.cases_learn import asked, ingrained

from session_logs import Claude

PNPM = "no, pnpm. we never use npm in this repo"
CHANGELOG = "always put a changelog line in the same commit"
LINTER = "always run the linter before you commit"


def talk(folder: Path, person: int, *sessions: tuple[str, ...]) -> Path:
    """One log a session, a day apart."""
    folder.mkdir(parents=True)
    for day, texts in enumerate(sessions):
        session = f"{person}{day}111111-2222-4333-8444-555555555555"
        log = Claude(session)
        for text in texts:
            log.agent("Done.")
            log.user(text)
        start = datetime(2026, 3, 1, 9, tzinfo=UTC) + timedelta(days=day)
        for minute, row in enumerate(log.rows):
            row["timestamp"] = (start + timedelta(minutes=minute)).isoformat().replace("+00:00", "Z")
        (folder / f"{session}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in log.rows), encoding="utf-8")
    return folder


@pytest.fixture
def team(tmp_path: Path) -> Path:
    talk(tmp_path / "team" / "ana", 1, ("fix the cart", PNPM), (PNPM,), (LINTER,), (PNPM,))
    talk(tmp_path / "team" / "ben", 2, (CHANGELOG,), (CHANGELOG,), ("look at the tax page", CHANGELOG), (LINTER,))
    return tmp_path


OPTIONS = ("--cut", "0.5", "--least", "4")


def test_own_rules_come_true_and_a_strangers_do_not(team: Path) -> None:
    found = asked(team, "bench", "foresee", "team", *OPTIONS)
    rows = {row["condition"]: row for row in found["conditions"]}
    assert {name: row["coverage"]["value"] for name, row in rows.items()} == {
        "none": 0, "own": 0.5, "other": 0, "pooled": 0.5, "pooled-small": 0.25
    }  # fmt: skip
    assert [row["person"] for row in found["people"]] == ["team/ana", "team/ben"]
    assert (rows["own"]["rules"], rows["pooled"]["rules"], rows["pooled"]["idle"]["value"]) == (1, 2, 0.5)
    assert sorted(path.name for path in team.iterdir()) == ["team"]


def test_people_by_name_and_the_table(team: Path) -> None:
    named = ("--person", "ana=team/ana", "--person", "ben=team/ben")
    text = ingrained(team, "bench", "foresee", *named, *OPTIONS).stdout
    assert "another person's" in text
    assert "50.0%" in text
    assert "\nana " in text


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--person", "ana=team/ana"), "it takes two"),
        ((), "no logs were named"),
        (("team", "--budget", "-1"), "--budget -1"),
        (("team", "--budget", "0"), "--budget 0"),
        (("team", "--budget", "1", "--least", "4"), "--budget 1 leaves no room for a rule: the shortest takes"),
        (("team", "--cut", "1.5"), "--cut 1.5"),
        (("team", "--threshold", "0"), "--threshold 0"),
        (("team", "--labels", "nowhere.jsonl"), "nowhere.jsonl"),
        (("team", "--decomposer", "rulez"), "rulez"),
    ],
)
def test_mistakes_are_told(team: Path, words: tuple[str, ...], told: str) -> None:
    done = ingrained(team, "bench", "foresee", *words, check=False)
    assert done.returncode == 2
    assert told in done.stderr
