"""What a statement asks for: on which preferences, in which direction, and how surely.

The stances of its segments give claims: it asks for more or less of a topic, or only rules one of them out. The
decision that a reader must know: a word that may mean a topic and says no direction ("a warmer voice") makes the topic
vague, and nothing is decided on it; so does a condition, a question, or the contrary asked of a part.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import get_args

from ingrained.verify.clauses import Segment, Statement, fold, read, unswapped
from ingrained.verify.expression import Feature
from ingrained.verify.extent import LENGTH, SENTENCES, is_named, of_sentences, of_the_whole
from ingrained.verify.lexicon import Event, core, weak
from ingrained.verify.spelling import mended
from ingrained.verify.stance import AMOUNTS, ASKS, JUDGEMENTS, amount_of, stance
from ingrained.verify.target import Topic

TOPICS: tuple[Topic, ...] = (
    LENGTH,
    Topic(dimension="first_person"),
    *(Topic(dimension="expression", feature=feature) for feature in get_args(Feature)),
)
"""All topics of preferences."""
_ELLIPSIS = re.compile(r"\W*(?:i|we) (?:do|did|don't|do not|never)\W*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One thing that a statement asks for."""

    topic: Topic
    sign: int
    """1 for more of the topic, -1 for less."""
    denied: bool = False
    """The direction is only ruled out, not its contrary asked for."""
    part: bool = False
    """It is asked of a part of the text only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """All that a statement says on the preferences."""

    claims: tuple[Claim, ...]
    vague: frozenset[Topic]
    """Topics that it may be about without a direction."""
    named: frozenset[Topic]
    """Topics that it surely is about, with a direction or without."""
    tells: bool = False
    """It asks for a statement of fact ("say that the film is long")."""

    def on(self, topic: Topic) -> tuple[Claim, ...]:
        """The claims on one topic."""
        return tuple(claim for claim in self.claims if claim.topic == topic)

    def direction(self, topic: Topic) -> int | None:
        """1 or -1 where it asks for one direction and says nothing against it; None otherwise."""
        claims = self.on(topic)
        asked = {claim.sign for claim in claims if not claim.denied}
        ruled_out = {claim.sign for claim in claims if claim.denied}
        if topic in self.vague or len(asked) != 1 or asked & ruled_out:
            return None
        return asked.pop()

    def touches(self, topic: Topic) -> bool:
        """Whether it says or may say something on a topic."""
        return topic in self.vague or bool(self.on(topic))


def reading(text: str) -> Reading:
    """Read a statement as somebody wrote it. Cost: some milliseconds."""
    return reading_of(read(unswapped(mended(fold(text)))))


def reading_of(statement: Statement) -> Reading:
    """The claims of a statement that was cut."""
    claims: list[Claim] = []
    unclear: set[Topic] = set()
    last: Event | None = None
    content = len(statement.text) if statement.told is None else statement.told
    for segment in statement.segments:
        topics = [event for event in segment.events if event.topic or event.kind == "term"]
        if not topics and last is not None and last.kind == "quantity" and claims:
            unclear.add(last.topic or LENGTH)
        elif not topics and last is not None and _points_back(segment):
            topics = [replace(last, start=segment.start, end=segment.start)]
        for event in topics:
            if event.topic is None or content <= event.start:
                continue
            got = _claim(segment, event, last)
            if isinstance(got, Claim):
                claims.append(got)
            elif got is not None:
                unclear.add(got)
        named = [event for event in topics if event.kind in {"noun", "term", "quantity"} or event.topic == SENTENCES]
        last = named[-1] if named else last
    return _settled(statement, claims, unclear, statement.told is not None)


def _settled(statement: Statement, claims: list[Claim], unclear: set[Topic], tells: bool) -> Reading:
    """The reading of all claims: none where the statement holds in some cases only, or asks the contrary of a part."""
    topics = (
        {claim.topic for claim in claims}
        | unclear
        | {event.topic for event in statement.aside if event.topic and event.kind != "quantity"}
    )
    parts = {claim.sign for claim in claims if claim.part}
    surely = not (statement.conditional or statement.holds or statement.question or statement.local)
    whole = [claim for claim in claims if surely and not claim.part]
    if parts - {claim.sign for claim in whole if claim.topic == LENGTH}:
        whole = [claim for claim in whole if claim.topic != LENGTH]
    sure = frozenset(claim.topic for claim in whole)
    vague = (topics | _weak(statement.plain, sure)) - sure
    named = frozenset({claim.topic for claim in claims if not claim.part} | unclear)
    return Reading(claims=tuple(dict.fromkeys(whole)), vague=frozenset(vague), named=named, tells=tells)


def _weak(text: str, sure: frozenset[Topic]) -> set[Topic]:
    """Topics that the words of a statement may be about: those that it names, where it surely is about another one."""
    if not sure and weak("anything").search(text):
        return set(TOPICS)
    lists = (core,) if sure else (core, weak)
    return {topic for topic in TOPICS if any(words(topic.feature or topic.dimension).search(text) for words in lists)}


def _points_back(segment: Segment) -> bool:
    """Whether a segment without a topic speaks of the one before ("use fewer of them", "drop those")."""
    signals = {event.signal for event in segment.events}
    if not signals & (ASKS.keys() | AMOUNTS | JUDGEMENTS | {"unpack"}) or _ELLIPSIS.fullmatch(segment.text):
        return False
    unknown = len(segment.words)
    return not unknown or ("back" in signals and unknown <= 2) or ("unpack" in signals and unknown <= 1)


def _claim(segment: Segment, event: Event, last: Event | None) -> Claim | Topic | None:
    """What a segment asks of one topic: a claim, the topic alone where that is unclear, None where it is no topic."""
    event = of_sentences(segment, event, last)
    topic = event.topic or LENGTH
    if event.kind == "quantity" and not _counted(segment, event):
        return None
    if topic == LENGTH and is_named(segment, event):
        return None
    got = stance(segment, event)
    if got is None:
        return topic
    part = topic == LENGTH and event.kind != "quantity" and not of_the_whole(segment, event)
    return Claim(topic=topic, sign=got[0] * event.sign, denied=got[1], part=part)


def _counted(segment: Segment, event: Event) -> bool:
    """Whether more or fewer "sentences" are asked for, and not what sort of them."""
    others = [other for other in segment.events if other.topic in {LENGTH, SENTENCES} and other.kind != "quantity"]
    return not others and amount_of(segment, event) is not None
