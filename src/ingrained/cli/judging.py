"""Which judge a command means: a decomposer by its name, or a language model that is asked about each turn."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ingrained.cli.models import ModelOptions, agree, told_idle_caps
from ingrained.cli.output import Options, say
from ingrained.errors import ConfigError, UnansweredError
from ingrained.wording import plural

if TYPE_CHECKING:
    from ingrained.learn.modelled import ModelDecomposer
    from ingrained.model.base import Request
    from ingrained.model.opened import OpenModel


@contextmanager
def model_judge(
    decomposer: str, asked: ModelOptions, home: Path, *, yes: bool, options: Options, note: str = ""
) -> Generator[ModelDecomposer | None]:
    """The language model that `--model REF`, or `model:REF` as the decomposer, names; `None` where none is named.

    `note` is said before the first question, where there is one. The receipt is told at the end, whatever ended the
    run; where answers are missing, that is the error of a run that is done.

    Raises:
        ConfigError: both are given, or what `ModelDecomposer` says.
        BudgetReachedError: a cap ended it; the results so far are out.
        ModelQuotaError: the provider's quota did.
        UnansweredError: some messages have no usable answer; the results without them are out.
    """
    from ingrained.learn.recorded import PREFIX

    if asked.model and decomposer:
        raise ConfigError(
            f"--model {asked.model!r} and --decomposer {decomposer!r} both say who judges", hint="give one of them"
        )
    reference = asked.model or (decomposer.removeprefix(PREFIX) if decomposer.startswith(PREFIX) else "")
    if not reference:
        told_idle_caps(asked, options)
        yield None
        return
    from ingrained.learn.modelled import ModelDecomposer

    def told(found: OpenModel, requests: Sequence[Request]) -> None:
        if note and requests:
            say(note, options)
        agree(found, requests, yes=yes, options=options)

    judge = ModelDecomposer(
        reference,
        home=home,
        caps=asked.caps(),
        agree=told,
    )
    try:
        yield judge
    finally:
        say(f"{judge.name}: {judge.meter.receipt.line()}", options)
    judge.meter.raise_if_stopped()
    if judge.parked:
        raise UnansweredError(
            f"{plural(len(judge.parked), 'message has', 'messages have')} no usable answer of {reference}; what was "
            "answered is used and kept",
            hint="the same command asks again for those whose answer never came; one that came and is of no use comes "
            "again, so name another --model for it",
        )
