"""Where one rule ends and the next begins: sentences into clauses that can stand alone, and fragments back together.

A pair that belongs together stays together: "don't rename with sed, use the language server", a procedure ("…, then
…"), a condition and what follows it. Measurable on its own: text in, spans out.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ingrained.feedback.words import Span, own_words, sentences

_VERB = (
    r"(?:add|always|ask|avoid|change|check|commit|create|delete|do|don'?t|fix|give|keep|leave|log|make|mention|move|never|"
    r"open|please|prefer|put|remove|rename|reply|respond|run|show|stop|test|update|use|write)"
)
_CUT = re.compile(
    rf"\s*;\s+|\s+[-–—]\s+(?=also\b)|,?\s+(?:and|but)\s+also,?\s+|,\s+(?:and\s+)?(?=from now on\b)|"
    rf",\s+and\s+(?={_VERB}\b)|,\s+(?={_VERB}\b)|\.\s+(?=also\b)",
    re.IGNORECASE,
)
_CHAIN = re.compile(r"\b(?:then|first|before|after|when(?:ever)?|if|while|unless|once|until)\b", re.IGNORECASE)
_NEGATIVE = re.compile(r"\b(?:no|not|never|don'?t|do not|dont|stop|avoid|without|nunca|nicht)\b", re.IGNORECASE)
_CARRY_ON = re.compile(
    r"^(?:keep|do) (?:that|this|it)\b|^(?:the )?same (?:for|goes)\b|^(?:that|this|it) (?:goes|applies|holds)\b|"
    r"^second time\b|^(?:that|this|it)'?s (?:how|the way|why)\b",
    re.IGNORECASE,
)
_SCRAPS = 4
"""Words of two sentences that are one remark ("uv! not pip.")."""
_LEANS_BACK = re.compile(r"\b(?:one|ones|it|them|those|that)\W*$", re.IGNORECASE)


def split(text: str) -> list[Span]:
    """The clauses of a turn that could each be one rule, in order, as spans of `text`.

    Pasted material is left out (`own_words`). A sentence that only carries on the one before ("Keep that for every
    release note") or needs it ("…always come with one") is joined to it, and so is a fragment with what follows it.
    """
    clauses: list[Span] = []
    for stretch in own_words(text):
        parts = [part for sentence in sentences(stretch) for part in _cut(sentence)]
        clauses.extend(_join(parts, text))
    return clauses


def _cut(sentence: Span) -> list[Span]:
    pieces: list[Span] = []
    begin = 0
    for match in _CUT.finditer(sentence.text):
        head, tail = sentence.text[begin : match.start()], sentence.text[match.end() :]
        if not _apart(sentence.text[begin:], head, tail, strong=_strong(match.group())):
            continue
        pieces.append(_piece(sentence, begin, match.start()))
        begin = match.end()
    pieces.append(_piece(sentence, begin, len(sentence.text)))
    return [piece for piece in pieces if piece.text]


def _strong(cut: str) -> bool:
    return ";" in cut or "also" in cut.lower() or cut.strip() in {"-", "–", "—"}


def _apart(whole: str, head: str, tail: str, *, strong: bool) -> bool:
    """Whether the two sides are two rules."""
    if len(head.split()) < 3 or len(tail.split()) < 2:
        return False
    if strong or tail.lower().startswith("from now on"):
        return True
    imperative = re.match(rf"\W*{_VERB}\b", head, re.IGNORECASE)
    same_side = bool(_NEGATIVE.search(head)) == bool(_NEGATIVE.search(tail))
    return bool(imperative) and same_side and not _CHAIN.search(whole)


def _piece(sentence: Span, begin: int, end: int) -> Span:
    body = sentence.text[begin:end]
    lead = len(body) - len(body.lstrip(" \t,;–—"))
    body = body.strip(" \t,;–—")
    start = sentence.start + begin + lead
    return Span(start=start, end=start + len(body), text=body)


def _join(parts: list[Span], text: str) -> list[Span]:
    joined: list[Span] = []
    for part in parts:
        if joined and _belongs(joined[-1], part, text):
            before = joined[-1]
            joined[-1] = replace(before, end=part.end, text=text[before.start : part.end])
        else:
            joined.append(part)
    return joined


def _belongs(before: Span, part: Span, text: str) -> bool:
    if "\n" in text[before.end : part.start].strip(" \t"):
        return False
    if _CARRY_ON.match(part.text):
        return True
    words = len(before.text.split())
    if words + len(part.text.split()) <= _SCRAPS:
        return True
    if before.text.endswith("?") and _LEANS_BACK.search(part.text) and words <= 8:
        return True
    fragment = (
        words <= 5 and before.text.endswith(".") and "," in before.text and not before.text.lower().startswith("no")
    )
    return fragment or (words <= 2 and before.text.lower().startswith(("no,", "nope,")) and before.text.endswith("."))
