"""SkillGrain's two calls to a model: feedback to atoms (eq. 7), and a text from histories and rules (eq. 1).

The parts that ask nothing (the requests, the reading of an answer, eq. 8) are plain functions, for a benchmark or a
trainer with any model; `decompose` and `write` send them. The decision to know: what an answer says is held against
the feedback. An atom is a span of it, or says that it was rewritten; one that no words of the feedback carry, or that
points the other way than its words, is reported to the model once and then set aside with the reason, never kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, StrictBool

from ingrained.embed.lexical import signed_terms
from ingrained.errors import BudgetReachedError, ModelError
from ingrained.feedback.split import split
from ingrained.feedback.words import Span, sentences
from ingrained.ids import content_hash
from ingrained.learn.faithful import astray, beyond, qualified
from ingrained.learn.spans import find, same_words
from ingrained.model.base import Completion, Message, Model, Request, Sampling, Usage
from ingrained.model.prompt import Prompt
from ingrained.model.structured import Answered, Parked, ask, parked_by, schema_of, text_of
from ingrained.skill.safety import strip_hidden

T = TypeVar("T")

LOGIC: Final = "3"
"""Changes whenever an answer would be read otherwise; part of the version of what was made of answers."""
HISTORIES: Final = 5
"""Earlier texts of the person that a request shows (H_u, section 3.2)."""
DECOMPOSE: Final = Prompt.load("ingrained.learn", "decompose")
WRITE: Final = Prompt.load("ingrained.learn", "write")
TASK: Final = Prompt.load("ingrained.learn", "task")
SKILL_SAMPLING: Final = Sampling(max_tokens=512)
"""Likeliest tokens; at most as many as the paper allows an update of the skill (section 5.1)."""
WRITE_SAMPLING: Final = Sampling(temperature=0.7, top_p=0.8, max_tokens=1024)
"""As the paper evaluates (section 5.1)."""

_MOST_CHARACTERS: Final = 1200
_MOST_ATOMS: Final = 40
_CARRIED: Final = 0.5
"""Share of an atom's content words that its words have to hold, where the model named no words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interaction:
    """The context c_t = (H_u, s_t, x_t, y_t, f_t) of eq. 6."""

    feedback: str
    request: str = ""
    draft: str = ""
    history: tuple[str, ...] = ()
    """H_u: earlier texts of the person, at most `HISTORIES` are shown."""
    rules: tuple[str, ...] = ()
    """s_t: the contents of the atoms kept so far, oldest first."""
    typed: bool = False
    """The feedback is a turn of a session with an agent, `request` and `draft` are the agent's last act."""


def _some(text: str) -> str:
    # No bounds in the schema: a server that holds a model to it would unroll them.
    if not 0 < len(text.strip()) <= _MOST_CHARACTERS:
        raise ValueError(f"1 to {_MOST_CHARACTERS} characters are needed, not {len(text.strip())}")
    return text.strip()


def _few(atoms: tuple[T, ...]) -> tuple[T, ...]:
    if len(atoms) > _MOST_ATOMS:
        raise ValueError(f"at most {_MOST_ATOMS} atoms, not {len(atoms)}")
    return atoms


Words = Annotated[str, AfterValidator(_some)]


class AnswerAtom(BaseModel):
    """One pair (a_k, z_k) of eq. 7, as a model writes it."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: Words
    content: Words
    transferable: StrictBool


class Answer(BaseModel):
    """A of eq. 7."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    atoms: Annotated[tuple[AnswerAtom, ...], AfterValidator(_few)]


class CitedAtom(BaseModel):
    """The same with the words of the feedback that it rests on."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: Words
    quote: Words
    content: Words
    transferable: StrictBool


class CitedAnswer(BaseModel):
    """An answer that names its words."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    atoms: Annotated[tuple[CitedAtom, ...], AfterValidator(_few)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grain:
    """One atom of an answer, held against the feedback."""

    id: str
    content: str
    transferable: bool
    span: Span | None
    """Where in the feedback its words stand; `None` where no words carry it."""
    rewritten: bool
    """The content is not what stands there."""
    problem: str = ""
    """Why it must not be kept, for the model and the person to read; "" where nothing speaks against it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decomposition:
    """The atoms of one piece of feedback."""

    grains: tuple[Grain, ...]
    """In the order of the answer."""
    unheard: tuple[Span, ...]
    """Clauses of the feedback that no atom rests on."""
    usage: Usage
    completion: Completion
    repaired: bool = False

    @property
    def sound(self) -> tuple[Grain, ...]:
        """Those that nothing speaks against."""
        return tuple(grain for grain in self.grains if not grain.problem)


def version() -> str:
    """Logic and prompts, in a few characters: what was made of answers under another version may differ."""
    return f"{LOGIC}-{content_hash([DECOMPOSE.hash], size=4).removeprefix('b2:')}"


# Requests


def rule_lines(rules: Sequence[str]) -> str:
    """The rules as a model reads them: `r1: …`, one a line; empty where there is none."""
    return "\n".join(f"r{number}: {' '.join(rule.split())}" for number, rule in enumerate(rules, start=1))


def decompose_request(
    context: Interaction, *, cite: bool = True, skill: bool = False, sampling: Sampling = SKILL_SAMPLING
) -> Request:
    """The question for the atoms of eq. 7.

    Args:
        context: what was said, and about what.
        cite: ask for the words of each atom too. False gives the paper's protocol: id, content, transferable.
        skill: show s_t too. Eq. 6 has it, the paper's prompt (appendix E) does not, and small models take the rules
            that they see for demands.
        sampling: how the answer is drawn.
    """
    messages = DECOMPOSE.messages(
        history=list(context.history[:HISTORIES]),
        rules=rule_lines(context.rules) if skill else "",
        request=context.request,
        draft=context.draft,
        feedback=context.feedback,
        typed=context.typed,
        cite=cite,
    )
    shape = CitedAnswer if cite else Answer
    return Request(messages=messages, sampling=sampling, schema=schema_of(shape), prompt=DECOMPOSE.hash)


def write_request(
    history: Sequence[str],
    rules: Sequence[str],
    request: str,
    *,
    sampling: Sampling = WRITE_SAMPLING,
    sample: int = 0,
    most: int = HISTORIES,
) -> Request:
    """The question of eq. 1, one prompt for all methods: those without a skill give no rules, No History no texts.

    The histories come first, between marks that depend on them alone: requests of one person begin alike. `most` of
    them are shown; RAG-History, which repeats one of the five, needs room for it.
    """
    system, before = WRITE.messages(history=list(history[:most]))
    task = TASK.text(rules=rule_lines(rules), request=request)
    user = Message(role="user", text=f"{before.text}\n\n{task}".strip())
    return Request(messages=(system, user), sampling=sampling, prompt=f"{WRITE.hash}+{TASK.hash}", sample=sample)


# Answers


def read_answer(answer: Answer | CitedAnswer, feedback: str) -> tuple[Grain, ...]:
    """The atoms of an answer, each held against the feedback, in order. Pure."""
    return tuple(_grain(atom, feedback) for atom in answer.atoms)


def _grain(atom: AnswerAtom | CitedAtom, feedback: str) -> Grain:
    content = " ".join(strip_hidden(atom.content).split())
    own = find(feedback, atom.content)
    cited = find(feedback, atom.quote) if isinstance(atom, CitedAtom) else None
    span = own or cited
    problem = ""
    if isinstance(atom, CitedAtom) and span is None:
        problem = f"the feedback does not contain the quote {atom.quote[:120]!r}"
    elif span is None:
        span = _carrier(content, feedback)
        problem = "" if span is not None else "no words of the feedback say it"
    if span is not None:
        clause = around(span, feedback)
        made = content
        span, content = qualified(span, content, clause, own=own is not None)
        problem = astray(made, clause.text) or beyond(made, clause.text)
        problem = problem or (astray(made, span.text) if own is None else "")
    return Grain(
        id=atom.id,
        content=content,
        transferable=atom.transferable,
        span=span,
        rewritten=span is None or not same_words(content, span.text),
        problem=problem,
    )


def around(span: Span, feedback: str) -> Span:
    """The clause that a span stands in: its rest may turn it ("never …") or narrow it ("… in mails to customers")."""
    whole = Span(start=0, end=len(feedback), text=feedback)
    begin, end = 0, len(feedback)
    for cut in (split(feedback), sentences(whole)):
        near = [part for part in cut if part.start < span.end and span.start < part.end]
        begin = max(begin, min([span.start, *(part.start for part in near)]))
        end = min(end, max([span.end, *(part.end for part in near)]))
    return Span(start=begin, end=end, text=feedback[begin:end])


def _carrier(content: str, feedback: str) -> Span | None:
    """The clause of the feedback that holds most of the content's words, where one holds enough of them."""
    wanted = signed_terms(content).keys()
    shares = [
        (len(wanted & signed_terms(clause.text).keys()) / len(wanted) if wanted else 0.0, -clause.start, clause)
        for clause in split(feedback)
    ]
    best = max(shares, key=lambda one: one[:2], default=None)
    return best[2] if best is not None and best[0] >= _CARRIED else None


def _unheard(grains: Sequence[Grain], feedback: str) -> tuple[Span, ...]:
    spans = [grain.span for grain in grains if grain.span is not None and not grain.problem]
    return untouched(feedback, [(span.start, span.end) for span in spans])


def untouched(text: str, taken: Sequence[tuple[int, int]]) -> tuple[Span, ...]:
    """The clauses of a text that none of the stretches `[start, end)` reaches into."""
    return tuple(
        clause for clause in split(text) if not any(start < clause.end and clause.start < end for start, end in taken)
    )


# Eq. 8


def compose(skill: Sequence[str], atoms: Sequence[Grain]) -> tuple[str, ...]:
    """s_{t+1} of eq. 8: the transferable atoms behind the skill as it is, in order; the same skill (KEEP) without any.

    Nothing is compared or replaced, as in the paper; the product's rules supersede instead (`skill.relate`). Atoms that
    were set aside with a problem are not appended.
    """
    return (*skill, *(atom.content for atom in atoms if atom.transferable and not atom.problem))


def decision(atoms: Sequence[Grain]) -> Literal["KEEP", "UPDATE"]:
    """What `compose` does to a skill."""
    return "UPDATE" if any(atom.transferable and not atom.problem for atom in atoms) else "KEEP"


# Calls


async def decompose(
    model: Model, context: Interaction, *, cite: bool = True, sampling: Sampling = SKILL_SAMPLING
) -> Decomposition | Parked:
    """The atoms of a piece of feedback (eq. 7). One call; two where the first answer cannot be used as it is.

    An answer whose second version still cites what nobody said gives its good atoms, and the others with their problem;
    it is parked where none is good.

    Raises:
        UnseenRequestError: only stored answers are allowed, and there is none.
        IngrainedError: no model can be asked at all.
    """
    check = _Check(context.feedback)
    request = decompose_request(context, cite=cite, sampling=sampling)
    shape: type[Answer | CitedAnswer] = CitedAnswer if cite else Answer
    found: Answered[Answer | CitedAnswer] | Parked = await ask(model, request, shape, check=check)
    if isinstance(found, Parked):
        return found
    grains = read_answer(found.value, context.feedback)
    return Decomposition(
        grains=grains,
        unheard=_unheard(grains, context.feedback),
        usage=found.usage,
        completion=found.completion,
        repaired=found.repaired,
    )


class _Check:
    """What is wrong with an answer: the first time anything, the second time only that nothing of it is any good."""

    def __init__(self, feedback: str) -> None:
        self._feedback = feedback
        self._seen = False

    def __call__(self, answer: Answer | CitedAnswer) -> str:
        ids = [atom.id for atom in answer.atoms]
        if len(set(ids)) < len(ids):
            return f"the ids {', '.join(ids)[:200]} are not all different"
        grains = read_answer(answer, self._feedback)
        wrong = [f"{grain.id}: {grain.problem}" for grain in grains if grain.problem]
        lenient, self._seen = self._seen, True
        return "" if lenient and len(wrong) < len(grains) else "; ".join(wrong)


async def write(
    model: Model,
    history: Sequence[str],
    rules: Sequence[str],
    request: str,
    *,
    sampling: Sampling = WRITE_SAMPLING,
    sample: int = 0,
) -> Completion | Parked:
    """The text for a request, from five histories and the rules (eq. 1). One call.

    Raises:
        UnseenRequestError: only stored answers are allowed, and there is none.
        IngrainedError: no model can be asked at all.
    """
    asked = write_request(history, rules, request, sampling=sampling, sample=sample)
    try:
        answer = await model.complete(asked)
        text_of(answer)
    except (ModelError, BudgetReachedError) as error:
        return parked_by(error)
    return answer
