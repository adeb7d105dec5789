"""What one segment asks of one topic in it: more, less, or only not one of them.

Three sorts of words decide. An amount belongs to the topic next to it; too many and too few say the same under a
negation ("don't overuse", "is overused"). A word of asking reaches all topics of its segment, and two contraries cancel
("don't avoid"). A negated comparison rules out one direction and asks for none ("don't make it longer"), which is the
decision that a reader must know.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from ingrained.verify.clauses import Segment
from ingrained.verify.extent import SENTENCES, said
from ingrained.verify.lexicon import Event, Signal

ASKS: Mapping[Signal, int] = {"use": 1, "mention": 1, "floor": 1, "drop": -1, "no": -1, "negate": -1, "stop": -1}
"""1 for words that ask for what they reach, -1 for words that ask for its absence or turn another."""
AMOUNTS: frozenset[Signal] = frozenset({"excess", "deficit", "more", "less"})
JUDGEMENTS: frozenset[Signal] = frozenset({"good", "praise", "bad"})
_HABIT = re.compile(
    r"\W*(?:my|our|i(?! (?:counted|count|see|saw|found|find|noticed|notice|got|spotted)\b)|we|"
    r"(?:the )?(?:user|author|person))\b"
)
_TOO = re.compile(r"\b(?:too(?! *[.,;!]?$)|overly|never|not|n't)\b")
_NOT_TOO = re.compile(r"\b(?:is|are|was|were)(?: not|n't) (?:too|overly)")
_ONESELF = re.compile(
    r"\W*(?:i|we) (?!am\b|'m\b|are\b|tend|usually|always|generally|normally|stay|mostly|typically|often)"
)
_ABSENT = re.compile(r"(?:is|are|was|were)(?: not|n'?t) ")
_SURELY = re.compile(
    r"\W*(?:(?:please|also|just|so|and|now) )*(?:make sure|be sure|ensure|see to it|take care|check)\b"
)
_HARDLY = re.compile(r"(?:hardly|barely|scarcely)\b")
_SHOWS = re.compile(r"appear|show|crop|slip|creep|crept|pop|left in|keep|in\b")
_FREE = re.compile(
    r"\b(?:feel free|by all means|afraid|hesitate|shy|don't mind|do not mind|happy|worry|"
    r"(?:i|we) (?:really |do |quite |rather )?(?:like|love|enjoy|adore|prefer))\b"
)
_FIRST = re.compile(
    r"\W*(?:(?:please|just|also|always|then|so|and|now|really|well|in general|generally|overall|kindly),? )*"
    r"(?!(?:let|make|start|begin|end|finish|close|open|rewrite|bring|put|give|get|turn|change|do|try|have|link|be|"
    r"what|i|we|my|our)\b)"
    r"([\w'-]+) (?:the|your|my|its|it|this|that|those|these|them|every|each|all|any|some|an?|whether|how|why|where)\b"
)
_PLAIN_NOT = re.compile(r"\bnot\b|n't\b|\bnever\b")
_DEGREES = frozenset({"so", "such", "this", "that"})


def stance(segment: Segment, event: Event) -> tuple[int, bool] | None:
    """What a segment asks of a topic: 1 for more, -1 for less, and whether that is only ruled out; None if unclear."""
    signals = [other for other in segment.events if _bears_on(segment, other, event)]
    negations = sum(other.signal == "negate" for other in signals) + segment.denied
    if _entangled(segment):
        return None
    parity = -1 if negations % 2 else 1
    amount = amount_of(segment, event)
    if _unheard(segment, event, amount) or _strange(segment, event, amount):
        return None
    if event.kind == "excess":
        free = _FREE.search(segment.text) is not None
        turned = any(other.signal in {"stop", "drop", "no", "less"} for other in segment.events)
        return None if free and turned else (1 if free else -1, False)
    if amount is not None and amount.signal in {"excess", "deficit"}:
        if event.kind == "change" and said(segment, amount).startswith("over"):
            return None
        return _measured(segment, amount, event)
    if event.kind == "change":
        return _ordered(segment, signals, parity)
    if amount is not None:
        return _graded(segment, amount, signals, parity)
    return _asked(segment, event, signals, parity)


def _unheard(segment: Segment, event: Event, amount: Event | None) -> bool:
    """Whether a word with a direction bears on a topic in a way that no rule here knows, so that the rest is no answer.

    Such are an order whose verb no table knows, an amount that belongs to no topic, and praise or blame of a change.
    """
    if starts_unknown(segment):
        return amount is None and event.kind in {"noun", "state"}
    signals = {other.signal for other in segment.events}
    if event.kind == "excess":
        return bool(signals & {"more", "deficit", "good"}) or (segment.complaint and "negate" in signals)
    if event.kind == "change":
        return "bad" in signals or bool(signals & {"good", "praise"} and "negate" in signals)
    loose = [
        other
        for other in segment.events
        if other.signal in AMOUNTS
        and other is not amount
        and other.start < event.start
        and not _mere_degree(segment, other, event)
    ]
    if amount is None:
        return any(not any(_reaches(segment, other, topic) for topic in _topics(segment)) for other in loose)
    return "bad" in signals and amount.signal in {"more", "less"}


def _strange(segment: Segment, event: Event, amount: Event | None) -> bool:
    """Whether more words are unknown than a finding can bear: an order is plainer than a thing that is named."""
    bears = 2 if event.kind == "excess" else 1 if event.kind == "change" or amount is not None else 0
    return len(segment.strange()) > bears


def starts_unknown(segment: Segment) -> bool:
    """Whether a stretch begins with a verb that no table knows: "justify the brackets"."""
    first = _FIRST.match(segment.text)
    if first is None or segment.complaint:
        return False
    return any(start - segment.start == first.start(1) for start, _ in segment.words)


def _entangled(segment: Segment) -> bool:
    """Whether a stretch negates so often that few could tell what it asks ("don't you dare not leave it out")."""
    kinds = Counter(other.signal for other in segment.events)
    signals = [said(segment, other) for other in segment.events if other.signal not in {None, "filler"}]
    plain = sum(len(_PLAIN_NOT.findall(words)) for words in signals)
    return plain > 1 or kinds["negate"] + kinds["stop"] + kinds["no"] + kinds["drop"] > 2


def _bears_on(segment: Segment, signal: Event, event: Event) -> bool:
    """Whether a word of asking is one of this topic: "no" of the next one, and a verb of use not of its own subject."""
    if signal.signal == "no":
        return _reaches(segment, signal, event) or not any(
            _reaches(segment, signal, other) for other in _topics(segment)
        )
    if signal.signal == "use" and event.kind == "term" and signal.start >= event.end:
        return bool(_SHOWS.match(segment.text, signal.start - segment.start))
    return signal.signal in ASKS or signal.signal == "unpack"


def _measured(segment: Segment, amount: Event, event: Event) -> tuple[int, bool] | None:
    """Too much or too little of a topic. Unclear: a habit of the person, a denial that it is so, "hardly short"."""
    text = segment.text
    if amount.signal == "excess":
        habit = _HABIT.match(text) and not _TOO.search(text)
        return None if habit or (segment.complaint and _NOT_TOO.search(text)) else (-1, False)
    if _ABSENT.match(said(segment, amount)) and not segment.complaint:
        return (-1, False) if _SURELY.match(text) else None
    if _HARDLY.match(said(segment, amount)):
        own = _HABIT.match(text) is not None
        return None if event.kind == "state" else (-1 if own else 1, False)
    return 1, False


def _ordered(segment: Segment, signals: Sequence[Event], parity: int) -> tuple[int, bool]:
    """An order in itself, or a comparison: a negation only rules it out, a complaint and "stop" turn it."""
    kinds = [other.signal for other in signals]
    if segment.complaint:
        return -parity, False
    if kinds.count("stop") % 2:
        return -1, False
    return 1, parity < 0 or "drop" in kinds or "no" in kinds


def _graded(segment: Segment, amount: Event, signals: Sequence[Event], parity: int) -> tuple[int, bool]:
    """More or fewer of a topic."""
    sign = (1 if amount.signal == "more" else -1) * _turned(signals)
    if segment.complaint:
        return -sign * parity, False
    return sign, parity < 0


def _turned(signals: Sequence[Event]) -> int:
    """-1 where words that ask for less stand an odd number of times."""
    return -1 if sum(other.signal in {"drop", "stop", "no"} for other in signals) % 2 else 1


def _asked(segment: Segment, event: Event, signals: Sequence[Event], parity: int) -> tuple[int, bool] | None:
    """A thing or a property without an amount: what is thought of it, else what is asked of it."""
    judged = [other for other in segment.events if other.signal in JUDGEMENTS]
    if event.topic == SENTENCES and event.kind == "noun":
        return None
    if event.kind == "term":
        judged = [other for other in judged if other.signal != "praise"]
        if segment.complaint and not judged and all(other.signal == "negate" for other in signals):
            return None
    if judged:
        bad = {other.signal == "bad" for other in judged}
        return None if len(bad) > 1 else (parity * _turned(signals) * (-1 if True in bad else 1), False)
    if not signals and not segment.words and event.kind == "noun" and "please" in segment.text:
        return 1, False
    if not signals and not segment.denied and (event.kind != "state" or _tells_of_oneself(segment)):
        return None
    if segment.complaint and event.kind == "noun" and all(other.signal in {"use", "mention"} for other in signals):
        return None
    sign = -parity if segment.complaint else parity
    for other in signals:
        sign *= _asks(other, event)
    return sign, False


def _tells_of_oneself(segment: Segment) -> bool:
    """Whether a person says what they do, with a verb that no table knows ("I skim long texts")."""
    return bool(segment.words) and bool(_ONESELF.match(segment.text))


def _asks(signal: Event, event: Event) -> int:
    """The sign of a word of asking; negations are counted apart, and to write out is to drop a contraction only."""
    if signal.signal == "unpack":
        return -event.sign if event.topic and event.topic.feature == "contractions" else 1
    return 1 if signal.signal in {None, "negate"} else ASKS[signal.signal]


def amount_of(segment: Segment, event: Event) -> Event | None:
    """The amount that belongs to a topic: the nearest before it, else one after it that no other topic claims."""
    marks = [other for other in segment.events if other.signal in AMOUNTS and not _mere_degree(segment, other, event)]
    before = [mark for mark in marks if _reaches(segment, mark, event)]
    if before:
        return before[-1]
    after = [mark for mark in marks if mark.start >= event.end and _is_free(segment, mark, event)]
    if after:
        return after[0]
    return marks[0] if marks and event.start == event.end else None


def _topics(segment: Segment) -> list[Event]:
    return [event for event in segment.events if event.topic or event.kind == "term"]


def _is_free(segment: Segment, mark: Event, event: Event) -> bool:
    """Whether an amount after a topic belongs to no other word."""
    for other in _topics(segment):
        between = event.end <= other.start < mark.start and other.kind not in {event.kind, "quantity"}
        if between or (_reaches(segment, mark, other) and other.start != event.start):
            return False
    following = [word for word in segment.words if word[0] >= mark.end]
    if not following or segment.events[-1].start > following[0][0]:
        return True
    return following[0][0] - mark.end > 1 or mark.signal not in {"more", "less"}


def _mere_degree(segment: Segment, mark: Event, event: Event) -> bool:
    """Whether an amount is "so" or "this" before anything but a plain property, where it says no amount."""
    close = event.kind == "state" and event.start - mark.end <= 3 and " " not in said(segment, event)
    if said(segment, mark) != "such" and re.match(r" (?:\w+ )?\w+s\b", segment.text[event.end - segment.start :]):
        return said(segment, mark) in _DEGREES
    return said(segment, mark) in _DEGREES and not close


def _reaches(segment: Segment, mark: Event, event: Event) -> bool:
    """Whether a topic stands after a word with hardly a word between them that no table knows."""
    between = [word for word in segment.words if mark.end <= word[0] < event.start]
    return mark.end <= event.start and len(between) <= 1
