"""The planted persons: the same seed gives the same bytes, and the truth says what stands in the logs."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pytest
from planted import Person, bank, write_people
from rapidfuzz import fuzz

from ingrained.session.read import read_file
from ingrained.session.redact import SecretRedactor

PEOPLE = 6


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Person]]:
    root = tmp_path_factory.mktemp("planted")
    return root, write_people(root, PEOPLE, seed=1)


def contents(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def test_the_same_seed_gives_the_same_bytes_and_another_seed_others(
    written: tuple[Path, list[Person]], tmp_path: Path
) -> None:
    for name, seed in (("again", 1), ("other", 2)):
        (tmp_path / name).mkdir()
        write_people(tmp_path / name, PEOPLE, seed)
    first, again, other = contents(written[0]), contents(tmp_path / "again"), contents(tmp_path / "other")
    assert first == again
    assert not set(first.values()) & set(other.values())


def test_more_people_leave_the_earlier_ones_as_they_are(written: tuple[Path, list[Person]], tmp_path: Path) -> None:
    assert write_people(tmp_path, 2, seed=1) == written[1][:2]


def test_the_truth_is_what_stands_beside_the_logs(written: tuple[Path, list[Person]]) -> None:
    root, people = written
    truth = json.loads((root / "truth.json").read_text(encoding="utf-8"))
    assert truth["version"] == 1
    logs = {str(path.relative_to(root)) for path in root.rglob("*.jsonl")}
    assert {name for person in truth["people"] for name in person["sessions"]} == logs
    assert [turn["record"] for turn in truth["people"][0]["turns"]] == [turn.record for turn in people[0].turns]


def test_our_reader_sees_the_typed_turns_and_no_others(written: tuple[Path, list[Person]]) -> None:
    root, people = written
    redactor = SecretRedactor()
    for person in people:
        planted = {(turn.session, turn.record): redactor.redact(turn.text).text for turn in person.turns}
        seen: dict[tuple[str, str], str] = {}
        for name in person.sessions:
            read = read_file(root / name, cursor=None, redactor=redactor)
            assert read is not None
            seen |= {(turn.session, turn.record): turn.text for turn in read.turns}
        assert seen == planted
        assert all(turn.planted in turn.text for turn in person.turns)


def test_rules_are_said_often_enough_in_other_words_each_time(written: tuple[Path, list[Person]]) -> None:
    for person in written[1]:
        assert 8 <= len(person.sessions) <= 20
        assert 4 <= sum(rule.holds for rule in person.rules) <= 8
        assert any(turn.kind == "one-off" for turn in person.turns)
        for rule in person.rules:
            said = [turn for turn in person.turns if turn.rule == rule.id and turn.kind in {"rule", "change"}]
            assert 2 <= len(said) <= 5
            assert len({turn.session for turn in said}) == len({turn.planted for turn in said}) == len(said)


def test_a_rule_that_holds_no_more_is_not_said_again(written: tuple[Path, list[Person]]) -> None:
    ended = overturned = 0
    for person in written[1]:
        order = {Path(name).stem: position for position, name in enumerate(person.sessions)}
        rules = {rule.id: rule for rule in person.rules}
        for rule in person.rules:
            said = sorted(order[turn.session] for turn in person.turns if turn.rule == rule.id and turn.kind != "end")
            assert said[0] == rule.since
            if rule.until is not None:
                assert said[-1] < rule.until
                overturned += bool(rule.replaced_by)
                ended += not rule.replaced_by
                assert not rule.replaced_by or rules[rule.replaced_by].since == rule.until
    assert ended
    assert overturned >= PEOPLE


def test_the_bank_is_large_and_no_two_wordings_are_near() -> None:
    rules = bank()["rule"]
    ids = {rule["id"] for rule in rules}
    assert len(ids) == len(rules) >= 60
    assert all(rule.get("replaces", rule["id"]) in ids for rule in rules)
    wordings = [words for rule in rules for words in [*rule["said"], *rule.get("change", ()), *rule.get("end", ())]]
    assert len(set(wordings)) == len(wordings)
    for rule in rules:
        assert len(rule["said"]) >= 4
        assert ("replaces" in rule) == ("change" in rule)
        assert max(fuzz.token_set_ratio(one, other) for one, other in combinations(rule["said"], 2)) < 85
