"""Is it the same rule again? Groups atoms by meaning, and tells the opposite from the same.

Two atoms are the same rule where their signed vectors (`embed`) are close, at least two content words are shared (or
all of a short one's), and their paths do not exclude each other. They are opposites where they share their subject but
one forbids what the other asks for. The result does not depend on the order of the atoms.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingrained.embed.lexical import LexicalEmbedder, Weights, signed_terms
from ingrained.feedback.decompose import Atom

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SAME: Mapping[int, float] = {1: 0.55, 2: 0.36, 3: 0.25}
"""Signed cosine in [-1, 1] from which two atoms say the same, by the number of content words that they share."""
LINK = 0.2
"""Mean similarity between two groups from which they are joined."""
UNSURE = 0.06
"""Added where neither of the two was judged to transfer."""
SUBJECT = 0.35
"""Cosine of the unsigned terms from which two atoms speak of the same subject."""


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


def group(atoms: Sequence[Atom], weights: Weights) -> Groups:
    """Group atoms into rules and find the pairs of groups that contradict each other.

    Args:
        atoms: any order; the result is the same up to the order of the indices.
        weights: of stems, over all the person's messages, so that few atoms are enough.

    Cost: O(n²) similarities for n atoms.
    """
    import numpy as np

    if not atoms:
        return Groups(members=(), typical=(), opposites=frozenset())
    order = sorted(range(len(atoms)), key=lambda i: (atoms[i].message, atoms[i].start))
    ranked = [atoms[i] for i in order]
    embedder = LexicalEmbedder(weights)
    asks = np.array([_asks(atom) for atom in ranked])
    signed, unsigned, near = _similarities(embedder.embed([atom.quote for atom in ranked]), asks)
    cores = _similarities(embedder.embed([core(atom.quote) for atom in ranked]), asks)[2]
    bags = [frozenset(signed_terms(atom.quote)) for atom in ranked]
    near = np.maximum(near, cores)
    clusters = _link(ranked, near, bags)
    typical = dict.fromkeys(range(len(atoms)), 0.0)
    for cluster in clusters:
        for i in cluster:
            rest = [j for j in cluster if j != i]
            typical[order[i]] = round(float(near[i, rest].mean()), 4) if rest else 0.0
    contradict = _Opposites(atoms=ranked, signed=signed, unsigned=unsigned)
    sayers = [i for i, cluster in enumerate(clusters) if any(ranked[k].transferable for k in cluster)]
    opposites = {(b, a) for a in sayers for b in sayers if b < a and contradict(clusters[a], clusters[b])}
    return Groups(
        members=tuple(tuple(sorted(order[i] for i in cluster)) for cluster in clusters),
        typical=tuple(typical[i] for i in range(len(atoms))),
        opposites=frozenset(opposites),
    )


def _similarities(
    vectors: NDArray[np.float32], asks: NDArray[np.bool_]
) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
    """Signed and unsigned cosines, and the one that counts for each pair; each of shape (n, n)."""
    import numpy as np

    signed = vectors @ vectors.T
    unsigned = np.abs(vectors) @ np.abs(vectors).T
    return signed, unsigned, np.where(asks[:, None] | asks[None, :], unsigned, signed)


def same_rule(a: Atom, b: Atom, similarity: float, shared: int, larger: int) -> bool:
    """Whether two atoms say the same.

    Args:
        a: one atom.
        b: the other.
        similarity: their cosine, signed unless one of them only asks why.
        shared: how many content words they share.
        larger: how many the longer of them has.
    """
    if shared == 0 or (shared == 1 and larger > 2) or not _paths_agree(a, b):
        return False
    need = SAME[min(shared, 3)] + (0 if a.transferable or b.transferable else UNSURE)
    return similarity >= need


def _asks(atom: Atom) -> bool:
    """A question tells the subject, not which side is wanted."""
    return atom.quote.rstrip().endswith("?")


def _paths_agree(a: Atom, b: Atom) -> bool:
    return not a.paths or not b.paths or set(a.paths) == set(b.paths)


def _link(atoms: list[Atom], near: NDArray[np.float32], bags: list[frozenset[str]]) -> list[list[int]]:
    """Average linkage over the pairs that are the same rule, strongest pair first."""
    import numpy as np

    rows, columns = np.nonzero(np.triu(near >= min(SAME.values()), k=1))
    pairs = [
        (-float(near[i, j]), int(i), int(j))
        for i, j in zip(rows, columns, strict=True)
        if same_rule(atoms[i], atoms[j], float(near[i, j]), len(bags[i] & bags[j]), max(len(bags[i]), len(bags[j])))
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opposites:
    """What is needed to tell whether two groups contradict each other."""

    atoms: list[Atom]
    signed: NDArray[np.float32]
    unsigned: NDArray[np.float32]

    def __call__(self, a: list[int], b: list[int]) -> bool:
        return any(
            self.unsigned[i, j] >= SUBJECT
            and self.signed[i, j] <= 0.1 * self.unsigned[i, j]
            and not _asks(self.atoms[i])
            and not _asks(self.atoms[j])
            and _paths_agree(self.atoms[i], self.atoms[j])
            for i in a
            for j in b
        )
