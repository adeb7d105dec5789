"""Candidates: what an editor proposed for one document, and which of it may be replayed at all.

The decision to know: what games the verifier or tells of a held-out task is refused before it costs a replay. It is no
sibling of the others then, since a number of siblings that is settled beforehand is all that the rate needs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ingrained.errors import GateError
from ingrained.gate.gaming import Hit, gaming
from ingrained.gate.kept import Kept
from ingrained.gate.plan import Aim, aim_of
from ingrained.skill.apply import apply, problem
from ingrained.skill.edit import Edit, Noop, Prune
from ingrained.skill.living import Living


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One proposed edit of a group."""

    name: str
    edit: Edit | None
    """None where what came is no edit."""
    after: Living | None = None
    """The document with it; None for a Noop and an invalid edit."""
    invalid: str = ""
    """Why it cannot be applied."""

    @classmethod
    def of(cls, name: str, before: Living, edit: Edit) -> Candidate:
        """An edit as a candidate; invalid where it does not fit the document."""
        if isinstance(edit, Noop):
            return cls(name=name, edit=edit)
        if wrong := problem(before, edit):
            return cls(name=name, edit=edit, invalid=wrong)
        after = apply(before, edit)
        if after.text == before.text:
            return cls(name=name, edit=edit, invalid="it changes nothing; a noop says so")
        return cls(name=name, edit=edit, after=after)

    def aim(self, before: Living) -> Aim:
        """What it has to show."""
        after = before if self.after is None else self.after
        return aim_of(prune=isinstance(self.edit, Prune), before=before.tokens, after=after.tokens)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sorted:
    """A group, taken apart."""

    tested: dict[str, Living]
    """The documents that are replayed, by the name of the edit."""
    refused: dict[str, tuple[Hit, ...]]
    """Why an edit is never replayed."""


def sort_out(
    before: Living,
    candidates: Sequence[Candidate],
    kept: Kept | None = None,
    screened: Mapping[str, tuple[Hit, ...]] | None = None,
) -> Sorted:
    """Which candidates are replayed, and why others are not. Noops and invalid edits are neither.

    Args:
        before: the document that they edit.
        candidates: the group.
        kept: the held-out tasks, none of which a candidate may tell of.
        screened: what a model has said against some of them (`gate.screen`).

    Raises:
        GateError: two candidates share a name; two would be the same document, or one the document before.
    """
    names = [one.name for one in candidates]
    if len(set(names)) < len(names) or "" in names:
        raise GateError(f"edits of one group need names of their own: {sorted(names)!r}")
    tested: dict[str, Living] = {}
    refused: dict[str, tuple[Hit, ...]] = {}
    texts = {before.text: "the document before"}
    for one in candidates:
        if one.after is None:
            continue
        if (same := texts.setdefault(one.after.text, f"the edit {one.name!r}")) != f"the edit {one.name!r}":
            raise GateError(
                f"the edit {one.name!r} gives the same text as {same}", hint="propose it once, or as a noop"
            )
        if hits := gaming(before.text, one.after.text, kept) + (screened or {}).get(one.name, ()):
            refused[one.name] = hits
        else:
            tested[one.name] = one.after
    return Sorted(tested=tested, refused=refused)
