"""What a draft should be told: one target for each preference that it misses, and a few terms."""

from __future__ import annotations

import pytest

from ingrained.verify.target import MOST_TERMS, Finding, Findings, Target, diagnose, directions


def test_a_draft_that_is_right_gets_no_target() -> None:
    right = Finding(dimension="length", score=1.0, difference=12.0)
    assert diagnose(Findings(preferences=(right,))) == ()


def test_each_missed_preference_gives_one_target_towards_the_person() -> None:
    found = diagnose(
        Findings(
            preferences=(
                Finding(dimension="length", score=0.4, difference=-80),
                Finding(dimension="first_person", score=0.0, difference=3.1),
                Finding(dimension="expression", score=0.9, difference=5, feature="sentence_length"),
            )
        )
    )
    assert [(one.dimension, one.direction, one.tau) for one in found] == [
        ("length", "longer", 1),
        ("first_person", "fewer", 1),
        ("expression", "shorter", 1),
    ]


def test_terms_are_local_distinct_and_few() -> None:
    found = diagnose(Findings(missing=("a", "A ", "b", "c", "d"), leaked=("x", "")))
    assert [(one.direction, one.term, one.tau) for one in found] == [
        ("mention", "a", 0),
        ("mention", "b", 0),
        ("mention", "c", 0),
        ("leave_out", "x", 0),
    ]
    assert MOST_TERMS == 3


def test_a_low_score_without_a_difference_leaves_the_direction_open() -> None:
    with pytest.raises(ValueError, match="without a difference"):
        diagnose(Findings(preferences=(Finding(dimension="length", score=0.5, difference=0),)))


@pytest.mark.parametrize(
    "fields",
    [
        {"dimension": "length", "direction": "more"},
        {"dimension": "expression", "direction": "more"},
        {"dimension": "expression", "direction": "more", "feature": "sentence_length"},
        {"dimension": "length", "direction": "longer", "feature": "contractions"},
        {"dimension": "coverage", "direction": "mention"},
        {"dimension": "coverage", "direction": "leave_out", "term": "Paris"},
        {"dimension": "length", "direction": "longer", "term": "Paris"},
    ],
)
def test_a_target_that_means_nothing_cannot_be_made(fields: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="with dimension"):
        Target(tau=1, **fields)  # type: ignore[arg-type]


def test_the_first_direction_asks_for_more() -> None:
    assert directions("length") == ("longer", "shorter")
    assert directions("expression", "sentence_length") == ("longer", "shorter")
    assert directions("expression", "contractions") == ("more", "fewer")
