"""The published shapes of `evolve --json` and of `bench transfer --json`."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import Field

from ingrained.gate.plan import Rule
from ingrained.gate.verdict import Status, Verdict
from ingrained.skill.edit import Edit
from ingrained.skill.rule import Frozen

Outcome: TypeAlias = Status | Literal["refused", "invalid", "noop"]


class SkillShape(Frozen):
    """A document."""

    hash: str
    rules: int
    tokens: int
    """≈"""


class CandidateShape(Frozen):
    """What became of one proposed edit."""

    name: str
    edit: Edit | None
    outcome: Outcome
    why: str
    pairs: int = 0
    gain: float | None = None
    """Mean difference over tasks, in [-1, 1]."""
    low: float | None = None
    high: float | None = None
    cached: int = 0
    """Pairs whose control was a stored answer."""


class StepShape(Frozen):
    """One unit of evidence."""

    step: int
    unit: int
    evidence: tuple[str, ...]
    before: str
    after: str
    applied: str
    """Name of the edit that was applied; empty for none."""
    replays: int
    overfit: bool
    candidates: tuple[CandidateShape, ...]


class HeldOut(Frozen):
    """The skill as it was and as it became, on tasks that nobody decided on."""

    tasks: int
    pairs: int
    scored: int
    """Pairs with a score on both sides; only these count below."""
    before: float | None
    """Mean score with the skill as it was, in [0, 1]."""
    after: float | None
    gain: float | None
    low: float | None
    high: float | None
    """95 % interval of the mean gain, resampled by task."""
    better: int
    worse: int
    p: float | None
    """Fisher's paired permutation test on tasks, one-sided: that the skill as it became is no better."""
    whole: bool
    """Every held-out task was run under both."""


class EvolveShape(Frozen):
    """`evolve --json`, also `result.json` of the run's folder."""

    version: Literal[1] = 1
    out: str
    skill: str
    worker: str
    editor: str
    screen: str | None = None
    """Who read edits before they were replayed."""
    verifier: str
    rule: Rule
    """By which edits were decided on."""
    calibrated: bool
    """Whether the rule keeps to a rate of wrong acceptances at all."""
    without: tuple[str, ...]
    """Moves that the editor could not make."""
    pool: int
    held_out_tasks: int
    units: int
    start: SkillShape
    final: SkillShape
    steps: tuple[StepShape, ...]
    """Those that ended. The applied edits among them are the skill's history."""
    accepted: int
    rejected: int
    inconclusive: int
    refused: int
    invalid: int
    replays: int
    """Attempts that the verdicts rest on, those of earlier calls too."""
    unanswered: int
    """Units for which no proposal came."""
    lost: int = 0
    """Attempts without an answer of the worker or the judge, in steps that ended and in the last measurement."""
    unscored: int
    """Pairs without a score on one side or both; by the rule `raw`, which has no control, attempts without one."""
    held_out: HeldOut | None = None
    """None where nothing was applied, or nothing is held out."""
    left_out: dict[str, int] = Field(default_factory=dict)
    """What of tasks and evidence could not be used, by reason."""
    stopped: str
    """The cap or quota that ended it early; empty where none did."""
    diff: str
    """From the skill as it was to the skill as it became."""


class TransferShape(Frozen):
    """`bench transfer --json`."""

    version: Literal[1] = 1
    out: str
    """The run whose skill it is."""
    worker: str
    """Who has it now."""
    from_worker: str
    """Whom it was made with."""
    tasks: Literal["held out", "pool"]
    start: SkillShape
    final: SkillShape
    verdict: Verdict
    replays: int
    stopped: str
