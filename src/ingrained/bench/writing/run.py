"""A run of the writing benchmark: every context under every method with every seed, in a directory.

The directory is resumable and says all that a rerun needs (`store.run`). The decision to know: a trace that came to its
end is not made again, one whose call was parked is; and drafts that two methods ask for in the same words are one
stored answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import anyio
from pydantic import ValidationError

from ingrained.bench.spending import Spending
from ingrained.bench.writing.adherence import AdherenceTables, adherence_tables
from ingrained.bench.writing.methods import METHODS, Method
from ingrained.bench.writing.prepared import Prepared, RunConfig, method_of
from ingrained.bench.writing.protocol import Asked, Case, run_case
from ingrained.bench.writing.tables import RunTables, tables
from ingrained.bench.writing.trace import TraceShape
from ingrained.errors import ConfigError, IngrainedError
from ingrained.ids import canonical_json
from ingrained.model.limits import Meter
from ingrained.model.opened import OpenModel, opened
from ingrained.store.run import RunFolder

RESULT: Final = "result.json"
_EVERY_S: Final = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What a run came to."""

    tables: RunTables | AdherenceTables
    meter: Meter
    """Says whether a cap or a quota ended it."""


async def run_writing(found: Prepared, out: Path, spending: Spending) -> Ran:
    """Make what is missing of a run, and its tables. Cost: the answers that are not stored.

    Raises:
        ConfigError: another run lies in the folder.
        UnseenRequestError: only stored answers are allowed, and one is missing.
        IngrainedError: no model can be asked at all, or the disk fails.
    """
    folder = RunFolder.open(out, found.config.model_dump(mode="json"))
    done = {one.key: one for one in traces_of(folder)}
    left = [case for case in found.cases if case.key not in done or done[case.key].stop != "done"]
    meter, began = Meter(spending.caps), time.monotonic()
    if left:
        async with AsyncExitStack() as stack:
            models = {
                reference: await stack.enter_async_context(
                    opened(reference, home=spending.home, caps=spending.caps, meter=meter)
                )
                for reference in dict.fromkeys(_references(found.config, left))
            }
            spending.agree(models[found.config.model], list(found.requests()))
            await _Making(found=found, models=models, folder=folder, say=spending.say, all=len(left)).make(left)
        spending.say(f"{found.config.model}: {meter.receipt.line()}")
    order = {case.key: place for place, case in enumerate(found.cases)}
    traces = sorted((one for one in traces_of(folder) if one.key in order), key=lambda one: order[one.key])
    result = _tables(found, traces)
    folder.write(RESULT, (result.model_dump_json(indent=2) + "\n").encode())
    spending.say(f"{len(left)} of {len(found.cases)} traces in {time.monotonic() - began:.0f} s; {out}")
    return Ran(tables=result, meter=meter)


def _tables(found: Prepared, traces: Sequence[TraceShape]) -> RunTables | AdherenceTables:
    config = found.config
    if config.rubric is not None:
        return adherence_tables(found, traces)
    return tables(config.methods, traces, found.built, model=config.model, seeds=config.seeds, seed=config.seed)


def _references(config: RunConfig, left: Sequence[Case]) -> list[str]:
    spoken = [config.feedback_model] if config.feedback_model else []
    return [config.model, *spoken, *(case.model for case in left)]


@dataclass(slots=True, kw_only=True)
class _Making:
    """The traces that are missing, as many at once as the model has slots, each written when it is there."""

    found: Prepared
    models: Mapping[str, OpenModel]
    folder: RunFolder
    say: Callable[[str], None]
    all: int
    finished: int = 0
    methods: Mapping[str, Method] = field(init=False)
    told: float = field(default_factory=time.monotonic)
    failed: IngrainedError | None = None

    def __post_init__(self) -> None:
        names = [method_of(one)[0] for one in self.found.config.methods]
        self.methods = {name: METHODS.load(name) for name in names}

    async def make(self, left: Sequence[Case]) -> None:
        waiting = iter(left)
        slots = self._base.model.facts.slots
        async with anyio.create_task_group() as group:
            for _ in range(min(len(left), max(1, slots))):
                group.start_soon(self._work, waiting, group.cancel_scope)
        if self.failed is not None:
            raise self.failed

    @property
    def _base(self) -> OpenModel:
        return self.models[self.found.config.model]

    async def _work(self, waiting: Iterator[Case], scope: anyio.CancelScope) -> None:
        for case in waiting:
            try:
                self.folder.append((await self._one(case)).model_dump(mode="json"))
            except IngrainedError as error:  # told once, and not as a group of errors
                self.failed = self.failed or error
                scope.cancel()
                return
            self._tell()
            if self._base.meter.stopped is not None:
                return  # nothing more is sent: the rest is left for the next run

    async def _one(self, case: Case) -> TraceShape:
        name, _ = method_of(case.method)
        writer, config = self.models[case.model].model, self.found.config
        asked = Asked(
            writer=writer,
            updater=self._base.model if name == "answer-only-rl" else writer,
            speaker=self.models[config.feedback_model].model if config.feedback_model else None,
        )
        return await run_case(
            case, self.methods[name], asked, rounds=config.rounds, drafts=self.found.drafts, seed=config.seed
        )

    def _tell(self) -> None:
        self.finished += 1
        if time.monotonic() - self.told >= _EVERY_S:
            self.told = time.monotonic()
            self.say(f"{self.finished}/{self.all} traces")


def traces_of(folder: RunFolder) -> list[TraceShape]:
    """The traces of a run so far.

    Raises:
        ConfigError: one cannot be read.
    """
    found: list[TraceShape] = []
    for line in folder.traces():
        try:
            found.append(TraceShape.model_validate_json(canonical_json(line)))
        except ValidationError as error:
            raise ConfigError(
                f"{folder.path}/traces.jsonl: the trace {line['key']} is of another version",
                hint="name a new folder with --out",
            ) from error
    return found
