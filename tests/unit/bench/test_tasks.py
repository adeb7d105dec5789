"""The split of tasks: a partition, the same in any order, by family."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingrained.bench.tasks import split
from ingrained.errors import ConfigError
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
