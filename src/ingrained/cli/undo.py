"""`ingrained undo`: installed files back to the bytes they were."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ingrained.cli.asked import carry_out
from ingrained.cli.output import DEFAULTS, Json, Shared, Yes


def undo(
    *,
    everything: Annotated[bool, Parameter(name="--all", help="All installs, not only the last.")] = False,
    keep_edits: Annotated[
        bool, Parameter(help="Where you edited a file since: take our lines out, keep yours.")
    ] = False,
    force: Annotated[bool, Parameter(help="Restore such a file too; your version is copied aside first.")] = False,
    dry_run: Annotated[bool, Parameter(help="Show the difference and change nothing.")] = False,
    yes: Yes = False,
    json: Json = False,
    options: Shared = DEFAULTS,
) -> int:
    """Take the last install back, byte for byte."""
    from ingrained.install.apply import finish
    from ingrained.install.undo import plan_undo
    from ingrained.store.files import home_dir
    from ingrained.store.library import Library

    library = Library(home_dir(options.home))
    if not dry_run:
        finish(library)
    plan = plan_undo(library, everything=everything, keep_edits=keep_edits, force=force, now=datetime.now(UTC))
    return carry_out(library, plan, Path.home(), dry_run=dry_run, yes=yes, json=json, options=options)
