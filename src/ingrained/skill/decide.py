"""The person's decisions, applied to groups of atoms. Decisions hang on evidence, so they outlive any regrouping."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ingrained.feedback.decompose import Atom
from ingrained.ids import ProjectId
from ingrained.skill.rule import Decision, Status, Tier


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """What the decisions say about one group."""

    status: Status = "proposed"
    text: str = ""
    when: str = ""
    paths: tuple[str, ...] = ()
    tier: Tier | None = None
    project: ProjectId | None = None
    project_chosen: bool = False


def apply_decisions(groups: Sequence[Sequence[Atom]], decisions: Sequence[Decision]) -> list[Applied]:
    """For each group, what the decisions on any of its evidence add up to, in the order of their times.

    A refusal covers the evidence that it was made on: a group stays refused while it holds no later evidence. What the
    person says again after refusing is a new proposal, made of all its evidence.
    """
    ordered = sorted(decisions, key=lambda d: (d.time, d.action, d.atoms))
    return [_apply(group, ordered) for group in groups]


def _apply(group: Sequence[Atom], decisions: Sequence[Decision]) -> Applied:
    keys = {atom.key for atom in group}
    status: Status = "proposed"
    text, when, paths = "", "", ()
    tier: Tier | None = None
    project: ProjectId | None = None
    chosen = False
    refused: set[str] = set()
    for decision in decisions:
        if not keys & set(decision.atoms):
            continue
        match decision.action:
            case "accept":
                status, refused = "accepted", set()
            case "refuse":
                status, refused = "refused", refused | set(decision.atoms)
            case "pin":
                status, text, refused = "pinned", decision.text, set()
            case "narrow" | "widen":
                when, paths = decision.when, decision.paths
            case "tier":
                tier = decision.tier
            case "project":
                project, chosen = decision.project, True
    if status == "refused" and keys - refused:
        status = "proposed"
    return Applied(status=status, text=text, when=when, paths=paths, tier=tier, project=project, project_chosen=chosen)
