"""One case: adaptation rounds (draft, diagnosis, feedback, update), then the held-out request (section 5.4).

The same prompt, sampling and feedback for all methods; they differ in what the prompt shows. The decision to know: in a
share of the rounds (`KEEP_SHARE`), drawn by the seed of the data, the draft is a text in the author's style instead of
the model's, so that its feedback asks for terms alone and KEEP is tested however well the model writes. The draw is the
same for all methods.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Literal

from ingrained.bench.writing.annotate import Annotation
from ingrained.bench.writing.contexts import Built, Context, Round
from ingrained.bench.writing.diagnosis import Diagnosis, diagnosed
from ingrained.bench.writing.drafts import in_style
from ingrained.bench.writing.hidden import reveal
from ingrained.bench.writing.methods import Method, Move, Turn, completed
from ingrained.bench.writing.phrases import Wish, feedback
from ingrained.bench.writing.trace import (
    AtomShape,
    FollowedShape,
    ParkedShape,
    RewardShape,
    Scores,
    StepShape,
    TargetShape,
    TraceShape,
    UpdateShape,
)
from ingrained.bench.writing.unseen import taught
from ingrained.bench.writing.verbalise import Said, template, verbalise
from ingrained.errors import BudgetReachedError, ModelError
from ingrained.ids import content_hash
from ingrained.learn.grain import HISTORIES, WRITE_SAMPLING, Interaction, write_request
from ingrained.model.base import Completion, Message, Model, Request, Sampling
from ingrained.model.structured import Parked, parked_by
from ingrained.verify.align import omission
from ingrained.verify.stated import reward
from ingrained.verify.unseen import UnseenPreference, followed

SPEAK_SAMPLING = Sampling(max_tokens=256)
"""Likeliest tokens: the model that puts targets into words is fixed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What one trace is of."""

    context: Context
    method: str
    """As it was named, with its own model where it has one."""
    model: str
    seed: int
    preference: UnseenPreference | None = None
    """Taught in place of what the rubric finds."""

    @property
    def key(self) -> str:
        """Identity in a run."""
        more = [] if self.preference is None else [self.preference]
        return content_hash([self.context.id, self.method, self.seed, *more])

    def read(self, one: Round, draft: str, seed: int) -> Diagnosis:
        """What is found in a text for one of its requests, and what is said of it (eq. 4, or `unseen.taught`)."""
        found = diagnosed(one.request, draft, reveal(one.annotation))
        if self.preference is None:
            return found
        found = replace(found, followed=followed(draft, self.preference))
        return found if one is self.context.held_out else taught(found, self.preference, one, draft, seed=seed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Who writes and who updates the skill, mostly the same model; and who puts the targets into words."""

    writer: Model
    updater: Model
    speaker: Model | None = None
    """None: the templates do (`phrases`)."""


@dataclass(slots=True)
class _Going:
    """A trace that is being made."""

    case: Case
    words: int
    """Seed of the words of the feedback."""
    steps: list[StepShape] = field(default_factory=list)
    skill: tuple[str, ...] = ()
    said: Interaction | None = None
    """What was said last, None where nothing was; and what it was said of."""
    heard: Diagnosis | None = None
    unusable: list[ParkedShape] = field(default_factory=list)

    def ended(self, parked: ParkedShape | None = None) -> TraceShape:
        return TraceShape(
            key=self.case.key,
            task=self.case.context.task,
            context=self.case.context.id,
            author=self.case.context.author,
            method=self.case.method,
            model=self.case.model,
            seed=self.case.seed,
            preference=self.case.preference,
            stop="done" if parked is None else "parked",
            parked=parked,
            skill=self.skill,
            steps=tuple(self.steps),
            unusable=tuple(self.unusable),
        )


def styled(built: Built, *, share: float, seed: int) -> dict[str, str]:
    """By the key of its request, the draft of each round that gets one in the author's style.

    Only rounds whose author has a text without a wrong preference can be drawn; the share is of all rounds.
    """
    rounds = [(context, one) for context in built.contexts for one in context.rounds]
    wanted = round(share * len(rounds))
    order = Random(content_hash([seed, "keep"])).sample(rounds, len(rounds))  # noqa: S311 - drawn to be repeated
    found: dict[str, str] = {}
    for context, one in order:
        if len(found) == wanted:
            break
        text = in_style(built, context, one, seed)
        if not diagnosed(one.request, text, reveal(one.annotation)).transfers:
            found[one.key] = text
    return found


async def run_case(
    case: Case, method: Method, asked: Asked, *, rounds: int, drafts: Mapping[str, str], seed: int = 0
) -> TraceShape:
    """One trace. Cost: a draft a round and one for the held-out request, and what the method asks.

    Args:
        case: what it is of.
        method: what it is run under.
        asked: the models.
        rounds: adaptation rounds, from 0 to what the context has.
        drafts: those of `styled`.
        seed: of the words of the feedback.

    Raises:
        UnseenRequestError: only stored answers are allowed, and there is none.
        IngrainedError: no model can be asked at all.
    """
    going, context = _Going(case, seed), case.context
    histories = tuple(one.text for one in context.histories)
    for number, one in enumerate([*context.rounds[:rounds], context.held_out], start=1):
        turn = Turn(
            task=context.task,
            histories=histories,
            request=one.request,
            skill=going.skill,
            said=going.said,
            seed=case.seed,
        )
        move = await method(asked.updater, turn)
        if isinstance(move, Parked):
            return going.ended(_parked(move, "update", number - 1))
        if move.parked is not None:
            going.unusable.append(_parked(move.parked, "update", number - 1))
        _learned(going, move, context.rounds[number - 2] if number > 1 else None)
        step = await _answered(going, move, one, asked.writer, number, drafts)
        if isinstance(step, ParkedShape):
            return going.ended(step)
        found = case.read(one, step.text, seed)
        said = await _told(step, one, found, going, asked.speaker)
        if isinstance(said, Parked):
            return going.ended(_parked(said, "feedback", number))
        going.steps.append(said)
        going.said = going.heard = None
        if said.feedback:
            going.heard = found
            going.said = Interaction(
                feedback=said.feedback, request=one.request, draft=step.text, history=histories, rules=move.skill
            )
    return going.ended()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Drafted:
    """A text for a request, not yet looked at."""

    number: int
    text: str
    request: Request | None = None
    cut: bool = False


async def _answered(
    going: _Going, move: Move, one: Round, writer: Model, number: int, drafts: Mapping[str, str]
) -> _Drafted | ParkedShape:
    last = one is going.case.context.held_out
    if not last and one.key in drafts:
        return _Drafted(number=number, text=drafts[one.key])
    request = draft_request(move.history, move.rules, one.request, seed=going.case.seed)
    answer = await completed(writer, request)
    if isinstance(answer, Completion):
        return _Drafted(number=number, text=answer.text.strip(), request=request, cut=answer.finish == "length")
    return _parked(answer, "draft", number)


def draft_request(history: Sequence[str], rules: Sequence[str], request: str, *, seed: int) -> Request:
    """Eq. 1 with the sampling of section 5.1; two methods that show the same ask the same, and share the answer."""
    sampling = replace(WRITE_SAMPLING, seed=0)
    return write_request(history, rules, request, sampling=sampling, sample=seed, most=HISTORIES + 1)


async def _told(
    drafted: _Drafted, one: Round, found: Diagnosis, going: _Going, speaker: Model | None
) -> StepShape | Parked:
    """The step, with what the person says about the draft; nothing after the held-out one."""
    last = one is going.case.context.held_out
    said = ("", "") if last or not found.wishes else await spoken(found.wishes, speaker, going.words)
    if isinstance(said, Parked):
        return said
    request = drafted.request
    return StepShape(
        round=drafted.number,
        request=one.key,
        source="style" if request is None else "model",
        prompt="" if request is None else request.prompt,
        messages="" if request is None else messages_hash(request),
        cut=drafted.cut,
        text=drafted.text,
        scores=Scores.of(found.score),
        targets=tuple(TargetShape.of(target) for target in found.targets),
        feedback=said[0],
        spoken=said[1],
        followed=None if found.followed is None else FollowedShape.of(found.followed),
    )


async def spoken(
    wishes: Sequence[Wish], speaker: Model | None, seed: int
) -> tuple[str, Literal["", "template", "model"]] | Parked:
    """Eq. 5: the wishes in words, by a fixed model or by the templates, which stand in for an answer of no use."""
    if speaker is not None:
        asking = speaker

        async def ask(text: str) -> str:
            messages = (Message(role="user", text=text),)
            request = Request(messages=messages, sampling=SPEAK_SAMPLING, prompt=content_hash(template()))
            return (await asking.complete(request)).text

        try:
            found = await verbalise(wishes, ask)
        except (ModelError, BudgetReachedError) as error:
            return parked_by(error)
        if isinstance(found, Said):
            return found.text, "model"
    return feedback(wishes, seed=seed), "template"


def messages_hash(request: Request) -> str:
    """Content hash of what a model reads."""
    return content_hash([[one.role, one.text] for one in request.messages])


def _learned(going: _Going, move: Move, one: Round | None) -> None:
    """Write what became of the feedback into the step that it was about."""
    before, going.skill = going.skill, move.skill
    if one is None or move.decision is None or going.heard is None:
        return
    going.steps[-1] = going.steps[-1].model_copy(
        update={"update": _update(move, going.heard, before, reveal(one.annotation))}
    )


def _update(move: Move, found: Diagnosis, before: tuple[str, ...], known: Annotation) -> UpdateShape:
    added = None if move.parked is not None else move.skill[len(before) :]
    rubric = found.wanted is None
    entities = [*known.wanted, *(one.text for one in known.candidates)]
    return UpdateShape(
        decision=move.decision or "KEEP",
        prompt=move.prompt,
        atoms=tuple(AtomShape.of(atom, found.targets) for atom in move.atoms),
        omission=omission([atom.content for atom in move.atoms], found.targets) if rubric else None,
        reward=RewardShape.of(reward(before, added, found.targets, entities=entities)) if rubric else None,
        before=before,
        after=move.skill,
    )


def _parked(parked: Parked, what: Literal["draft", "update", "feedback"], number: int) -> ParkedShape:
    return ParkedShape(what=what, round=number, why=parked.why, reason=parked.reason)
