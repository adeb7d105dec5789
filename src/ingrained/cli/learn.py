"""`ingrained learn`: the main job, from sessions to rules and drafts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from ingrained.cli.asked import EVERYWHERE, Steps, Where, home_words, roots, same_words
from ingrained.cli.judging import model_judge
from ingrained.cli.models import NO_MODEL, Modelled
from ingrained.cli.output import DEFAULTS, Json, Shared, Yes, emit
from ingrained.errors import ConfigError

if TYPE_CHECKING:
    from ingrained.learn.reading import Roots


_ASKED_ABOUT = (
    "the model is asked about every message in the home folder that it has not judged yet, whoever said it: from "
    "earlier logs and ingrained feedback too, not only from the logs named now"
)


def learn(
    *paths: Annotated[Path, Parameter(help="Log files or folders; only these are read where any is given.")],
    sample: Annotated[bool, Parameter(help="Learn from sessions that come along, in a home of their own.")] = False,
    where: Annotated[Where, Parameter(name="*")] = EVERYWHERE,
    ignore: Annotated[tuple[str, ...], Parameter(help="Like --exclude, and remembered for later runs.")] = (),
    dry_run: Annotated[bool, Parameter(help="Only say which logs would be read.")] = False,
    form: Annotated[
        Literal["auto", "skill", "rules"], Parameter(name="--as", help="Put all rules into one form of draft.")
    ] = "auto",
    budget: Annotated[int, Parameter(help="Tokens of one skill.")] = 500,
    decomposer: Annotated[str, Parameter(help="Who judges what was said: trained or rules; remembered.")] = "",
    asked_model: Modelled = NO_MODEL,
    yes: Yes = False,
    json: Json = False,
    options: Shared = DEFAULTS,
) -> int:
    """Read your sessions and show what you keep telling your agents.

    Only what is new since the last run is read. Words that you typed become rules with their quotes; rules said in two
    sessions or more go into drafts. Nothing is written outside the home folder until you install. With --model, a
    language model judges the words in place of the offline judge: they are sent there, with the agent's last act. It is
    asked about everything in the home folder that it has not judged yet, from earlier runs and `feedback` too.
    """
    from ingrained.install.doctor import keeps_logs
    from ingrained.install.places import here
    from ingrained.learn.pipeline import Ask
    from ingrained.learn.pipeline import learn as run
    from ingrained.report.shapes import learn_shape
    from ingrained.report.terminal import learn_text, page_width
    from ingrained.store.files import home_dir

    home = home_dir(options.home)
    if sample:
        home, asked = _sample(home, paths, where)
    else:
        asked = roots(paths, where)
    if dry_run:
        return _would_read(asked, home, ignore, json=json)
    with model_judge(decomposer, asked_model, home, yes=yes, options=options, note=_ASKED_ABOUT) as judge:
        ask = Ask(home=home, roots=asked, decomposer=decomposer, judge=judge, budget=budget, form=form, ignore=ignore)
        with Steps(options) as steps:
            learned = run(ask, steps)
        words = home_words(home if sample or options.home else None)
        days = keeps_logs(here(untested=True)).days if not asked.places and learned.trouble.looked_at else None
        emit(
            learn_shape(learned),
            json=json,
            renderer=lambda shape: learn_text(
                shape, learned.view.titles, home=words, sample=sample, days=days, width=page_width()
            ),
        )
    return 0


def _sample(home: Path, paths: tuple[Path, ...], where: Where) -> tuple[Path, Roots]:
    """A home of its own for the sample, with its settings, and its people.

    Raises:
        ConfigError: logs or a project were named too.
    """
    from ingrained.learn.reading import Roots
    from ingrained.session.sample import SAMPLE, sample_people, sample_settings
    from ingrained.store.files import make_home, write_atomic

    if paths or where.project:
        named = paths[0] if paths else where.project
        raise ConfigError(
            f"--sample reads the sample and nothing else, but {str(named)!r} was given too",
            hint=f"ingrained learn --sample, or ingrained learn{same_words(paths, where, None)}",
        )
    home = make_home(home / SAMPLE)
    if not (home / "ingrained.toml").exists():
        write_atomic(home / "ingrained.toml", sample_settings())
    return home, Roots(places=tuple((one.person, one.folder) for one in sample_people()))


def _would_read(asked: Roots, home: Path, ignore: tuple[str, ...], *, json: bool) -> int:
    from ingrained.learn.reading import Trouble, new_items, sources
    from ingrained.report.shapes import would_read_shape
    from ingrained.report.terminal import would_read_text
    from ingrained.store.database import LEDGER_NAME
    from ingrained.store.ledger import Ledger

    trouble = Trouble()
    if (home / LEDGER_NAME).exists():
        with Ledger.open(home, read_only=True) as ledger:
            items = sources(asked, [*ledger.ignored(), *ignore], trouble)
            new = new_items(items, asked, ledger.cursor)
    else:
        items = new = sources(asked, ignore, trouble)
    emit(would_read_shape(new, len(items), trouble), json=json, renderer=would_read_text)
    return 0
