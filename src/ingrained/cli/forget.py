"""`ingrained forget`: words go for good, and do not come back with the next reading."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from ingrained.cli.asked import moment
from ingrained.cli.output import DEFAULTS, Json, Shared, Yes, confirm, emit, say
from ingrained.errors import ConfigError


def forget(
    *,
    session: Annotated[tuple[str, ...], Parameter(help="Everything said in this session.")] = (),
    rule: Annotated[tuple[str, ...], Parameter(help="Everything that this rule rests on.")] = (),
    before: Annotated[str, Parameter(help="Everything said before: 90d ago, or a date.")] = "",
    person: Annotated[str, Parameter(help="Everything that this person said; with the others, only theirs.")] = "",
    yes: Yes = False,
    json: Json = False,
    options: Shared = DEFAULTS,
) -> int:
    """Remove what was said, with all that hangs on it alone. There is no way back.

    The bytes are overwritten and the database rewritten. All rules that rest on the same messages alone go too, and are
    named before you are asked; so do all stored answers of language models, which may quote them. What stays is a keyed
    hash, so that the next `learn` does not bring the words back from the same logs. The logs themselves are the agent's
    and are not touched.
    """
    from ingrained.learn.erase import Which, erase, going
    from ingrained.report.erasing import forgotten_text, going_text
    from ingrained.store.files import home_dir

    which = Which(
        sessions=session, rules=rule, before=moment(before, "--before") if before else None, person=person or None
    )
    if which.nothing:
        raise ConfigError("forget what? name --session, --rule, --before or --person", hint="ingrained forget --help")
    if not yes:
        say(going_text(going(home_dir(options.home), which)), DEFAULTS)  # with --quiet too: the question needs it
    if not confirm("Forget this for good?", yes=yes, hint="add --yes; ingrained rules and why show what is known"):
        return 1
    emit(erase(home_dir(options.home), which), json=json, renderer=forgotten_text)
    return 0
