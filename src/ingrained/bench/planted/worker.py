"""The simulated worker of a planted world, with its budget, and who checks it."""

from __future__ import annotations

from typing import Final

from ingrained.bench.planted.world import World
from ingrained.errors import BudgetReachedError
from ingrained.harness.base import Rollout, Spent, Task, Trace
from ingrained.ids import content_hash
from ingrained.verify.base import Checked
from ingrained.verify.score import Score

DONE: Final = "done"


class Worker:
    """Succeeds with the chance that its skill gives it, so many times in all."""

    def __init__(self, world: World, budget: int) -> None:
        """Has done nothing yet.

        Args:
            world: whose tasks it does.
            budget: calls in all.
        """
        self._world = world
        self._budget = budget
        self.calls = 0
        """Calls so far."""

    @property
    def name(self) -> str:
        """What traces call it."""
        return "planted"

    @property
    def left(self) -> int:
        """Calls that are left."""
        return self._budget - self.calls

    def attempt(self, task: str, seed: int, skill: str) -> bool:
        """Whether it succeeds. One call.

        Raises:
            BudgetReachedError: there is none left.
        """
        if self.left <= 0:
            raise BudgetReachedError(f"the {self._budget} calls of the simulated worker are used up")
        self.calls += 1
        return self._world.succeeds(task, seed, skill)

    async def run(self, rollout: Rollout) -> Trace:
        """One attempt, as a harness makes it.

        Raises:
            BudgetReachedError: there is no call left.
        """
        done = self.attempt(rollout.task.id, rollout.seed, rollout.skill)
        return Trace(
            task=rollout.task.id,
            worker=self.name,
            skill=content_hash(rollout.skill),
            seed=rollout.seed,
            answer=DONE if done else "",
            stop="answered",
            spent=Spent(calls=1),
        )


class Foreman:
    """Knows the word for success."""

    async def check(self, task: Task, trace: Trace) -> Checked:  # noqa: ARG002 - the seam has it
        """1 for a piece of work that is done, else 0."""
        return Checked(outcome=Score(value=float(trace.answer == DONE)))


class Unkept:
    """A sink that keeps nothing: a simulation can be run again."""

    def put(self, record: object) -> None:  # the seam has it
        """Forget it."""
