"""What each edit of a group is worth on one anchored task: the reward that an editor is trained on.

Pure functions of the raw outcomes, so that any scheme can be computed from one run. The decision to know: what could
not be scored is no 0. An edit without a score leaves the group, and a control without one drops the group, since there
is nothing to compare with.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ingrained.gate.candidate import Candidate as Proposed
from ingrained.gate.pair import Pair
from ingrained.verify.score import Outcome, Score, Unscored

Candidate: TypeAlias = Outcome | Literal["noop", "invalid"]
"""What became of a proposed edit: the outcome of its treatment, or that it changes nothing, or cannot be applied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Credit:
    """Rewards of a group in the order of its edits."""

    rewards: tuple[float | None, ...]
    """None where an edit has left the group."""
    signal: bool
    """Whether anything can be learned from the group; where not, every reward is None."""


Scheme: TypeAlias = Callable[[Outcome, Sequence[Candidate]], Credit]
"""`rollback`, `raw` or `gain`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Credited:
    """Rewards of a group on one anchor."""

    task: str
    seed: int
    credit: Credit


def rollback(control: Outcome, group: Sequence[Candidate]) -> Credit:
    """The rollback reward of Skill-α: 1 for an edit that beats the control on the same task, else 0.

    A tie earns nothing. An invalid edit gets 0. A Noop gets 1 where no sibling with a score beat the control, else 0.
    Settled here: an edit without a score leaves the group; a group has no signal where the control has no score, or
    where only Noops are left.
    """
    if not isinstance(control, Score) or not _any_edit(group):
        return _no_signal(group)
    beaten = any(isinstance(one, Score) and one.value > control.value for one in group)
    return Credit(rewards=tuple(_rollback_of(one, control.value, beaten=beaten) for one in group), signal=True)


def _rollback_of(one: Candidate, control: float, *, beaten: bool) -> float | None:
    if isinstance(one, Score):
        return float(one.value > control)
    if one == "noop":
        return float(not beaten)
    return 0.0 if one == "invalid" else None


def raw(control: Outcome, group: Sequence[Candidate]) -> Credit:
    """The paper's ablation: an edit's own score whatever the control got, and for a Noop the control's.

    An invalid edit gets 0; who leaves, and where there is no signal, is as in `rollback`, so that both can be compared.
    """
    if not isinstance(control, Score) or not _any_edit(group):
        return _no_signal(group)
    return Credit(rewards=tuple(_score_of(one, noop=control.value, invalid=0.0) for one in group), signal=True)


def gain(control: Outcome, group: Sequence[Candidate]) -> Credit:
    """The difference to the control in [-1, 1], so that small losses are seen: 0 for a Noop, -1 for an invalid edit.

    No part of the paper, which notes that its reward does not tell a tie from a loss. Who leaves is as in `rollback`.
    """
    if not isinstance(control, Score) or not _any_edit(group):
        return _no_signal(group)
    before = control.value
    found = (_score_of(one, noop=before, invalid=before - 1) for one in group)
    return Credit(rewards=tuple(None if score is None else score - before for score in found), signal=True)


def credits(group: Sequence[Proposed], pairs: Mapping[str, Sequence[Pair]], scheme: Scheme) -> tuple[Credited, ...]:
    """The rewards of a replayed group, anchor by anchor, from its raw pairs.

    An edit that was refused unreplayed counts as invalid, since it is to be unlearned; one that was decided before an
    anchor has left the group there.

    Args:
        group: all candidates, in the order of the rewards.
        pairs: of each edit that was tested (`gate.replay.Replayed.pairs`), those of a slot with one control.
        scheme: how an edit is rewarded.
    """
    at = {name: {(pair.task, pair.seed): pair for pair in some} for name, some in pairs.items()}
    controls = {(pair.task, pair.seed): pair.control.outcome for some in pairs.values() for pair in some}

    def became(one: Proposed, slot: tuple[str, int]) -> Candidate:
        if one.name in pairs:
            pair = at[one.name].get(slot)
            return Unscored(reason="it was decided before") if pair is None else pair.treatment.outcome
        return "noop" if one.after is None and not one.invalid else "invalid"

    return tuple(
        Credited(task=slot[0], seed=slot[1], credit=scheme(control, [became(one, slot) for one in group]))
        for slot, control in controls.items()
    )


def _score_of(one: Candidate, *, noop: float, invalid: float) -> float | None:
    if isinstance(one, Score):
        return one.value
    if one == "noop":
        return noop
    return invalid if one == "invalid" else None


def _any_edit(group: Sequence[Candidate]) -> bool:
    return any(isinstance(one, Score) or one == "invalid" for one in group)


def _no_signal(group: Sequence[Candidate]) -> Credit:
    return Credit(rewards=(None,) * len(group), signal=False)
