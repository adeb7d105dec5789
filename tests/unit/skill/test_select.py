"""The budgeted selection."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import permutations

import pytest

from ingrained.errors import ConfigError
from ingrained.skill.rule import Rule
from ingrained.skill.select import select
from skill_rules import make_rule

MAY = datetime(2026, 5, 1, tzinfo=UTC)
JUNE = datetime(2026, 6, 1, tzinfo=UTC)


def names(rules: tuple[Rule, ...]) -> list[str]:
    return [rule.id for rule in rules]


def test_the_order_is_word_level_sessions_explicit_recency_id() -> None:
    rules = [
        make_rule("a", name="r-6", level="tentative", last=JUNE, sessions=9),
        make_rule("b", name="r-1", level="tentative", status="pinned", last=None, sessions=1),
        make_rule("c", name="r-4", level="supported", sessions=2, last=JUNE),
        make_rule("d", name="r-3", level="supported", sessions=3, last=MAY),
        make_rule("e", name="r-2", level="established", sessions=4, last=MAY),
        make_rule("f", name="r-5", level="supported", sessions=2, last=MAY),
        make_rule("h", name="r-35", level="supported", sessions=2, last=MAY, explicit=True),
        make_rule("g", name="r-7", level="tentative", last=None, sessions=2),
    ]
    for order in list(permutations(rules))[::997]:
        assert names(select(order).kept) == ["r-1", "r-2", "r-3", "r-35", "r-4", "r-5", "r-6", "r-7"]


def test_what_does_not_fit_is_listed_and_smaller_rules_still_go_in() -> None:
    rules = [
        make_rule("a", name="r-1", sessions=9, tokens=60),
        make_rule("b", name="r-2", sessions=8, tokens=50),
        make_rule("c", name="r-3", sessions=7, tokens=30),
    ]
    found = select(rules, budget=100, frame=10)
    assert names(found.kept) == ["r-1", "r-3"]
    assert found.used == 100
    assert str(found) == "≈100/100 tokens"
    (out,) = found.left_out
    assert (out.rule.id, out.cause, out.reason) == ("r-2", "budget", "the budget is full: ≈50 tokens, 30 left")


def test_refused_superseded_retired_and_held_rules_stay_out() -> None:
    rules = [
        make_rule("a", name="r-1", status="refused"),
        make_rule("b", name="r-2", status="superseded"),
        make_rule("c", name="r-3", level="retired"),
        make_rule("d", name="r-4", held="it skips checks"),
        make_rule("e", name="r-5", held="it skips checks", status="accepted"),
    ]
    found = select(rules)
    assert names(found.kept) == ["r-5"]
    assert {out.rule.id: out.reason for out in found.left_out} == {
        "r-1": "it is refused",
        "r-2": "it is superseded",
        "r-3": "it is retired",
        "r-4": "it needs your yes first: it skips checks",
    }


def test_the_same_rule_is_said_once_but_only_within_one_scope() -> None:
    rules = [
        make_rule("Use pnpm", name="r-1", sessions=3),
        make_rule("use PNPM", name="r-2"),
        make_rule("Use pnpm", name="r-3", paths=["web/"]),
        make_rule("Use bun", name="r-4"),
    ]

    def similarity(one: Rule, other: Rule) -> float:
        return float(one.text.casefold() == other.text.casefold())

    found = select(rules, similarity=similarity)
    assert names(found.kept) == ["r-1", "r-3", "r-4"]
    assert [out.reason for out in found.left_out] == ["r-1 says the same: Use pnpm"]
    assert len(select(rules).kept) == 4


def test_an_impossible_budget() -> None:
    assert select([make_rule("a")], budget=0).kept == ()
    assert select([make_rule("a")], budget=10, frame=20).left_out[0].reason.endswith("0 left")
    with pytest.raises(ConfigError, match="-1"):
        select([], budget=-1)
