"""Who does what in a run of `evolve`: worker, editor and judge, each model opened once, and what they may cost.

The decision to know: all of them share one meter, so that a cap is one on the run; and what is told beforehand is the
most that may be asked, every edit replayed to the cap of its plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Final

from ingrained.bench.evolve.prepared import EvolveConfig, verifier_of
from ingrained.bench.spending import Spending
from ingrained.gate.records import FolderSink
from ingrained.gate.replay import Stage
from ingrained.gate.screen import Screen, expected
from ingrained.harness.base import HARNESSES, Rollout, Task, worker_of
from ingrained.harness.chat import chat_request
from ingrained.model.base import Request
from ingrained.model.limits import Meter
from ingrained.model.opened import OpenModel, opened
from ingrained.store.run import RunFolder
from ingrained.verify.base import VERIFIERS
from ingrained.verify.judge import Case, rubrics_of
from ingrained.verify.judge import requests as judge_requests

RUBRICS: Final = "rubrics"


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """The models of a run and what stands on them."""

    stage: Stage
    editor: OpenModel
    worker: OpenModel
    judge: OpenModel | None
    reader: OpenModel | None
    """Who reads edits before they are replayed."""
    rubrics: bool
    """Whether it is the judge that is asked about each attempt."""

    @property
    def screen(self) -> Screen | None:
        """What reads edits before they are replayed."""
        return None if self.reader is None else Screen(self.reader.model)

    def agree(
        self, spending: Spending, *, tasks: Sequence[Task], skill: str, attempts: int, proposals: Sequence[Request] = ()
    ) -> None:
        """Say what may be asked at most, and ask: once a model. As if each attempt were plain chat."""
        chats = _repeated([chat_request(Rollout(task=task, skill=skill)) for task in tasks], attempts)
        asked: dict[int, tuple[OpenModel, list[Request]]] = {}
        for model, requests in (
            (self.worker, chats),
            (self.editor, list(proposals)),
            (self.reader, expected(len(proposals))),
            (self.judge, self._judged(tasks, attempts)),
        ):
            if model is not None and requests:
                asked.setdefault(id(model), (model, []))[1].extend(requests)
        for model, requests in asked.values():
            if len(asked) > 1:
                spending.say(f"{' and '.join(self._roles(model))}:")
            spending.agree(model, requests)

    def _roles(self, model: OpenModel) -> list[str]:
        roles = {"worker": self.worker, "editor": self.editor, "screen": self.reader, "judge": self.judge}
        return [role for role, one in roles.items() if one is model]

    def _judged(self, tasks: Sequence[Task], attempts: int) -> list[Request]:
        if not self.rubrics:
            return []
        each = [_judged(task) for task in tasks]
        return [one for nth in range(attempts) for one in each[nth % len(each)]]


async def opened_for(
    config: EvolveConfig, folder: RunFolder, spending: Spending, meter: Meter, stack: AsyncExitStack
) -> Open:
    """Open worker, editor and judge under one meter, each model once.

    Raises:
        ConfigError, MissingExtraError: as `opened` and the makers of worker and verifier say.
    """
    models: dict[str, OpenModel] = {}

    async def model(reference: str) -> OpenModel:
        if reference not in models:
            models[reference] = await stack.enter_async_context(
                opened(reference, home=spending.home, caps=spending.caps, meter=meter)
            )
        return models[reference]

    harness, worker = worker_of(config.worker)
    verifier, judge = verifier_of(config.verifier)
    working = await model(worker)
    judging = await model(judge) if judge else None
    return Open(
        stage=Stage(
            harness=HARNESSES.load(harness)(working.model, config.worker_options),
            verifier=VERIFIERS.load(verifier)(judging.model if judging else None, config.verifier_options),
            sink=FolderSink(folder),
            slots=max(1, working.model.facts.slots),
        ),
        editor=await model(config.editor),
        worker=working,
        judge=judging,
        reader=await model(config.screen) if config.screen else None,
        rubrics=verifier == RUBRICS,
    )


def _repeated(requests: Sequence[Request], most: int) -> list[Request]:
    return [requests[nth % len(requests)] for nth in range(most)] if requests else []


def _judged(task: Task) -> list[Request]:
    """What a judge of rubrics is asked about an attempt; the attempt itself, which is read too, is not known yet."""
    return judge_requests([Case(rubrics=rubrics_of(task), answer="")])
