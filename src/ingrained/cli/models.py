"""What every command that asks a language model takes, and how it speaks about money.

Nothing is asked without `--model`. Before the first request the person sees what it may cost; where that is not
nothing and no cap was given, they agree to it (or say `--yes`); after the last one they see what it did cost, whatever
ended the run.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ingrained.cli.output import Options, confirm, say
from ingrained.errors import ConfigError, RefusedError

if TYPE_CHECKING:
    from cyclopts import Token

    from ingrained.bench.spending import Spending
    from ingrained.model.base import Request
    from ingrained.model.limits import Caps
    from ingrained.model.opened import OpenModel


def _a_name(_type: object, tokens: Sequence[Token]) -> str:
    """The name that was given; an empty one (an unset variable of a script) would silently mean the offline judge.

    Raises:
        ValueError: it is empty.
    """
    if not tokens[-1].value.strip():
        raise ValueError("it names no model; leave --model out to ask none")
    return tokens[-1].value


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOptions:
    """Which model, and what may be spent on it."""

    model: Annotated[
        str,
        Parameter(
            name=("--model", "-m"),
            converter=_a_name,
            help="Who is asked: openai:NAME[@http://server/v1], anthropic:NAME, local:PATH.gguf, scripted:FILE…",
        ),
    ] = ""
    max_usd: Annotated[float | None, Parameter(help="Stop before more than this many US dollars are spent.")] = None
    max_calls: Annotated[int | None, Parameter(help="Stop after this many requests to the model.")] = None

    def caps(self) -> Caps:
        """What may be spent."""
        from ingrained.model.limits import Caps

        return Caps(max_usd=self.max_usd, max_calls=self.max_calls)


Modelled = Annotated[ModelOptions, Parameter(name="*")]
"""Type of the parameter of every command that asks a model: `asked: Modelled = NO_MODEL`."""

NO_MODEL = ModelOptions()


def told_idle_caps(asked: ModelOptions, options: Options, *, without: str = "--model") -> None:
    """Say that a cap caps nothing; for a command that asks nobody where no model is named."""
    given = [
        name for name, value in (("--max-usd", asked.max_usd), ("--max-calls", asked.max_calls)) if value is not None
    ]
    if given:
        say(f"{' and '.join(given)} without {without}: nobody is asked, and nothing is spent", options)


@asynccontextmanager
async def open_model(asked: ModelOptions, options: Options) -> AsyncGenerator[OpenModel]:
    """The model that the options name; its receipt is told when it is closed.

    Raises:
        ConfigError: none is named, and what `ingrained.model.opened.opened` says.
    """
    from ingrained.model.opened import opened
    from ingrained.store.files import home_dir

    if not asked.model:
        raise ConfigError(
            "no model is named",
            hint="--model openai:NAME, --model local:PATH.gguf…; ingrained plugins model lists the providers",
        )
    async with opened(asked.model, home=home_dir(options.home), caps=asked.caps()) as found:
        try:
            yield found
        finally:
            say(f"{asked.model}: {found.receipt.line()}", options)


def agree(found: OpenModel, requests: Iterable[Request], *, yes: bool, options: Options) -> None:
    """Say what requests may cost, and ask where that is not nothing and no cap was given.

    Raises:
        RefusedError: the person does not want it; nothing was sent.
        ConfigError: there is nobody to ask, and neither `--yes` nor a cap was given.
    """
    estimate = found.estimate(requests)
    say(f"about to ask: {estimate.line()}", options)
    capped = found.meter.caps.max_usd is not None or found.meter.caps.max_calls is not None
    if found.model.facts.free or capped or not estimate.calls:
        return
    if not confirm("Send them?", yes=yes, hint="add --yes, --max-usd or --max-calls"):
        raise RefusedError("nothing was sent", hint="--max-usd and --max-calls put a limit on it")


def spending(asked: ModelOptions, *, yes: bool, options: Options) -> Spending:
    """How the models of a run are opened."""
    from ingrained.bench.spending import Spending
    from ingrained.store.files import home_dir

    return Spending(
        home=home_dir(options.home),
        caps=asked.caps(),
        agree=partial(agree, yes=yes, options=options),
        say=partial(say, options=options),
    )
