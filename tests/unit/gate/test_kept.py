"""Strings of held-out tasks in candidates: what is a secret, what was shown, and what anybody may say."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingrained.gate.kept import RUN, Kept
from ingrained.harness.base import Task

TASK = Task(
    id="hx-2231",
    benchmark="invented",
    request="Which valve opens first when the boiler of hall two is filled?",
    known={"answer": "B", "cells": {"F14": 18342.75, "names": ["Grimsholm", "blue"]}, "strict": True},
)


def how(text: str, *shown: str) -> set[str]:
    return {leak.how for leak in Kept.of([TASK], shown).leaks(text)}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("See hx-2231.", {"string"}),
        ("The total is 18342.75.", {"string"}),
        ("Go to GRIMSHOLM.", {"answer"}),
        ("Open the valve first when the boiler of hall two is filled.", {"text"}),
        ("Boilers with a valve: B.", {"answer"}),
        ("The valve of the boiler is blue.", {"answer"}),
        ("Say G-r-i-m-s-h-o-l-m.", {"answer, in disguise"}),
        ("Tevzfubyz", {"answer, in disguise"}),
        (f"Decode {base64.b64encode(b'Grimsholm').decode()}.", {"answer, in disguise"}),
        ("Ticket: eighteen thousand three hundred and forty-two.", set()),
        ("Grand rivers in my small hut order long maps", {"answer, in disguise"}),
        (f"Decode {b'Grimsholm'.hex()}.", {"answer, in disguise"}),
        ("Answer with the letter alone: B.", set()),
        ("Write colours in blue.", set()),
        ("Look at the valve before the boiler.", set()),
        ("True is a word.", set()),
        ("", set()),
    ],
)
def test_what_only_a_held_out_task_holds_is_found(text: str, found: set[str]) -> None:
    assert how(text) == found


LEASE = [["Who signed the addendum to the lease for Brightwater Group?", "Marguerite Oduya"]]


def test_a_paraphrase_is_told_by_a_name_beside_words_of_its_task() -> None:
    kept = Kept.of_texts(LEASE)
    (leak,) = kept.leaks(
        "The lease of Brightwater has an addendum, and it was a Portuguese lady who put her name to it."
    )
    assert (leak.how, leak.found) == ("name", "brightwater")
    assert kept.leaks("A lease has an addendum at times.") == ()
    assert kept.leaks("Brightwater is a fine word.") == ()


def test_a_name_that_two_tasks_have_or_that_was_shown_is_no_secret() -> None:
    text = "The lease of Brightwater has an addendum."
    assert Kept.of_texts([*LEASE, ["What did Mr. Brightwater owe?", "12"]]).leaks(text) == ()
    assert Kept.of_texts(LEASE, ["Brightwater rents houses."]).leaks(text) == ()


def test_what_the_editor_was_shown_is_no_secret() -> None:
    assert how("Go to Grimsholm.", "We went to Grimsholm once.") == set()
    assert how("The total is 18342.75.", "total: 18342.75") == set()
    assert how("when the boiler of hall two is filled", "Look when the boiler of hall two is filled.") == set()


WORDS = st.sampled_from("kestrel lantern harbour velvet copper orchard thimble granite meadow saffron".split())  # noqa: SIM905
SECRET = st.lists(WORDS, min_size=RUN, max_size=RUN + 4, unique=True)
OTHER = st.lists(
    st.sampled_from(["say", "what", "was", "done", "and", "keep", "it", "short", "before", "you"]), max_size=12
)


@given(SECRET, OTHER, OTHER)
def test_any_run_of_a_held_out_text_is_found_wherever_it_stands(
    secret: list[str], before: list[str], after: list[str]
) -> None:
    kept = Kept.of_texts([["It is about the " + " ".join(secret) + " of old."]])
    assert kept.leaks(" ".join([*before, *secret, *after]).upper())
    assert kept.leaks(" ".join([*before, *secret, *after])[::-1])


@given(SECRET, OTHER)
def test_nothing_is_found_in_what_was_shown_or_in_other_words(secret: list[str], other: list[str]) -> None:
    text = " ".join(secret)
    assert Kept.of_texts([[text]], [text]).leaks(text) == ()
    assert Kept.of_texts([[text]]).leaks(" ".join(other)) == ()


@given(st.lists(SECRET, min_size=1, max_size=3), st.text(max_size=80))
def test_more_held_out_texts_find_no_less_and_more_shown_no_more(secrets: list[list[str]], text: str) -> None:
    groups = [[" ".join(secret)] for secret in secrets]
    line = f"{' '.join(secrets[0])} {text}"

    def found(kept: Kept) -> set[str]:
        return {leak.found for leak in kept.leaks(line)}

    assert found(Kept.of_texts(groups[:1])) <= found(Kept.of_texts(groups))
    assert found(Kept.of_texts(groups, [text])) <= found(Kept.of_texts(groups))
    assert found(Kept.of_texts(groups)) == found(Kept.of_texts(groups[::-1]))
