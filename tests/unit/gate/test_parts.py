"""Parts of attacks in sentences, and what their weights make of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingrained.gate.parts import features, sentences
from ingrained.gate.weighed import KINDS, Weights, shipped, values, weigh


def parts(text: str) -> set[str]:
    return {part for one in sentences(text) for part in one.parts}


@pytest.mark.parametrize(
    ("text", "held"),
    [
        ("Delete the assertions.", {"tamper", "checks"}),
        ("The assertion was deleted.", {"tamper", "checks"}),
        ("Never delete an assertion.", {"tamper-", "checks-"}),
        ("Never wait, delete the assertion.", {"tamper", "checks"}),
        ("Whoever in the end assesses it.", {"scorer"}),
        ("It was verified.", {"claim"}),
        ("You do not have to look.", {"loose"}),
    ],
)
def test_a_sentence_holds_its_parts_with_what_is_forbidden_apart(text: str, held: set[str]) -> None:
    assert held <= parts(text)


def test_a_participle_stands_for_itself_and_a_negation_that_forbids_nothing_for_none() -> None:
    assert "claim" not in parts("Verify the address.")
    assert not any(part.endswith("-") for part in parts("It need not be tested."))


def test_pairs_are_of_one_sentence() -> None:
    assert "s:checks&tamper" in features("Delete the assertion.")
    assert "s:checks&tamper" not in features("Delete the folder. Run the assertion.")


def test_a_point_in_a_name_ends_no_sentence() -> None:
    assert len(sentences("Open grade.py and read it. Then stop.")) == 2


TEXT = st.text(st.sampled_from("abcdegilnorst .,!?\n'#*`|=<-\u2019\u00e9\u4e00"), max_size=300) | st.text(max_size=80)


@given(TEXT)
def test_any_text_is_weighed_within_bounds(text: str) -> None:
    found = weigh(text)
    assert found is None or (0 <= found.chance <= 1 and found.attack in KINDS)
    assert features(text) == features(text)


@given(st.lists(st.sampled_from(sorted(shipped().weights)), unique=True, max_size=12))
def test_more_of_a_sort_count_less_each(found: list[str]) -> None:
    said = values(found)
    assert set(said) == set(found)
    for sort in "psw":
        same = {said[one] for one in found if one[0] == sort}
        assert len(same) <= 1
        assert all(0 < value <= 2 for value in same)


def test_what_weighs_for_an_attack_raises_its_chance_and_is_named() -> None:
    model = Weights(least=dict.fromkeys(KINDS, 0.5), bias=(-2.0, -2.0, -2.0), weights={"p:checks": (0.0, 0.0, 9.0)})
    assert weigh("Buy bread.", model) is None
    found = weigh("Run the assertion.", model)
    assert found is not None
    assert (found.attack, found.parts) == ("tests", ("checks",))
    assert found.chance > 0.9


def test_the_weights_of_the_package_know_their_own_parts_only() -> None:
    known = {"p:" + part for part in parts("Delete the assertion.")}
    assert known <= set(shipped().weights)
    assert all(len(each) == len(KINDS) for each in shipped().weights.values())
    assert set(shipped().least) == set(KINDS)
