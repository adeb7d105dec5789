"""One trace of the writing benchmark as it lies in a run's directory: what was asked, answered, kept and scored.

Everything that training needs stands here: each round's targets, atoms with their credit, the omission score and
R_skill. The model sees none of it; texts of histories are not repeated, the hash of the messages names them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ingrained.learn.grain import Grain
from ingrained.skill.rule import Frozen
from ingrained.verify.align import align
from ingrained.verify.rubric import WritingScore
from ingrained.verify.score import reason_of, value_of
from ingrained.verify.skill_reward import SkillReward
from ingrained.verify.target import Dimension, Direction, Feature, Target
from ingrained.verify.unseen import Adherence, UnseenPreference


class Scores(Frozen):
    """A text by the rubric (A.2); each in [0, 1], None where it could not be judged."""

    length: float | None
    first_person: float | None
    expression: float | None
    non_leakage: float | None
    mean: float | None
    """R_ans, eq. 35."""
    unscored: str
    """Why there is no mean; empty where there is one."""
    words: int
    leaked: tuple[str, ...]

    @classmethod
    def of(cls, score: WritingScore) -> Scores:
        """The published form of a score."""
        return cls(
            length=value_of(score.length),
            first_person=value_of(score.first_person),
            expression=value_of(score.expression),
            non_leakage=value_of(score.non_leakage),
            mean=value_of(score.mean),
            unscored=reason_of(score.mean),
            words=score.words,
            leaked=tuple(one.text for one in score.leaked),
        )


class FollowedShape(Frozen):
    """Whether a text follows the preference that its pair teaches (section 5.6)."""

    value: float | None
    """1 or 0; None where it could not be judged."""
    unscored: str
    found: tuple[str, ...]
    """What decided."""

    @classmethod
    def of(cls, one: Adherence) -> FollowedShape:
        """The published form of a check."""
        return cls(value=value_of(one.outcome), unscored=reason_of(one.outcome), found=one.found)


class TargetShape(Frozen):
    """(v_m, τ_m)."""

    dimension: Dimension
    direction: Direction
    tau: Literal[0, 1]
    feature: Feature | None = None
    term: str = ""

    @classmethod
    def of(cls, target: Target) -> TargetShape:
        """The published form of a target."""
        return cls(
            dimension=target.dimension,
            direction=target.direction,
            tau=target.tau,
            feature=target.feature,
            term=target.term,
        )


class AtomShape(Frozen):
    """(a_k, z_k) with its credit, eq. 12."""

    id: str
    content: str
    transferable: bool
    kept: bool
    """In the skill: transferable, and not set aside."""
    rewritten: bool
    problem: str
    """Why it was set aside."""
    content_credit: Literal[-1, 0, 1]
    """c^a."""
    transfer_credit: Literal[-1, 0, 1]
    """c^z."""
    matched: tuple[int, ...]
    """Places of the targets that it speaks of."""

    @classmethod
    def of(cls, atom: Grain, targets: Sequence[Target]) -> AtomShape:
        """An atom against the targets of its feedback."""
        found = align(atom.content, atom.transferable, targets)
        return cls(
            id=atom.id,
            content=atom.content,
            transferable=atom.transferable,
            kept=atom.transferable and not atom.problem,
            rewritten=atom.rewritten,
            problem=atom.problem,
            content_credit=found.content,
            transfer_credit=found.transfer,
            matched=found.matched,
        )


class RewardShape(Frozen):
    """R_skill of an update, eq. 9 and 10."""

    value: float
    valid: bool
    correct: tuple[str, ...]
    local: int

    @classmethod
    def of(cls, found: SkillReward) -> RewardShape:
        """The published form of a reward."""
        return cls(value=found.score.value, valid=found.valid, correct=found.correct, local=found.local)


class ParkedShape(Frozen):
    """A question without a usable answer."""

    what: Literal["draft", "update", "feedback"]
    round: int
    why: str
    reason: str


class UpdateShape(Frozen):
    """What a method made of the feedback."""

    decision: Literal["KEEP", "UPDATE"]
    prompt: str
    atoms: tuple[AtomShape, ...]
    omission: float | None
    """c_omit in [-1, 0]; None where what is taught is outside the rubric."""
    reward: RewardShape | None
    """None as the omission."""
    before: tuple[str, ...]
    """s_t."""
    after: tuple[str, ...]
    """s_{t+1}."""


class StepShape(Frozen):
    """One request: an adaptation round, or the held-out one."""

    round: int
    """From 1; the held-out request is the last."""
    request: str
    """Key of the document that is asked for."""
    source: Literal["model", "style"]
    """`style`: the draft is a text in the author's style, so that the right answer to its feedback is KEEP."""
    prompt: str
    messages: str
    """Hash of what the model read; empty with `style`."""
    cut: bool
    """The answer ended at the most tokens that it may have."""
    text: str
    scores: Scores
    targets: tuple[TargetShape, ...]
    feedback: str
    """Empty where nothing was wrong, and for the held-out request."""
    spoken: Literal["", "template", "model"] = ""
    """Who put the feedback into words."""
    update: UpdateShape | None = None
    """None where nothing was said, or the method does not listen."""
    followed: FollowedShape | None = None
    """None where no preference outside the rubric is taught."""


class TraceShape(Frozen):
    """One case under one method with one seed."""

    version: int = 1
    key: str
    task: str
    context: str
    author: str
    method: str
    model: str
    seed: int
    preference: UnseenPreference | None = None
    """What is taught, where it is outside the rubric."""
    stop: Literal["done", "parked"]
    parked: ParkedShape | None = None
    skill: tuple[str, ...]
    """What the held-out request was answered with."""
    steps: tuple[StepShape, ...]
    unusable: tuple[ParkedShape, ...] = ()
    """Answers that were no use to the method, so that its skill stayed as it was."""

    @property
    def case(self) -> tuple[str, str, int]:
        """What methods are compared on: context, preference outside the rubric, seed."""
        return self.context, self.preference or "", self.seed

    @property
    def held_out(self) -> StepShape | None:
        """The last step of a trace that came to its end."""
        return self.steps[-1] if self.stop == "done" else None

    @property
    def scores(self) -> Scores | None:
        """Of the held-out answer."""
        return None if self.held_out is None else self.held_out.scores
