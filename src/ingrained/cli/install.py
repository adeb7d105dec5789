"""`ingrained install`: drafts to where an agent reads them, after showing what would change."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from ingrained.cli.asked import carry_out
from ingrained.cli.output import DEFAULTS, Json, Shared, Yes


def install(
    *,
    agent: Annotated[str, Parameter(help="claude-code, codex, agents-md, or a target of ingrained plugins.")] = (
        "claude-code"
    ),
    into: Annotated[
        Literal["user", "project"], Parameter(help="The rules of one project into it, or your own into your home.")
    ] = "project",
    project: Annotated[Path, Parameter(help="The project's folder.")] = Path(),
    form: Annotated[
        Literal["auto", "skill", "rules"], Parameter(name="--as", help="Put all rules into one form.")
    ] = "auto",
    budget: Annotated[int, Parameter(help="Tokens of one skill.")] = 500,
    hooks: Annotated[
        bool, Parameter(help="Instead: let the agent queue the log of each turn, by a hook in its settings.")
    ] = False,
    dry_run: Annotated[bool, Parameter(help="Show the difference and change nothing.")] = False,
    force: Annotated[bool, Parameter(help="Go on where installing was never tested (Windows).")] = False,
    yes: Yes = False,
    json: Json = False,
    options: Shared = DEFAULTS,
) -> int:
    """Write your rules to where an agent reads them.

    Shows the difference first. Only files of ours, and a marked block in AGENTS.md, are written; lines that you edited
    or added in them stay. Settings are touched by --hooks alone. `ingrained undo` puts every byte back.
    """
    from ingrained.install.apply import finish
    from ingrained.install.hooks import plan_hooks
    from ingrained.install.places import TARGETS, here
    from ingrained.install.request import request
    from ingrained.store.files import home_dir
    from ingrained.store.library import Library

    if hooks:
        library = Library(home_dir(options.home))
        where = here(untested=force)
        if not dry_run:
            finish(library)
        plan = plan_hooks(library, agent, where, now=datetime.now(UTC))
        return carry_out(library, plan, where.home, dry_run=dry_run, yes=yes, json=json, options=options)
    target = TARGETS.load(agent)()
    where = here(project if into == "project" else None, untested=force)
    made = request(home_dir(options.home), target, into, where, now=datetime.now(UTC), form=form, budget=budget)
    return carry_out(made.library, made.plan, where.home, dry_run=dry_run, yes=yes, json=json, options=options)
