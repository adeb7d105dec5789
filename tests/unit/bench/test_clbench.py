"""CL-bench by path, on invented tasks in its published form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ingrained.bench.clbench import by_category, load
from ingrained.bench.tasks import tasks_of
from ingrained.errors import ConfigError
from ingrained.harness.base import Task, Trace
from ingrained.verify.base import Checked
from ingrained.verify.judge import SHARE_MET, RubricJudge
from ingrained.verify.score import Score, Unscored
from rubric_judges import holds, model

RULES, STEPS = "Rule System Application", "Procedural Task Execution"


def row(task: str, category: str, sub: str, turns: list[tuple[str, str]], rubrics: list[object]) -> dict[str, object]:
    return {
        "messages": [{"role": role, "content": content} for role, content in turns],
        "rubrics": rubrics,
        "metadata": {"task_id": task, "context_id": "c1", "context_category": category, "sub_category": sub},
    }


THRUM = ("system", "You referee the game of Thrum: blue beats red, red beats white.")
ROWS = [
    row("t2", STEPS, "Workflow", [("user", "Open gate four.")], [{"rubric_criteria": "Lifts the bar", "type": "x"}]),
    row("t1", RULES, "Games", [THRUM, ("user", "Ana: blue, Ben: red?")], ["Says Ana", "Names blue"]),
    row("t3", RULES, "Law", [THRUM, ("user", "Who?"), ("assistant", "Ana."), ("user", "And now?")], ["Says Ben"]),
]


def written(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), "utf-8")
    return path


def test_a_line_becomes_a_task_of_its_context(tmp_path: Path) -> None:
    written(tmp_path / "CL-bench.jsonl", ROWS)
    first, second, third = load(tmp_path)
    assert (first.id, first.benchmark, first.family, first.request) == ("t2", "cl-bench", "c1", "Open gate four.")
    assert first.known == {"rubrics": ["Lifts the bar"], "category": STEPS, "sub_category": "Workflow"}
    assert second.request == f"{THRUM[1]}\n\nAna: blue, Ben: red?"
    assert third.request == f"{THRUM[1]}\n\nuser:\nWho?\n\nassistant:\nAna.\n\nuser:\nAnd now?"
    assert not any(rubric in task.request for task in (first, second) for rubric in ("Lifts", "Says", "Names"))
    assert [task.id for task in load(tmp_path / "CL-bench.jsonl", categories=[RULES])] == ["t1", "t3"]


def test_named_by_place_they_come_with_their_verifier(tmp_path: Path) -> None:
    written(tmp_path / "CL-bench.jsonl", ROWS)
    found = tasks_of(f"cl-bench:{tmp_path}")
    assert list(found.tasks) == load(tmp_path)
    assert found.verifier == "rubrics"


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([ROWS[0], ROWS[0]], "'t2' occurs more than once"),
        ([row("t", RULES, "", [("user", "a")], [])], "rubrics is empty"),
        ([row("t", RULES, "", [("user", "a")], [" "])], "rubrics is empty"),
        ([row("t", RULES, "", [("user", "a"), ("assistant", "b")], ["A"])], "does not end with a user's"),
        ([row("t", RULES, "", [("tool", "a")], ["A"])], r"CL\.jsonl:1: messages\.0\.role"),
        ([{"messages": [], "rubrics": []}], r"CL\.jsonl:1: metadata"),
    ],
)
def test_what_is_no_task_is_named(tmp_path: Path, rows: list[dict[str, object]], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        load(written(tmp_path / "CL.jsonl", rows))


def test_a_category_that_is_not_there_is_named_with_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=f"'Law'; it has {STEPS}, {RULES}"):
        load(written(tmp_path / "CL.jsonl", ROWS), categories=["Law"])
    with pytest.raises(ConfigError, match="cannot be read"):
        load(tmp_path)


@pytest.mark.anyio
async def test_scores_by_category_from_the_judge(tmp_path: Path) -> None:
    tasks = load(written(tmp_path / "CL.jsonl", ROWS))
    said = {"t1": "Ana, since blue wins", "t2": "Lifts", "t3": "Ben"}
    checked = [
        (task, await RubricJudge(model(holds)).check(task, Trace(
            task=task.id, worker="w", skill="", seed=0, answer=said[task.id], stop="answered")))
        for task in tasks
    ]  # fmt: skip
    found = {(one.category, one.sub_category): one for one in by_category(checked)}
    assert list(found) == [("all", ""), (RULES, ""), (RULES, "Games"), (RULES, "Law"), (STEPS, ""), (STEPS, "Workflow")]
    assert (found["all", ""].solved.hits, found["all", ""].solved.n) == (2, 3)
    assert (found[RULES, ""].solved.hits, found[STEPS, ""].solved.hits) == (2, 0)


def test_what_is_unscored_is_counted_apart_and_attempts_count_each() -> None:
    task = Task(id="t", benchmark="cl-bench", request="?", known={"category": RULES, "sub_category": ""})
    results = [
        (task, Checked(outcome=Score(value=1), parts={SHARE_MET: Score(value=1)})),
        (task, Checked(outcome=Score(value=0), parts={SHARE_MET: Score(value=0.5)})),
        (task, Checked(outcome=Unscored(reason="doubt"), parts={SHARE_MET: Unscored(reason="doubt")})),
    ]
    overall, category = by_category(results)
    assert (overall.solved.hits, overall.solved.n, overall.unscored, overall.share_met) == (1, 2, 1, 0.75)
    assert category.category == RULES
    assert by_category([])[0].share_met is None
