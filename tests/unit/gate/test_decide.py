"""Verdicts, reason by reason: what accepts, what rejects, what is left open, and in which order reasons count."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import ValidationError
from tests.gate_pairs import arm, of_differences, pair, pairs, won_lost_tied

from ingrained.errors import GateError
from ingrained.gate.decide import Sibling, decide, decide_group, least_tasks
from ingrained.gate.pair import Pair
from ingrained.gate.plan import Plan, aim_of
from ingrained.gate.rates import level
from ingrained.gate.verdict import Verdict

PLAN = Plan(useful=0.3, cap=60)
GOLDEN = Path(__file__).parents[2] / "golden" / "gate"


def says(verdict: Verdict) -> tuple[str, str, bool]:
    return verdict.status, verdict.reason, verdict.final


def test_without_pairs_everything_is_open() -> None:
    verdict = decide([], PLAN)
    assert says(verdict) == ("inconclusive", "open", False)
    assert (verdict.gain, verdict.low, verdict.high, verdict.tasks) == (None, None, None, 0)


def test_five_wins_are_not_enough_and_six_are() -> None:
    assert says(decide(won_lost_tied(5, 0), PLAN)) == ("inconclusive", "open", False)
    verdict = decide(won_lost_tied(7, 0), PLAN)
    assert says(verdict) == ("accepted", "gain", True)
    assert verdict.p is not None
    assert verdict.p <= verdict.level == 0.05
    assert verdict.low is not None
    assert verdict.low > 0
    assert "7 tasks better, 0 worse, 0 the same" in verdict.why


def test_an_edit_that_changes_nothing_is_soon_useless() -> None:
    verdict = decide(won_lost_tied(0, 0, 12), PLAN)
    assert says(verdict) == ("rejected", "useless", True)
    assert verdict.against is not None
    assert verdict.against <= PLAN.beta


def test_what_the_cap_does_not_settle_is_inconclusive() -> None:
    plan = Plan(useful=0.1, cap=20)
    verdict = decide(won_lost_tied(8, 4, 8), plan)
    assert says(verdict) == ("inconclusive", "cap", True)


def test_what_cannot_be_reached_any_more_is_not_waited_for() -> None:
    plan = Plan(useful=0.1, cap=12, beta=0.01)
    verdict = decide(won_lost_tied(1, 5), plan)
    assert says(verdict) == ("inconclusive", "out_of_reach", True)


def test_a_task_that_waits_for_a_seed_may_still_decide() -> None:
    plan = Plan(useful=0.3, cap=12, seeds=2, rate="edit")
    five = [pair(f"t{i}", 0, 1, seed) for i in range(5) for seed in range(2)]
    assert says(decide([*five, pair("last", 0, 1)], plan)) == ("inconclusive", "open", False)
    lost = [pair(f"t{i}", 1, 1, seed) for i in range(5) for seed in range(2)]
    assert says(decide([*lost, pair("last", 0, 1)], plan.model_copy(update={"beta": 0.01}))) == (
        "inconclusive",
        "out_of_reach",
        True,
    )


@pytest.mark.parametrize("won", range(5, 14))
def test_the_lower_bound_of_a_sibling_is_above_zero_exactly_where_it_is_accepted(won: int) -> None:
    waiting = [Sibling(name=f"w{i}", pairs=[]) for i in range(3)]
    verdict = decide_group([Sibling(name="one", pairs=won_lost_tied(won, 0)), *waiting], PLAN).verdicts["one"]
    assert verdict.low is not None
    assert (verdict.low > 0) == (verdict.status == "accepted")


def test_a_broken_task_blocks_even_what_helps() -> None:
    plan = PLAN.model_copy(update={"seeds": 3, "cap": 90})
    helped = [pair(f"t{i}", 0, 1, seed) for i in range(12) for seed in range(3)]
    broke = [pair("key", 1, 0, seed) for seed in range(3)]
    assert says(decide(helped, plan)) == ("accepted", "gain", True)
    verdict = decide(helped + broke, plan)
    assert says(verdict) == ("rejected", "breaks", True)
    assert "'key'" in verdict.why
    allowed = decide(helped + broke, plan.model_copy(update={"may_break": ("key",)}))
    assert says(allowed) == ("accepted", "gain", True)
    assert [one.task for one in allowed.broken] == ["key"]


def test_a_single_seed_is_shown_as_broken_and_does_not_block() -> None:
    verdict = decide(won_lost_tied(15, 1), PLAN)
    assert verdict.status == "accepted"
    assert [(one.seeds, one.blocks) for one in verdict.broken] == [(1, False)]


def test_too_many_pairs_without_a_score_decide_nothing() -> None:
    scored, lost = won_lost_tied(9, 0), [pair(f"u{i}", None, None) for i in range(3)]
    assert says(decide(scored + lost, PLAN)) == ("inconclusive", "unscored", False)
    assert decide(won_lost_tied(15, 0) + lost, PLAN).status == "accepted"


def test_arms_that_go_unscored_unequally_decide_nothing() -> None:
    plan = Plan(useful=0.3, cap=200)
    scored = won_lost_tied(60, 10)
    one_side = [pair(f"u{i}", 0, None) for i in range(8)]
    both_sides = [pair(f"u{i}", *((0, None) if i % 2 else (None, 0))) for i in range(8)]
    verdict = decide(scored + one_side, plan)
    assert says(verdict) == ("inconclusive", "unscored", False)
    assert "8 for the treatment alone" in verdict.why
    assert decide(scored + both_sides, plan).status == "accepted"


def test_what_stays_unscored_at_the_cap_is_final() -> None:
    verdict = decide(pairs([(0, None)] * 10), Plan(cap=10))
    assert says(verdict) == ("inconclusive", "unscored", True)


def test_stored_answers_are_seen_in_the_verdict() -> None:
    one = Pair(task="a", control=arm(0, cached=True), treatment=arm(1), shared=True)
    verdict = decide([one, pair("b", 0, 1)], PLAN)
    assert (verdict.cached_control, verdict.cached_treatment, verdict.shared) == (1, 0, 1)


def test_a_shortening_has_to_lose_less_than_the_margin() -> None:
    plan = Plan(margin=0.1, cap=200)
    same = won_lost_tied(0, 0, 60)
    assert says(decide(same, plan, aim="no_loss")) == ("accepted", "no_loss", True)
    assert decide(same, plan).status == "rejected"
    worse = won_lost_tied(0, 12, 48)
    assert says(decide(worse, plan, aim="no_loss")) == ("rejected", "useless", True)
    unsure = won_lost_tied(20, 20, 0)
    assert decide(unsure, plan, aim="no_loss").status == "inconclusive"


def test_a_prune_and_what_shortens_have_to_show_no_loss() -> None:
    assert aim_of(prune=True, before=10, after=10) == "no_loss"
    assert aim_of(prune=False, before=10, after=9) == "no_loss"
    assert aim_of(prune=False, before=10, after=10) == "gain"


@pytest.mark.parametrize("rule", ["sign", "permutation"])
def test_a_fixed_test_waits_for_its_pairs_and_then_decides(rule: str) -> None:
    plan = Plan.model_validate({"rule": rule, "cap": 10})
    assert says(decide(won_lost_tied(9, 0), plan)) == ("inconclusive", "open", False)
    assert says(decide(won_lost_tied(9, 1), plan)) == ("accepted", "gain", True)
    assert decide(won_lost_tied(9, 1), plan).p == pytest.approx(11 / 1024)
    assert says(decide(won_lost_tied(7, 3), plan)) == ("rejected", "not_shown", True)
    longer = [*won_lost_tied(7, 3), *(pair(f"more{i}", 0, 1) for i in range(20))]
    assert says(decide(longer, plan)) == ("rejected", "not_shown", True)


@pytest.mark.parametrize("rule", ["sign", "permutation"])
def test_a_fixed_test_cannot_show_that_nothing_is_lost(rule: str) -> None:
    with pytest.raises(GateError, match="cannot show that a loss stays below a margin"):
        decide(won_lost_tied(1, 0), Plan.model_validate({"rule": rule}), aim="no_loss")


def test_the_papers_comparison_looks_at_the_first_pair_and_says_that_it_is_uncalibrated() -> None:
    plan = Plan(rule="single")
    for scores, wanted in [((0, 1), "accepted"), ((1, 1), "rejected"), ((1, 0), "rejected")]:
        verdict = decide([pair("x", None, 1), pair("a", *scores), pair("b", 0, 0.5)], Plan(rule="single", unscored=1))
        assert verdict.status == wanted
        assert not verdict.calibrated
        assert verdict.p is None
    assert says(decide([], plan)) == ("inconclusive", "open", False)
    assert decide(won_lost_tied(1, 0), PLAN).calibrated


def test_the_level_shrinks_with_siblings_and_steps() -> None:
    assert level(0.05, "edit", siblings=8, step=4) == 0.05
    assert level(0.08, "group", siblings=8, step=4) == pytest.approx(0.01)
    assert level(0.08, "run", siblings=8, step=4) == pytest.approx(0.01 / 20)
    assert sum(level(1, "run", siblings=1, step=step) for step in range(1, 5000)) == pytest.approx(1, abs=1e-3)


def test_siblings_are_held_to_the_rate_of_their_group() -> None:
    good = Sibling(name="good", pairs=won_lost_tied(7, 0))
    waiting = [Sibling(name=f"w{i}", pairs=[]) for i in range(7)]
    assert decide_group([good], PLAN).verdicts["good"].status == "accepted"
    group = decide_group([good, *waiting], PLAN)
    assert group.verdicts["good"].status == "inconclusive"
    assert not group.settled
    assert group.applied is None
    alone = PLAN.model_copy(update={"rate": "edit"})
    assert decide_group([good, *waiting], alone).applied == "good"


def test_the_largest_gain_is_applied_and_on_a_tie_the_shorter() -> None:
    best, same = won_lost_tied(20, 0), won_lost_tied(18, 0, 2)
    group = decide_group(
        [
            Sibling(name="long", pairs=best, tokens=90),
            Sibling(name="short", pairs=best, tokens=80),
            Sibling(name="less", pairs=same, tokens=10),
        ],
        PLAN,
    )
    assert {name: verdict.status for name, verdict in group.verdicts.items()} == dict.fromkeys(
        group.verdicts, "accepted"
    )
    assert group.applied == "short"
    assert group.settled


def test_an_edit_without_a_difference_is_never_applied_for_its_length_alone() -> None:
    group = decide_group([Sibling(name="tie", pairs=won_lost_tied(0, 0, 12), tokens=1)], PLAN)
    assert group.applied is None


def test_a_group_without_edits_is_settled() -> None:
    group = decide_group([], PLAN)
    assert group.settled
    assert group.applied is None


def test_two_edits_of_one_name_are_an_error() -> None:
    with pytest.raises(GateError, match="share a name"):
        decide_group([Sibling(name="a", pairs=[]), Sibling(name="a", pairs=[])], PLAN)


def test_steps_count_from_one() -> None:
    with pytest.raises(GateError, match="step 0"):
        decide([], PLAN, step=0)


def test_a_cap_without_room_for_a_task_is_refused() -> None:
    with pytest.raises(ValidationError, match="leaves no room"):
        Plan(cap=2, seeds=3)


def test_graded_scores_and_seeds_go_through() -> None:
    verdict = decide(of_differences([0.25, 0.5, 0.1, 0.0, -0.1] * 12), Plan(useful=0.1, cap=200))
    assert verdict.gain == pytest.approx(0.15)
    assert verdict.ties == 12
    assert verdict.status == "accepted"


def test_verdicts_of_version_1_are_read_for_ever() -> None:
    golden = json.loads((GOLDEN / "verdict-v1.json").read_text(encoding="utf-8"))
    stored = Verdict.model_validate(golden["verdict"])
    assert json.loads(stored.model_dump_json()) == golden["verdict"]
    now = decide([Pair.model_validate(one) for one in golden["pairs"]], Plan.model_validate(golden["plan"]))
    assert (now.status, now.reason, now.pairs, now.wins, now.losses) == (
        stored.status,
        stored.reason,
        stored.pairs,
        stored.wins,
        stored.losses,
    )
    assert now.p == pytest.approx(stored.p)


RAW = Plan(rule="raw", cap=10)


def test_the_rule_raw_reads_the_first_score_of_the_treatment_alone() -> None:
    assert says(decide(pairs([(None, 1.0), (None, 0.0)]), RAW)) == ("accepted", "own_score", True)
    lost = decide(pairs([(1.0, 0.4), (0.0, 1.0)]), RAW)
    assert says(lost) == ("rejected", "not_shown", True)
    assert "no control" in lost.why, "nothing is said of pairs that nobody ran"
    assert says(decide(pairs([(None, None)]), RAW)) == ("inconclusive", "open", False)
    assert says(decide(pairs([(None, None), (None, 0.5)]), RAW)) == ("accepted", "own_score", True)
    assert says(decide(pairs([(None, None)] * 10), RAW)) == ("inconclusive", "cap", True)


def test_the_rule_raw_is_no_calibrated_one_and_applies_the_highest_score() -> None:
    scores = {"a": 0.6, "b": 0.9, "c": 0.9, "d": 0.2}
    siblings = [
        Sibling(name=name, pairs=pairs([(None, score)]), tokens=len(scores) - place)
        for place, (name, score) in enumerate(scores.items())
    ]
    found = decide_group(siblings, RAW)
    assert found.applied == "c"
    assert not any(one.calibrated or one.p is not None for one in found.verdicts.values())


@pytest.mark.parametrize("rule", ["sequential", "sign"])
@pytest.mark.parametrize("siblings", [1, 8])
def test_with_so_many_tasks_a_winner_of_all_is_accepted_and_with_one_less_nobody(rule: str, siblings: int) -> None:
    plan = Plan(rule=rule, cap=100)  # type: ignore[arg-type]
    n = least_tasks(plan, siblings=siblings)
    for many, status in ((n, "accepted"), (n - 1, "not")):
        capped = plan.model_copy(update={"cap": many})
        group = [Sibling(name="a", pairs=won_lost_tied(many, 0))]
        group += [Sibling(name=f"b{nth}", pairs=()) for nth in range(siblings - 1)]
        assert (decide_group(group, capped).verdicts["a"].status == "accepted") is (status == "accepted")
