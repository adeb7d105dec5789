"""The independent judge of appendix B.5: what it is shown, what it answers, and what is made of that.

The judge sees an author's five histories, a request and two texts, A and B, and marks each on the four aspects of the
rubric; no names of methods, no rules, no feedback, no scores. The decision to know: texts are judged in pairs, each
method's with that of the first method for the same case, since small models can read two texts beside five histories
and not eight; and each pair in both orders, so that a liking for a place cancels out and can be told. Two texts that
are the same in every sign are one question, and a tie.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Final, Literal, TypeAlias, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, StrictInt, WithJsonSchema

from ingrained.bench.writing.bounds import Shape, score_of
from ingrained.bench.writing.contexts import Built, Context
from ingrained.bench.writing.drafts import draft
from ingrained.bench.writing.trace import TraceShape
from ingrained.ids import content_hash
from ingrained.model.base import Message, Request, Sampling
from ingrained.model.prompt import Prompt
from ingrained.model.structured import Answered, Parked, Why, schema_of

JUDGE: Final = Prompt.load("ingrained.bench.writing", "judge")
PAIR: Final = Prompt.load("ingrained.bench.writing", "judge_pair")
JUDGE_SAMPLING: Final = Sampling(max_tokens=512)
"""Likeliest tokens: a judge does not throw dice. An answer has about 80 tokens; the rest is for models that think."""
OWN: Final = "own"
OTHER: Final = "another"
"""What the sides are called where no methods are judged but the author's own text and another author's."""

Aspect: TypeAlias = Literal["length", "first_person", "expression", "non_leakage"]
ASPECTS: Final[tuple[Aspect, ...]] = get_args(Aspect)
LOWEST, HIGHEST = 1, 10


def _in_range(mark: int) -> int:
    if not LOWEST <= mark <= HIGHEST:
        raise ValueError(f"a mark is a whole number from {LOWEST} to {HIGHEST}, not {mark}")
    return mark


Mark = Annotated[
    StrictInt,
    AfterValidator(_in_range),
    WithJsonSchema({"type": "integer", "enum": list(range(LOWEST, HIGHEST + 1))}),
]


class Places(BaseModel):
    """The marks of one aspect, by place."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    A: Mark
    B: Mark


class Marking(BaseModel):
    """What the judge writes."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    length: Places
    first_person: Places
    expression: Places
    non_leakage: Places


class Marks(Shape):
    """One text on the four aspects, each from 1 to 10."""

    length: int
    first_person: int
    expression: int
    non_leakage: int

    @property
    def total(self) -> int:
        """All four together, from 4 to 40."""
        return sum(getattr(self, aspect) for aspect in ASPECTS)


class Reading(Shape):
    """One pair in one order."""

    first: str
    """Whose text stood in the first place."""
    marks: dict[str, Marks] | None
    """By side; null where there is no usable answer."""
    parked: Why | None = None
    reason: str = ""


class Verdict(Shape):
    """One pair in both orders."""

    context: str
    author: str
    seed: int
    side: str
    """A method, or `own`."""
    against: str
    """The first method, or `another`."""
    same: bool
    """The two texts are the same."""
    mean4: dict[str, float | None]
    """By side: R_ans of the rubric, which the judge does not see; null where it has none."""
    readings: tuple[Reading, ...]

    @property
    def both(self) -> list[tuple[Reading, dict[str, Marks]]]:
        """The two readings with their marks; none where one has none."""
        found = [(one, one.marks) for one in self.readings if one.marks is not None]
        return found if len(found) == len(self.readings) else []

    def total(self, side: str) -> int:
        """A side's marks over both orders and all aspects."""
        return sum(marks[side].total for _, marks in self.both)

    @property
    def lead(self) -> int:
        """By how many marks `side` is above `against`; exact, so that a tie is one."""
        return self.total(self.side) - self.total(self.against)


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """One side of a pair."""

    name: str
    text: str = field(repr=False)
    mean4: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two texts for the held-out request of a context."""

    context: Context
    seed: int
    """Of the case; of the draw where the texts are by people."""
    side: Text
    against: Text

    def orders(self, seed: int) -> tuple[tuple[Text, Text], tuple[Text, Text]]:
        """Both orders; the seed draws which one is asked first."""
        drawn = int(content_hash([seed, self.context.id, self.seed, self.side.name]).partition(":")[2], 16) % 2
        straight, turned = (self.side, self.against), (self.against, self.side)
        return (turned, straight) if drawn else (straight, turned)


def question(context: Context, first: Text, second: Text) -> Request:
    """What the judge is asked of two texts. Questions of one request begin alike, between marks of their own."""
    system, before = JUDGE.messages(history=[one.text for one in context.histories], request=context.held_out.request)
    user = Message(role="user", text=f"{before.text}\n\n{PAIR.text(first=first.text, second=second.text)}")
    return Request(
        messages=(system, user),
        sampling=JUDGE_SAMPLING,
        schema=schema_of(Marking),
        prompt=f"{JUDGE.hash}+{PAIR.hash}",
    )


def reading(first: Text, second: Text, came: Answered[Marking] | Parked) -> Reading:
    """An answer, with the places turned back into sides."""
    if isinstance(came, Parked):
        return Reading(first=first.name, marks=None, parked=came.why, reason=came.reason)
    given = {aspect: getattr(came.value, aspect) for aspect in ASPECTS}
    marks = {
        first.name: Marks(**{aspect: one.A for aspect, one in given.items()}),
        second.name: Marks(**{aspect: one.B for aspect, one in given.items()}),
    }
    return Reading(first=first.name, marks=marks)


def verdict(pair: Pair, readings: Sequence[Reading]) -> Verdict:
    """What was found of a pair."""
    return Verdict(
        context=pair.context.id,
        author=pair.context.author,
        seed=pair.seed,
        side=pair.side.name,
        against=pair.against.name,
        same=pair.side.text == pair.against.text,
        mean4={one.name: one.mean4 for one in (pair.side, pair.against)},
        readings=tuple(readings),
    )


# Which pairs


CaseKey: TypeAlias = tuple[str, int]
"""Context and seed."""
Answers: TypeAlias = Mapping[str, Mapping[CaseKey, Text]]
"""By method: the held-out answers."""


def answers(traces: Iterable[TraceShape]) -> Answers:
    """The held-out answers of a run; traces without one are left out."""
    found: dict[str, dict[CaseKey, Text]] = defaultdict(dict)
    for one in traces:
        if one.held_out is not None:
            text = Text(name=one.method, text=one.held_out.text, mean4=one.held_out.scores.mean)
            found[one.method][one.context, one.seed] = text
    return found


def drawn(cases: Iterable[CaseKey], built: Built, most: int, seed: int) -> list[CaseKey]:
    """At most `most` cases, drawn by a seed from the authors in turn and from each context once before it comes again.

    In the order of the contexts. More cases of the same seed are these and others, so that a larger sample only asks
    what is new.
    """
    place = {one.id: nth for nth, one in enumerate(built.contexts)}
    author = {one.id: one.author for one in built.contexts}
    shuffled = sorted(cases, key=lambda case: content_hash([seed, *case]))
    before, turns = Counter[str](), Counter[str]()
    again: dict[CaseKey, int] = {}
    for case in shuffled:
        again[case] = before[case[0]]
        before[case[0]] += 1
    turn: dict[CaseKey, int] = {}
    for case in sorted(shuffled, key=lambda case: again[case]):
        turn[case] = turns[author[case[0]]]
        turns[author[case[0]]] += 1
    chosen = sorted(shuffled, key=lambda case: turn[case])[:most]
    return sorted(chosen, key=lambda case: (place[case[0]], case[1]))


def pairs_of(methods: Sequence[str], found: Answers, cases: Sequence[CaseKey], built: Built) -> list[Pair]:
    """Each method's answer with that of the first method, by case."""
    context = {one.id: one for one in built.contexts}
    first, *others = methods
    return [
        Pair(context=context[case[0]], seed=case[1], side=found[name][case], against=found[first][case])
        for case in cases
        for name in others
    ]


def bound_pairs(cases: Sequence[CaseKey], built: Built, seed: int) -> list[Pair]:
    """The author's own text with another author's, once a context: the texts of ceiling and floor."""
    return [
        Pair(
            context=one,
            seed=seed,
            side=_by_a_person(built, one, "own", seed),
            against=_by_a_person(built, one, "other", seed),
        )
        for one in built.contexts
        if one.id in {name for name, _ in cases}
    ]


def _by_a_person(built: Built, context: Context, source: Literal["own", "other"], seed: int) -> Text:
    found = draft(built, context, context.held_out, source, seed=seed)
    return Text(name=OWN if source == "own" else OTHER, text=found.text, mean4=score_of(found, "mean"))
