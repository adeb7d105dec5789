"""The four preferences of section 5.6 on texts that follow them and texts that do not."""

from __future__ import annotations

import pytest

from ingrained.verify.score import Score, Unscored
from ingrained.verify.unseen import UnseenPreference, adherence


@pytest.mark.parametrize(
    ("preference", "text", "follows"),
    [
        ("concise opening", "One two three. " + "word " * 30, True),
        ("concise opening", "w " * 12 + ". More.", True),
        ("concise opening", "w " * 13 + ". More.", False),
        ("concise opening", "", False),
        ("concise opening", "```\ncode only\n```", False),
        ("causal connectives", "It broke because of rain.", True),
        ("causal connectives", "Therefore we left.", True),
        ("causal connectives", "It rained, so that we left.", True),
        ("causal connectives", "Since Monday it rained, so what. Enthusiasm.", False),
        ("causal connectives", '"because" is a word', False),
        ("continuous prose", "One.\n\nTwo - three.", True),
        ("continuous prose", "# Head\n\nText", False),
        ("continuous prose", "Head\n====\n\nText", False),
        ("continuous prose", "**Head**\n\nText", False),
        ("continuous prose", "Text:\n- one\n- two", False),
        ("continuous prose", "Text:\n1. one", False),
        ("continuous prose", "Text in **bold** here\n```\n# no head\n- none\n```", True),
        ("continuous prose", "", False),
        ("no hedging", "It is so. It may rain in May.", True),
        ("no hedging", "It could not be found.", False),
        ("no hedging", "Perhaps it is so.", False),
        ("no hedging", "It seems to work.", False),
        ("no hedging", "I think so.", False),
        ("no hedging", "", False),
    ],
)
def test_a_preference_is_followed_or_not(preference: UnseenPreference, text: str, follows: bool) -> None:
    (one,) = [one for one in adherence(text) if one.preference == preference]
    assert one.outcome == Score(value=float(follows))


def test_what_decided_is_named() -> None:
    found = {one.preference: one.found for one in adherence("Perhaps thus.\n\n## A head\n\n- an item might be")}
    assert found["concise opening"] == ("Perhaps thus",)
    assert found["causal connectives"] == ("thus",)
    assert found["continuous prose"] == ("## A head", "-")
    assert found["no hedging"] == ("Perhaps", "might")


def test_text_without_word_separation_is_unscored() -> None:
    assert all(isinstance(one.outcome, Unscored) for one in adherence("学会保留什么"))
