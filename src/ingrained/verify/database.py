"""What an attempt with tools did to its world, against what it should have done.

The checks are those of tau2-bench, written anew: the state after the trace's actions has the hash of the state after
the right ones (`database`); claims on the state are true (`environment`); each right action was taken (`action`); what
had to be told was told (`communicate`); claims in plain words are met (`assertions`, by a judge). The score is their
product over the task's basis.

The decision to know: where a part is unscored so is the whole, also where another part has failed. Else only the failed
attempts of such a task would have a score. An attempt that ended by anything but its own word or the user's is worth 0,
as upstream. The trace's actions are carried out again in a new world: what it says of their results is not believed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from ingrained.errors import ConfigError
from ingrained.harness.base import Action, By, Task, Trace
from ingrained.harness.world import World, use, world_of
from ingrained.model.base import Model, Request, Sampling
from ingrained.model.prompt import Prompt
from ingrained.model.structured import Parked, ask
from ingrained.verify.base import Checked, Verifier, unanswered
from ingrained.verify.score import Outcome, Score, Unscored

Part = Literal["database", "environment", "action", "communicate", "assertions"]
JUDGE: Final = Prompt.load("ingrained.verify", "assertions")


class Wanted(BaseModel):
    """An action that is right."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tool: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    by: By = "worker"
    compare: tuple[str, ...] | None = None
    """Of which arguments the values count; all of them by default, none where it is empty."""

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

    @classmethod
    def of(cls, task: Task) -> Known:
        """That of a task.

        Raises:
            ConfigError: it is none for this verifier.
        """
        try:
            return cls.model_validate(task.known)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in ("known", *first["loc"]))
            raise ConfigError(f"task {task.id!r}: {place}: {first['msg']}") from error


class Database:
    """Checks what was done. `judged` is false where parts that need a judge shall be left out of the product."""

    def __init__(self, judge: Model | None = None, *, judged: bool = True) -> None:
        self._judge, self._judged = judge, judged
        self._right: dict[str, str] = {}
        """Hash of the task: digest after its right actions."""

    async def check(self, task: Task, trace: Trace) -> Checked:
        """0 or 1; one call of the judge for a task with assertions.

        Raises:
            ConfigError: the task is none for this verifier.
            MissingExtraError: its world needs a package that is not installed.
            BudgetReachedError, UnseenRequestError, IngrainedError: the judge cannot be asked.
        """
        known = Known.of(task)
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
        if task.hash not in self._right:
            right = [Action(tool=one.tool, arguments=one.arguments, by=one.by) for one in known.gold]
            self._right[task.hash] = replayed(task, right).digest()
        return self._right[task.hash]

    async def _unmet(self, known: Known, trace: Trace) -> list[str] | Unscored:
        if not known.assertions:
            return []
        if self._judge is None:
            return Unscored(reason="its assertions need a judge")
        request = judge_request(known, trace)
        came = await ask(self._judge, request, _Verdicts, check=lambda one: one.problem(len(known.assertions)))
        if isinstance(came, Parked):
            return Unscored(reason=f"the judge gave no verdict: {came.reason}")
        verdicts = {one.number: one.verdict for one in came.value.verdicts}
        if "unclear" in verdicts.values():
            return Unscored(reason="the judge found an assertion unclear")
        return [f"unmet: {known.assertions[n - 1]}" for n, verdict in sorted(verdicts.items()) if verdict == "unmet"]


class _Verdict(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    number: int
    verdict: Literal["met", "unmet", "unclear"]


class _Verdicts(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)

    verdicts: tuple[_Verdict, ...]

    def problem(self, wanted: int) -> str:
        numbers = sorted(one.number for one in self.verdicts)
        return "" if numbers == list(range(1, wanted + 1)) else f"verdicts: one for each claim from 1 to {wanted}"


def database(judge: Model | None, options: Mapping[str, JsonValue], /) -> Verifier:
    """The verifier `database`; option: `judged`, false to leave out what needs a judge."""
    return Database(judge, judged=options.get("judged", True) is not False)


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


def judge_request(known: Known, trace: Trace) -> Request:
    """What a judge reads: what was said and done and the claims; neither the skill nor the worker's name."""
    messages = JUDGE.messages(
        claims=list(known.assertions),
        messages=[one.model_dump() for one in trace.messages if one.role != "system"],
        actions=[
            {**one.model_dump(), "arguments": json.dumps(one.arguments, ensure_ascii=False)} for one in trace.actions
        ],
    )
    return Request(messages=messages, sampling=Sampling(max_tokens=1024), prompt=JUDGE.hash)


def _told(text: str, trace: Trace) -> bool:
    """Whether the worker said something with the text in it; case and commas in numbers do not count."""
    said = [one.text.lower().replace(",", "") for one in trace.messages if one.role == "assistant"]
    return any(text.lower() in one for one in said)


def _claim(claim: Mapping[str, JsonValue]) -> str:
    return f"{claim.get('func_name')} {json.dumps(claim.get('arguments'), ensure_ascii=False)}"
