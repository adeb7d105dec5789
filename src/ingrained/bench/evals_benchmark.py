"""skill-creator's `benchmark.json`, which its viewer shows: attempts with the skill beside attempts without it.

The format: github.com/anthropics/skills, skills/skill-creator/references/schemas.md; the statistics are those of its
`aggregate_benchmark.py`. The decision to know: an attempt without a score is in no row and no mean, since the viewer
shows a missing rate as 0 %; the notes count it by configuration and reason. A trace knows no times, so that
`time_seconds` is left out wherever it stands; the viewer then shows no row for it. "Without" is the skill as it was
before, maybe empty.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import fmean, stdev
from typing import Final, Literal, TypeAlias

from ingrained.bench.evals import in_words, numbers
from ingrained.errors import ConfigError
from ingrained.gate.pair import Arm
from ingrained.harness.base import Task, Trace
from ingrained.skill.rule import Frozen
from ingrained.verify.base import known_as
from ingrained.verify.judge import SHARE_MET, rubrics_of
from ingrained.verify.program import Known
from ingrained.verify.score import Outcome, Score, Unscored

Configuration: TypeAlias = Literal["with_skill", "without_skill"]
WITH: Final[Configuration] = "with_skill"
WITHOUT: Final[Configuration] = "without_skill"
_SUMS: Final = frozenset({SHARE_MET, "hard", "soft"})
"""Parts that sum up others and are no checks of their own."""
_PLACES: Final = 4
_WHOLE: Final = "the task's verifier is content"
"""The one check of a task whose verifier names no parts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One attempt at a task, with the skill or without it, as it was judged."""

    configuration: Configuration
    task: Task
    trace: Trace
    arm: Arm
    why: str = ""
    """The verifier's words."""
    parts: Mapping[str, Outcome] = field(default_factory=dict)
    """The verifier's parts, where they are known (`verify.base.Checked.parts`)."""


class Expectation(Frozen):
    """One check of an attempt."""

    text: str
    passed: bool
    evidence: str
    """What the verifier found in this check; its words on the whole attempt where it names none."""


class Result(Frozen):
    """What an attempt came to."""

    pass_rate: float
    """The score, in [0, 1]; not always the share of checks that passed."""
    passed: int
    failed: int
    total: int
    tokens: int
    """Of the worker, input and output together."""
    tool_calls: int
    errors: int
    """Calls of the worker that failed."""


class Run(Frozen):
    """One attempt."""

    eval_id: int
    eval_name: str
    configuration: Configuration
    run_number: int
    """From 1, by seed: the same number is the same seed in both configurations."""
    result: Result
    expectations: tuple[Expectation, ...]
    notes: tuple[str, ...] = ()


class Stat(Frozen):
    """Of one number over the attempts of a configuration."""

    mean: float
    stddev: float
    """With n - 1; 0 for one attempt."""
    min: float
    max: float


class Summary(Frozen):
    """Of a configuration; null, and left out of the file, where no attempt has a score."""

    pass_rate: Stat | None = None
    tokens: Stat | None = None


class Delta(Frozen):
    """With minus without, as signed text; null, and left out, where a side has nothing."""

    pass_rate: str | None = None
    tokens: str | None = None


class RunSummary(Frozen):
    """Both configurations; the viewer takes the first as the one to be judged."""

    with_skill: Summary
    without_skill: Summary
    delta: Delta


class Metadata(Frozen):
    """What was run."""

    skill_name: str
    skill_path: str
    executor_model: str
    """The worker, harness and model; several with commas."""
    analyzer_model: str
    """The model that judged; empty where none did."""
    timestamp: str
    evals_run: tuple[int, ...]
    runs_per_configuration: int
    """Attempts at a task, those without a score too; the most where tasks differ."""


class Benchmark(Frozen):
    """`benchmark.json`. The format is not ours and has no version."""

    metadata: Metadata
    runs: tuple[Run, ...]
    run_summary: RunSummary
    notes: tuple[str, ...]

    def text(self) -> str:
        """The content of the file."""
        return self.model_dump_json(indent=2, exclude_none=True) + "\n"


def benchmark_json(
    sides: Sequence[Side],
    *,
    skill_name: str,
    timestamp: str,
    skill_path: str = "",
    analyzer_model: str = "",
) -> Benchmark:
    """Attempts as `benchmark.json`. Pure.

    An eval keeps its number of `evals.json`. Other tasks are counted from 1 in the order of their first attempts, as
    `evals.evals_json` counts them where it is given them in that order.

    Args:
        sides: all attempts, in any order.
        skill_name: of the skill.
        timestamp: when it was run, in ISO 8601.
        skill_path: where the skill lies.
        analyzer_model: the judge, where there was one.

    Raises:
        ConfigError: there is no attempt, one occurs twice, a trace is of another task, or two tasks have one id.
    """
    tasks, seeds = _tried(sides)
    number = numbers(tasks)
    order = {task.id: place for place, task in enumerate(tasks)}
    runs = [
        _run(side, number[side.task.id], seeds[side.task.id].index(side.trace.seed) + 1)
        for side in sorted(sides, key=lambda one: (order[one.task.id], one.configuration != WITH, one.trace.seed))
        if side.arm.score is not None
    ]
    of = {name: _summary([run for run in runs if run.configuration == name]) for name in (WITH, WITHOUT)}
    attempts = Counter((side.task.id, side.configuration) for side in sides)
    return Benchmark(
        metadata=Metadata(
            skill_name=skill_name,
            skill_path=skill_path,
            executor_model=", ".join(dict.fromkeys(side.trace.worker for side in sides)),
            analyzer_model=analyzer_model,
            timestamp=timestamp,
            evals_run=tuple(number[task.id] for task in tasks),
            runs_per_configuration=max(attempts.values()),
        ),
        runs=tuple(runs),
        run_summary=RunSummary(with_skill=of[WITH], without_skill=of[WITHOUT], delta=_delta(of[WITH], of[WITHOUT])),
        notes=tuple(_notes(sides, runs)),
    )


def _tried(sides: Sequence[Side]) -> tuple[list[Task], dict[str, list[int]]]:
    """The tasks in their order, and the seeds of each in theirs."""
    if not sides:
        raise ConfigError("no attempt to write a benchmark of", hint="run the tasks first")
    tasks: dict[str, Task] = {}
    seen: set[tuple[str, str, int]] = set()
    for side in sides:
        task, key = side.task, (side.configuration, side.task.id, side.trace.seed)
        if side.trace.task != task.id:
            raise ConfigError(f"task {task.id!r}: the trace is of task {side.trace.task!r}")
        if tasks.setdefault(task.id, task) != task:
            raise ConfigError(f"two tasks have one id, {task.id!r}")
        if key in seen:
            raise ConfigError(f"task {task.id!r}, seed {side.trace.seed}: {side.configuration} occurs more than once")
        seen.add(key)
    return list(tasks.values()), {one: sorted({seed for _, task, seed in seen if task == one}) for one in tasks}


def _run(side: Side, number: int, nth: int) -> Run:
    checks = tuple(_checks(side))
    calls = [one for one in side.trace.actions if one.by == "worker"]
    passed = sum(one.passed for one in checks)
    unscored = [
        f"{name} has no score: {one.reason}"
        for name, one in side.parts.items()
        if isinstance(one, Unscored) and name not in _SUMS
    ]
    return Run(
        eval_id=number,
        eval_name=f"Eval {number}" if side.task.id == str(number) else side.task.id,
        configuration=side.configuration,
        run_number=nth,
        result=Result(
            pass_rate=round(side.arm.score or 0.0, _PLACES),
            passed=passed,
            failed=len(checks) - passed,
            total=len(checks),
            tokens=side.trace.spent.input_tokens + side.trace.spent.output_tokens,
            tool_calls=len(calls),
            errors=sum(one.failed for one in calls),
        ),
        expectations=checks,
        notes=tuple(unscored),
    )


def _checks(side: Side) -> Iterator[Expectation]:
    """The scored checks of an attempt; the verifier as a whole where it names none."""
    scored = {name: one for name, one in side.parts.items() if isinstance(one, Score) and name not in _SUMS}
    if not scored:
        yield Expectation(text=_WHOLE, passed=side.arm.score == 1, evidence=side.why)
        return
    words = _words(side.task)
    found = (
        _verdicts(scored) if "rubrics" in side.task.known and scored.keys() <= words.keys() else _found(side, scored)
    )
    for name, one in scored.items():
        yield Expectation(text=words.get(name, name), passed=one.value == 1, evidence=found[name])


def _found(side: Side, scored: Mapping[str, Score]) -> dict[str, str]:
    """What the verifier says of each check: its words name those that failed, in their order (`NAME: words; …`).

    Words that do not name a check that failed are its own as a whole.
    """
    failed = [name for name, one in scored.items() if one.value != 1]
    said = f"; {side.why}"
    places: list[tuple[int, str]] = []
    for name in failed:
        begin = said.find(f"; {name}: ", places[-1][0] if places else 0)
        if begin >= 0:
            places.append((begin, name))
    cut = pairwise([*places, (len(said), "")])
    own = {name: said[begin + len(f"; {name}: ") : end] for (begin, name), (end, _) in cut}
    return {name: own.get(name, side.why) if name in failed else "it holds" for name in scored}


def _verdicts(scored: Mapping[str, Score]) -> dict[str, str]:
    """The same of a judge, who gives each rubric a verdict and no words."""
    return {name: f"the judge: {'met' if one.value == 1 else 'not met'}" for name, one in scored.items()}


def _words(task: Task) -> dict[str, str]:
    """The names of parts in the words that `evals.json` has for them."""
    if "rubrics" in task.known:
        return {f"rubric {nth}": one for nth, one in enumerate(rubrics_of(task), start=1)}
    if "checks" in task.known:
        return {one.name: in_words(one) for one in known_as(task, Known).checks}
    return {}


def _summary(runs: Sequence[Run]) -> Summary:
    if not runs:
        return Summary()
    return Summary(
        pass_rate=stat([run.result.pass_rate for run in runs]), tokens=stat([run.result.tokens for run in runs])
    )


def stat(values: Sequence[float]) -> Stat:
    """Mean, sample deviation and ends, each to four places.

    Raises:
        ValueError: there are no values.
    """
    if not values:
        raise ValueError("statistics of no values")
    return Stat(
        mean=round(fmean(values), _PLACES),
        stddev=round(stdev(values), _PLACES) if len(values) > 1 else 0.0,
        min=round(min(values), _PLACES),
        max=round(max(values), _PLACES),
    )


def _delta(one: Summary, other: Summary) -> Delta:
    def told(treatment: Stat | None, control: Stat | None, places: int) -> str | None:
        if treatment is None or control is None:
            return None
        # Adding 0 turns a rounded -0.0 into 0.0.
        return f"{round(treatment.mean - control.mean, places) + 0.0:+.{places}f}"

    return Delta(
        pass_rate=told(one.pass_rate, other.pass_rate, 2),
        tokens=told(one.tokens, other.tokens, 0),
    )


def _notes(sides: Sequence[Side], runs: Sequence[Run]) -> Iterator[str]:
    for name in (WITH, WITHOUT):
        unscored = Counter(side.arm.unscored for side in sides if side.configuration == name and side.arm.unscored)
        for reason, n in sorted(unscored.items(), key=lambda one: (-one[1], one[0])):
            yield f"{name}: {n} attempt{'s' * (n > 1)} left out, without a score: {reason}"
        if n := sum(side.arm.cached for side in sides if side.configuration == name):
            yield f"{name}: {n} attempt{'s' * (n > 1)} read from stored answers and not made anew"
    if any(abs(run.result.pass_rate * run.result.total - run.result.passed) > 1e-3 for run in runs):
        yield "pass_rate is the verifier's score, which need not be the share of expectations that passed"
    yield f"{WITHOUT} is the skill as it was before, maybe empty; {WITH} is the skill as it became"
    yield "time_seconds is left out: the times of attempts are not recorded"
