"""From what a run left behind to its published result. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from math import fsum
from pathlib import Path

from ingrained.bench.evolve.prepared import Prepared
from ingrained.bench.evolve.shape import CandidateShape, EvolveShape, HeldOut, SkillShape, StepShape
from ingrained.bench.writing.document import Dropped
from ingrained.gate.decide import decide
from ingrained.gate.pair import Pair
from ingrained.gate.tally import EQUAL
from ingrained.gate.verdict import Verdict
from ingrained.learn.evolve import Evolved
from ingrained.learn.steps import GroupLine, StepLine
from ingrained.learn.units import Unit
from ingrained.skill.living import Living
from ingrained.skill.patch import unified
from ingrained.stats import permutation_test, resampled


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a run came to."""

    evolved: Evolved
    groups: tuple[GroupLine, ...] = ()
    """What was proposed in each step."""
    units: tuple[Unit, ...]
    dropped: tuple[Dropped, ...] = ()
    held_out: tuple[Pair, ...] | None = None
    """Pairs of the last measurement; None where there is none."""
    held_out_step: int = 0
    stopped: str = ""
    """What ended the last measurement early."""
    lost: int = 0
    """Attempts without an answer of the worker or the judge."""


def shaped(found: Prepared, out: Path, outcome: Outcome) -> EvolveShape:
    """The result of a run."""
    config, evolved = found.config, outcome.evolved
    groups = {one.step: one for one in outcome.groups}
    counts: Counter[str] = Counter()
    for line in evolved.steps:
        counts.update(line.counts)
    dropped = Counter(one.why for one in (*found.tasks.dropped, *outcome.dropped))
    return EvolveShape(
        out=str(out),
        skill=config.skill,
        worker=config.worker,
        editor=config.editor,
        screen=config.screen,
        verifier=config.verifier,
        rule=config.plan.rule,
        calibrated=decide((), config.plan).calibrated,
        without=config.without,
        pool=len(found.sides.pool),
        held_out_tasks=len(found.sides.held_out),
        units=len(outcome.units),
        start=skill_shape(found.start),
        final=skill_shape(evolved.final),
        steps=tuple(_step(line, groups.get(line.step)) for line in evolved.steps),
        accepted=counts["accepted"],
        rejected=counts["rejected"],
        inconclusive=counts["inconclusive"],
        refused=counts["refused"],
        invalid=counts["invalid"],
        replays=sum(line.replays for line in evolved.steps),
        unanswered=evolved.unanswered,
        lost=outcome.lost,
        unscored=sum(_unscored(one) for line in evolved.steps for one in line.verdict.verdicts.values()),
        held_out=None
        if outcome.held_out is None
        else held_out(outcome.held_out, len(found.sides.held_out), config.final_seeds),
        left_out=dict(dropped.most_common()),
        stopped=evolved.stopped or outcome.stopped,
        diff=unified(found.start.text, evolved.final.text),
    )


def skill_shape(living: Living) -> SkillShape:
    """A document in numbers."""
    return SkillShape(hash=living.hash, rules=len(living.rules), tokens=living.tokens)


def held_out(pairs: Sequence[Pair], tasks: int, seeds: int, *, seed: int = 0) -> HeldOut:
    """Two documents on held-out tasks; a task counts once, with the mean of its pairs that have scores.

    Args:
        pairs: of the last measurement.
        tasks: how many there are.
        seeds: pairs a task.
        seed: of the resampling.
    """
    by_task: list[list[float]] = []
    for _, some in groupby(sorted(pairs, key=lambda one: one.task), key=lambda one: one.task):
        differences = [pair.difference for pair in some if pair.difference is not None]
        if differences:
            by_task.append(differences)
    means = [fsum(one) / len(one) for one in by_task]
    scored = [pair for pair in pairs if pair.difference is not None]
    interval = resampled([[one] for one in means], lambda items: fsum(items) / len(items), seed=seed) if means else None
    differing = [one for one in means if abs(one) > EQUAL]
    return HeldOut(
        tasks=tasks,
        pairs=len(pairs),
        scored=len(scored),
        before=_mean([pair.control.score for pair in scored]),
        after=_mean([pair.treatment.score for pair in scored]),
        gain=fsum(means) / len(means) if means else None,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        better=sum(one > EQUAL for one in means),
        worse=sum(one < -EQUAL for one in means),
        p=float(permutation_test(differing)) if differing else None,
        whole=len(pairs) == tasks * seeds,
    )


def _unscored(verdict: Verdict) -> int:
    """Pairs that say nothing. A control that was never run is none of the reasons."""
    return verdict.unscored.total - (verdict.unscored.control if verdict.rule == "raw" else 0)


def _mean(scores: Sequence[float | None]) -> float | None:
    known = [one for one in scores if one is not None]
    return fsum(known) / len(known) if known else None


def _step(line: StepLine, group: GroupLine | None) -> StepShape:
    return StepShape(
        step=line.step,
        unit=line.unit,
        evidence=line.evidence,
        before=line.before,
        after=line.after,
        applied=line.applied,
        replays=line.replays,
        overfit=line.overfit,
        candidates=tuple(_candidate(one.name, line, group) for one in group.candidates) if group else (),
    )


def _candidate(name: str, line: StepLine, group: GroupLine) -> CandidateShape:
    offered = next(one for one in group.candidates if one.name == name)
    verdict = line.verdict.verdicts.get(name)
    if verdict is not None:
        return CandidateShape(
            name=name,
            edit=offered.edit,
            outcome=verdict.status,
            why=verdict.why,
            pairs=verdict.pairs,
            gain=verdict.gain,
            low=verdict.low,
            high=verdict.high,
            cached=verdict.cached_control,
        )
    if name in line.refused:
        return CandidateShape(name=name, edit=offered.edit, outcome="refused", why="; ".join(line.refused[name]))
    if offered.edit is not None and offered.edit.op == "noop":
        return CandidateShape(name=name, edit=offered.edit, outcome="noop", why="it changes nothing")
    return CandidateShape(name=name, edit=offered.edit, outcome="invalid", why=offered.invalid)
