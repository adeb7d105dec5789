"""Results of `bench planted` as text."""

from __future__ import annotations

from collections.abc import Mapping

from ingrained.bench.planted.settled import BUDGET, SEEDS, Measure
from ingrained.bench.planted.shape import Difference, Foretold, PlantedBench, Row, Span
from ingrained.report.columns import columns

_WHAT: Mapping[Measure, str] = {"value": "true value", "rules": "rules", "harmful": "harmful rules"}
_CAME = {"yes": " ", "no": "!", "open": "?"}


def planted_text(result: PlantedBench) -> str:
    """A line a method, `evolve` against each, and every prediction with what came of it."""
    first, last = result.worlds[0].seed, result.worlds[-1].seed
    as_settled = (result.budget, first, len(result.worlds)) == (BUDGET, 0, SEEDS)
    plan = result.plan
    lines = [
        f"{len(result.worlds)} worlds, {first} to {last}; {result.budget:,} calls of the worker a method and world",
        f"evolve decides {plan.rule}, alpha {plan.alpha:g} a {plan.rate}, useful {plan.useful:g}, "
        f"margin {plan.margin:g}, cap {plan.cap}",
        f"true value of the first skills {result.start:.3f}, of the best that there are {result.best:.3f}",
        "",
        *columns([_HEAD, *(_row(row) for row in result.rows)]),
        "",
        *columns(
            [("true value", "minus", "by", "95 %", "worlds better", "worse"), *map(_against, result.against)],
            left=(0, 1),
        ),
        "",
        *columns([("", "predicted", "difference", "95 %", "came"), *map(_foretold, result.foretold)], left=(0, 1)),
        "",
        *([] if as_settled else [f"what is predicted was settled for {BUDGET:,} calls and worlds 0 to {SEEDS - 1}"]),
        f"order predicted: {' > '.join(result.predicted)}",
        f"order found:     {' > '.join(result.found)}",
        *(f"left out: {name}: {why}" for name, why in result.missing.items()),
        "the claim holds: evolve ends higher than raw"
        if result.holds
        else "the claim does NOT hold: see the first prediction",
    ]
    return "\n".join(lines)


_HEAD = ("method", "gain", "95 %", "share of the best", "95 %", "rules", "tokens", "harmful", "calls")


def _row(row: Row) -> tuple[str, ...]:
    return (
        row.method,
        f"{row.gain.mean:+.3f}",
        _ends(row.gain),
        f"{row.share.mean:.0%}",
        f"{row.share.low:.0%} to {row.share.high:.0%}",
        f"{row.rules:.1f}",
        f"{row.tokens:.0f}",
        f"{row.harmful:.1f}",
        f"{row.calls:,.0f}",
    )


def _against(one: Difference) -> tuple[str, ...]:
    return one.one, one.other, f"{one.span.mean:+.3f}", _ends(one.span), str(one.more), str(one.fewer)


def _foretold(one: Foretold) -> tuple[str, ...]:
    found = one.difference
    said = f"{found.one}: more {_WHAT[found.measure]} than {found.other}"
    return _CAME[one.came], said, f"{found.span.mean:+.3f}", _ends(found.span), one.came


def _ends(span: Span) -> str:
    return f"{span.low:+.3f} to {span.high:+.3f}"
