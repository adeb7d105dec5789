"""Tables of the judge: marks by method (Table 7), what is won and lost, and how far the judge is to be believed.

The decision to know: a pair counts where both its orders were answered, and what it says is the mean of the two. Marks
are told as a share of their range. A method is held against the first one on their own pairs alone, so that what is
parked under one method takes nothing from another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import fmean
from typing import TypeVar

from ingrained.bench.writing.bounds import DRAWS, Estimate, Shape, over_authors
from ingrained.bench.writing.judge import ASPECTS, HIGHEST, LOWEST, Aspect, Verdict
from ingrained.model.structured import Why
from ingrained.stats import spearman, wilson

T = TypeVar("T")

CHANCE = 0.5


class JudgedRow(Shape):
    """One side on the pairs in which it was judged."""

    side: str
    """A method, or `own` or `another`."""
    pairs: int
    judged: int
    """In both orders."""
    same: int
    """Of these, pairs of two texts that are the same."""
    mark: Estimate | None
    """Mean of the four aspects over both orders, as a share of the range from 1 to 10."""
    aspects: dict[Aspect, Estimate]
    mean4: Estimate | None
    """R_ans of the same texts, those without one left out."""
    against: Estimate | None
    """Difference of the marks to the first side, by pair; null for that one, and so are the next three."""
    won: Estimate | None
    """Share of the pairs in which its marks over both orders are the higher ones."""
    tied: Estimate | None
    lost: Estimate | None


class Belief(Shape):
    """How far the judge is to be believed, on pairs judged in both orders whose texts differ."""

    pairs: int
    decided: int
    """Both orders name a better text."""
    agreed: Estimate | None
    """Share of the decided in which it is the same one; the wider of the interval over authors and Wilson's."""
    above_chance: bool
    """The whole interval lies above one half."""
    place: Estimate | None
    """Mark of the first place minus that of the second; 0 where the place does not matter."""
    compared: int
    """Both the judge and Mean4 name a better text."""
    with_mean4: Estimate | None
    """Share of these in which it is the same one."""
    rank: Estimate | None
    """Rank correlation (Spearman) of the two differences."""


class Judged(Shape):
    """Pairs of one kind."""

    rows: list[JudgedRow]
    belief: Belief


class JudgeTables(Shape):
    """`bench judge-writing --json`, and `judge-….json` of a run."""

    version: int = 1
    task: str
    model: str
    """Of the run."""
    judge: str
    independent: bool
    """The judge is none of the models that wrote."""
    cases: int
    """That were drawn."""
    possible: int
    """For which all methods have an answer."""
    authors: int
    methods: Judged | None
    """Null where one method alone was named."""
    bounds: Judged | None
    """The author's own text against another author's for another request, where asked for."""
    left_out: dict[Why, int]
    """Why answers of the judge are missing, and how many."""
    draws: int = DRAWS
    seed: int
    verdicts: list[Verdict]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Drawing:
    """How intervals are made: by drawing authors with replacement."""

    seed: int
    draws: int

    def over(self, values: Sequence[tuple[str, T]], statistic: Callable[[list[T]], float]) -> Estimate | None:
        """A statistic of values by author; None of nothing."""
        return over_authors(values, statistic, seed=self.seed, draws=self.draws) if values else None

    def rate(self, values: Sequence[tuple[str, float]]) -> Estimate | None:
        """A rate whose interval is also that of so few pairs: a handful that all agree is no proof."""
        found = self.over(values, fmean)
        if found is None:
            return None
        few = wilson(round(sum(value for _, value in values)), len(values))
        return Estimate(value=found.value, low=min(found.low, few.low), high=max(found.high, few.high))


def judged(
    first: str, others: Sequence[str], verdicts: Sequence[Verdict], *, seed: int = 0, draws: int = DRAWS
) -> Judged:
    """The tables of pairs of `others` against `first`. Cost: no model; a second or two."""
    drawing = _Drawing(seed=seed, draws=draws)
    return Judged(
        rows=[_row(name, first, verdicts, drawing) for name in (first, *others)],
        belief=_belief([one for one in verdicts if one.both and not one.same], drawing),
    )


def left_out(verdicts: Sequence[Verdict]) -> dict[Why, int]:
    """Why answers are missing, and how many; the reasons in words stand in the verdicts."""
    found = Counter(one.parked for each in verdicts for one in each.readings if one.parked is not None)
    return dict(sorted(found.items()))


def _row(name: str, first: str, verdicts: Sequence[Verdict], drawing: _Drawing) -> JudgedRow:
    own = [one for one in verdicts if name in {one.side, one.against}]
    found = [one for one in own if one.both]
    scored = [(one.author, value) for one in found if (value := one.mean4[name]) is not None]
    paired = found if name != first else []

    def over(value: Callable[[Verdict], float], given: Sequence[Verdict]) -> Estimate | None:
        return drawing.over([(one.author, value(one)) for one in given], fmean)

    return JudgedRow(
        side=name,
        pairs=len(own),
        judged=len(found),
        same=sum(one.same for one in found),
        mark=over(lambda one: _share(one.total(name), one), found),
        aspects={
            aspect: estimate
            for aspect in ASPECTS
            if (estimate := over(partial(_aspect, name=name, aspect=aspect), found)) is not None
        },
        mean4=drawing.over(scored, fmean),
        against=over(_difference, paired),
        won=over(lambda one: float(one.lead > 0), paired),
        tied=over(lambda one: float(one.lead == 0), paired),
        lost=over(lambda one: float(one.lead < 0), paired),
    )


def _belief(pairs: Sequence[Verdict], drawing: _Drawing) -> Belief:
    leads = [
        (one.author, [_lead(marks[one.side].total, marks[one.against].total) for _, marks in one.both]) for one in pairs
    ]
    agreed = [(author, float(len(set(found)) == 1)) for author, found in leads if all(found)]
    scored = [(one.author, (_difference(one), gain)) for one in pairs if (gain := _gain(one)) is not None]
    named = [(author, float((mine > 0) == (gain > 0))) for author, (mine, gain) in scored if mine and gain]
    estimate = drawing.rate(agreed)
    return Belief(
        pairs=len(pairs),
        decided=len(agreed),
        agreed=estimate,
        above_chance=estimate is not None and estimate.low > CHANCE,
        place=drawing.over([(one.author, _of_place(one)) for one in pairs], fmean),
        compared=len(named),
        with_mean4=drawing.rate(named),
        rank=drawing.over(scored, spearman),
    )


def _lead(mine: int, other: int) -> int:
    return (mine > other) - (mine < other)


def _share(total: int, one: Verdict) -> float:
    """A sum of marks over both orders and all aspects, as a share of the range."""
    return (total / (len(one.both) * len(ASPECTS)) - LOWEST) / (HIGHEST - LOWEST)


def _aspect(one: Verdict, name: str, aspect: Aspect) -> float:
    return (fmean(getattr(marks[name], aspect) for _, marks in one.both) - LOWEST) / (HIGHEST - LOWEST)


def _difference(one: Verdict) -> float:
    return one.lead / (len(one.both) * len(ASPECTS) * (HIGHEST - LOWEST))


def _of_place(one: Verdict) -> float:
    """The first place minus the second, over both orders."""
    total = sum(
        mark.total if name == read.first else -mark.total for read, marks in one.both for name, mark in marks.items()
    )
    return total / (len(one.both) * len(ASPECTS) * (HIGHEST - LOWEST))


def _gain(one: Verdict) -> float | None:
    """The difference of Mean4, without the rests of rounding that would tell equals apart."""
    mine, other = one.mean4[one.side], one.mean4[one.against]
    return None if mine is None or other is None else round(mine - other, 9)
