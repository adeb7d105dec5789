"""What must hold of `bench foresee` whatever people said."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from foresee_world import Exact, atoms_of, history
from ingrained.bench.foresee import Plan, outcomes, split
from ingrained.bench.history import History, Sitting

RULES = (
    "always use pnpm and never npm",
    "always put a changelog line into the same commit",
    "run the linter before you commit",
    "keep comments in the code short",
    "write the plan into the issue",
    "compare with one literal value in tests",
    "answer in one sentence",
    "task: the cart",
    "task: the tax page",
)
TALKS = st.lists(st.lists(st.sampled_from(RULES), min_size=1, max_size=4), min_size=2, max_size=7)
CUTS = st.floats(0.05, 0.95)
ROOMY = 100_000


@settings(deadline=None, max_examples=40)
@given(st.lists(TALKS, min_size=2, max_size=3), CUTS, st.integers(0, 60))
def test_none_covers_nothing_and_shares_stay_within_bounds(talks: list[list[list[str]]], cut: float, size: int) -> None:
    histories = [history(f"p{n}", talk) for n, talk in enumerate(talks)]
    plan = Plan(cuts=(cut,), budget=size)
    for outcome in outcomes(histories, atoms_of(histories), Exact(), lambda _: 1.0, plan):
        none = outcome.results["none"]
        assert (sum(none.covered), none.rules, none.idle, none.tokens) == (0, 0, 0, 0)
        for result in outcome.results.values():
            assert len(result.covered) == len(outcome.sessions)
            assert all(0 <= value <= 1 for value in result.covered)
            assert 0 <= result.idle <= result.rules
            assert result.tokens <= size


@settings(deadline=None, max_examples=30)
@given(st.lists(st.sampled_from(RULES[:7]), min_size=1, max_size=5, unique=True), st.integers(3, 8), TALKS, CUTS)
def test_own_covers_all_of_a_person_who_repeats_himself_exactly(
    said: list[str], sessions: int, other: list[list[str]], cut: float
) -> None:
    ana = history("ana", [said] * sessions)
    assume(len(split(ana, cut).earlier) >= 2)  # a rule needs two sessions
    found = outcomes([ana, history("ben", other)], atoms_of([ana, history("ben", other)]), Exact(), lambda _: 1.0,
                     Plan(cuts=(cut,), budget=ROOMY))  # fmt: skip
    (mine,) = [outcome for outcome in found if outcome.person == "ana"]
    assert set(mine.results["own"].covered) == {1.0}
    assert mine.results["own"].idle == 0


@settings(deadline=None, max_examples=30)
@given(st.lists(TALKS, min_size=2, max_size=3), CUTS, st.data())
def test_the_later_part_is_never_learned_from(talks: list[list[list[str]]], cut: float, data: st.DataObject) -> None:
    histories = [history(f"p{n}", talk) for n, talk in enumerate(talks)]
    rewritten: list[History] = []
    for one in histories:
        parts = split(one, cut)
        first = parts.later[0].start
        assert all(m.time is not None and m.time < first for sitting in parts.earlier for m in sitting.heard)
        assert not {s.id for s in parts.earlier} & {s.id for s in parts.later}
        later = tuple(_reworded(sitting, data.draw(st.sampled_from(RULES[:7]))) for sitting in parts.later)
        rewritten.append(History(person=one.person, sittings=(*parts.earlier, *later)))
    plan = Plan(cuts=(cut,), budget=ROOMY)
    skills = [
        {
            (outcome.person, name): (result.rules, result.tokens)
            for outcome in outcomes(some, atoms_of(some), Exact(), lambda _: 1.0, plan)
            for name, result in outcome.results.items()
        }
        for some in (histories, rewritten)
    ]
    both = skills[0].keys() & skills[1].keys()
    assert {key: skills[0][key] for key in both} == {key: skills[1][key] for key in both}


def _reworded(sitting: Sitting, text: str) -> Sitting:
    return replace(sitting, heard=tuple(replace(message, text=text) for message in sitting.heard))


@settings(deadline=None, max_examples=20)
@given(st.lists(TALKS, min_size=2, max_size=4), CUTS, st.randoms(use_true_random=False))
def test_the_order_of_people_does_not_matter(talks: list[list[list[str]]], cut: float, random: object) -> None:
    histories = [history(f"p{n}", talk) for n, talk in enumerate(talks)]
    shuffled = histories[:]
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    plan = Plan(cuts=(cut,), budget=80)
    first, second = (
        {outcome.person: outcome for outcome in outcomes(some, atoms_of(some), Exact(), lambda _: 1.0, plan)}
        for some in (histories, shuffled)
    )
    assert first.keys() == second.keys()
    for person, outcome in first.items():
        assert outcome.relevant == second[person].relevant
        for name, result in outcome.results.items():
            theirs = second[person].results[name]
            assert result.covered == theirs.covered
            assert (round(result.rules, 9), round(result.tokens, 9)) == (
                round(theirs.rules, 9),
                round(theirs.tokens, 9),
            )
