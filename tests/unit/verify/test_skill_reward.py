"""R_skill, eq. 9 and 10: each indicator by itself."""

from __future__ import annotations

import pytest

from ingrained.verify.score import Score
from ingrained.verify.skill_reward import INVALID, Stance, Update, local_terms, skill_reward

LONGER = Stance(dimension="length", more=True)
SHORTER = Stance(dimension="length", more=False)
LENGTH = Stance(dimension="length", more=None)
PERSONAL = Stance(dimension="first_person", more=True)
CAPITALS = Stance(dimension="expression", more=True, feature="all_caps")
DASHES = Stance(dimension="expression", more=True, feature="parentheses")
KEEP = Update()


def added(*stances: Stance, local: tuple[str, ...] = ()) -> Update:
    return Update(rules=("some rule",), stances=stances, local=local)


@pytest.mark.parametrize(
    ("before", "update", "targets", "expected"),
    [
        ((), KEEP, (), 1),
        ((), added(), (), 0),
        ((), added(LONGER), (), 0),
        ((), added(LONGER), (LONGER,), 1),
        ((), KEEP, (LONGER,), 0),
        ((), added(SHORTER), (LONGER,), 0.75),
        ((), added(PERSONAL), (LONGER,), 0.5),
        ((), added(LONGER, PERSONAL), (LONGER,), 0.75),
        ((), added(LONGER), (LONGER, PERSONAL), 0.75),
        ((LONGER,), KEEP, (LONGER,), 1),
        ((LONGER,), added(LONGER), (LONGER,), 0),
        ((LONGER, SHORTER), KEEP, (LONGER,), 0),
        ((SHORTER,), added(LONGER), (LONGER,), 1),
        ((), added(SHORTER, LONGER), (LONGER,), 0.75),
        ((), added(CAPITALS), (CAPITALS,), 1),
        ((), added(DASHES), (CAPITALS,), 0.75),
        ((), added(DASHES, CAPITALS), (CAPITALS,), 0.75),
        ((CAPITALS, DASHES), KEEP, (CAPITALS,), 1),
        ((), added(LONGER, LENGTH), (LONGER,), 0.75),
        ((LONGER, LENGTH), added(LONGER), (LONGER,), 1),
        ((LONGER,), added(PERSONAL), (LONGER, PERSONAL), 1),
        ((), None, (), 0),
        ((), None, (LONGER,), 0),
    ],
)
def test_cases(before: tuple[Stance, ...], update: Update | None, targets: tuple[Stance, ...], expected: float) -> None:
    assert skill_reward(before, update, targets).score == Score(value=expected)


@pytest.mark.parametrize(
    ("local", "rest"),
    [((), 1), (("SeaFish",), 0.5), (("SeaFish", "seafish"), 0.5), (("SeaFish", "a boat", "x1"), 0.125)],
)
def test_local_terms_halve_their_quarter(local: tuple[str, ...], rest: float) -> None:
    reward = skill_reward((), added(LONGER, local=local), (LONGER,))
    assert reward.non_transfer == rest
    assert reward.score == Score(value=(3 + rest) / 4)


def test_an_invalid_answer_is_a_zero_and_no_record_of_anything() -> None:
    assert skill_reward((), None, ()) == INVALID
    assert INVALID.score == Score(value=0)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="one dimension"):
        skill_reward((), KEEP, (LONGER, SHORTER))
    with pytest.raises(ValueError, match="without a direction"):
        skill_reward((), KEEP, (LENGTH,))
    with pytest.raises(ValueError, match="nothing was added"):
        Update(stances=(LONGER,))
    with pytest.raises(ValueError, match="needs a feature"):
        Stance(dimension="expression", more=True)
    with pytest.raises(ValueError, match="needs a feature"):
        Stance(dimension="length", more=True, feature="all_caps")


def test_local_terms_are_whole_words_in_the_order_given() -> None:
    rules = ["Name the SeaFish game.", "Mention open data and boats"]
    assert local_terms(rules, ["boat", "Open Data", "fish", "game", "games", ""]) == ("boat", "Open Data", "game")
    assert local_terms([], ["boat"]) == ()
    assert local_terms(rules, ["game. Mention"]) == ()
