"""Verifiers of short answers: an option, or words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingrained.errors import ConfigError
from ingrained.harness.base import Stop, Task, Trace
from ingrained.verify.base import VERIFIERS, Checked
from ingrained.verify.choice import Choice, chosen
from ingrained.verify.score import Score, Unscored
from ingrained.verify.wordset import WordF1, f1

LETTERS = ["A", "B", "C", "D"]


def answered(text: str, stop: Stop = "answered") -> Trace:
    return Trace(task="t1", worker="w", skill="", seed=0, answer=text, stop=stop, reason="the server is down")


def asked(**known: object) -> Task:
    return Task.model_validate({"id": "t1", "benchmark": "invented", "request": "?", "known": known})


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("B", "B"),
        ("b", "B"),
        ("B.", "B"),
        ("(B)", "B"),
        ("**B**", "B"),
        ("B) Paris", "B"),
        ("The answer is B", "B"),
        ("Answer: B", "B"),
        ("I first thought the answer is A.\nThe answer is B.", "B"),
        ("Option C, because the others are wrong.", "C"),
        ("A spider has eight legs.", ""),
        ("I do not know.", ""),
        ("E", ""),
        ("", ""),
    ],
)
def test_the_last_option_that_is_named_as_the_answer_counts(answer: str, found: str) -> None:
    assert chosen(answer, LETTERS) == found


@pytest.mark.anyio
@pytest.mark.parametrize(("answer", "value"), [("B", 1.0), ("A", 0.0), ("no idea", 0.0)])
async def test_an_answer_without_an_option_is_wrong_and_not_unscored(answer: str, value: float) -> None:
    assert (await Choice().check(asked(answer="B"), answered(answer))).outcome == Score(value=value)


@pytest.mark.anyio
@pytest.mark.parametrize("name", ["choice", "word-f1"])
async def test_what_nobody_answered_is_unscored_and_says_why(name: str) -> None:
    task = asked(answer="B", answers=["eight"])
    checked: Checked = await VERIFIERS.load(name)(None, {}).check(task, answered("", "parked"))
    assert isinstance(checked.outcome, Unscored)
    assert "the server is down" in checked.outcome.reason


@pytest.mark.anyio
async def test_a_task_of_another_verifier_is_an_error_that_names_it() -> None:
    with pytest.raises(ConfigError, match=r"'t1'.*known\.answer"):
        await Choice().check(asked(answers=["eight"]), answered("B"))
    with pytest.raises(ConfigError, match=r"'t1'.*known\.answers"):
        await WordF1().check(asked(answer="B"), answered("B"))


@pytest.mark.anyio
async def test_the_best_reference_counts_and_articles_do_not() -> None:
    checked = await WordF1().check(asked(answers=["a blue bird", "eight legs"]), answered("The eight legs"))
    assert checked.outcome == Score(value=1.0)


def test_f1_is_that_of_the_textbook() -> None:
    assert f1("red green blue", "red green black white") == pytest.approx(2 * (2 / 3) * (2 / 4) / (2 / 3 + 2 / 4))


sentences = st.lists(st.sampled_from(["red", "green", "blue", "Blue", "the", "x1"]), max_size=6).map(" ".join)


@given(sentences, sentences)
def test_f1_is_symmetric_bounded_and_one_only_of_the_same_words(one: str, other: str) -> None:
    bag = [sorted(word for word in text.casefold().split() if word != "the") for text in (one, other)]
    assert f1(one, other) == f1(other, one)
    assert 0 <= f1(one, other) <= 1
    assert (f1(one, other) == 1) == (bag[0] == bag[1])
