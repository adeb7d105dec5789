"""Tables of a run on preferences outside the rubric: adherence by method and preference (SkillGrain, Table 3).

The decision to know: an adherence says little without what it would be anyway, so that three figures stand beside it:
of the first drafts, which were written before anything was said; of the first method of the run; and of the authors'
own texts. The average is over the four preferences, each with the same weight. Cases are compared, and authors drawn,
as in the other tables (`tables`).
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean

from ingrained.bench.writing.bounds import DRAWS, Estimate, Shape, over_authors
from ingrained.bench.writing.hidden import reveal
from ingrained.bench.writing.prepared import Prepared
from ingrained.bench.writing.tables import comparable, left_out
from ingrained.bench.writing.trace import FollowedShape, TraceShape
from ingrained.verify.skill_reward import local_terms
from ingrained.verify.unseen import PREFERENCES, UnseenPreference, followed


class Average(Shape):
    """Shares in [0, 1] of texts that follow their preference."""

    mean: Estimate | None
    """Over the preferences, each with the same weight; None without a text."""
    parts: dict[UnseenPreference, Estimate]
    n: int
    """Texts."""


class Kept(Shape):
    """What a method made of the feedback, over all its traces, counted on the rules that it added."""

    updates: int
    """How often it could add to its skill. Each time there was something lasting to add."""
    silent: float
    """Share of these in which it added nothing."""
    one_offs: int
    """Those whose feedback held a one-off too."""
    one_off_kept: float | None
    """Share of these in which an added rule names the term of the one-off."""


class AdherenceRow(Shape):
    """One method on the cases that all are compared on."""

    method: str
    traces: int
    parked: int
    unscored: int
    unusable: int
    """Answers for the skill that could not be used."""
    held_out: Average
    """After feedback, on the held-out requests."""
    first: Estimate | None
    """Before it: the drafts for the first requests; None where there was no feedback."""
    first_parts: dict[UnseenPreference, float]
    against: Estimate | None
    """The difference of `held_out` to that of the first method, paired by case; None for that one."""
    broken: int
    """Cases whose first draft broke the preference."""
    mended: Estimate | None
    """`held_out` on these alone."""
    rules: float
    """Rules that the held-out request was answered with, on average."""
    kept: Kept | None
    """None where a method does not listen, or nothing was said."""


class AdherenceTables(Shape):
    """`bench run-writing --rubric unseen --json`, and `result.json` of such a run."""

    version: int = 1
    task: str
    model: str
    pairs: int
    by_preference: dict[UnseenPreference, int]
    """Pairs of each."""
    contexts: int
    """Distinct ones; several preferences may share one."""
    authors: int
    cases: int
    """Pairs times seeds."""
    compared: int
    """Those that every method has a score for."""
    compared_by_preference: dict[UnseenPreference, int]
    methods: list[AdherenceRow]
    own: Average
    """What the authors wrote for the held-out requests: how often a preference holds anyway."""
    left_out: dict[str, int]
    """Why traces are missing from the comparison, and how many."""
    draws: int = DRAWS
    seed: int


_Item = tuple[str, UnseenPreference, float]
"""Author, preference, and a share or a difference of shares."""


def adherence_tables(found: Prepared, traces: Sequence[TraceShape]) -> AdherenceTables:
    """Make the tables. Cost: no model; a second or two."""
    config = found.config
    rows = _Rows(config.methods, traces, config.seed)
    own = [
        (pair.context.author, pair.preference, value)
        for pair in found.pairs
        if (value := _own(reveal(pair.context.held_out.annotation).own, pair.preference)) is not None
    ]
    return AdherenceTables(
        task=config.task,
        model=config.model,
        pairs=len(found.pairs),
        by_preference=dict(Counter(pair.preference for pair in found.pairs)),
        contexts=len(found.built.contexts),
        authors=len(found.built.authors),
        cases=len(found.pairs) * config.seeds,
        compared=len(rows.common),
        compared_by_preference={one: sum(preference == one for _, preference, _ in rows.common) for one in PREFERENCES},
        methods=[rows.row(name) for name in config.methods],
        own=_average(own, config.seed),
        left_out=left_out(traces, len(found.cases), _unscored),
        seed=config.seed,
    )


class _Rows:
    """The rows of the methods, which need one another's traces."""

    def __init__(self, methods: Sequence[str], traces: Sequence[TraceShape], seed: int) -> None:
        self._first, self._seed = methods[0], seed
        self._traces, self.common = comparable(methods, traces, _held_out)

    def row(self, name: str) -> AdherenceRow:
        own = self._traces[name]
        taken = [own[case] for case in self.common if case in own]
        first, broken = _items(taken, _before), [one for one in taken if _before(one) == 0]
        return AdherenceRow(
            method=name,
            traces=len(own),
            parked=sum(one.stop == "parked" for one in own.values()),
            unscored=sum(bool(_unscored(one)) for one in own.values()),
            unusable=sum(len(one.unusable) for one in own.values()),
            held_out=_average(_items(taken, _held_out), self._seed),
            first=_over(first, self._seed),
            first_parts={name: fmean(value for *_, value in of) for name, of in _by_preference(first).items()},
            against=self._against(name, taken),
            broken=len(broken),
            mended=_over(_items(broken, _held_out), self._seed),
            rules=fmean(len(one.skill) for one in taken) if taken else 0.0,
            kept=_kept(own.values()),
        )

    def _against(self, name: str, taken: Sequence[TraceShape]) -> Estimate | None:
        other = self._traces[self._first]

        def difference(one: TraceShape) -> float | None:
            own, base = _held_out(one), _held_out(other[one.case]) if one.case in other else None
            return None if own is None or base is None else own - base

        items = _items(taken, difference)
        return None if name == self._first or len(items) < len(self.common) else _over(items, self._seed)


def _items(traces: Iterable[TraceShape], value: Callable[[TraceShape], float | None]) -> list[_Item]:
    return [
        (one.author, one.preference, found)
        for one in traces
        if one.preference is not None and (found := value(one)) is not None
    ]


def _average(items: Sequence[_Item], seed: int) -> Average:
    parts = {preference: found for preference, of in _by_preference(items).items() if (found := _over(of, seed))}
    return Average(mean=_over(items, seed), parts=parts, n=len(items))


def _by_preference(items: Iterable[_Item]) -> dict[UnseenPreference, list[_Item]]:
    found: dict[UnseenPreference, list[_Item]] = defaultdict(list)
    for one in items:
        found[one[1]].append(one)
    return found


def _over(items: Sequence[_Item], seed: int) -> Estimate | None:
    """The mean of the means of the preferences that are there, with its interval over authors; None of nothing."""
    if not items:
        return None
    sums: dict[str, list[float]] = {}
    """By author: of each preference the sum of its values and their number."""
    for author, preference, value in items:
        at = 2 * PREFERENCES.index(preference)
        own = sums.setdefault(author, [0.0] * (2 * len(PREFERENCES)))
        own[at] += value
        own[at + 1] += 1
    return over_authors(sums.items(), _mean, seed=seed)


def _mean(authors: Sequence[Sequence[float]]) -> float:
    totals = [sum(column) for column in zip(*authors, strict=True)]
    means = [total / n for total, n in zip(totals[::2], totals[1::2], strict=True) if n]
    return sum(means) / len(means)


def _value(found: FollowedShape | None) -> float | None:
    return None if found is None else found.value


def _held_out(one: TraceShape) -> float | None:
    return None if one.held_out is None else _value(one.held_out.followed)


def _before(one: TraceShape) -> float | None:
    return _value(one.steps[0].followed) if len(one.steps) > 1 else None


def _unscored(one: TraceShape) -> str:
    return "" if one.held_out is None or one.held_out.followed is None else one.held_out.followed.unscored


def _own(text: str, preference: UnseenPreference) -> float | None:
    return FollowedShape.of(followed(text, preference)).value


def _kept(traces: Iterable[TraceShape]) -> Kept | None:
    added = [
        (step.update.after[len(step.update.before) :], [target.term for target in step.targets])
        for one in traces
        for step in one.steps
        if step.update is not None
    ]
    if not added:
        return None
    mixed = [(rules, terms) for rules, terms in added if terms]
    return Kept(
        updates=len(added),
        silent=sum(not rules for rules, _ in added) / len(added),
        one_offs=len(mixed),
        one_off_kept=sum(bool(local_terms(*one)) for one in mixed) / len(mixed) if mixed else None,
    )
