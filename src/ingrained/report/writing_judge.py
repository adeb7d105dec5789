"""What `bench judge-writing` found, as text: marks by method, then how far the judge is to be believed, in words."""

from __future__ import annotations

from functools import partial

from ingrained.bench.writing.bounds import Estimate
from ingrained.bench.writing.judge import ASPECTS
from ingrained.bench.writing.judge_tables import CHANCE, Belief, Judged, JudgedRow, JudgeTables
from ingrained.report.columns import columns
from ingrained.report.writing_run import SHORT, span
from ingrained.wording import plural

_span = partial(span, digits=1)


def writing_judge_text(result: JudgeTables) -> str:
    """Marks are per cent of the range from 1 to 10."""
    lines = [
        f"{result.task}, texts of {result.model}, judged by {result.judge}: {result.cases} of "
        f"{plural(result.possible, 'case')}, {plural(result.authors, 'author')}; each pair blind and in both orders"
    ]
    if not result.independent:
        lines.append("the judge wrote the texts itself, or some of them: it is not independent")
    if result.methods is not None:
        lines += _judged(result.methods)
    if result.bounds is not None:
        lines += ["", "The author's own text against another author's, for the author's request:"]
        lines += _judged(result.bounds)
        lines.append(_own(result.bounds.rows[-1]))
    lines.append("")
    for why, n in result.left_out.items():
        said = next(one.reason for each in result.verdicts for one in each.readings if one.parked == why)
        lines.append(f"left out: {plural(n, 'answer')} {why}, such as: {said}")
    if result.authors == 1:
        lines.append("one author only: the intervals are empty, and say nothing")
    lines.append(
        f"marks in per cent of their range; intervals: 95 %, {plural(result.draws, 'draw')} of authors with "
        f"replacement, seed {result.seed}"
    )
    return "\n".join(lines)


def _judged(found: Judged) -> list[str]:
    first = found.rows[0].side
    head = ("", "mark", f"against {first}", "won", "tied", "lost", "pairs", "judged", "same text", "Mean4")
    aspects = ("", *(SHORT[aspect] for aspect in ASPECTS))
    parts = [
        (one.side, *(f"{100 * one.aspects[aspect].value:.1f}" if aspect in one.aspects else "" for aspect in ASPECTS))
        for one in found.rows
    ]
    return ["", *columns([head, *map(_row, found.rows)]), "", *columns([aspects, *parts]), "", *_belief(found.belief)]


def _row(one: JudgedRow) -> tuple[str, ...]:
    rates = (_rate(one.won), _rate(one.tied), _rate(one.lost))
    counts = (str(one.pairs), str(one.judged), str(one.same), _rate(one.mean4))
    return (one.side, _span(one.mark), _span(one.against, sign=True), *rates, *counts)


def _belief(found: Belief) -> list[str]:
    if not found.pairs:
        return ["no pair of two texts was judged in both orders: nothing can be said of the judge"]
    lines = [_agreement(found)]
    if found.place is not None:
        lines.append(f"the text in the first place is marked {_span(found.place, sign=True)} against the second")
    if found.rank is not None:
        same = f"in {_span(found.with_mean4)} % of {plural(found.compared, 'pair')}" if found.compared else "in no pair"
        rank = f"{found.rank.value:+.2f} [{found.rank.low:+.2f}, {found.rank.high:+.2f}]"
        lines.append(f"it names the same better text as Mean4 {same}; rank correlation of the differences {rank}")
    return lines


def _agreement(found: Belief) -> str:
    if found.agreed is None:
        none = f"none of {plural(found.pairs, 'pair')}"
        return f"both orders name a better text in {none}: the marks do not say who is better"
    said = f"the two orders name the same better text in {_span(found.agreed)} % of {plural(found.decided, 'pair')}"
    if found.above_chance:
        return f"{said} (chance: 50 %); {found.pairs - found.decided} more have a tie in some order"
    if found.agreed.high < CHANCE:
        return f"{said}, less often than chance would (50 %): the place decides, and what is won or lost says nothing"
    return f"{said}, and so might chance (50 %): what is won or lost here says nothing"


def _own(row: JudgedRow) -> str:
    """In words, whether the judge tells whose text it is."""
    if row.against is None:
        return "no such pair was judged: whether the judge knows an author is not known"
    if row.against.low > 0:
        return "the judge prefers the author's own text; the other is for another request, so this is the least to ask"
    return "the judge does not surely prefer the author's own text: its marks say little about an author's style"


def _rate(value: Estimate | None) -> str:
    return "" if value is None else f"{100 * value.value:.1f}"
