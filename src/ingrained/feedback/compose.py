"""From a judged clause to an atom: the parts that are the same whoever judges.

How far the words reach, how they are restated, whether they narrow or take back: rules decide that for every
decomposer, since it is a matter of the words alone.
"""

from __future__ import annotations

from dataclasses import dataclass

from ingrained.feedback.decompose import Atom, Kind, Relation
from ingrained.feedback.restate import polarity_of, restate
from ingrained.feedback.scope import reach
from ingrained.feedback.split import split
from ingrained.feedback.transfer import narrows, retracts
from ingrained.feedback.words import Span
from ingrained.session.session import Turn

_LONGEST_QUOTE = 600
_MOST_REASONS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a decomposer says of one clause."""

    feedback: bool
    """It asks for a change; else it only speaks of a practice."""
    transferable: bool
    confidence: float
    """That it transfers, in [0, 1]."""
    kind: Kind
    explicit: bool
    reasons: tuple[str, ...]
    """Most important first."""


def clauses_of(turn: Turn) -> list[Span]:
    """The clauses of a turn that may become atoms, in order; what is as long as a page was pasted."""
    return [clause for clause in split(turn.text) if len(clause.text) <= _LONGEST_QUOTE]


def compose(turn: Turn, clause: Span, verdict: Verdict) -> Atom:
    """The atom of a clause. What takes a rule back, or ends with a date, does not transfer whatever the verdict."""
    scope = reach(clause.text)
    text = restate(clause.text)
    relation: Relation = "retracts" if retracts(clause.text) else "narrows" if narrows(clause.text) else "states"
    return Atom(
        message=turn.key,
        start=clause.start,
        quote=clause.text,
        text=text,
        kind=verdict.kind,
        polarity=polarity_of(text),
        transferable=verdict.transferable and relation != "retracts" and not scope.expires,
        confidence=verdict.confidence,
        feedback=verdict.feedback,
        explicit=verdict.explicit,
        when=scope.when,
        paths=scope.paths,
        project=scope.here or not (scope.everywhere or verdict.kind == "communication"),
        expires=scope.expires,
        relation=relation,
        reasons=tuple(dict.fromkeys(verdict.reasons))[:_MOST_REASONS],
    )
