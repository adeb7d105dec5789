"""What `bench run-writing` found, as text: Mean4 by method, by dimension, the atoms, with ceiling and floor beside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ingrained.bench.writing.bounds import PARTS, Estimate, Part
from ingrained.bench.writing.tables import AtomRow, MethodRow, RunTables
from ingrained.report.columns import columns
from ingrained.wording import plural

SHORT: Final[Mapping[Part, str]] = {
    "length": "Len", "first_person": "FP", "expression": "Expr", "non_leakage": "NL", "mean": "Mean4",
}  # fmt: skip
"""Heads of columns."""


def writing_run_text(result: RunTables) -> str:
    """All scores are times 100."""
    first = result.methods[0].method
    by_part = {one.part: one for one in result.bounds}
    head = ("method", "Mean4", f"against {first}", "sd over seeds", "rules", "parked", "unscored", "unusable")
    lines = [
        f"{result.task} with {result.model}: {plural(result.contexts, 'context')} of "
        f"{plural(result.authors, 'author')}; {result.compared} of {plural(result.cases, 'case')} compared",
        "",
        *columns([head, *map(_method, result.methods)]),
    ]
    if by_part:
        mean = by_part["mean"]
        lines += [f"ceiling (the author's own text) {span(mean.ceiling)}, floor (another author's) {span(mean.floor)}"]
        lines += ["", *columns([("dimension", *(SHORT[part] for part in PARTS)), *_parts(result)])]
    if result.atoms:
        head = (
            "atoms",
            "n",
            "extraction",
            "covered",
            "kept",
            "selection",
            "covered",
            "recall",
            "KEEP right",
            "R_skill",
        )
        lines += ["", *columns([head, *map(_atom, result.atoms)])]
    lines += [""] + [f"left out: {n} {why}" for why, n in result.left_out.items()]
    if result.keep_share is not None:
        lines.append(f"rounds without a transferable target: {result.keep_share:.1%}")
    lines.append(f"scores times 100; intervals: 95 %, {plural(result.draws, 'draw')} of authors with replacement")
    return "\n".join(lines)


def _method(one: MethodRow) -> tuple[str, ...]:
    spread = "" if one.seeds_spread is None else f"{100 * one.seeds_spread:.2f}"
    counts = (f"{one.rules:.1f}", str(one.parked), str(one.unscored), str(one.unusable))
    return (one.method, span(one.mean), span(one.against, sign=True), spread, *counts)


def _parts(result: RunTables) -> list[tuple[str, ...]]:
    rows = [
        (one.method, *(f"{100 * one.parts[part].value:.1f}" if part in one.parts else "" for part in PARTS))
        for one in result.methods
    ]
    by_part = {one.part: one for one in result.bounds}
    ceiling = ("ceiling", *(f"{100 * by_part[part].ceiling.value:.1f}" for part in PARTS))
    floor = ("floor", *(f"{100 * by_part[part].floor.value:.1f}" for part in PARTS))
    return [*rows, ceiling, floor]


def _atom(one: AtomRow) -> tuple[str, ...]:
    return (
        one.method,
        str(one.atoms),
        rate(one.extraction),
        rate(one.extraction_covered),
        str(one.kept),
        rate(one.selection),
        rate(one.selection_covered),
        rate(one.recall),
        f"{rate(one.kept_rightly)} of {one.keeps}",
        rate(one.reward),
    )


def rate(value: float | None) -> str:
    """A share times 100."""
    return "" if value is None else f"{100 * value:.1f}"


def span(found: Estimate | None, *, sign: bool = False, digits: int = 2) -> str:
    """An estimate times 100 with its interval."""
    if found is None:
        return ""
    form = f"{'+' if sign else ''}.{digits}f"
    return f"{100 * found.value:{form}} [{100 * found.low:{form}}, {100 * found.high:{form}}]"
