"""Pairs as they stand in a run's directory: what is in them, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import ValidationError
from tests.gate_pairs import pair

from ingrained.gate.pair import Arm, Pair
from ingrained.verify.score import Score, Unscored

GOLDEN = Path(__file__).parents[2] / "golden" / "gate"


@pytest.mark.parametrize("score", [-0.01, 1.01, float("nan"), float("inf")])
def test_a_score_lies_in_the_unit_interval(score: float) -> None:
    with pytest.raises(ValidationError):
        Arm(score=score)


@pytest.mark.parametrize("fields", [{}, {"score": 0.5, "unscored": "both"}, {"unscored": ""}])
def test_an_arm_has_a_score_or_a_reason(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Arm.model_validate(fields)


@pytest.mark.parametrize("outcome", [Score(value=0.25), Unscored(reason="no judge")])
def test_an_outcome_comes_back_from_its_arm(outcome: Score | Unscored) -> None:
    assert Arm.of(outcome).outcome == outcome
    assert Arm.of(outcome, cached=True).cached


def test_without_both_scores_there_is_no_difference() -> None:
    assert pair("a", 0.25, 1.0).difference == 0.75
    assert pair("a", None, 1.0).difference is None
    assert pair("a", 0.0, None).difference is None


def test_swapped_arms_turn_the_difference() -> None:
    one = pair("a", 0.25, 1.0)
    assert one.swapped().difference == -0.75
    assert one.swapped().swapped() == one


def test_pairs_of_version_1_are_read_for_ever() -> None:
    lines = (GOLDEN / "pairs-v1.jsonl").read_text(encoding="utf-8").splitlines()
    found = [Pair.model_validate_json(line) for line in lines]
    assert [json.loads(one.model_dump_json()) for one in found] == [json.loads(line) for line in lines]
    assert [one.difference for one in found] == [1.0, None, -0.5]
    assert found[0].shared
    assert found[2].control.cached
