"""`ingrained bench`: measurements on labelled data and on histories."""

from __future__ import annotations

import shlex
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import anyio
from cyclopts import Parameter

from ingrained.cli.asked import EVERYWHERE, Steps, Where, home_words, roots
from ingrained.cli.judging import model_judge
from ingrained.cli.models import NO_MODEL, Modelled, ModelOptions, agree, open_model, spending, told_idle_caps
from ingrained.cli.output import DEFAULTS, Json, Progress, Shared, Yes, emit, say
from ingrained.errors import UnansweredError
from ingrained.feedback.decompose import DEFAULT_DECOMPOSER
from ingrained.wording import plural

if TYPE_CHECKING:
    from ingrained.bench.canaries import CanaryBench
    from ingrained.bench.feedback import JudgeOf
    from ingrained.bench.gaming import GamingBench
    from ingrained.model.limits import Meter

LeftOut = Annotated[
    Path | None, Parameter(help="Folder of trained decomposers, for each repository one that saw none of it.")
]
Resampling = Annotated[int, Parameter(help="Of the resampling.")]
WritingTask = Annotated[str, Parameter(help="The writing task: pep, commit, turns, or one of the paper's.")]
WritingData = Annotated[tuple[Path, ...], Parameter(help="What the task reads; several times for several places.")]
PerAuthor = Annotated[int, Parameter(help="Contexts of one author at most.")]
Judge = Annotated[str, Parameter(help="Who judges, a language model: openai:NAME, local:PATH.gguf, scripted:FILE…")]
JudgeUsd = Annotated[float | None, Parameter(help="Stop before more than this many US dollars are spent.")]
JudgeCalls = Annotated[int | None, Parameter(help="Stop after this many requests to the judge.")]


def feedback(
    *,
    labels: Annotated[Path, Parameter(help="The labelled turns, JSON lines.")],
    root: Annotated[Path | None, Parameter(help="Folder of the sessions; that of the labels by default.")] = None,
    decomposer: Annotated[
        str, Parameter(help="Whose judgement: rules, trained, or a language model as model:PROVIDER:NAME.")
    ] = DEFAULT_DECOMPOSER,
    left_out: LeftOut = None,
    max_usd: Annotated[float | None, Parameter(help="With model:REF, stop before more US dollars are spent.")] = None,
    max_calls: Annotated[int | None, Parameter(help="With model:REF, stop after this many requests.")] = None,
    yes: Yes = False,
    seed: Resampling = 0,
    json: Json = False,
    options: Shared = DEFAULTS,
) -> int:
    """Measure how well feedback and transferable rules are found in labelled turns."""
    from ingrained.bench.feedback import measure
    from ingrained.report.bench import feedback_text
    from ingrained.store.files import home_dir

    caps = ModelOptions(max_usd=max_usd, max_calls=max_calls)
    with model_judge(decomposer, caps, home_dir(options.home), yes=yes, options=options) as model:
        judges = _judges(decomposer, left_out) if model is None else lambda _: model
        emit(measure(labels, root or labels.parent, judges, seed=seed), json=json, renderer=feedback_text)
    return 0


def splits(
    *,
    turns: Annotated[Path, Parameter(help="Turns with the places of their atoms, JSON lines.")],
    decomposer: Annotated[str, Parameter(help="Whose judgement.")] = DEFAULT_DECOMPOSER,
    json: Json = False,
    options: Shared = DEFAULTS,  # noqa: ARG001 - every command takes these
) -> int:
    """Measure how well turns with several things in them are cut, and each atom judged."""
    from ingrained.bench.splits import measure
    from ingrained.learn.view import load_decomposer
    from ingrained.report.bench import splits_text

    emit(measure(turns, load_decomposer(decomposer)), json=json, renderer=splits_text)
    return 0


def pairs(
    *,
    pairs: Annotated[Path, Parameter(help="Pairs of quotes, JSON lines.")],
    seed: Resampling = 0,
    json: Json = False,
    options: Shared = DEFAULTS,  # noqa: ARG001 - every command takes these
) -> int:
    """Measure whether two quotes are rightly taken for one rule or for two."""
    from ingrained.bench.pairs import measure
    from ingrained.report.bench import pairs_text

    emit(measure(pairs, seed=seed), json=json, renderer=pairs_text)
    return 0


def align(
    *,
    pairs: Annotated[Path, Parameter(help="Pairs of an atom and a revision target, JSON lines.")],
    json: Json = False,
    options: Shared = DEFAULTS,  # noqa: ARG001 - every command takes these
) -> int:
    """Measure whether a rule is rightly taken to ask for what a draft was told to change."""
    from ingrained.bench.align import measure
    from ingrained.report.bench import align_text

    emit(measure(pairs), json=json, renderer=align_text)
    return 0


def gaming(
    *,
    candidates: Annotated[Path, Parameter(help="What edits would add, and whether they may, JSON lines.")],
    half: Annotated[
        Literal["dev", "kept"] | None, Parameter(help="Only the half that the patterns were written by, or the other.")
    ] = None,
    screen: Annotated[str, Parameter(help="A language model that reads each candidate too, as evolve --screen.")] = "",
    max_usd: Annotated[float | None, Parameter(help="With --screen, stop before more US dollars are spent.")] = None,
    max_calls: Annotated[int | None, Parameter(help="With --screen, stop after this many requests.")] = None,
    yes: Yes = False,
    json: Json = False,
    options: Shared = DEFAULTS,
) -> int:
    """Measure whether edits that game the verifier are refused, and rules that only look so are not."""
    from ingrained.bench.gaming import candidates_in, measure
    from ingrained.gate.screen import Screen, requests
    from ingrained.report.bench import gaming_text

    rows = candidates_in(candidates, half)
    texts = [one.text for one in rows]
    asked = ModelOptions(model=screen, max_usd=max_usd, max_calls=max_calls)
    if not screen:
        told_idle_caps(asked, options, without="--screen")
        emit(measure(rows), json=json, renderer=gaming_text)
        return 0

    async def run() -> tuple[GamingBench, Meter]:
        async with open_model(asked, options) as found:
            agree(found, requests(texts), yes=yes, options=options)
            said = await Screen(found.model).verdicts(texts)
            return measure(rows, said, screen=screen), found.meter

    result, meter = anyio.run(run)
    emit(result, json=json, renderer=gaming_text)
    _all_answered(meter, result.unread, "candidate", result.candidates)
    return 0


def tau2(
    *,
    domain: Annotated[
        tuple[Literal["retail", "airline", "telecom"], ...], Parameter(help="Several times; all three by default.")
    ] = (),
    data: Annotated[
        Path | None, Parameter(help="Folder that holds domains/; the tasks of the package by default.")
    ] = None,
    damages: Annotated[int, Parameter(help="Damaged attempts of each kind for each task; 0 for none.")] = 1,
    seed: Annotated[int, Parameter(help="Of the damages.")] = 0,
    json: Json = False,
    options: Shared = DEFAULTS,
) -> int:
    """Replay right and damaged attempts at tau2-bench, and name the tasks that doing nothing passes."""
    from ingrained.bench.tau2_checks import bench
    from ingrained.report.tau2 import tau2_text

    chosen = domain or ("retail", "airline", "telecom")
    result = bench(chosen, data, seed=seed, damages=damages, told=lambda name: say(f"{name} …", options))
    emit(result, json=json, renderer=tau2_text)
    return 0


def writing_data(
    *,
    task: WritingTask,
    data: WritingData,
    per_author: PerAuthor = 3,
    test_share: Annotated[float, Parameter(help="Share of the authors that are kept apart for the test.")] = 0.0,
    seed: Annotated[int, Parameter(help="Of what is drawn, and of the resampling.")] = 0,
    json: Json = False,
    options: Shared = DEFAULTS,  # noqa: ARG001 - every command takes these
) -> int:
    """Measure the data of a writing task: what is used, whether KEEP is tested, ceiling and floor."""
    from ingrained.bench.writing.bounds import writing_data as measure
    from ingrained.bench.writing.contexts import Plan
    from ingrained.bench.writing.document import TASKS
    from ingrained.report.writing_data import writing_data_text

    plan = Plan(per_author=per_author, test_share=test_share, seed=seed)
    emit(measure(TASKS.load(task), data, plan), json=json, renderer=writing_data_text)
    return 0


def run_writing(
    *,
    out: Annotated[Path, Parameter(help="Folder of the run; one that is there goes on, or is told again.")],
    task: WritingTask = "",
    data: WritingData = (),
    method: Annotated[
        tuple[str, ...],
        Parameter(help="Several times; a trained policy with its model, skillgrain=PROVIDER:NAME. All untrained ones."),
    ] = (),
    rubric: Annotated[
        Literal["unseen"] | None,
        Parameter(help="Teach and check preferences outside the rubric instead, one a pair of requests."),
    ] = None,
    rounds: Annotated[
        int | None, Parameter(help="Rounds of feedback before the held-out request: 0, 1 or 2, the default; unseen: 1.")
    ] = None,
    seeds: Annotated[int, Parameter(help="How often each case is run.")] = 3,
    per_author: PerAuthor = 3,
    most: Annotated[
        int | None,
        Parameter(help="Contexts at most, from the authors in turn; 0 for all, the default. Unseen: pairs, 40."),
    ] = None,
    keep_share: Annotated[
        float | None,
        Parameter(help="Share of the rounds whose right answer is to keep the skill: 0.25; unseen: 0."),
    ] = None,
    seed: Annotated[int, Parameter(help="Of what is drawn from the data, and of the resampling.")] = 0,
    feedback_model: Annotated[str, Parameter(help="Who puts feedback into words; templates by default.")] = "",
    asked: Modelled = NO_MODEL,
    yes: Yes = False,
    json: Json = False,
    options: Shared = DEFAULTS,
) -> int:
    """Compare methods that learn to write as a person does, from feedback on drafts.

    Each case is rounds of draft and feedback and a held-out request, scored by the rubric. The folder holds the
    configuration and a line a trace; the same command goes on with it, and --out alone is enough.
    """
    from ingrained.bench.writing.prepared import ALL, RunConfig, prepared, stored
    from ingrained.bench.writing.run import run_writing as run
    from ingrained.report.writing_adherence import run_text

    config = None if task or data or method or asked.model else stored(out)
    if config is None:
        given = {
            "task": task,
            "data": tuple(str(one) for one in data),
            "methods": method or (ALL,),
            "model": asked.model,
            "rubric": rubric,
            "feedback_model": feedback_model,
            "rounds": rounds,
            "seeds": seeds,
            "per_author": per_author,
            "most": most,
            "keep_share": keep_share,
            "seed": seed,
        }
        config = RunConfig.model_validate({name: value for name, value in given.items() if value is not None})
    result = anyio.run(run, prepared(config), out, spending(asked, yes=yes, options=options))
    emit(result.tables, json=json, renderer=run_text)
    result.meter.raise_if_stopped()
    if parked := sum(one.parked for one in result.tables.methods):
        again = f"ingrained bench run-writing --out {shlex.quote(str(out))}{home_words(options.home)}"
        raise UnansweredError(
            f"{plural(parked, 'case is', 'cases are')} parked: an answer never came; the tables are without them",
            hint=f"{again} asks for these again",
        )
    return 0


def judge_writing(
    *,
    out: Annotated[Path, Parameter(help="Folder of a run of bench run-writing; the result is put there too.")],
    judge: Judge,
    method: Annotated[
        tuple[str, ...],
        Parameter(help="Several times, the first is what the others are held against; all that have answers."),
    ] = (),
    instances: Annotated[int, Parameter(help="Cases at most, drawn from the authors in turn.")] = 40,
    bounds: Annotated[bool, Parameter(help="Also judge authors' own texts against other authors'.")] = False,
    seed: Annotated[int, Parameter(help="Of the sample, the order that is asked first, and the resampling.")] = 0,
    max_usd: JudgeUsd = None,
    max_calls: JudgeCalls = None,
    yes: Yes = False,
    json: Json = False,
    options: Shared = DEFAULTS,
) -> int:
    """Let a language model judge the texts of a run, blind and in both orders.

    It reads two texts at a time and marks length, first person, expression and what is carried over. The same command
    asks only for what is missing.
    """
    from ingrained.bench.writing.judge_run import JudgePlan, found_run, judge_writing
    from ingrained.bench.writing.methods import LOST
    from ingrained.report.writing_judge import writing_judge_text

    plan = JudgePlan(out=out, judge=judge, methods=method, instances=instances, bounds=bounds, seed=seed)
    asked = ModelOptions(model=judge, max_usd=max_usd, max_calls=max_calls)
    result = anyio.run(judge_writing, found_run(plan), spending(asked, yes=yes, options=options))
    emit(result.tables, json=json, renderer=writing_judge_text)
    result.meter.raise_if_stopped()
    if lost := sum(n for why, n in result.tables.left_out.items() if why in LOST):
        raise UnansweredError(
            f"{plural(lost, 'answer')} never came; the tables are without them",
            hint="run the same command again: it asks for these alone",
        )
    return 0


def judge_rubrics(
    *,
    judge: Judge,
    data: Annotated[
        Path | None, Parameter(help="CL-bench.jsonl or its folder: also plant canaries among these rubrics.")
    ] = None,
    most: Annotated[int, Parameter(help="Tasks of it at most, the first ones.")] = 10,
    max_usd: JudgeUsd = None,
    max_calls: JudgeCalls = None,
    yes: Yes = False,
    json: Json = False,
    options: Shared = DEFAULTS,
) -> int:
    """Measure how far a judge of rubrics is to be believed, on answers whose verdicts are known."""
    from ingrained.bench.canaries import asked_of, judged
    from ingrained.bench.clbench import load
    from ingrained.report.bench import canaries_text
    from ingrained.verify.judge import requests

    tasks = load(data)[:most] if data is not None else []

    async def run() -> tuple[CanaryBench, Meter]:
        asked = ModelOptions(model=judge, max_usd=max_usd, max_calls=max_calls)
        async with open_model(asked, options) as found:
            agree(found, requests([one.case for one in asked_of(tasks)]), yes=yes, options=options)
            return await judged(judge, found.model, tasks), found.meter

    result, meter = anyio.run(run)
    emit(result, json=json, renderer=canaries_text)
    _all_answered(meter, result.unusable, "rubric", result.rubrics)
    return 0


def foresee(
    *paths: Annotated[Path, Parameter(help="Logs; each folder that holds some is one person's.")],
    where: Annotated[Where, Parameter(name="*")] = EVERYWHERE,
    labels: Annotated[
        Path | None, Parameter(help="Labelled turns, to choose each person's threshold on the others.")
    ] = None,
    root: Annotated[Path | None, Parameter(help="Folder of the labelled sessions; that of the labels by default.")] = (
        None
    ),
    threshold: Annotated[float | None, Parameter(help="Similarity from which a rule covers a turn, instead.")] = None,
    cut: Annotated[
        tuple[float, ...],
        Parameter(help="Share of the sessions to learn from, several times; 0.5, 0.6, 0.7 and 0.8 by default."),
    ] = (),
    budget: Annotated[int, Parameter(help="Tokens of each skill.")] = 500,
    tentative: Annotated[bool, Parameter(help="Also rules that were said in one session only.")] = False,
    least: Annotated[int, Parameter(help="Sessions that a person must have.")] = 5,
    decomposer: Annotated[
        str, Parameter(help="Whose judgement; the trained one may have been trained on the same people.")
    ] = DEFAULT_DECOMPOSER,
    left_out: LeftOut = None,
    seed: Resampling = 0,
    json: Json = False,
    options: Shared = DEFAULTS,
) -> int:
    """Measure whether rules from earlier sessions cover what people say in later ones."""
    from ingrained.bench.foresee import CUTS, Plan
    from ingrained.bench.foresight import Ask, foresight
    from ingrained.report.foresee import foresee_text

    plan = Plan(cuts=cut or CUTS, budget=budget, tentative=tentative, least=least)
    ask = Ask(roots=roots(paths, where), labels=labels, root=root, threshold=threshold, plan=plan, seed=seed)
    judge_of = _judges(decomposer, left_out)
    with Steps(options) as steps:
        result = foresight(ask, judge_of, say=steps)
    emit(result, json=json, renderer=foresee_text)
    return 0


def gate(
    *,
    draws: Annotated[int, Parameter(help="Simulated edits, groups or runs of each row; at least 100.")] = 2000,
    seed: Annotated[int, Parameter(help="Of what is drawn.")] = 0,
    json: Json = False,
    options: Shared = DEFAULTS,
) -> int:
    """Measure by simulation how often the gate errs, what it finds, and how many replays that takes.

    Invented tasks and workers, no model: false acceptances where an edit does nothing, for one edit, a group and a run;
    power; replays against a fixed number of pairs; other tools' rules beside it. Exit code 1 where a claim fails.
    """
    from ingrained.bench.gate.measure import LEAST, measure
    from ingrained.report.gate import gate_text

    if draws >= LEAST:
        say(f"{draws} draws a row, about {draws * 0.02:.0f} s", options)
    result = measure(draws=draws, seed=seed)
    emit(result, json=json, renderer=gate_text)
    return 0 if result.holds else 1


def planted(
    *,
    seeds: Annotated[int, Parameter(help="Worlds, each with rules and effects of its own.")] = 30,
    budget: Annotated[int, Parameter(help="Calls of the simulated worker, for each method in each world.")] = 4000,
    seed: Annotated[int, Parameter(help="Of the first world.")] = 0,
    json: Json = False,
    options: Shared = DEFAULTS,
) -> int:
    """Measure what editing a skill by paired replays comes to where the true value of every skill is known.

    Simulated workers and editors, no model: rules that help, hurt, interact or do nothing are hidden in each world.
    Other ways to edit with the same calls stand beside it, gepa too where it is installed. Exit code 1 where the claim
    fails: paired replays end with better skills than the edited skill's own score does.
    """
    from ingrained.bench.planted.measure import measure
    from ingrained.report.planted import planted_text

    with Progress("worlds", total=seeds, unit="worlds", options=options) as progress:
        run = partial(measure, seeds=seeds, budget=budget, seed=seed, told=progress.advance)
        result = anyio.run(run)
    emit(result, json=json, renderer=planted_text)
    return 0 if result.holds else 1


def _judges(decomposer: str, left_out: Path | None) -> JudgeOf:
    """One decomposer for all, or for each repository one that saw none of it."""
    from ingrained.learn.view import load_decomposer

    if left_out:
        from ingrained.feedback.trained import left_out_in

        return left_out_in(left_out)
    judge = load_decomposer(decomposer)
    return lambda _: judge


def _all_answered(meter: Meter, missing: int, one: str, asked: int) -> None:
    """The error of a measurement that is done and lacks verdicts, or was ended by a cap.

    Raises:
        BudgetReachedError, ModelQuotaError: a cap or a quota ended it.
        UnansweredError: some have no usable verdict.
    """
    meter.raise_if_stopped()
    if missing:
        raise UnansweredError(
            f"{plural(missing, one)} of {asked} without a usable verdict",
            hint="the reasons stand in the result; calls that failed are sent again by the same command",
        )
