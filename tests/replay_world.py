"""A simulated worker for tests of replays: whether it succeeds depends on which rules the skill holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import anyio.lowlevel

from ingrained.errors import BudgetReachedError
from ingrained.gate.candidate import Candidate
from ingrained.gate.records import Attempt, Compared, Judged, Record
from ingrained.harness.base import Rollout, Spent, Task, Trace
from ingrained.ids import content_hash
from ingrained.skill.edit import Create, Noop, Prune
from ingrained.skill.living import Living, opened
from ingrained.verify.base import Checked
from ingrained.verify.score import Score, Unscored

SKILL: Living = opened("# Style\n\n- Write short sentences.\n- Shout in capitals.\n")
GOOD, BAD, IDLE = "Name the unit of each number.", "Leave the last step out.", "Use the word table once."
EFFECTS: Mapping[str, float] = {GOOD: 0.6, BAD: -0.3, "Shout in capitals.": 0.0}


class KilledError(Exception):
    """The process is gone; no part of the program catches it."""


def tasks(many: int = 40, family: str = "f") -> list[Task]:
    return [Task(id=f"{family}{nth}", benchmark="made", family=family, request=f"Do {nth}.") for nth in range(many)]


def chance(skill: str, effects: Mapping[str, float] = EFFECTS) -> float:
    return min(1.0, max(0.0, 0.3 + sum(effect for rule, effect in effects.items() if rule in skill)))


def luck(rollout: Rollout) -> float:
    drawn = content_hash([rollout.task.id, rollout.seed, rollout.skill]).removeprefix("b2:")[:8]
    return int(drawn, 16) / 16**8


@dataclass
class Worker:
    """Succeeds with the chance that its skill gives; the same attempt always ends alike."""

    calls: list[tuple[str, str, int]] = field(default_factory=list)
    """Task, skill and seed, in the order in which attempts were started."""
    budget: int | None = None
    parks: Callable[[Rollout], bool] = lambda _: False
    flying: int = 0
    most: int = 0

    @property
    def name(self) -> str:
        return "made=up"

    async def run(self, rollout: Rollout) -> Trace:
        if self.budget is not None and len(self.calls) >= self.budget:
            raise BudgetReachedError(f"--max-calls {self.budget} is reached")
        self.calls.append((rollout.task.id, rollout.skill, rollout.seed))
        self.flying += 1
        self.most = max(self.most, self.flying)
        await anyio.lowlevel.checkpoint()
        self.flying -= 1
        parked = self.parks(rollout)
        return Trace(
            task=rollout.task.id,
            worker=self.name,
            skill=content_hash(rollout.skill),
            seed=rollout.seed,
            answer="" if parked else "right" if luck(rollout) < chance(rollout.skill) else "wrong",
            stop="parked" if parked else "answered",
            reason="the line was cut" if parked else "",
            spent=Spent(calls=1),
        )


@dataclass
class Checker:
    """Knows the word for success; has no opinion on some tasks."""

    silent: frozenset[str] = frozenset()
    asked: int = 0

    async def check(self, task: Task, trace: Trace) -> Checked:
        self.asked += 1
        if task.id in self.silent:
            return Checked(outcome=Unscored(reason="no state to compare"))
        return Checked(outcome=Score(value=float(trace.answer == "right")), why=f"it said {trace.answer}")


@dataclass
class Kept:
    """A sink in memory that survives the kill of who writes to it."""

    records: list[Record] = field(default_factory=list)
    dies_after: int | None = None

    def put(self, record: Record) -> None:
        if self.dies_after is not None and len(self.records) >= self.dies_after:
            raise KilledError
        self.records.append(record)

    @property
    def attempts(self) -> list[Attempt]:
        return [one for one in self.records if isinstance(one, Attempt)]

    @property
    def judged(self) -> list[Judged]:
        return [one for one in self.records if isinstance(one, Judged)]

    @property
    def pairs(self) -> list[Compared]:
        return [one for one in self.records if isinstance(one, Compared)]


def group(before: Living = SKILL) -> Sequence[Candidate]:
    shout = next(rule.id for rule in before.rules if rule.words.startswith("Shout"))
    return [
        *(
            Candidate.of(name, before, Create(target=("Style",), text=text))
            for name, text in (("good", GOOD), ("bad", BAD), ("idle", IDLE))
        ),
        Candidate.of("prune", before, Prune(target=shout)),
        Candidate.of("noop", before, Noop()),
        Candidate.of("lost", before, Prune(target="r-nowhere")),
    ]
