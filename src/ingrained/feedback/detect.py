"""Does a clause ask for a change? Points from the cue table, the form in which it came, and the act before it.

Measurable on its own: `detect` looks at one clause and says how many points it has and why; nothing here knows about
atoms, transfer or rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ingrained.feedback.cues import FEEDBACK_POINTS, Table, cues
from ingrained.session.session import Act, Form

FORM_POINTS: Mapping[Form, int] = {
    "typed": 0,
    "with-tool": 1,
    "queued": 1,
    "refusal": 4,
    "answer": -2,
    "command": -1,
}
"""What the way in says by itself: words typed with a refusal nearly always correct."""
REFUSED_ACTION = "came with a refused action"
"""The reason that a refusal gives."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """Points and the phrases of the cues that gave them, strongest first."""

    points: int
    reasons: tuple[str, ...]


def weigh(clause: str, table: Table) -> Judgement:
    """The sum of the points of the cues that match, with their phrases."""
    hits = sorted((cue for cue in cues(table) if cue(clause)), key=lambda cue: -abs(cue.points))
    return Judgement(points=sum(cue.points for cue in hits), reasons=tuple(cue.phrase for cue in hits))


def detect(clause: str, form: Form = "typed", act: Act | None = None) -> Judgement:
    """How strongly one clause of a turn reads as feedback; `FEEDBACK_POINTS` or more is taken as such.

    Args:
        clause: the person's words.
        form: how they came in.
        act: what the agent did before; with nothing before it, words are a task rather than a correction.
    """
    base = weigh(clause, "feedback")
    points = base.points + FORM_POINTS[form]
    reasons = base.reasons
    if form == "refusal":
        reasons = (REFUSED_ACTION, *reasons)
    if act is not None and form == "typed" and not (act.tool or act.said):
        points -= 1
    return Judgement(points=points, reasons=reasons)


def holds_feedback(text: str, clauses: Sequence[Judgement], form: Form, act: Act | None = None) -> bool:
    """Whether a whole turn holds feedback: its words taken together, or its strongest clause, reach the threshold."""
    points = [detect(text, form, act).points, *(clause.points for clause in clauses)]
    return max(points) >= FEEDBACK_POINTS
