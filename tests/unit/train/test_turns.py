"""Training turns: soft labels, places, who must not meet whom."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from ingrained.errors import ConfigError
from ingrained.train.offline import Sets, _scales, load, platt
from ingrained.train.turns import Example, seconds, written

OWN = Path(__file__).parents[3] / "training"


def lines(path: Path, rows: list[dict[str, object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


@pytest.fixture
def sets(tmp_path: Path) -> Sets:
    data, own = tmp_path / "data", tmp_path / "own"
    atom = {"rule": "Use tabs", "transferable": True, "kind": "style"}
    voted = {"session": "a/p/s.jsonl", "line": 1, "text": "tabs please", "atoms": [atom]}
    lines(data / "sessions/labels.jsonl", [{**voted, "votes": {"feedback": 3, "transferable": 2}}])
    lines(
        data / "sessions/silver.jsonl",
        [
            {"session": "a/p/s.jsonl", "line": 4, "text": "no, spaces", "atoms": [{**atom, "unsure": True}]},
            {"session": "a/p/s.jsonl", "line": 9, "text": "No, spaces ", "atoms": []},
            {"session": "b/p/s.jsonl", "line": 2, "text": "run it", "atoms": []},
        ],
    )
    task = {"task_file": "tasks/cli-task-1/oracle.json", "intent_id": 3, "text": "'wrong file'", "atoms": [atom]}
    lines(data / "swe-together/silver.jsonl", [task])
    lines(
        own / "second.jsonl",
        [{"key": "silver:a/p/s.jsonl:4", "atoms": [{"start": 4, "end": 10, "transferable": False, "kind": "style"}]}],
    )
    lines(
        own / "written/x.jsonl",
        [
            {
                "id": "x-1",
                "person": "p1",
                "text": "ok. never push yourself",
                "act": {"tool": "Bash", "input": "git push", "said": "Pushed."},
                "atoms": [{"quote": "never push yourself", "transferable": True, "kind": "commit"}],
            }
        ],
    )
    return Sets.under(data, own)


def by_key(examples: list[Example]) -> dict[str, Example]:
    return {one.key: one for one in examples}


def test_labels_are_soft(sets: Sets) -> None:
    found = by_key(load(sets))
    voted = found["labels:a/p/s.jsonl:1"]
    assert (voted.feedback, round(voted.transferable, 3)) == (1.0, 0.667)
    twice = found["silver:a/p/s.jsonl:4"]
    assert twice.feedback == (0.65 + 1) / 2
    assert twice.transferable == 0.6 / 2
    assert twice.atoms is not None
    assert twice.turn.text[twice.atoms[0].start : twice.atoms[0].end] == "spaces"


def test_each_text_once_in_a_repository_and_each_repository_under_one_name(sets: Sets) -> None:
    found = by_key(load(sets))
    assert "silver:a/p/s.jsonl:9" not in found
    intent = found["swe:cli-task-1:3"]
    assert intent.repository == "entireio-cli"
    assert intent.turn.text == "wrong file"
    assert found["written:x-1"].repository == "written"
    assert found["written:x-1"].turn.act.tool == "Bash"


def test_a_missing_set_is_named(sets: Sets) -> None:
    sets.intents.unlink()
    with pytest.raises(ConfigError, match="swe-together"):
        load(sets)


def test_what_was_written_for_training_is_whole() -> None:
    """Every file of the folder: places found, no text twice in a person's file, second labels inside their sets."""
    files = sorted((OWN / "written").glob("*.jsonl"))
    examples = written(files)
    assert len(examples) > 4000
    for example in examples:
        for atom in example.atoms or ():
            assert example.turn.text[atom.start : atom.end].strip()
    assert len({one.key for one in examples}) == len(examples)
    assert len({key.split(":")[0] for key in seconds(OWN / "second.jsonl")}) == 2


def test_platt_finds_what_made_the_answers() -> None:
    """Against a grid search of the same likelihood."""
    random = np.random.default_rng(7)
    scores = random.normal(0, 2, 400)
    targets = (random.random(400) < 1 / (1 + np.exp(-(0.7 * scores - 1)))).astype(float)
    slope, offset = platt(scores, targets)

    def loss(a: float, b: float) -> float:
        chance = 1 / (1 + np.exp(-(a * scores + b)))
        return float(-(targets * np.log(chance) + (1 - targets) * np.log(1 - chance)).mean())

    best = min(loss(a, b) for a in np.linspace(0.2, 1.4, 61) for b in np.linspace(-2, 0, 41))
    assert loss(slope, offset) <= best + 1e-6


def test_the_threshold_is_that_of_the_best_f1(sets: Sets) -> None:
    examples = by_key(load(sets))
    rows = {
        "labels:a/p/s.jsonl:1": [2.0, 1.0, 0.7],
        "silver:b/p/s.jsonl:2": [-1.0, -2.0, -3.0],
        "silver:a/p/s.jsonl:4": [2.5, -1, 0.2],
    }
    scales = _scales(rows, examples)
    for index, question in enumerate(("feedback", "transferable")):
        scale = scales[question]
        score = rows["labels:a/p/s.jsonl:1"][index]
        chance = 1 / (1 + np.exp(-(scale["slope"] * score + scale["offset"])))
        assert scale["threshold"] <= chance
    assert scales["skip"]["below"] == pytest.approx(0.2, abs=0.01), "the lowest of those with a yes, not of all"
