"""The threshold of a person is chosen on everybody else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from foresee_world import ANA, BEN, shape
from ingrained.bench.cover import LexicalLikeness
from ingrained.bench.threshold import Labelled, read_labels
from ingrained.errors import ConfigError
from ingrained.feedback.offline import RuleDecomposer
from ingrained.stats import wilson

PAIRS = {
    "team/ana": ("no, use pnpm, never npm", "use pnpm here and never npm please", "don't touch the header"),
    "team/ben": ("always run the linter first", "always run the whole linter before a push", "don't rename the table"),
    "team/cleo": ("don't write comments", "never write long comments there", "that is wrong, revert the retry"),
}
"""For each person two turns that say one rule, and one that says something else."""


def labelled(folder: Path, people: dict[str, tuple[str, ...]], *, rules: int = 2) -> Labelled:
    labels: list[str] = []
    grouped: list[str] = []
    for person, texts in people.items():
        for line, text in enumerate(texts, start=1):
            atom = {"rule": text, "transferable": line < 3}
            labels.append(json.dumps({"session": f"{person}/{line}.jsonl", "line": 1, "text": text, "atoms": [atom]}))
        support = [{"session": f"{person}/{line}.jsonl", "line": 1} for line in range(1, rules + 1)]
        grouped.append(json.dumps({"developer": person, "rule": texts[0], "support": support}))
    (folder / "labels.jsonl").write_text("\n".join(labels) + "\n", encoding="utf-8")
    (folder / "rules.jsonl").write_text("\n".join(grouped) + "\n", encoding="utf-8")
    return read_labels(folder / "labels.jsonl", folder, lambda _: RuleDecomposer(), LexicalLikeness())


def test_each_turn_of_a_rule_is_laid_against_the_others_of_it(tmp_path: Path) -> None:
    found = labelled(tmp_path, PAIRS).pairs(["team/ana"])
    assert [pair.same for pair in found] == [True, True, False]
    assert found[0].similarity == found[1].similarity > found[2].similarity


def test_what_a_person_said_does_not_move_that_persons_threshold(tmp_path: Path) -> None:
    before = labelled(tmp_path, PAIRS).threshold("team/ana")
    changed = {**PAIRS, "team/ana": ("never push to main", "never push hotfixes to the main branch directly", "no")}
    after = labelled(tmp_path, changed)
    assert after.threshold("team/ana") == before
    assert labelled(tmp_path, PAIRS).threshold("team/ben") != after.threshold("team/ben")


def test_the_threshold_tells_the_others_pairs_apart(tmp_path: Path) -> None:
    found = labelled(tmp_path, PAIRS)
    level = found.threshold("team/ana")
    for pair in found.pairs(["team/ben", "team/cleo"]):
        assert (pair.similarity >= level) == pair.same


def test_held_out_counts_every_pair_once(tmp_path: Path) -> None:
    told = labelled(tmp_path, PAIRS).held_out()
    assert (told.n, told.positives) == (9, 6)
    assert wilson(told.hits, told.positives).value == told.recall


def test_without_anybody_else_there_is_no_threshold(tmp_path: Path) -> None:
    found = labelled(tmp_path, {"team/ana": PAIRS["team/ana"]})
    with pytest.raises(ConfigError, match="no rule with two turns"):
        found.threshold("team/ana")


def test_mistakes_grow_with_the_number_of_rules(tmp_path: Path) -> None:
    # Cleo's third turn shares all its content words with her rule, so it is taken for the same: 1 of 3 other pairs.
    people = {
        **PAIRS,
        "team/cleo": ("don't write comments", "never write long comments", "don't write comments, I said"),
    }
    found = shape(ANA, BEN, labelled=labelled(tmp_path, people))
    assert found.chosen == "labels"
    assert found.told is not None
    assert (found.told.pairs, found.told.same) == (9, 6)
    assert found.told.mistakes.value == pytest.approx(1 / 3, abs=1e-4)
    mistakes = {row.condition: row.by_mistake for row in found.conditions}
    assert mistakes["none"] == 0
    assert mistakes["own"] == mistakes["other"] == pytest.approx(1 / 3, abs=1e-3)
    assert mistakes["pooled"] == pytest.approx(1 - (2 / 3) ** 2, abs=1e-3)
