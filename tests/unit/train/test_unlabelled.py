"""Turns for a teacher to answer: made of training turns alone, the same in every run; and what teachers answered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingrained.bench.feedback import bare_turn
from ingrained.ids import MessageKey
from ingrained.session.sample import sample_people
from ingrained.session.session import Act
from ingrained.train.offline import mean
from ingrained.train.prepare import Taught
from ingrained.train.turns import Example
from ingrained.train.unlabelled import from_logs, recombined


def example(key: str, text: str, tool: str, said: str) -> Example:
    turn = bare_turn(key, text, act=Act(tool=tool, said=said))
    return Example(source="written", key=key, repository="r", person="p", turn=turn, feedback=1.0, transferable=0.0)


SOME = [
    example("a", "No, put it into cart.py. And keep the old name!", "Edit", "moved it"),
    example("b", "why did you touch the lock file", "Bash", "installed"),
    example("c", "ok", "", ""),
]


@given(st.integers(0, 2**16), st.integers(0, 30))
def test_recombined_turns_hold_nothing_but_letters_of_the_given_ones(seed: int, count: int) -> None:
    found = recombined(SOME, count, name="x", seed=seed)
    assert found == recombined(SOME, count, name="x", seed=seed)
    assert len({one.key for one in found}) == count
    known = {one.turn.act for one in SOME} | {Act()}
    letters = set("".join(one.turn.text for one in SOME).lower()) | set(" .,\nand")
    for one in found:
        assert one.source == "unlabelled"
        assert one.turn.act in known
        assert set(one.turn.text.lower()) <= letters


def test_turns_of_logs_that_are_labelled_are_left_out() -> None:
    places = [one.folder for one in sample_people()][:1]
    everything = from_logs(places, [])
    assert len(everything) > 5
    assert len({one.turn.text for one in everything}) == len(everything)
    known = everything[0]
    rest = from_logs(places, [known])
    assert known.turn.text.strip()[:200] not in {one.turn.text.strip()[:200] for one in rest}
    assert len(rest) < len(everything)


chances = st.tuples(st.floats(0, 1), st.floats(0, 1))
answers = st.builds(Taught, turn=chances, clauses=st.dictionaries(st.integers(0, 3), chances, max_size=3))


@given(st.lists(st.dictionaries(st.sampled_from("abc"), answers), max_size=3))
def test_the_mean_of_teachers_lies_between_them(lessons: list[dict[str, Taught]]) -> None:
    found = mean(lessons)
    assert set(found) == {key for lesson in lessons for key in lesson}
    for key, one in found.items():
        said = [lesson[key] for lesson in lessons if key in lesson]
        for question in (0, 1):
            values = [other.turn[question] for other in said]
            assert min(values) - 1e-9 <= one.turn[question] <= max(values) + 1e-9
        assert all(place in other.clauses for place in one.clauses for other in said)


@given(answers)
def test_answers_survive_json(one: Taught) -> None:
    back = Taught.of_json(json.loads(json.dumps(one.to_json())))
    assert back.turn == pytest.approx(one.turn, abs=1e-4)
    assert set(back.clauses) == set(one.clauses)


def test_a_key_is_one_of_the_turn(tmp_path: Path) -> None:
    assert recombined(SOME, 1, name="fold", seed=0)[0].turn.key == MessageKey("mixed:fold:0")
