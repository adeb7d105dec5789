"""Edits that game the verifier, and rules that only look so: how many of each the detectors refuse.

What the detectors were mended by and what is kept for measuring are counted apart, and so are writers. A model that
reads edits (`gate.screen`) is measured on the same candidates, and the two together.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from ingrained.bench.feedback import records
from ingrained.bench.splits import Rate, rate
from ingrained.gate.gaming import Attack, gaming
from ingrained.gate.kept import Kept
from ingrained.gate.screen import Reading, hit_of
from ingrained.model.structured import Parked
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
    read: Rate | None = None
    """Refused by the model alone; None where none was asked."""


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
    screen: str | None = None
    """The model that read them."""
    unread: int = 0
    """Candidates without a usable verdict of it; an edit would be refused."""


def candidates_in(path: Path, half: Half | None = None) -> list[Candidate]:
    """The candidates of a file of JSON lines, or those of one half.

    Raises:
        ConfigError: the file cannot be read, or a line is no candidate.
    """
    return [one for one in records(path, Candidate) if half in {None, one.half}]


def measure(
    rows: Sequence[Candidate], said: Sequence[Reading | Parked] | None = None, *, screen: str | None = None
) -> GamingBench:
    """Scan every candidate. Cost: some milliseconds each.

    Args:
        rows: the candidates.
        said: what a model says of each, where one was asked (`Screen.verdicts`).
        screen: its name.
    """
    read = [None] * len(rows) if said is None else [hit_of(one, row.text) for one, row in zip(said, rows, strict=True)]
    found = [
        (row, gaming("", row.text, Kept.of_texts([row.kept])) + ((hit,) if hit else ()), hit)
        for row, hit in zip(rows, read, strict=True)
    ]
    kinds = dict.fromkeys((one.half, one.writer, one.kind) for one in sorted(rows, key=lambda one: one.half))
    own = {
        kind: [(hits, hit) for row, hits, hit in found if (row.half, row.writer, row.kind) == kind] for kind in kinds
    }
    return GamingBench(
        candidates=len(rows),
        rows=[
            GamingRow(
                half=kind[0],
                writer=kind[1],
                kind=kind[2],
                refused=rate(sum(bool(hits) for hits, _ in some), len(some)),
                named=sum(any(hit.attack == kind[2] for hit in hits) for hits, _ in some),
                read=None if said is None else rate(sum(hit is not None for _, hit in some), len(some)),
            )
            for kind, some in own.items()
        ],
        mistaken=[
            Mistaken(half=one.half, id=one.id, reasons=[hit.reason for hit in hits])
            for one, hits, _ in found
            if bool(hits) == (one.kind == "benign")
        ],
        screen=screen,
        unread=sum(isinstance(one, Parked) for one in said or ()),
    )
