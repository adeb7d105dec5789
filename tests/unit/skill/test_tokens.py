"""The token estimate."""

from __future__ import annotations

import pytest

from ingrained.skill.tokens import count, shown

# Counted once with two public byte-pair vocabularies: (older Claude, o200k_base).
REAL = {
    "- Go back to main and pull before you create a new branch.\n": (15, 14),
    "- In `*.go` files: compare with one literal expected value in tests.\n": (18, 17),
    "Benutze immer Tabs, niemals Leerzeichen.": (15, 10),
    "请始终使用制表符。": (8, 8),
    "def render_skill(rules: list[Rule]) -> str:\n    return '\\n'.join(r.text for r in rules)\n": (30, 26),
}


@pytest.mark.parametrize("text", REAL)
def test_the_estimate_is_near_two_real_vocabularies(text: str) -> None:
    low, high = sorted(REAL[text])
    assert 0.8 * low <= count(text) <= 1.25 * high


def test_nothing_costs_nothing() -> None:
    assert count("") == 0
    assert count("   ") == 0
    assert count("a") == 1


def test_more_text_never_costs_less() -> None:
    text = "Use `make test` (not pytest): 12345 – ça, да, 日本, 👍🏽, \U000e0041!\n\n- next"
    costs = [count(text[:end]) for end in range(len(text) + 1)]
    assert costs == sorted(costs)


def test_a_use_is_shown_as_an_estimate() -> None:
    assert shown(312, 500) == "≈312/500 tokens"
