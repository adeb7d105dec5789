"""Expression: six measurable habits of writing, the one that marks an author, and how well a text keeps it.

SkillGrain, A.2, eq. 30 to 33. What the paper leaves open is settled here:

- Five features are rates per 100 words of prose (`verify.prose`), the sixth is the mean number of words of a sentence.
- Capitals for emphasis are words of two or more letters, all upper case. Not counted: terms of the request, and words
  that two or more authors of the population write so (acronyms).
- μ_u, MAD_u and Range_u are taken over an author's texts; MAD_u is the median distance from μ_u. The population has
  one value an author, the author's median; μ_p is the median of those, and quartiles are interpolated between values.
- A feature is stable iff MAD_u ≤ 0.5 · |μ_u - μ_p|, and distinctive iff |μ_u - μ_p| ≥ 0.5 of the population's
  interquartile range and not 0. Of those that are both, the largest |μ_u - μ_p| over that range is chosen; a range
  below 0.25, the least scale of eq. 30, counts as 0.25. Equal ratios: the first in `FEATURES`.
- An author without such a feature, or with a single text, is unscored; a benchmark drops and counts the author.
- A text that holds words but no prose of its own keeps no habit: 0, as an empty response has.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from statistics import median
from typing import Literal, TypeAlias, get_args

from ingrained.verify.prose import prose, sentences
from ingrained.verify.score import Unscored
from ingrained.verify.words import per_hundred, words

Feature: TypeAlias = Literal[
    "contractions", "exclamation_marks", "question_marks", "parentheses", "all_caps", "sentence_length"
]
FEATURES: tuple[Feature, ...] = get_args(Feature)

STABLE = 0.5
"""MAD_u over |μ_u - μ_p|, up to which a feature is stable."""
DISTINCTIVE = 0.5
"""|μ_u - μ_p| over the population's interquartile range, from which a feature is distinctive."""
EQUAL = 1e-9
"""Two quotients of counts that are this close are one number: "iff" has to hold at its bound in floating point too."""
LEAST_SCALE = 0.25
"""Eq. 30: the smallest s_u, per 100 words or in words of a sentence."""
LEAST_TOLERANCE = 0.05
"""Eq. 31: the smallest δ_u, as a share of s_u."""
LEAST_TEXTS = 2
"""Texts of an author from which stability can be told."""

_CONTRACTION = re.compile(
    r"[^\W_]*n't|[^\W_]+'(?:re|ve|ll|d|m)|(?:it|that|this|he|she|who|what|where|when|why|how|there|here|let|everyone|"
    r"someone|nobody|nothing|something|everything)'s|y'all|c'mon|ma'am",
    re.IGNORECASE,
)
_PARENTHESIS = re.compile(r"(?<![\w\])])\([^()]*[^\W_][^()]*\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What was counted in the prose of one text."""

    words: int
    sentences: int
    contractions: int
    exclamations: int
    questions: int
    parentheses: int
    """Innermost pairs that hold a word and do not follow one directly (a call, a link)."""
    capitals: Mapping[str, int]
    """Words in capitals, casefolded, with how often they stand there; before anything is left out."""

    def value(self, feature: Feature, *, ignored: AbstractSet[str] = frozenset()) -> float:
        """e(y): per 100 words, or words a sentence. `ignored` are words in capitals that do not count, casefolded."""
        match feature:
            case "sentence_length":
                return self.words / self.sentences if self.sentences else 0.0
            case "contractions":
                count = self.contractions
            case "exclamation_marks":
                count = self.exclamations
            case "question_marks":
                count = self.questions
            case "parentheses":
                count = self.parentheses
            case "all_caps":
                count = sum(n for word, n in self.capitals.items() if word not in ignored)
        return per_hundred(count, self.words)


def measured(text: str) -> Measured:
    """Count the six features in the author's own prose."""
    own = prose(text)
    found = words(own)
    return Measured(
        words=len(found),
        sentences=len(sentences(own)),
        contractions=sum(_CONTRACTION.fullmatch(word) is not None for word in found),
        exclamations=own.count("!"),
        questions=own.count("?"),
        parentheses=len(_PARENTHESIS.findall(own)),
        capitals=Counter(word.casefold() for word in found if _in_capitals(word)),
    )


def _in_capitals(word: str) -> bool:
    return word.isupper() and sum(map(str.isalpha, word)) >= 2 and not any(map(str.isdigit, word))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tendency:
    """A feature over the authors of a population, one value an author."""

    median: float
    """μ_p."""
    spread: float
    """Interquartile range."""


def tendency(values: Sequence[float]) -> Tendency:
    """Median and interquartile range; quartiles are interpolated linearly between the sorted values.

    Raises:
        statistics.StatisticsError: there are no values.
    """
    return Tendency(median=median(values), spread=_quantile(values, 0.75) - _quantile(values, 0.25))


def _quantile(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


@dataclass(frozen=True, slots=True, kw_only=True)
class Habit:
    """One feature of an author against the population's."""

    feature: Feature
    median: float
    """μ_u."""
    mad: float
    range: float
    population: Tendency

    @property
    def distance(self) -> float:
        """|μ_u - μ_p|."""
        return abs(self.median - self.population.median)

    @property
    def stable(self) -> bool:
        """Whether the author's texts agree on it."""
        return self.mad <= STABLE * self.distance + EQUAL

    @property
    def distinctive(self) -> bool:
        """Whether it tells the author from the population."""
        return self.distance > EQUAL and self.distance >= DISTINCTIVE * self.population.spread - EQUAL

    @property
    def ratio(self) -> float:
        """By which the feature is chosen: distance over the population's range, at least 0."""
        return self.distance / max(self.population.spread, LEAST_SCALE)

    @property
    def scale(self) -> float:
        """s_u, eq. 30."""
        return max(self.distance, self.range, LEAST_SCALE)

    @property
    def tolerance(self) -> float:
        """δ_u, eq. 31: how far a text may be off without penalty."""
        return max(self.mad, LEAST_TOLERANCE * self.scale)

    def deviation(self, value: float) -> float:
        """d_u(y), eq. 32, of a text with this value of the feature."""
        return max(0.0, abs(value - self.median) - self.tolerance)

    def score(self, value: float) -> float:
        """r_expr(y), eq. 33, in [0, 1]."""
        return max(0.0, 1 - self.deviation(value) / self.scale)


def habits(
    texts: Sequence[Measured], population: Mapping[Feature, Tendency], *, ignored: AbstractSet[str] = frozenset()
) -> tuple[Habit, ...]:
    """Each feature of an author against the population, in the order of `FEATURES`; none where no text has prose."""
    own = [text for text in texts if text.words]
    if not own:
        return ()
    return tuple(
        _habit(feature, [text.value(feature, ignored=ignored) for text in own], population[feature])
        for feature in FEATURES
    )


def _habit(feature: Feature, values: Sequence[float], population: Tendency) -> Habit:
    middle = median(values)
    return Habit(
        feature=feature,
        median=middle,
        mad=median([abs(value - middle) for value in values]),
        range=max(values) - min(values),
        population=population,
    )


def chosen(found: Sequence[Habit], texts: int) -> Habit | Unscored:
    """The habit that an author's expression is judged by: stable, distinctive, and of the largest ratio.

    Args:
        found: of `habits`.
        texts: how many texts with prose they were taken from.
    """
    if texts < LEAST_TEXTS:
        return Unscored(reason=f"{LEAST_TEXTS} texts with prose are the least that show a stable habit")
    fitting = [habit for habit in found if habit.stable and habit.distinctive]
    if not fitting:
        return Unscored(reason="no habit of the author is both stable and distinctive")
    return max(fitting, key=lambda habit: round(habit.ratio / EQUAL))
