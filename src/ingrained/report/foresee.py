"""What `bench foresee` found, as text: the four conditions, then the study's bins beside its own figures."""

from __future__ import annotations

from ingrained.bench.foresight import ConditionRow, Foresight, Span

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
        f"{len(result.people)} people, decomposer {result.decomposer} version {result.decomposer_version}, "
        f"{rules}, ≈{result.budget} tokens a skill; cuts in time at {', '.join(f'{cut:g}' for cut in result.cuts)}",
        _threshold_line(result),
        "",
        f"{'skill':18}{'rules':>6}{'tokens':>8}  {'feedback turns covered':24}{'mistakes':10}"
        f"{'rules that never apply':24}"
        "tokens per covered turn",
    ]
    lines += [_condition_line(row) for row in result.conditions]
    lines += ["", "own skill minus:"]
    lines += [f"  {_NAMES[row.against]:18}{_points(row.coverage)} points" for row in result.own_minus]
    lines += ["", *_bin_lines(result)]
    lines += ["", *_person_lines(result)]
    lines += [f"left out: {one.person} ({one.reason})" for one in result.left_out]
    if result.nobodys or result.undated or result.unread:
        lines.append(
            f"not counted: {result.nobodys} sessions of nobody or of several people, {result.undated} without a date, "
            f"{result.unread} files not read"
        )
    lines.append(
        f"intervals: 95 %, {result.draws} draws of people with replacement, seed {result.seed}; "
        "each person's figure is the mean over the cuts"
    )
    return "\n".join(lines)


def _threshold_line(result: Foresight) -> str:
    head = f"covered by {result.likeness} similarity"
    if result.chosen == "labels" and result.told:
        told = result.told
        return (
            f"{head}, threshold chosen on other labelled people: finds {told.recall:.0%} of {told.same} turns that say "
            f"a labelled rule again, precision {told.precision:.0%}; "
            f"takes {told.mistakes.value:.1%} [{told.mistakes.low:.1%}, {told.mistakes.high:.1%}] of "
            f"{told.pairs - told.same} other pairs for the same, from which follow the mistakes below"
        )
    source = "as given" if result.chosen == "given" else "its default"
    return f"{head} from {result.people[0].threshold:g} on ({source})"


def _share(span: Span | None) -> str:
    return "-" if span is None else f"{span.value:6.1%} [{span.low:.1%}, {span.high:.1%}]"


def _points(span: Span | None) -> str:
    if span is None:
        return "-"
    return f"{100 * span.value:+.1f} [{100 * span.low:+.1f}, {100 * span.high:+.1f}]"


def _condition_line(row: ConditionRow) -> str:
    cost = "-"
    if row.tokens_per_covered is not None:
        low = "-" if row.tokens_per_covered_low is None else f"{row.tokens_per_covered_low:.1f}"
        high = "no end" if row.tokens_per_covered_high is None else f"{row.tokens_per_covered_high:.1f}"
        cost = f"{row.tokens_per_covered:.1f} [{low}, {high}]"
    mistakes = "-" if row.by_mistake is None else f"≈{row.by_mistake:.1%}"
    idle = _share(row.idle) if row.rules else "-"
    return (
        f"{_NAMES[row.condition]:18}{row.rules:6.1f}{row.tokens:8.0f}  {_share(row.coverage):24}{mistakes:10}"
        f"{idle:24}{cost}"
    ).rstrip()


def _bin_lines(result: Foresight) -> list[str]:
    lines = [
        "by earlier sessions of the same person that hold the same feedback, in points of coverage",
        "(in round brackets the study's Table 2, in points of its score):",
        f"  {'relevant':10}{'n':>5}{'people':>8}  {'own - none':30}{'own - other':30}own - pooled",
    ]
    for row in result.relevant:
        n, *study = _STUDY[row.relevant]
        cells = [row.own_minus_none, row.own_minus_other, row.own_minus_pooled]
        shown = [f"{_points(cell)} ({theirs:+.1f})" for cell, theirs in zip(cells, study, strict=True)]
        count = f"{row.n} ({n})"
        lines.append(f"  {row.relevant:6}{count:>9}{row.people:8}  {shown[0]:30}{shown[1]:30}{shown[2]}")
    return lines


def _person_lines(result: Foresight) -> list[str]:
    lines = [f"{'person':28}{'sessions':>9}{'later turns':>13}{'own rules':>11}{'own':>8}{'other':>8}{'pooled':>8}"]
    for row in result.people:
        cells = "".join(f"{row.coverage[name]:8.1%}" for name in ("own", "other", "pooled"))
        lines.append(f"{row.person:28}{row.sessions:9}{row.later_turns:13.1f}{row.rules['own']:11.1f}{cells}")
    return lines
