"""`ingrained score`: how well something keeps to what is known of a person."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ingrained.cli.output import DEFAULTS, Json, Shared, emit
from ingrained.errors import RefusedError


def writing(
    *,
    history: Annotated[Path, Parameter(help="Folder of the author's texts, one a file; five in the paper.")],
    response: Annotated[Path, Parameter(help="The text to score.")],
    request: Annotated[Path | None, Parameter(help="What was asked for; its terms are no leaks.")] = None,
    adaptation_request: Annotated[
        tuple[Path, ...], Parameter(help="An earlier request, whose terms are leaks too; several times.")
    ] = (),
    population: Annotated[
        Path | None, Parameter(help="Folder of other authors, one folder each, to tell the author's habits from.")
    ] = None,
    json: Json = False,
    options: Shared = DEFAULTS,  # noqa: ARG001 - every command takes these
) -> int:
    """Score a text by its author's habits: length, first person, expression, and nothing carried over.

    The mean needs all four; expression needs --population. What was left out, and why, stands below the figures. The
    exit code is 1 where a part that was asked for cannot be judged (expression is asked for with --population), else 0:
    it says that a score was made, not that it is a good one.
    """
    from ingrained.bench.texts import Asked, score_files
    from ingrained.report.writing import writing_text
    from ingrained.report.writing_shape import writing_shape

    asked = Asked(
        response=response, history=history, request=request, adaptation=adaptation_request, population=population
    )
    scored = score_files(asked)
    emit(writing_shape(scored), json=json, renderer=writing_text)
    if scored.unjudged:
        raise RefusedError(
            f"{response} is not judged in all that was asked: {scored.unjudged}",
            hint="--json has every part with its reason; where habits are missing, more texts or more authors help",
        )
    return 0
