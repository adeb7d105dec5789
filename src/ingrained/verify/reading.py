"""What a statement asks for: on which dimension, in which direction, and how surely.

The signals of a segment and its topics give a claim: it asks for more or less of a topic, or it only denies one of the
two ("don't make it longer" is no request for shorter). A word that may mean a topic and says no direction makes the
topic vague. The decision that a reader must know: too many and too few say the same under a negation ("don't overuse",
"is overused"), a plain property is turned by it ("don't be brief"), a comparison is only denied by it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import get_args

from ingrained.verify.clauses import Segment, Statement, fold, read, unswapped
from ingrained.verify.lexicon import BARE_NUMBER, Event, Signal, weak
from ingrained.verify.target import Feature, Topic

PLUS: Mapping[Signal, int] = {"use": 1, "mention": 1, "floor": 1, "drop": -1, "no": -1, "negate": -1, "stop": -1}
_QUALIFIES: frozenset[Signal] = frozenset({"excess", "deficit", "more", "less"})
_LENGTH = Topic(dimension="length")
_SENTENCES = Topic(dimension="expression", feature="sentence_length")
TOPICS: tuple[Topic, ...] = (
    _LENGTH,
    Topic(dimension="first_person"),
    *(Topic(dimension="expression", feature=feature) for feature in get_args(Feature)),
)
"""All topics of preferences."""
_WHOLE = re.compile(
    r"(?:\W|\0)*(?:(?:and|or|,|&|very|really|more|less|[\w-]+ly|well-?\w*|clear|simple|formal|informal)\W+)*"
    r"(?:texts?|drafts?|answers?|responses?|repl(?:y|ies)|e-?mails?|mails?|messages?|posts?|reviews?|abstracts?|summar(?:y|ies)|"
    r"pieces?|writing|write-?ups?|articles?|essays?|versions?|outputs?|descriptions?|accounts?|ones?|prose|copy|form|style|way|"
    r"it|this|everything|things|please|too|instead|enough|as|in|for|and|or|but|than|to|next|always|throughout|possible|overall|"
    r"sentences?|by|about|with|side|here|again|now|of|so|when|because|that|side|treatments?|explanations?|comments?|notes?|content|"
    r"i|if|letters?|entries|commit|is|are|was|should|if|rather|at|every|each|read|wording|phrasing|paragraph-?free|fashion|manner|stuff|write|works?|wins?)?(?:\b|$)"
)
_PARTS = re.compile(
    r"\b(?:title|headline|heading|subject line|subject|intro|introduction|opening|openings|opener|ending|conclusion|closing|greeting|"
    r"sign-?off|signature|first (?:paragraph|sentence|line)|last (?:paragraph|sentence|line)|(?:second|third) paragraph|final (?:paragraph|sentence|line)|"
    r"paragraphs?(?! of)|lists?|bullets?|bullet points?|words? choices?|names?|headings|quotes?|quotations?|summary line|footer|caption|links?|urls?|"
    r"(?:variable|function) names?|code|examples?|steps?|section|tables?|synonyms|abbreviations?|acronyms?|pauses?|dashes)\b"
)
_HABIT = re.compile(r"\W*(?:my|our|i|we)\b")
_ABOUT = re.compile(
    r"\s*(?:about|regarding|concerning|on|of) (?!(?:each|every|all|your|any|it|this|that|them|everything|average|course|things)\b)"
)
"""After a word of length: it is asked for about one thing, which may be content of one request."""
_NOUN = re.compile(
    r"(?:\w+ )?(?:texts?|drafts?|answers?|responses?|repl(?:y|ies)|e-?mails?|mails?|messages?|posts?|reviews?|abstracts?|summar(?:y|ies)|pieces?|writing|write-?ups?|"
    r"articles?|essays?|versions?|outputs?|descriptions?|accounts?|prose|copy|length|points?|ideas?|arguments?|explanations?|thing|letters?|entries|thoughts?|sentences?|fluff|fat|excess|words?|size|wording|content|paragraph)\b"
)
_OBJECT = re.compile(r"\s*(?:the|your|my|its|his|her|our|their|that|this|these|those|each|every|any|a|an) (?:(?:whole|entire|full|next|final) )?(\w.*)")
_SENTENCE = re.compile(r"\bsentences?\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One thing that a statement asks for."""

    topic: Topic
    sign: int
    """1 for more of the topic, -1 for less."""
    denied: bool = False
    """The direction is only ruled out, not its contrary asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """All that a statement says on the preferences."""

    claims: tuple[Claim, ...]
    vague: frozenset[Topic]
    """Topics that it may be about without a direction."""

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


def reading(text: str, found: Sequence[Event] = ()) -> Reading:
    """Read a statement. Cost: some milliseconds.

    Args:
        text: as somebody wrote it, or folded and unswapped where places in it are given.
        found: places of terms, which are content and not read.
    """
    return reading_of(read(text if found else unswapped(fold(text)), found))


def reading_of(statement: Statement) -> Reading:
    """The claims of a statement that was cut."""
    claims: list[Claim] = []
    unclear: set[Topic] = set()
    last: Event | None = None
    for segment in statement.segments:
        topics = [event for event in segment.events if event.topic or event.kind == "term"]
        if not topics and last is not None and _points_back(segment):
            topics = [replace(last, start=segment.start, end=segment.start)]
        for event in topics:
            if event.topic is None:
                continue
            got = _claim(segment, event, last)
            if isinstance(got, Claim):
                claims.append(got)
            elif got is not None:
                unclear.add(got)
        counted = [e for e in topics if e.kind in {"noun", "term"} or (e.kind == "quantity")]
        last = counted[-1] if counted else last
    return _settled(statement, claims, unclear)


def _settled(statement: Statement, claims: list[Claim], unclear: set[Topic]) -> Reading:
    topics = {claim.topic for claim in claims} | unclear | {e.topic for e in statement.aside if e.topic}
    if statement.conditional or statement.holds or statement.question:
        return Reading(claims=(), vague=frozenset(topics | _weak(statement.plain, frozenset(topics))))
    sure = {claim.topic for claim in claims}
    vague = {topic for topic in topics if topic not in sure} | (_weak(statement.plain, frozenset(sure)) - sure)
    return Reading(claims=tuple(dict.fromkeys(claims)), vague=frozenset(vague))


def _weak(text: str, sure: frozenset[Topic]) -> set[Topic]:
    """Topics that the words of a statement may be about; none of these where it surely is about something."""
    if not sure and weak("anything").search(text):
        return set(TOPICS)
    return {topic for topic in TOPICS if weak(topic.feature or topic.dimension).search(text)}


def _points_back(segment: Segment) -> bool:
    """Whether a segment without a topic speaks of the one before ("use fewer of them", "drop those")."""
    signals = {event.signal for event in segment.events}
    asks = bool(signals & (PLUS.keys() | _QUALIFIES | {"good", "bad", "unpack"}))
    if re.fullmatch(r"\W*(?:i|we) (?:do|did|don't|do not|never)\W*", segment.text):
        return False
    return asks and (
        not segment.words or ("back" in signals and len(segment.words) <= 2) or ("unpack" in signals and len(segment.words) <= 1)
    )


def _claim(segment: Segment, event: Event, last: Event | None) -> Claim | Topic | None:
    """What a segment asks of one topic: a claim, the topic alone where that is unclear, nothing where it is no topic."""
    assert event.topic is not None
    event = _of_sentences(segment, event, last)
    topic = event.topic or _LENGTH
    if topic == _LENGTH and not _of_the_whole(segment, event):
        return topic
    if event.kind == "quantity" and _takes_a_property(segment):
        return None
    got = stance(segment, event)
    if got is None:
        return None if event.kind == "quantity" else topic
    sign, denied = got
    return Claim(topic=topic, sign=sign * event.sign, denied=denied)


def _of_sentences(segment: Segment, event: Event, last: Event | None) -> Event:
    """A property of sentences where it is said of sentences."""
    if event.topic != _LENGTH or event.kind not in {"state", "change"}:
        return event
    if event.kind == "change" and not re.search(r"er$", segment.text[event.start - segment.start : event.end - segment.start]):
        return event
    said = segment.text[event.start - segment.start : event.end - segment.start]
    if "sentence" in said or "paragraph" in said:
        return event
    back = last is not None and (last.topic == _SENTENCES or last.kind == "quantity")
    ones = re.search(r"\b(?:ones?|them|they|these|those)\b", segment.text)
    if _SENTENCE.search(segment.text) or (back and ones):
        return replace(event, topic=_SENTENCES)
    return event


def _of_the_whole(segment: Segment, event: Event) -> bool:
    """Whether a property of length is said of the text and not of a part of it or of something in it."""
    said = segment.text[event.start - segment.start : event.end - segment.start]
    if _PARTS.search(segment.text.replace(said, "")):
        return False
    after = segment.text[event.end - segment.start :]
    if _ABOUT.match(after):
        return False
    if event.kind == "change" and not said.endswith("er"):
        noun = _OBJECT.match(after)
        return noun is None or _NOUN.match(noun[1]) is not None
    if event.kind == "state" and " " not in said:
        match = _WHOLE.match(after)
        return not after.strip(" .,;!?\"'") or (match is not None and (match.group().strip(" .,;!?\"'") != "" or not re.match(r"\W*\w", after)))
    return True


def _takes_a_property(segment: Segment) -> bool:
    """Whether "sentences" in a segment only says what is long or short, or is no request for more or fewer of them."""
    return any(e.topic in {_LENGTH, _SENTENCES} and e.kind != "quantity" for e in segment.events) or not any(
        e.signal in {"more", "less", "excess", "deficit"} for e in segment.events
    )


def stance(segment: Segment, event: Event) -> tuple[int, bool] | None:
    """What a segment asks of a topic: 1 for more or -1 for less of it, and whether that is only denied; None if unclear."""
    signals = [other for other in segment.events if other.signal in PLUS or other.signal == "unpack"]
    parity = -1 if segment.denied else 1
    for other in signals:
        if other.signal == "negate":
            parity = -parity
    stopped = sum(other.signal == "stop" for other in signals) % 2 == 1
    qualifier = _qualifier(segment, event)
    if event.kind == "excess":
        return (-1, False) if not qualifier or qualifier.signal != "less" else (-1, False)
    if qualifier is not None and qualifier.signal in {"excess", "deficit"}:
        return _measured(segment, qualifier, event)
    if event.kind == "change":
        return _ordered(segment, parity, stopped)
    return _asked(segment, event, qualifier, signals, parity)


def _measured(segment: Segment, qualifier: Event, event: Event) -> tuple[int, bool] | None:
    """Too much or too little of a topic: under a negation the same, unless it denies that it is so."""
    said = segment.text
    if qualifier.signal == "excess" and _HABIT.match(said) and not re.search(r"\b(?:too|overly|never|not|n't)\b", said):
        return None
    if qualifier.signal == "excess" and segment.complaint and re.search(r"\b(?:is|are|was|were)(?: not|n't) (?:too|overly)", said):
        return None
    if qualifier.signal == "deficit" and event.kind == "state" and not re.search(r"\benough\b|n't|not\b|lack|hardly|barely|insufficient", said):
        return None
    return (-1 if qualifier.signal == "excess" else 1), False


def _ordered(segment: Segment, parity: int, stopped: bool) -> tuple[int, bool]:
    """An order in itself, or a comparison: a negation only rules it out, a complaint and "stop" turn it."""
    if segment.complaint:
        return -parity, False
    if stopped:
        return -1, False
    dropped = any(event.signal == "drop" for event in segment.events)
    return (1, False) if parity > 0 and not dropped else (1, True)


def _asked(
    segment: Segment, event: Event, qualifier: Event | None, signals: Sequence[Event], parity: int
) -> tuple[int, bool] | None:
    """A thing or a property, with words that ask for it or not."""
    complaint = -1 if segment.complaint else 1
    dropped = -1 if sum(other.signal in {"drop", "stop", "no"} for other in signals) % 2 else 1
    if qualifier is not None:
        sign = (1 if qualifier.signal == "more" else -1) * dropped
        if parity < 0 and not segment.complaint:
            return sign, True
        return sign * parity * complaint, False
    judged = [other for other in segment.events if other.signal in {"good", "bad"}]
    if judged:
        sign = parity * dropped
        for other in judged:
            sign *= -1 if other.signal == "bad" else 1
        return sign, False
    if not signals and not segment.denied and event.kind != "state":
        return None
    sign = parity
    for other in signals:
        if other.signal == "unpack":
            sign *= -1 if event.topic and event.topic.feature == "contractions" else 1
        elif other.signal != "negate":
            sign *= _plus(other, event)
    return sign * complaint, False


def _plus(signal: Event, event: Event) -> int:
    assert signal.signal is not None
    return PLUS[signal.signal]


def _qualifier(segment: Segment, event: Event) -> Event | None:
    """The word of amount that belongs to a topic: the nearest before it, else one after it that no other topic claims."""
    marks = [other for other in segment.events if other.signal in _QUALIFIES]
    topics = [other for other in segment.events if other.topic or other.kind == "term"]
    before = [mark for mark in marks if mark.end <= event.start and _reaches(segment, mark, event)]
    if before:
        return before[-1]
    after = [mark for mark in marks if mark.start >= event.end and not any(_reaches(segment, mark, t) for t in topics if t.start >= mark.end)]
    after = [mark for mark in after if not any(event.end <= t.start < mark.start and t.kind != event.kind for t in topics)]
    after = [mark for mark in after if not _grades_another(segment, mark)]
    if after:
        return after[0]
    if event.start == event.end and marks:
        return marks[0]
    return None


def _reaches(segment: Segment, mark: Event, event: Event) -> bool:
    """Whether hardly a word that no table knows stands between an amount and a topic."""
    between = [word for word in segment.words if mark.end <= word[0] < event.start]
    return mark.end <= event.start and len(between) <= 1


def _grades_another(segment: Segment, mark: Event) -> bool:
    """Whether the word right after an amount is one that it grades instead ("more formal")."""
    following = [word for word in segment.words if word[0] >= mark.end]
    if not following or segment.events[-1].start > following[0][0]:
        return False
    return following[0][0] - mark.end <= 1 and mark.signal in {"more", "less"}


def bare_number(text: str) -> bool:
    """Whether a folded statement holds a number of words."""
    return bool(BARE_NUMBER.search(text))
