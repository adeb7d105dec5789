"""A language model as verifier: does an answer meet each of a task's rubrics?

The judge sees the rubrics and the answer, or the whole trace, and where asked for the request; never the skill, the
arm, the worker, or another answer. It is asked in two orders, rubrics and verdicts forward and both reversed, and gives
each rubric a verdict of a closed set. The decision to know: a verdict counts where both orders give the same one; a
disagreement, "cannot tell", and whatever is no verdict leave the rubric unscored. All rubrics have to be met (the rule
of CL-bench), so that one that is surely not met is a 0 whatever is open beside it; the share of met rubrics is the soft
score.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Final, Literal, TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, JsonValue, StrictBool, WithJsonSchema

from ingrained.errors import BudgetReachedError, ConfigError, ModelQuotaError
from ingrained.harness.base import Task, Trace, options_of
from ingrained.ids import normal_text
from ingrained.model.base import Model, Request, Sampling
from ingrained.model.prompt import Prompt
from ingrained.model.structured import Answered, Parked, Why, ask_each, schema_of
from ingrained.skill.rule import Frozen
from ingrained.verify.base import Checked, Verifier, unanswered
from ingrained.verify.score import Outcome, Score, Unscored, mean

Verdict: TypeAlias = Literal["met", "not met", "cannot tell"]
VERDICTS: Final[tuple[Verdict, ...]] = get_args(Verdict)
Sees: TypeAlias = Literal["answer", "trace"]

JUDGE: Final = Prompt.load("ingrained.verify", "judge")
AT_ONCE: Final = 16
"""Rubrics in one question. CL-bench has 3 to 114 a task."""
SHARE_MET: Final = "share met"
"""The name of the soft score among the parts."""
_TOKENS_EACH, _TOKENS_ELSE = 24, 256
_REASONS: Final = 3


class Line(BaseModel):
    """The verdict on one rubric."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    rubric: int
    """Its number in the question, from 1."""
    verdict: Annotated[str, WithJsonSchema({"type": "string", "enum": list(VERDICTS)})]
    """Any words are read, so that one odd verdict does not spoil the others; none but the three counts."""


class Lines(BaseModel):
    """What the judge writes. Of two lines on one rubric the last one counts."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    verdicts: list[Line]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Something to judge."""

    rubrics: tuple[str, ...]
    answer: str
    request: str = ""
    """Empty: the judge does not see it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """What the judge says of one rubric in both orders; `None`: no verdict of the set, and why."""

    forward: Verdict | None = None
    backward: Verdict | None = None
    reason: str = ""
    lost: Why | None = None
    """Why no answer came that could be read, where that is the reason."""

    @property
    def agreed(self) -> Verdict | None:
        """The verdict that both orders give."""
        return self.forward if self.forward == self.backward else None

    @property
    def outcome(self) -> Outcome:
        """1, 0, or why neither."""
        if self.agreed in {"met", "not met"}:
            return Score(value=float(self.agreed == "met"))
        if self.forward is None or self.backward is None:
            return Unscored(reason=self.reason or "the judge gave no verdict of the set")
        if self.agreed:
            return Unscored(reason="the judge cannot tell")
        return Unscored(reason=f"the judge says {self.forward!r}, and {self.backward!r} in the other order")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    case: int
    order: Literal["forward", "backward"]
    places: tuple[int, ...]
    """Of the rubrics in the case, as they are numbered in the question."""
    request: Request


async def opinions(judge: Model, cases: Sequence[Case]) -> list[tuple[Opinion, ...]]:
    """The judge's opinion of every rubric of every case. Cost: two calls for each 16 rubrics, at most four.

    Raises:
        UnseenRequestError: only stored answers are allowed, and one is missing.
        IngrainedError: nobody can be asked at all.
    """
    asked = [one for place, case in enumerate(cases) for one in _questions(place, case)]
    came = await ask_each(judge, [one.request for one in asked], Lines)
    said: dict[tuple[int, str, int], Verdict] = {}
    lost: dict[tuple[int, int], Parked] = {}
    for one, answer in zip(asked, came, strict=True):
        for place, verdict in zip(one.places, _read(answer, len(one.places)), strict=True):
            if verdict is not None:
                said[one.case, one.order, place] = verdict
            elif isinstance(answer, Parked):
                lost[one.case, place] = answer
    return [
        tuple(
            _opinion(said.get((place, "forward", nth)), said.get((place, "backward", nth)), lost.get((place, nth)))
            for nth in range(len(case.rubrics))
        )
        for place, case in enumerate(cases)
    ]


def _opinion(forward: Verdict | None, backward: Verdict | None, lost: Parked | None) -> Opinion:
    if lost is None:
        return Opinion(forward=forward, backward=backward)
    why = f"the judge gave no usable answer: {lost.reason}"
    return Opinion(forward=forward, backward=backward, reason=why, lost=lost.why)


def no_answer(found: Sequence[Opinion]) -> bool:
    """Whether an answer of the judge never came, so that another attempt may get it.

    Raises:
        BudgetReachedError, ModelQuotaError: a cap or a quota was in the way; nothing is known then.
    """
    for one in found:
        if one.lost == "budget":
            raise BudgetReachedError(one.reason, hint="raise the cap and run the same command again")
        if one.lost == "quota":
            raise ModelQuotaError(one.reason, hint="wait for the quota, or name another judge")
    return any(one.lost in {"failed", "rate"} for one in found)


def requests(cases: Sequence[Case]) -> list[Request]:
    """What `opinions` asks, to be priced beforehand."""
    return [one.request for place, case in enumerate(cases) for one in _questions(place, case)]


def _questions(place: int, case: Case) -> list[_Question]:
    forward = tuple(range(len(case.rubrics)))
    return [
        _Question(case=place, order=order, places=part, request=_request(case, part, verdicts))
        for order, places, verdicts in (("forward", forward, VERDICTS), ("backward", forward[::-1], VERDICTS[::-1]))
        for part in (places[begin : begin + AT_ONCE] for begin in range(0, len(places), AT_ONCE))
    ]


def _request(case: Case, places: Sequence[int], verdicts: Sequence[Verdict]) -> Request:
    numbered = "\n".join(f"{nth}. {normal_text(case.rubrics[place])}" for nth, place in enumerate(places, start=1))
    return Request(
        messages=JUDGE.messages(rubrics=numbered, verdicts=list(verdicts), answer=case.answer, request=case.request),
        sampling=Sampling(max_tokens=_TOKENS_ELSE + _TOKENS_EACH * len(places)),
        schema=schema_of(Lines),
        prompt=JUDGE.hash,
    )


def _read(answer: Answered[Lines] | Parked, n: int) -> list[Verdict | None]:
    """The verdicts by number; `None` where there is none of the set."""
    if isinstance(answer, Parked):
        return [None] * n
    last = {line.rubric: " ".join(line.verdict.casefold().replace("_", " ").split()) for line in answer.value.verdicts}
    return [next((one for one in VERDICTS if one == last.get(number)), None) for number in range(1, n + 1)]


class Options(Frozen):
    """Of the verifier."""

    sees: Sees = "answer"
    """What of an attempt the judge reads."""
    request: StrictBool = False
    """Whether it also reads what was asked."""
    soft: StrictBool = False
    """Whether the score is the share of met rubrics."""


class RubricJudge:
    """Checks traces of tasks whose `known.rubrics` says what an answer has to do."""

    def __init__(self, judge: Model, *, sees: Sees = "answer", request: bool = False, soft: bool = False) -> None:
        self._judge = judge
        self._sees = sees
        self._request = request
        self._soft = soft

    async def check(self, task: Task, trace: Trace) -> Checked:
        """1 where all rubrics are met, 0 where one is not, else unscored; with `soft` the share that is met.

        An empty answer is a 0, and nobody is asked. The parts are the rubrics by number, and `share met`.

        Raises:
            ConfigError: the task has no rubrics.
            UnseenRequestError, IngrainedError: as `opinions` says.
            BudgetReachedError, ModelQuotaError: as `no_answer` says.
        """
        rubrics = rubrics_of(task)
        if (none := unanswered(trace)) is not None:
            return Checked(outcome=none)
        if not trace.answer.strip():
            return Checked(outcome=Score(value=0.0), parts={SHARE_MET: Score(value=0.0)}, why="the answer is empty")
        case = Case(
            rubrics=rubrics,
            answer=trace.answer if self._sees == "answer" else told(trace),
            request=task.request if self._request else "",
        )
        (found,) = await opinions(self._judge, [case])
        return replace(checked([one.outcome for one in found], soft=self._soft), lost=no_answer(found))


def checked(outcomes: Sequence[Outcome], *, soft: bool = False) -> Checked:
    """What the outcomes of a task's rubrics come to, in their order."""
    share = mean(outcomes)
    unmet = [number for number, one in enumerate(outcomes, start=1) if one == Score(value=0.0)]
    unscored = [one.reason for one in outcomes if isinstance(one, Unscored)]
    every: Outcome = Score(value=0.0) if unmet else share
    why = f"{len(outcomes) - len(unmet) - len(unscored)} of {len(outcomes)} rubrics met"
    if unmet:
        why += f", not met: {', '.join(map(str, unmet))}"
    if unscored:
        why += f", {len(unscored)} unscored ({'; '.join(list(dict.fromkeys(unscored))[:_REASONS])})"
    parts = {f"rubric {number}": one for number, one in enumerate(outcomes, start=1)} | {SHARE_MET: share}
    return Checked(outcome=share if soft else every, parts=parts, why=why)


def rubric_judge(judge: Model | None, options: Mapping[str, JsonValue], /) -> Verifier:
    """The verifier `rubrics`; options: `sees` (`answer`, `trace`), `request` and `soft` (true or false).

    Raises:
        ConfigError: an option is unknown or wrong, or no judge is named.
    """
    chosen = options_of("verifier 'rubrics'", Options, options)
    if judge is None:
        raise ConfigError(
            "the verifier 'rubrics' asks a model, and none is named", hint="name it as rubrics=PROVIDER:NAME"
        )
    return RubricJudge(judge, sees=chosen.sees, request=chosen.request, soft=chosen.soft)


def rubrics_of(task: Task) -> tuple[str, ...]:
    """The rubrics of a task.

    Raises:
        ConfigError: it has none, or one is no text.
    """
    given = task.known.get("rubrics")
    if not isinstance(given, list) or not given or not all(isinstance(one, str) and one.strip() for one in given):
        raise ConfigError(
            f"task {task.id!r}: known.rubrics is {given!r}; it has to be a list of texts, and not empty"[:300],
            hint="a task without rubrics needs another verifier: ingrained plugins verifier lists them",
        )
    return tuple(str(one) for one in given)


def told(trace: Trace) -> str:
    """All that was said and done, for rubrics about how an answer came about."""
    said = [f"{one.role}: {one.text}" for one in trace.messages]
    done = [f"{one.by} called {one.tool}({one.arguments}): {one.result}" for one in trace.actions]
    return "\n\n".join([*said, *done, f"In the end: {trace.answer}"])
