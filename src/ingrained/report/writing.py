"""The score of a text against an author's rubric: its published shape, and the same for a terminal."""

from __future__ import annotations

from ingrained.bench.texts import Scored
from ingrained.report.columns import columns
from ingrained.skill.rule import Frozen
from ingrained.verify.expression import Feature, Habit
from ingrained.verify.leakage import Candidate, Kind
from ingrained.verify.rubric import Preferred, rate_tolerance
from ingrained.verify.score import Outcome, Score, Unscored
from ingrained.verify.unseen import UnseenPreference
from ingrained.verify.words import words

_SHOWN = 12
"""Leaks that the terminal names."""


class PartShape(Frozen):
    """One part of a score."""

    score: float | None
    """In [0, 1], higher is better; null where it is not scored."""
    unscored: str
    """Why not; empty where it is."""


class BoundsShape(Frozen):
    """The preferred interval and the bounds beyond which the score is 0."""

    low: float
    high: float
    outer_low: float
    outer_high: float


class LengthShape(PartShape):
    """Length in words."""

    words: int
    median: float
    """Of the histories."""
    bounds: BoundsShape


class FirstPersonShape(PartShape):
    """Words of the first person, per 100 words."""

    found: list[str]
    rate: float
    history_rate: float
    tolerance: float
    bounds: BoundsShape


class HabitShape(Frozen):
    """One feature of expression: the author against the population."""

    feature: Feature
    median: float
    mad: float
    range: float
    population_median: float
    population_spread: float
    """Interquartile range over the authors."""
    ratio: float
    """Distance of the medians over that range; the largest is chosen."""
    stable: bool
    distinctive: bool


class ExpressionShape(PartShape):
    """The chosen feature of expression, per 100 words or in words of a sentence."""

    feature: Feature | None
    value: float | None
    """Of the response."""
    scale: float | None
    tolerance: float | None
    deviation: float | None
    habits: list[HabitShape]


class CandidateShape(Frozen):
    """Something of an earlier text that the response should not take over."""

    text: str
    kind: Kind


class NonLeakageShape(PartShape):
    """What was carried over from earlier texts."""

    found: list[CandidateShape]
    candidates: list[CandidateShape]
    supported: list[str]
    """Would be candidates, and stand in the request."""


class AdherenceShape(PartShape):
    """One preference that the rubric does not hold."""

    preference: UnseenPreference
    found: list[str]


class HistoryShape(Frozen):
    """One text of the author."""

    path: str
    words: int


class SkippedShape(Frozen):
    """A path that was found and not used."""

    path: str
    why: str


class WritingShape(PartShape):
    """`score writing --json`; `score` is the mean of the four parts."""

    version: int = 1
    response: str
    length: LengthShape
    first_person: FirstPersonShape
    expression: ExpressionShape
    non_leakage: NonLeakageShape
    unseen: list[AdherenceShape]
    histories: list[HistoryShape]
    authors: int | None
    """Of the population; null without one."""
    skipped: list[SkippedShape]
    notes: list[str]


def writing_shape(scored: Scored) -> WritingShape:
    """What `score writing` answers."""
    score, author = scored.score, scored.author
    return WritingShape(
        score=_value(score.mean),
        unscored=_reason(score.mean),
        response=str(scored.response),
        length=LengthShape(
            score=_value(score.length),
            unscored=_reason(score.length),
            words=score.words,
            median=author.words,
            bounds=_bounds(author.length),
        ),
        first_person=FirstPersonShape(
            score=_value(score.first_person),
            unscored=_reason(score.first_person),
            found=list(score.first_persons),
            rate=score.rate,
            history_rate=author.rate,
            tolerance=rate_tolerance(author.rate),
            bounds=_bounds(author.first_person),
        ),
        expression=_expression(scored),
        non_leakage=NonLeakageShape(
            score=_value(score.non_leakage),
            unscored=_reason(score.non_leakage),
            found=[_candidate(one) for one in score.leaked],
            candidates=[_candidate(one) for one in score.candidates],
            supported=list(scored.supported),
        ),
        unseen=[
            AdherenceShape(
                score=_value(one.outcome),
                unscored=_reason(one.outcome),
                preference=one.preference,
                found=list(one.found),
            )
            for one in scored.unseen
        ],
        histories=[HistoryShape(path=str(one.path), words=len(words(one.text))) for one in scored.histories],
        authors=scored.population.others if scored.population else None,
        skipped=[SkippedShape(path=str(one.path), why=one.why) for one in scored.skipped],
        notes=list(scored.notes),
    )


def _value(outcome: Outcome) -> float | None:
    return outcome.value if isinstance(outcome, Score) else None


def _reason(outcome: Outcome) -> str:
    return outcome.reason if isinstance(outcome, Unscored) else ""


def _bounds(preferred: Preferred) -> BoundsShape:
    return BoundsShape(
        low=preferred.low, high=preferred.high, outer_low=preferred.outer_low, outer_high=preferred.outer_high
    )


def _candidate(one: Candidate) -> CandidateShape:
    return CandidateShape(text=one.text, kind=one.kind)


def _expression(scored: Scored) -> ExpressionShape:
    outcome, value, habit = scored.score.expression, scored.score.value, scored.author.habit
    chosen = habit if isinstance(habit, Habit) else None
    return ExpressionShape(
        score=_value(outcome),
        unscored=_reason(outcome),
        feature=chosen.feature if chosen else None,
        value=value,
        scale=chosen.scale if chosen else None,
        tolerance=chosen.tolerance if chosen else None,
        deviation=chosen.deviation(value) if chosen and value is not None else None,
        habits=[
            HabitShape(
                feature=one.feature,
                median=one.median,
                mad=one.mad,
                range=one.range,
                population_median=one.population.median,
                population_spread=one.population.spread,
                ratio=one.ratio,
                stable=one.stable,
                distinctive=one.distinctive,
            )
            for one in scored.author.habits
        ],
    )


def writing_text(shape: WritingShape) -> str:
    """The mean, a line a part, the habits as a table, then what else was seen and left out."""
    against = f"{len(shape.histories)} histories" + (f" and {shape.authors} other authors" if shape.authors else "")
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
    return f"{part.words} words; {_within(part.bounds)}; the histories' median is {part.median:g}"


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
    named = ", ".join(f"{one.text} ({one.kind})" for one in part.found[:_SHOWN])
    more = f" and {len(part.found) - _SHOWN} more" if len(part.found) > _SHOWN else ""
    return f"{len(part.found)} of {len(part.candidates)} terms carried over" + (f": {named}{more}" if named else "")


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
