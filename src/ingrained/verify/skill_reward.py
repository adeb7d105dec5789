"""R_skill: how good an update of a skill is, judged on what it added (SkillGrain, eq. 9 and 10).

The input says what rules state, not how it was found out: `verify.align` reads a rule into stances, and anything else
that does may take its place. What the paper leaves open is settled here:

- D = {length, first person, expression}, so that the divisor is 4. There is at most one transferable target (τ = 1) a
  dimension.
- The update is what was added relative to s_t; eq. 8 appends, so the newest stance on a topic (a dimension, for
  expression a feature) is the last one that was added on it, else the last one of s_t. A target is satisfied where the
  newest stance on its topic is the target.
- c_d = 1 where a target on d exists, is satisfied by s, and nothing else was added on d, neither its opposite nor
  another feature; or where no target on d exists and nothing was added on d.
- v = 1 where the skill changed if and only if it had to: some target is not yet satisfied by s_t.
- n_local counts the distinct local targets (τ = 0) and entities in the added rules; a term that is both counts once.
- An answer that is no valid JSON, or was cut off, is worth 0: it is the policy's failure and not unscored.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from ingrained.verify.expression import Feature
from ingrained.verify.leakage import halved, stretches, term
from ingrained.verify.score import Score

Dimension: TypeAlias = Literal["length", "first_person", "expression"]
DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)
"""D, eq. 10."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stance:
    """A direction on a dimension: what a transferable target wants, or what a rule says."""

    dimension: Dimension
    more: bool | None
    """More, longer; false: less, shorter; None where a rule is about the dimension and says neither, or both."""
    feature: Feature | None = None
    """Of expression: which one; None on the other dimensions."""

    def __post_init__(self) -> None:
        if (self.feature is None) == (self.dimension == "expression"):
            raise ValueError(f"expression needs a feature, the other dimensions have none: {self}")

    @property
    def topic(self) -> tuple[Dimension, Feature | None]:
        """What it is about."""
        return self.dimension, self.feature


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """What a valid answer added to a skill; nothing at all where it kept it."""

    rules: tuple[str, ...] = ()
    """The added rules in order: s ≠ s_t where there are any."""
    stances: tuple[Stance, ...] = ()
    """What they say, in their order; a rule may say nothing on any dimension, or several things."""
    local: tuple[str, ...] = ()
    """Local targets and entities that were found in them; see `local_terms`."""

    def __post_init__(self) -> None:
        if not self.rules and (self.stances or self.local):
            raise ValueError("nothing was added, so nothing can be found in it")


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillReward:
    """R_skill and what it was taken from."""

    valid: bool
    """v(s)."""
    correct: tuple[Dimension, ...]
    """The dimensions with c_d(s) = 1."""
    local: int
    """n_local(s)."""

    @property
    def non_transfer(self) -> float:
        """r_nontrans(s), eq. 9, in (0, 1]."""
        return halved(self.local)

    @property
    def score(self) -> Score:
        """R_skill(s), eq. 10."""
        total = len(self.correct) + self.non_transfer
        return Score(value=int(self.valid) * total / (len(DIMENSIONS) + 1))


INVALID = SkillReward(valid=False, correct=(), local=0)
"""Of an answer that is no valid JSON or was cut off."""


def skill_reward(before: Sequence[Stance], update: Update | None, targets: Sequence[Stance]) -> SkillReward:
    """Judge an update.

    Args:
        before: what the rules of s_t say, oldest first.
        update: what was added; None where the answer was invalid.
        targets: the transferable ones (τ = 1) of the feedback; local ones enter by `Update.local`.

    Raises:
        ValueError: two targets on one dimension, or a target without a direction.
    """
    wanted = {target.dimension: target for target in targets}
    if any(target.more is None for target in targets):
        raise ValueError("a target without a direction")
    if len(wanted) < len(targets):
        raise ValueError("two transferable targets on one dimension")
    if update is None:
        return INVALID
    needed = any(not _satisfied(target, before) for target in targets)
    return SkillReward(
        valid=needed == bool(update.rules),
        correct=tuple(one for one in DIMENSIONS if _correct(one, wanted.get(one), before, update.stances)),
        local=len({term(text) for text in update.local}),
    )


def _correct(dimension: Dimension, target: Stance | None, before: Sequence[Stance], added: Sequence[Stance]) -> bool:
    said = [stance for stance in added if stance.dimension == dimension]
    if target is None:
        return not said
    return _satisfied(target, [*before, *said]) and all(stance == target for stance in said)


def _satisfied(target: Stance, stances: Sequence[Stance]) -> bool:
    """Whether the newest stance on the target's topic is the target."""
    newest = next((one for one in reversed(stances) if one.topic == target.topic), None)
    return newest == target


def local_terms(rules: Iterable[str], terms: Iterable[str]) -> tuple[str, ...]:
    """The terms that stand in any of the rules, whole and compared as leaks are, each once in the order given.

    Args:
        rules: that were added.
        terms: of local targets, and entities of the request, the draft and the histories.
    """
    by_term = {term(text): text for text in reversed(list(terms))}
    sizes = {len(key) for key in by_term if key}
    said = {run for rule in rules for run in stretches(rule, sizes)}
    return tuple(text for key, text in reversed(by_term.items()) if key in said)
