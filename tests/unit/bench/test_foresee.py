"""What earlier sessions foresee, on histories small enough to count by hand."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foresee_world import ANA, BEN, CHANGELOG, PNPM, START, Exact, atoms_of, by_person, history, shape
from ingrained.bench.foresee import Outcome, Plan, outcomes, split
from ingrained.bench.foresight import ConditionRow, Foresight
from ingrained.bench.history import History, Sitting
from ingrained.errors import ConfigError
from ingrained.report.columns import columns
from ingrained.report.foresee import foresee_text
from ingrained.skill.tokens import count

HALF = Plan(cuts=(0.5,))


def measured(*histories: History, plan: Plan = HALF) -> list[Outcome]:
    return outcomes(histories, atoms_of(histories), Exact(), lambda _: 1.0, plan)


def test_the_four_conditions_by_hand() -> None:
    found = by_person(measured(ANA, BEN))
    ana = found["ana"]
    small = ana.results["pooled-small"]
    assert ana.sessions == ("ana:002", "ana:002", "ana:003")
    # Only pnpm was said in two earlier sessions; of the three later turns it covers the first.
    assert {name: result.covered for name, result in ana.results.items()} == {
        "none": (0, 0, 0),
        "own": (1, 0, 0),
        "other": (0, 0, 0),
        "pooled": (1, 0, 0),
        "pooled-small": small.covered,
    }
    # The two rules are alike in rank but for the day: ben's was said first, so ana's is the one that fits her size.
    assert (small.covered, small.rules) == ((1, 0, 0), 1)
    assert {name: (result.rules, result.idle) for name, result in ana.results.items()} == {
        "none": (0, 0),
        "own": (1, 0),
        "other": (1, 1),
        "pooled": (2, 1),
        "pooled-small": (1, 0),
    }
    assert ana.results["own"].tokens == count("Always use pnpm and never npm") + 2
    assert ana.results["pooled"].tokens == sum(found[one].results["own"].tokens for one in found)
    assert found["ben"].results["own"].covered == (1,)
    assert found["ben"].results["other"].covered == (0,)


def test_rules_said_once_count_only_where_asked_for() -> None:
    ana = by_person(measured(ANA, BEN, plan=Plan(cuts=(0.5,), tentative=True)))["ana"]
    assert (ana.results["own"].rules, ana.results["own"].covered) == (2, (1, 0, 1))


def test_another_persons_is_the_mean_over_all_others() -> None:
    cleo = history("cleo", [[PNPM], [PNPM], ["task: x"], ["always answer in one sentence"]])
    other = by_person(measured(ANA, BEN, cleo))["ana"].results["other"]
    assert other.covered == (0.5, 0, 0)
    assert (other.rules, other.idle) == (1, 0.5)


def test_pooling_joins_what_two_people_said_once_each() -> None:
    ana = history("ana", [[PNPM], ["task: a"], [PNPM], ["task: b"]])
    ben = history("ben", [[PNPM], ["task: a"], ["task: c"], [PNPM]])
    found = by_person(measured(ana, ben))
    assert [found[one].results["own"].covered for one in ("ana", "ben")] == [(0,), (0,)]
    assert [found[one].results["pooled"].covered for one in ("ana", "ben")] == [(1,), (1,)]


def test_relevant_sessions_are_the_earlier_ones_that_say_the_same() -> None:
    ana = by_person(measured(ANA, BEN))["ana"]
    assert ana.relevant == {"ana:002": 2, "ana:003": 1}


def test_the_budget_holds_in_every_condition() -> None:
    small = Plan(cuts=(0.5,), budget=count("Always use pnpm and never npm") + 2)
    ana = by_person(measured(ANA, BEN, plan=small))["ana"]
    assert ana.results["pooled"].rules == 1
    assert max(result.tokens for result in ana.results.values()) <= small.budget


def test_a_session_that_goes_on_is_cut_off_when_the_later_part_begins() -> None:
    first, *rest = ANA.sittings
    late = first.heard[1]
    typed_late = late.__class__(**{**fields(late), "time": START + timedelta(days=2, hours=5)})
    going_on = Sitting(id=first.id, start=first.start, heard=(first.heard[0], typed_late))
    parts = split(History(person="ana", sittings=(going_on, *rest)), 0.5)
    assert [message.key for sitting in parts.earlier for message in sitting.heard] == [
        going_on.heard[0].key,
        *(message.key for message in ANA.sittings[1].heard),
    ]
    assert parts.later == ANA.sittings[2:]


def fields(value: object) -> dict[str, object]:
    return {name: getattr(value, name) for name in value.__slots__}  # type: ignore[attr-defined]


def test_a_long_text_pasted_again_is_not_feedback_that_came_true() -> None:
    pasted = "always keep to the following when you work here: small commits, short names, no new dependencies at all"
    found = by_person(measured(history("ana", [[pasted], [pasted], [pasted, PNPM], ["task: x"]]), BEN))
    assert found["ana"].sessions == ("ana:002",)


def test_one_person_cannot_be_compared() -> None:
    with pytest.raises(ConfigError, match="it takes two"):
        measured(ANA)


def row(found: Foresight, name: str) -> ConditionRow:
    return next(row for row in found.conditions if row.condition == name)


def test_the_means_over_people_by_hand() -> None:
    found = shape(ANA, BEN)
    # ana 1 of 3, ben 1 of 1: the mean over people is 2/3, and a draw may hold either of them twice.
    own = row(found, "own")
    assert (own.coverage.value, own.coverage.low, own.coverage.high) == pytest.approx((2 / 3, 1 / 3, 1), abs=1e-4)
    assert own.idle is not None
    assert own.idle.value == 0
    assert row(found, "pooled").idle == row(found, "pooled").idle.__class__(value=0.5, low=0.5, high=0.5)
    assert row(found, "none").coverage.high == 0
    assert (row(found, "none").idle, row(found, "none").tokens_per_covered) == (None, None)
    assert (row(found, "other").tokens_per_covered, row(found, "other").coverage.value) == (None, 0)
    ana, ben = (count(f"{text[0].upper()}{text[1:]}") + 2 for text in (PNPM, CHANGELOG))
    assert own.tokens_per_covered == pytest.approx((ana + ben) / 2, abs=0.05)
    assert [(d.against, round(d.coverage.value, 3)) for d in found.own_minus] == [
        ("none", 0.667), ("other", 0.667), ("pooled", 0.0), ("pooled-small", 0.0)
    ]  # fmt: skip


def test_the_bins_by_hand() -> None:
    none, few, some, many = shape(ANA, BEN).relevant
    # ana's third session: pnpm (said in two earlier ones) is one of two turns, so 1/2; her fourth: the linter, said in
    # one earlier session and in no rule, 0; ben's fourth: 1.
    assert (few.relevant, few.n, few.sessions, few.people) == ("1-2", 3, 3, 2)
    assert few.own_minus_none is not None
    assert few.own_minus_none.value == pytest.approx((0.5 + 0 + 1) / 3, abs=1e-4)
    assert [(one.n, one.own_minus_none) for one in (none, some, many)] == [(0, None)] * 3


def test_who_has_too_few_sessions_is_named_and_takes_no_part() -> None:
    dan = history("dan", [[PNPM], [PNPM]])
    with_dan, without = shape(ANA, BEN, dan), shape(ANA, BEN)
    assert [(one.person, one.reason) for one in with_dan.left_out] == [("dan", "2 dated sessions, fewer than 4")]
    assert with_dan.conditions == without.conditions


def test_the_text_shows_every_condition_and_the_studys_bins() -> None:
    text = foresee_text(shape(ANA, BEN))
    for words in ("no skill", "own", "another person's", "pooled over all", "12", "(+10.2)", "66.7%", ">=6"):
        assert words in text
    assert "nan" not in text


def test_the_columns_stand_under_their_heads_and_long_names_move_them_all() -> None:
    long = "logs/of somebody with a name that is longer than most"
    tables = foresee_text(shape(replace(ANA, person=long), BEN)).split("\n\n")
    people = next(table.splitlines()[:3] for table in tables if table.startswith("person"))
    cells = [[(match.end(), match[0]) for match in re.finditer(r"\S+(?: \S+)*", line)] for line in people]
    assert [line[0][1] for line in cells] == ["person", long, "ben"]
    assert len({tuple(end for end, _ in line[1:]) for line in cells}) == 1
    covers = next(table.splitlines() for table in tables if table.startswith("skill"))
    assert [len(re.split(r" {2,}", line)) for line in covers] == [5] * 6
    assert max(map(len, covers)) <= 80


@given(st.lists(st.tuples(*[st.text("ab é", max_size=9)] * 3), min_size=1), st.sets(st.integers(0, 2)))
def test_no_cell_runs_into_the_next(rows: list[tuple[str, str, str]], left: set[int]) -> None:
    widths = [max(len(row[place]) for row in rows) for place in range(3)]
    for row, line in zip(rows, columns(rows, left=left), strict=True):
        line = line.ljust(sum(widths) + 4)
        cells = [line[: widths[0]], line[widths[0] + 2 :][: widths[1]], line[widths[0] + widths[1] + 4 :]]
        assert [cell.strip() for cell in cells] == [cell.strip() for cell in row]
        assert line[widths[0] : widths[0] + 2] == line[widths[0] + widths[1] + 2 :][:2] == "  "
