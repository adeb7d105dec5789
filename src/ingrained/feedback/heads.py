"""The trained heads: from the encoder's states to how likely a clause is feedback, a rule that transfers, and its kind.

A question's score is the turn's plus the clause's, both linear in the states and in a short summary of what came before
(the way in, and the agent's last act), plus what the turn's very words add (`ngrams`). So a turn has as high a score as
its highest clause, and each piece of the text has a share in it that can be told: that is what the reasons are made of.
Scores become probabilities by one slope and one offset a question, fitted on turns that the heads were not trained on.
Axes: C clauses, D = 384 of a state, A = 64 of the summary, Q = 2 questions (feedback, transferable), K kinds.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, get_args

from ingrained.embed.encoder import Encoded
from ingrained.feedback.decompose import Kind
from ingrained.feedback.ngrams import FORMS, surface
from ingrained.session.session import Form, Turn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

KINDS: tuple[Kind, ...] = get_args(Kind)
ACT_PIECES = 48
"""Pieces of the act that are looked at, the last ones."""
BAG = 8.0
"""The act's mean vector is this many times as long as the encoder's; it was trained so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """From a score to a probability, sigmoid(slope * score + offset), and the one from which the answer is yes."""

    slope: float
    offset: float
    threshold: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What the heads say of one clause."""

    feedback: float
    """Probability in [0, 1]."""
    transferable: float
    """Probability in [0, 1]."""
    kind: Kind
    shares: tuple[float, ...]
    """For each piece of the clause its share in the clause's score for "transferable"."""


class Heads:
    """The weights behind the judgement. `version` names them."""

    def __init__(
        self,
        tensors: Mapping[str, NDArray[np.float32]],
        scales: Mapping[str, Scale],
        version: str,
        skip_below: float = -math.inf,
    ) -> None:
        """From tensors as `ingrained train offline` writes them.

        `act.weight` (A, D + 7), `clause.weight` (Q + K, D + A), `turn.weight` (Q, 2 D + A), `words.weight` (Q, inputs
        of `ngrams`), and a bias for each.
        """
        self.version = version
        self.skip_below = skip_below
        """Where `words` says less than this for feedback, a turn is not read, unless it holds a standing order."""
        self.feedback, self.transferable = scales["feedback"], scales["transferable"]
        self._tensors = {name: tensor.astype("float32") for name, tensor in tensors.items()}

    @classmethod
    def of(cls, folder: Traversable) -> Heads:
        """The ones whose weights lie in a folder.

        Raises:
            OSError: a file is missing.
            ValueError: or holds something else.
        """
        from safetensors.numpy import load

        facts = json.loads(folder.joinpath("heads.json").read_text("utf-8"))
        scales = {name: Scale(**facts[name]) for name in ("feedback", "transferable")}
        skip_below = facts.get("skip", {}).get("below", -math.inf)
        return cls(load(folder.joinpath("heads.safetensors").read_bytes()), scales, facts["version"], skip_below)

    def summary(self, form: Form, bag: NDArray[np.float32]) -> NDArray[np.float32]:
        """What came before a turn, shape (A,).

        Args:
            form: how the words came in.
            bag: mean of the act's plain vectors, shape (D,); zero where the log tells of no act.
        """
        import numpy as np

        # One more than the forms: what the agent did before is known.
        facts = np.zeros(len(FORMS) + 1, dtype=np.float32)
        facts[FORMS.index(form)] = 1
        facts[-1] = bag.any()
        return np.tanh(self._linear("act", np.concatenate([bag * BAG, facts])))

    def words(self, turn: Turn) -> NDArray[np.float32]:
        """What the very words of a turn add to its scores, shape (Q,)."""
        indices, values = surface(turn)
        return self._tensors["words.weight"][:, indices] @ values + self._tensors["words.bias"]

    def judge(
        self,
        encoded: Encoded,
        clauses: Sequence[Sequence[int]],
        summary: NDArray[np.float32],
        words: NDArray[np.float32],
    ) -> list[Judged]:
        """What each clause of a window is.

        Args:
            encoded: the window.
            clauses: for each clause the indices of its pieces in the window, at least one.
            summary: from `summary`.
            words: from `words`.
        """
        import numpy as np

        states = encoded.states
        whole = np.concatenate([states[1:].mean(axis=0), states[0], summary])
        turn = self._linear("turn", whole) + words
        rows = np.stack([states[1 + np.array(clause)].mean(axis=0) for clause in clauses])
        scores = self._linear("clause", np.hstack([rows, np.tile(summary, (len(rows), 1))]))
        weight = self._tensors["clause.weight"][1, : states.shape[1]]
        return [
            Judged(
                feedback=_probability(self.feedback, float(turn[0] + score[0])),
                transferable=_probability(self.transferable, float(turn[1] + score[1])),
                kind=KINDS[int(score[2:].argmax())],
                shares=tuple((states[1 + np.array(clause)] @ weight / len(clause)).tolist()),
            )
            for clause, score in zip(clauses, scores, strict=True)
        ]

    def _linear(self, name: str, values: NDArray[np.float32]) -> NDArray[np.float32]:
        return values @ self._tensors[name + ".weight"].T + self._tensors[name + ".bias"]


def _probability(scale: Scale, score: float) -> float:
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, scale.slope * score + scale.offset))))


@lru_cache(maxsize=1)
def heads() -> Heads:
    """The heads that come with the package, loaded once a process."""
    return Heads.of(files("ingrained.feedback").joinpath("weights"))
