"""R_skill of an update in words: what its rules say, which terms they carry over, and what the targets want.

The decision to know: everything that the interaction was about (terms of local targets, entities of the request, the
draft and the histories) counts as local where an added rule names it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ingrained.verify.align import stances
from ingrained.verify.skill_reward import DIMENSIONS, SkillReward, Stance, Update, local_terms, skill_reward
from ingrained.verify.target import Target


def wanted(targets: Sequence[Target]) -> tuple[Stance, ...]:
    """The transferable targets as stances."""
    return tuple(
        Stance(dimension=dimension, more=target.sign > 0, feature=target.feature)
        for target in targets
        for dimension in DIMENSIONS
        if target.tau == 1 and dimension == target.dimension
    )


def _said(rules: Sequence[str]) -> tuple[Stance, ...]:
    return tuple(stance for rule in rules for stance in stances(rule))


def reward(
    before: Sequence[str], added: Sequence[str] | None, targets: Sequence[Target], *, entities: Sequence[str] = ()
) -> SkillReward:
    """R_skill of an update in words, eq. 9 and 10.

    Args:
        before: the rules of s_t.
        added: those that the update appended; None where the answer was invalid.
        targets: V_t.
        entities: of the request, the draft and the histories; the terms of local targets are added.
    """
    if added is None:
        return skill_reward(_said(before), None, wanted(targets))
    terms = [*(target.term for target in targets if target.tau == 0), *entities]
    update = Update(rules=tuple(added), stances=_said(added), local=local_terms(added, terms))
    return skill_reward(_said(before), update, wanted(targets))
