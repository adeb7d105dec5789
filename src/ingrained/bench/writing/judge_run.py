"""Judging a run: its answers are read from the folder, its contexts made again, and the judge is asked.

The decision to know: only the contexts have to be those of the run. Its prompts may be of another version of this
program, since the judge sees texts and nothing of how they came about. The folder is not changed but for the result,
so that a run can be judged while it is still being made; answers lie in the home folder, and a second call asks only
for what is missing.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from ingrained.bench.spending import Spending
from ingrained.bench.writing.contexts import Built
from ingrained.bench.writing.judge import (
    OTHER,
    OWN,
    Marking,
    Pair,
    Verdict,
    answers,
    bound_pairs,
    drawn,
    pairs_of,
    question,
    reading,
    verdict,
)
from ingrained.bench.writing.judge_tables import JudgeTables, judged, left_out
from ingrained.bench.writing.prepared import RunConfig, built_of, identity, method_of, stored
from ingrained.bench.writing.run import traces_of
from ingrained.errors import ConfigError
from ingrained.model.base import Reference
from ingrained.model.limits import Meter
from ingrained.model.opened import opened
from ingrained.model.structured import ask_each
from ingrained.store.run import RunFolder

INSTANCES: Final = 40
"""As many as the paper takes of each task."""
_EVERY_S: Final = 30.0
_NO_NAME: Final = re.compile(r"[^A-Za-z0-9._-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgePlan:
    """What is judged, and by whom."""

    out: Path
    """The folder of the run."""
    judge: str
    """`provider:name`."""
    methods: tuple[str, ...] = ()
    """The first one is what the others are held against; none: all that have answers, in the order of the run."""
    instances: int = INSTANCES
    """Cases at most."""
    bounds: bool = False
    """Also the author's own text against another author's."""
    seed: int = 0
    """Of the sample, of which order is asked first, and of the resampling."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A run that can be judged."""

    plan: JudgePlan
    config: RunConfig
    built: Built = field(repr=False)
    methods: tuple[str, ...]
    possible: int
    cases: int
    pairs: tuple[Pair, ...] = field(repr=False)
    bounds: tuple[Pair, ...] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedRun:
    """What the judge came to."""

    tables: JudgeTables
    meter: Meter
    """Says whether a cap or a quota ended it."""


def found_run(plan: JudgePlan) -> Found:
    """Read a run and make its contexts again. Cost: no model; some seconds.

    Raises:
        ConfigError: no run lies there, it teaches another rubric, its data has changed, an option is wrong, or nothing
            can be judged.
    """
    if plan.instances < 1:
        raise ConfigError(f"--instances {plan.instances} is less than 1")
    Reference.parse(plan.judge)
    config = stored(plan.out)
    if config is None:
        raise ConfigError(
            f"{str(plan.out)!r} holds no run", hint="name with --out the folder of an ingrained bench run-writing"
        )
    if config.rubric is not None:
        raise ConfigError(
            f"{str(plan.out)!r} is a run with --rubric {config.rubric}, which teaches other preferences than the "
            "author's own, and the judge marks these",
            hint=f"judge a run without --rubric; ingrained bench run-writing --out {plan.out} tells this one",
        )
    there = answers(traces_of(RunFolder(plan.out)))
    methods = _methods(plan, config, [name for name in config.methods if there.get(name)])
    built = built_of(config)
    if identity(built) != config.contexts:
        raise ConfigError(
            f"{str(plan.out)!r}: its contexts were {config.contexts}, and {', '.join(config.data)} gives "
            f"{identity(built)} now: the data or the version of this program is another one",
            hint="judge it with the data and the version that it was made with, or make the run again in a new folder",
        )
    common = set.intersection(*(set(there[name]) for name in methods))
    cases = drawn(common, built, plan.instances, plan.seed)
    if not cases:
        raise ConfigError(
            f"{str(plan.out)!r}: there is no case for which {', '.join(methods)} all have an answer",
            hint=f"ingrained bench run-writing --out {plan.out} goes on with the run; --method names fewer methods",
        )
    return Found(
        plan=plan,
        config=config,
        built=built,
        methods=methods,
        possible=len(common),
        cases=len(cases),
        pairs=tuple(pairs_of(methods, there, cases, built)),
        bounds=tuple(bound_pairs(cases, built, config.seed)) if plan.bounds else (),
    )


def _methods(plan: JudgePlan, config: RunConfig, there: Sequence[str]) -> tuple[str, ...]:
    chosen = tuple(dict.fromkeys(plan.methods)) or tuple(there)
    for name in chosen:
        if name not in there:
            why = "has no answer yet" if name in config.methods else "is not in the run"
            raise ConfigError(
                f"--method {name!r} {why}: {str(plan.out)!r} has answers of {', '.join(there) or 'none'}",
                hint=f"ingrained bench run-writing --out {plan.out} goes on with the run",
            )
    if len(chosen) < (1 if plan.bounds else 2):
        raise ConfigError(
            f"{str(plan.out)!r}: two methods with answers are needed, and there is {', '.join(chosen) or 'none'}",
            hint="add --bounds to judge the authors' own texts, or go on with the run",
        )
    return chosen


async def judge_writing(found: Found, spending: Spending) -> JudgedRun:
    """Ask the judge what is missing and write the tables into the folder of the run.

    Cost: two answers a pair, but for those that are stored.

    Raises:
        UnseenRequestError: only stored answers are allowed, and one is missing.
        IngrainedError: the judge cannot be asked at all, or the disk fails.
    """
    plan, config = found.plan, found.config
    meter = Meter(spending.caps)
    verdicts = await _verdicts(found, spending, meter)
    of_methods, of_bounds = verdicts[: len(found.pairs)], verdicts[len(found.pairs) :]
    first, *others = found.methods
    writers = {config.model, *(method_of(one)[1] for one in found.methods)}
    result = JudgeTables(
        task=config.task,
        model=config.model,
        judge=plan.judge,
        independent=plan.judge not in writers,
        cases=found.cases,
        possible=found.possible,
        authors=len({one.author for one in verdicts}),
        methods=judged(first, others, of_methods, seed=plan.seed) if others else None,
        bounds=judged(OTHER, [OWN], of_bounds, seed=plan.seed) if plan.bounds else None,
        left_out=left_out(verdicts),
        seed=plan.seed,
        verdicts=verdicts,
    )
    name = result_name(plan.judge)
    RunFolder(plan.out).write(name, (result.model_dump_json(indent=2) + "\n").encode())
    spending.say(f"{plan.judge}: {meter.receipt.line()}; {plan.out / name}")
    return JudgedRun(tables=result, meter=meter)


async def _verdicts(found: Found, spending: Spending, meter: Meter) -> list[Verdict]:
    """All pairs, judged in both orders; those of one request stand together."""
    pairs = [*found.pairs, *found.bounds]
    orders = [(pair, *order) for pair in pairs for order in pair.orders(found.plan.seed)]
    requests = [question(pair.context, one, two) for pair, one, two in orders]
    told = time.monotonic()

    def tell(done: int) -> None:
        nonlocal told
        if time.monotonic() - told >= _EVERY_S:
            told = time.monotonic()
            spending.say(f"{done}/{len(requests)} answers")

    async with opened(found.plan.judge, home=spending.home, caps=spending.caps, meter=meter) as judge:
        # Two texts that are the same make one question.
        spending.agree(judge, list({one.messages: one for one in requests}.values()))
        came = await ask_each(judge.model, requests, Marking, told=tell)
    readings = [reading(one, two, answer) for (_, one, two), answer in zip(orders, came, strict=True)]
    return [verdict(pair, readings[2 * nth : 2 * nth + 2]) for nth, pair in enumerate(pairs)]


def result_name(judge: str) -> str:
    """The file of a judge's tables in the folder of a run: provider and name, without a server and without a path."""
    named = Reference.parse(judge)
    last = named.name.partition("@http")[0].rstrip("/").rpartition("/")[2]
    said = _NO_NAME.sub("-", f"{named.provider}-{last}").strip("-.")
    return f"judge-{said}.json"
