"""A judge that is only remembered: what a language model made of turns is read from the ledger without the model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from ingrained.feedback.decompose import Atom
from ingrained.ids import MessageKey
from ingrained.session.session import Turn

PREFIX: Final = "model:"
"""Before a reference to a model, where the name of a decomposer is asked for."""


class RecordedJudge:
    """A model whose judgements are in the ledger and that is not asked now: `rules` and `why` need no model.

    It leaves every turn open that it is given.
    """

    def __init__(self, name: str, version: str) -> None:
        self.name = name
        self.version = version
        self._parked: dict[MessageKey, str] = {}

    @property
    def parked(self) -> Mapping[MessageKey, str]:
        """All turns that it was given."""
        return self._parked

    def announce(self, turns: Sequence[Turn]) -> None:
        """Nothing is to come."""

    def decompose(self, turns: Sequence[Turn]) -> list[list[Atom]]:
        """No atoms: nothing is asked without `--model`."""
        reason = f"{self.name} judges here; nothing is asked without --model {self.name.removeprefix(PREFIX)}"
        self._parked.update((turn.key, reason) for turn in turns)
        return [[] for _ in turns]
