"""Contexts: an author's five histories, two adaptation rounds and a held-out request, on distinct documents.

SkillGrain, A.1 and section 5.4. What the paper leaves open is settled here:

- Requests are drawn first, from an author's later documents, three a context, each in one context only. H_u are five
  earlier documents in a row, the first whose author has a marked habit of expression by them.
- What five texts show may be chance, and then an author's own text scores no better than a stranger's. So it has to be
  confirmed on the documents that are neither histories nor requests: their median length and their rate of the first
  person lie in the intervals that the five prefer, and their median of the habit is on its side of the population and
  at least `CONFIRMED` as far from it. Requests are not looked at. With fewer than `LEAST_CHECKS` such documents there
  is nothing to confirm by, and the five stand. An author without five that fit is dropped and counted.
- The population is that of the training authors, without the author who is judged. With `test_share` 0 all authors are
  training authors, so that each is compared with all others; small sets have no authors to spare.
- Authors are parted and requests drawn by a seed; the same data and seed give the same contexts, in any order of input.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from statistics import median
from typing import Literal, TypeAlias

from ingrained.bench.writing.annotate import Annotation, annotate
from ingrained.bench.writing.distinct import distinct
from ingrained.bench.writing.document import Document, Dropped, Loaded, Task
from ingrained.bench.writing.hidden import Hidden
from ingrained.bench.writing.request import fact_sheet
from ingrained.errors import ConfigError
from ingrained.ids import content_hash
from ingrained.verify.expression import Habit, Measured, measured
from ingrained.verify.population import LEAST_AUTHORS, Population, population
from ingrained.verify.rubric import Profile, profile
from ingrained.verify.score import Unscored
from ingrained.verify.words import first_person, per_hundred, words

Part: TypeAlias = Literal["train", "test"]
HISTORIES = 5
ROUNDS = 2
"""Adaptation rounds before the held-out request."""
CONFIRMED = 0.5
"""Least distance from the population on the other documents, as a share of that on the histories."""
LEAST_CHECKS = 3
"""Other documents from which a habit can be confirmed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How contexts are made."""

    per_author: int = 3
    """Contexts of one author at most."""
    test_share: float = 0.0
    """Share of the authors that are kept apart for the test, in [0, 1)."""
    seed: int = 0

    def __post_init__(self) -> None:
        if self.per_author < 1:
            raise ConfigError(f"contexts per author: {self.per_author} is less than 1")
        if not 0 <= self.test_share < 1:
            raise ConfigError(f"share of test authors: {self.test_share} is not in [0, 1)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A history: what was asked for, and what the author wrote. The policy sees both."""

    request: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One interaction: a request for the policy, and what only the benchmark knows of it."""

    key: str
    request: str
    annotation: Hidden[Annotation]


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """One case of the benchmark."""

    id: str
    task: str
    author: str
    part: Part
    histories: tuple[Example, ...]
    """H_u, the earliest first."""
    sources: tuple[str, ...]
    """Keys of their documents."""
    rounds: tuple[Round, ...]
    """The adaptation rounds."""
    held_out: Round


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A task's contexts, and what else was found."""

    task: Task
    contexts: tuple[Context, ...]
    """By author, then from the earliest request on."""
    documents: Mapping[str, Sequence[Document]] = field(repr=False)
    """Those that could be used, by author; also of authors without a context."""
    found: int
    """Documents before any was dropped here."""
    dropped: tuple[Dropped, ...]

    @property
    def authors(self) -> tuple[str, ...]:
        """Authors of contexts, by name."""
        return tuple(sorted({one.author for one in self.contexts}))

    def used(self, author: str) -> frozenset[str]:
        """Keys of the author's documents that are a history or asked for in any context."""
        own = [one for one in self.contexts if one.author == author]
        asked = {one.key for context in own for one in (*context.rounds, context.held_out)}
        return frozenset(asked.union(*(context.sources for context in own)))


def contexts(task: Task, loaded: Loaded, plan: Plan = Plan()) -> Built:
    """Make a task's contexts."""
    documents, dropped = distinct(task, loaded.documents)
    parts = parted(documents, plan)
    whole = population({name: [one.text for one in documents[name]] for name, part in parts.items() if part == "train"})
    made: list[Context] = []
    for author in sorted(documents):
        found = _of_author(task, documents[author], parts[author], whole.without(author), plan)
        if isinstance(found, Dropped):
            dropped.append(found)
        else:
            made += found
    return Built(
        task=task,
        contexts=tuple(made),
        documents=documents,
        found=len(loaded.documents),
        dropped=(*loaded.dropped, *dropped),
    )


def parted(names: Mapping[str, object] | Sequence[str], plan: Plan) -> dict[str, Part]:
    """Each author's part, by a hash of the name and the seed, so that more authors move no other one far."""
    ordered = sorted(names, key=lambda name: content_hash([plan.seed, name]))
    test = round(plan.test_share * len(ordered))
    return {name: "test" if place < test else "train" for place, name in enumerate(ordered)}


def _of_author(
    task: Task, documents: Sequence[Document], part: Part, known: Population, plan: Plan
) -> list[Context] | Dropped:
    author = documents[0].author
    each = ROUNDS + 1
    if len(documents) < HISTORIES + each or len({one.subject for one in documents}) < 2 * each:
        why = f"an author of fewer than {HISTORIES + each} texts on {2 * each} topics"
        return Dropped(place=author, why=why, detail=f"{len(documents)}")
    if known.others < LEAST_AUTHORS:
        return Dropped(place=author, why="an author without others to compare with")
    earlier, asked = _drawn(documents, plan)
    chosen = _marked(earlier, known)
    if chosen is None:
        return Dropped(place=author, why="an author without five texts that show a lasting habit")
    histories, read = chosen
    return [_context(task, part, histories, asked[at : at + each], read, known) for at in range(0, len(asked), each)]


def _drawn(documents: Sequence[Document], plan: Plan) -> tuple[list[Document], list[Document]]:
    """Documents that stay for histories and checks, and those that are asked for, both from the earliest on.

    Of a topic one document is asked for, and the others are left out.
    """
    each = ROUNDS + 1
    topics = list(dict.fromkeys(one.subject for one in documents))
    count = min(plan.per_author, max(1, (len(topics) - HISTORIES) // (each + 1)))
    later = topics[min(len(topics) // 2, len(topics) - count * each) :]
    random = Random(content_hash([plan.seed, documents[0].author]))  # noqa: S311 - drawn to be repeated
    chosen = set(random.sample(later, count * each))
    by_topic: dict[str, list[Document]] = {}
    for one in documents:
        if one.subject in chosen:
            by_topic.setdefault(one.subject, []).append(one)
    asked = {random.choice(by_topic[topic]).key for topic in topics if topic in chosen}
    return (
        [one for one in documents if one.subject not in chosen],
        [one for one in documents if one.key in asked],
    )


def _marked(documents: Sequence[Document], known: Population) -> tuple[Sequence[Document], Profile] | None:
    """The earliest five in a row that show a habit, where the others confirm them."""
    counted = [_Counted.of(one.text) for one in documents]
    for start in range(len(documents) - HISTORIES + 1):
        end = start + HISTORIES
        read = profile([one.text for one in documents[start:end]], known=known)
        if isinstance(read, Unscored) or isinstance(read.habit, Unscored):
            continue
        if _confirmed(read, read.habit, [*counted[:start], *counted[end:]]):
            return documents[start:end], read
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counted:
    """What a text is confirmed by."""

    words: int
    first_persons: int
    prose: Measured

    @classmethod
    def of(cls, text: str) -> _Counted:
        return cls(words=len(words(text)), first_persons=len(first_person(text)), prose=measured(text))


def _confirmed(read: Profile, habit: Habit, others: Sequence[_Counted]) -> bool:
    """Whether the author's other texts prefer what the five do, on each dimension."""
    if len(others) < LEAST_CHECKS:
        return True
    rate = per_hundred(sum(one.first_persons for one in others), sum(one.words for one in others))
    if read.length.score(median(one.words for one in others)) < 1 or read.first_person.score(rate) < 1:
        return False
    values = [one.prose.value(habit.feature, ignored=read.shared_capitals) for one in others if one.prose.words]
    side = 1 if habit.median > habit.population.median else -1
    return bool(values) and side * (median(values) - habit.population.median) >= CONFIRMED * habit.distance


def _context(
    task: Task,
    part: Part,
    histories: Sequence[Document],
    asked: Sequence[Document],
    read: Profile,
    known: Population,
) -> Context:
    texts = [one.text for one in histories]
    rounds = [
        Round(
            key=now.key,
            request=fact_sheet(task, now),
            annotation=Hidden(annotate(read, texts, asked[:nth], now, task=task, known=known)),
        )
        for nth, now in enumerate(asked)
    ]
    return Context(
        id=content_hash([task.name, *(one.key for one in [*histories, *asked])]),
        task=task.name,
        author=histories[0].author,
        part=part,
        histories=tuple(Example(request=fact_sheet(task, one), text=one.text) for one in histories),
        sources=tuple(one.key for one in histories),
        rounds=tuple(rounds[:-1]),
        held_out=rounds[-1],
    )
