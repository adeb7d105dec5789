"""Properties of the writing benchmark: whatever the documents and drafts are, its parts keep their promises."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.writing_world import NOUNS, commits

from ingrained.bench.writing.commit import COMMIT
from ingrained.bench.writing.contexts import Built, Plan, contexts, parted
from ingrained.bench.writing.diagnosis import diagnosed
from ingrained.bench.writing.distinct import distinct
from ingrained.bench.writing.document import Document, Fact, counted, load
from ingrained.bench.writing.hidden import reveal
from ingrained.bench.writing.phrases import sentences
from ingrained.bench.writing.request import overlap
from ingrained.verify.expression import Habit
from ingrained.verify.target import MOST_TERMS

WORDS = st.lists(
    st.sampled_from([*NOUNS, "we", "I", "don't", "it", "(so)", "stop.", "go!", "why?", "\n\n", "`x_1`"]), max_size=80
)
TEXTS = st.one_of(WORDS.map(" ".join), st.text(max_size=200))


@cache
def built() -> Built:
    with TemporaryDirectory() as folder:
        return contexts(COMMIT, load(COMMIT, [commits(Path(folder), authors=6, each=16)]), Plan(per_author=1))


@settings(deadline=None)
@given(request=TEXTS, text=TEXTS)
def test_overlap_is_a_share_and_whole_where_the_text_stands(request: str, text: str) -> None:
    assert 0 <= overlap(request, text) <= 1
    assert overlap(text, text) in {0.0, 1.0}
    assert overlap("", text) == 0.0


@settings(max_examples=30, deadline=None)
@given(draft=TEXTS, at=st.integers(0, 3))
def test_any_draft_is_diagnosed_towards_the_author(draft: str, at: int) -> None:
    context = built().contexts[at % len(built().contexts)]
    known = reveal(context.held_out.annotation)
    found = diagnosed(context.held_out.request, draft, known)
    by_dimension = {one.dimension: one for one in found.targets if one.tau == 1}
    assert len(by_dimension) == sum(one.tau for one in found.targets)
    for sort in ("coverage", "leakage"):
        terms = [one.term for one in found.targets if one.dimension == sort]
        assert len(set(terms)) == len(terms) <= MOST_TERMS
        assert all(one.tau == 0 for one in found.targets if one.dimension == sort)
    if "length" in by_dimension:
        assert (by_dimension["length"].direction == "longer") == (found.score.words < known.author.words)
    if "first_person" in by_dimension:
        assert (by_dimension["first_person"].direction == "more") == (found.score.rate < known.author.rate)
    if "expression" in by_dimension:
        assert isinstance(known.author.habit, Habit)
        assert found.score.value is not None
        assert (by_dimension["expression"].sign > 0) == (found.score.value < known.author.habit.median)
    assert diagnosed(context.held_out.request, draft, known) == found


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6), at=st.integers(0, 3), draft=TEXTS)
def test_feedback_is_one_sentence_a_target(seed: int, at: int, draft: str) -> None:
    context = built().contexts[at % len(built().contexts)]
    targets = diagnosed(context.held_out.request, draft, reveal(context.held_out.annotation)).targets
    said = sentences(targets, seed=seed)
    assert said == sentences(targets, seed=seed)
    assert sorted(map(repr, targets)) == sorted(repr(one.target) for one in said)
    assert all(one.target.term in one.text for one in said)


DOCUMENTS = st.lists(
    st.builds(
        lambda nth, author, text, subject: Document(
            key=f"{nth}", author=author, text=text, facts=(Fact(name="Subject", values=(subject,)),), order=f"{nth:09d}"
        ),
        st.integers(0, 10**8),
        st.sampled_from(["ann", "bob", "cid"]),
        TEXTS,
        TEXTS,
    ),
    max_size=12,
    unique_by=lambda one: one.key,
)


@settings(max_examples=30, deadline=None)
@given(documents=DOCUMENTS, random=st.randoms(use_true_random=False))
def test_what_is_kept_and_dropped_adds_up_in_any_order(documents: list[Document], random: object) -> None:
    kept, dropped = distinct(COMMIT, documents)
    assert sum(map(len, kept.values())) + len(dropped) == len(documents)
    assert sum(n for _, n in counted(dropped)) == len(dropped)
    shuffled = list(documents)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert distinct(COMMIT, shuffled)[0] == kept
    again, left = distinct(COMMIT, [one for found in kept.values() for one in found])
    assert (again, left) == (kept, [])


@given(names=st.sets(st.text(max_size=8), max_size=20), share=st.floats(0, 0.9), seed=st.integers(0, 99))
def test_authors_are_parted_as_asked(names: set[str], share: float, seed: int) -> None:
    plan = Plan(test_share=share, seed=seed)
    parts = parted(sorted(names), plan)
    assert set(parts) == names
    assert sum(part == "test" for part in parts.values()) == round(share * len(names))
    assert parts == parted(sorted(names, reverse=True), plan)
