"""Annotations that the policy never sees: the author's statistics, what must not be carried over, what must be said.

SkillGrain, eq. 3: `B_{u,t} = Annotate(H_u, x_t)`. The paper says only that they capture recurring preferences and
content of the interaction; here they are the rubric's profile, its leakage candidates, and the terms of the request
that the author's own text has too. A term that even the author left out is not asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ingrained.bench.writing.document import Document, Task
from ingrained.bench.writing.request import fact_sheet
from ingrained.verify.leakage import Candidate, candidates, compared, stretches, term, unsupported
from ingrained.verify.population import Population
from ingrained.verify.rubric import Profile
from ingrained.verify.words import FIRST_PERSON, words

MOST_WANTED = 6
_PHRASE = 3
"""Words up to which the value of a fact is one term."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """B_{u,t} of one interaction."""

    author: Profile
    candidates: tuple[Candidate, ...]
    """Of the histories and of earlier requests, without what this request supports."""
    wanted: tuple[str, ...]
    """Terms of this request that a text has to mention, the rarest among other authors first."""
    own: str
    """What the author wrote: the ceiling, never a target of imitation word by word."""


def annotate(
    author: Profile,
    histories: Sequence[str],
    earlier: Sequence[Document],
    now: Document,
    *,
    task: Task,
    known: Population,
) -> Annotation:
    """Eq. 3 for one interaction.

    Args:
        author: of `rubric.profile`, from the five histories.
        histories: H_u.
        earlier: the documents of the rounds before this one; their facts are sources of leaks (appendix F).
        now: the document that is asked for.
        task: what asks for it.
        known: the population without this author.
    """
    sources = [*histories, *(_told(one) for one in earlier)]
    barred = unsupported(candidates(sources, rarity=known), fact_sheet(task, now))
    return Annotation(author=author, candidates=barred, wanted=wanted(now, known), own=now.text)


def _told(document: Document) -> str:
    """The values of a document's facts without their names, which stand in every request."""
    return "\n\n".join("\n".join(one.values) for one in document.facts)


def wanted(document: Document, known: Population) -> tuple[str, ...]:
    """What a text on these facts should mention: short values and the words of long ones that its author wrote."""
    found: dict[tuple[str, ...], str] = {}
    for fact in document.facts:
        for value in fact.values:
            for piece in [value] if len(words(value)) <= _PHRASE else words(value):
                key = term(piece)
                if key and any(_telling(word) for word in key):
                    found.setdefault(key, piece)
    said = stretches(document.text, {len(key) for key in found})
    kept = [key for key in found if key in said]
    order = {key: place for place, key in enumerate(kept)}
    rarest = sorted(kept, key=lambda key: (min(map(known.using, key)), -len(key), order[key]))
    return tuple(found[key] for key in rarest[:MOST_WANTED])


def _telling(word: str) -> bool:
    return len(compared(word)) >= 4 and word not in FIRST_PERSON and any(map(str.isalpha, word))
