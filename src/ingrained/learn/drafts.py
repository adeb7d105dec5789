"""Rules to drafts: one personal skill, and one for each project that has rules.

Only what is sure enough goes in: supported and established rules, and what the person accepted or wrote. What would
weaken safety or contradicts somebody waits for an explicit yes. Each draft keeps to one token budget over both of its
forms, the skill and the always-on rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ingrained.ids import PersonId, ProjectId
from ingrained.skill.document import describe, render_skill
from ingrained.skill.rule import Rule
from ingrained.skill.rulesfile import form_of, render_block, render_files
from ingrained.skill.select import DEFAULT_BUDGET, LeftOut, Selection, select
from ingrained.skill.tokens import count
from ingrained.store.library import Draft, DraftPiece, Library, spellings

As = Literal["auto", "skill", "rules"]
"""`auto`: each rule in the form that fits it; else all in one form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafted:
    """One draft and what it cost."""

    draft: Draft
    selection: Selection

    @property
    def least(self) -> int:
        """The smallest budget with which one more of the rules that fitted no budget would go in; 0: all fitted."""
        tokens = [out.rule.tokens for out in self.selection.left_out if out.cause == "budget"]
        return self.selection.used + min(tokens) if tokens else 0


def draftable(rule: Rule) -> str:
    """Why a rule waits outside the drafts, or an empty string where it may go in."""
    decided = rule.status in {"accepted", "pinned"}
    if rule.status in {"refused", "superseded"}:
        return f"it is {rule.status}"
    if rule.level == "retired":
        return "it is retired"
    if rule.held and not decided:
        return f"it needs your yes first: {rule.held}"
    if rule.conflicts_with and not decided:
        return f"{' and '.join(rule.conflicts_with)} says the opposite; your word decides"
    if rule.already_in and not decided:
        return f"it stands in {rule.already_in[0]} already"
    if rule.imported and not decided:
        return "it came in a file; accept it to have it"
    if rule.level == "tentative" and not decided:
        return "said in one session so far; accept it to have it now"
    return ""


def make_drafts(
    rules: Sequence[Rule],
    library: Library,
    titles: Mapping[ProjectId, str],
    *,
    owner: PersonId | None,
    budget: int = DEFAULT_BUDGET,
    form: As = "auto",
) -> list[Drafted]:
    """The drafts that follow from the rules; a draft that lost its last rule comes out empty.

    Args:
        rules: all rules.
        library: for the names of the drafts; only read.
        titles: short name of each project.
        owner: whose personal rules go into the personal skill; `None` (several people, none is "me"): nobody's.
        budget: tokens of each draft.
        form: one form for all rules, or each in its own.
    """
    ready = [rule for rule in rules if not draftable(rule)]
    homes: dict[ProjectId | None, list[Rule]] = {None: []}
    for rule in ready:
        if rule.tier == "personal":
            if owner in rule.people:
                homes[None].append(rule)
        else:
            homes.setdefault(rule.scope.project, []).append(rule)
    for draft in library.drafts():
        homes.setdefault(draft.project, [])
    made: list[Drafted] = []
    taken = {draft.name for draft in library.drafts()}
    for project, chosen in sorted(homes.items(), key=lambda item: item[0] or ""):
        known = library.draft_of(project)
        if not chosen and known is None:
            continue
        title = titles.get(project, "") if project else ""
        name = known.name if known else _free(library.name_for(project, title), taken)
        taken.add(name)
        made.append(_draft(chosen, name, project, title, budget, form))
    return made


def _free(name: str, taken: set[str]) -> str:
    """The name, or its first spelling that no other draft has: two projects may have the same short name."""
    return next(one for one in spellings(name) if one not in taken)


def _draft(
    rules: Sequence[Rule],
    name: str,
    project: ProjectId | None,
    title: str,
    budget: int,
    form: As,
) -> Drafted:
    selection = select(rules, budget=budget, frame=_frame(rules, name, title, form))
    kept = selection.kept
    as_skill = [rule for rule in kept if _form(rule, form) == "skill"]
    as_rules = [rule for rule in kept if _form(rule, form) == "rules"]
    draft = Draft(name=name, project=project, title=title, pieces=pieces(as_skill, as_rules, name=name, title=title))
    return Drafted(draft=draft, selection=selection)


def pieces(as_skill: Sequence[Rule], as_rules: Sequence[Rule], *, name: str, title: str) -> tuple[DraftPiece, ...]:
    """What a draft consists of: a skill, and a block and files that are always on, each where it has rules."""
    made: list[DraftPiece] = []
    if as_skill:
        rendered = render_skill(as_skill, name=name, description=describe(as_skill, where=title))
        made.append(DraftPiece(kind="skill", rendered=rendered))
    if as_rules:
        made.append(DraftPiece(kind="block", rendered=render_block(as_rules)))
        for file in render_files(as_rules, stem=name):
            stem = file.name.removesuffix(".md").removeprefix(name).lstrip("-")
            made.append(DraftPiece(kind="rules-file", stem=stem, rendered=file.rendered))
    return tuple(made)


def _form(rule: Rule, form: As) -> Literal["skill", "rules"]:
    return form_of(rule) if form == "auto" else form


def _frame(rules: Sequence[Rule], name: str, title: str, form: As) -> int:
    """Tokens of what stands around the lines."""
    frame = 0
    if any(_form(rule, form) == "skill" for rule in rules):
        frame += count(render_skill((), name=name, description=describe(list(rules), where=title)).text)
    if any(_form(rule, form) == "rules" for rule in rules):
        frame += count(render_block(()).text)
    return frame


def left_out(drafted: Sequence[Drafted]) -> list[LeftOut]:
    """Everything that fitted no budget, over all drafts."""
    return [out for one in drafted for out in one.selection.left_out]
