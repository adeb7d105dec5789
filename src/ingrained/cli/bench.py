"""`ingrained bench`: measurements on labelled data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ingrained.cli.output import DEFAULTS, Json, Shared, emit


def feedback(
    *,
    labels: Annotated[Path, Parameter(help="The labelled turns, JSON lines.")],
    root: Annotated[Path | None, Parameter(help="Folder of the sessions; that of the labels by default.")] = None,
    decomposer: Annotated[str, Parameter(help="Whose judgement.")] = "rules",
    seed: Annotated[int, Parameter(help="Of the resampling.")] = 0,
    json: Json = False,
    options: Shared = DEFAULTS,  # noqa: ARG001 - every command takes these
) -> int:
    """Measure how well feedback and transferable rules are found in labelled turns."""
    from ingrained.bench.feedback import measure
    from ingrained.learn.view import load_decomposer
    from ingrained.report.bench import feedback_text

    result = measure(labels, root or labels.parent, load_decomposer(decomposer), seed=seed)
    emit(result, json=json, renderer=feedback_text)
    return 0
