"""What a rule asks of the preferences that the rubric scores: length, first person, five habits of expression.

English is read by `verify.align.stances`, German by the terms of writing that `faithful` knows. The decision to know: a
preference counts only with a direction, and in German only where the clause speaks of nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from ingrained.learn.faithful import clauses
from ingrained.verify.align import stances
from ingrained.verify.expression import Feature
from ingrained.verify.extent import LENGTH, SENTENCES
from ingrained.verify.target import Topic

FIRST_PERSON: Final = Topic(dimension="first_person")


def _habit(feature: Feature) -> Topic:
    return Topic(dimension="expression", feature=feature)


_GERMAN: Final = re.compile(
    r"\b(?:ausrufe?zeichen|fragezeichen|kurz\w*|kürz\w*|knapp\w*|lang|lange[rns]?|länger\w*|ausführlich\w*|klammern?|"
    r"ich-form|großbuchstaben)\b",
    re.IGNORECASE,
)
"""Words of a topic that are German and nothing else: English that only looks alike is not read twice."""
_TERMS: Final = (
    (re.compile(r"long"), LENGTH),
    (re.compile(r"exclamation"), _habit("exclamation_marks")),
    (re.compile(r"question"), _habit("question_marks")),
    (re.compile(r"klammern?"), _habit("parentheses")),
    (re.compile(r"großbuchstab\w*"), _habit("all_caps")),
    (re.compile(r"ich-form"), FIRST_PERSON),
)
_ABOUT_SENTENCES: Final = "sentence"
_DEGREE: Final = frozenset(
    ["etwa", "bisschen", "deutlich", "noch", "ein", "wenig", "wort", "wörter", "text", "mail", "brief", "nachricht"]
)
"""Stems that only say how much, or of what in general."""
_ASKED: Final[Mapping[Topic, tuple[str, str, str, str]]] = {
    LENGTH: ("Write shorter texts", "Write longer texts", "Schreib kürzer", "Schreib länger"),
    FIRST_PERSON: (
        "Use the first person less", "Use the first person more", "Weniger Ich-Form", "Mehr Ich-Form",
    ),
    SENTENCES: ("Write shorter sentences", "Write longer sentences", "Kürzere Sätze", "Längere Sätze"),
    _habit("contractions"): ("Use fewer contractions", "Use more contractions", "", ""),
    _habit("exclamation_marks"): (
        "Use fewer exclamation marks", "Use more exclamation marks", "Weniger Ausrufezeichen", "Mehr Ausrufezeichen",
    ),
    _habit("question_marks"): (
        "Use fewer question marks", "Use more question marks", "Weniger Fragezeichen", "Mehr Fragezeichen",
    ),
    _habit("parentheses"): ("Use fewer parentheses", "Use more parentheses", "Weniger Klammern", "Mehr Klammern"),
    _habit("all_caps"): ("Use all caps less", "Use all caps more", "Weniger Großbuchstaben", "Mehr Großbuchstaben"),
}  # fmt: skip
"""A wish in the words of each language: English for less and for more, German for less and for more."""
_COMPLAINT: Final = re.compile(r"\W*(?:[\w'’]+ ){0,4}?(?:too|overly|zu) [\w'’ -]{2,40}\W*", re.IGNORECASE)
_MORE_THAN_THAT: Final = re.compile(
    r"\b(?:for|in|at|on|with|to|when|if|unless|and|or|but|not|never|n['’]t|für|bei|mit|wenn|und|oder|aber|nicht|nie)\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=4096)
def preferences(text: str) -> Mapping[Topic, bool]:
    """What a text asks for on each preference that it is surely about: more (True) or less. Some milliseconds."""
    found = {
        Topic(dimension=one.dimension, feature=one.feature): one.more for one in stances(text) if one.more is not None
    }
    return found or (_in_german(text) if _GERMAN.search(text) else {})


def _in_german(text: str) -> dict[Topic, bool]:
    asked: dict[Topic, set[int]] = {}
    for terms in clauses(text):
        topics = {term: topic for term in terms for pattern, topic in _TERMS if pattern.fullmatch(term)}
        if not topics or terms.keys() - topics.keys() - _DEGREE - {_ABOUT_SENTENCES}:
            continue
        for term, topic in topics.items():
            of_sentences = topic == LENGTH and _ABOUT_SENTENCES in terms
            asked.setdefault(SENTENCES if of_sentences else topic, set()).add(terms[term])
    return {topic: signs == {1} for topic, signs in asked.items() if len(signs) == 1}


def opposed(one: str, other: str) -> bool:
    """Whether two rules ask for the contrary of the same preferences, and for nothing on another one."""
    mine, theirs = preferences(one), preferences(other)
    return bool(mine) and mine.keys() == theirs.keys() and all(mine[topic] != theirs[topic] for topic in mine)


def wish_of(text: str) -> str:
    """What a bare complaint or question asks for ("Too long" → "Write shorter texts"); an empty string for others."""
    asked = preferences(text)
    bare = _COMPLAINT.fullmatch(text) or text.rstrip().endswith("?")
    if len(asked) != 1 or not bare or _MORE_THAN_THAT.search(text):
        return ""
    topic, more = next(iter(asked.items()))
    less_en, more_en, less_de, more_de = _ASKED[topic]
    return (more_de if more else less_de) if _GERMAN.search(text) else (more_en if more else less_en)


def named(topic: Topic) -> str:
    """A preference as it is told."""
    return (topic.feature or topic.dimension).replace("_", " ")
