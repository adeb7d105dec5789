"""The hand-written sets are what their README says: valid, verbatim, balanced, and apart from each other."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

SETS = Path(__file__).resolve().parents[3] / "benchmarks" / "sets"
ACT = {"tool", "input", "said"}
FORMS = {"typed", "with-tool", "queued", "rejection", "answer", "command"}
KINDS = {"communication", "workflow", "validation", "follow-up", "commit", "style", "other"}
LANGUAGES = {"en", "zh", "ja", "de", "es", "pt", "fr", "ko", "ru"}
SAME = {"paraphrase", "repeat", "question", "complaint", "narrower", "other-language"}
NEAR = {"opposite", "other-scope", "other-object", "other-action", "related"}
DIFFERENT = NEAR | {"unrelated"}
STOP_WORDS = frozenset("a an and the of to in on for is are it that this you i we not no don t s".split())  # noqa: SIM905

Row = dict[str, Any]


def rows(name: str) -> list[Row]:
    data = (SETS / name).read_bytes()
    assert data.endswith(b"\n")
    return [json.loads(line) for line in data[:-1].split(b"\n")]


@pytest.fixture(scope="module")
def splits() -> list[Row]:
    return rows("splits.jsonl")


@pytest.fixture(scope="module")
def pairs() -> list[Row]:
    return rows("pairs.jsonl")


@pytest.fixture(scope="module")
def training() -> list[Row]:
    return rows("pairs-train.jsonl")


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower())) - STOP_WORDS


def overlap(first: str, second: str) -> float:
    """Shared words over all words, 0 to 1."""
    one, other = words(first), words(second)
    return len(one & other) / max(len(one | other), 1)


def shared(found: list[Row]) -> float:
    return sum(overlap(row["a"]["quote"], row["b"]["quote"]) for row in found) / len(found)


def quotes(found: list[Row]) -> set[str]:
    return {row[side]["quote"] for row in found for side in "ab"}


def groups(found: list[Row]) -> set[str]:
    return {row[key] for row in found for key in ("group", "other_group") if key in row}


def spans(row: Row) -> list[tuple[int, int]]:
    pieces = [piece for atom in row["atoms"] for piece in (atom["quote"], *atom.get("more", []))]
    return sorted((row["text"].index(piece), row["text"].index(piece) + len(piece)) for piece in pieces)


def test_every_id_occurs_once(splits: list[Row], pairs: list[Row], training: list[Row]) -> None:
    found = Counter(row["id"] for row in (*splits, *pairs, *training))
    assert [name for name, times in found.items() if times > 1] == []


def test_every_turn_has_the_published_fields(splits: list[Row]) -> None:
    for row in splits:
        assert set(row) == {"id", "lang", "form", "text", "act", "atoms"}, row["id"]
        assert set(row["act"]) == ACT, row["id"]
        assert row["form"] in FORMS, row["id"]
        assert row["lang"] in LANGUAGES, row["id"]
        assert 1 <= len(row["atoms"]) <= 5, row["id"]
        for atom in row["atoms"]:
            assert {"quote", "transferable", "kind"} <= set(atom) <= {"quote", "transferable", "kind", "more"}, row[
                "id"
            ]
            assert atom["kind"] in KINDS, row["id"]
            assert isinstance(atom["transferable"], bool), row["id"]


def test_quotes_stand_once_and_verbatim_in_their_turn_and_never_overlap(splits: list[Row]) -> None:
    for row in splits:
        for atom in row["atoms"]:
            for piece in (atom["quote"], *atom.get("more", [])):
                assert piece == piece.strip() != "", row["id"]
                assert row["text"].count(piece) == 1, (row["id"], piece)
        assert all(end <= start for (_, end), (start, _) in pairwise(spans(row))), row["id"]
        starts = [row["text"].index(atom["quote"]) for atom in row["atoms"]]
        assert starts == sorted(starts), row["id"]


def test_quotes_leave_out_the_words_that_join(splits: list[Row]) -> None:
    joined = re.compile(
        r"(and|also|but|oh|then|und|et|y|e|además|另外|それと|그리고)[ ,,、]|[-*] |\d[.)] ", re.IGNORECASE
    )
    openers = [(row["id"], atom["quote"]) for row in splits for atom in row["atoms"] if joined.match(atom["quote"])]
    assert openers == []


def test_turns_hold_several_things_of_several_sorts(splits: list[Row]) -> None:
    atoms = [atom for row in splits for atom in row["atoms"]]
    assert len(splits) >= 100
    assert sum(len(row["atoms"]) > 1 for row in splits) >= 100
    assert sum(row["lang"] != "en" for row in splits) >= 15
    assert {row["lang"] for row in splits} == LANGUAGES
    assert {row["form"] for row in splits} == FORMS
    assert {atom["kind"] for atom in atoms} == KINDS
    assert 0.5 < sum(atom["transferable"] for atom in atoms) / len(atoms) < 0.7
    assert sum(len({atom["transferable"] for atom in row["atoms"]}) == 2 for row in splits) >= 60
    assert sum("more" in atom for atom in atoms) >= 3


def test_most_turns_hold_words_that_are_no_atom(splits: list[Row]) -> None:
    beside = [len(row["text"]) - sum(end - start for start, end in spans(row)) for row in splits]
    assert sum(left >= 20 for left in beside) > len(splits) / 2


@pytest.mark.parametrize("name", ["pairs.jsonl", "pairs-train.jsonl"])
def test_every_pair_has_the_published_fields(name: str) -> None:
    for row in rows(name):
        assert {"id", "group", "a", "b", "same", "why"} <= set(row), row["id"]
        assert set(row) <= {"id", "group", "other_group", "a", "b", "same", "why"}, row["id"]
        assert row["why"] in (SAME if row["same"] else DIFFERENT), row["id"]
        for side in (row["a"], row["b"]):
            assert set(side) == {"lang", "quote", "act"}, row["id"]
            assert set(side["act"]) == ACT, row["id"]
            assert side["lang"] in LANGUAGES, row["id"]
            assert side["quote"] == side["quote"].strip() != "", row["id"]
            assert "\n" not in side["quote"], row["id"]
        if row["same"]:
            assert (row["why"] == "other-language") == ({row["a"]["lang"], row["b"]["lang"]} != {"en"}), row["id"]


@pytest.mark.parametrize("name", ["pairs.jsonl", "pairs-train.jsonl"])
def test_no_pair_stands_twice_or_pairs_a_turn_with_itself(name: str) -> None:
    sides = [frozenset(json.dumps(row[side], sort_keys=True) for side in "ab") for row in rows(name)]
    assert all(len(pair) == 2 for pair in sides)
    assert len(set(sides)) == len(sides)


@pytest.mark.parametrize(("name", "least", "near"), [("pairs.jsonl", 200, 0.9), ("pairs-train.jsonl", 300, 0.6)])
def test_about_half_are_the_same_and_most_others_are_near_misses(name: str, least: int, near: float) -> None:
    found = rows(name)
    different = [row for row in found if not row["same"]]
    assert len(found) >= least
    assert 0.4 <= 1 - len(different) / len(found) <= 0.6
    assert sum(row["why"] in NEAR for row in different) / len(different) >= near
    foreign = [row for row in found if {row["a"]["lang"], row["b"]["lang"]} != {"en"}]
    assert sum(not row["same"] for row in foreign) / len(foreign) > 0.25


@pytest.mark.parametrize("name", ["pairs.jsonl", "pairs-train.jsonl"])
def test_common_words_do_not_tell_which_are_the_same(name: str) -> None:
    found = rows(name)
    same = [row for row in found if row["same"] and row["why"] != "repeat"]
    near = [row for row in found if row["why"] in NEAR]
    again = [row for row in found if row["why"] == "repeat"]
    assert shared(same) < 0.1 < shared(near) < shared(again)


def test_every_reason_occurs(pairs: list[Row]) -> None:
    counted = Counter(row["why"] for row in pairs)
    assert set(counted) == SAME | DIFFERENT
    assert min(counted.values()) >= 10


def test_training_and_evaluation_share_no_rule_and_no_sentence(pairs: list[Row], training: list[Row]) -> None:
    assert groups(pairs) & groups(training) == set()
    assert quotes(pairs) & quotes(training) == set()
    close = [
        (first, second)
        for first in quotes(pairs)
        for second in quotes(training)
        if len(words(first) & words(second)) >= 2 and overlap(first, second) >= 0.4
    ]
    assert close == []


def test_the_page_gives_the_counts_of_the_files(splits: list[Row], pairs: list[Row], training: list[Row]) -> None:
    page = (SETS / "README.md").read_text(encoding="utf-8")
    atoms = sum(len(row["atoms"]) for row in splits)
    foreign = sum(row["lang"] != "en" for row in splits)
    assert f"{len(splits)} turns, {atoms} atoms; {foreign} turns in" in page
    for found, text in (
        (pairs, "pairs over {} rules, {} of them the same rule"),
        (training, "pairs over {} other rules, {} of"),
    ):
        same = sum(row["same"] for row in found)
        assert f"{len(found)} {text.format(len(groups(found)), same)}" in page


@pytest.mark.parametrize(("name", "least", "of_a_topic"), [("align.jsonl", 150, 40), ("align-dev.jsonl", 120, 20)])
def test_pairs_of_the_alignment_are_varied_and_distinct(name: str, least: int, of_a_topic: int) -> None:
    found = rows(name)
    assert len({row["id"] for row in found}) == len(found) >= least
    assert len({(row["atom"], json.dumps(row["target"], sort_keys=True)) for row in found}) == len(found)
    labels = Counter(row["label"] for row in found)
    assert set(labels) == {"aligned", "opposed", "unrelated", "abstain"}
    assert min(labels.values()) >= 40
    topics = Counter((row["target"]["dimension"], row["target"].get("feature")) for row in found)
    assert len(topics) == 4 + 6
    assert min(topics.values()) >= of_a_topic
    for row in found:
        assert set(row) == {"id", "atom", "transferable", "target", "label", "why"}, row["id"]
        assert bool(row["target"].get("term")) == (row["target"]["dimension"] in {"coverage", "leakage"}), row["id"]


def test_no_rule_that_is_measured_was_there_to_mend_the_tables() -> None:
    measured, mended = ({row["atom"].casefold() for row in rows(f"{name}.jsonl")} for name in ("align", "align-dev"))
    assert not measured & mended
