"""What `bench foresee` found, as text: the four conditions, then the study's bins beside its own figures."""

from __future__ import annotations

from ingrained.bench.foresight import ConditionRow, Foresight, Span
from ingrained.report.columns import columns
from ingrained.wording import plural

_NAMES = {
    "none": "no skill",
    "own": "own",
    "other": "another person's",
    "pooled": "pooled over all",
    "pooled-small": "pooled, own size",
}
_STUDY = {
    "0": (3, -6.33, 15.00, -8.00),
    "1-2": (16, 0.00, -1.38, -3.81),
    "3-5": (11, 0.10, 0.20, -7.20),
    ">=6": (12, 10.17, 8.92, 5.67),
}
"""Table 2 of the coding-agent study: held-out tasks, then own minus none, other and pooled, in points of its score."""


def foresee_text(result: Foresight) -> str:
    """The tables of one run."""
    rules = "all rules" if result.tentative else "rules said in two sessions or more"
    lines = [
        f"{plural(len(result.people), 'person', 'people')}, decomposer {result.decomposer} "
        f"version {result.decomposer_version}, {rules}, ≈{plural(result.budget, 'token')} a skill; "
        f"cuts in time at {', '.join(f'{cut:g}' for cut in result.cuts)}",
        _threshold_line(result),
        "",
        *_condition_lines(result),
        "",
        "own skill minus, in points:",
        *(
            f"  {line}"
            for line in columns([(_NAMES[row.against], _points(row.coverage)) for row in result.own_minus], left=(0, 1))
        ),
        "",
        *_bin_lines(result),
        "",
        *_person_lines(result),
    ]
    lines += [f"left out: {one.person} ({one.reason})" for one in result.left_out]
    if result.nobodys or result.undated or result.unread:
        lines.append(
            f"not counted: {plural(result.nobodys, 'session')} of nobody or of several people, "
            f"{result.undated} without a date, {plural(result.unread, 'file')} not read"
        )
    lines.append(
        f"intervals: 95 %, {plural(result.draws, 'draw')} of people with replacement, seed {result.seed}; "
        "each person's figure is the mean over the cuts"
    )
    return "\n".join(lines)


def _threshold_line(result: Foresight) -> str:
    head = f"covered by {result.likeness} similarity"
    if result.chosen == "labels" and result.told:
        told = result.told
        return (
            f"{head}, threshold chosen on other labelled people: finds {told.recall:.0%} of "
            f"{plural(told.same, 'turn that says', 'turns that say')} a labelled rule again, "
            f"precision {told.precision:.0%}; takes {told.mistakes.value:.1%} "
            f"[{told.mistakes.low:.1%}, {told.mistakes.high:.1%}] of "
            f"{plural(told.pairs - told.same, 'other pair')} for the same, from which follow the mistakes below"
        )
    source = "as given" if result.chosen == "given" else "its default"
    return f"{head} from {result.people[0].threshold:g} on ({source})"


def _share(span: Span | None) -> str:
    return "-" if span is None else f"{span.value:6.1%} [{span.low:.1%}, {span.high:.1%}]"


def _points(span: Span | None) -> str:
    if span is None:
        return "-"
    return f"{100 * span.value:+.1f} [{100 * span.low:+.1f}, {100 * span.high:+.1f}]"


def _condition_lines(result: Foresight) -> list[str]:
    """What each skill covers, and what it costs: two tables, so that they fit into a narrow window."""
    covers = [("skill", "rules", "tokens", "feedback turns covered", "mistakes")]
    costs = [("skill", "rules that never apply", "tokens per covered turn")]
    for row in result.conditions:
        name = _NAMES[row.condition]
        mistakes = "-" if row.by_mistake is None else f"≈{row.by_mistake:.1%}"
        covers.append((name, f"{row.rules:.1f}", f"{row.tokens:.0f}", _share(row.coverage), mistakes))
        costs.append((name, _share(row.idle) if row.rules else "-", _cost(row)))
    return [*columns(covers, left=(0, 3)), "", *columns(costs, left=(0, 1, 2))]


def _cost(row: ConditionRow) -> str:
    if row.tokens_per_covered is None:
        return "-"
    low = "-" if row.tokens_per_covered_low is None else f"{row.tokens_per_covered_low:.1f}"
    high = "no end" if row.tokens_per_covered_high is None else f"{row.tokens_per_covered_high:.1f}"
    return f"{row.tokens_per_covered:.1f} [{low}, {high}]"


def _bin_lines(result: Foresight) -> list[str]:
    rows = [("relevant", "n", "people", "own minus", "points", "study")]
    for row in result.relevant:
        n, *study = _STUDY[row.relevant]
        bin, count, people = row.relevant, f"{row.n} ({n})", str(row.people)
        cells = [row.own_minus_none, row.own_minus_other, row.own_minus_pooled]
        for name, cell, theirs in zip(("none", "other", "pooled"), cells, study, strict=True):
            rows.append((bin, count, people, name, _points(cell), f"({theirs:+.1f})"))
            bin = count = people = ""
    return [
        "by earlier sessions of the same person that hold the same feedback, in points of coverage",
        "(in round brackets the study's Table 2, in points of its score):",
        *(f"  {line}" for line in columns(rows, left=(0, 3, 4))),
    ]


def _person_lines(result: Foresight) -> list[str]:
    rows = [("person", "sessions", "later turns", "own rules", "own", "other", "pooled")]
    for row in result.people:
        own, other, pooled = (f"{row.coverage[name]:.1%}" for name in ("own", "other", "pooled"))
        counts = (str(row.sessions), f"{row.later_turns:.1f}", f"{row.rules['own']:.1f}")
        rows.append((row.person, *counts, own, other, pooled))
    return columns(rows)
