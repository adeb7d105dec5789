"""Pages fit the terminal, say under which condition a rule holds, and count what they leave out."""

from __future__ import annotations

import io
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingrained.ids import ProjectId
from ingrained.report.shapes import RulesShape, WhyShape
from ingrained.report.terminal import NARROWEST, WIDEST, WIDTH, page_width, rules_text, why_text
from ingrained.skill.rule import Rule
from skill_rules import make_rule

TITLES = {ProjectId("shop"): "shop"}
WORDS = st.lists(st.text("abcdefgh", min_size=1, max_size=12), min_size=1, max_size=60).map(" ".join)


class Screen(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("columns", "tty", "width"),
    [("20", True, NARROWEST), ("40", True, 40), ("80", True, 80), ("100", True, 100), ("300", True, WIDEST),
     ("20", False, WIDTH), ("300", False, WIDTH)],
)  # fmt: skip
def test_a_page_is_as_wide_as_the_terminal_within_bounds(
    columns: str, tty: bool, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr(sys, "stdout", Screen() if tty else io.StringIO())
    assert page_width() == width


def pages(rule: Rule, width: int) -> list[str]:
    rules = rules_text(RulesShape(rules=[rule], atoms=[]), TITLES, width=width)
    return [rules, why_text(WhyShape(rule=rule, waits="", project="shop"), width)]


@given(WORDS, st.integers(NARROWEST, WIDEST))
def test_words_are_wrapped_to_the_width(text: str, width: int) -> None:
    listed, why = pages(make_rule(text), width)
    said = [line for page in (listed, why) for line in page.split("\n") if line.startswith("    ")]
    assert max(map(len, said)) <= width
    assert (
        text.split()
        == " ".join(
            line.strip() for line in listed.split("\n")[1:] if "“" not in line and "in no draft" not in line
        ).split()
    )


@pytest.mark.parametrize(
    ("when", "paths", "shown"),
    [
        ("", (), ""),
        ("", ("r",), " (in r)"),
        ("*.sql", (), " (only: *.sql)"),
        ("*.sql", ("r", "s"), " (only: *.sql; in r, s)"),
        ("before a release", (), " (only: before a release)"),
        ("in tests", (), ""),
    ],
)
def test_the_list_says_where_and_when_a_rule_holds(when: str, paths: tuple[str, ...], shown: str) -> None:
    listed, _ = pages(make_rule("Compare with literals in tests", when=when, paths=paths), WIDTH)
    assert listed.split("\n")[1] == f"    Compare with literals in tests{shown}"


def test_each_reason_is_said_once() -> None:
    rule = make_rule("Use pnpm").model_copy(update={"reasons": ("a", "b", "a")})
    assert "judged so because: a; b\n" in pages(rule, WIDTH)[1]


@pytest.mark.parametrize(
    ("counts", "listed", "why"),
    [
        ((0, 0), "no session since it was installed", "there was no session since"),
        ((0, 3), "said again: 0 of 3", "0 of 3 later sessions"),
        ((1, 1), "said again: 1 of 1", "1 of 1 later session"),
    ],
)
def test_said_again_needs_a_later_session(counts: tuple[int, int], listed: str, why: str) -> None:
    found = pages(make_rule("Use pnpm").model_copy(update={"said_again": counts}), WIDTH)
    assert listed in found[0]
    assert why in found[1]
