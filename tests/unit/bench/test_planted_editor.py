"""The simulated editor: it proposes by lot what can be proposed, never what was rejected or what it may not."""

from __future__ import annotations

from collections import Counter

import anyio
from hypothesis import given, settings
from hypothesis import strategies as st

from ingrained.bench.planted.editor import GROWING, OPS, LotEditor
from ingrained.bench.planted.effects import JOINT
from ingrained.bench.planted.world import lines_of, planted, skill_of
from ingrained.learn.editor import Proposed, Rejected
from ingrained.skill.edit import Create, Edit, Merge, Noop, Prune, Update
from ingrained.skill.living import Living

WORLD = planted(2000)
TEXTS = [rule.text for rule in WORLD.effects.rules]
skills = st.lists(st.sampled_from([*TEXTS, *WORLD.alike.values()]), unique=True, max_size=8).map(skill_of)
units = st.sampled_from(WORLD.units)


def editor(seed: int = 0, **more: object) -> LotEditor:
    return LotEditor(WORLD.alike, seed=seed, **more)  # pyrefly: ignore


def edits(found: Proposed) -> list[Edit]:
    return [one.edit for one in found.candidates if one.edit is not None]


@settings(max_examples=30, deadline=None)
@given(living=skills, unit=units, seed=st.integers(0, 99))
def test_a_group_is_what_an_editor_gives(living: Living, unit: object, seed: int) -> None:
    found = anyio.run(editor(seed).propose, living, unit)
    names = [one.name for one in found.candidates]
    assert len(found.samples) == len(found.answers) == 8
    assert set(found.samples) == set(names)
    assert len(set(names)) == len(names)
    after = [one.after.text for one in found.candidates if one.after is not None]
    assert len(set(after)) == len(after)
    assert living.text not in after
    for one in found.candidates:
        assert (one.after is None) == (isinstance(one.edit, Noop) or bool(one.invalid))


@settings(max_examples=30, deadline=None)
@given(living=skills, unit=units, seed=st.integers(0, 99))
def test_what_was_rejected_is_not_proposed_again(living: Living, unit: object, seed: int) -> None:
    rejected = Rejected.none()
    one, seen = editor(seed), 0
    for _ in range(6):
        group = edits(anyio.run(one.propose, living, unit, rejected))
        assert not [edit for edit in group if rejected.why(edit)]
        for edit in group:
            rejected = rejected.with_(edit, "it was no good")
            seen += not isinstance(edit, Noop)
    assert len(rejected.reasons) == seen


@settings(max_examples=30, deadline=None)
@given(living=skills, unit=units, seed=st.integers(0, 99))
def test_an_editor_that_may_only_grow_never_shortens(living: Living, unit: object, seed: int) -> None:
    found = anyio.run(editor(seed, ops=GROWING).propose, living, unit)
    for one in found.candidates:
        assert isinstance(one.edit, Create | Update | Noop) or one.invalid
        if one.after is not None:
            assert len(one.after.rules) >= len(living.rules)


@settings(max_examples=30, deadline=None)
@given(living=skills, unit=units, seed=st.integers(0, 99))
def test_new_words_are_those_that_the_evidence_mentions(living: Living, unit: object, seed: int) -> None:
    for edit in edits(anyio.run(editor(seed).propose, living, unit)):
        if isinstance(edit, Create | Update):
            assert edit.text in unit.parts  # pyrefly: ignore
            assert edit.text not in {part for line in lines_of(living.text) for part in line.split(JOINT)}
            assert edit.evidence == unit.evidence  # pyrefly: ignore
        if isinstance(edit, Merge):
            assert edit.text in WORLD.alike.values()


def test_every_kind_of_edit_comes_up_and_rules_of_all_kinds() -> None:
    living = skill_of([text for pair in WORLD.alike for text in pair])
    one = editor()
    kinds: Counter[str] = Counter()
    created: set[str] = set()
    for nth in range(100):
        unit = WORLD.units[nth % len(WORLD.units)]
        for edit in edits(anyio.run(one.propose, living, unit)):
            kinds[edit.op] += 1
            if isinstance(edit, Create):
                created.add(edit.text)
    assert set(kinds) == {"create", "update", "merge", "prune", "noop"}
    assert created == set(TEXTS) - {text for pair in WORLD.alike for text in pair}


def test_the_same_question_is_answered_anew_each_time_and_the_same_by_the_same_seed() -> None:
    def asked(seed: int) -> list[Proposed]:
        one = editor(seed)
        return [anyio.run(one.propose, WORLD.start, WORLD.units[0]) for _ in range(5)]

    first = asked(1)
    assert asked(1) == first
    assert asked(2) != first
    assert len({found.answers for found in first}) > 1


def test_an_invalid_edit_comes_up_now_and_then_and_one_is_taken_at_a_time() -> None:
    one = editor(3)
    groups = [anyio.run(one.propose, WORLD.start, unit) for unit in WORLD.units * 4]
    assert 0 < sum(any(found.invalid for found in group.candidates) for group in groups) < len(groups)
    single = [one.one(WORLD.start, unit).op for unit in WORLD.units * 4]
    assert {"create", "prune"} <= set(single)


def test_where_nothing_can_be_proposed_it_is_a_noop() -> None:
    found = anyio.run(editor(ops=("merge",)).propose, skill_of([]), WORLD.units[0])
    assert [one.edit for one in found.candidates] == [Noop()]
    pruned = anyio.run(editor(ops=("prune",)).propose, skill_of(TEXTS[:1]), WORLD.units[0])
    assert [type(one.edit) for one in pruned.candidates] == [Prune]
    assert OPS[0] == "create"
