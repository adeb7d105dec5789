"""The score of a text against an author's habits, for a terminal."""

from __future__ import annotations

from ingrained.report.columns import columns
from ingrained.report.writing_shape import (
    BoundsShape,
    ExpressionShape,
    FirstPersonShape,
    HabitShape,
    LengthShape,
    NonLeakageShape,
    PartShape,
    WritingShape,
)
from ingrained.verify.expression import Feature
from ingrained.wording import plural

_SHOWN = 12
"""Leaks that are named."""


def writing_text(shape: WritingShape) -> str:
    """The mean, a line a part, the habits as a table, then what else was seen and left out."""
    against = plural(len(shape.histories), "history", "histories")
    against += f" and {plural(shape.authors, 'other author')}" if shape.authors else ""
    parts = [
        ("length", shape.length, _length(shape.length)),
        ("first person", shape.first_person, _first_person(shape.first_person)),
        ("expression", shape.expression, _habit(shape.expression)),
        ("non-leakage", shape.non_leakage, _leaks(shape.non_leakage)),
    ]
    rows = [(name, _figure(part), part.unscored or told) for name, part, told in parts]
    lines = [
        f"{shape.response} against {against}",
        *columns([*rows, ("mean", _figure(shape), shape.unscored)], left=(0, 2)),
    ]
    if shape.expression.habits:
        lines += ["", *_habits(shape.expression)]
    lines += ["", "other preferences: " + ", ".join(f"{one.preference} {_answer(one)}" for one in shape.unseen)]
    lines += [f"note: {note}" for note in shape.notes]
    lines += [f"left out: {one.path}: {one.why}" for one in shape.skipped]
    return "\n".join(lines)


def _figure(part: PartShape) -> str:
    return "-" if part.score is None else f"{part.score:.3f}"


def _answer(part: PartShape) -> str:
    return "-" if part.score is None else "yes" if part.score else "no"


def _within(bounds: BoundsShape) -> str:
    below = f"up to {bounds.outer_low:.1f} and " if bounds.outer_low < bounds.low else ""
    return f"{bounds.low:.1f} to {bounds.high:.1f} wanted, nothing {below}from {bounds.outer_high:.1f}"


def _length(part: LengthShape) -> str:
    return f"{plural(part.words, 'word')}; {_within(part.bounds)}; the histories' median is {part.median:g}"


def _first_person(part: FirstPersonShape) -> str:
    return f"{part.rate:.1f} per 100 words; {_within(part.bounds)}; the histories have {part.history_rate:.1f}"


def _habit(part: ExpressionShape) -> str:
    chosen = next((one for one in part.habits if one.feature == part.feature), None)
    if chosen is None or part.value is None or part.tolerance is None or part.scale is None:
        return "no prose"
    return (
        f"{_named(part.feature)} {part.value:.1f}; the author's median is {chosen.median:.1f}, "
        f"{part.tolerance:.1f} off is free, {part.scale + part.tolerance:.1f} off is nothing"
    )


def _named(feature: Feature | None) -> str:
    return (feature or "").replace("_", " ")


def _leaks(part: NonLeakageShape) -> str:
    if not part.candidates:
        return "there was no term that could be carried over"
    named = ", ".join(f"{one.text} ({one.kind})" for one in part.found[:_SHOWN])
    more = f" and {len(part.found) - _SHOWN} more" if len(part.found) > _SHOWN else ""
    carried = f"{len(part.found)} of {plural(len(part.candidates), 'term')} carried over"
    return carried + (f": {named}{more}" if named else "")


def _habits(part: ExpressionShape) -> list[str]:
    head = ("habit", "median", "MAD", "range", "others", "their spread", "ratio", "")
    rows = [
        (
            _named(one.feature),
            f"{one.median:.2f}",
            f"{one.mad:.2f}",
            f"{one.range:.2f}",
            f"{one.population_median:.2f}",
            f"{one.population_spread:.2f}",
            f"{one.ratio:.2f}",
            "chosen" if one.feature == part.feature else _verdict(one),
        )
        for one in part.habits
    ]
    return columns([head, *rows], left=(0, 7))


def _verdict(one: HabitShape) -> str:
    wrong = [word for word, holds in (("not stable", one.stable), ("not distinctive", one.distinctive)) if not holds]
    return ", ".join(wrong)
