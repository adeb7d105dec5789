"""The gate for any pairs: against the slow reference, and indifferent to what must not matter."""

from __future__ import annotations

from fractions import Fraction
from math import isclose

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.gate_pairs import of_differences, pair, pairs

from ingrained.gate.credit import Candidate, rollback
from ingrained.gate.decide import Sibling, decide, decide_group
from ingrained.gate.pair import Pair
from ingrained.gate.plan import Plan
from ingrained.gate.verdict import Verdict
from ingrained.verify.score import Outcome, Score, Unscored
from reference import gate as slow

QUARTER = st.integers(0, 4).map(lambda n: n / 4)
SCORES = st.lists(st.tuples(QUARTER, QUARTER), max_size=14)
DIFFERENCES = st.lists(st.integers(-4, 4).map(lambda n: n / 4), min_size=1, max_size=14)
USEFUL = st.sampled_from([0.1, 0.2, 0.5])
FREELY = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""A busy machine is no fault of the gate."""
RANK = {"rejected": 0, "inconclusive": 1, "accepted": 2}


def evidence(verdict: Verdict) -> tuple[object, ...]:
    return verdict.p, verdict.against, verdict.gain, verdict.low, verdict.high, verdict.wins, verdict.losses


@FREELY
@given(SCORES, st.randoms(use_true_random=False), USEFUL, st.sampled_from(["gain", "no_loss"]))
def test_the_order_of_pairs_does_not_matter(scores: list, random: object, useful: float, aim: str) -> None:
    given_pairs = pairs(scores)
    mixed = list(given_pairs)
    random.shuffle(mixed)
    plan = Plan(useful=useful, cap=20)
    assert decide(given_pairs, plan, aim=aim) == decide(mixed, plan, aim=aim)


@FREELY
@given(
    st.lists(SCORES, min_size=1, max_size=4),
    st.randoms(use_true_random=False),
    st.sampled_from(["edit", "group", "run"]),
)
def test_the_order_of_siblings_does_not_matter(groups: list, random: object, rate: str) -> None:
    siblings = [Sibling(name=f"e{i}", pairs=pairs(scores), tokens=i % 2) for i, scores in enumerate(groups)]
    mixed = list(siblings)
    random.shuffle(mixed)
    plan = Plan.model_validate({"rate": rate, "alpha": 0.4, "cap": 20})
    assert decide_group(siblings, plan, step=2) == decide_group(mixed, plan, step=2)


@FREELY
@given(DIFFERENCES, USEFUL)
def test_swapping_the_arms_mirrors_the_question(values: list[float], size: float) -> None:
    """A gain of `size` refuted is, from the other side, a loss of `size` refuted; and all bounds turn round."""
    found = decide(of_differences(values), Plan(useful=size, cap=20))
    turned = decide([one.swapped() for one in of_differences(values)], Plan(margin=size, cap=20), aim="no_loss")
    assert isclose(found.against, turned.p, rel_tol=1e-9)
    assert isclose(found.p, turned.against, rel_tol=1e-9)
    assert (found.wins, found.losses, found.ties) == (turned.losses, turned.wins, turned.ties)
    assert isclose(found.gain, -turned.gain, abs_tol=1e-12)
    assert isclose(found.low, -turned.high, abs_tol=1e-9)
    assert isclose(found.high, -turned.low, abs_tol=1e-9)


@FREELY
@given(SCORES.filter(len), st.data(), USEFUL, st.sampled_from(["gain", "no_loss"]))
def test_a_better_score_never_speaks_against_an_edit(
    scores: list, data: st.DataObject, useful: float, aim: str
) -> None:
    plan = Plan(useful=useful, cap=20)
    at = data.draw(st.integers(0, len(scores) - 1))
    higher = data.draw(QUARTER.filter(lambda score: score >= scores[at][1]))
    before = decide(pairs(scores), plan, aim=aim)
    after = decide(pairs([*scores[:at], (scores[at][0], higher), *scores[at + 1 :]]), plan, aim=aim)
    assert after.p <= before.p + 1e-12
    assert after.against >= before.against - 1e-12
    assert after.low >= before.low - 1e-9
    assert after.high >= before.high - 1e-9
    assert RANK[after.status] >= RANK[before.status]


@FREELY
@given(SCORES, USEFUL)
def test_a_further_win_is_further_evidence(scores: list, useful: float) -> None:
    plan = Plan(useful=useful, cap=40)
    before, after = decide(pairs(scores), plan), decide([*pairs(scores), pair("more", 0, 1)], plan)
    assert after.p <= before.p
    assert after.against >= before.against


@FREELY
@given(SCORES, st.lists(st.sampled_from([(None, 1.0), (0.0, None), (None, None)]), max_size=4), st.data())
def test_a_pair_without_a_score_changes_nothing_but_counts(scores: list, lost: list, data: st.DataObject) -> None:
    plan = Plan(cap=40)
    missing = [pair(f"u{i}", control, treatment) for i, (control, treatment) in enumerate(lost)]
    mixed = data.draw(st.permutations([*pairs(scores), *missing]))
    before, after = decide(pairs(scores), plan), decide(mixed, plan)
    assert evidence(before)[:2] == evidence(after)[:2]
    assert evidence(before)[3:] == evidence(after)[3:]
    assert after.scored == before.scored
    assert after.pairs == before.pairs + len(lost)
    assert after.unscored.total == len(lost)
    if after.status != before.status:
        assert after.status == "inconclusive"


@FREELY
@given(SCORES, st.data())
def test_marks_of_stored_and_shared_answers_change_only_their_counts(scores: list, data: st.DataObject) -> None:
    marked = []
    for one in pairs(scores):
        stored, shared = data.draw(st.booleans()), data.draw(st.booleans())
        control = one.control.model_copy(update={"cached": stored})
        marked.append(one.model_copy(update={"control": control, "shared": shared}))
    counts = {"cached_control": 0, "shared": 0}
    assert decide(marked, Plan()).model_copy(update=counts) == decide(pairs(scores), Plan())


@FREELY
@given(DIFFERENCES, USEFUL, st.sampled_from([0.05, 0.3]), st.integers(1, 14))
def test_pair_after_pair_it_decides_as_the_slow_reference(
    values: list[float], useful: float, alpha: float, cap: int
) -> None:
    plan = Plan(useful=useful, alpha=alpha, cap=cap, always=9)
    word, at = slow.sequential([Fraction(value) for value in values], 0.0, useful, alpha, plan.beta, cap)
    looked = [decide(of_differences(values[:n]), plan) for n in range(1, at + 1)]
    assert [verdict.final for verdict in looked] == [False] * (at - 1) + [word != "open"]
    assert looked[-1].status == ("inconclusive" if word == "open" else word)


OUTCOMES = QUARTER.map(lambda value: Score(value=value)) | st.just(Unscored(reason="no answer"))
CANDIDATES = OUTCOMES | st.sampled_from(["noop", "invalid"])


def plain(one: Candidate) -> Fraction | str | None:
    if isinstance(one, str):
        return one
    return Fraction(one.value) if isinstance(one, Score) else None


@FREELY
@given(OUTCOMES, st.lists(CANDIDATES, max_size=6))
def test_the_rollback_reward_is_the_slow_references(control: Outcome, group: list[Candidate]) -> None:
    before = plain(control)
    assert not isinstance(before, str)
    wanted = slow.rollback(before, [plain(one) for one in group])
    credit = rollback(control, group)
    assert credit.signal == (wanted is not None)
    assert list(credit.rewards) == ([None] * len(group) if wanted is None else wanted)


@FREELY
@given(OUTCOMES, st.lists(CANDIDATES, max_size=6), st.randoms(use_true_random=False))
def test_rewards_do_not_depend_on_the_order_of_siblings(control: Outcome, group: list, random: object) -> None:
    places = list(range(len(group)))
    random.shuffle(places)
    mixed = rollback(control, [group[i] for i in places]).rewards
    assert mixed == tuple(rollback(control, group).rewards[i] for i in places)


def test_pairs_are_values() -> None:
    assert len({pair("a", 0, 1), pair("a", 0, 1), pair("a", 0, 0)}) == 2
    assert isinstance(pair("a", 0, 1), Pair)
