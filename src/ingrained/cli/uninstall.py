"""`ingrained uninstall`: everything that was installed out again, and on request all that the program keeps."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ingrained.cli.asked import carry_out
from ingrained.cli.output import DEFAULTS, Json, Shared, Yes, confirm, say
from ingrained.errors import ConfigError
from ingrained.wording import plural


def uninstall(
    *,
    purge: Annotated[bool, Parameter(help="Also remove the ledger, the library and the home folder.")] = False,
    hooks: Annotated[bool, Parameter(help="Only our hooks in the settings of agents; the rules stay.")] = False,
    keep_edits: Annotated[
        bool, Parameter(help="Where you edited a file since: take our lines out, keep yours.")
    ] = False,
    force: Annotated[
        bool, Parameter(help="Restore such a file too; your version is copied aside, until --purge.")
    ] = False,
    dry_run: Annotated[bool, Parameter(help="Show the difference and change nothing.")] = False,
    yes: Yes = False,
    json: Json = False,
    options: Shared = DEFAULTS,
) -> int:
    """Take every install back, byte for byte; with --purge also remove all that was learned."""
    from ingrained.install.apply import finish
    from ingrained.install.places import here
    from ingrained.install.purge import purge as remove
    from ingrained.install.undo import plan_uninstall
    from ingrained.store.files import home_dir
    from ingrained.store.library import Library

    if hooks and purge:
        raise ConfigError("--hooks leaves all else and --purge removes it", hint="ingrained uninstall --hooks")
    home = home_dir(options.home)
    if not dry_run:
        finish(Library(home))
    where = here(untested=True)
    plan = plan_uninstall(
        Library(home), hooks_only=hooks, keep_edits=keep_edits, force=force, now=datetime.now(UTC), where=where
    )

    def then() -> None:
        if purge and confirm(f"Remove all that was learned in {home}, with what was put aside there?", yes=yes):
            gone = remove(home)
            say(f"{plural(len(gone.removed), 'entry', 'entries')} removed.", options)
            for path in gone.left:
                say(f"left, since it is not ours: {path}", options)

    return carry_out(Library(home), plan, Path.home(), dry_run=dry_run, yes=yes, json=json, options=options, then=then)
