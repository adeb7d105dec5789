"""Terms of a request or of another text in a statement: where they stand, and whether they shall be in or out.

A term is found word by word in any case, with or without hyphens and quotes, in singular or plural. Where only a part
of it stands, it may be meant and may not. The action comes from the same signals as a preference's direction, since
"mention", "leave out" and "don't forget" reach a term as "use" and "avoid" reach a habit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from ingrained.verify.clauses import Segment, Statement, fold
from ingrained.verify.extent import LENGTH, said
from ingrained.verify.lexicon import Event, scope, weak
from ingrained.verify.stance import stance

_SMALL = frozenset("a an the of for and or in on to with by at from as is its new my your our it this that".split())  # noqa: SIM905


_MENTION = (
    r"(?:names?|mentions?|parts?|bits?|topics?|questions?|issues?|story|stories|subjects?|ideas?|matters?|case|"
    r"points?|details?|"
    r"descriptions?|discussions?|sections?|paragraphs?|sentences?|lines?|references?|traces?|uses?|words?|"
    r"terms?|stuff|things?|"
    r"business|whole|rest|importance|role|existence|concepts?|notions?|anecdotes?|passages?|phrases?|"
    r"explanations?|example)"
)
"""What may be said of a term without being something else."""
_NAMED = r"(?:drop|mention|name|cut|remove|delete|about|of|include|omit|without|forget|add) "
_SAYS = (
    r"(?:is|was|has|had|should|must|needs|does|doesn't|isn't|wasn't|shouldn't|deserves|ought|belongs|never|and|or|in)"
)
"""What follows a name at the beginning of a sentence."""
_TAKES = re.compile(
    r" (?:the|an?|it|that|this|these|those|them|him|her|us|me|you|your|my|its|their|our|his|every|each|all|any|"
    r"whether|how|"
    r"what)\b"
)
_ACTS = re.compile(
    r"(?:^|\b)(?:to|can|can't|could|will|would|should|must|may|might|please|don't|do not|didn't|never|always|"
    r"you|i|we|they|"
    r"who|people|just|also|then|and) $"
)
"""Before a verb that takes an object, as `_TAKES` begins one."""
_ABOUT = re.compile(r"\W*(?:about|on|of|into|regarding)\W*(?:(?:the|an?|my|our|your|his|her) )?")
_AMPLIFIES = re.compile(
    r"\b(?:dwell\w*|elaborat\w+|expand\w*|focus\w*|harp\w*|emphasi[sz]\w+|stress\w*|highlight\w*|feature|"
    r"make a (?:fuss|big deal|meal)|overemphasi[sz]\w+|obsess\w*|labou?r|go on(?: and on)?)\b"
)
_POINTS = re.compile(r"so|that|this|such|(?:you|it|the text|the draft) keeps?(?: on)?")
"""Before a term no amount."""
_CUT = re.compile(r"\W*(?:please )?(?:cut|chop|snip|lose|axe) (?:it|that|this|them)(?: please)?\W*")
_LEADS = re.compile(
    r"(?:the|an?|this|that|these|those|its|your|my|our|their|his|her|any|some|no|more|less|about|of|on|to|for|"
    r"with|without|and|"
    r"or|mention|include|add|drop|remove|describe|explain|cut|discuss|name|cover|delete|omit|skip|use|out|in|"
    r"into|say|leave|"
    r"make|give|keep|see|want|need|not|is|are|bring|up|say|write|from|by|at|all|every)"
)
"""After these a word of a term has no other word beside it."""


@lru_cache(maxsize=4096)
def pattern_of(term: str) -> re.Pattern[str]:
    """A pattern for a term in folded text."""
    words = re.findall(r"[\w.+#]*\w[+#]*", fold(term))
    joined = r"[-\s/.,']*".join(map(_word, words)) or re.escape(fold(term))
    return re.compile(rf"(?<!\w){joined}(?:'s)?(?!\w)")


def _word(word: str) -> str:
    if not word.isalpha() or len(word) < 4:
        return re.escape(word) + ("(?:s|es)?" if word.isalpha() and len(word) > 1 else "")
    if word.endswith("ies"):
        return re.escape(word[:-3]) + "(?:y|ies)"
    if word.endswith("y"):
        return re.escape(word[:-1]) + "(?:y|ies)"
    stem = word[:-1] if word.endswith("s") and not word.endswith("ss") else word
    return re.escape(stem) + "(?:s|es)?"


def names(text: str, term: str) -> bool:
    """Whether a text has a term as whole words: any case, singular or plural, with or without hyphens."""
    return bool(pattern_of(term).search(fold(text)))


def found(text: str, terms: Sequence[str], written: str = "") -> list[tuple[str, Event]]:
    """The places of terms in folded text, the longest term first where they overlap.

    Args:
        text: folded.
        terms: what to look for.
        written: the text before it was folded: it tells "Will" from "will".
    """
    free = [True] * len(text)
    places: list[tuple[str, Event]] = []
    for term in sorted(terms, key=lambda one: (-len(one), one)):
        if _is_only_a_word(term, written):
            continue
        for match in pattern_of(term).finditer(text):
            if not _is_verb(text, match) and all(free[match.start() : match.end()]):
                start, end = match.span()
                while start > 0 and end < len(text) and text[start - 1] == text[end] and text[end] in "\"'":
                    start, end = start - 1, end + 1
                free[start:end] = [False] * (end - start)
                places.append((term, Event(start=start, end=end, kind="term")))
    return sorted(places, key=lambda place: place[1].start)


def _is_only_a_word(term: str, written: str) -> bool:
    """Whether a name that is a word too ("Will") stands nowhere in a text as a name."""
    if not term[:1].isupper() or not weak("homonyms").fullmatch(term.casefold()):
        return False
    if written == written.casefold() or written == written.upper():
        return not re.search(rf"\b{_NAMED}{re.escape(term.casefold())}\b", written.casefold())
    within = rf"(?<![.!?]\s)(?<!^)(?<![\"'(]){re.escape(term)}\b"
    return not re.search(rf"{within}|\b{re.escape(term)}(?='s|\s+(?:{_SAYS})\b)", written)


def _is_verb(text: str, match: re.Match[str]) -> bool:
    """Whether a word that is also a term stands as a verb ("cover the costs" for the term "cover")."""
    if " " in match.group() or not _TAKES.match(text, match.end()):
        return False
    return bool(_ACTS.search(text[: match.start()])) or not re.search(
        r"\w", re.split(r"[.;:!?]\s", text[: match.start()])[-1]
    )


def partly(text: str, term: str) -> bool:
    """Whether folded text has a word of a term, or its initials, but not the term; "the blue bike" is no "red bike"."""
    words = [word for word in re.findall(r"\w+", fold(term)) if word not in _SMALL and len(word) > 2]
    if len(words) < 2:
        return False
    if any(_alone(text, match) for word in words for match in re.finditer(rf"(?<!\w){_word(word)}(?!\w)", text)):
        return True
    initials = "".join(word[0] for word in words)
    return len(initials) >= 2 and bool(re.search(rf"(?<!\w){re.escape(initials)}(?!\w)", text))


def _alone(text: str, match: re.Match[str]) -> bool:
    """Whether a word of a term stands without a word beside it that makes it another thing."""
    before = re.search(r"([\w'-]+) $", text[: match.start()])
    return before is None or bool(_LEADS.fullmatch(before[1]))


def action(statement: Statement, places: Sequence[Event]) -> int | None:
    """1 where a statement asks for a term to be in, -1 where it asks for it to be out, None where that is unclear."""
    if statement.conditional or statement.holds or statement.question or scope("treat").search(statement.plain):
        return None
    if statement.told is not None and any(place.start >= statement.told for place in places):
        return 1
    asked: set[int] = set()
    unclear = False
    for segment in statement.segments:
        for place in places:
            if place in segment.events:
                unclear = (
                    unclear
                    or _amplifies(segment)
                    or _told_less(segment)
                    or _of_another(statement.text, place)
                    or _in_another(segment, place)
                )
                got = 1 if _told_more(segment, place) else _stance(segment, stance(segment, place))
                unclear = unclear or got == 0
                if got:
                    asked.add(got)
    asked |= _later(statement, places)
    return asked.pop() if len(asked) == 1 and not unclear else None


def _of_another(text: str, place: Event) -> bool:
    """Whether not the term is spoken of but something of it ("Pavel's surname", "the colour of the car")."""
    if re.match(r"\S*(?:'s|s')$", text[place.start : place.end]):
        after = re.match(r"\W*([\w-]+)", text[place.end :])
        return after is not None and not re.fullmatch(rf"{_MENTION}|{_SAYS}|not|no|here|there|out|from|in", after[1])
    before = re.search(
        r"(?:\b(?:the|its|his|her|their|your)) ([\w-]+) of (?:the |an? |my |our |your )?$", text[: place.start]
    )
    return before is not None and not re.fullmatch(_MENTION, before[1])


def _in_another(segment: Segment, place: Event) -> bool:
    """Whether a word that no table knows stands between what is asked and the term ("keep quiet about the rate")."""
    between = re.search(
        r"([\w'-]+) (?:about|on|of|to|with|for)(?: (?:the|an?|my|our|your|his|her|this|that))? $",
        segment.text[: place.start - segment.start],
    )
    if (
        between is None
        or re.fullmatch(_MENTION, between[1])
        or re.fullmatch(
            r"everything|anything|all|whatever|plenty|lots|something|nothing|more|much|little|bit|information|"
            r"info|facts|data|background|context",
            between[1],
        )
    ):
        return False
    return any(start - segment.start == between.start(1) for start, _ in segment.words)


def _told_more(segment: Segment, place: Event) -> bool:
    """Whether more is asked for about a term ("tell me more about the pump")."""
    return any(
        event.topic == LENGTH
        and event.sign > 0
        and event.kind == "change"
        and _ABOUT.fullmatch(segment.text[event.end - segment.start : place.start - segment.start]) is not None
        for event in segment.events
    ) and not any(event.signal in {"negate", "stop", "drop", "no"} for event in segment.events)


def _amplifies(segment: Segment) -> bool:
    """Whether only how much is said of a term is forbidden ("don't dwell on it")."""
    signals = {event.signal for event in segment.events}
    return bool(signals & {"negate", "stop"}) and _AMPLIFIES.search(segment.text) is not None


def _told_less(segment: Segment) -> bool:
    """Whether the term is to be spoken of in fewer words."""
    shorter = any(event.topic == LENGTH and event.sign < 0 and event.kind != "excess" for event in segment.events)
    return shorter and not any(event.signal == "drop" for event in segment.events)


def _stance(segment: Segment, got: tuple[int, bool] | None) -> int | None:
    """The action of one segment: 0 where it is about how much, None where it says none."""
    if got is None:
        return None
    amounts = [said(segment, event) for event in segment.events if event.signal in {"less", "excess"}]
    if got[1] or any(not _POINTS.fullmatch(words) for words in amounts):
        return 0
    return got[0]


def _later(statement: Statement, places: Sequence[Event]) -> set[int]:
    """Actions of segments that point back to the term ("take it out")."""
    actions: set[int] = set()
    last: Event | None = None
    for segment in statement.segments:
        terms = [event for event in segment.events if event.kind == "term"]
        topics = [event for event in segment.events if event.topic]
        if terms:
            last = terms[-1]
        elif last is not None and last in places and _CUT.fullmatch(segment.text):
            actions.add(-1)
        elif last is not None and last in places and not topics and _points_back(segment.events, len(segment.words)):
            got = stance(segment, Event(start=segment.start, end=segment.start, kind="term"))
            if got is not None and not got[1]:
                actions.add(got[0])
    return actions


def _points_back(events: Sequence[Event], unknown: int) -> bool:
    signals = {event.signal for event in events}
    return bool(signals & {"use", "mention", "drop", "bad", "good", "no"}) and (
        "back" in signals or unknown == 0 or "bad" in signals
    )


def unnamed(text: str) -> bool:
    """Whether folded text asks for terms without saying which ("the missing names")."""
    return bool(weak("terms").search(text)) and not re.search(r"\"[^\"]+\"|(?<!\w)'[^']+'(?!\w)", text)
