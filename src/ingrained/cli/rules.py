"""`ingrained rules`: all rules with their proof, and, if asked, what did not become one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from ingrained.cli.asked import home_words
from ingrained.cli.output import DEFAULTS, Json, Shared, emit


def rules(
    *,
    everything: Annotated[
        bool,
        Parameter(name="--all", help="Also refused rules, and each thing said that is in no rule, with the reason."),
    ] = False,
    project: Annotated[
        Path | None, Parameter(help="Only rules that hold in this folder, such as . for this one.")
    ] = None,
    person: Annotated[str, Parameter(help="Only rules that this person said.")] = "",
    level: Annotated[
        Literal["", "tentative", "supported", "established", "retired"], Parameter(help="Only this level.")
    ] = "",
    decomposer: Annotated[str, Parameter(help="Whose judgement; that of the last learn by default.")] = "",
    json: Json = False,
    options: Shared = DEFAULTS,
) -> int:
    """List the rules, strongest first."""
    from ingrained.learn.pipeline import looked_at
    from ingrained.learn.view import known_project
    from ingrained.report.shapes import rules_shape
    from ingrained.report.terminal import page_width, rules_text
    from ingrained.store.files import home_dir

    home = home_dir(options.home)
    view = looked_at(home, decomposer)
    here = known_project(project, view, home) if project else None
    said_by = view.person(person) if person else None
    chosen = [
        rule
        for rule in view.rules
        if (everything or rule.status not in {"refused", "superseded"})
        and (here is None or rule.scope.project in {here, None})
        and (said_by is None or said_by in rule.people)
        and (not level or rule.level == level)
    ]
    emit(
        rules_shape(view, chosen, everything=everything, person=said_by, project=here),
        json=json,
        renderer=lambda shape: rules_text(
            shape,
            view.titles,
            home=home_words(options.home),
            others=len(view.rules) - len(chosen) if here or said_by or level else 0,
            width=page_width(),
        ),
    )
    return 0
