"""Each formula of SkillGrain's A.2 at its bounds."""

from __future__ import annotations

import pytest

from ingrained.verify.leakage import candidates
from ingrained.verify.population import population
from ingrained.verify.rubric import (
    Profile,
    phi,
    preferred_length,
    preferred_rate,
    profile,
    rate_tolerance,
    score_response,
)
from ingrained.verify.score import Score, Unscored


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0, 0), (2, 0), (3, 0.5), (4, 1), (5, 1), (6, 1), (8, 0.5), (10, 0), (11, 0)],
)
def test_phi(value: float, expected: float) -> None:
    assert phi(value, 4, 6, 2, 10) == expected


@pytest.mark.parametrize(
    ("bounds", "value", "expected"),
    [((0, 2, 0, 4), 0, 1), ((0, 0, 0, 0), 0, 1), ((0, 0, 0, 0), 1, 0), ((3, 3, 3, 3), 3, 1), ((3, 5, 3, 5), 5, 1)],
)
def test_where_cases_of_phi_overlap_the_first_wins(
    bounds: tuple[float, float, float, float], value: float, expected: float
) -> None:
    low, high, outer_low, outer_high = bounds
    assert phi(value, low, high, outer_low, outer_high) == expected


def test_length_eq_19_to_22() -> None:
    want = preferred_length(100)
    assert (want.low, want.high, want.outer_low, want.outer_high) == (70, 130, 35, 195)
    assert [want.score(words) for words in (35, 52.5, 70, 130, 162.5, 195)] == [0, 0.5, 1, 1, 0.5, 0]


@pytest.mark.parametrize("median", range(10, 2000, 10))
def test_whole_bounds_of_length_are_whole(median: int) -> None:
    """0.7 * 90 is below 63 in floating point; 63 words of 90 are within the interval all the same."""
    want = preferred_length(median)
    assert want.score(median * 7 // 10) == want.score(median * 13 // 10) == 1
    assert want.score(median * 7 // 10 - 1) < 1 > want.score(median * 13 // 10 + 1)


@pytest.mark.parametrize(("rate", "tolerance"), [(0, 2), (3, 2), (10 / 3, 2), (5, 3), (10, 6)])
def test_first_person_eq_24(rate: float, tolerance: float) -> None:
    assert rate_tolerance(rate) == pytest.approx(tolerance)


def test_first_person_eq_25_to_28() -> None:
    want = preferred_rate(10)
    assert (want.low, want.high, want.outer_low, want.outer_high) == (4, 16, 0, 22)
    never = preferred_rate(0)
    assert (never.low, never.high, never.outer_low, never.outer_high) == (0, 2, 0, 4)
    assert [never.score(rate) for rate in (0, 2, 3, 4)] == [1, 1, 0.5, 0]
    at_the_floor = preferred_rate(2)
    assert at_the_floor.score(0) == 1


def an_author(*histories: str) -> Profile:
    author = profile(histories)
    assert isinstance(author, Profile)
    return author


def test_the_length_is_a_median_and_the_rate_that_of_all_words_together() -> None:
    author = an_author("I " * 10, "word " * 20, "word " * 60, "word " * 10)
    assert author.words == 15
    assert author.rate == 10


PLAIN = "The river was calm. The boats went by."
LOUD = "The river was calm! The boats went by!"
OTHERS = population({"one": [PLAIN], "two": [PLAIN, PLAIN], "three": [PLAIN]})


def test_an_empty_response_is_worth_nothing() -> None:
    author = profile([LOUD, LOUD], known=OTHERS)
    assert isinstance(author, Profile)
    for empty in ("", " \n", "...!", "_"):
        score = score_response(empty, author)
        assert score.mean == Score(value=0)
        assert set(score.parts) == {Score(value=0)}
    assert score_response("", an_author(LOUD)).mean == Score(value=0)


def test_a_response_of_code_keeps_no_habit() -> None:
    author = profile([LOUD, LOUD], known=OTHERS)
    assert isinstance(author, Profile)
    score = score_response("```\nprint(river)\n```", author)
    assert score.value is None
    assert score.expression == Score(value=0)


def test_a_response_without_word_separation_is_unscored_in_each_part() -> None:
    author = profile([LOUD, LOUD], known=OTHERS)
    assert isinstance(author, Profile)
    score = score_response("学会保留什么", author)
    assert all(isinstance(part, Unscored) for part in (*score.parts, score.mean))


def test_histories_that_cannot_be_counted_are_left_out() -> None:
    author = an_author("", "学会保留什么", "four words are here")
    assert (author.texts, author.words) == (1, 4)
    assert isinstance(profile(["", "学会保留什么"]), Unscored)
    assert isinstance(profile([]), Unscored)


def test_without_a_population_only_expression_and_the_mean_are_unscored() -> None:
    score = score_response(PLAIN, an_author(LOUD, LOUD))
    assert [isinstance(part, Unscored) for part in score.parts] == [False, False, True, False]
    assert isinstance(score.mean, Unscored)
    alone = profile([LOUD, LOUD], known=population({"one": [PLAIN]}))
    assert isinstance(alone, Profile)
    assert alone.habit == Unscored(reason="a population of 1 has no spread")


def test_the_mean_is_that_of_the_four_parts() -> None:
    author = profile([LOUD, LOUD], known=OTHERS)
    assert isinstance(author, Profile)
    found = candidates(["We met Alice there."])
    score = score_response("Alice saw the river! It was calm!", author, found=found)
    assert [part.value for part in score.parts if isinstance(part, Score)] == [
        1,
        1,
        pytest.approx(1 - (200 / 7 - 25 - 1.25) / 25),
        0.5,
    ]
    assert score.mean == Score(value=sum(part.value for part in score.parts if isinstance(part, Score)) / 4)
    assert score_response("Alice saw the river!", author, found=found, request="About Alice").leaked == ()
