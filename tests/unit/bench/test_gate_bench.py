"""The simulation of the gate: that it is the gate which is simulated, and that worlds and other rules are what they say."""

from __future__ import annotations

import json
import math
import subprocess
import sys

import numpy as np
import pytest
from tests.gate_pairs import of_differences

from ingrained.bench.gate.measure import COARSE, FINE, MIX, PRUNE, measure
from ingrained.bench.gate.rules import (
    above_error,
    looks,
    mean_higher,
    pairs_for,
    permutation,
    sign,
    sign_at_each,
)
from ingrained.bench.gate.shape import GateBench
from ingrained.bench.gate.worlds import WORLDS, chosen, lopsided, repeated
from ingrained.errors import ConfigError
from ingrained.gate.decide import decide
from ingrained.gate.plan import Aim, Plan
from ingrained.stats import permutation_test, sign_test

SHORT = [
    (Plan(rate="edit", useful=0.3, cap=18), "gain"),
    (Plan(rate="edit", useful=0.1, cap=12, alpha=0.3), "gain"),
    (Plan(rate="edit", margin=0.3, cap=15, alpha=0.2), "no_loss"),
]


@pytest.mark.parametrize(("plan", "aim"), SHORT)
@pytest.mark.parametrize("name", WORLDS)
def test_the_simulation_stops_where_the_gate_does(name: str, plan: Plan, aim: Aim) -> None:
    random = np.random.default_rng(len(name))
    streams = np.concatenate([
        WORLDS[name].differences(random, effect, (4, plan.cap)) for effect in (-0.3, 0.0, 0.3)
    ])  # fmt: skip
    stopped = looks(streams, *plan.means(aim)).stop(plan.alpha, plan.beta)
    for row, accepted, rejected, pairs in zip(streams, stopped.accepted, stopped.rejected, stopped.pairs, strict=True):
        verdicts = [decide(of_differences(row[:n]), plan, aim=aim) for n in range(1, pairs + 1)]
        assert [verdict.final for verdict in verdicts] == [False] * (pairs - 1) + [True]
        status = "accepted" if accepted else "rejected" if rejected else "inconclusive"
        assert verdicts[-1].status == status


def test_a_gain_that_is_shown_and_useless_at_the_same_look_is_accepted() -> None:
    plan = Plan(rate="edit", useful=0.3, cap=9, alpha=0.9, beta=0.9)
    stopped = looks(np.full((1, 9), 0.15), *plan.means("gain")).stop(plan.alpha, plan.beta)
    at = int(stopped.pairs[0])
    verdict = decide(of_differences([0.15] * at), plan)
    assert verdict.against is not None
    assert verdict.against <= plan.beta
    assert verdict.status == "accepted"
    assert stopped.accepted[0]


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize("effect", [-0.1, 0.0, 0.1, 0.3])
def test_a_world_has_the_gain_that_it_says(name: str, effect: float) -> None:
    world = WORLDS[name]
    random = np.random.default_rng(1)
    tasks = world.tasks(random, (40, 1000))
    control, treatment = world.scores(random, tasks, 0.0), world.scores(random, tasks, effect)
    assert control.min() >= 0
    assert treatment.max() <= 1
    difference = treatment - control
    assert difference.mean() == pytest.approx(effect, abs=4 * difference.std() / math.sqrt(difference.size))
    assert control.mean() == pytest.approx(0.5, abs=0.02)
    assert world.binary == (set(np.unique(control)) <= {0.0, 1.0})


def test_siblings_share_their_control() -> None:
    found = WORLDS["even"].siblings(np.random.default_rng(0), np.zeros(8), 500, 40)
    assert found.shape == (500, 8, 40)
    one, other = found[:, 0].ravel(), found[:, 1].ravel()
    assert np.corrcoef(one, other)[0, 1] == pytest.approx(0.5, abs=0.03)


def test_nulls_that_are_no_comparison_of_a_thing_with_itself_have_a_mean_of_zero() -> None:
    random = np.random.default_rng(2)
    assert lopsided(random, (200, 500)).mean() == pytest.approx(0, abs=0.005)
    tasks = repeated(random, (200, 500), 3)
    assert tasks.mean() == pytest.approx(0, abs=0.01)
    assert abs(tasks.mean(axis=-1)).mean() > 0.35
    assert chosen(random, (10, 100)).min() == 0


def test_fixed_tests_on_many_streams_are_those_on_one() -> None:
    streams = WORLDS["even"].differences(np.random.default_rng(3), 0.3, (30, 25))
    for n in (1, 7, 25):
        exact = [sign_test(int((row > 0).sum()), int((row < 0).sum())) <= 0.05 for row in streams[:, :n]]
        assert sign(streams, n, 0.05).tolist() == exact
        assert sign_at_each(streams, 0.05)[:, n - 1].tolist() == exact
    graded = WORLDS["skewed"].differences(np.random.default_rng(3), 0.3, (10, 12))
    assert permutation(graded, 12, 0.05).tolist() == [float(permutation_test(row)) <= 0.05 for row in graded]


@pytest.mark.parametrize("name", ["even", "skewed"])
def test_the_fewest_pairs_of_the_fixed_test_have_the_power(name: str) -> None:
    world = WORLDS[name]
    streams = world.differences(np.random.default_rng(4), 0.3, (200, 80))
    test = sign if world.binary else permutation
    found = pairs_for(streams, 0.7, 0.05, binary=world.binary)
    assert test(streams, found, 0.05).mean() >= 0.7
    assert test(streams, found - 1, 0.05).mean() < 0.7
    assert pairs_for(streams, 1.1, 0.05, binary=world.binary) == 80


@pytest.mark.parametrize("n", [2, 3, 10, 30])
def test_a_single_win_is_one_standard_error_exactly_and_not_above_it(n: int) -> None:
    one = np.eye(1, n)
    assert not above_error(one, n)[0]
    assert mean_higher(one, n)[0]
    two = one + np.eye(1, n, 1)
    assert above_error(two, n)[0]


def test_a_tie_is_no_higher_sum() -> None:
    assert mean_higher(np.array([[0.1, 0.2, -0.3]]), 3).tolist() == [False]


def test_plans_and_mix_are_those_that_were_settled() -> None:
    assert MIX == {0.0: 0.6, 0.1: 0.2, 0.3: 0.2}
    assert (FINE.useful, FINE.cap, COARSE.useful, COARSE.cap) == (0.1, 600, 0.3, 80)
    assert {FINE.alpha, COARSE.alpha, PRUNE.alpha} == {0.05}


def test_too_few_draws_are_refused() -> None:
    with pytest.raises(ConfigError, match="too few"):
        measure(draws=99)


def test_the_command_prints_its_shape() -> None:
    words = [sys.executable, "-m", "ingrained", "bench", "gate", "--draws", "100", "--seed", "3", "--json", "--quiet"]
    done = subprocess.run(words, capture_output=True, text=True, encoding="utf-8", check=False)
    found = GateBench.model_validate(json.loads(done.stdout))
    assert done.returncode == (0 if found.holds else 1)
    assert (found.draws, found.seed) == (100, 3)
    named = {row.rule for row in found.false_accepts}
    assert {"raw score", "single", "gepa", "mean-compare", "mean > 1 SE", "sign", "permutation"} <= named


@pytest.mark.slow
def test_a_seed_gives_one_result() -> None:
    assert measure(draws=100, seed=3) == measure(draws=100, seed=3)


@pytest.mark.slow
def test_every_claim_holds_with_two_thousand_draws() -> None:
    assert measure(draws=2000, seed=0).holds
