"""What an attempt with tools did to its world, against what it should have done.

The checks are those of tau2-bench, written anew: the state after the trace's actions has the hash of the state after
the right ones (`database`); claims on the state are true (`environment`); each right action was taken (`action`); what
had to be told was told (`communicate`); claims in plain words are met (`assertions`, by the judge of rubrics). The
score is their product over the task's basis.

The decision to know: where a part is unscored so is the whole, also where another part has failed. Else only the failed
attempts of such a task would have a score. An attempt that ended by anything but its own word or the user's is worth 0,
as upstream. The trace's actions are carried out again in a new world: what it says of their results is not believed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from ingrained.harness.base import Action, By, Task, Trace, options_of
from ingrained.harness.world import World, use, world_of
from ingrained.model.base import Model
from ingrained.skill.rule import Frozen
from ingrained.verify.base import Checked, Verifier, known_as, unanswered
from ingrained.verify.judge import Case, checked, no_answer, opinions, told
from ingrained.verify.score import Outcome, Score, Unscored

Part = Literal["database", "environment", "action", "communicate", "assertions"]


class Wanted(Frozen):
    """An action that is right."""

    tool: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    by: By = "worker"
    compare: tuple[str, ...] | None = None
    """Of which arguments the values count; all of them by default, none where it is empty."""

    @property
    def action(self) -> Action:
        """It, taken."""
        return Action(tool=self.tool, arguments=self.arguments, by=self.by)

    def is_(self, action: Action) -> bool:
        """Whether an action is this one.

        Upstream compares the arguments of the call alone, so that one which leaves some out passes; here those count
        that either side names.
        """
        if action.tool != self.tool:
            return False
        names = self.arguments.keys() | action.arguments.keys() if self.compare is None else set(self.compare)
        return all(
            name in action.arguments and name in self.arguments and action.arguments[name] == self.arguments[name]
            for name in names
        )


class Known(BaseModel):
    """What `known` of a task holds for this verifier."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    basis: tuple[Part, ...] = Field(min_length=1)
    gold: tuple[Wanted, ...] = ()
    claims: tuple[dict[str, JsonValue], ...] = ()
    tell: tuple[str, ...] = ()
    assertions: tuple[str, ...] = ()


class Options(Frozen):
    """Of this verifier."""

    judged: bool = True
    """False: parts that need a judge are left out of the product."""


class Database:
    """Checks what was done. `judged` is false where parts that need a judge shall be left out of the product."""

    def __init__(self, judge: Model | None = None, *, judged: bool = True) -> None:
        self._judge, self._judged = judge, judged
        self._right: dict[str, str] = {}
        """Hash of the task: digest after its right actions."""

    async def check(self, task: Task, trace: Trace) -> Checked:
        """0 or 1; two calls of the judge for each 16 assertions.

        Raises:
            ConfigError: the task is none for this verifier.
            MissingExtraError: its world needs a package that is not installed.
            UnseenRequestError, IngrainedError: as `judge.opinions` and `judge.no_answer` say.
        """
        known = known_as(task, Known)
        if (none := unanswered(trace)) is not None:
            return Checked(outcome=none)
        if trace.stop != "answered":
            return Checked(outcome=Score(value=0.0), why=f"not finished: {trace.stop}, {trace.reason}")
        parts: dict[str, Outcome] = {}
        reasons: list[str] = []
        world = replayed(task, trace.actions)
        for part in known.basis:
            if part == "assertions" and not self._judged:
                continue
            wrong = await self._wrong(part, task, known, trace, world)
            parts[part] = wrong if isinstance(wrong, Unscored) else Score(value=float(not wrong))
            reasons += [] if isinstance(wrong, Unscored) else wrong
        return Checked(outcome=product(parts.values()), parts=parts, why="; ".join(reasons))

    async def _wrong(self, part: Part, task: Task, known: Known, trace: Trace, world: World) -> list[str] | Unscored:
        """What is wrong in a part; nothing where it is right."""
        match part:
            case "database":
                same = world.digest() == self._digest(task, known)
                return [] if same else ["the state is not the one that the right actions lead to"]
            case "environment":
                return [f"not true in the end: {_claim(one)}" for one in known.claims if not world.holds(one)]
            case "action":
                return [f"never called: {one.tool}" for one in known.gold if not any(map(one.is_, trace.actions))]
            case "communicate":
                return [f"never told: {one!r}" for one in known.tell if not _told(one, trace)]
            case "assertions":
                return await self._unmet(known, trace)

    def _digest(self, task: Task, known: Known) -> str:
        key = task.hash
        if key not in self._right:
            self._right[key] = replayed(task, [one.action for one in known.gold]).digest()
        return self._right[key]

    async def _unmet(self, known: Known, trace: Trace) -> list[str] | Unscored:
        if not known.assertions:
            return []
        if self._judge is None:
            return Unscored(reason="its assertions need a judge")
        (found,) = await opinions(self._judge, [Case(rubrics=known.assertions, answer=told(trace))])
        no_answer(found)
        outcomes = [one.outcome for one in found]
        unmet = [one for one, outcome in zip(known.assertions, outcomes, strict=True) if outcome == Score(value=0.0)]
        outcome = checked(outcomes).outcome
        return outcome if isinstance(outcome, Unscored) else [f"unmet: {one}" for one in unmet]


def database(judge: Model | None, options: Mapping[str, JsonValue], /) -> Verifier:
    """The verifier `database`; options as `Options` says.

    Raises:
        ConfigError: another option, or a wrong one.
    """
    return Database(judge, judged=options_of("verifier 'database'", Options, options).judged)


def replayed(task: Task, actions: Iterable[Action]) -> World:
    """A new world of the task after the actions, in their order; a failed one stays without effect of ours."""
    world = world_of(task)
    for action in actions:
        use(world, action.tool, action.arguments, action.by)
    return world


def product(parts: Iterable[Outcome]) -> Outcome:
    """The product; unscored, with every reason once, where any part is. Of no parts: 1, nothing was asked for."""
    found = list(parts)
    reasons = dict.fromkeys(part.reason for part in found if isinstance(part, Unscored))
    if reasons:
        return Unscored(reason="; ".join(reasons))
    return Score(value=float(all(part.value for part in found if isinstance(part, Score))))


def _told(text: str, trace: Trace) -> bool:
    """Whether the worker said something with the text in it; case and commas in numbers do not count."""
    said = [one.text.lower().replace(",", "") for one in trace.messages if one.role == "assistant"]
    return any(text.lower() in one for one in said)


def _claim(claim: Mapping[str, JsonValue]) -> str:
    return f"{claim.get('func_name')} {json.dumps(claim.get('arguments'), ensure_ascii=False)}"
