"""Said again: how often a person had to repeat a rule after it was installed. Pure.

This is the number that shows whether an installed rule works, so it counts later sessions only: the session in which a
rule was installed had begun without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from ingrained.ids import RuleId
from ingrained.skill.rule import Heard, Rule


def said_again(rules: Iterable[Rule], since: Mapping[RuleId, datetime], heard: Iterable[Heard]) -> tuple[Rule, ...]:
    """The rules, installed ones with `said_again`: (later sessions that said it again, later sessions).

    Args:
        rules: as projected.
        since: when each installed rule was first installed, by its id or one it had before.
        heard: every message, for the sessions that there were.
    """
    starts: dict[str, datetime] = {}
    places: dict[str, set[str]] = {}
    for message in heard:
        places.setdefault(message.session, set()).add(message.project)
        if message.time is not None:
            starts[message.session] = min(starts.get(message.session, message.time), message.time)
    return tuple(_counted(rule, since, starts, places) for rule in rules)


def _counted(
    rule: Rule, since: Mapping[RuleId, datetime], starts: Mapping[str, datetime], places: Mapping[str, set[str]]
) -> Rule:
    times = [since[known] for known in (rule.id, *rule.aliases) if known in since]
    if not times:
        return rule
    installed = min(times)
    later = {
        session
        for session, start in starts.items()
        if start > installed and (rule.scope.project is None or rule.scope.project in places[session])
    }
    again = {item.session for item in rule.evidence if item.session in later and item.stance == "supports"}
    return rule.model_copy(update={"said_again": (len(again), len(later))})
