"""`ingrained evolve`: improve a skill by edits that are proved one at a time."""

from __future__ import annotations

import json as jsonlib
import shlex
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import anyio
from cyclopts import Parameter

from ingrained.cli.asked import home_words
from ingrained.cli.models import ModelOptions, spending
from ingrained.cli.output import DEFAULTS, Json, Options, Shared, Yes, emit, say
from ingrained.errors import ConfigError, UnansweredError
from ingrained.wording import plural

if TYPE_CHECKING:
    from pydantic import JsonValue

    from ingrained.bench.evolve.run import Progress

BudgetCalls = Annotated[
    int | None,
    Parameter(name=("--budget-calls", "--max-calls"), help="Stop after this many requests to all models together."),
]
BudgetUsd = Annotated[float | None, Parameter(help="Stop before more than this many US dollars are spent.")]
WorkerOptions = Annotated[tuple[str, ...], Parameter(help="KEY=VALUE for the worker, such as temperature=0 of chat.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deciding:
    """How edits are decided on; `gate.plan.Plan`."""

    rule: Annotated[
        Literal["sequential", "sign", "permutation", "single", "raw"],
        Parameter(help="The gate's rule; single and raw are the paper's comparison and its ablation."),
    ] = "sequential"
    rate: Annotated[Literal["edit", "group", "run"], Parameter(help="What --alpha is promised for.")] = "group"
    alpha: Annotated[float, Parameter(help="Probability at most that an edit is accepted that does not help.")] = 0.05
    beta: Annotated[float, Parameter(help="Probability at most that a useful edit is rejected as useless.")] = 0.2
    useful: Annotated[float, Parameter(help="The least mean gain worth having, in (0, 1].")] = 0.2
    margin: Annotated[float, Parameter(help="Mean loss that an edit which shortens has to stay below.")] = 0.1
    cap: Annotated[int, Parameter(help="Pairs an edit at most.")] = 100
    seeds: Annotated[int, Parameter(help="Pairs a task.")] = 1
    always: Annotated[int, Parameter(help="Pairs from which a task that passed always and fails always blocks.")] = 3
    may_break: Annotated[tuple[str, ...], Parameter(help="A task that may fail where it passed always.")] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Learning:
    """What is learned from, and how."""

    evidence: Annotated[
        tuple[str, ...],
        Parameter(
            help="What to learn from: texts, folders of texts or of runs, or corrections; several times. "
            "Without it, attempts at some tasks with the skill as it is."
        ),
    ] = ()
    attempts: Annotated[int, Parameter(help="Attempts to learn from, where no evidence is named.")] = 16
    group: Annotated[int, Parameter(help="Edits that are asked for a step.")] = 8
    per_unit: Annotated[int, Parameter(help="Attempts in one unit of evidence.")] = 4
    order: Annotated[Literal["given", "reversed", "shuffled"], Parameter(help="Of the units of evidence.")] = "given"
    without: Annotated[
        tuple[Literal["create", "update", "merge", "prune"], ...],
        Parameter(help="A move that is not allowed; without all four, nothing can be changed."),
    ] = ()
    passes: Annotated[int, Parameter(help="How often the evidence is gone through.")] = 1
    steps: Annotated[int, Parameter(help="Units of evidence at most; 0 for all.")] = 0
    most: Annotated[int, Parameter(help="Tasks at most, drawn by the seed; 0 for all.")] = 0
    across: Annotated[
        bool, Parameter(help="Decide on tasks of all families, not only on those that the evidence is of.")
    ] = False
    held_out: Annotated[float, Parameter(help="Share of the tasks that is kept for the last measurement.")] = 0.3
    final_seeds: Annotated[int, Parameter(help="Pairs a held-out task in the last measurement; 0 for none.")] = 1
    seed: Annotated[int, Parameter(help="Of the split, the anchors and the order of arms.")] = 0


def evolve(
    skill: Annotated[Path | None, Parameter(help="The SKILL.md to begin with, or its folder; it may be empty.")] = None,
    *,
    out: Annotated[Path, Parameter(help="Folder of the run; made where it is not there.")],
    tasks: Annotated[
        str,
        Parameter(
            help="What edits are decided on: an evals.json, its skill's folder, or BENCH:PATH (plugins benchmark)."
        ),
    ] = "",
    worker: Annotated[str, Parameter(help="Who does the tasks: openai:NAME, local:PATH.gguf…, HARNESS=local:…")] = "",
    editor: Annotated[str, Parameter(help="Who proposes edits; the worker's model by default.")] = "",
    screen: Annotated[
        str, Parameter(help="Who reads each edit before it is replayed, and refuses what games the score; a model.")
    ] = "",
    verifier: Annotated[
        str, Parameter(help="Who checks: NAME, or NAME=PROVIDER:NAME where it asks a model; that of the tasks.")
    ] = "",
    worker_option: WorkerOptions = (),
    verifier_option: Annotated[
        tuple[str, ...], Parameter(help="KEY=VALUE for the verifier, such as soft=true of rubrics.")
    ] = (),
    learning: Annotated[Learning, Parameter(name="*")] = Learning(),
    deciding: Annotated[Deciding, Parameter(name="*")] = Deciding(),
    budget_calls: BudgetCalls = None,
    max_usd: BudgetUsd = None,
    yes: Yes = False,
    json: Json = False,
    options: Shared = DEFAULTS,
) -> int:
    """Improve a skill by edits that are proved one at a time, on the same tasks with and without each.

    After each unit of evidence the accepted edit with the largest gain is applied. The folder holds every attempt, pair
    and verdict, the new SKILL.md and result.json; your file is not changed. --out alone goes on with a run.
    """
    from ingrained.bench.evolve.prepared import configured, prepared, stored
    from ingrained.bench.evolve.run import run_evolve
    from ingrained.report.evolve import evolve_text, unanswered_text

    config = None if skill or tasks or worker else stored(out)
    if config is None:
        if skill is None or not tasks or not worker:
            raise ConfigError("a run needs SKILL.md, --tasks and --worker, or a folder that holds a run with --out")
        config = configured(
            {
                **asdict(learning),
                "skill": str(skill),
                "tasks": tasks,
                "worker": worker,
                "worker_options": key_values("--worker-option", worker_option),
                "editor": editor or worker.rpartition("=")[2],
                "screen": screen or None,
                "verifier": verifier,
                "verifier_options": key_values("--verifier-option", verifier_option),
                "plan": asdict(deciding),
            }
        )
    asked = ModelOptions(max_usd=max_usd, max_calls=budget_calls)
    told = partial(_told, options=options)
    ran = anyio.run(run_evolve, prepared(config, out), out, spending(asked, yes=yes, options=options), told)
    emit(ran.result, json=json, renderer=evolve_text)
    ran.meter.raise_if_stopped()
    if ran.result.unanswered or ran.result.lost:
        units = unanswered_text(ran.result)
        attempts = f"{plural(ran.result.lost, 'attempt')} without an answer, whose pairs count for nothing"
        missing = [said for n, said in ((ran.result.unanswered, units), (ran.result.lost, attempts)) if n]
        again = f"ingrained evolve --out {shlex.quote(str(out))}{home_words(options.home)}"
        raise UnansweredError(
            "; ".join(missing), hint=f"{again} asks again for proposals; a new --out for attempts of steps that ended"
        )
    return 0


def transfer(
    *,
    run: Annotated[Path, Parameter(help="Folder of a run of evolve.")],
    worker: Annotated[str, Parameter(help="Who has the skill now: openai:NAME, local:PATH.gguf…, HARNESS=local:…")],
    out: Annotated[Path, Parameter(help="Folder for the attempts; made where it is not there.")],
    tasks: Annotated[
        Literal["held out", "pool"] | None,
        Parameter(help="Those that were held out, where there are any, or those that edits were decided on."),
    ] = None,
    budget_calls: BudgetCalls = None,
    max_usd: BudgetUsd = None,
    yes: Yes = False,
    json: Json = False,
    options: Shared = DEFAULTS,
) -> int:
    """Prove the skill that a run of evolve has made once more, with another worker.

    The skill as it was and as it became, as one edit, by the run's own plan. Exit code 1 where it is not accepted.
    """
    from ingrained.bench.evolve.transfer import transfer as carry
    from ingrained.bench.evolve.transfer import transfer_of
    from ingrained.report.evolve import transfer_text

    asked = ModelOptions(max_usd=max_usd, max_calls=budget_calls)
    one = transfer_of(run, worker, which=tasks)
    found = anyio.run(carry, one, run, out, spending(asked, yes=yes, options=options))
    emit(found.result, json=json, renderer=transfer_text)
    found.meter.raise_if_stopped()
    return 0 if found.result.verdict.status == "accepted" else 1


def key_values(option: str, given: Sequence[str]) -> dict[str, JsonValue]:
    """`KEY=VALUE`s; a value is read as JSON where it is any, else as text.

    Raises:
        ConfigError: one has no key.
    """
    found: dict[str, JsonValue] = {}
    for one in given:
        key, sign, value = one.partition("=")
        if not key or not sign:
            raise ConfigError(f"{option} {one!r} is not KEY=VALUE")
        try:
            found[key] = jsonlib.loads(value)
        except ValueError:
            found[key] = value
    return found


def _told(progress: Progress, *, options: Options) -> None:
    from ingrained.report.evolve import progress_text

    say(progress_text(progress), options)
