"""The arm `gepa`: gepa 0.1.4 itself, as it is installed, over a planted world.

Its loop, acceptance, choice of parents and Pareto front are its own, with its defaults; from here come the tasks, half
to train on and half to validate, and one edit of the simulated editor a step. The decision to know: it is held to the
same budget at the very call, where its own count stops only between steps; the candidate with the best mean on the
validation tasks so far is what it has then, which is what it would return.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any, Final

from ingrained.bench.planted.editor import LotEditor
from ingrained.bench.planted.worker import Worker
from ingrained.bench.planted.world import World, lots, read
from ingrained.errors import BudgetReachedError, MissingExtraError
from ingrained.harness.base import Task
from ingrained.skill.apply import apply, problem
from ingrained.skill.edit import Noop
from ingrained.skill.living import Living

VERSION: Final = "0.1.4"
INSTALL: Final = f"pip install --no-deps gepa=={VERSION}"
_SKILL: Final = "skill"
"""The one component of a candidate."""


def by_gepa(world: World, worker: Worker, editor: LotEditor) -> Living:
    """What gepa makes of the first skill with the calls of a worker.

    Raises:
        MissingExtraError: gepa is not installed, or not in the version that was read.
    """
    optimize = _gepa().optimize
    adapter = _Adapter(world, worker, editor)
    best = _Best(world.start.text)
    shuffled = lots("split", world.seed).sample(world.tasks, len(world.tasks))
    half = len(shuffled) // 2
    with suppress(BudgetReachedError):
        optimize(
            seed_candidate={_SKILL: world.start.text},
            trainset=shuffled[:half],
            valset=shuffled[half:],
            adapter=adapter,
            custom_candidate_proposer=adapter.proposed,
            max_metric_calls=worker.left,
            callbacks=[best],
            logger=_Silent(),
            seed=world.seed,
            raise_on_exception=True,
        )
    return read(best.text)


def absent() -> str:
    """Why gepa cannot be run, and what to do; empty where it can."""
    try:
        found = version("gepa") if find_spec("gepa") else ""
    except PackageNotFoundError:
        found = ""
    if found == VERSION:
        return ""
    return f"version {found} is installed, not {VERSION}: {INSTALL}" if found else f"not installed: {INSTALL}"


def _gepa() -> Any:  # a package that may be absent
    if why := absent():
        raise MissingExtraError(f"the method 'gepa' needs the package gepa: {why}", hint=INSTALL)
    return import_module("gepa")


class _Silent:
    def log(self, message: str) -> None:
        """Nobody reads along."""


class _Best:
    """Hears of each candidate that was validated; keeps the first of the best ones."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._score = -1.0

    def on_valset_evaluated(self, event: Mapping[str, Any]) -> None:
        if event["average_score"] > self._score:
            self.text, self._score = event["candidate"][_SKILL], event["average_score"]


class _Adapter:
    """How gepa runs tasks of a world."""

    propose_new_texts: None = None

    def __init__(self, world: World, worker: Worker, editor: LotEditor) -> None:
        self._units = world.units
        self._worker = worker
        self._editor = editor
        self._step = 0
        self._tried: dict[tuple[str, str], int] = {}
        self._batch = import_module("gepa.core.adapter").EvaluationBatch

    def evaluate(self, batch: Sequence[Task], candidate: Mapping[str, str], capture_traces: bool = False) -> Any:
        """One call a task, each with a luck of its own."""
        scores = [float(self._attempt(task.id, candidate[_SKILL])) for task in batch]
        said = [{"task": task.request, "score": score} for task, score in zip(batch, scores, strict=True)]
        return self._batch(outputs=scores, scores=scores, trajectories=said if capture_traces else None)

    def _attempt(self, task: str, skill: str) -> bool:
        seed = self._tried[task, skill] = self._tried.get((task, skill), -1) + 1
        return self._worker.attempt(task, seed, skill)

    def make_reflective_dataset(
        self,
        candidate: Mapping[str, str],  # noqa: ARG002 - gepa says what is given
        eval_batch: Any,
        components_to_update: Sequence[str],
    ) -> dict[str, list[dict[str, Any]]]:
        """What was tried; the evidence itself goes to the editor."""
        return {name: list(eval_batch.trajectories) for name in components_to_update}

    def proposed(
        self,
        candidate: Mapping[str, str],
        reflective_dataset: Mapping[str, Sequence[Mapping[str, Any]]],  # noqa: ARG002 - gepa says what is given
        components_to_update: Sequence[str],  # noqa: ARG002 - there is one
    ) -> dict[str, str]:
        """One edit for the next unit of evidence; nothing where it changes nothing or does not fit."""
        living = read(candidate[_SKILL])
        edit = self._editor.one(living, self._units[self._step % len(self._units)])
        self._step += 1
        if isinstance(edit, Noop) or problem(living, edit):
            return {}
        return {_SKILL: apply(living, edit).text}
