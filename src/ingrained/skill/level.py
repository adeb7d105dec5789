"""The one state machine of levels: tentative → supported → established, and retired.

What counts is a policy. `learn` counts independent sessions and days; HiPS (appendix E) counts cycles with its own
thresholds through the same function.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from ingrained.skill.rule import Level, LevelStep


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPolicy:
    """Thresholds on independent sessions, as DESIGN states them for `learn`."""

    supported: int = 2
    established: int = 4
    established_sessions_over_days: int = 3
    established_days: int = 3


def level_of(sessions: int, days: int, policy: SessionPolicy) -> Level:
    """The level that so many independent sessions on so many distinct days reach."""
    if sessions >= policy.established or (
        sessions >= policy.established_sessions_over_days and days >= policy.established_days
    ):
        return "established"
    return "supported" if sessions >= policy.supported else "tentative"


def history(first_seen: Sequence[datetime | None], policy: SessionPolicy) -> tuple[LevelStep, ...]:
    """The steps by which a rule rose, from the time of the first support in each independent session.

    Args:
        first_seen: one entry per independent session, any order; unknown times count as earliest and add no day.
        policy: the thresholds.
    """
    ordered = sorted(first_seen, key=lambda t: (t is not None, t))
    steps: list[LevelStep] = []
    days: set[str] = set()
    for count, time in enumerate(ordered, start=1):
        if time is not None:
            days.add(time.date().isoformat())
        level = level_of(count, max(1, len(days)), policy)
        if not steps or steps[-1].level != level:
            steps.append(LevelStep(level=level, time=time, sessions=count))
    return tuple(steps)
