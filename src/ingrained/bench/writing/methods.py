"""The methods that are compared: what each shows the writing model, and what it keeps of feedback (section 5.1, B.2).

A method is one small function: at each request it is given what was said about the draft before (eq. 6) and answers
what the common prompt of eq. 1 shall show now. All of them use the same parts; none sees an annotation. The decision
to know: an answer that cannot be used (no JSON, cut off) leaves the skill as it is and is recorded, since it is the
policy's own failure; a call that never came back (quota, budget, connection) ends the trace, which is asked again.
"""

from __future__ import annotations

import tomllib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Final, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from ingrained.embed.lexical import signed_terms
from ingrained.errors import BudgetReachedError, ModelError
from ingrained.learn.grain import HISTORIES, Grain, Interaction, compose, decision, decompose, rule_lines
from ingrained.model.base import Completion, Model, Request, Sampling
from ingrained.model.prompt import Prompt
from ingrained.model.structured import Parked, Why, ask, parked_by, schema_of
from ingrained.registry import Registry

ADAPT: Final = Prompt.load("ingrained.bench.writing", "adapt")
PROFILE: Final = Prompt.load("ingrained.bench.writing", "profile")
UPDATE_SAMPLING: Final = Sampling(temperature=0.7, top_p=0.8, max_tokens=512)
"""Section 5.1; 512 tokens for an update of the skill."""
LOST: Final[frozenset[Why]] = frozenset({"rate", "quota", "budget", "failed"})
"""Ways to get no answer that say nothing about the model's answer."""

Decision: TypeAlias = Literal["KEEP", "UPDATE"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What a method may know before a request is answered."""

    task: str
    histories: tuple[str, ...]
    """H_u, the earliest first."""
    request: str
    """x_t, the one to be answered."""
    skill: tuple[str, ...] = ()
    """s_{t-1}; empty at first."""
    said: Interaction | None = None
    """About the draft before; None at first, and where the person had nothing to say."""
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """What the writing model is shown now."""

    history: tuple[str, ...]
    rules: tuple[str, ...] = ()
    skill: tuple[str, ...] = ()
    """s_t: what the method keeps; where it is not what is shown, a static text is."""
    decision: Decision | None = None
    """What became of the feedback; None where a method does not listen, or there was none."""
    atoms: tuple[Grain, ...] = ()
    prompt: str = ""
    """Hash of the prompt that was asked."""
    parked: Parked | None = None
    """Why the answer could not be used."""


Method: TypeAlias = Callable[[Model, Turn], Awaitable[Move | Parked]]
"""Raises nothing but what a run cannot go on with; `Parked` where no answer came at all."""

_HERE: Final = "ingrained.bench.writing.methods"
METHODS: Registry[Method] = Registry(
    "ingrained.writing_methods",
    {
        "no-skill": f"{_HERE}:no_skill",
        "general-skill": f"{_HERE}:general_skill",
        "adaptive-skill": f"{_HERE}:adaptive_skill",
        "no-history": f"{_HERE}:no_history",
        "user-profile": f"{_HERE}:user_profile",
        "rag-history": f"{_HERE}:rag_history",
        "feedback": f"{_HERE}:feedback",
        "atom-prompt": f"{_HERE}:atom_prompt",
        "sft": f"{_HERE}:adaptive_skill",
        "star": f"{_HERE}:adaptive_skill",
        "answer-only-rl": f"{_HERE}:adaptive_skill",
        "outcome-rl": f"{_HERE}:adaptive_skill",
        "rule-rl": f"{_HERE}:adaptive_skill",
        "skillgrain": f"{_HERE}:atom_prompt",
    },
)
TRAINED: Final = ("sft", "star", "answer-only-rl", "outcome-rl", "rule-rl", "skillgrain")
"""Protocols of trained policies: each needs the model that was trained, `skillgrain=PROVIDER:NAME`."""
UNTRAINED: Final = tuple(one.name for one in METHODS.entries() if one.source == "built-in" and one.name not in TRAINED)


async def no_skill(model: Model, turn: Turn) -> Move:  # noqa: ARG001 - one signature for all methods
    """Five texts and no rule."""
    return Move(history=turn.histories)


async def general_skill(model: Model, turn: Turn) -> Move:  # noqa: ARG001
    """One static text, the same for everybody."""
    return Move(history=turn.histories, rules=(general(turn.task),))


async def no_history(model: Model, turn: Turn) -> Move:  # noqa: ARG001
    """The static text alone."""
    return Move(history=(), rules=(general(turn.task),))


async def rag_history(model: Model, turn: Turn) -> Move:  # noqa: ARG001
    """The five texts, and of these the most similar one to the request once more."""
    return Move(history=(*turn.histories, *most_similar(turn.histories, turn.request)))


async def feedback(model: Model, turn: Turn) -> Move:  # noqa: ARG001
    """What was said, word by word, as rules."""
    if turn.said is None:
        return _kept(turn)
    whole = Grain(id="f1", content=turn.said.feedback, transferable=True, span=None, rewritten=False)
    return _updated(turn, [whole])


async def user_profile(model: Model, turn: Turn) -> Move | Parked:
    """A description of how the person writes, made once from the five texts. One call."""
    if turn.skill:
        return _kept(turn)
    request = Request(
        messages=PROFILE.messages(history=list(turn.histories)),
        sampling=_sampling(turn),
        prompt=PROFILE.hash,
    )
    answer = await completed(model, request)
    if isinstance(answer, Parked):
        return answer if answer.why in LOST else replace(_kept(turn), parked=answer, prompt=PROFILE.hash)
    profile = " ".join(answer.text.split())
    kept = (profile,) if profile else ()
    return Move(history=turn.histories, rules=kept, skill=kept, prompt=PROFILE.hash)


class Holistic(BaseModel):
    """KEEP, or UPDATE with one rule."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    decision: Decision
    rule: str = ""


async def adaptive_skill(model: Model, turn: Turn) -> Move | Parked:
    """The skill as one piece: KEEP, or one more rule. One call a round, two where the first answer is no use."""
    if turn.said is None:
        return _kept(turn)
    request = adapt_request(turn.said, sampling=_sampling(turn))
    found = await ask(model, request, Holistic, check=_one_rule)
    if isinstance(found, Parked):
        return _unusable(turn, found, request.prompt)
    rule = " ".join(found.value.rule.split()) if found.value.decision == "UPDATE" else ""
    atoms = [Grain(id="r1", content=rule, transferable=True, span=None, rewritten=True)] if rule else []
    return replace(_updated(turn, atoms), prompt=request.prompt)


def adapt_request(said: Interaction, *, sampling: Sampling = UPDATE_SAMPLING) -> Request:
    """The question for KEEP or UPDATE, eq. 2 without atoms."""
    messages = ADAPT.messages(
        history=list(said.history[:HISTORIES]),
        rules=rule_lines(said.rules),
        request=said.request,
        draft=said.draft,
        feedback=said.feedback,
    )
    return Request(messages=messages, sampling=sampling, schema=schema_of(Holistic), prompt=ADAPT.hash)


def _one_rule(answer: Holistic) -> str:
    return "UPDATE without a rule" if answer.decision == "UPDATE" and not answer.rule.strip() else ""


async def atom_prompt(model: Model, turn: Turn) -> Move | Parked:
    """Atoms with a decision each (eq. 7); those that transfer are appended (eq. 8). One call a round, at most two."""
    if turn.said is None:
        return _kept(turn)
    found = await decompose(model, turn.said, cite=False, sampling=_sampling(turn))
    if isinstance(found, Parked):
        return _unusable(turn, found, "")
    return _updated(turn, found.grains)


def _kept(turn: Turn) -> Move:
    """Nothing was said: the skill as it is."""
    return Move(history=turn.histories, rules=turn.skill, skill=turn.skill)


def _updated(turn: Turn, atoms: Sequence[Grain]) -> Move:
    skill = compose(turn.skill, atoms)
    return Move(history=turn.histories, rules=skill, skill=skill, decision=decision(atoms), atoms=tuple(atoms))


def _unusable(turn: Turn, parked: Parked, prompt: str) -> Move | Parked:
    if parked.why in LOST:
        return parked
    return replace(_kept(turn), decision="KEEP", parked=parked, prompt=prompt)


def _sampling(turn: Turn) -> Sampling:
    return replace(UPDATE_SAMPLING, seed=turn.seed)


async def completed(model: Model, request: Request) -> Completion | Parked:
    """One answer in words; an empty one is an answer too (the rubric gives it 0).

    Raises:
        UnseenRequestError: only stored answers are allowed, and there is none.
    """
    try:
        answer = await model.complete(request)
    except (ModelError, BudgetReachedError) as error:
        return parked_by(error)
    if answer.finish == "refused":
        return Parked(why="refused", reason="the model declined to answer", text=answer.text[:200], calls=1)
    return answer


def most_similar(texts: Sequence[str], request: str) -> tuple[str, ...]:
    """The text that shares most with the request: cosine of counts of content words; the first of equals."""
    if not texts:
        return ()
    asked = signed_terms(request)

    def cosine(text: str) -> float:
        own = signed_terms(text)
        norm = sum(value * value for value in own.values()) ** 0.5
        return sum(abs(value * asked.get(term, 0)) for term, value in own.items()) / norm if norm else 0.0

    return (max(texts, key=cosine),)


@cache
def _general() -> dict[str, str]:
    return tomllib.loads(files("ingrained.bench.writing").joinpath("general.toml").read_text(encoding="utf-8"))


def general(task: str) -> str:
    """The static text of a task; for a task of somebody else's the one for any."""
    return _general().get(task, _general()["any"])
