"""Revision targets of a draft, from the rubric's scores and an annotation.

SkillGrain, eq. 4: `Diagnose(x_t, y_t; B_{u,t})`. The scores are `verify.rubric`'s, the targets `verify.target`'s; here
one becomes the other. A dimension whose direction is open (an empty text's rate, a text without prose) gives none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ingrained.bench.writing.annotate import Annotation
from ingrained.verify.expression import Feature, Habit
from ingrained.verify.leakage import stretches, term
from ingrained.verify.rubric import Profile, WritingScore, score_response
from ingrained.verify.score import Outcome, Score
from ingrained.verify.target import Finding, Findings, Preference, Target, diagnose
from ingrained.verify.unseen import Adherence, Wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """A draft's score and what should be otherwise in it."""

    score: WritingScore
    targets: tuple[Target, ...]
    wanted: Wanted | None = None
    """The preference outside the rubric that is taught instead (`unseen.taught`)."""
    followed: Adherence | None = None
    """Whether the draft follows that one."""

    @property
    def wishes(self) -> tuple[Target | Wanted, ...]:
        """All that feedback says."""
        return self.targets if self.wanted is None else (self.wanted, *self.targets)

    @property
    def transfers(self) -> bool:
        """Whether any target is a preference (τ = 1); where none is, the skill is to be kept."""
        return any(one.tau == 1 for one in self.targets)


def diagnosed(request: str, draft: str, known: Annotation) -> Diagnosis:
    """V_t of a draft."""
    score = score_response(draft, known.author, found=known.candidates, request=request)
    found = Findings(
        preferences=tuple(preferences(score, known.author)),
        missing=missing(draft, known.wanted),
        leaked=tuple(one.text for one in score.leaked),
    )
    return Diagnosis(score=score, targets=diagnose(found))


def preferences(score: WritingScore, author: Profile) -> list[Finding]:
    """What was found on the three preference dimensions, where it has a score and a direction."""
    found: list[Finding | None] = [
        _finding("length", score.length, score.words - author.words),
        _finding("first_person", score.first_person, score.rate - author.rate),
    ]
    if isinstance(author.habit, Habit) and score.value is not None:
        difference = score.value - author.habit.median
        found.append(_finding("expression", score.expression, difference, author.habit.feature))
    return [one for one in found if one is not None]


def _finding(
    dimension: Preference, outcome: Outcome, difference: float, feature: Feature | None = None
) -> Finding | None:
    if not isinstance(outcome, Score) or (outcome.value < 1 and difference == 0):
        return None
    return Finding(dimension=dimension, score=outcome.value, difference=difference, feature=feature)


def missing(draft: str, wanted: Sequence[str]) -> tuple[str, ...]:
    """Which of the wanted terms a draft does not have, compared as leaks are."""
    terms = {text: term(text) for text in wanted}
    said = stretches(draft, {len(key) for key in terms.values()})
    return tuple(text for text, key in terms.items() if key not in said)
