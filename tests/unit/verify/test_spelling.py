"""Mistyped words: one slip of the hand is mended where it decides something, and a common word never is."""

from __future__ import annotations

import pytest

from ingrained.verify.align import verdict
from ingrained.verify.lexicon import keywords
from ingrained.verify.spelling import common, mended
from ingrained.verify.target import Target


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("frist person plz", "first person please"),
        ("a good deal lenghtier", "a good deal lengthier"),
        ("inclued the price", "include the price"),
        ("no parantheses", "no parentheses"),
        ("teh text", "the text"),
        ("a martian stone", "a martian stone"),
    ],
)
def test_one_slip_is_mended(typed: str, meant: str) -> None:
    assert mended(typed) == meant


def test_no_common_word_and_no_keyword_is_changed() -> None:
    words = sorted(word for word in keywords() | common() if word not in {"hte", "ur", "adn"})
    assert [word for word in words if mended(word) != word and word in keywords()] == []
    assert sum(mended(word) != word for word in words) < 5


def test_words_of_a_term_are_mended_too() -> None:
    term = Target(dimension="coverage", direction="mention", tau=0, term="waterproofing")
    assert verdict("inclued the watreproofing", term) == "aligned"


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("I will not have brackets.", "Will", "unrelated"),
        ("Leave Will out.", "Will", "opposed"),
        ("You may drop the greeting.", "May", "unrelated"),
        ("Cover the return policy.", "cover", "unrelated"),
        ("Mention the cover.", "cover", "aligned"),
        ("Leave out Pavel's surname.", "Pavel", "abstain"),
        ("Mention the blue bike.", "red bike", "unrelated"),
        ("Don't dwell on Paris.", "Paris", "abstain"),
    ],
)
def test_a_name_that_is_a_word_and_a_part_of_a_term(text: str, name: str, expected: str) -> None:
    target = Target(dimension="coverage", direction="mention", tau=0, term=name)
    assert verdict(text, target) == expected
