from collections.abc import Sequence

import pytest

from ingrained.embed.lexical import LexicalEmbedder, Weights, signed_terms
from ingrained.feedback.decompose import Atom
from ingrained.feedback.recur import group
from ingrained.ids import MessageKey

BACKGROUND = [
    "add the wishlist table", "why is the page slow", "tidy the cart page", "update the tax code", "prepare the release",
    "fix the checkout test", "write the docs", "bump the version", "look at the failing job", "add an index on orders",
]  # fmt: skip


def atoms(*quotes: str) -> list[Atom]:
    return [
        Atom(message=MessageKey(f"m{i}"), start=0, quote=q, text=q, kind="other", polarity="do", transferable=True, confidence=0.9)
        for i, q in enumerate(quotes)
    ]  # fmt: skip


def grouped(*quotes: str) -> list[set[str]]:
    said = atoms(*quotes)
    groups = group(said, Weights.fit([*BACKGROUND, *quotes]))
    return [{said[i].quote for i in member} for member in groups.members]


SAME = [
    (
        "before you do that, get back to main and pull in latest",
        "dont forget to switch to main and pull the latest first",
    ),
    ("every migration needs a down step or review bounces it", "migrations must be reversible, add the down step"),
    ("pnpm not npm please", "no, pnpm. we never use npm in this repo"),
    ("usa pnpm, no npm", "pnpm not npm please"),
    ("no emojis in commits", "commit messages without emojis"),
    (
        "every new column needs a backfill in the same migration",
        "where is the backfill? new columns always come with one",
    ),
    ("log a linear issue in Project: Apollo", "make sure the linear issue is in Project: Apollo"),
]

APART = [
    ("indent with tabs in this repo, not spaces", "spaces, two of them. tabs break our snapshot diff"),
    ("always run the tests before you commit", "never run the tests before you commit"),
    ("use pnpm, not npm", "use npm, not pnpm"),
    ("put the changelog line in the same commit", "put imports at the top of the file"),
    ("don't explain the diff", "don't force push to main"),
]


@pytest.mark.parametrize("pair", SAME)
def test_the_same_in_other_words_is_one_rule(pair: Sequence[str]) -> None:
    assert grouped(*pair) == [set(pair)]


@pytest.mark.parametrize("pair", APART)
def test_near_misses_stay_apart(pair: Sequence[str]) -> None:
    assert sorted(map(sorted, grouped(*pair))) == sorted([p] for p in pair)


@pytest.mark.parametrize("pair", APART[:3])
def test_opposites_are_found(pair: Sequence[str]) -> None:
    said = atoms(*pair)
    assert group(said, Weights.fit([*BACKGROUND, *pair])).opposites == {(0, 1)}


def test_different_paths_keep_rules_apart() -> None:
    a, b = atoms("add a header comment to the file", "add a header comment to the file")
    from dataclasses import replace

    pair = [replace(a, paths=("*.go",)), replace(b, paths=("*.py",))]
    assert len(group(pair, Weights.fit(BACKGROUND)).members) == 2


def test_signs() -> None:
    assert signed_terms("use tabs, not spaces") == {"tab": 1, "space": -1}
    assert signed_terms("don't forget to pull the latest")["pull"] == 1
    assert signed_terms("migrations should not be edited")["modifi"] == -1


def test_vectors_are_unit_length_or_zero() -> None:
    rows = LexicalEmbedder().embed(["use tabs", "", "of the and"])
    assert abs(float((rows[0] ** 2).sum()) - 1) < 1e-6
    assert not rows[1].any()
    assert not rows[2].any()
