"""The rule-based decomposer: explained by its cues, no model, about a millisecond a turn.

It composes the parts, each measurable alone: `split` cuts, `detect` keeps what asks for a change, `transfer` judges
what would hold elsewhere, `scope` and `restate` say how. A better judge may replace it behind the same Protocol.
"""

from __future__ import annotations

from ingrained.feedback.cues import FEEDBACK_POINTS
from ingrained.feedback.decompose import Atom, Relation
from ingrained.feedback.detect import Judgement, detect, holds_feedback
from ingrained.feedback.restate import polarity_of, restate
from ingrained.feedback.scope import reach
from ingrained.feedback.split import split
from ingrained.feedback.transfer import PRACTICE, kind_of, narrows, retracts, transfer
from ingrained.feedback.words import Span
from ingrained.session.session import Turn

_LONGEST_QUOTE = 600


class RuleDecomposer:
    """`rules`: the cue tables in `cues.toml`."""

    name = "rules"
    version = "1"

    def decompose(self, turn: Turn) -> list[Atom]:
        """The atoms of a turn, in order.

        The strongest clause stands for a turn that is feedback only as a whole. A clause that is no feedback but speaks
        of a practice is listed with `feedback=False`: it counts only where it recurs.
        """
        clauses = [clause for clause in split(turn.text) if len(clause.text) <= _LONGEST_QUOTE]
        if not clauses:
            return []
        judged = [detect(clause.text, turn.form, turn.act) for clause in clauses]
        feedback = holds_feedback(" ".join(c.text for c in clauses), judged, turn.form, turn.act)
        strongest = max(range(len(judged)), key=lambda i: (judged[i].points, -i))
        atoms = []
        for i, (clause, judgement) in enumerate(zip(clauses, judged, strict=True)):
            corrects = feedback and (judgement.points >= FEEDBACK_POINTS or i == strongest)
            atom = _atom(turn, clause, judgement, corrects=corrects)
            if corrects or (atom.confidence >= PRACTICE and turn.form != "answer"):
                atoms.append(atom)
        return atoms


def _atom(turn: Turn, clause: Span, judgement: Judgement, *, corrects: bool) -> Atom:
    verdict = transfer(clause.text, turn.form)
    scope = reach(clause.text)
    text = restate(clause.text)
    kind = kind_of(clause.text)
    relation: Relation = "retracts" if retracts(clause.text) else "narrows" if narrows(clause.text) else "states"
    return Atom(
        message=turn.key,
        start=clause.start,
        quote=clause.text,
        text=text,
        kind=kind,
        polarity=polarity_of(text),
        transferable=corrects and verdict.transferable and relation != "retracts" and not scope.expires,
        confidence=verdict.confidence,
        feedback=corrects,
        explicit=verdict.explicit,
        when=scope.when,
        paths=scope.paths,
        project=scope.here or not (scope.everywhere or kind == "communication"),
        expires=scope.expires,
        relation=relation,
        reasons=tuple(dict.fromkeys((*verdict.reasons, *judgement.reasons)))[:6],
    )
