"""A pair: the same task and seed once under the old skill (control) and once under the new one (treatment).

The published shape of a line in a run's directory, and all that a verdict is made of. The decision to know: an arm that
could not be judged says why and has no score, so that nobody can take it for a 0; what was read from stored answers,
and what several edits share, is marked, because neither is fresh evidence.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from ingrained.skill.rule import Frozen
from ingrained.verify.score import Outcome, Score, Unscored


class Arm(Frozen):
    """One side of a pair: a score, or the reason why there is none."""

    score: float | None = Field(default=None, ge=0, le=1, allow_inf_nan=False)
    """In [0, 1], higher is better; None where the side is unscored."""
    unscored: str | None = Field(default=None, min_length=1)
    cached: bool = False
    """The answer was not made for this pair but read from an earlier one."""

    @model_validator(mode="after")
    def _one_of_both(self) -> Arm:
        if (self.score is None) == (self.unscored is None):
            raise ValueError("an arm has either a score or the reason why it is unscored")
        return self

    @classmethod
    def of(cls, outcome: Outcome, *, cached: bool = False) -> Arm:
        """What a verifier answered, as an arm."""
        if isinstance(outcome, Score):
            return cls(score=outcome.value, cached=cached)
        return cls(unscored=outcome.reason, cached=cached)

    @property
    def outcome(self) -> Outcome:
        """The arm as what a verifier answers."""
        return Unscored(reason=self.unscored or "") if self.score is None else Score(value=self.score)


class Pair(Frozen):
    """One task and seed under both skills."""

    version: Literal[1] = 1
    task: str = Field(min_length=1)
    seed: int = 0
    control: Arm
    treatment: Arm
    shared: bool = False
    """The control was run once for several edits of a group."""

    @property
    def difference(self) -> float | None:
        """Treatment minus control, in [-1, 1]; None where a side is unscored, since such a pair is no evidence."""
        if self.control.score is None or self.treatment.score is None:
            return None
        return self.treatment.score - self.control.score

    def swapped(self) -> Pair:
        """The same pair with the arms exchanged."""
        return self.model_copy(update={"control": self.treatment, "treatment": self.control})
