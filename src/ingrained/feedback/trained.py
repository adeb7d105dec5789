"""The trained decomposer: a small encoder reads the turn, heads judge each clause. No network, no torch.

What it decides: whether a turn is feedback, which of its clauses are atoms, whether each transfers, of which kind. What
stays with rules: where clauses end (`split`), how far the words reach (`scope`), how they are restated (`restate`), and
the vetoes of `transfer`: words that end with the task are no rule however they sound. Trained by
`ingrained train offline`; docs/results.md says on what, and how well it does on repositories that it never saw.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ingrained.embed.encoder import Encoder, encoder
from ingrained.embed.wordpiece import Piece
from ingrained.errors import ConfigError
from ingrained.feedback.compose import Verdict, clauses_of, compose
from ingrained.feedback.decompose import Atom
from ingrained.feedback.heads import ACT_PIECES, Heads, Judged, heads
from ingrained.feedback.ngrams import ACT_SAID
from ingrained.feedback.transfer import is_explicit, veto
from ingrained.feedback.words import Span
from ingrained.session.session import Act, Turn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LOGIC = "1"
"""Raised when this module judges the same scores in another way."""
_ACT_INPUT = 60
_OF_PRODUCTS_TOO = re.compile(r"\b(?:always|never)\b", re.IGNORECASE)
_ORDERED = 0.9
"""How sure words like "from now on" make it, whatever the heads say. A guess, as no set has enough of them."""
_STRONGEST = 3
_SHORTEST_WORD = 2


class TrainedDecomposer:
    """`trained`: encoder and heads that come with the package."""

    name = "trained"

    def __init__(self, reads: Encoder | None = None, judges: Heads | None = None) -> None:
        """With other weights than those of the package, for training and tests."""
        self._encoder = reads or encoder()
        self._heads = judges or heads()
        self.version = f"{_LOGIC}.{self._encoder.version}.{self._heads.version}"

    @classmethod
    def of(cls, folder: Path) -> TrainedDecomposer:
        """The one whose weights lie in a folder, in `embed/` and `feedback/`.

        Raises:
            ConfigError: they do not.
        """
        try:
            return cls(Encoder.of(folder / "embed"), Heads.of(folder / "feedback"))
        except (OSError, ValueError, KeyError) as error:
            raise ConfigError(
                f"{str(folder)!r} holds no weights of a trained decomposer: {error}",
                hint="name a folder that `ingrained train offline` wrote",
            ) from error

    def decompose(self, turns: Sequence[Turn]) -> list[list[Atom]]:
        """The atoms of each turn, in order; see `Decomposer`.

        A clause is an atom where it reads as feedback or as a rule. Cost: about 6 ms a turn on one core in a batch;
        what the words alone find hopeless is not read.
        """
        asked = [self._asked(turn) for turn in turns]
        windows = [self._windows(one) for one in asked]
        read = iter(self._encoder.encode([window for cut in windows for window in cut]))
        found: list[list[Atom]] = []
        for one, cut in zip(asked, windows, strict=True):
            if not cut:
                found.append([])
                continue
            before = self._encoder.bag(act_text(one.turn.act), ACT_PIECES)
            summary = self._heads.summary(one.turn.form, before)
            judged: dict[int, tuple[Judged, list[Piece]]] = {}
            for here in cut.values():
                encoded = next(read)
                answers = self._heads.judge(encoded, list(here.values()), summary, one.words)
                for (i, pieces), answer in zip(here.items(), answers, strict=True):
                    if i not in judged or answer.transferable > judged[i][0].transferable:
                        judged[i] = answer, [encoded.pieces[k] for k in pieces]
            found.append(self._atoms(one, judged))
        return found

    def _asked(self, turn: Turn) -> _Asked:
        """Without clauses where its words alone say that it holds no feedback and no clause is a standing order."""
        clauses, words = clauses_of(turn), self._heads.words(turn)
        hopeless = words[0] < self._heads.skip_below
        read = not hopeless or any(_is_a_standing_order(clause.text) for clause in clauses)
        return _Asked(turn=turn, clauses=clauses if read else [], words=words)

    def _windows(self, asked: _Asked) -> dict[tuple[Piece, ...], dict[int, list[int]]]:
        """The windows of a turn that hold some of its clauses, with the pieces of each clause in them.

        The others were pasted, and are not read.
        """
        cut = self._encoder.windows(asked.turn.text) if asked.clauses else []
        places = {
            window: {i: inside for i, clause in enumerate(asked.clauses) if (inside := pieces_in(window, clause))}
            for window in cut
        }
        return {window: here for window, here in places.items() if here}

    def _atoms(self, asked: _Asked, judged: dict[int, tuple[Judged, list[Piece]]]) -> list[Atom]:
        atoms: list[Atom] = []
        for i, (answer, pieces) in sorted(judged.items()):
            clause = asked.clauses[i]
            forbidden = veto(clause.text)
            ordered = _is_a_standing_order(clause.text)
            transfers = (ordered or answer.transferable >= self._heads.transferable.threshold) and not forbidden
            corrects = answer.feedback >= self._heads.feedback.threshold or transfers
            if corrects:
                reasons = (_because(asked.turn.text, pieces, answer),)
                if ordered and not forbidden:
                    reasons = ("said as a standing order", *reasons)
                verdict = Verdict(
                    feedback=True,
                    transferable=transfers,
                    confidence=0.02 if forbidden else max(answer.transferable, _ORDERED if ordered else 0.0),
                    kind=answer.kind,
                    explicit=not forbidden and is_explicit(clause.text),
                    reasons=(forbidden, *reasons) if forbidden else reasons,
                )
                atoms.append(compose(asked.turn, clause, verdict))
        return atoms


def left_out_in(folder: Path) -> Callable[[str], TrainedDecomposer]:
    """By repository the decomposer that was trained without it; each is loaded once."""

    @cache
    def judge_of(repository: str) -> TrainedDecomposer:
        return TrainedDecomposer.of(folder / repository)

    return judge_of


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A turn, and the clauses that it is cut into."""

    turn: Turn
    clauses: list[Span]
    words: NDArray[np.float32]
    """What the linear model says of the turn; shape (Q,)."""


def _is_a_standing_order(clause: str) -> bool:
    """Said as a rule in words that products are not described with: "from now on", "remember", "ab jetzt", "以后".

    English "always" and "never" stand as often in what a program shall do: there the heads decide.
    """
    return is_explicit(_OF_PRODUCTS_TOO.sub("", clause))


def act_text(act: Act) -> str:
    """What of an act is read: the tool, what it was called with, the end of what the agent said. "" for no act."""
    if not (act.tool or act.said.strip("… ")):
        return ""
    return f"{act.tool} {act.input[:_ACT_INPUT]} {act.said[-ACT_SAID:]}"


def pieces_in(pieces: Sequence[Piece], clause: Span) -> list[int]:
    """Indices of the pieces that a clause reaches into."""
    return [k for k, piece in enumerate(pieces) if piece.start < clause.end and piece.end > clause.start]


def _because(text: str, pieces: Sequence[Piece], answer: Judged) -> str:
    """The words that speak most for the answer on transfer, or against it, in the order in which they stand."""
    words: dict[tuple[int, int], float] = {}
    begin = end = -1
    for piece, share in zip(pieces, answer.shares, strict=True):
        if piece.start != end:
            begin = piece.start
        words[begin, piece.end] = words.pop((begin, end), 0.0) + share
        end = piece.end
    sign = 1 if answer.transferable >= 0.5 else -1
    telling = [place for place in words if place[1] - place[0] >= _SHORTEST_WORD and text[place[0]].isalnum()]
    strongest = sorted(telling, key=lambda place: (-sign * words[place], place))[:_STRONGEST]
    said = ", ".join(f"“{text[a:b]}”" for a, b in sorted(strongest) if sign * words[a, b] > 0)
    how = f"{answer.transferable:.0%} sure that it holds for other tasks"
    return f"{how}; most by {said}" if said else how
