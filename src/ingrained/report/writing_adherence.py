"""What `bench run-writing --rubric unseen` found, as text: adherence in per cent, and what it would be anyway."""

from __future__ import annotations

from ingrained.bench.writing.adherence import AdherenceRow, AdherenceTables
from ingrained.bench.writing.tables import RunTables
from ingrained.report.columns import columns
from ingrained.report.writing_run import rate, span, writing_run_text
from ingrained.verify.unseen import PREFERENCES
from ingrained.wording import plural


def run_text(result: RunTables | AdherenceTables) -> str:
    """The tables of a run, whatever it was scored by."""
    return writing_run_text(result) if isinstance(result, RunTables) else adherence_text(result)


def adherence_text(result: AdherenceTables) -> str:
    """The averages with what stands beside them, the preferences, and what was kept of the feedback."""
    first = result.methods[0].method
    each = ", ".join(f"{name} {result.by_preference.get(name, 0)}" for name in PREFERENCES)
    head = ("method", "adherence", "first drafts", f"against {first}", "where the draft broke it", "n", "rules")
    lines = [
        f"{result.task} with {result.model}: {plural(result.pairs, 'pair')} ({each}) on "
        f"{plural(result.contexts, 'context')} of {plural(result.authors, 'author')}; "
        f"{result.compared} of {plural(result.cases, 'case')} compared",
        "",
        *columns([(*head, "parked", "unscored", "unusable"), *map(_method, result.methods)]),
        f"authors' own texts {span(result.own.mean)} of {result.own.n}",
        "",
        *columns([("held-out requests", *PREFERENCES), *_parts(result)]),
    ]
    kept = [
        (one.method, str(of.updates), rate(of.silent), str(of.one_offs), rate(of.one_off_kept))
        for one in result.methods
        if (of := one.kept) is not None
    ]
    if kept:
        head = ("feedback", "n", "nothing kept", "with a one-off", "one-off kept")
        lines += ["", *columns([head, *kept])]
    lines += [""] + [f"left out: {n} {why}" for why, n in result.left_out.items()]
    lines.append(f"in per cent; intervals: 95 %, {plural(result.draws, 'draw')} of authors with replacement")
    return "\n".join(lines)


def _method(one: AdherenceRow) -> tuple[str, ...]:
    return (
        one.method,
        span(one.held_out.mean),
        span(one.first),
        span(one.against, sign=True),
        span(one.mended),
        str(one.broken),
        f"{one.rules:.1f}",
        str(one.parked),
        str(one.unscored),
        str(one.unusable),
    )


def _parts(result: AdherenceTables) -> list[tuple[str, ...]]:
    named = [(one.method, one.held_out) for one in result.methods]
    spans = [
        (name, *(span(of.parts.get(one)) for one in PREFERENCES))
        for name, of in [*named, ("authors' own texts", result.own)]
    ]
    first = result.methods[0]
    return [
        *spans,
        (f"first drafts, {first.method}", *(rate(first.first_parts.get(one)) for one in PREFERENCES)),
        ("cases", *(str(result.compared_by_preference.get(one, 0)) for one in PREFERENCES)),
    ]
