"""What holds for the alignment of any rule: its form does not matter, a negation turns it, and it never fails."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from tests.directions import asked, asked_of_terms

from ingrained.verify.align import align, newest, omission, verdict
from ingrained.verify.clauses import fold
from ingrained.verify.target import Target, Topic, directions

ASKED = st.sampled_from([*asked(), *asked_of_terms()])
PREFERENCES = st.sampled_from(asked())
ORDERS = st.sampled_from([
    (text, target) for text, target in asked() if text.split()[0] in {"Use", "Write", "Make", "Add", "Increase", "Expand"}
])  # fmt: skip
TARGETS = (
    Target(dimension="length", direction="longer", tau=1),
    Target(dimension="first_person", direction="fewer", tau=1),
    Target(dimension="expression", feature="contractions", direction="more", tau=1),
    Target(dimension="coverage", direction="mention", tau=0, term="Paris"),
)

verdict("Keep it short.", TARGETS[0])  # compiles the word tables, which takes longer than an example may


@given(ASKED, st.sampled_from([str.upper, str.lower, str.title, str.swapcase]))
def test_case_does_not_matter(said: tuple[str, Target], change: object) -> None:
    text, target = said
    assert callable(change)
    assert verdict(str(change(text)), target) == "aligned"


@given(ASKED, st.sampled_from(["  ", "\t", "\n", " ", " \n "]))
def test_spaces_do_not_matter(said: tuple[str, Target], space: str) -> None:
    text, target = said
    assert verdict(space + text.replace(" ", space) + space, target) == "aligned"


@given(ASKED, st.sampled_from(["", ".", "!", " please"]), st.sampled_from(["", "- ", "1. ", "Please ", "also "]))
def test_what_stands_around_does_not_matter(said: tuple[str, Target], after: str, before: str) -> None:
    text, target = said
    if before in {"Please ", "also "}:
        text = text[0].lower() + text[1:] if text.split()[0] != "I" else text
    assert verdict(before + text.rstrip(".?") + after, target) in {"aligned", "abstain"}
    assert verdict(before + text, target) != "opposed"


@given(ORDERS)
def test_a_negated_order_is_never_aligned(said: tuple[str, Target]) -> None:
    text, target = said
    negated = f"Don't {text[0].lower()}{text[1:]}"
    assert verdict(text, target) == "aligned"
    assert verdict(negated, target) in {"opposed", "abstain"}


@given(ASKED)
def test_aligned_with_a_target_is_never_aligned_with_its_contrary(said: tuple[str, Target]) -> None:
    text, target = said
    if not target.term:
        more, less = directions(target.dimension, target.feature)
        assert verdict(text, replace(target, direction=less if target.direction == more else more)) == "opposed"


@given(st.text(max_size=300), st.booleans())
def test_no_text_fails(text: str, transferable: bool) -> None:
    got = align(text, transferable, TARGETS)
    assert got.content in {-1, 0, 1}
    assert got.transfer in {-1, 0, 1}
    assert (got.content == 0) == (got.matched == ())
    assert -1.0 <= omission([text], TARGETS) <= 0.0


@given(st.text(max_size=300))
def test_folding_twice_is_folding_once(text: str) -> None:
    once = fold(text)
    assert fold(once).split() == once.split() or once[:1] in "-•0123456789"


@given(st.lists(PREFERENCES, min_size=1, max_size=6))
def test_only_the_newest_statement_on_a_topic_counts(said: list[tuple[str, Target]]) -> None:
    topic: Topic = said[-1][1].topic
    stated = newest([text for text, _ in said], topic)
    assert stated is not None
    assert (stated.index, stated.sign) == (len(said) - 1, said[-1][1].sign)


@given(st.lists(PREFERENCES, min_size=1, max_size=6), st.permutations(range(6)))
def test_the_order_of_statements_on_other_topics_does_not_matter(
    said: list[tuple[str, Target]], order: list[int]
) -> None:
    last = said[-1]
    others = [one for one in said[:-1] if one[1].topic != last[1].topic]
    shuffled = [others[i] for i in order if i < len(others)]
    texts = [text for text, _ in (last, *shuffled)]
    if any(newest([text], last[1].topic) for text in texts[1:]):
        return
    stated = newest(texts, last[1].topic)
    assert stated is not None
    assert stated.sign == last[1].sign
