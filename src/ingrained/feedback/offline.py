"""The rule-based decomposer: explained by its cues, no model, about a millisecond a turn. The floor in all tables.

It composes the parts, each measurable alone: `split` cuts, `detect` keeps what asks for a change, `transfer` judges
what would hold elsewhere, `compose` says how.
"""

from __future__ import annotations

from collections.abc import Sequence

from ingrained.feedback.compose import Verdict, clauses_of, compose
from ingrained.feedback.cues import FEEDBACK_POINTS
from ingrained.feedback.decompose import Atom
from ingrained.feedback.detect import detect, holds_feedback
from ingrained.feedback.transfer import PRACTICE, kind_of, transfer
from ingrained.feedback.words import Span
from ingrained.session.session import Turn


class RuleDecomposer:
    """`rules`: the cue tables in `cues.toml`."""

    name = "rules"
    version = "1"

    def decompose(self, turns: Sequence[Turn]) -> list[list[Atom]]:
        """The atoms of each turn, in order.

        The strongest clause stands for a turn that is feedback only as a whole. A clause that is no feedback but speaks
        of a practice is listed with `feedback=False`: it counts only where it recurs.
        """
        return [atoms_in(turn, clauses_of(turn)) for turn in turns]


def atoms_in(turn: Turn, clauses: Sequence[Span]) -> list[Atom]:
    """The atoms of a turn that was cut into these clauses, in order; each clause makes one or none."""
    if not clauses:
        return []
    judged = [detect(clause.text, turn.form, turn.act) for clause in clauses]
    feedback = holds_feedback(" ".join(c.text for c in clauses), judged, turn.form, turn.act)
    strongest = max(range(len(judged)), key=lambda i: (judged[i].points, -i))
    atoms = []
    for i, (clause, judgement) in enumerate(zip(clauses, judged, strict=True)):
        corrects = feedback and (judgement.points >= FEEDBACK_POINTS or i == strongest)
        found = transfer(clause.text, turn.form)
        if corrects or (found.confidence >= PRACTICE and turn.form != "answer"):
            verdict = Verdict(
                feedback=corrects,
                transferable=corrects and found.transferable,
                confidence=found.confidence,
                kind=kind_of(clause.text),
                explicit=found.explicit,
                reasons=(*found.reasons, *judgement.reasons),
            )
            atoms.append(compose(turn, clause, verdict))
    return atoms
