"""What a task's data is worth: how much of it is used, whether KEEP is tested, and between which bounds scores can lie.

The ceiling is what the author wrote for the held-out request, the floor what another author wrote for another one, both
scored as a model's response is; a method whose score lies between them by less than the interval has shown nothing.
Authors are drawn with replacement, since texts of one author are not independent.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Literal, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict

from ingrained.bench.writing.contexts import Built, Plan, contexts
from ingrained.bench.writing.document import Task, counted, load
from ingrained.bench.writing.drafts import Draft, Source, draft, every_sort, keep_share, mixed_from
from ingrained.bench.writing.hidden import reveal
from ingrained.bench.writing.request import overlap
from ingrained.stats import resampled
from ingrained.verify.score import value_of

T = TypeVar("T")

DRAWS = 2000
KEEP_WANTED = (0.2, 0.3)
Part: TypeAlias = Literal["length", "first_person", "expression", "non_leakage", "mean"]
PARTS: tuple[Part, ...] = ("length", "first_person", "expression", "non_leakage", "mean")


class Shape(BaseModel):
    """A published value."""

    model_config = ConfigDict(frozen=True)


class Reason(Shape):
    """Why some were not used."""

    why: str
    n: int


class Estimate(Shape):
    """A mean in [-1, 1] with the ends of its interval over authors."""

    value: float
    low: float
    high: float


class PartRow(Shape):
    """One dimension of the rubric on held-out requests."""

    part: Part
    ceiling: Estimate
    """The author's own text."""
    floor: Estimate
    """Another author's text."""
    plain: Estimate
    """The facts as plain sentences."""
    between: Estimate
    """Ceiling minus floor, paired by request."""


class KeepRow(Shape):
    """How many adaptation rounds leave the skill as it is, where the drafts are of one sort."""

    drafts: Literal["own", "other", "plain", "style", "mixed"]
    n: int
    share: float
    """Without any transferable target."""


class AuthorRow(Shape):
    """An author of contexts."""

    author: str
    part: Literal["train", "test"]
    documents: int
    contexts: int
    words: float
    """Median of the histories."""
    habit: str


class WritingData(Shape):
    """`bench writing-data --json`."""

    version: int = 1
    task: str
    found: int
    """Documents that the loader gave."""
    used: int
    """Documents that stayed; contexts take some of them."""
    contexts: int
    authors: list[AuthorRow]
    dropped: list[Reason]
    overlap_mean: float
    """Share of an own text's runs of four words that its request gives away, over all requests."""
    overlap_most: float
    keep: list[KeepRow]
    keep_wanted: tuple[float, float] = KEEP_WANTED
    parts: list[PartRow]
    draws: int = DRAWS
    seed: int


def writing_data(task: Task, paths: Sequence[Path], plan: Plan) -> WritingData:
    """Measure a task's data. Cost: no model; some seconds, or minutes for many documents.

    Raises:
        ConfigError: a path is not there, or nothing at it can be used.
    """
    return measured(contexts(task, load(task, paths), plan), seed=plan.seed)


def measured(built: Built, *, seed: int = 0) -> WritingData:
    """Measure contexts that were made."""
    given = [
        overlap(one.request, reveal(one.annotation).own)
        for context in built.contexts
        for one in (*context.rounds, context.held_out)
    ]
    return WritingData(
        task=built.task.name,
        found=built.found,
        used=sum(map(len, built.documents.values())),
        contexts=len(built.contexts),
        authors=_authors(built),
        dropped=[Reason(why=why, n=n) for why, n in counted(built.dropped)],
        overlap_mean=fmean(given) if given else 0.0,
        overlap_most=max(given, default=0.0),
        keep=_keep(built, seed),
        parts=bounds(built, seed=seed),
        seed=seed,
    )


def bounds(built: Built, *, seed: int = 0) -> list[PartRow]:
    """Ceiling, floor and plain facts on the held-out requests, a row a dimension; none without contexts."""
    own, other, bare = (_held_out(built, source, seed) for source in ("own", "other", "plain"))
    return [_part(part, own, other, bare, seed) for part in PARTS] if built.contexts else []


def _held_out(built: Built, source: Source, seed: int) -> list[Draft]:
    return [draft(built, context, context.held_out, source, seed=seed) for context in built.contexts]


def _authors(built: Built) -> list[AuthorRow]:
    rows: list[AuthorRow] = []
    for author in built.authors:
        own = [one for one in built.contexts if one.author == author]
        read = reveal(own[0].held_out.annotation).author
        rows.append(
            AuthorRow(
                author=author,
                part=own[0].part,
                documents=len(built.documents[author]),
                contexts=len(own),
                words=read.words,
                habit=getattr(read.habit, "feature", ""),
            )
        )
    return rows


def _keep(built: Built, seed: int) -> list[KeepRow]:
    sorts = every_sort(built, seed=seed)
    rows = [KeepRow(drafts=source, n=len(found), share=keep_share(found)) for source, found in sorts.items()]
    together = mixed_from(sorts, seed=seed)
    return [*rows, KeepRow(drafts="mixed", n=len(together), share=keep_share(together))]


def score_of(one: Draft, part: Part) -> float | None:
    """A draft's score on a part of the rubric; None where it has none."""
    return value_of(getattr(one.diagnosis.score, part))


def _part(part: Part, own: Sequence[Draft], other: Sequence[Draft], plain: Sequence[Draft], seed: int) -> PartRow:
    """A request that cannot be scored in one of the three leaves all three."""
    rows = [
        (mine.author, a, b, c)
        for mine, yours, bare in zip(own, other, plain, strict=True)
        if (a := score_of(mine, part)) is not None
        and (b := score_of(yours, part)) is not None
        and (c := score_of(bare, part)) is not None
    ]

    def over(value: Callable[[float, float, float], float]) -> Estimate:
        return over_authors([(author, value(a, b, c)) for author, a, b, c in rows], fmean, seed=seed)

    return PartRow(
        part=part,
        ceiling=over(lambda a, _b, _c: a),
        floor=over(lambda _a, b, _c: b),
        plain=over(lambda _a, _b, c: c),
        between=over(lambda a, b, _c: a - b),
    )


def over_authors(
    values: Iterable[tuple[str, T]], statistic: Callable[[list[T]], float], *, seed: int, draws: int = DRAWS
) -> Estimate:
    """A statistic of values by author, with its 95 % interval: authors are drawn with all their values."""
    by_author: dict[str, list[T]] = defaultdict(list)
    for author, value in values:
        by_author[author].append(value)
    found = resampled([by_author[name] for name in sorted(by_author)], statistic, draws=draws, seed=seed)
    return Estimate(value=found.value, low=found.low, high=found.high)
