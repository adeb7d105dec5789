"""Which judge a command means: a decomposer by its name, or a language model that is asked about each turn."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ingrained.cli.models import ModelOptions, agree
from ingrained.cli.output import Options, say
from ingrained.errors import ConfigError

if TYPE_CHECKING:
    from ingrained.learn.modelled import ModelDecomposer


def judge_by(
    decomposer: str, asked: ModelOptions, home: Path, *, yes: bool, options: Options
) -> ModelDecomposer | None:
    """The language model that `--model REF`, or `model:REF` as the decomposer, names; `None` where none is named.

    Raises:
        ConfigError: both are given, or what `ModelDecomposer` says.
    """
    from ingrained.learn.recorded import PREFIX

    if asked.model and decomposer:
        raise ConfigError(
            f"--model {asked.model!r} and --decomposer {decomposer!r} both say who judges", hint="give one of them"
        )
    named = decomposer.removeprefix(PREFIX) if decomposer.startswith(PREFIX) else ""
    reference = asked.model or named
    if not reference:
        return None
    from ingrained.learn.modelled import ModelDecomposer
    from ingrained.model.limits import Caps

    return ModelDecomposer(
        reference,
        home=home,
        caps=Caps(max_usd=asked.max_usd, max_calls=asked.max_calls),
        agree=partial(agree, yes=yes, options=options),
    )


def tell_spent(judge: ModelDecomposer | None, options: Options) -> None:
    """Say what asking took; a command's last line.

    Raises:
        BudgetReachedError: a cap ended it; the results so far are out.
        ModelQuotaError: the provider's quota did.
    """
    if judge is not None:
        say(f"{judge.name}: {judge.meter.receipt.line()}", options)
        judge.meter.raise_if_stopped()
