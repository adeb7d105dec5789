"""Cutting and the same rule, measured on tiny sets where the right figures are plain."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from ingrained.bench import pairs, splits
from ingrained.errors import ConfigError
from ingrained.feedback.compose import Verdict, compose
from ingrained.feedback.decompose import Atom
from ingrained.feedback.words import Span
from ingrained.session.session import Turn

SETS = Path(__file__).parents[3] / "benchmarks" / "sets"


class Known:
    """Finds the quotes it is told; those in capitals transfer."""

    name, version = "known", "1"

    def __init__(self, *quotes: str) -> None:
        self.quotes = quotes

    def decompose(self, turns: Sequence[Turn]) -> list[list[Atom]]:
        return [[self.atom(turn, quote) for quote in self.quotes if quote in turn.text] for turn in turns]

    def atom(self, turn: Turn, quote: str) -> Atom:
        start = turn.text.find(quote)
        span = Span(start=start, end=start + len(quote), text=quote)
        verdict = Verdict(
            feedback=True, transferable=quote.isupper(), confidence=0.5, kind="other", explicit=False, reasons=()
        )
        return compose(turn, span, verdict)


def write(path: Path, rows: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def mixed(id: str, text: str, *atoms: tuple[str, bool]) -> dict[str, object]:
    marks = [{"quote": quote, "transferable": transferable} for quote, transferable in atoms]
    return {"id": id, "lang": "en", "form": "rejection", "text": text, "atoms": marks}


def test_splits(tmp_path: Path) -> None:
    path = write(
        tmp_path / "s.jsonl",
        [
            mixed("a", "USE TABS HERE. the title is wrong", ("USE TABS HERE", True), ("the title is wrong", False)),
            mixed("b", "RUN THE TESTS and then commit it", ("RUN THE TESTS", True)),
            mixed("c", "ok, go on with that"),
        ],
    )
    # Finds the first two whole, half of nothing else, and one that is no atom.
    found = splits.measure(path, Known("USE TABS HERE.", "the title is wrong", "TESTS", "go on with that"))
    assert (found.turns, found.found.hits, found.found.n, found.right.n) == (3, 2, 3, 4)
    assert found.whole.hits == 1
    assert (found.transferable_found.hits, found.transferable_found.n) == (1, 2)
    assert (found.transferable_right.hits, found.transferable_right.n) == (1, 2)
    assert found.f1 == round(2 * 2 / (3 + 4), 4)
    with pytest.raises(ConfigError, match=r"s\.jsonl:1"):
        splits.measure(write(path, [{"id": 3}]), Known())


def test_pairs(tmp_path: Path) -> None:
    def pair(id: str, a: str, b: str, same: bool, why: str) -> dict[str, object]:
        return {"id": id, "group": id, "a": {"quote": a}, "b": {"quote": b}, "same": same, "why": why}

    path = write(
        tmp_path / "p.jsonl",
        [
            pair("1", "never edit the lock file by hand", "do not edit the lock file by hand", True, "repeat"),
            pair("2", "use tabs, not spaces", "use spaces, not tabs", False, "opposite"),
            pair("3", "answer in one sentence", "run pytest after every change", False, "unrelated"),
            pair("4", "why is every line explained again?", "drop the comments", True, "complaint"),
        ],
    )
    found = pairs.measure(path, seed=1)
    assert (found.pairs, found.same, found.precision, found.recall) == (4, 2, 1.0, 0.5)
    by = {kind.why: kind for kind in found.kinds}
    assert by["repeat"].joined == 1
    assert (by["opposite"].joined, by["opposite"].opposed) == (0, 1)
    assert found.f1_low <= found.f1 <= found.f1_high
    assert pairs.measure(path, seed=1) == found


def test_the_sets_that_come_along_can_be_measured() -> None:
    assert splits.measure(SETS / "splits.jsonl", Known()).found.n == 312
    assert pairs.measure(SETS / "pairs.jsonl").pairs == 504
