"""A statement cut into the stretches in which a word of asking reaches what it is asked of.

Two kinds of cut: after a hard one ("but", a full stop) nothing carries over; after a soft one ("and", a comma) the next
stretch stands alone where it asks something itself, and else belongs to the stretch before it. What follows "because"
or "to make it …" is an aim and not asked for. The decision that a reader must know: a swap is read as two requests
("replace A with B" is "remove A; use B"), before anything else is looked at.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from ingrained.verify.lexicon import Event, plain, scan, scope, subjects, swaps

_QUOTES = str.maketrans(
    {"’": "'", "‘": "'", "ʼ": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "`": '"', "…": ".", "*": " "}
)
_HARD = re.compile(r"[.;:!?\n]+(?=\s|$)|\s-+\s|,?\s*\b(?:but|yet|however|although|though|while|whereas)\b,?|,\s*so\b")
_SOFT = re.compile(r",\s*(?:and|or|nor|then|plus|also)?\b|\b(?:and|or|nor|then|plus)\b|&|/(?=\s)|,")
_STARTS = frozenset({"not", "instead of", "rather than", "as opposed to", "in place of", "with", "without", "using"})
_IMPERATIVE = re.compile(
    r"\W*(?:avoid|don't|do not|stop|refrain|be|make|keep|write|get|go|give|let|do|try|please|just|always|never|think|"
    r"consider|watch|mind|check|review|look|work|reconsider|pay|see|adjust|fix|change|rethink)\b"
)
_COMPARATIVE = re.compile(r"(?:\w+er|more|less|fewer|added|additional|further|extra|expanded|\d.*)\b")
_SAYS = re.compile(
    r"\s*(?:(?:is|are)(?! to be\b)|was|were|(?:isn't|aren't)(?! to be\b)|wasn't|weren't|doesn't|does not|never|still|"
    r"hardly|has been|have been|(?:shows?|turns?|pops?|crops?|comes?) up|appears?|keeps?|creeps?)\b"
)
_DESIRES = re.compile(r"\W*(?:needs?|should|must|could|would|has to|have to|i\b|i'd|we\b|please)")
_QUESTION = re.compile(r"(?:^|(?<=[.!?;] ))[^.!?;]*\?")
_REQUEST = re.compile(
    r"\W*(?:(?:hey|hi|so|and|please|also|maybe|ok|okay|well|sorry|for once|next time|in future),? )*"
    r"(?:(?:can|could|would|will|can't|couldn't) (?:you|we|i|it|this|someone|somebody|the \w+)"
    r"(?! be (?:a |the )?(?:right|fine|ok|problem))|"
    r"why|where|how come|must|who|what(?:'s| is| are)?\b.*\b(?:doing|do with|for|happened|became)|"
    r"what (?:happened|became)|since when|is that (?:it|all)|nothing|not a word|no mention|and (?:the|where)|"
    r"any chance|"
    r"mind if|would you mind|i|not|too|so)\b"
)
"""Questions that ask to have something, or complain; any other asks to know."""
_TELLS = re.compile(
    r"(?:(?:please|also|just|and|do) )*(?:say|state|mention|note|explain|point out|claim|report|add|tell \w+|write|"
    r"clarify|specify|indicate|make (?:it )?(?:clear|plain|known)|let (?:them|people|readers|her|him|"
    r"everyone) know|be clear|"
    r"remember) that\b"
)
_AIM_OF = re.compile(
    r"(?:try|trying|needs?|wants?|like|have|has|ought|remember|prefer|sure|love|hate|you|free|afraid|not|how|"
    r"used|is|good|"
    r"nice|better|best|great|me)\s*$"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A stretch in which all signals reach all topics."""

    text: str
    events: tuple[Event, ...]
    complaint: bool
    """It says how the draft is, so that the contrary is asked for."""
    denied: bool = False
    """A negation of the stretch before reaches into it ("don't cut it or shorten it")."""
    words: tuple[tuple[int, int], ...] = ()
    """Places of the words that no table knows."""
    start: int = 0

    def strange(self) -> list[str]:
        """The words that no table knows and that may therefore turn what stands beside them."""
        found = [self.text[start - self.start : end - self.start] for start, end in self.words]
        return [word for word in found if word not in plain() and not re.search(r"\d|^[^\w]*$|ly$", word)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A statement as it is read: folded, its findings and its segments."""

    text: str
    segments: tuple[Segment, ...]
    aside: tuple[Event, ...] = field(default=())
    """Topics that only occur in a reason or an aim."""
    plain: str = ""
    """The text without terms, quotes and set phrases."""
    conditional: bool = False
    holds: bool = False
    """Something shall stay as it is."""
    question: bool = False
    local: bool = False
    """Preferences in it are asked of a part of the text."""
    told: int | None = None
    """From here on stands what the text shall say ("say that the film is long")."""


def fold(text: str) -> str:
    """The statement in the one form in which it is read: NFKC, lower case, plain quotes and spaces, no list mark."""
    text = unicodedata.normalize("NFKC", text).translate(_QUOTES)
    text = re.sub(r"\s*[—–―]\s*", " - ", text).casefold()
    text = re.sub(r"^\s*(?:[-•]|\d+[.)])\s+", "", text)
    return re.sub(r"\s+", " ", text).strip()


def unswapped(text: str) -> str:
    """A folded statement with each swap as two requests; a negated swap negates both."""
    for pattern in swaps():
        text = pattern.sub(_two, text)
    return text


def _two(match: re.Match[str]) -> str:
    negated = match["not"] or ""
    return f"{negated}remove {match['out']}; {'do not use' if negated else 'use'} {match['in_']}"


def read(text: str, found: Sequence[Event] = ()) -> Statement:
    """A statement that was folded and unswapped, cut; `found` are the places of terms in it."""
    events = scan(text, found)
    topics = [event for event in events if event.topic or event.kind == "term"]
    told = _TELLS.match(text)
    named = _without(
        text, [event for event in events if event.signal == "filler" and " " in text[event.start : event.end]]
    )
    named = _without(re.sub(r"\"[^\"]*\"", lambda m: "\0" * len(m.group()), named), found)
    segments: list[Segment] = []
    aside: list[Event] = []
    bare = _without(text, topics)
    for start, end in _between(bare, _HARD):
        kept, dropped = _main(text, start, end, [event for event in events if start <= event.start < end])
        aside += [event for event in dropped if event in topics]
        stop = min((event.start for event in dropped), default=end)
        segments += _segments(text, bare, start, stop, kept)
    return Statement(
        text=text,
        segments=tuple(segments),
        aside=tuple(aside),
        plain=named,
        conditional=bool(scope("condition").search(named)),
        holds=bool(scope("hold").search(named)),
        question=any(not _REQUEST.match(match.group()) for match in _QUESTION.finditer(text)),
        local=bool(scope("place").search(named)),
        told=told.end() if told else None,
    )


def _without(text: str, events: Iterable[Event]) -> str:
    chars = list(text)
    for event in events:
        chars[event.start : event.end] = "\0" * (event.end - event.start)
    return "".join(chars)


def _between(text: str, cut: re.Pattern[str]) -> list[tuple[int, int]]:
    """The stretches between the matches of a cut."""
    found: list[tuple[int, int]] = []
    begin = 0
    for match in cut.finditer(text):
        found.append((begin, match.start()))
        begin = match.end()
    found.append((begin, len(text)))
    return [(a, b) for a, b in found if text[a:b].strip()]


def _main(text: str, start: int, end: int, events: list[Event]) -> tuple[list[Event], list[Event]]:
    """The findings of a clause before its reason or aim, and those in it."""
    for match in scope("reason").finditer(text, start, end):
        at = match.start()
        inside = any(event.start < at < event.end for event in events)
        asked = any(event.topic or event.kind == "term" for event in events if event.start < at)
        if asked and not inside and not _AIM_OF.search(text[start:at]):
            return [e for e in events if e.start < at], [e for e in events if e.start >= at]
    return events, []


def _segments(text: str, bare: str, start: int, end: int, events: list[Event]) -> list[Segment]:
    """The segments of one clause."""
    cuts = [(m.start(), m.end()) for m in _SOFT.finditer(bare, start, end)]
    starts = (event.start for event in events if event.signal and text[event.start : event.end] in _STARTS)
    cuts += [(at, at) for at in starts if _full(text[start:at], events, at)]
    segments: list[Segment] = []
    begin, joint = start, ""
    for a, b in [*sorted(cuts), (end, end)]:
        if a < begin or (text[:a].endswith("er") and re.match(r"(?:more|less)\b", text[b:end].strip())):
            continue
        inside = [event for event in events if begin <= event.start < a]
        if inside or text[begin:a].strip():
            _append(segments, text, (begin, a), inside, joint)
        begin, joint = b, text[a:b].strip(" ,")
    return segments


def _full(before: str, events: list[Event], at: int) -> bool:
    """Whether something is asked of a topic before a word that can start a request of its own ("with", "not")."""
    if re.search(r"\b(?:start|begin|open|end|clos|finish)(?:s|e|ing)?\b[^.;,]*$", before):
        return False
    return any(e.topic or e.kind == "term" for e in events if e.start < at and e.kind != "quantity")


def _append(segments: list[Segment], text: str, at: tuple[int, int], events: list[Event], joint: str) -> None:
    """Add a piece as a segment of its own, or to the one before."""
    piece = text[at[0] : at[1]]
    asks = any(event.signal not in {None, "filler", "back"} for event in events)
    orders = _orders(piece, events)
    if segments and not asks and not orders:
        last = segments[-1]
        joined = (*last.events, *events)
        segments[-1] = replace(
            last, text=text[last.start : at[1]], events=joined, words=(*last.words, *_unknown(piece, at[0], events))
        )
        return
    complaint = _complains(piece) or _is_said_of(piece, at[0], events)
    carried = bool(segments) and segments[-1].complaint and not orders and not _DESIRES.match(piece)
    denied = bool(segments) and joint in {"or", "nor"} and _negated(segments[-1])
    segments.append(
        Segment(
            text=piece,
            events=tuple(events),
            complaint=complaint or carried,
            denied=denied,
            words=tuple(_unknown(piece, at[0], events)),
            start=at[0],
        )
    )


def _orders(piece: str, events: list[Event]) -> bool:
    """Whether a piece begins with an order, so that nothing of what stands before reaches into it."""
    if _IMPERATIVE.match(piece):
        return True
    first = next((event for event in events if event.signal != "filler"), None)
    if first is None:
        return False
    if first.kind == "change":
        return not _COMPARATIVE.match(piece.strip()) and first.start - (events[0].start) < 8
    return first.signal in {"use", "drop", "mention", "unpack"} and first is events[0]


def _negated(segment: Segment) -> bool:
    return segment.denied or any(event.signal == "negate" for event in segment.events)


def _unknown(piece: str, offset: int, events: list[Event]) -> list[tuple[int, int]]:
    """Places of words that are in no finding."""
    chars = list(piece)
    for event in events:
        chars[event.start - offset : event.end - offset] = " " * (event.end - event.start)
    return [(offset + m.start(), offset + m.end()) for m in re.finditer(r"[\w']+", "".join(chars))]


def _complains(piece: str) -> bool:
    """Whether a piece says how the draft is; a wish, a request and a habit of the person do not."""
    opinion, modal, agent, person = subjects()
    piece = piece.strip()
    while (match := opinion.match(piece)) and match.end() > 0 and match.group().strip():
        piece = piece[match.end() :].strip()
    if not agent.match(piece):
        return False
    return not (modal.match(piece) or (person.match(piece) and not piece.startswith("i ")))


def _is_said_of(piece: str, offset: int, events: list[Event]) -> bool:
    """Whether a piece begins with a topic and goes on to say how it is ("Paris isn't mentioned")."""
    first = next((event for event in events if event.signal != "filler"), None)
    if re.match(r"\W*(?:(?:please|also|just|so|and|now) )*(?:make|be|ensure|see|check)\b", piece):
        return False
    if (
        first is None
        or first.signal
        or first.kind not in {"noun", "term"}
        or re.search(r"\w", _before(piece, offset, first, events))
    ):
        return False
    return bool(_SAYS.match(piece[first.end - offset :]))


def _before(piece: str, offset: int, event: Event, events: list[Event]) -> str:
    chars = list(piece[: event.start - offset])
    for other in events:
        if other.start < event.start:
            chars[other.start - offset : other.end - offset] = " " * (other.end - other.start)
    return "".join(chars)
