"""`ingrained export`: rules for colleagues, as far as nothing in them is private."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ingrained.cli.output import DEFAULTS, Json, Shared, emit, say
from ingrained.errors import ConfigError
from ingrained.wording import plural


def export(
    *,
    shared: Annotated[bool, Parameter(help="The rules of this project that its people may share.")] = False,
    out: Annotated[
        Path | None, Parameter(help="Write them to this file: Markdown where its name ends so, else JSON for import.")
    ] = None,
    project: Annotated[Path, Parameter(help="The project's folder.")] = Path(),
    allow: Annotated[
        tuple[str, ...], Parameter(help="A word, or the id of a rule, that you looked at and that may go out.")
    ] = (),
    json: Json = False,
    options: Shared = DEFAULTS,
) -> int:
    """Write the rules of a project for its people: texts and counts, no quotes, no names.

    A rule with a name, a path, a customer, a secret, health or pay in it stays here; so does one with a capitalised
    word that is not known, until you looked at it (--allow). What is held back is listed on stderr with the reason.
    """
    from ingrained.learn.machine import contributors, personal_names
    from ingrained.learn.pipeline import looked_at
    from ingrained.learn.share import export as exported
    from ingrained.learn.share import written
    from ingrained.learn.view import known_project
    from ingrained.report.sharing import held_lines
    from ingrained.session.redact import SecretRedactor
    from ingrained.skill.shared import markdown
    from ingrained.store.files import home_dir

    if not shared:
        raise ConfigError("export what? so far there is --shared", hint="ingrained export --shared --out rules.json")
    home = home_dir(options.home)
    view = looked_at(home)
    people = sorted({message.person for message in view.heard} - {"me"})
    names = (*personal_names(), *contributors(project), *people)
    place = known_project(project, view, home)
    found = exported(view, place, names=names, redactor=SecretRedactor(names=names), allowed=allow)
    for line in held_lines(found):
        say(line, options)
    if out is None:
        emit(found.shared, json=json, renderer=markdown)
        return 0
    state = "written" if written(found, out) else "as it was"
    say(f"{plural(len(found.shared.rules), 'rule')} in {out}, {state}. Read it before you commit it.", options)
    return 0
