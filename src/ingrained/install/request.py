"""A request to install: hand edits taken in and drafts brought up to date first, then the plan.

Nothing is written yet outside the home folder.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ingrained.errors import RefusedError
from ingrained.ids import ProjectId
from ingrained.install.apply import Applied
from ingrained.install.places import Target, Where
from ingrained.install.plan import Plan
from ingrained.install.prepare import plan_install
from ingrained.learn.drafts import As
from ingrained.learn.pipeline import opened, put_drafts, take_edits
from ingrained.learn.view import project_of
from ingrained.skill.rule import Frozen
from ingrained.skill.select import DEFAULT_BUDGET, check_budget
from ingrained.store.library import Draft, Library
from ingrained.store.manifest import Into
from ingrained.wording import plural


class FileShape(Frozen):
    """One file of an install or undo."""

    path: str
    action: str
    bytes: int | None
    """Size now; `None`: there is none, or nothing was written yet."""
    readers: list[str]


class InstallShape(Frozen):
    """`install --json`, `undo --json`, `uninstall --json`."""

    version: int = 1
    done: bool
    """Whether it was carried out; else it is what would be."""
    files: list[FileShape]
    same: list[str]
    """Files that were already as they should be."""
    warnings: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is to be installed, and what that would change."""

    library: Library
    draft: Draft
    plan: Plan


def shape(plan: Plan, done: Applied | None = None) -> InstallShape:
    """The plan, or what came of it, as it is published."""
    if done is None:
        files = [FileShape(path=str(f.path), action=f.action, bytes=None, readers=list(f.readers)) for f in plan.files]
    else:
        files = [
            FileShape(path=str(f.path), action=f.action, bytes=f.size, readers=list(f.readers)) for f in done.files
        ]
    return InstallShape(
        done=done is not None, files=files, same=[str(path) for path in plan.same], warnings=list(plan.warnings)
    )


def request(home: Path, target: Target, into: Into, where: Where, *, now: datetime, form: As, budget: int) -> Request:
    """Take in hand edits, renew the drafts, and plan the install of the one that fits.

    Args:
        home: the program's home folder.
        target: the agent.
        into: the person's home, for the personal skill, or the project's folder.
        where: the machine.
        now: time of the install.
        form: form of the rules.
        budget: tokens of one skill.

    Raises:
        RefusedError: there is nothing to install, the budget holds no rule, or something is in the way.
        ConfigError: the budget is negative; nothing was read.
        StoreError: the home folder cannot be used.
    """
    check_budget(budget)
    with opened(home, "install") as here:
        take_edits(here.ledger, here.library, here.judge)
        view = here.view()
        drafted = put_drafts(view, here.ledger, here.library, budget=budget, form=form)
        project = project_of(where.project_folder(), view, home) if into == "project" else None
        for one in drafted:
            if one.draft.project == project and not one.draft.pieces and one.least:
                raise RefusedError(
                    f"a budget of {plural(budget, 'token')} holds none of "
                    f"{plural(len(one.selection.left_out), 'rule')}; the least that holds one is {one.least}",
                    hint=f"ingrained install --budget {max(one.least, DEFAULT_BUDGET)}",
                )
        draft = here.library.draft_of(project)
        if draft is None or (not draft.pieces and not _installed(here.library, draft)):
            raise RefusedError(
                _nothing(project, into), hint="ingrained rules shows what there is; ingrained review accepts it"
            )
        plan = plan_install(here.library, draft, target, into, where, now=now)
        return Request(library=here.library, draft=draft, plan=plan)


def _installed(library: Library, draft: Draft) -> bool:
    return any(copy.draft == draft.name for copy in library.manifest().copies)


def _nothing(project: ProjectId | None, into: Into) -> str:
    if into == "user":
        return "no rule that holds everywhere is supported or accepted yet"
    return f"no rule of the project {str(project)!r} is supported or accepted yet"
