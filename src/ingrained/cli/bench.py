"""`ingrained bench`: measurements on labelled data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ingrained.cli.output import DEFAULTS, Json, Shared, emit
from ingrained.feedback.decompose import DEFAULT_DECOMPOSER


def feedback(
    *,
    labels: Annotated[Path, Parameter(help="The labelled turns, JSON lines.")],
    root: Annotated[Path | None, Parameter(help="Folder of the sessions; that of the labels by default.")] = None,
    decomposer: Annotated[str, Parameter(help="Whose judgement.")] = DEFAULT_DECOMPOSER,
    left_out: Annotated[
        Path | None, Parameter(help="Folder of trained decomposers, for each repository one that saw none of it.")
    ] = None,
    seed: Annotated[int, Parameter(help="Of the resampling.")] = 0,
    json: Json = False,
    options: Shared = DEFAULTS,  # noqa: ARG001 - every command takes these
) -> int:
    """Measure how well feedback and transferable rules are found in labelled turns."""
    from ingrained.bench.feedback import measure
    from ingrained.learn.view import load_decomposer
    from ingrained.report.bench import feedback_text

    if left_out:
        from ingrained.feedback.trained import left_out_in

        result = measure(labels, root or labels.parent, left_out_in(left_out), seed=seed)
    else:
        judge = load_decomposer(decomposer)
        result = measure(labels, root or labels.parent, lambda _: judge, seed=seed)
    emit(result, json=json, renderer=feedback_text)
    return 0
