"""What rules ask of the rubric's preferences, in English and German, and which of two rules are contraries."""

from __future__ import annotations

import pytest

from ingrained.learn.preferences import _ASKED, FIRST_PERSON, opposed, preferences, wish_of
from ingrained.verify.extent import LENGTH, SENTENCES

WISHES = [
    (text, topic, bool(place % 2))
    for topic, texts in _ASKED.items()
    for place, text in enumerate(texts)
    if text
]  # fmt: skip


@pytest.mark.parametrize(("text", "topic", "more"), WISHES)
def test_a_wish_that_is_put_in_other_words_asks_for_what_it_stands_for(text: str, topic: object, *, more: bool) -> None:
    assert preferences(text) == {topic: more}


@pytest.mark.parametrize(
    ("text", "topic", "more"),
    [
        ("Kürzer bitte", LENGTH, False),
        ("Nicht so lang", LENGTH, False),
        ("Etwas kürzere Sätze.", SENTENCES, False),
        ("Die Sätze sind zu lang", SENTENCES, False),
        ("Schreib in der Ich-Form", FIRST_PERSON, True),
        ("Write in the first person.", FIRST_PERSON, True),
    ],
)
def test_both_languages_are_read(text: str, topic: object, *, more: bool) -> None:
    assert preferences(text) == {topic: more}


@pytest.mark.parametrize(
    "text", ["Der zweite Absatz ist zu lang", "Die Frist ist zu kurz", "Ruf ihn kurz an", "Sehr gut"]
)
def test_german_about_something_else_says_nothing(text: str) -> None:
    assert preferences(text) == {}


@pytest.mark.parametrize(
    ("text", "wish"),
    [
        ("Too long.", "Write shorter texts"),
        ("It's way too wordy!", "Write shorter texts"),
        ("too many exclamation marks", "Use fewer exclamation marks"),
        ("Zu viele Ausrufezeichen!", "Weniger Ausrufezeichen"),
        ("Too long for a note", ""),
        ("Too formal, and too long.", ""),
        ("This is not too long", ""),
        ("Make it shorter", ""),
        ("Never use exclamation marks", ""),
    ],
)
def test_a_bare_complaint_becomes_a_wish_and_nothing_else_is_put_in_other_words(text: str, wish: str) -> None:
    assert wish_of(text) == wish


@pytest.mark.parametrize(
    ("one", "other", "contrary"),
    [
        ("Make it shorter", "Too short", True),
        ("Weniger Ausrufezeichen", "Use more exclamation marks", True),
        ("Make it shorter", "Write shorter texts", False),
        ("Write shorter sentences", "Write longer texts", False),
        ("Write longer texts and fewer questions", "Write shorter texts", False),
        ("Never use npm", "Always use npm", False),
    ],
)
def test_contraries_ask_for_the_opposite_of_the_same_and_of_nothing_else(
    one: str, other: str, *, contrary: bool
) -> None:
    assert opposed(one, other) == opposed(other, one) == contrary
