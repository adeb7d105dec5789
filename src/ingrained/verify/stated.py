"""What rules state, in the terms that R_skill is counted in: from words (`verify.reading`) to stances.

The decision to know: only claims count. A rule that may be about a topic and says no direction gives no stance, since
an update is not blamed for what nobody can tell.
"""

from __future__ import annotations

from collections.abc import Sequence

from ingrained.verify.reading import TOPICS, reading
from ingrained.verify.skill_reward import DIMENSIONS, SkillReward, Stance, Update, local_terms, skill_reward
from ingrained.verify.target import Target, Topic


def stances(rules: Sequence[str]) -> tuple[Stance, ...]:
    """What the rules say on the preferences, in their order."""
    return tuple(stance for rule in rules for stance in _of_rule(rule))


def _of_rule(rule: str) -> list[Stance]:
    said = reading(rule)
    found: list[Stance] = []
    for topic in TOPICS:
        if any(not claim.denied for claim in said.on(topic)):
            sign = said.direction(topic)
            found.append(_stance(topic, None if sign is None else sign > 0))
    return found


def wanted(targets: Sequence[Target]) -> tuple[Stance, ...]:
    """The transferable targets as stances."""
    return tuple(_stance(target.topic, target.sign > 0) for target in targets if target.tau == 1)


def _stance(topic: Topic, more: bool | None) -> Stance:
    dimension = next(one for one in DIMENSIONS if one == topic.dimension)
    return Stance(dimension=dimension, more=more, feature=topic.feature)


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
        return skill_reward(stances(before), None, wanted(targets))
    terms = [*(target.term for target in targets if target.tau == 0), *entities]
    update = Update(rules=tuple(added), stances=stances(added), local=local_terms(added, terms))
    return skill_reward(stances(before), update, wanted(targets))
