"""How well turns with several things in them are cut into atoms, and whether each atom is judged right.

Against places marked by hand: an atom counts as found where a clause covers most of it and little else, so that where
exactly a clause begins does not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from ingrained.bench.feedback import FORMS, bare_turn, records
from ingrained.feedback.decompose import Atom, Decomposer
from ingrained.session.session import Act, Turn
from ingrained.skill.rule import Frozen
from ingrained.stats import Agreement, wilson

OVERLAP = 0.5
"""Characters that two places share, over those of both, from which they are the same atom."""


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _Act(_Record):
    tool: str = ""
    input: str = ""
    said: str = ""


class _Atom(_Record):
    quote: str
    transferable: bool


class Mixed(_Record):
    """A turn with several things in it, and the places of its atoms."""

    id: str
    lang: str
    form: str
    text: str
    act: _Act = _Act()
    atoms: tuple[_Atom, ...]


class Rate(Frozen):
    """Hits of n, with the 95 % Wilson interval of the share."""

    hits: int
    n: int
    low: float
    high: float


class SplitsBench(Frozen):
    """`bench splits --json`."""

    version: int = 1
    decomposer: str
    decomposer_version: str
    turns: int
    found: Rate
    """Atoms marked by hand that were found."""
    right: Rate
    """Atoms found that are marked by hand."""
    f1: float
    whole: Rate
    """Turns whose atoms were all found, and no other."""
    transferable_found: Rate
    """Atoms that transfer, found and judged so."""
    transferable_right: Rate
    """Atoms judged to transfer that are marked so."""
    transferable_f1: float


def measure(path: Path, decomposer: Decomposer) -> SplitsBench:
    """Cut every turn of a file and compare. Cost: one decomposition a turn.

    Raises:
        ConfigError: the file cannot be read, or a line is no such turn.
    """
    turns = records(path, Mixed)
    answers = decomposer.decompose([_turn(one) for one in turns])
    matched = [
        _matched(one, [atom for atom in atoms if atom.feedback]) for one, atoms in zip(turns, answers, strict=True)
    ]
    asked = sum(len(one.atoms) for one in turns)
    given = sum(atom.feedback for atoms in answers for atom in atoms)
    hits = sum(map(len, matched))
    wanted = sum(atom.transferable for one in turns for atom in one.atoms)
    judged = sum(atom.transferable for atoms in answers for atom in atoms)
    both = sum(mark.transferable and atom.transferable for pairs in matched for mark, atom in pairs)
    whole = sum(
        len(pairs) == len(one.atoms) == sum(atom.feedback for atom in atoms)
        for one, pairs, atoms in zip(turns, matched, answers, strict=True)
    )
    return SplitsBench(
        decomposer=decomposer.name,
        decomposer_version=decomposer.version,
        turns=len(turns),
        found=rate(hits, asked),
        right=rate(hits, given),
        f1=round(Agreement(n=asked, positives=asked, predicted=given, hits=hits).f1, 4),
        whole=rate(whole, len(turns)),
        transferable_found=rate(both, wanted),
        transferable_right=rate(both, judged),
        transferable_f1=round(Agreement(n=asked, positives=wanted, predicted=judged, hits=both).f1, 4),
    )


def rate(hits: int, n: int) -> Rate:
    """A share with its interval."""
    interval = wilson(hits, n)
    return Rate(hits=hits, n=n, low=round(interval.low, 4), high=round(interval.high, 4))


def _matched(one: Mixed, atoms: Sequence[Atom]) -> list[tuple[_Atom, Atom]]:
    """Pairs of a mark and an atom at the same place, each in one pair, the closest first."""
    close = []
    for i, mark in enumerate(one.atoms):
        start = one.text.find(mark.quote)
        for k, atom in enumerate(atoms):
            share = _overlap((start, start + len(mark.quote)), (atom.start, atom.start + len(atom.quote)))
            if share >= OVERLAP:
                close.append((-share, i, k))
    pairs: dict[int, int] = {}
    for _, i, k in sorted(close):
        if i not in pairs and k not in pairs.values():
            pairs[i] = k
    return [(one.atoms[i], atoms[k]) for i, k in sorted(pairs.items())]


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> float:
    shared = max(0, min(one[1], other[1]) - max(one[0], other[0]))
    return shared / (one[1] - one[0] + other[1] - other[0] - shared)


def _turn(one: Mixed) -> Turn:
    act = Act(tool=one.act.tool, input=one.act.input, said=one.act.said)
    return bare_turn(one.id, one.text, form=FORMS.get(one.form, one.form), act=act)  # type: ignore[arg-type]
