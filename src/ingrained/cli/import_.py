"""`ingrained import`: rules that a colleague handed on, as proposals beside your own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ingrained.cli.asked import home_words
from ingrained.cli.output import DEFAULTS, Json, Shared, emit, say
from ingrained.errors import ConfigError
from ingrained.wording import plural


def import_(
    file: Annotated[Path | None, Parameter(help="A file that ingrained export --shared wrote, as JSON.")] = None,
    /,
    *,
    name: Annotated[str, Parameter(name="--from", help="Who it is from; the file's name by default.")] = "",
    project: Annotated[Path, Parameter(help="The project's folder, for which the rules are proposed.")] = Path(),
    remove: Annotated[str, Parameter(help="Instead: forget what came from this NAME.")] = "",
    dry_run: Annotated[bool, Parameter(help="Only say what would come of it.")] = False,
    json: Json = False,
    options: Shared = DEFAULTS,
) -> int:
    """Take rules from a file as proposals for this project; yours stay as they are.

    The file is somebody else's text: hidden characters, too much and too long are refused rule by rule, and what would
    weaken your safety waits for your yes. A rule that contradicts one of yours is shown as a conflict. Nothing reaches
    an agent before you accept it in `ingrained review`.
    """
    from ingrained.learn.share import take_in, take_out
    from ingrained.report.sharing import import_shape, import_text
    from ingrained.store.files import home_dir

    home = home_dir(options.home)
    if bool(remove) == (file is not None):
        raise ConfigError("name a file to import, or --remove NAME", hint="ingrained import rules.json --from team")
    if file is None:
        say(f"{plural(take_out(home, remove), 'rule')} from {remove} forgotten.", options)
        return 0
    taken = take_in(home, file, name=name, folder=project, dry_run=dry_run)
    words = home_words(options.home)
    emit(import_shape(taken), json=json, renderer=lambda shape: import_text(shape, home=words))
    return 0
