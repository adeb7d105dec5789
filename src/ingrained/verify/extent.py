"""What a property of length is said of: the whole text, a part of it, sentences, or something in it.

"Shorter" is a wish for the text, "shorter titles" for a part, "shorter sentences" for another preference, and "a short
story" is none. Only words of length need this; what is counted ("contractions") says itself what it is.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from ingrained.verify.clauses import Segment
from ingrained.verify.lexicon import Event, alternatives
from ingrained.verify.target import Topic

LENGTH = Topic(dimension="length")
SENTENCES = Topic(dimension="expression", feature="sentence_length")
_ABOUT = re.compile(
    r"\s*(?:about|regarding|concerning|on|of) "
    r"(?!(?:for|and|forever|too|at|long|endlessly|each|every|all|your|any|it|this|that|them|everything|average|course|things|"
    r"the (?:text|draft|response|answer|review|post|email|abstract|piece|whole))\b)"
)
"""After a word of length: it is asked for about one thing, which may be content of one request."""
_PREDICATE = re.compile(
    r"\b(?:is|are|was|were|be|been|being|too|so|overly|feels?|seems?|looks?|reads?|runs?|rather|bit|little|somewhat|it|them|"
    r"things|everything) $"
)
_OBJECT = re.compile(
    r"\s*(?:the|your|my|its|his|her|our|their|that|this|these|those|each|every|any|a|an) "
    r"(?!bit|little|lot|touch|tad|third|quarter|half|few)(?:(?:whole|entire|full|next|final) )?(\w.*)"
)
_INSIDE = re.compile(r"\b(?:the|your) (?!long|short)(\w+(?: \w+)?)")
_EVERY = re.compile(r"\b(?:in|of|for|to) (?:every|each|all|any)(?: the| of the| your)? \w+")
"""Every part is the whole."""
_ONES = re.compile(r"\b(?:ones?|them|they|these|those)\b")
_SOME = re.compile(r"\b(?:\d+|one|two|three|four|five|six|a few|a couple of)(?: \w+)? sentences?\b")
_NAMED = re.compile(
    r"\b(?:mention\w*|nam(?:e|ed|ing)|bring(?:ing)? up|talk(?:ing)? about|discuss\w*|cit(?:e|ed|ing)|describ\w+|"
    r"refer(?:ring)? to|touch(?:ing)? on|write about|bring in|say(?:ing)? that)"
    r"(?: (?:the|an?|my|our|your|his|her|their|this|that|how|\w+ (?:was|is|were)))* $"
)
_SENTENCE = re.compile(r"\bsentences?\b")
_EDGES = " .,;!?\"'"


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """A noun for the text after a property, one as the object of an order to cut or to expand, and one for a part."""
    between = r"(?:(?:and|or|,|&|very|really|more|less|\w+ly|clear|simple|formal|informal)\W+)*"
    return (
        re.compile(rf"(?:\W|\0)*{between}{alternatives('whole', 'after')}?(?:\b|$)"),
        re.compile(rf"{alternatives('whole', 'object')}\b"),
        re.compile(rf"{alternatives('whole', 'object', 'idea')}\b"),
        re.compile(rf"\b{alternatives('part')}\b"),
    )


def said(segment: Segment, event: Event) -> str:
    """The words of a finding."""
    return segment.text[event.start - segment.start : event.end - segment.start]


def of_sentences(segment: Segment, event: Event, last: Event | None) -> Event:
    """A property of length as one of sentence length, where it is said of sentences.

    Args:
        segment: where it stands.
        event: the property.
        last: the topic of a segment before, to which "ones" and "them" point.
    """
    words = said(segment, event)
    if (
        event.topic != LENGTH
        or event.kind not in {"state", "change", "excess"}
        or "sentence" in words
        or "paragraph" in words
    ):
        return event
    if event.kind == "change" and not words.endswith("er"):
        return event
    back = last is not None and (last.topic == SENTENCES or last.kind == "quantity")
    if _SENTENCE.search(_SOME.sub("", segment.text)) or (back and _ONES.search(segment.text)):
        return replace(event, topic=SENTENCES)
    return event


def is_named(segment: Segment, event: Event) -> bool:
    """Whether a property of length is that of a thing to be spoken of ("mention the long wait")."""
    return event.kind == "state" and _NAMED.search(segment.text[: event.start - segment.start]) is not None


def of_the_whole(segment: Segment, event: Event) -> bool:
    """Whether a property or order of length is said of the text, not of a part of it or of something in it."""
    property_of, cut, expanded, part = _patterns()
    words = said(segment, event)
    before, after = segment.text[: event.start - segment.start], segment.text[event.end - segment.start :]
    if part.search(_EVERY.sub("", f"{before} {after}")) or _ABOUT.match(after):
        return False
    if event.kind == "change" and not words.endswith("er"):
        noun = _OBJECT.match(after) or _INSIDE.search(words)
        return noun is None or (expanded if event.sign > 0 else cut).match(noun[1]) is not None
    if event.kind not in {"state", "change"} or " " in words or _PREDICATE.search(before) or not after.strip(_EDGES):
        return True
    match = property_of.match(after)
    return match is not None and bool(match.group().strip(_EDGES))
