"""`ingrained why`: one rule and everything it rests on."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from ingrained.cli.output import DEFAULTS, Json, Shared, emit


def why(
    rule: Annotated[str, Parameter(help="Its id, or the beginning of it.")],
    /,
    *,
    json: Json = False,
    options: Shared = DEFAULTS,
) -> int:
    """Show what a rule rests on: each quote, what the agent had done, sessions, dates, levels, said again."""
    from ingrained.learn.pipeline import looked_at
    from ingrained.report.shapes import why_shape
    from ingrained.report.terminal import page_width, why_text
    from ingrained.store.files import home_dir

    view = looked_at(home_dir(options.home))
    emit(why_shape(view, view.rule(rule)), json=json, renderer=lambda shape: why_text(shape, page_width()))
    return 0
