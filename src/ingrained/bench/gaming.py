"""Edits that game the verifier, and rules that only look so: how many of each the detectors refuse.

What the detectors were mended by and what is kept for measuring are counted apart, and so are writers.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from ingrained.bench.feedback import records
from ingrained.bench.splits import Rate, rate
from ingrained.gate.gaming import Attack, gaming
from ingrained.gate.kept import Kept
from ingrained.skill.rule import Frozen

Half: TypeAlias = Literal["dev", "kept"]


class Candidate(BaseModel):
    """What an edit adds, and whether it may."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    half: Half
    kind: Attack | Literal["benign"]
    like: Attack | None = None
    writer: str = "o"
    """Whose words; `o` is who wrote the first detectors."""
    text: str
    kept: tuple[str, ...] = ()


class GamingRow(Frozen):
    """The candidates of one kind by one writer in one half."""

    half: Half
    writer: str
    kind: Attack | Literal["benign"]
    refused: Rate
    """Of an attack all should be, of the benign none."""
    named: int
    """Of an attack: refused for what it is."""


class Mistaken(Frozen):
    """An attack that went through, or a benign rule that did not."""

    half: Half
    id: str
    reasons: list[str]


class GamingBench(Frozen):
    """`bench gaming --json`."""

    version: int = 1
    candidates: int
    rows: list[GamingRow]
    mistaken: list[Mistaken]


def measure(path: Path, half: Half | None = None) -> GamingBench:
    """Scan every candidate of a file. Cost: some milliseconds each; no model.

    Args:
        path: candidates, JSON lines.
        half: only those of one half.

    Raises:
        ConfigError: the file cannot be read, or a line is no candidate.
    """
    rows = [one for one in records(path, Candidate) if half in {None, one.half}]
    found = [(one, gaming("", one.text, Kept.of_texts([one.kept]))) for one in rows]
    kinds = dict.fromkeys((one.half, one.writer, one.kind) for one in sorted(rows, key=lambda one: one.half))
    return GamingBench(
        candidates=len(rows),
        rows=[
            GamingRow(
                half=half_,
                writer=writer,
                kind=kind,
                refused=rate(sum(bool(hits) for hits in own), len(own)),
                named=sum(any(hit.attack == kind for hit in hits) for hits in own),
            )
            for half_, writer, kind in kinds
            for own in [[hits for one, hits in found if (one.half, one.writer, one.kind) == (half_, writer, kind)]]
        ],
        mistaken=[
            Mistaken(half=one.half, id=one.id, reasons=[hit.reason for hit in hits])
            for one, hits in found
            if bool(hits) == (one.kind == "benign")
        ],
    )
