"""Drafts without a model, and a mix of them in which KEEP is tested.

Four sorts: what the author wrote for the request, what another author wrote for another one, the facts as plain
sentences, and a text in the author's own style on something else. A stranger's or a plain draft has nearly always some
preference wrong, and so has the author's own (an author's lengths vary more than the rubric allows), so that a policy
that never keeps the skill would seem right. Settled here: a share of `KEEP_SHARE` of all rounds gets a draft in the
author's style, one of the author's documents that is no request and no history and has no preference wrong, so that its
feedback asks for terms alone; every other round gets a draft with a transferable target. Where an author has no such
document, the round gets another draft and the share says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal, TypeAlias, get_args

from ingrained.bench.writing.contexts import Built, Context, Round
from ingrained.bench.writing.diagnosis import Diagnosis, diagnosed
from ingrained.bench.writing.document import Document
from ingrained.bench.writing.hidden import reveal
from ingrained.ids import content_hash

Source: TypeAlias = Literal["own", "other", "plain", "style"]
SOURCES: tuple[Source, ...] = get_args(Source)
KEEP_SHARE = 0.25
"""Of rounds without a transferable target; the benchmark wants 0.2 to 0.3."""
MOST_TRIED = 40
"""Documents of an author that are looked at for one draft in the author's style."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A draft of one round, and what is wrong in it."""

    context: str
    author: str
    round: str
    source: Source
    text: str
    diagnosis: Diagnosis


def plain(request: str) -> str:
    """The facts of a request as sentences that nobody would call a style."""
    lines = [line.partition(": ") for line in request.split("\n")[1:]]
    return "\n".join(f"The {name[:1].lower()}{name[1:]} is {value}." for name, _, value in lines if value)


def another(documents: Mapping[str, Sequence[Document]], author: str, key: str, seed: int) -> str:
    """What some other author wrote for another request, drawn by the seed.

    Raises:
        ValueError: there is no other author.
    """
    random = Random(content_hash([seed, author, key]))  # noqa: S311 - drawn to be repeated
    names = sorted(name for name in documents if name != author and documents[name])
    if not names:
        raise ValueError("there is no other author")
    return random.choice(documents[random.choice(names)]).text


def in_style(built: Built, context: Context, one: Round, seed: int) -> str:
    """A document of the author that no context uses and in which no preference is wrong.

    Drawn by the seed; where none of the first `MOST_TRIED` is right, the first. What the author wrote for the request
    stands in where no document is left.
    """
    known = reveal(one.annotation)
    used = built.used(context.author)
    left = [document.text for document in built.documents[context.author] if document.key not in used]
    random = Random(content_hash([seed, "style", one.key]))  # noqa: S311 - drawn to be repeated
    tried = random.sample(left, min(len(left), MOST_TRIED))
    fitting = (text for text in tried if not diagnosed(one.request, text, known).transfers)
    return next(fitting, tried[0] if tried else known.own)


def draft(built: Built, context: Context, one: Round, source: Source, *, seed: int = 0) -> Draft:
    """One draft of a round, diagnosed."""
    known = reveal(one.annotation)
    match source:
        case "own":
            text = known.own
        case "other":
            text = another(built.documents, context.author, one.key, seed)
        case "plain":
            text = plain(one.request)
        case "style":
            text = in_style(built, context, one, seed)
    found = diagnosed(one.request, text, known)
    return Draft(context=context.id, author=context.author, round=one.key, source=source, text=text, diagnosis=found)


def rounds_of(built: Built, source: Source, *, seed: int = 0) -> list[Draft]:
    """A draft of one sort for every adaptation round."""
    return [draft(built, context, one, source, seed=seed) for context in built.contexts for one in context.rounds]


def keep_share(drafts: Sequence[Draft]) -> float:
    """The share of drafts without a transferable target, in [0, 1]; 0 of none."""
    return sum(not one.diagnosis.transfers for one in drafts) / len(drafts) if drafts else 0.0


def every_sort(built: Built, *, seed: int = 0) -> dict[Source, list[Draft]]:
    """A draft of each sort for every adaptation round."""
    return {source: rounds_of(built, source, seed=seed) for source in SOURCES}


def mixed(built: Built, *, share: float = KEEP_SHARE, seed: int = 0) -> list[Draft]:
    """One draft a round, so that the share of them without a transferable target is as wanted where it can be."""
    return mixed_from(every_sort(built, seed=seed), share=share, seed=seed)


def mixed_from(sorts: Mapping[Source, Sequence[Draft]], *, share: float = KEEP_SHARE, seed: int = 0) -> list[Draft]:
    """`mixed`, of drafts that are there already (`every_sort`)."""
    every = range(len(sorts["own"]))
    kept = {at: one for at in every for one in (sorts["own"][at], sorts["style"][at]) if not one.diagnosis.transfers}
    random = Random(content_hash([seed, "mixed"]))  # noqa: S311 - drawn to be repeated
    chosen = set(random.sample(sorted(kept), min(len(kept), round(share * len(every)))))
    return [kept[at] if at in chosen else _changing(sorts, at) for at in every]


def _changing(sorts: Mapping[Source, Sequence[Draft]], at: int) -> Draft:
    """The first draft with a transferable target: another author's, the plain one, the author's own."""
    order: tuple[Source, ...] = ("other", "plain", "own")
    return next((sorts[one][at] for one in order if sorts[one][at].diagnosis.transfers), sorts["other"][at])
