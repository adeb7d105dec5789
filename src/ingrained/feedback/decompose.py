"""The decomposer seam: a turn goes in, atoms come out.

An atom is one independently actionable rule in a turn (SkillGrain, section 3.1). Every atom of the turn is listed,
transferable or not, because `rules --all` has to say why one did not become a rule. Decomposers are pure: the same
turn gives the same atoms, and nothing but the turn is looked at; what recurs is decided later, over all atoms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from ingrained.ids import AtomKey, MessageKey, atom_key
from ingrained.registry import Registry
from ingrained.session.session import Turn

Kind = Literal["communication", "workflow", "validation", "follow-up", "commit", "style", "other"]
Polarity = Literal["do", "avoid"]
Relation = Literal["states", "narrows", "retracts"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Atom:
    """One independently actionable piece of feedback in a turn."""

    message: MessageKey
    start: int
    """Offset of `quote` in the turn's text, in characters."""
    quote: str
    """The person's words, verbatim."""
    text: str
    """The same as a short imperative, in positive form where the words allow, in the person's terms and language."""
    kind: Kind
    polarity: Polarity
    transferable: bool
    """Holds for a different task of the same person (SkillGrain, eq. 7: the decision z; its benchmark's label is τ)."""
    confidence: float
    """How sure the decomposer is that the atom transfers, in [0, 1]."""
    feedback: bool = True
    """False: a plain request about a practice. It is no correction, and counts only where the same request recurs."""
    explicit: bool = False
    """Said as a standing rule: always, never, from now on, remember."""
    when: str = ""
    """The condition in the person's words ("while we work on cart"); empty where there is none."""
    paths: tuple[str, ...] = ()
    """Globs or folders that the words restrict the rule to (`*.go`, `api/`)."""
    project: bool = True
    """Said about this project; false where the words or the kind make it hold everywhere."""
    expires: bool = False
    """The words give it an end ("for now", "just this once")."""
    relation: Relation = "states"
    """`narrows` or `retracts` an earlier atom on the same subject instead of stating a new rule."""
    reasons: tuple[str, ...] = ()
    """Why it was judged so, most important first, each a short phrase for a person to read."""

    @property
    def key(self) -> AtomKey:
        """Identity: the message and where in it."""
        return atom_key(self.message, self.start)


class Decomposer(Protocol):
    """Turns turns into atoms. `name` and `version` together identify its judgement in the ledger."""

    name: str
    version: str

    def decompose(self, turns: Sequence[Turn]) -> list[list[Atom]]:
        """For each turn its atoms in the order of their quotes; none where it holds no feedback.

        Several turns at once, since models are fastest so; what else is in the batch never changes an answer.
        """
        ...


@runtime_checkable
class Parking(Protocol):
    """A decomposer that may leave a turn open: it was asked and has no answer. Such a turn is no turn without atoms."""

    @property
    def parked(self) -> Mapping[MessageKey, str]:
        """The turns that are open, of all that it was given so far, each with the reason for a person to read."""
        ...

    def announce(self, turns: Sequence[Turn]) -> None:
        """Told once what is to come, before any of it: the moment to refuse, or to let the person refuse.

        Raises:
            IngrainedError: it is not to be done.
        """
        ...


DECOMPOSERS: Registry[type[Decomposer]] = Registry(
    "ingrained.decomposers",
    {
        "trained": "ingrained.feedback.trained:TrainedDecomposer",
        "rules": "ingrained.feedback.offline:RuleDecomposer",
    },
)
DEFAULT_DECOMPOSER = "rules"
