"""For any template, verb and object: a rule keeps its negations, its words and its length."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingrained.feedback.restate import LONGEST, polarity_of, restate

NEGATORS = re.compile(r"\b(?:not|no|never|without|don['’]t|dont|stop|avoid|nunca|nicht|kein|jamais)\b", re.IGNORECASE)
OPENINGS = st.sampled_from(
    ["", "no, ", "no. ", "nope, ", "ok so ", "wait no, ", "please ", "and ", "but ", "look, ", "right, ", "note: ",
     "reminder - ", "again: ", "hmm, ", "actually ", "i told you: ", "like I said, ", "i changed my mind: ",
     "great, but ", "you know what, ", "i think ", "from now on ", "also ", "sorry, ", "remember: ", "q: "]
)  # fmt: skip
FORBIDDING = st.sampled_from(
    ["never {verb} {object}", "don't {verb} {object}", "don’t {verb} {object}", "dont {verb} {object}",
     "do not {verb} {object}", "let's not {verb} {object}", "can we not {verb} {object}", "you must never {verb} {object}",
     "we should not {verb} {object}", "make sure not to {verb} {object}", "make sure you don't {verb} {object}",
     "i told you to never {verb} {object}", "i told you not to {verb} {object}", "i said don't {verb} {object}",
     "i'd prefer not to {verb} {object}", "i want you to never {verb} {object}", "remember not to {verb} {object}",
     "let's please not {verb} {object}", "i want you to not {verb} {object}", "remember never to {verb} {object}",
     "i keep telling you to never {verb} {object}", "how often do I have to say it: don't {verb} {object}",
     "don't forget to never {verb} {object}", "no use of {object}", "no {object}", "no use {object}", "no {object} ever",
     "avoid {object}", "not {object}", "work without {object}", "could you not {verb} {object}?",
     "never {verb} {object}, ok?", "we don't {verb} {object}, right?", "{verb} the other way, not {object}",
     "don't {verb} {object}, use the wrapper", "why is it here? never {verb} {object} for that", "nunca {object}",
     "kein {object}", "{object} nicht"]
)  # fmt: skip
ASKING = st.sampled_from(
    ["always {verb} {object}", "{verb} {object}", "let's {verb} {object}", "can you {verb} {object}?",
     "you should {verb} {object}", "don't forget to {verb} {object}", "please make sure to {verb} {object}",
     "i'd like you to {verb} {object}", "i told you to {verb} {object}", "{verb} {object}, ok?"]
)  # fmt: skip
CLOSINGS = st.sampled_from(
    ["", ".", "!", " please", ", please!", ", thanks", ", I told you this last week", ", like I said", ", again", " :)"]
)
VERBS = st.sampled_from(
    ["use", "edit", "log", "note", "question", "right-align", "look at", "remember", "stop", "wait for"]
)
OBJECTS = st.sampled_from(
    ["eval", "var", "the copyright", "each hook", "a human", "I/O", "use cases", "the right", "the outlook", "this",
     "it tests", "the notebook", "we and you", "look-alikes", "the books", "Roman", "no-ops"]
)  # fmt: skip


def count(text: str) -> int:
    """Negations in the test's own reading: an answering no and "don't forget" are none."""
    plain = re.sub(r"\bdon['’]t forget\b", "", text, flags=re.IGNORECASE)
    return len(NEGATORS.findall(plain))


@given(OPENINGS, FORBIDDING, VERBS, OBJECTS, CLOSINGS)
def test_what_forbids_still_forbids(opening: str, template: str, verb: str, thing: str, closing: str) -> None:
    said = template.format(verb=verb, object=thing)
    statement = said if said.endswith("?") else said + closing
    assert count(restate(opening + statement)) >= count(said)


@given(OPENINGS, ASKING, VERBS.filter(lambda verb: verb != "stop"), OBJECTS.filter(lambda o: o != "no-ops"), CLOSINGS)
def test_what_asks_forbids_nothing_and_keeps_its_words(
    opening: str, template: str, verb: str, thing: str, closing: str
) -> None:
    said = template.format(verb=verb, object=thing)
    rule = restate(opening + (said if said.endswith("?") else said + closing))
    assert count(rule) == 0
    assert f"{verb} {thing}".casefold() in rule.casefold()
    assert polarity_of(rule) == "do"


@given(OPENINGS, VERBS, OBJECTS, st.integers(0, 80))
def test_a_negation_far_back_survives_the_length(opening: str, verb: str, thing: str, words: int) -> None:
    rule = restate(f"{opening}in the api {'and there ' * words}never {verb} {thing}")
    assert len(rule) <= LONGEST
    assert "never" in rule.casefold()


@given(st.text(max_size=700))
def test_any_text_is_restated_in_one_short_line(text: str) -> None:
    rule = restate(text)
    assert len(rule) <= LONGEST
    assert "\n" not in rule


@pytest.mark.parametrize("word", ["ok", "right", "man", "please", "yeah", "dude", "thanks"])
@given(before=st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=6))
def test_no_word_is_cut_in_its_middle(word: str, before: str) -> None:
    assert restate(f"add a test for each {before}{word}").endswith(before + word)
