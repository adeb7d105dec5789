"""The methods over planted worlds: their budget, their sameness, and what is said of predictions."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from collections.abc import Mapping
from itertools import pairwise

import anyio
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ingrained.bench.planted.editor import LotEditor
from ingrained.bench.planted.effects import JOINT
from ingrained.bench.planted.gepa import INSTALL, VERSION, absent, by_gepa
from ingrained.bench.planted.measure import mark, measure
from ingrained.bench.planted.methods import METHODS, ended
from ingrained.bench.planted.settled import BUDGET, CLAIM, ORDER, PREDICTED, SEEDS
from ingrained.bench.planted.shape import PlantedBench, PlantedWorld
from ingrained.bench.planted.worker import Worker
from ingrained.bench.planted.world import lines_of, planted, skill_of
from ingrained.cli.bench import planted as command
from ingrained.errors import BudgetReachedError, ConfigError, MissingExtraError
from ingrained.report.planted import planted_text

WORLD = planted(2000)
GEPA = pytest.mark.skipif(bool(absent()), reason=f"gepa is {absent()}")
ARMS = [pytest.param(name, marks=GEPA) if name == "gepa" else name for name in METHODS]
OWN = [name for name in METHODS if name != "gepa"]


@pytest.fixture(scope="module")
def small() -> PlantedBench:
    return anyio.run(lambda: measure(seeds=2, budget=60, seed=2000))


@pytest.mark.parametrize("name", ARMS)
@settings(max_examples=6, deadline=None)
@given(budget=st.integers(1, 150), seed=st.integers(2000, 2003))
@example(budget=1, seed=2000)
def test_no_method_spends_more_than_its_calls(name: str, budget: int, seed: int) -> None:
    world = planted(seed)
    found = anyio.run(ended, name, world, budget)
    assert found.calls <= budget
    known = {rule.text for rule in world.effects.rules} | {pair.merged for pair in world.effects.pairs}
    assert {part for line in lines_of(found.skill.text) for part in line.split(JOINT)} <= known


@pytest.mark.parametrize("name", ["evolve", "evolve-growing", pytest.param("gepa", marks=GEPA)])
def test_what_can_use_its_calls_uses_all(name: str) -> None:
    assert anyio.run(ended, name, WORLD, 300).calls == 300


@pytest.mark.parametrize("name", ARMS)
def test_the_same_world_gives_the_same_skill(name: str) -> None:
    assert anyio.run(ended, name, WORLD, 80) == anyio.run(ended, name, planted(2000), 80)


def test_the_worker_stops_at_its_last_call() -> None:
    worker = Worker(WORLD, 3)
    for nth in range(3):
        worker.attempt("t000", nth, WORLD.start.text)
    with pytest.raises(BudgetReachedError, match="the 3 calls"):
        worker.attempt("t000", 9, WORLD.start.text)
    assert (worker.calls, worker.left) == (3, 0)


def test_everything_that_is_mentioned_is_appended_once() -> None:
    found = anyio.run(ended, "append", WORLD, 10)
    assert sorted(lines_of(found.skill.text)) == sorted(rule.text for rule in WORLD.effects.rules)
    assert found.calls == 0


def test_only_the_growing_one_keeps_every_line_that_it_began_with_or_another_for_it() -> None:
    found = anyio.run(ended, "evolve-growing", WORLD, 1200)
    assert len(found.skill.rules) >= len(WORLD.start.rules)
    assert found.skill != WORLD.start


def test_with_calls_enough_evolve_makes_a_better_skill() -> None:
    found = anyio.run(ended, "evolve", WORLD, 2500)
    assert WORLD.value(found.skill.text) > WORLD.value(WORLD.start.text) + 0.1


def test_a_mark_is_the_planted_truth() -> None:
    rules = WORLD.effects.rules
    bad = [rule.text for rule in rules if rule.role.startswith("hurts")][:2]
    good = [rule.text for rule in rules if rule.role.startswith("helps")][:3]
    skill = skill_of([*bad, *good])
    found = mark(WORLD, skill, calls=4)
    assert (found.rules, found.harmful, found.calls, found.tokens) == (5, 2, 4, skill.tokens)
    assert found.value == pytest.approx(WORLD.value(skill.text), abs=1e-4)


def test_means_and_differences_are_those_of_the_worlds(small: PlantedBench) -> None:
    for row in small.rows:
        gains = [one.marks[row.method].value - one.start.value for one in small.worlds]
        assert row.gain.mean == pytest.approx(sum(gains) / 2, abs=1e-3)
        assert min(gains) - 1e-3 <= row.gain.low <= row.gain.mean <= row.gain.high <= max(gains) + 1e-3
    for one in small.against:
        found = [world.marks["evolve"].value - world.marks[one.other].value for world in small.worlds]
        assert one.span.mean == pytest.approx(sum(found) / 2, abs=1e-3)
        assert (one.more, one.fewer) == (sum(v > 0 for v in found), sum(v < 0 for v in found))
    value = {row.method: row.value for row in small.rows}
    assert all(value[one] >= value[other] for one, other in pairwise(small.found))
    assert small.predicted == tuple(name for name in ORDER if name in value)


def test_what_came_of_a_prediction_follows_from_the_interval(small: PlantedBench) -> None:
    assert (small.foretold[0].difference.one, small.foretold[0].difference.other) == ("evolve", "raw")
    assert small.holds == (small.foretold[0].came == "yes")
    for one in small.foretold:
        low, high = one.difference.span.low, one.difference.span.high
        assert one.came == ("yes" if low > 0 else "no" if high < 0 else "open")


def test_the_same_seed_gives_one_result(small: PlantedBench) -> None:
    again = anyio.run(lambda: measure(seeds=2, budget=60, seed=2000))
    assert again == small
    assert [one.seed for one in small.worlds] == [2000, 2001]


def test_the_report_names_every_method_and_every_prediction(small: PlantedBench) -> None:
    text = planted_text(small)
    lines = text.splitlines()
    head = next(nth for nth, line in enumerate(lines) if line.startswith("method "))
    for row, line in zip(small.rows, lines[head + 1 :], strict=False):
        assert line.startswith(f"{row.method} ")
        assert f" {row.gain.mean:+.3f} " in line
    marked = [line for line in lines if ": more " in line]
    assert len(marked) == len(small.foretold)
    assert [line[0] for line in marked] == [{"yes": " ", "no": "!", "open": "?"}[one.came] for one in small.foretold]
    assert ("NOT" in lines[-1]) == (not small.holds)
    settled = f"settled for {BUDGET:,} calls and worlds 0 to {SEEDS - 1}"
    assert settled in text
    whole = small.model_copy(update={"budget": BUDGET, "worlds": tuple(_moved(small, nth) for nth in range(SEEDS))})
    assert settled not in planted_text(whole)


def _moved(result: PlantedBench, seed: int) -> PlantedWorld:
    return result.worlds[0].model_copy(update={"seed": seed})


def test_a_method_whose_package_is_missing_is_left_out_and_named(
    small: PlantedBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(_: str) -> None:
        return None

    monkeypatch.setattr("ingrained.bench.planted.gepa.find_spec", none)
    found = anyio.run(lambda: measure(seeds=2, budget=40, seed=2000))
    assert list(found.missing) == ["gepa"]
    assert INSTALL in found.missing["gepa"]
    assert "gepa" not in found.predicted
    assert {one.difference.one for one in found.foretold} <= set(OWN)
    assert "left out: gepa: " in planted_text(found)
    with pytest.raises(MissingExtraError, match=f"not installed: .*gepa=={VERSION}"):
        by_gepa(WORLD, Worker(WORLD, 10), LotEditor(WORLD.alike, seed=0))


def test_predictions_are_about_methods_that_there_are() -> None:
    assert sorted(ORDER) == sorted(METHODS)
    assert PREDICTED[0] == CLAIM
    assert len({(one.measure, one.more, one.less) for one in PREDICTED}) == len(PREDICTED)
    place: Mapping[str, int] = {name: nth for nth, name in enumerate(ORDER)}
    for one in PREDICTED:
        assert one.measure != "value" or place[one.more] < place[one.less], "the order and the pairs agree"


@pytest.mark.parametrize(("more", "said"), [({"seeds": 1}, "--seeds 1"), ({"budget": 0}, "--budget 0")])
def test_too_little_is_refused(more: Mapping[str, int], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        anyio.run(lambda: measure(**{"seeds": 2, "budget": 10, **more}))


def test_the_command_prints_its_shape() -> None:
    words = ["bench", "planted", "--seeds", "2", "--budget", "60", "--seed", "2000", "--json", "--quiet"]
    done = subprocess.run(
        [sys.executable, "-m", "ingrained", *words], capture_output=True, text=True, encoding="utf-8", check=False
    )
    found = PlantedBench.model_validate(json.loads(done.stdout))
    assert done.returncode == (0 if found.holds else 1)
    assert (found.budget, len(found.worlds)) == (60, 2)


def test_the_command_runs_what_was_settled() -> None:
    given = inspect.signature(command).parameters
    assert (given["seeds"].default, given["budget"].default, given["seed"].default) == (SEEDS, BUDGET, 0)
