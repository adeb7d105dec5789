"""What the gate answers: the published shape of a verdict, and of a group's verdicts."""

from __future__ import annotations

from typing import Literal, TypeAlias

from ingrained.gate.plan import Aim, Rule
from ingrained.gate.rates import Rate
from ingrained.gate.tally import Broken, Unjudged
from ingrained.skill.rule import Frozen

Status: TypeAlias = Literal["accepted", "rejected", "inconclusive"]
Reason: TypeAlias = Literal[
    "gain", "no_loss", "own_score", "breaks", "useless", "not_shown", "open", "cap", "out_of_reach", "unscored"
]
"""Why.

Accepted: a `gain`, or `no_loss` above the margin; by the rule `raw` for its `own_score`. Rejected: it `breaks` a task,
its gain is below what is useful (`useless`), or the planned test did not show one (`not_shown`). Inconclusive: `open`
until there are more pairs, the `cap` is reached, acceptance is `out_of_reach` before the cap, or too much is
`unscored`.
"""


class Verdict(Frozen):
    """A decision on one edit, with everything that it rests on."""

    version: Literal[1] = 1
    status: Status
    reason: Reason
    why: str
    """One sentence for a person."""
    final: bool
    """No further pair is wanted."""
    rule: Rule
    calibrated: bool
    """Whether the rule keeps to a rate of false acceptances at all."""
    aim: Aim
    rate: Rate
    level: float
    """The α that this edit was tested at, so that the rate holds."""
    pairs: int
    scored: int
    tasks: int
    """Tasks that count; those that wait for a seed, or have no score, do not."""
    wins: int
    losses: int
    ties: int
    gain: float | None
    """Mean difference over tasks, in [-1, 1]."""
    low: float | None
    high: float | None
    """Bounds of the mean gain, each wrong with probability at most `level`, at all looks together."""
    p: float | None
    """The p-value; accepted at `level` or less. None for `single` and `raw`."""
    against: float | None
    """For `sequential`: p-value of the mean gain being useful, or of there being no loss; rejected at β or less."""
    broken: tuple[Broken, ...]
    """Tasks that went from always passing to always failing, whether they block or not."""
    unscored: Unjudged
    cached_control: int
    """Pairs whose control was read from an earlier answer; they make successive decisions depend on each other."""
    cached_treatment: int
    shared: int
    """Pairs whose control serves siblings too."""


class GroupVerdict(Frozen):
    """The verdicts on sibling edits, and which of them is applied."""

    version: Literal[1] = 1
    verdicts: dict[str, Verdict]
    """By the name of the edit."""
    settled: bool
    """Every verdict is final."""
    applied: str | None
    """Of the accepted edits the one with the largest gain, on a tie the one that leaves the shorter skill."""
