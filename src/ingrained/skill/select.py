"""Which rules fit into a token budget.

A rule's place in the order decides, never the order of the input: what the person said outright comes before what was
only inferred, then level, sessions, recency. A rule that does not fit is passed over and smaller ones after it may
still go in; whatever stays out is listed with its reason.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from ingrained.errors import ConfigError
from ingrained.skill.rule import Level, Rule, Status
from ingrained.skill.tokens import shown
from ingrained.wording import plural

DEFAULT_BUDGET = 500
"""Tokens of one skill, by the one counter."""
SAME = 0.9
"""Similarity in [0, 1] from which two rules of one scope count as the same."""

Similarity = Callable[[Rule, Rule], float]
"""In [0, 1], 1 for the same meaning; symmetric."""

_STATUS: dict[Status, int] = {"pinned": 0, "accepted": 0, "proposed": 1, "superseded": 2, "refused": 2}
_LEVEL: dict[Level, int] = {"established": 0, "supported": 1, "tentative": 2, "retired": 3}
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A rule that is not in the selection, and why."""

    rule: Rule
    cause: Literal["status", "held", "same", "budget"]
    reason: str
    """A phrase for a person: "the budget is full: ≈31 tokens, 12 left"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The rules that fit, best first, and those that do not."""

    kept: tuple[Rule, ...]
    left_out: tuple[LeftOut, ...]
    """In the same order of rank."""
    used: int
    """Tokens: the frame and the lines of the kept rules."""
    budget: int

    def __str__(self) -> str:
        return shown(self.used, self.budget)


def select(
    rules: Sequence[Rule],
    *,
    budget: int = DEFAULT_BUDGET,
    frame: int = 0,
    similarity: Similarity | None = None,
    same: float = SAME,
) -> Selection:
    """The best rules whose lines fit into the budget.

    Args:
        rules: candidates in any order; the answer does not depend on it.
        budget: tokens for the whole text.
        frame: tokens of the text around the rules (frontmatter, headings).
        similarity: leaves out a rule that says the same as a better one of the same scope; `None`: not looked for.
            Called at most once for each pair of a candidate and a kept rule.
        same: similarity from which two rules are the same.

    Raises:
        ConfigError: the budget or frame is negative.
    """
    check_budget(min(budget, frame))
    kept: list[Rule] = []
    left_out: list[LeftOut] = []
    used = frame
    for rule in sorted(rules, key=rank):
        out = _not_wanted(rule) or _said_already(rule, kept, similarity, same)
        if out is None and used + rule.tokens > budget:
            left = max(0, budget - used)
            out = LeftOut(
                rule=rule, cause="budget", reason=f"the budget is full: ≈{plural(rule.tokens, 'token')}, {left:,} left"
            )
        if out is not None:
            left_out.append(out)
            continue
        kept.append(rule)
        used += rule.tokens
    return Selection(kept=tuple(kept), left_out=tuple(left_out), used=used, budget=budget)


def check_budget(tokens: int) -> None:
    """To be called before anything is read or written for a budget.

    Raises:
        ConfigError: it is negative.
    """
    if tokens < 0:
        raise ConfigError(f"a token budget is 0 or more, not {tokens}", hint=f"--budget {DEFAULT_BUDGET}")


def rank(rule: Rule) -> tuple[int, int, int, bool, float, str]:
    """Sort key, best first: pinned or accepted, level, sessions (more), explicit words, last said (later), id.

    A total order, since ids differ. A rule without times ranks as the oldest.
    """
    last = max((item.time for item in rule.evidence if item.time is not None), default=_LONG_AGO)
    age = -(last - _LONG_AGO).total_seconds()
    said_outright = any(item.explicit for item in rule.evidence)
    return _STATUS[rule.status], _LEVEL[rule.level], -rule.sessions, not said_outright, age, rule.id


def _not_wanted(rule: Rule) -> LeftOut | None:
    if rule.status in {"refused", "superseded"} or rule.level == "retired":
        word = rule.status if rule.status in {"refused", "superseded"} else rule.level
        return LeftOut(rule=rule, cause="status", reason=f"it is {word}")
    if rule.held and rule.status not in {"accepted", "pinned"}:
        return LeftOut(rule=rule, cause="held", reason=f"it needs your yes first: {rule.held}")
    return None


def _said_already(rule: Rule, kept: Sequence[Rule], similarity: Similarity | None, same: float) -> LeftOut | None:
    if similarity is None:
        return None
    for other in kept:
        if other.scope == rule.scope and other.polarity == rule.polarity and similarity(rule, other) >= same:
            return LeftOut(rule=rule, cause="same", reason=f"{other.id} says the same: {other.text}")
    return None
