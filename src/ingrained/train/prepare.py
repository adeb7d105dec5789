"""Turns as numbers for training: pieces, clauses, the act, and what is to be answered.

A turn's target is its label, what a teacher answered, or the mean of both by weight. Axes as in `feedback.heads`; N
turns of a batch, S pieces of the longest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingrained.embed.encoder import WINDOW
from ingrained.embed.wordpiece import WordPiece
from ingrained.feedback.compose import clauses_of
from ingrained.feedback.heads import ACT_PIECES, KINDS
from ingrained.feedback.ngrams import FORMS
from ingrained.feedback.trained import act_text, pieces_in
from ingrained.feedback.words import Span
from ingrained.train.turns import WEIGHTS, Example

_OVERLAP = 0.3
"""Share of a clause, or of an atom, that the other must cover for the clause to be that atom."""
_TAUGHT, _LABELLED = 1.5, 0.3
"""How much a teacher's answer counts, and what is left of a label's weight beside it."""

Answer = tuple[float, float]
"""Probabilities of feedback and of a rule that transfers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taught:
    """What a teacher says of a turn, and of those of its clauses that it read, by their place in the turn."""

    turn: Answer
    clauses: Mapping[int, Answer]

    def to_json(self) -> list[object]:
        """As `of_json` reads it, to four digits."""
        return [*map(_short, self.turn), {place: [*map(_short, answer)] for place, answer in self.clauses.items()}]

    @classmethod
    def of_json(cls, row: list[Any]) -> Taught:
        """What `to_json` made, after JSON."""
        return cls(turn=(row[0], row[1]), clauses={int(place): (a, b) for place, (a, b) in row[2].items()})


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A turn as numbers."""

    ids: list[int]
    clauses: list[list[int]]
    """For each clause the indices of its pieces."""
    places: list[int]
    """Which clauses of the turn these are; empty where it has none and is one itself."""
    act: list[int]
    """Pieces of what the agent did before, the last ones."""
    form: int
    targets: Answer
    weight: float
    clause_targets: list[tuple[float, float, int]] | None
    """For each clause feedback, transferable, kind (-1 where it is no atom); `None` where nothing is known."""

    def length(self, reads_act: int) -> int:
        """Pieces that are read, the marks apart."""
        return len(self.ids) + min(reads_act, len(self.act))


class Preparer:
    """Makes turns into numbers for one base."""

    def __init__(self, base: Path) -> None:
        """From a folder with `vocab.txt`."""
        known = vocabulary(base)
        self.pieces = WordPiece(known)
        names = ("<s>", "</s>", "<pad>") if "<s>" in known else ("[CLS]", "[SEP]", "[PAD]")
        self.start, self.end, self.filling = (self.pieces[name] for name in names)

    def prepare(self, example: Example, taught: Taught | None = None) -> Prepared:
        """A turn as the encoder reads it; of a long one the first and the last half of a window."""
        turn = example.turn
        cut = self.pieces.pieces(turn.text)
        if len(cut) > WINDOW:
            cut = [*cut[: WINDOW // 2], *cut[-WINDOW // 2 :]]
        spans = clauses_of(turn) or [Span(start=0, end=len(turn.text), text=turn.text)]
        inside = [pieces_in(cut, span) for span in spans]
        kept = [k for k, indices in enumerate(inside) if indices]
        known = [(0.0, 0.0, -1)] if example.atoms is not None else None
        if kept and example.atoms is not None:
            known = [_clause_target(spans[k], example) for k in kept]
        targets, weight = (example.feedback, example.transferable), WEIGHTS[example.source]
        if taught is not None:
            targets, weight = _mixed(targets, _LABELLED * weight, taught.turn)
            kinds = [kind for _, _, kind in known] if known else [-1] * max(1, len(kept))
            answers = [taught.clauses.get(k, taught.turn) for k in kept] or [taught.turn]
            known = [(*answer, kind) for answer, kind in zip(answers, kinds, strict=True)]
        return Prepared(
            ids=[piece.id for piece in cut] or [self.pieces["[UNK]"]],
            clauses=[inside[k] for k in kept] or [list(range(max(1, len(cut))))],
            places=kept,
            act=[piece.id for piece in self.pieces.pieces(act_text(turn.act))[-ACT_PIECES:]],
            form=FORMS.index(turn.form),
            targets=targets,
            weight=weight,
            clause_targets=known,
        )

    def tensors(self, batch: Sequence[Prepared], hidden: Sequence[bool], reads_act: int) -> dict[str, Any]:
        """A batch as tensors.

        Args:
            batch: the turns.
            hidden: whose act is not shown.
            reads_act: pieces of the act that follow the turn's.
        """
        import torch

        rows = [self._row(one, 0 if unseen else reads_act) for one, unseen in zip(batch, hidden, strict=True)]
        longest, most = max(map(len, rows)), max(len(one.clauses) for one in batch)
        acts = max(1, *(len(one.act) for one in batch))
        ids = torch.full((len(batch), longest), self.filling)
        second = torch.zeros((len(batch), longest), dtype=torch.long)
        real = torch.zeros((len(batch), longest))
        whole = torch.zeros((len(batch), longest))
        within = torch.zeros((len(batch), most, longest))
        is_clause = torch.zeros((len(batch), most), dtype=torch.bool)
        act = torch.zeros((len(batch), acts), dtype=torch.long)
        act_share = torch.zeros((len(batch), acts))
        facts = torch.zeros((len(batch), len(FORMS) + 1))
        for i, (one, row) in enumerate(zip(batch, rows, strict=True)):
            ids[i, : len(row)] = torch.tensor(row)
            real[i, : len(row)] = 1
            second[i, 2 + len(one.ids) : len(row)] = 1
            whole[i, 1 : 1 + len(one.ids)] = 1 / len(one.ids)
            for k, clause in enumerate(one.clauses):
                within[i, k, [1 + j for j in clause]] = 1 / len(clause)
                is_clause[i, k] = True
            facts[i, one.form] = 1
            if one.act and not hidden[i]:
                act[i, : len(one.act)] = torch.tensor(one.act)
                act_share[i, : len(one.act)] = 1 / len(one.act)
                facts[i, -1] = 1
        return {
            "ids": ids,
            "second": second,
            "real": real,
            "whole": whole,
            "within": within,
            "is_clause": is_clause,
            "act": act,
            "act_share": act_share,
            "facts": facts,
        }

    def _row(self, one: Prepared, reads_act: int) -> list[int]:
        row = [self.start, *one.ids, self.end]
        return [*row, *one.act[-reads_act:], self.end] if reads_act and one.act else row


def vocabulary(base: Path) -> list[str]:
    """The pieces of a base, in the order of their numbers."""
    return (base / "vocab.txt").read_text("utf-8").rstrip("\n").split("\n")


def _short(chance: float) -> float:
    return round(chance, 4)


def _mixed(label: Answer, weight: float, taught: Answer) -> tuple[Answer, float]:
    """The target whose loss is the sum of both losses by their weights (up to a constant), and that weight."""
    total = _TAUGHT + weight
    first, second = ((_TAUGHT * of + weight * at) / total for of, at in zip(taught, label, strict=True))
    return (first, second), total


def _clause_target(span: Span, example: Example) -> tuple[float, float, int]:
    start, end = span.start, span.end
    feedback, transferable, kind = 0.0, 0.0, -1
    for atom in example.atoms or ():
        shared = min(end, atom.end) - max(start, atom.start)
        if shared > 0 and shared >= _OVERLAP * min(end - start, atom.end - atom.start):
            feedback, transferable = 1.0, max(transferable, atom.transferable)
            kind = KINDS.index(atom.kind)
    return feedback, transferable, kind
