"""Sets of tasks by name or path; their split: a partition, the same in any order, by family."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingrained.bench.tasks import BENCHES, path_of, split, tasks_of
from ingrained.errors import ConfigError, UnknownNameError
from ingrained.harness.base import Task


def tasks(sizes: list[int]) -> list[Task]:
    return [
        Task(id=f"{family}-{number}", benchmark="invented", family=f"f{family}", request="?")
        for family, size in enumerate(sizes)
        for number in range(size)
    ]


@given(st.lists(st.integers(1, 9), min_size=1, max_size=4), st.floats(0, 0.99), st.integers(0, 99), st.randoms())
def test_a_split_is_a_partition_that_no_order_changes(sizes: list[int], share: float, seed: int, order: object) -> None:
    every = tasks(sizes)
    made = split(every, share=share, seed=seed)
    assert Counter(one.id for one in (*made.pool, *made.held_out)) == Counter(one.id for one in every)
    held = Counter(one.family for one in made.held_out)
    for family, size in enumerate(sizes):
        assert held[f"f{family}"] == min(round(share * size), size - 1)
    mixed = list(every)
    order.shuffle(mixed)  # type: ignore[attr-defined]
    assert {one.id for one in split(mixed, share=share, seed=seed).held_out} == {one.id for one in made.held_out}


def test_the_seed_decides() -> None:
    sides = {tuple(one.id for one in split(tasks([9]), share=0.4, seed=seed).held_out) for seed in range(9)}
    assert len(sides) > 1


def test_a_wrong_share_and_an_id_that_comes_twice_are_errors() -> None:
    with pytest.raises(ConfigError, match="share"):
        split(tasks([3]), share=1.0)
    with pytest.raises(ConfigError, match="one id"):
        split(tasks([3]) * 2, share=0.5)


@pytest.mark.parametrize("name", [one.name for one in BENCHES.entries() if not one.name.startswith("tau2")])
def test_a_benchmark_by_path_says_what_it_expects_where_nothing_is(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match=f"'{name}' needs a path to .") as caught:
        tasks_of(name)
    assert f"name it as {name}:PATH" in caught.value.hint
    with pytest.raises(ConfigError, match=f"{name}:.*gone: not there; expected is .") as caught:
        tasks_of(f"{name}:{tmp_path / 'gone'}")
    assert "ingrained plugins benchmark" in caught.value.hint


def test_an_unknown_benchmark_names_those_that_there_are() -> None:
    names = ", ".join(one.name for one in BENCHES.entries())
    with pytest.raises(UnknownNameError, match=f"no ingrained.benches called 'convention'; there are: {names}; did"):
        tasks_of("convention:x")


def test_a_path_may_begin_with_the_home_of_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "a:b").mkdir()
    assert path_of("evals", "~/a:b", "") == tmp_path / "a:b"


@pytest.fixture
def skill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A skill `inv` with evals, in the working folder."""
    (tmp_path / "inv" / "evals").mkdir(parents=True)
    evals = {"skill_name": "inv", "evals": [{"id": 1, "prompt": "Sum up.", "expectations": ["It is short"]}]}
    (tmp_path / "inv" / "evals" / "evals.json").write_text(json.dumps(evals), encoding="utf-8")
    (tmp_path / "inv" / "guide.md").write_text("# Guide\n", encoding="utf-8")
    (tmp_path / "inv" / "empty").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path / "inv"


@pytest.mark.parametrize("named", ["inv", "inv/", "inv/evals", "inv/evals/evals.json", "./inv", "evals:inv", " inv "])
def test_a_bare_path_that_leads_to_an_evals_json_is_meant(skill: Path, named: str) -> None:
    assert tasks_of(named) == tasks_of(f"evals:{skill / 'evals' / 'evals.json'}")
    assert [one.request for one in tasks_of(named).tasks] == ["Sum up."]


def test_the_folder_of_evals_and_one_with_a_colon_are_paths(skill: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    skill.rename(skill.parent / "a:b")
    assert len(tasks_of("a:b").tasks) == 1
    monkeypatch.chdir(skill.parent / "a:b")
    assert len(tasks_of("evals").tasks) == 1


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("inv/guide.md", "it is no evals.json"),
        ("inv/empty", "no evals.json is in it"),
        ("inv/gone", "not there"),
        ("inv/evals.d/gone.md", "not there"),
    ],
)
def test_another_path_says_what_a_reference_may_be(skill: Path, named: str, said: str) -> None:
    with pytest.raises(ConfigError, match=f"tasks '{named}': {said}; a bare path is evals/evals.json") as caught:
        tasks_of(named)
    assert "BENCH:PATH" in caught.value.hint


@pytest.mark.parametrize("named", ["", "~nobody-has-this-name", "x" * 5000, "inventions"])
def test_what_is_neither_name_nor_path_is_an_unknown_name(named: str) -> None:
    with pytest.raises(UnknownNameError, match="there are: evals"):
        tasks_of(named)


def test_a_benchmark_comes_before_a_path_that_reads_the_same(skill: Path) -> None:
    skill.rename(skill.parent / "conventions")
    with pytest.raises(ConfigError, match="'conventions' needs a path"):
        tasks_of("conventions")
