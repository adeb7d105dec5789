"""The published shape of `score writing --json`: each part of a text's score with all that it was taken from."""

from __future__ import annotations

from ingrained.bench.texts import Scored
from ingrained.skill.rule import Frozen
from ingrained.verify.expression import Feature, Habit
from ingrained.verify.leakage import Candidate, Kind
from ingrained.verify.rubric import Preferred, rate_tolerance
from ingrained.verify.score import reason_of, value_of
from ingrained.verify.unseen import UnseenPreference
from ingrained.verify.words import words


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
        score=value_of(score.mean),
        unscored=reason_of(score.mean),
        response=str(scored.response),
        length=LengthShape(
            score=value_of(score.length),
            unscored=reason_of(score.length),
            words=score.words,
            median=author.words,
            bounds=_bounds(author.length),
        ),
        first_person=FirstPersonShape(
            score=value_of(score.first_person),
            unscored=reason_of(score.first_person),
            found=list(score.first_persons),
            rate=score.rate,
            history_rate=author.rate,
            tolerance=rate_tolerance(author.rate),
            bounds=_bounds(author.first_person),
        ),
        expression=_expression(scored),
        non_leakage=NonLeakageShape(
            score=value_of(score.non_leakage),
            unscored=reason_of(score.non_leakage),
            found=[_candidate(one) for one in score.leaked],
            candidates=[_candidate(one) for one in score.candidates],
            supported=list(scored.supported),
        ),
        unseen=[
            AdherenceShape(
                score=value_of(one.outcome),
                unscored=reason_of(one.outcome),
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
        score=value_of(outcome),
        unscored=reason_of(outcome),
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
