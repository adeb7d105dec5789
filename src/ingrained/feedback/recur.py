"""Is it the same rule again? Groups atoms by meaning, and tells the opposite from the same.

Two atoms are the same rule where their signed vectors (`embed`) are close, at least two content words are shared (or
the only one, but for verbs that add nothing), and their paths do not exclude each other. They are opposites where they
share their subject but one forbids what the other asks for. The result does not depend on the order of the atoms.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ingrained.embed.lexical import LexicalEmbedder, Weights, is_named, light, signed_terms
from ingrained.embed.unspaced import is_unspaced
from ingrained.feedback.decompose import Atom
from ingrained.feedback.sides import contradict
from ingrained.feedback.transfer import PRACTICE

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SAME: Mapping[int, float] = {1: 0.55, 2: 0.36, 3: 0.25}
"""Signed cosine in [-1, 1] from which two atoms say the same, by the content words that they share; a name is two."""
UNSPACED = 0.6
"""The least of them where most of what is shared are pieces of words that no blank separates."""
LINK = 0.27
"""Mean similarity between two groups from which they are joined."""
UNSURE = 0.12
"""Added where neither of the two was judged to transfer, or one of them does not even speak of a practice."""
SURE = 0.05
"""Taken off where both were."""
SUBJECT = 0.35
"""Cosine of the unsigned terms from which two atoms speak of the same subject."""


AGREED = 0.5
"""Share of the unsigned cosine from which the signed one leaves no room for a contradiction."""
_AGAINST = -1.0
"""Similarity of two that contradict each other."""
_STRANGERS = -2.0
"""Below every cosine: the two can never be one rule."""


class Home(NamedTuple):
    """Who said an atom, and where."""

    person: str
    project: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """Atoms by rule."""

    members: tuple[tuple[int, ...], ...]
    """Indices into the atoms given, each in exactly one group."""
    typical: tuple[float, ...]
    """For each atom given, its mean similarity to the others of its group; 0 where it is alone."""
    opposites: frozenset[tuple[int, int]]
    """Pairs of group indices, smaller first, that contradict each other."""


_WHY = re.compile(r"\bwhy\b.*", re.IGNORECASE | re.DOTALL)
_RATIONALE = re.compile(
    r",?\s+(?:rather than|instead of|because|since|so that|otherwise|or else|it(?:'s| is)|as (?:it|we|this)|"
    r"in order to|to (?:achieve|make|avoid|keep|save)|if it|,? (?:that|this|they) (?:make|break|help)s?)\b.*",
    re.IGNORECASE | re.DOTALL,
)


def core(quote: str) -> str:
    """The part of a quote that says what to do: from "why" on, without reasons and the side that is not wanted."""
    asked = _WHY.search(quote)
    return _RATIONALE.sub("", asked.group() if asked else quote)


def group(atoms: Sequence[Atom], weights: Weights, homes: Sequence[Home] = ()) -> Groups:
    """Group atoms into rules and find the pairs of groups that contradict each other.

    Args:
        atoms: any order; the result is the same up to the order of the indices.
        weights: of stems, over all messages, so that few atoms are enough.
        homes: who said each atom and in which project. What one person says in two projects may be one rule, and what
            two people say in one project; strangers in different projects share none. Empty: all at home together.

    Cost: O(n²) similarities for n atoms.
    """
    import numpy as np

    if not atoms:
        return Groups(members=(), typical=(), opposites=frozenset())
    order = sorted(range(len(atoms)), key=lambda i: (atoms[i].message, atoms[i].start))
    ranked = [atoms[i] for i in order]
    kin = _kin([homes[i] for i in order]) if homes else np.ones((len(atoms), len(atoms)), dtype=np.bool_)
    embedder = LexicalEmbedder(weights)
    asks = np.array([_asks(atom) for atom in ranked])
    signed, unsigned, near = _similarities(embedder.embed([atom.quote for atom in ranked]), asks)
    cores = _similarities(embedder.embed([core(atom.quote) for atom in ranked]), asks)[2]
    bags = [frozenset(signed_terms(atom.quote)) for atom in ranked]
    near = np.where(kin, np.maximum(near, cores), _STRANGERS)
    opposed = kin & _opposed(ranked, signed, unsigned)
    near = np.where(opposed, np.minimum(near, _AGAINST), near)
    clusters = _link(ranked, near, bags)
    typical = dict.fromkeys(range(len(atoms)), 0.0)
    for cluster in clusters:
        for i in cluster:
            rest = [j for j in cluster if j != i]
            typical[order[i]] = round(float(near[i, rest].mean()), 4) if rest else 0.0
    return Groups(
        members=tuple(tuple(sorted(order[i] for i in cluster)) for cluster in clusters),
        typical=tuple(typical[i] for i in range(len(atoms))),
        opposites=_opposites(ranked, clusters, opposed),
    )


def contrary(a: str, b: str, weights: Weights) -> bool:
    """Whether one text forbids what the other asks for; a question forbids nothing."""
    import numpy as np

    if a.rstrip().endswith("?") or b.rstrip().endswith("?"):
        return False
    signed, unsigned, _ = _similarities(LexicalEmbedder(weights).embed([a, b]), np.zeros(2, dtype=np.bool_))
    return bool(_subject(signed, unsigned)[0, 1]) and contradict(a, b)


def _subject(signed: NDArray[np.float32], unsigned: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Which pairs share their subject and may take different sides of it."""
    return (unsigned >= SUBJECT) & (signed <= AGREED * unsigned)


def _opposed(atoms: Sequence[Atom], signed: NDArray[np.float32], unsigned: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Which pairs contradict each other; a question takes no side. Shape (n, n)."""
    import numpy as np

    found = np.zeros_like(signed, dtype=np.bool_)
    speak = np.array([not _asks(atom) for atom in atoms])
    likely = np.triu(_subject(signed, unsigned) & speak[:, None] & speak[None, :], k=1)
    for i, j in zip(*(axis.tolist() for axis in np.nonzero(likely)), strict=True):
        found[i, j] = found[j, i] = contradict(atoms[i].quote, atoms[j].quote)
    return found


def _kin(homes: Sequence[Home]) -> NDArray[np.bool_]:
    """Which pairs may be one rule; shape (n, n)."""
    import numpy as np

    people = np.array([home.person for home in homes])
    projects = np.array([home.project for home in homes])
    return (people[:, None] == people[None, :]) | (projects[:, None] == projects[None, :])


def _similarities(
    vectors: NDArray[np.float32], asks: NDArray[np.bool_]
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Signed and unsigned cosines, and the one that counts for each pair; each of shape (n, n)."""
    import numpy as np

    signed = vectors @ vectors.T
    unsigned = np.abs(vectors) @ np.abs(vectors).T
    return signed, unsigned, np.where(asks[:, None] | asks[None, :], unsigned, signed)


def same_rule(a: Atom, b: Atom, similarity: float, terms: frozenset[str], others: frozenset[str]) -> bool:
    """Whether two atoms say the same.

    Args:
        a: one atom.
        b: the other.
        similarity: their cosine, signed unless one of them only asks why.
        terms: the content words of `a`.
        others: those of `b`.
    """
    both = terms & others
    shared = len(both)
    if not shared or not _paths_agree(a, b):
        return False
    likely = min(a.confidence, b.confidence) >= PRACTICE
    if shared == 1 and (terms ^ others) - light():
        return False
    sure = a.transferable + b.transferable if likely else 0
    counts = shared + any(map(is_named, both))
    need = SAME[min(counts, 3)] + (UNSURE, 0.0, -SURE)[sure]
    unspaced = 2 * sum(map(is_unspaced, both)) >= shared
    return similarity >= (max(need, UNSPACED) if unspaced else need)


def _asks(atom: Atom) -> bool:
    """A question tells the subject, not which side is wanted."""
    return atom.quote.rstrip().endswith("?")


def _paths_agree(a: Atom, b: Atom) -> bool:
    return not a.paths or not b.paths or set(a.paths) == set(b.paths)


def _link(atoms: list[Atom], near: NDArray[np.float32], bags: list[frozenset[str]]) -> list[list[int]]:
    """Average linkage over the pairs that are the same rule, strongest pair first."""
    import numpy as np

    rows, columns = np.nonzero(np.triu(near >= min(SAME.values()) - SURE, k=1))
    pairs = [
        (-float(near[i, j]), int(i), int(j))
        for i, j in zip(rows, columns, strict=True)
        if same_rule(atoms[i], atoms[j], float(near[i, j]), bags[i], bags[j])
    ]
    home = list(range(len(atoms)))
    members: dict[int, list[int]] = {i: [i] for i in range(len(atoms))}
    for _, i, j in sorted(pairs):
        a, b = home[i], home[j]
        if a == b:
            continue
        between = near[np.ix_(members[a], members[b])]
        if float(between.mean()) < LINK or float(between.min()) < 0:
            continue
        keep, gone = min(a, b), max(a, b)
        members[keep] = sorted(members[keep] + members.pop(gone))
        for k in members[keep]:
            home[k] = keep
    return [members[key] for key in sorted(members)]


def _opposites(atoms: list[Atom], clusters: list[list[int]], opposed: NDArray[np.bool_]) -> frozenset[tuple[int, int]]:
    """Pairs of clusters, smaller index first, that hold a pair of atoms which contradict each other.

    Both must transfer, neither may be a question, and their paths must not exclude each other.
    """
    import numpy as np

    home = {k: index for index, cluster in enumerate(clusters) for k in cluster}
    speak = np.array([atom.transferable and not _asks(atom) for atom in atoms])
    rows, columns = np.nonzero(np.triu(opposed & speak[:, None] & speak[None, :], k=1))
    found: set[tuple[int, int]] = set()
    for i, j in zip(rows.tolist(), columns.tolist(), strict=True):
        if home[i] != home[j] and _paths_agree(atoms[i], atoms[j]):
            found.add((min(home[i], home[j]), max(home[i], home[j])))
    return frozenset(found)
