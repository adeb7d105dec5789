"""A population of authors: what each writing habit is like among them, which acronyms they share, which words are rare.

SkillGrain, A.2, compares an author with a population-level tendency. It is taken from the training authors only, which
is for the caller to see to; an author who is judged and belongs to them is left out by `without`, since a word cannot
be rare among authors who include its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from ingrained.verify.expression import FEATURES, Feature, Measured, Tendency, measured, tendency
from ingrained.verify.leakage import term
from ingrained.verify.words import unseparated

LEAST_AUTHORS = 2
"""From which a population has a spread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorTexts:
    """What is known of one author of a population."""

    texts: tuple[Measured, ...]
    """Those that hold prose; at least one."""
    vocabulary: frozenset[str]
    """Words as `leakage.compared` gives them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """Authors, and what they have in common. Build it with `population`."""

    authors: Mapping[str, AuthorTexts]
    shared_capitals: frozenset[str]
    """Words that two or more of them write in capitals, casefolded: acronyms and no emphasis."""
    tendencies: Mapping[Feature, Tendency]
    users: Mapping[str, int]
    """For each word, how many of the authors use it."""

    @property
    def others(self) -> int:
        """How many authors there are."""
        return len(self.authors)

    def using(self, word: str) -> int:
        """How many of them use the word."""
        return self.users.get(word, 0)

    def without(self, author: str) -> Population:
        """The population of the others; itself where the author is none of them."""
        if author not in self.authors:
            return self
        return _gathered({name: texts for name, texts in self.authors.items() if name != author})


def population(texts: Mapping[str, Sequence[str]]) -> Population:
    """The population of these authors by name.

    Texts without word separation or without prose are left out, and an author without any other. Order never matters.
    """
    authors: dict[str, AuthorTexts] = {}
    for name in sorted(texts):
        usable = [text for text in texts[name] if unseparated(text) is None]
        counted = tuple(one for one in map(measured, usable) if one.words)
        if counted:
            vocabulary = frozenset(word for text in usable for word in term(text))
            authors[name] = AuthorTexts(texts=counted, vocabulary=vocabulary)
    return _gathered(authors)


def _gathered(authors: Mapping[str, AuthorTexts]) -> Population:
    shared = shared_capitals(authors.values())
    tendencies: dict[Feature, Tendency] = {}
    for feature in FEATURES if authors else ():
        values = [median([text.value(feature, ignored=shared) for text in author.texts]) for author in authors.values()]
        tendencies[feature] = tendency(values)
    return Population(
        authors=authors,
        shared_capitals=shared,
        tendencies=tendencies,
        users=Counter(word for author in authors.values() for word in author.vocabulary),
    )


def shared_capitals(authors: Iterable[AuthorTexts]) -> frozenset[str]:
    """Words that at least two authors write in capitals."""
    counts = Counter(word for author in authors for word in {word for text in author.texts for word in text.capitals})
    return frozenset(word for word, count in counts.items() if count > 1)
