"""Tables of a run: by method (Table 1), by dimension (Table 5), atoms (Table 6), with ceiling and floor beside.

The decision to know: methods are compared on the cases (context and seed) that every method has a score for. What is
parked or unscored under any of them leaves the comparison for all, and is counted; a method without a single score is
shown with none and takes nothing from the others. Authors are drawn with replacement, all their cases with them; the
spread over seeds stands beside, since a seed is no author.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from statistics import fmean, stdev
from typing import Literal, TypeAlias

from ingrained.bench.writing.bounds import DRAWS, PARTS, Estimate, Part, PartRow, Shape, bounds, over_authors
from ingrained.bench.writing.contexts import Built
from ingrained.bench.writing.trace import AtomShape, TraceShape, UpdateShape


class MethodRow(Shape):
    """One method on the cases that all are compared on."""

    method: str
    traces: int
    parked: int
    """Whose call never came back or was declined; asked again by the next run."""
    unscored: int
    """Whose held-out answer could not be judged."""
    unusable: int
    """Answers for the skill that could not be used."""
    mean: Estimate | None
    """Mean4 in [0, 1] over authors; None without a compared case."""
    seeds: list[float]
    """The mean of each seed."""
    seeds_spread: float | None
    """Standard deviation of these; None of fewer than two."""
    against: Estimate | None
    """Its difference to the first method of the run, paired by case; None for that one."""
    parts: dict[Part, Estimate]
    """Table 5."""
    rules: float
    """Rules that the held-out request was answered with, on average."""


class AtomRow(Shape):
    """Table 6: what a method took from feedback, over all rounds with an update."""

    method: str
    updates: int
    atoms: int
    extraction: float | None
    """Precision: c^a = 1 over atoms that were not abstained on."""
    extraction_covered: float | None
    """Atoms not abstained on, over all."""
    kept: int
    selection: float | None
    """Precision: kept with τ = 1 over kept that were not abstained on."""
    selection_covered: float | None
    recall: float | None
    """Transferable targets that some kept atom asks for, over all."""
    keeps: int
    """Rounds without a transferable target."""
    kept_rightly: float | None
    """Share of these that left the skill as it was."""
    omission: float | None
    """Mean c_omit."""
    reward: float | None
    """Mean R_skill."""


class RunTables(Shape):
    """`bench run-writing --json`, and `result.json` of a run."""

    version: int = 1
    task: str
    model: str
    contexts: int
    authors: int
    cases: int
    """Contexts times seeds."""
    compared: int
    """Those that every method has a score for."""
    methods: list[MethodRow]
    atoms: list[AtomRow]
    bounds: list[PartRow]
    """Ceiling, floor and plain facts on the same held-out requests."""
    keep_share: float | None
    """Rounds with a draft but no transferable target, over all methods."""
    left_out: dict[str, int]
    """Why traces are missing from the comparison, and how many."""
    draws: int = DRAWS
    seed: int


Place: TypeAlias = tuple[str, str, int]
"""A case, whatever the method."""
Compared: TypeAlias = Mapping[str, Mapping[Place, TraceShape]]
"""By method, then case."""


def tables(
    methods: Sequence[str], traces: Sequence[TraceShape], built: Built, *, model: str, seeds: int, seed: int = 0
) -> RunTables:
    """Make the tables. Cost: no model; a second or two.

    Args:
        methods: in the order of the rows; the others are held against the first.
        traces: of the run.
        built: its contexts.
        model: its reference.
        seeds: how many there are.
        seed: of the resampling.
    """
    by_method, common = comparable(methods, traces, partial(_value, part="mean"))
    cases = len(built.contexts) * seeds
    return RunTables(
        task=built.task.name,
        model=model,
        contexts=len(built.contexts),
        authors=len(built.authors),
        cases=cases,
        compared=len(common),
        methods=[_row(name, by_method, common, methods[0], seed) for name in methods],
        atoms=[row for name in methods if (row := _atoms(name, by_method[name].values())) is not None],
        bounds=bounds(built, seed=seed),
        keep_share=_keep_share(traces),
        left_out=left_out(traces, cases * len(methods), _unscored),
        seed=seed,
    )


def comparable(
    methods: Sequence[str], traces: Sequence[TraceShape], value: Callable[[TraceShape], float | None]
) -> tuple[Compared, list[Place]]:
    """The traces by method and case, and the cases that every method has a value for, but one that has none at all."""
    by_method: dict[str, dict[Place, TraceShape]] = {name: {} for name in methods}
    for one in traces:
        by_method[one.method][one.case] = one
    scored = [{case for case, one in found.items() if value(one) is not None} for found in by_method.values()]
    having = [cases for cases in scored if cases]
    return by_method, sorted(set[Place].intersection(*having)) if having else []


def _row(name: str, found: Compared, common: Sequence[Place], first: str, seed: int) -> MethodRow:
    own = found[name]
    compared = [own[case] for case in common if case in own and _value(own[case], "mean") is not None]
    there = bool(compared)
    seeds = _by_seed(compared)
    other = found[first]
    paired = there and name != first and all(_value(other.get(case), "mean") is not None for case in common)
    return MethodRow(
        method=name,
        traces=len(own),
        parked=sum(one.stop == "parked" for one in own.values()),
        unscored=sum(one.scores is not None and one.scores.mean is None for one in own.values()),
        unusable=sum(len(one.unusable) for one in own.values()),
        mean=_over(compared, lambda one: _value(one, "mean"), seed) if there else None,
        seeds=seeds,
        seeds_spread=stdev(seeds) if len(seeds) > 1 else None,
        against=_over(compared, lambda one: _against(one, other), seed) if paired else None,
        parts={part: _over(compared, partial(_value, part=part), seed) for part in PARTS} if there else {},
        rules=fmean(len(one.skill) for one in compared) if there else 0.0,
    )


def _against(one: TraceShape, other: Mapping[Place, TraceShape]) -> float:
    return (_value(one, "mean") or 0.0) - (_value(other[one.case], "mean") or 0.0)


def _value(one: TraceShape | None, part: Part) -> float | None:
    return None if one is None or one.scores is None else getattr(one.scores, part)


def _by_seed(traces: Sequence[TraceShape]) -> list[float]:
    return [
        fmean(_value(one, "mean") or 0.0 for one in traces if one.seed == seed)
        for seed in sorted({one.seed for one in traces})
    ]


def _over(traces: Sequence[TraceShape], value: Callable[[TraceShape], float | None], seed: int) -> Estimate:
    """The mean with its interval over authors; all traces have the value."""
    return over_authors([(one.author, value(one) or 0.0) for one in traces], fmean, seed=seed)


def _atoms(name: str, traces: Iterable[TraceShape]) -> AtomRow | None:
    rounds = [
        (step.update, [target.tau for target in step.targets])
        for trace in traces
        for step in trace.steps
        if step.update is not None
    ]
    if not rounds:
        return None
    atoms = [atom for update, _ in rounds for atom in update.atoms]
    judged = [atom for atom in atoms if atom.content_credit]
    kept = [atom for atom in atoms if atom.kept]
    taus = [found for update, tau in rounds for atom in update.atoms if (found := _tau(atom, tau)) is not None]
    wanted = sum(tau.count(1) for _, tau in rounds)
    nothing = [update for update, tau in rounds if 1 not in tau]
    return AtomRow(
        method=name,
        updates=len(rounds),
        atoms=len(atoms),
        extraction=_share(sum(atom.content_credit == 1 for atom in judged), len(judged)),
        extraction_covered=_share(len(judged), len(atoms)),
        kept=len(kept),
        selection=_share(sum(taus), len(taus)),
        selection_covered=_share(len(taus), len(kept)),
        recall=_share(sum(_met(update, tau) for update, tau in rounds), wanted),
        keeps=len(nothing),
        kept_rightly=_share(sum(update.before == update.after for update in nothing), len(nothing)),
        omission=fmean(update.omission for update, _ in rounds if update.omission is not None),
        reward=fmean(update.reward.value for update, _ in rounds if update.reward is not None),
    )


def _tau(atom: AtomShape, tau: Sequence[Literal[0, 1]]) -> int | None:
    """τ of a kept atom; None where no target, or targets of both sorts, are surely meant."""
    found = {tau[place] for place in atom.matched}
    return found.pop() if atom.kept and len(found) == 1 else None


def _met(update: UpdateShape, tau: Sequence[int]) -> int:
    asked = {place for atom in update.atoms if atom.kept and atom.content_credit == 1 for place in atom.matched}
    return sum(tau[place] == 1 for place in asked)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _keep_share(traces: Sequence[TraceShape]) -> float | None:
    steps = [step for trace in traces for step in (trace.steps[:-1] if trace.stop == "done" else trace.steps)]
    return _share(sum(not any(target.tau for target in step.targets) for step in steps), len(steps))


def _unscored(one: TraceShape) -> str:
    return "" if one.scores is None else one.scores.unscored


def left_out(traces: Sequence[TraceShape], planned: int, unscored: Callable[[TraceShape], str]) -> dict[str, int]:
    """Why traces are missing from a comparison, and how many."""
    found: dict[str, int] = defaultdict(int)
    if planned > len(traces):
        found["not made yet"] = planned - len(traces)
    for one in traces:
        if one.parked is not None:
            found[f"{one.parked.what} parked: {one.parked.why}"] += 1
        elif why := unscored(one):
            found[f"unscored: {why}"] += 1
    return dict(sorted(found.items()))
