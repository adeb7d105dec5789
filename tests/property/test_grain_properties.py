"""Eq. 8 only appends; a span is cut from the text and found wherever the words stand."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from ingrained.learn.grain import Answer, AnswerAtom, CitedAnswer, CitedAtom, Grain, compose, decision, read_answer
from ingrained.learn.spans import find

WORD = st.text(alphabet="abcdeäß'…", min_size=1, max_size=6).filter(lambda word: any(c.isalpha() for c in word))
TEXTS = st.lists(WORD, min_size=1, max_size=12).map(" ".join)
GRAINS = st.lists(
    st.builds(
        Grain, id=st.uuids().map(str), content=TEXTS, transferable=st.booleans(), span=st.none(),
        rewritten=st.booleans(), problem=st.sampled_from(["", "no words of the feedback say it"]),
    )
)  # fmt: skip
SKILLS = st.lists(TEXTS).map(tuple)


@given(SKILLS, GRAINS)
def test_composing_appends_in_order_what_transfers_and_nothing_else(skill: tuple[str, ...], atoms: list[Grain]) -> None:
    after = compose(skill, atoms)
    assert after[: len(skill)] == skill
    assert list(after[len(skill) :]) == [a.content for a in atoms if a.transferable and not a.problem]
    assert (decision(atoms) == "KEEP") == (after == skill)


@given(SKILLS, GRAINS, GRAINS)
def test_composing_twice_is_composing_both(skill: tuple[str, ...], one: list[Grain], two: list[Grain]) -> None:
    assert compose(compose(skill, one), two) == compose(skill, [*one, *two])


@given(TEXTS, st.data())
def test_what_stands_in_a_text_is_found_however_it_is_spelt(text: str, data: st.DataObject) -> None:
    words = text.split()
    begin = data.draw(st.integers(0, len(words) - 1))
    end = data.draw(st.integers(begin + 1, len(words)))
    wanted = " ".join(words[begin:end])
    assume(any(c.isalnum() for c in wanted))
    spelt = data.draw(
        st.sampled_from([wanted, wanted.upper(), f"  {wanted}.", f'"{wanted}"', wanted.replace(" ", "\n ")])
    )
    assume(spelt.casefold().split() == wanted.casefold().split() or spelt != wanted.upper())
    found = find(text, spelt)
    assert found is not None
    assert text[found.start : found.end] == found.text


@given(st.text(), st.text())
def test_a_span_is_always_cut_from_the_text(text: str, words: str) -> None:
    found = find(text, words)
    if found is not None:
        assert text[found.start : found.end] == found.text
        assert found.text.strip()


@given(st.text(max_size=60), st.lists(st.tuples(st.text(min_size=1), st.text(min_size=1), st.booleans()), max_size=4))
def test_no_answer_breaks_the_reading_and_nothing_unfounded_is_sound(
    feedback: str, atoms: list[tuple[str, str, bool]]
) -> None:
    assume(all(quote.strip() and content.strip() for quote, content, _ in atoms))
    cited = CitedAnswer(
        atoms=tuple(
            CitedAtom(id=f"f{n}", quote=quote, content=content, transferable=z)
            for n, (quote, content, z) in enumerate(atoms)
        )
    )
    plain = Answer(
        atoms=tuple(AnswerAtom(id=f"f{n}", content=content, transferable=z) for n, (_, content, z) in enumerate(atoms))
    )
    for answer in (cited, plain):
        grains = read_answer(answer, feedback)
        assert len(grains) == len(atoms)
        for one in grains:
            if not one.problem:
                assert one.span is not None
                assert feedback[one.span.start : one.span.end] == one.span.text
