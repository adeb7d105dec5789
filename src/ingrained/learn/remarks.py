"""The offline judge of what a person says outright about one draft: which of it holds for other work too, and why not.

It is the judge of sessions on finer pieces, with two things that only this situation allows. A sentence is cut between
a part that lasts and one that is about this piece of work (`lasting`), or that holds a secret; and a preference of the
rubric with a direction lasts without a word such as "always", unless it is said to be for this once. The decision to
know: doubt does not cut, so a part that shows neither stays with its neighbour.

Sessions with an agent are judged without it: "make it shorter" said of code is about that code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ingrained.feedback.compose import Verdict, clauses_of, compose
from ingrained.feedback.decompose import Atom
from ingrained.feedback.offline import atoms_in
from ingrained.feedback.transfer import is_explicit, kind_of, veto
from ingrained.feedback.words import Span
from ingrained.learn.lasting import ORDINAL, Judgement, adds, asks_alone, hangs, judged, names_in, stands
from ingrained.learn.modelled import REWORDED, STAYS, TRANSFERS
from ingrained.learn.preferences import named, wish_of
from ingrained.learn.secretless import secretless
from ingrained.session.redact import MARKER
from ingrained.session.session import Turn
from ingrained.verify.leakage import Candidate

_JOINT: Final = re.compile(
    r"\s*;\s+|\s+[-–—]\s+|,?\s+(?:and|but|also|und|aber|sowie|y|e|pero|et|mais)\s+|,\s+", re.IGNORECASE
)
_CITED: Final = re.compile(r"\"[^\"]*\"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|`[^`]*`|\([^()]*\)|(?<!\w)['‘][^'’]*['’](?!\w)")
"""What is quoted or in brackets has no joint of the sentence in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Aside:
    """Words that are not kept as a rule, and why."""

    quote: str
    reason: str
    content: str = ""
    """What the judge made of them; "" where they stand as they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    """A part of a clause."""

    span: Span
    shows: Judgement
    secret: bool


def remarks(turn: Turn, *, request: str, draft: str) -> tuple[tuple[Atom, ...], tuple[Aside, ...]]:
    """The atoms of a turn that was given outright, and the words that make none. Some milliseconds a clause.

    Args:
        turn: the feedback, without secrets.
        request: what was asked for; a preference that names something of it is none.
        draft: what was written; the same.
    """
    known = names_in([request, draft])
    pieces = [piece for clause in _clauses(turn) for piece in _pieces(clause, known)]
    found = {atom.start: atom for atom in atoms_in(turn, [piece.span for piece in pieces])}
    atoms: list[Atom] = []
    left: list[Aside] = []
    for piece in pieces:
        atom = _atom(turn, piece, found.get(piece.span.start))
        if atom is None:
            left.append(Aside(quote=piece.span.text, reason="the rules of the offline judge see no demand in it"))
        else:
            atoms.append(atom)
    kept, lost = without_secrets(atoms)
    return kept, (*left, *lost)


def _clauses(turn: Turn) -> list[Span]:
    """The clauses of a turn, with dates such as "4. Juni" in one piece."""
    dates = [match.span() for match in ORDINAL.finditer(turn.text)]
    found: list[Span] = []
    for clause in clauses_of(turn):
        if found and any(start < clause.start < end for start, end in dates):
            begin = found[-1].start
            found[-1] = Span(start=begin, end=clause.end, text=turn.text[begin : clause.end])
        else:
            found.append(clause)
    return found


def without_secrets(atoms: Sequence[Atom]) -> tuple[tuple[Atom, ...], tuple[Aside, ...]]:
    """The atoms with a text that holds no marker of a secret, and those for which no rule is left without it."""
    kept: list[Atom] = []
    lost: list[Aside] = []
    for atom in atoms:
        text = secretless(atom.text) if atom.transferable else atom.text
        if text:
            kept.append(replace(atom, text=text))
        else:
            shown = MARKER.findall(atom.text)[0]
            why = f"no rule holds a secret or private detail ({shown}), and without it there is none"
            lost.append(Aside(quote=atom.quote, reason=why))
    return tuple(kept), tuple(lost)


def _atom(turn: Turn, piece: _Piece, judged: Atom | None) -> Atom | None:
    """The atom of a piece: as the judge of sessions has it, or as what is known of a draft changes it."""
    words = piece.span.text
    if piece.shows.side == "local":
        why = "it holds a secret or private detail" if piece.secret else piece.shows.why
        return _made(turn, piece.span, lasts=False, reasons=(why,))
    if piece.shows.side != "lasts" or (judged is not None and judged.transferable) or veto(words):
        return judged
    asked = piece.shows.asked
    if not asked and not stands(words):
        return judged
    wish = wish_of(words) if asked else ""
    why = [f"a preference on {named(topic)}" for topic in asked] or ["said as a standing rule"]
    reasons = (*why, *((REWORDED,) if wish else ()))
    atom = _made(turn, piece.span, lasts=True, reasons=reasons)
    return replace(atom, text=wish) if wish else atom


def _made(turn: Turn, span: Span, *, lasts: bool, reasons: tuple[str, ...]) -> Atom:
    verdict = Verdict(
        feedback=True,
        transferable=lasts,
        confidence=TRANSFERS if lasts else STAYS,
        kind=kind_of(span.text),
        explicit=is_explicit(span.text),
        reasons=reasons,
    )
    return compose(turn, span, verdict)


def _pieces(clause: Span, known: Sequence[Candidate]) -> Iterator[_Piece]:
    """The clause in as few pieces as differ; a part that shows nothing stays with the one before it."""
    now: _Piece | None = None
    for span, joint in _parts(clause):
        part = _Piece(span=span, shows=judged(span.text, known), secret=bool(MARKER.search(span.text)))
        if now is None:
            now = part
        elif _apart(now, part, joint):
            yield now
            now = part
        else:
            now = _joined(now, part, clause, known)
    if now is not None:
        yield now


def _parts(clause: Span) -> Iterator[tuple[Span, str]]:
    """The parts between joints, each with the joint before it."""
    begin, joint = 0, ""
    plain = _CITED.sub(lambda match: "x" * len(match.group()), clause.text)
    cuts = [(match.start(), match.end(), match.group()) for match in _JOINT.finditer(plain)]
    for start, end, text in [*cuts, (len(clause.text), len(clause.text), "")]:
        words = clause.text[begin:start]
        if words.strip():
            yield Span(start=clause.start + begin, end=clause.start + start, text=words), joint
        begin, joint = end, text


def _apart(now: _Piece, part: _Piece, joint: str) -> bool:
    """Whether a part begins another piece.

    It does where it differs from the piece before it, and where both say themselves that they last. A part that shows
    nothing stays, unless it is a demand of its own beside a bare preference, or puts something in before a standing
    rule.
    """
    word = joint.strip(" ,") != ""
    if (now.shows.side or now.secret) and (part.shows.side or part.secret):
        differ = part.secret != now.secret or part.shows.side != now.shows.side
        return differ or (word and stands(now.span.text) and stands(part.span.text))
    shown, plain = (part, now) if part.shows.side else (now, part)
    if not word or shown.shows.side != "lasts" or hangs(plain.span.text):
        return False
    if shown.shows.asked:
        return asks_alone(plain.span.text)
    return shown is part and adds(plain.span.text)


def _joined(now: _Piece, part: _Piece, clause: Span, known: Sequence[Candidate]) -> _Piece:
    start, end = now.span.start, part.span.end
    span = Span(start=start, end=end, text=clause.text[start - clause.start : end - clause.start])
    whole = judged(span.text, known)
    shows = whole if whole.side else now.shows if now.shows.side else part.shows
    return _Piece(span=span, shows=shows, secret=now.secret or part.secret)
