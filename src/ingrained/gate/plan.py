"""What is settled before the first pair: the rule, the rates, what counts as a gain, and when to stop."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import Field, model_validator

from ingrained.gate.rates import Rate
from ingrained.skill.rule import Frozen

Rule: TypeAlias = Literal["sequential", "sign", "permutation", "single", "raw"]
Aim: TypeAlias = Literal["gain", "no_loss"]
"""What an edit has to show: that the mean difference is above 0, or that it is above -margin."""


class Plan(Frozen):
    """How edits are decided on.

    Rules:

    - `sequential`: a test by betting (`gate.betting`) that may be looked at after every pair. It assumes scores in
      [0, 1], and that tasks are drawn independently or that an edit which does not help does nothing at all.
    - `sign`: at `cap` pairs, the exact sign test on the tasks that differ. The null: as many chances to win as to lose.
    - `permutation`: at `cap` pairs, Fisher's paired permutation test on the scores. The null: each difference is as
      likely to be -d as d. Both hold for an edit that does nothing; neither is a test of the mean difference.
    - `single`: the comparison of the paper on the first pair that has scores. Uncalibrated: by chance alone it accepts
      as often as a treatment scores higher, a quarter of the time for a task that succeeds every other time.
    - `raw`: the paper's ablation. No control is run; an edit is accepted whose own first score is `PASS` or more, and
      the one with the highest is applied. Uncalibrated: a worker that passes without the edit gets it accepted.
    """

    version: Literal[1] = 1
    rule: Rule = "sequential"
    rate: Rate = "group"
    """What `alpha` is promised for."""
    alpha: float = Field(default=0.05, gt=0, lt=1)
    """Probability at most that an edit is accepted that does not help."""
    beta: float = Field(default=0.2, gt=0, lt=1)
    """Probability at most that an edit is rejected as useless whose mean gain is `useful` or more."""
    useful: float = Field(default=0.2, gt=0, le=1)
    """The least mean gain worth having; what bets are made for."""
    margin: float = Field(default=0.1, gt=0, lt=1)
    """The mean loss that a Prune or a shortening must be shown to stay below."""
    cap: int = Field(default=100, ge=1)
    """Pairs at most, with unscored ones; for `sign` and `permutation`, pairs in all."""
    seeds: int = Field(default=1, ge=1)
    """Pairs a task. A task counts once, with their mean, and only when it has all of them."""
    always: int = Field(default=3, ge=1)
    """Scored pairs from which a task that passed always and now fails always blocks; 1 for a worker without chance."""
    may_break: tuple[str, ...] = ()
    """Tasks that may go from always passing to always failing."""
    unscored: float = Field(default=0.2, ge=0, le=1)
    """Share of the pairs without a score above which nothing is decided."""

    @model_validator(mode="after")
    def _cap_holds_a_task(self) -> Plan:
        if self.cap < self.seeds:
            raise ValueError(f"cap {self.cap} leaves no room for one task with {self.seeds} seeds")
        return self

    def means(self, aim: Aim) -> tuple[float, float]:
        """The mean difference to refute, and the one that is hoped for: 0 and `useful`, or -`margin` and 0."""
        return (0.0, self.useful) if aim == "gain" else (-self.margin, 0.0)


def aim_of(*, prune: bool, before: int, after: int) -> Aim:
    """What an edit has to show: a Prune, and whatever makes a skill shorter, no loss; everything else a gain.

    Args:
        prune: whether the edit takes out a rule.
        before: tokens of the skill before the edit.
        after: tokens after it.
    """
    return "no_loss" if prune or after < before else "gain"
