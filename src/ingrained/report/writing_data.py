"""What `bench writing-data` found, as text: what is used, whether KEEP is tested, and ceiling and floor."""

from __future__ import annotations

from ingrained.bench.writing.bounds import Estimate, WritingData
from ingrained.report.columns import columns
from ingrained.wording import plural

_PARTS = {
    "length": "length",
    "first_person": "first person",
    "expression": "expression",
    "non_leakage": "non-leakage",
    "mean": "mean",
}
_DRAFTS = {
    "own": "the author's own text",
    "other": "another author's text",
    "plain": "the facts as plain sentences",
    "style": "the author's text on something else",
    "mixed": "mixed, as the benchmark gives them",
}


def writing_data_text(result: WritingData) -> str:
    """The counts, then a table each for authors, KEEP and bounds."""
    lines = [
        f"{result.task}: {plural(result.contexts, 'context')} of {plural(len(result.authors), 'author')}, "
        f"from {result.used} of {plural(result.found, 'document')}",
        f"a request gives away {result.overlap_mean:.1%} of the runs of four words of its author's text, "
        f"at most {result.overlap_most:.1%}",
        "",
        *columns(
            [
                ("author", "documents", "contexts", "median words", "habit", ""),
                *(
                    (one.author, str(one.documents), str(one.contexts), f"{one.words:g}", one.habit, one.part)
                    for one in result.authors
                ),
            ],
            left=(0, 4, 5),
        ),
        "",
        *columns(
            [
                ("drafts", "rounds", "without a transferable target"),
                *((_DRAFTS[one.drafts], str(one.n), f"{one.share:.1%}") for one in result.keep),
            ]
        ),
        _keep_line(result),
    ]
    if result.parts:
        head = ("held-out requests", "ceiling: own text", "floor: another's", "plain facts", "ceiling - floor")
        rows = [
            (_PARTS[one.part], _span(one.ceiling), _span(one.floor), _span(one.plain), _span(one.between, sign=True))
            for one in result.parts
        ]
        lines += ["", *columns([head, *rows])]
    lines += [""] + [f"dropped: {one.n} {one.why}" for one in result.dropped]
    lines.append(f"intervals: 95 %, {plural(result.draws, 'draw')} of authors with replacement, seed {result.seed}")
    return "\n".join(lines)


def _keep_line(result: WritingData) -> str:
    low, high = result.keep_wanted
    found = next(one.share for one in result.keep if one.drafts == "mixed")
    wanted = f"{low:.0%} to {high:.0%} wanted, so that KEEP is tested"
    return (
        wanted if low <= found <= high else f"{wanted}: the mixed drafts miss it, more authors or contexts are needed"
    )


def _span(found: Estimate, *, sign: bool = False) -> str:
    if sign:
        return f"{found.value:+.3f} [{found.low:+.3f}, {found.high:+.3f}]"
    return f"{found.value:.3f} [{found.low:.3f}, {found.high:.3f}]"
