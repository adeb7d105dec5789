"""The benchmark: every method in every world, marked by the planted truth, and the predictions beside what came."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean

from ingrained.bench.planted.gepa import absent
from ingrained.bench.planted.methods import ended
from ingrained.bench.planted.settled import BUDGET, ORDER, PLAN, PREDICTED, SEEDS, Measure, Prediction
from ingrained.bench.planted.shape import Difference, Foretold, Mark, PlantedBench, PlantedWorld, Row, Span
from ingrained.bench.planted.world import World, planted
from ingrained.errors import ConfigError
from ingrained.skill.living import Living
from ingrained.stats import resampled


async def measure(
    *, seeds: int = SEEDS, budget: int = BUDGET, seed: int = 0, told: Callable[[], None] = lambda: None
) -> PlantedBench:
    """Run every method in every world.

    Args:
        seeds: worlds.
        budget: calls of the worker, for each method in each world.
        seed: of the first world; the others have those that follow.
        told: is called after each world.

    Raises:
        ConfigError: fewer than 2 worlds, or fewer than 1 call.

    Cost: about 10 s of one core a world with 4,000 calls.
    """
    if seeds < 2:
        raise ConfigError(f"--seeds {seeds}: an interval over worlds needs 2 at least; {SEEDS} by default")
    if budget < 1:
        raise ConfigError(f"--budget {budget}: each method needs 1 call at least; {BUDGET} by default")
    missing = {"gepa": why} if (why := absent()) else {}
    methods = [name for name in ORDER if name not in missing]
    worlds: list[PlantedWorld] = []
    for nth in range(seeds):
        worlds.append(await _gone_through(planted(seed + nth), methods, budget))
        told()
    foretold = tuple(_foretold(one, worlds) for one in PREDICTED if {one.more, one.less} <= set(methods))
    rows = tuple(_row(name, worlds) for name in methods)
    return PlantedBench(
        worlds=tuple(worlds),
        budget=budget,
        plan=PLAN,
        start=_round(fmean(one.start.value for one in worlds)),
        best=_round(fmean(one.best for one in worlds)),
        rows=rows,
        against=tuple(_difference("value", "evolve", name, worlds) for name in methods if name != "evolve"),
        predicted=tuple(methods),
        found=tuple(row.method for row in sorted(rows, key=lambda row: -row.value)),
        foretold=foretold,
        missing=missing,
        holds=foretold[0].came == "yes",
    )


async def _gone_through(world: World, methods: Sequence[str], budget: int) -> PlantedWorld:
    marks = {}
    for name in methods:
        done = await ended(name, world, budget)
        marks[name] = mark(world, done.skill, calls=done.calls)
    return PlantedWorld(
        seed=world.seed, start=mark(world, world.start, calls=0), best=_round(world.best()), marks=marks
    )


def mark(world: World, skill: Living, *, calls: int) -> Mark:
    """What a skill is truly worth."""
    held = world.effects.held(rule.words for rule in skill.rules)
    return Mark(
        value=_round(world.value(skill.text)),
        rules=len(skill.rules),
        tokens=skill.tokens,
        harmful=len(world.effects.harmful(held)),
        calls=calls,
    )


def _row(name: str, worlds: Sequence[PlantedWorld]) -> Row:
    marks = [one.marks[name] for one in worlds]
    gains = [one.marks[name].value - one.start.value for one in worlds]
    return Row(
        method=name,
        gain=_span(gains),
        value=_round(fmean(one.value for one in marks)),
        share=_span([gain / (one.best - one.start.value) for gain, one in zip(gains, worlds, strict=True)]),
        rules=_round(fmean(one.rules for one in marks)),
        tokens=_round(fmean(one.tokens for one in marks)),
        harmful=_round(fmean(one.harmful for one in marks)),
        calls=_round(fmean(one.calls for one in marks)),
    )


def _difference(measured: Measure, one: str, other: str, worlds: Sequence[PlantedWorld]) -> Difference:
    found = [_measured(world.marks[one], measured) - _measured(world.marks[other], measured) for world in worlds]
    return Difference(
        measure=measured,
        one=one,
        other=other,
        span=_span(found),
        more=sum(value > 0 for value in found),
        fewer=sum(value < 0 for value in found),
    )


def _measured(one: Mark, measured: Measure) -> float:
    return {"value": one.value, "rules": one.rules, "harmful": one.harmful}[measured]


def _foretold(one: Prediction, worlds: Sequence[PlantedWorld]) -> Foretold:
    found = _difference(one.measure, one.more, one.less, worlds)
    return Foretold(difference=found, came="yes" if found.span.low > 0 else "no" if found.span.high < 0 else "open")


def _span(values: Sequence[float]) -> Span:
    found = resampled([[value] for value in values], fmean)
    return Span(mean=_round(found.value), low=_round(found.low), high=_round(found.high))


def _round(value: float) -> float:
    return round(value, 4)
