"""What expression is measured on, which habit is chosen, and its score at the bounds."""

from __future__ import annotations

import pytest

from ingrained.verify.expression import FEATURES, Feature, Habit, Tendency, chosen, habits, measured, tendency
from ingrained.verify.population import population
from ingrained.verify.prose import prose, sentences
from ingrained.verify.rubric import Profile, profile, score_response
from ingrained.verify.score import Unscored
from ingrained.verify.words import words


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("one\n```py\ntwo!\n```\nthree", ["one", "three"]),
        ("one\n~~~\n```\ntwo\n~~~\nthree", ["one", "three"]),
        ("one\n```\nnever closed", ["one"]),
        ("use ``two`` and `three` here", ["use", "and", "here"]),
        ("a link `to it <https://x.example/?a>`_ here", ["a", "link", "to", "it", "here"]),
        ("thus::\n\n    two!\n\n      three\n\nafter", ["thus", "after"]),
        (".. code-block:: python\n\n   two!\n\nafter", ["after"]),
        ("std::\nfirst\n\n    kept", ["std", "first", "kept"]),
        ("> theirs!\nmine", ["mine"]),
        ('he said "not mine!" then', ["he", "said", "then"]),
        ("he said “not mine!” and „auch nicht“ then", ["he", "said", "and", "then"]),
        ('5" and 6" wide', ["5", "and", "6", "wide"]),
        ('an open "quote\n\nis not closed" here', ["an", "open", "quote", "is", "not", "closed", "here"]),
        ("see https://a.example/?q=1! Now", ["see", "Now"]),
        ("(www.a.example/b) and mailto:x@a.example", ["and"]),
        ("1. one\n2) two\n- three\n* four\n(i) five", ["one", "two", "three", "four", "five"]),
    ],
)
def test_what_is_not_the_authors_prose_is_taken_out(text: str, kept: list[str]) -> None:
    assert words(prose(text)) == kept


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("One. Two! Three?", 3),
        ("One?! Two... three", 3),
        ("One.two 3.5 a", 1),
        ("(One.) Two", 2),
        ("One\n\ntwo\nthree", 2),
        ("- one\n- two\n\n1. three", 3),
        ("... ! ?", 0),
        ("", 0),
    ],
)
def test_sentences(text: str, count: int) -> None:
    assert len(sentences(prose(text))) == count


@pytest.mark.parametrize(
    ("feature", "text", "value"),
    [
        ("contractions", "it's John's don't we’ll o'clock rock", 50),
        ("exclamation_marks", "one! two!! three four", 75),
        ("question_marks", "one? two three four", 25),
        ("parentheses", "one (two) f(x) three () four", 100 / 6),
        ("parentheses", "one (two (three)) [a](b) four", 100 / 6),
        ("all_caps", "one TWO THREE A1 I X, don't DON'T", 37.5),
        ("sentence_length", "one two three. four five!", 2.5),
        ("sentence_length", "", 0),
        ("all_caps", "", 0),
    ],
)
def test_features(feature: Feature, text: str, value: float) -> None:
    assert measured(text).value(feature) == pytest.approx(value)


def test_terms_of_the_request_and_shared_acronyms_are_no_emphasis() -> None:
    quiet = "one two three four."
    others = population({"a": ["The HTTP way " + quiet], "b": ["An HTTP way " + quiet], "c": ["RARE " + quiet]})
    assert others.shared_capitals == {"http"}
    author = profile(["NEVER " + quiet, "ALWAYS " + quiet, "HTTP NOW " + quiet], known=others)
    assert isinstance(author, Profile)
    assert isinstance(author.habit, Habit)
    assert author.habit.feature == "all_caps"
    score = score_response("HTTP SEAFISH NEVER one", author, request="Tell of SeaFish")
    assert score.value == 25


def test_quartiles_are_interpolated() -> None:
    assert tendency([4, 1, 3, 2]) == Tendency(median=2.5, spread=1.5)
    assert tendency([7]) == Tendency(median=7, spread=0)


def a_habit(*, median: float, mad: float, middle: float, spread: float, extent: float = 0) -> Habit:
    return Habit(
        feature="all_caps", median=median, mad=mad, range=extent, population=Tendency(median=middle, spread=spread)
    )


@pytest.mark.parametrize(
    ("mad", "spread", "stable", "distinctive"),
    [(1, 4, True, True), (1.001, 4, False, True), (1, 4.001, True, False), (0, 0, True, True)],
)
def test_stable_and_distinctive_hold_at_their_bounds(
    mad: float, spread: float, stable: bool, distinctive: bool
) -> None:
    habit = a_habit(median=3, mad=mad, middle=1, spread=spread)
    assert (habit.stable, habit.distinctive) == (stable, distinctive)


def test_no_difference_is_not_distinctive() -> None:
    assert not a_habit(median=1, mad=0, middle=1, spread=0).distinctive


@pytest.mark.parametrize(
    ("habit", "scale", "tolerance"),
    [
        (a_habit(median=3, mad=0, middle=1, spread=0), 2, 0.1),
        (a_habit(median=3, mad=1, middle=1, spread=0, extent=4), 4, 1),
        (a_habit(median=0.1, mad=0, middle=0, spread=0), 0.25, 0.0125),
    ],
)
def test_scale_and_tolerance_eq_30_and_31(habit: Habit, scale: float, tolerance: float) -> None:
    assert (habit.scale, habit.tolerance) == (scale, pytest.approx(tolerance))


@pytest.mark.parametrize(
    ("value", "deviation", "score"), [(3, 0, 1), (4, 0, 1), (2, 0, 1), (6, 2, 0.5), (8, 4, 0), (99, 95, 0), (0, 2, 0.5)]
)
def test_deviation_and_score_eq_32_and_33(value: float, deviation: float, score: float) -> None:
    habit = a_habit(median=3, mad=1, middle=1, spread=0, extent=4)
    assert (habit.deviation(value), habit.score(value)) == (deviation, score)


def test_the_largest_ratio_is_chosen_and_the_first_of_equals() -> None:
    population_of: dict[Feature, Tendency] = dict.fromkeys(FEATURES, Tendency(median=0, spread=1))
    texts = [
        measured("one two! three four don't five six seven eight nine ten."),
        measured("a b c d! e f g h i j don't."),
    ]
    found = habits(texts, population_of)
    assert [habit.feature for habit in found] == list(FEATURES)
    first = chosen(found[:2], 2)
    assert isinstance(first, Habit)
    assert found[0].ratio == found[1].ratio
    assert first.feature == "contractions"
    best = chosen(found, 2)
    assert isinstance(best, Habit)
    assert best.ratio == max(habit.ratio for habit in found if habit.stable)


def test_an_author_without_a_habit_or_with_one_text_is_unscored() -> None:
    assert isinstance(chosen([a_habit(median=1, mad=0, middle=1, spread=0)], 5), Unscored)
    assert isinstance(chosen([a_habit(median=9, mad=0, middle=1, spread=0)], 1), Unscored)
    assert habits([measured("```\ncode\n```")], {}) == ()
