"""The writing rubric of SkillGrain, A.2: length, first person, expression, non-leakage, and their mean R_ans.

`profile` reads an author's histories once; `score_response` then scores any number of responses. Expression and
leakage own their formulas (`verify.expression`, `verify.leakage`); here are φ, length, first person and the mean.
What the paper leaves open is settled here:

- φ, eq. 18: where its cases overlap the first wins, so that a value at l = o_l = 0 scores 1.
- A response without a word is empty, and each part of it is 0, so that R_ans = 0.
- A response without word separation is unscored in each part. Histories without a word or without word separation
  are left out of the profile; an author with no others has no profile.
- Words and words of the first person are counted in the whole text, code and quotations included.
- The rate of the histories is that of their concatenation, so that long texts weigh more; the length is a median.
- R_ans is unscored where a part is: without a population, or for an author without a marked habit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from ingrained.verify.expression import Habit, chosen, habits, measured
from ingrained.verify.leakage import Candidate, halved, leaked, unsupported
from ingrained.verify.population import LEAST_AUTHORS, Population
from ingrained.verify.score import Outcome, Score, Unscored, mean
from ingrained.verify.words import first_person, per_hundred, unseparated, words


def phi(value: float, low: float, high: float, outer_low: float, outer_high: float) -> float:
    """φ(v), eq. 18: 1 within [low, high], 0 from the outer bounds on, linear between; the first case that fits counts.

    Args:
        value: v.
        low: l, the least preferred value.
        high: h, the greatest.
        outer_low: o_l, at most l.
        outer_high: o_h, at least h.
    """
    if low <= value <= high:
        return 1.0
    if value <= outer_low or value >= outer_high:
        return 0.0
    if value < low:
        return (value - outer_low) / (low - outer_low)
    return (outer_high - value) / (outer_high - high)


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferred:
    """A preferred interval with its outer bounds."""

    low: float
    high: float
    outer_low: float
    outer_high: float

    def score(self, value: float) -> float:
        """`phi` of a value."""
        return phi(value, self.low, self.high, self.outer_low, self.outer_high)


def preferred_length(median_words: float) -> Preferred:
    """Eq. 19 to 22, in words, from m_u: 0.7 to 1.3 of it, and 0.35 to 1.95 of it outside."""
    low, high = 7 * median_words / 10, 13 * median_words / 10  # one rounding; 0.7 * 90 would be below 63
    return Preferred(low=low, high=high, outer_low=low / 2, outer_high=3 * high / 2)


def rate_tolerance(rate: float) -> float:
    """τ_u, eq. 24, in words of the first person per 100."""
    return max(2.0, 0.6 * rate)


def preferred_rate(rate: float) -> Preferred:
    """Eq. 25 to 28, in words of the first person per 100, from q_u."""
    tolerance = rate_tolerance(rate)
    low, high = max(0.0, rate - tolerance), rate + tolerance
    return Preferred(low=low, high=high, outer_low=max(0.0, low - tolerance), outer_high=high + tolerance)


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """What an author's histories ask of a response."""

    texts: int
    """Histories that were counted."""
    words: float
    """m_u: their median number of words."""
    length: Preferred
    rate: float
    """q_u: words of the first person per 100, over all of them."""
    first_person: Preferred
    habits: tuple[Habit, ...]
    """Every feature against the population; none without one."""
    habit: Habit | Unscored
    """The one that expression is scored by."""
    shared_capitals: frozenset[str]


def profile(histories: Sequence[str], *, known: Population | None = None) -> Profile | Unscored:
    """Read an author's histories; their order does not matter.

    Args:
        histories: the author's texts, five in the paper.
        known: the population, without this author.
    """
    usable = [text for text in histories if words(text) and unseparated(text) is None]
    if not usable:
        return Unscored(reason="no history holds words that can be counted")
    counts = [len(words(text)) for text in usable]
    rate = per_hundred(sum(len(first_person(text)) for text in usable), sum(counts))
    middle = median(counts)
    found, habit = _habit(usable, known)
    return Profile(
        texts=len(usable),
        words=middle,
        length=preferred_length(middle),
        rate=rate,
        first_person=preferred_rate(rate),
        habits=found,
        habit=habit,
        shared_capitals=known.shared_capitals if known else frozenset(),
    )


def _habit(texts: Sequence[str], known: Population | None) -> tuple[tuple[Habit, ...], Habit | Unscored]:
    if known is None:
        return (), Unscored(reason="no population to tell the author from")
    if known.others < LEAST_AUTHORS:
        return (), Unscored(reason=f"a population of {known.others} has no spread")
    counted = [one for one in map(measured, texts) if one.words]
    found = habits(counted, known.tendencies, ignored=known.shared_capitals)
    return found, chosen(found, len(counted))


@dataclass(frozen=True, slots=True, kw_only=True)
class WritingScore:
    """The four parts of a response's score, each with the value it was taken from."""

    words: int
    """w(y)."""
    first_persons: tuple[str, ...]
    rate: float
    """q(y), per 100 words."""
    value: float | None
    """e(y) of the author's habit; None where there is none, or the response holds no prose."""
    candidates: tuple[Candidate, ...]
    """What the response must not take over, without what the request supports."""
    leaked: tuple[Candidate, ...]
    length: Outcome
    first_person: Outcome
    expression: Outcome
    non_leakage: Outcome

    @property
    def parts(self) -> tuple[Outcome, Outcome, Outcome, Outcome]:
        """Length, first person, expression, non-leakage."""
        return self.length, self.first_person, self.expression, self.non_leakage

    @property
    def mean(self) -> Outcome:
        """R_ans(y), eq. 35."""
        return mean(self.parts)


def score_response(
    response: str, author: Profile, *, found: Sequence[Candidate] = (), request: str = ""
) -> WritingScore:
    """Score a response, eq. 23, 29, 33 and 34.

    Args:
        response: y.
        author: of `profile`.
        found: of `leakage.candidates`, from the histories and, for a held-out request, the adaptation requests.
        request: the current one; its terms are no leaks, and its words in capitals no emphasis.
    """
    barred = unsupported(found, request)
    count = len(words(response))
    persons = tuple(first_person(response))
    rate = per_hundred(len(persons), count)
    hits = leaked(response, barred)
    value = _value(response, author, request)
    whole: Outcome | None = unseparated(response) or (None if count else Score(value=0.0))
    expressed = (
        Score(value=author.habit.score(value) if value is not None else 0.0)
        if isinstance(author.habit, Habit)
        else author.habit
    )
    return WritingScore(
        words=count,
        first_persons=persons,
        rate=rate,
        value=value,
        candidates=barred,
        leaked=hits,
        length=whole or Score(value=author.length.score(count)),
        first_person=whole or Score(value=author.first_person.score(rate)),
        expression=whole or expressed,
        non_leakage=whole or Score(value=halved(len(hits))),
    )


def _value(response: str, author: Profile, request: str) -> float | None:
    counted = measured(response)
    if isinstance(author.habit, Unscored) or not counted.words:
        return None
    asked = {word.casefold() for word in words(request)}
    return counted.value(author.habit.feature, ignored=author.shared_capitals | asked)
