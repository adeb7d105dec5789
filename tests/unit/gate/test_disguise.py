"""Disguises of a string, each undone."""

from __future__ import annotations

import base64
import codecs
import html
import string
from collections.abc import Callable
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingrained.gate.disguise import readings

WORD = st.text(st.sampled_from(string.ascii_letters), min_size=6, max_size=14)
DISGUISES: dict[str, Callable[[str], str]] = {
    "backwards": lambda word: word[::-1],
    "rot13": lambda word: codecs.encode(word, "rot13"),
    "base64": lambda word: base64.b64encode(word.encode()).decode(),
    "hex": lambda word: word.encode().hex(),
    "hex in pairs": lambda word: word.encode().hex(" "),
    "codes": lambda word: " ".join(str(ord(char)) for char in word),
    "letters apart": lambda word: "-".join(word),
    "stars between": lambda word: "*".join(word),
    "of html": lambda word: "".join(f"&#{ord(char)};" for char in word),
    "of addresses": lambda word: "".join(f"%{ord(char):02X}" for char in word),
    "initials": lambda word: " ".join(char + "abel" for char in word),
}


@pytest.mark.parametrize("name", DISGUISES)
@given(word=WORD)
def test_a_disguised_word_is_read(name: str, word: str) -> None:
    assert any(word in read for read, _ in readings(f"{DISGUISES[name](word)}"))


def test_escapes_that_say_nothing_else_add_no_reading() -> None:
    line = "Be brief"
    assert html.unescape(line) == line == quote(line, safe=" ")
    assert sum(disguised for _, disguised in readings(line)) == 3


ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen".split()  # noqa: SIM905
ONES += "seventeen eighteen nineteen".split()  # noqa: SIM905
TENS = "_ _ twenty thirty forty fifty sixty seventy eighty ninety".split()  # noqa: SIM905


def in_words(number: int) -> str:
    if number < 20:
        return ONES[number]
    if number < 100:
        return TENS[number // 10] + (f"-{ONES[number % 10]}" if number % 10 else "")
    if number < 1000:
        rest = number % 100
        return f"{ONES[number // 100]} hundred" + (f" and {in_words(rest)}" if rest else "")
    rest = number % 1000
    return f"{in_words(number // 1000)} thousand" + (f" {in_words(rest)}" if rest else "")


@given(st.integers(20, 999_999))
def test_a_number_in_words_is_read_as_digits(number: int) -> None:
    assert any(f"is {number}." in read for read, _ in readings(f"It is {in_words(number)}."))


def test_digits_that_are_told_one_by_one_are_put_together() -> None:
    assert any("4471" in read for read, _ in readings("It is four four seven one."))
