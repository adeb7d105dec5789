"""`bench foresee`: what is read, the means over splits and people, and the published shape.

A figure of one person is the mean over that person's splits, a figure of all the mean over people, its interval from
drawing people with replacement; splits of one person share their turns and are never drawn apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ingrained.bench.cover import LexicalLikeness, Likeness
from ingrained.bench.feedback import JudgeOf
from ingrained.bench.foresee import CONDITIONS, Condition, Outcome, Plan, outcomes, shortest
from ingrained.bench.history import Archive, History, judged, read_histories
from ingrained.bench.people import repository_of
from ingrained.bench.threshold import Labelled, read_labels
from ingrained.errors import ConfigError
from ingrained.learn.reading import Roots
from ingrained.skill.rule import Frozen
from ingrained.skill.select import DEFAULT_BUDGET
from ingrained.stats import Interval, resampled, wilson
from ingrained.wording import plural

BINS: tuple[tuple[str, int, int], ...] = (("0", 0, 0), ("1-2", 1, 2), ("3-5", 3, 5), (">=6", 6, 10**9))
"""Relevant earlier sessions: the bins of the study's Table 2, with their first and last number."""
_DRAWS = 2000
_OTHERS: tuple[Condition, ...] = ("none", "other", "pooled", "pooled-small")


class Span(Frozen):
    """A mean over people with the ends of its 95 % interval."""

    value: float
    low: float
    high: float


class ConditionRow(Frozen):
    """One condition, over all people."""

    condition: Condition
    rules: float
    """Mean number in the skill."""
    tokens: float
    """Mean size of the skill, by the one counter (an estimate)."""
    coverage: Span
    """Share of the feedback turns of the later part that a rule covers, in [0, 1]."""
    by_mistake: float | None
    """Share that so many rules would cover if none said what the turns say: 1 - (1 - `told.mistakes`)^rules, an
    estimate; `None` without labels."""
    idle: Span | None
    """Share of the rules that cover no turn of the later part; over people who have a rule, `None` where nobody has."""
    tokens_per_covered: float | None
    """Tokens of skill for each covered turn: sum over sum; `None` where nothing is covered."""
    tokens_per_covered_low: float | None
    tokens_per_covered_high: float | None
    """`None`: without end, since a draw of people may hold no covered turn."""


class Difference(Frozen):
    """Coverage of the own skill minus that of another condition."""

    against: Condition
    coverage: Span


class BinRow(Frozen):
    """Later sessions with so many relevant earlier ones: mean difference in coverage of their feedback turns."""

    relevant: str
    n: int
    """Sessions at cuts: a session stands in the later part of several cuts."""
    sessions: int
    """Distinct ones."""
    people: int
    own_minus_none: Span | None
    own_minus_other: Span | None
    own_minus_pooled: Span | None


class PersonRow(Frozen):
    """One person: means over the splits."""

    person: str
    sessions: int
    splits: int
    later_turns: float
    """Feedback turns in the later part."""
    threshold: float
    rules: dict[Condition, float]
    coverage: dict[Condition, float]


class LeftOut(Frozen):
    """Somebody who is not looked at."""

    person: str
    reason: str


class Told(Frozen):
    """How well the threshold tells the same rule from others on each labelled person, chosen on the others."""

    pairs: int
    same: int
    precision: float
    recall: float
    mistakes: Span
    """Share of the pairs that are not the same and are taken for it, with its Wilson interval."""


class Foresight(Frozen):
    """`bench foresee --json`."""

    version: int = 1
    decomposer: str
    decomposer_version: str
    likeness: str
    chosen: str
    """Where the threshold comes from: `labels` (of other people), `given`, or `default`."""
    told: Told | None
    """With `labels` only."""
    cuts: list[float]
    budget: int
    tentative: bool
    conditions: list[ConditionRow]
    own_minus: list[Difference]
    relevant: list[BinRow]
    people: list[PersonRow]
    left_out: list[LeftOut]
    nobodys: int
    """Sessions that are nobody's, or that stand under several people."""
    undated: int
    unread: int
    seed: int
    draws: int = _DRAWS


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What is read and how it is measured."""

    roots: Roots
    labels: Path | None = None
    """Labelled turns to choose each person's threshold on."""
    root: Path | None = None
    """Folder that the labels' session paths start in; that of the labels where it is `None`."""
    threshold: float | None = None
    """A similarity to use for everybody instead."""
    plan: Plan = field(default_factory=Plan)
    seed: int = 0


def foresight(
    ask: Ask,
    judge_of: JudgeOf,
    likeness: Likeness | None = None,
    say: Callable[[str, int, int], None] = lambda _what, _done, _total: None,
) -> Foresight:
    """Read everybody, learn from each one's earlier part, and see what of the later part is covered.

    Args:
        ask: what is read and how it is measured.
        judge_of: whose judgement of what is feedback, by repository, so that one may be left out of its training.
        likeness: whether a rule says what somebody says; the lexical one where it is `None`.
        say: progress of reading, in bytes.

    Cost: one decomposition a message; see `outcomes`.

    Raises:
        ConfigError: an option is out of range, the labels cannot be read, or there are fewer than two people.
        EnvironmentFaultError: a path that was named does not exist.
        SessionFormatError: a file that was named is no log.
    """
    _check(ask)
    alike = likeness or LexicalLikeness()
    labelled = read_labels(ask.labels, ask.root or ask.labels.parent, judge_of, alike) if ask.labels else None
    return summed(read_histories(ask.roots, say), ask, judge_of, alike, labelled)


def summed(
    archive: Archive, ask: Ask, judge_of: JudgeOf, likeness: Likeness, labelled: Labelled | None = None
) -> Foresight:
    """The same on histories that were read."""
    enough = [history for history in archive.histories if len(history.sittings) >= ask.plan.least]
    said = [
        (repository_of(history.person), archive.turns[message.key])
        for history in enough
        for sitting in history.sittings
        for message in sitting.heard
    ]
    atoms = judged(judge_of, said)
    judges = [judge_of(repository) for repository in sorted({repository for repository, _ in said})]
    levels = {history.person: _threshold(history.person, ask, likeness, labelled) for history in enough}
    found = outcomes(enough, atoms, likeness, levels.__getitem__, ask.plan)
    if not found:
        raise ConfigError(
            "no later part holds any feedback", hint="name longer histories, or more of the person with a smaller --cut"
        )
    if not any(result.rules for one in found for result in one.results.values()):
        _check_room(shortest(enough, atoms, ask.plan), ask.plan.budget)
    by_person = _by_person(found)
    told = _told(labelled) if labelled and ask.threshold is None else None
    return Foresight(
        decomposer=", ".join(sorted({judge.name for judge in judges})),
        decomposer_version=", ".join(sorted({judge.version for judge in judges})),
        likeness=likeness.name,
        chosen="given" if ask.threshold is not None else "labels" if labelled else "default",
        told=told,
        cuts=list(ask.plan.cuts),
        budget=ask.plan.budget,
        tentative=ask.plan.tentative,
        conditions=[_condition(name, by_person, told, ask.seed) for name in CONDITIONS],
        own_minus=[Difference(against=name, coverage=_minus(name, by_person, ask.seed)) for name in _OTHERS],
        relevant=[_bin(name, low, high, by_person, ask.seed) for name, low, high in BINS],
        people=[_person(one, by_person[one.person], levels[one.person]) for one in enough if one.person in by_person],
        left_out=_left_out(archive.histories, set(by_person), ask.plan),
        nobodys=archive.nobodys,
        undated=archive.undated,
        unread=archive.unread,
        seed=ask.seed,
    )


def _check_room(needed: int, budget: int) -> None:
    """See that a budget holds a rule of so many tokens, where all figures would be 0 otherwise."""
    if budget < max(1, needed):
        why = f"the shortest takes ≈{needed}" if needed else "a rule takes more"
        raise ConfigError(f"--budget {budget} leaves no room for a rule: {why}", hint=f"--budget {DEFAULT_BUDGET}")


def _check(ask: Ask) -> None:
    _check_room(0, ask.plan.budget)
    if not ask.roots.places:
        raise ConfigError(
            "no logs were named, and an agent's own folders do not tell people apart",
            hint="ingrained bench foresee --person ana=PATH --person ben=PATH",
        )
    for cut in ask.plan.cuts:
        if not 0 < cut < 1:
            raise ConfigError(f"--cut {cut} is not a share between 0 and 1", hint="--cut 0.8")
    if ask.threshold is not None and not 0 < ask.threshold <= 1:
        raise ConfigError(f"--threshold {ask.threshold} is not a similarity in (0, 1]", hint="--threshold 0.3")
    if ask.plan.least < 2:
        raise ConfigError(
            f"--least {ask.plan.least}: {plural(ask.plan.least, 'session')} cannot be cut in two", hint="--least 5"
        )


def _threshold(person: str, ask: Ask, likeness: Likeness, labelled: Labelled | None) -> float:
    if ask.threshold is not None:
        return ask.threshold
    return labelled.threshold(person) if labelled else likeness.threshold


def _told(labelled: Labelled) -> Told:
    found = labelled.held_out()
    return Told(
        pairs=found.n,
        same=found.positives,
        precision=round(found.precision, 4),
        recall=round(found.recall, 4),
        mistakes=_span(wilson(found.predicted - found.hits, found.n - found.positives)),
    )


def _by_person(found: Iterable[Outcome]) -> dict[str, list[Outcome]]:
    people: dict[str, list[Outcome]] = {}
    for outcome in found:
        people.setdefault(outcome.person, []).append(outcome)
    return dict(sorted(people.items()))


def _coverage(outcome: Outcome, name: Condition) -> float:
    covered = outcome.results[name].covered
    return sum(covered) / len(covered)


def _average(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _over(people: dict[str, list[Outcome]], figure: Callable[[Outcome], float | None], seed: int) -> Span | None:
    """The mean over people of their mean over splits; those for whom there is no figure are left out."""
    means = [
        _average(values)
        for mine in people.values()
        if (values := [value for outcome in mine if (value := figure(outcome)) is not None])
    ]
    if not means:
        return None
    return _span(resampled([[mean] for mean in means], _average, draws=_DRAWS, seed=seed))


def _span(interval: Interval) -> Span:
    return Span(value=round(interval.value, 4), low=round(interval.low, 4), high=round(interval.high, 4))


def _sure(span: Span | None) -> Span:
    return span or Span(value=0.0, low=0.0, high=0.0)


def _condition(name: Condition, people: dict[str, list[Outcome]], told: Told | None, seed: int) -> ConditionRow:
    def idle(outcome: Outcome) -> float | None:
        result = outcome.results[name]
        return result.idle / result.rules if result.rules else None

    def mistaken(outcome: Outcome) -> float | None:
        return 1 - (1 - told.mistakes.value) ** outcome.results[name].rules if told else None

    by_mistake = _over(people, mistaken, seed)
    sums = [[_sums(outcome, name) for outcome in mine] for mine in people.values()]
    yields = resampled(sums, _yield, draws=_DRAWS, seed=seed)
    return ConditionRow(
        condition=name,
        rules=_sure(_over(people, lambda o: o.results[name].rules, seed)).value,
        tokens=_sure(_over(people, lambda o: o.results[name].tokens, seed)).value,
        coverage=_sure(_over(people, lambda o: _coverage(o, name), seed)),
        by_mistake=by_mistake.value if by_mistake else None,
        idle=_over(people, idle, seed),
        tokens_per_covered=_inverse(yields.value),
        tokens_per_covered_low=_inverse(yields.high),
        tokens_per_covered_high=_inverse(yields.low),
    )


def _sums(outcome: Outcome, name: Condition) -> tuple[float, float]:
    """Covered turns, and tokens."""
    result = outcome.results[name]
    return sum(result.covered), result.tokens


def _yield(items: Sequence[tuple[float, float]]) -> float:
    """Covered turns for each token."""
    tokens = sum(size for _, size in items)
    return sum(covered for covered, _ in items) / tokens if tokens else 0.0


def _inverse(value: float) -> float | None:
    return round(1 / value, 1) if value else None


def _minus(name: Condition, people: dict[str, list[Outcome]], seed: int) -> Span:
    return _sure(_over(people, lambda o: _coverage(o, "own") - _coverage(o, name), seed))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Unit:
    """A later session at one cut, with the mean coverage of its feedback turns."""

    session: str
    coverage: dict[Condition, float]


def _bin(label: str, low: int, high: int, people: dict[str, list[Outcome]], seed: int) -> BinRow:
    clusters = [
        [unit for outcome in mine for unit in _units(outcome) if low <= outcome.relevant[unit.session] <= high]
        for mine in people.values()
    ]
    clusters = [cluster for cluster in clusters if cluster]
    units = [unit for cluster in clusters for unit in cluster]

    def minus(name: Condition) -> Span | None:
        if not units:
            return None
        return _span(
            resampled(
                clusters,
                lambda some: _average([unit.coverage["own"] - unit.coverage[name] for unit in some]),
                draws=_DRAWS,
                seed=seed,
            )
        )

    return BinRow(
        relevant=label,
        n=len(units),
        sessions=len({unit.session for unit in units}),
        people=len(clusters),
        own_minus_none=minus("none"),
        own_minus_other=minus("other"),
        own_minus_pooled=minus("pooled"),
    )


def _units(outcome: Outcome) -> list[_Unit]:
    units: list[_Unit] = []
    for session in dict.fromkeys(outcome.sessions):
        at = [place for place, one in enumerate(outcome.sessions) if one == session]
        coverage = {name: _average([outcome.results[name].covered[place] for place in at]) for name in CONDITIONS}
        units.append(_Unit(session=session, coverage=coverage))
    return units


def _person(history: History, mine: Sequence[Outcome], threshold: float) -> PersonRow:
    return PersonRow(
        person=history.person,
        sessions=len(history.sittings),
        splits=len(mine),
        later_turns=round(_average([len(outcome.sessions) for outcome in mine]), 1),
        threshold=threshold,
        rules={name: round(_average([o.results[name].rules for o in mine]), 2) for name in CONDITIONS},
        coverage={name: round(_average([_coverage(o, name) for o in mine]), 4) for name in CONDITIONS},
    )


def _left_out(histories: Iterable[History], shown: set[str], plan: Plan) -> list[LeftOut]:
    return [
        LeftOut(
            person=history.person,
            reason=f"{plural(len(history.sittings), 'dated session')}, fewer than {plan.least}"
            if len(history.sittings) < plan.least
            else "no feedback in any later part",
        )
        for history in histories
        if history.person not in shown
    ]
