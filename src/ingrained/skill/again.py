"""Said again: how often a person had to repeat a rule after it was installed, and how often before. Pure.

This is the number that shows whether an installed rule works, so it counts later sessions only: the session in which a
rule was installed had begun without it. The baseline leaves out the session that said the rule first, without which
there would be no rule, and counts those from then to the install. Both are shares of sessions, each of which says it or
does not, with the Wilson score interval. A rule is installed because it was said again, so some of the fall would come
without it: the two intervals are a description and no test.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from datetime import datetime

from ingrained.ids import RuleId
from ingrained.skill.rule import Heard, Rule
from ingrained.stats import wilson


def said_again(rules: Iterable[Rule], since: Mapping[RuleId, datetime], heard: Iterable[Heard]) -> tuple[Rule, ...]:
    """The rules, installed ones with `said_again` and `said_before`, (sessions that said it again, sessions) each.

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
    here = {
        session: start
        for session, start in starts.items()
        if rule.scope.project is None or rule.scope.project in places[session]
    }
    said = {item.session for item in rule.evidence if item.stance == "supports"}
    first = min((here[session] for session in said if session in here), default=installed)
    later = {session for session, start in here.items() if start > installed}
    before = {session for session, start in here.items() if first < start <= installed}
    return rule.model_copy(
        update={
            "said_again": (len(said & later), len(later)),
            "said_again_interval": _interval(said, later),
            "said_before": (len(said & before), len(before)),
            "said_before_interval": _interval(said, before),
        }
    )


def _interval(said: Set[str], sessions: Set[str]) -> tuple[float, float] | None:
    if not sessions:
        return None
    found = wilson(len(said & sessions), len(sessions))
    return round(found.low, 4), round(found.high, 4)
