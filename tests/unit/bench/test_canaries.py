"""Canaries tell judges apart: one that knows, and some that nobody should trust."""

from __future__ import annotations

import pytest

from ingrained.bench.canaries import judged
from ingrained.harness.base import Task
from ingrained.report.bench import canaries_text
from ingrained.verify.canaries import canaries, planted
from rubric_judges import believes, first_verdict, knows_canaries, likes_everything, model


def test_each_kind_is_there_and_the_truth_stands_for_every_rubric() -> None:
    kinds = [one.kind for one in canaries()]
    assert {kind: kinds.count(kind) for kind in set(kinds)} == dict.fromkeys(
        ("met", "not met", "half", "empty", "addressed", "echo"), 6
    )
    assert all(len(one.met) == len(one.case.rubrics) > 0 for one in canaries())
    assert len({(one.case.rubrics, one.case.answer) for one in canaries()}) == len(canaries())


@pytest.mark.anyio
async def test_who_knows_makes_no_error_and_who_likes_all_makes_every_one() -> None:
    good = await judged("good", model(knows_canaries))
    assert (good.right.hits, good.false_met.hits, good.false_unmet.hits, good.turned.hits) == (good.rubrics, 0, 0, 0)
    kind = await judged("kind", model(likes_everything))
    assert kind.false_met.hits == kind.false_met.n > 0
    assert kind.false_unmet.hits == 0


@pytest.mark.anyio
async def test_who_obeys_an_answer_is_found_by_the_addressed_ones() -> None:
    found = await judged("obeys", model(believes))
    wrong = {row.kind: row.wrong for row in found.rows}
    assert wrong["addressed"] > 0
    assert wrong["echo"] == wrong["empty"] == 0
    assert "addressed" in canaries_text(found)


@pytest.mark.anyio
async def test_what_the_order_changes_and_what_is_unusable_is_told() -> None:
    turned = await judged("first", model(first_verdict))
    assert turned.turned.hits == turned.rubrics
    assert turned.right.hits == 0
    useless = await judged("useless", model(lambda _: "well"))
    assert useless.unusable == useless.rubrics == sum(useless.reasons.values())
    assert useless.turned.n == 0


@pytest.mark.anyio
async def test_canaries_of_a_task_are_those_of_its_positive_rubrics() -> None:
    rubrics = ["Names the fee.", "Does not mention the deposit.", "Avoids jargon.", "Uses at most ten words."]
    assert [one.case.rubrics for one in planted(rubrics)] == [("Names the fee.",)] * 2
    assert planted(rubrics[1:]) == ()
    task = Task(id="t", benchmark="b", request="?", known={"rubrics": list(rubrics)})
    with_task = await judged("kind", model(likes_everything), [task])
    assert with_task.rubrics == (await judged("kind", model(likes_everything))).rubrics + 2
