"""Alignment measured: on a tiny file where the figures are plain, and on the development pairs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ingrained.bench.align import measure
from ingrained.errors import ConfigError
from ingrained.report.bench import align_text

SETS = Path(__file__).parents[3] / "benchmarks" / "sets"


def pair(id: str, atom: str, label: str, **target: str) -> dict[str, object]:
    return {"id": id, "atom": atom, "transferable": True, "target": target, "label": label, "why": "", "more": 1}


def write(path: Path, *rows: dict[str, object]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_three_figures_and_what_was_mistaken(tmp_path: Path) -> None:
    path = write(
        tmp_path / "p.jsonl",
        pair("a", "Make it longer.", "aligned", dimension="length", direction="longer"),
        pair("b", "Make it longer.", "aligned", dimension="length", direction="shorter"),
        pair("c", "Adjust the length.", "opposed", dimension="Length", direction="more concise"),
        pair("d", "Adjust the length.", "abstain", dimension="len", direction="longer"),
        pair("e", "Avoid brackets.", "abstain", dimension="expression", direction="fewer", feature="parenthetical"),
    )
    found = measure(path)
    assert (found.accuracy.hits, found.accuracy.n) == (1, 3)
    assert (found.coverage.hits, found.coverage.n) == (2, 3)
    assert (found.abstained.hits, found.abstained.n) == (1, 2)
    assert 0 < found.accuracy.low < 1 / 3 < found.accuracy.high < 1
    assert [(one.dimension, one.feature, one.n, one.right) for one in found.dimensions] == [
        ("length", None, 4, 2),
        ("expression", "parentheses", 1, 0),
    ]
    assert [(one.id, one.meant, one.answered) for one in found.missed] == [
        ("b", "aligned", "opposed"),
        ("c", "opposed", "abstain"),
        ("e", "abstain", "aligned"),
    ]
    text = align_text(found)
    assert "1 of 3 (0.33" in text
    assert "aligned as opposed 1, opposed as abstain 1" in text


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ({"dimension": "tone", "direction": "more"}, "'tone' 'more' is unknown"),
        ({"dimension": "length", "direction": "sideways"}, "'sideways' is unknown"),
        ({"dimension": "expression", "direction": "more"}, "feature None"),
        ({"dimension": "coverage", "direction": "mention"}, "term ''"),
        ({"dimension": "leakage", "direction": "mention", "term": "Paris"}, "'leakage' 'mention' is unknown"),
    ],
)
def test_a_target_that_no_rubric_has_is_named(tmp_path: Path, target: dict[str, str], says: str) -> None:
    path = write(tmp_path / "p.jsonl", pair("odd", "Make it longer.", "aligned", **target))
    with pytest.raises(ConfigError, match="'odd'") as raised:
        measure(path)
    assert says in raised.value.message


def test_a_line_that_is_no_pair_is_named(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"id": "a"}\n', "utf-8")
    with pytest.raises(ConfigError, match=r"p\.jsonl:1: atom"):
        measure(path)


def test_the_development_pairs_are_decided_as_they_were_when_the_tables_were_written() -> None:
    found = measure(SETS / "align-dev.jsonl")
    assert found.pairs >= 2700
    assert found.accuracy.hits / found.accuracy.n >= 0.99
    assert found.coverage.hits / found.coverage.n >= 0.85
    assert found.abstained.hits / found.abstained.n >= 0.98
