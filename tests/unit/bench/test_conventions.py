"""Commit messages by convention: every task can be done, and the planted rules do what they are listed for.

Real commits are looked for in `$INGRAINED_DATA/curl-commits`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from ingrained.bench.conventions import BAD, CONVENTIONS, GOOD, NEUTRAL, kept, message, tasks
from ingrained.bench.tasks import tasks_of
from ingrained.bench.writing.commit import COMMIT
from ingrained.errors import ConfigError
from ingrained.harness.base import Task, Trace
from ingrained.verify.base import VERIFIERS
from ingrained.verify.score import Score

SUBJECT = "url: reject hosts that are empty"
BODY = "The parser went on with an empty host and looped.\n\n- reject it\n- test 12 covers it\n\nCloses #41"
NAMES = {one.name for one in CONVENTIONS} | {"closes"}


def write(folder: Path, *commits: dict[str, object]) -> Path:
    shared = {
        "author": "a",
        "date": "2026-01",
        "files": [{"path": "lib/url.c"}, {"path": "lib/vtls/x.c"}, {"path": "lib/y.c"}],
    }
    rows = [
        {"commit": f"c{number}", "subject": SUBJECT, "body": BODY, **shared, **one}
        for number, one in enumerate(commits)
    ]
    (folder / "commits.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return folder


async def failed(task: Task, text: str) -> set[str]:
    trace = Trace(task=task.id, worker="w", skill="", seed=0, answer=text, stop="answered")
    checked = await VERIFIERS.load("program")(None, {}).check(task, trace)
    assert set(checked.parts) == NAMES
    return {name for name, one in checked.parts.items() if one == Score(value=0)}


@pytest.fixture
def task(tmp_path: Path) -> Task:
    (one,) = tasks([write(tmp_path, {})]).tasks
    return one


def test_a_request_gives_facts_and_neither_wording_nor_conventions(task: Task) -> None:
    assert "lib/url.c" in task.request
    assert "Pull request: 41" in task.request
    assert "Closes" not in task.request
    assert SUBJECT not in task.request
    assert "looped" not in task.request.split("Topics:")[0]
    assert (task.benchmark, task.family) == ("conventions", "other")


def test_only_commits_that_keep_every_convention_become_tasks(tmp_path: Path) -> None:
    found = tasks(
        [
            write(
                tmp_path,
                {},
                {"body": "It says nothing of a request, but it does say something."},
                {"body": BODY + "\n" + "Closes #42"},
                {"subject": "Reject hosts that are empty."},
                {"body": "x" * 77 + "\n\nCloses #41"},
            )
        ]
    )
    assert [one.id for one in found.tasks] == ["c0"]
    assert [(one.why, one.detail) for one in found.dropped] == [
        ("closes no single number", "c1"),
        ("closes no single number", "c2"),
        ("its own message fails", "area, no full stop"),
        ("its own message fails", "narrow body"),
    ]


def test_an_area_with_enough_tasks_is_a_family(tmp_path: Path) -> None:
    found = tasks([write(tmp_path, *[{}] * 8, {"files": [{"path": "docs/x.md"}]})])
    assert [one.family for one in found.tasks] == ["lib"] * 8 + ["other"]


def test_a_place_without_commits_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="nothing that task 'commit' can use"):
        tasks([tmp_path])


def test_named_by_place_they_come_with_their_verifier(tmp_path: Path) -> None:
    found = tasks_of(f"conventions:{write(tmp_path, {}, {})}")
    assert found == tasks([tmp_path])
    assert (len(found.tasks), found.verifier) == (2, "program")


def joined(subject: str, body: str) -> str:
    return f"{subject}\n\n{body}"


FOLLOWED: dict[str, Callable[[], str]] = {
    "no full stop": lambda: joined(SUBJECT + ".", BODY),
    "area": lambda: joined("Reject hosts that are empty", BODY),
    "no number in the subject": lambda: joined(SUBJECT + " (#41)", BODY),
    "blank second line+closes": lambda: joined(SUBJECT, BODY).replace("\n", " ")[:72],
    "no headings or bold": lambda: joined(SUBJECT, "**Summary**\n\n" + BODY),
    "closes": lambda: joined(SUBJECT, BODY.replace("Closes #41", "Fixes: 41")),
    "narrow body": lambda: joined(SUBJECT, BODY.replace("looped.", "looped, " * 9)),
}
"""A message that follows each bad rule, and else keeps what it can."""
BROKEN: dict[str, Callable[[], str]] = {
    **FOLLOWED,
    "short subject": lambda: joined(SUBJECT + " and " * 12, BODY),
    "blank second line": lambda: f"{SUBJECT}\n{BODY}",
}
"""A message that breaks one convention, which the good rule for it would have kept."""


@pytest.mark.anyio
async def test_the_own_message_passes_and_one_that_follows_a_bad_rule_fails_by_that_rule(task: Task) -> None:
    assert await failed(task, joined(SUBJECT, BODY)) == set()
    assert await failed(task, f"```\n{joined(SUBJECT, BODY)}\n```") == set()
    for rule in BAD:
        assert await failed(task, FOLLOWED["+".join(rule.hurts)]()) == set(rule.hurts), rule.text


@pytest.mark.anyio
async def test_each_convention_has_a_good_rule_and_can_be_broken_alone(task: Task) -> None:
    assert {name for rule in GOOD for name in rule.helps} == NAMES
    for name in NAMES:
        assert await failed(task, BROKEN[name]()) == {name}


def test_planted_rules_are_of_one_kind_each() -> None:
    assert all(rule.helps and not rule.hurts for rule in GOOD)
    assert all(rule.hurts and not rule.helps for rule in BAD)
    assert not any(rule.hurts or rule.helps for rule in NEUTRAL)
    texts = [rule.text for rule in (*GOOD, *BAD, *NEUTRAL)]
    assert len(set(texts)) == len(texts)


DATA = Path(os.environ.get("INGRAINED_DATA", "")) / "curl-commits"


@pytest.mark.slow
@pytest.mark.anyio
@pytest.mark.skipif(not (os.environ.get("INGRAINED_DATA") and DATA.is_dir()), reason="INGRAINED_DATA has no such data")
async def test_real_commits_keep_the_conventions_and_pass_as_gold() -> None:
    shares = {one.check: one.hits / one.n for one in kept([DATA])}
    assert set(shares) == NAMES
    assert min(shares.values()) > 0.94
    made = {one.id: one for one in tasks([DATA]).tasks}
    assert len(made) == 842
    for document in COMMIT.load([DATA]).documents:
        if document.key in made:
            assert await failed(made[document.key], message(document)) == set()


@pytest.mark.parametrize("subject", ["Fixes: 22613", "Closes: 12", "Subject: mend it", "commit: mend it", "see: 4"])
def test_a_label_before_a_colon_is_no_area(subject: str) -> None:
    area = next(one for one in CONVENTIONS if one.name == "area")
    assert area.wrong(subject)
    assert not area.wrong(f"lib/url.c: {subject.lower()}")
