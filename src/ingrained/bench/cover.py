"""Whether a rule covers what somebody says later: one seam, from what the two say to a similarity in [0, 1].

A statement is all the words that a rule is known by, its text and its quotes; it is as like a saying as the likest of
them. A `Likeness` says how like, and is fitted on earlier words only. From which similarity on it counts as covered is
chosen on other people (`threshold`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from ingrained.embed.lexical import LexicalEmbedder, Weights, light, signed_terms
from ingrained.feedback.decompose import Atom
from ingrained.feedback.recur import core
from ingrained.skill.rule import Rule, Said

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """Some words, and what the agent had done before them."""

    words: str
    paths: tuple[str, ...] = ()
    act: Said = field(default_factory=Said)


Statement = tuple[Saying, ...]
"""Words that stand for one rule; at least one."""

Covering = Callable[[Sequence[Statement], Sequence[Saying]], "NDArray[np.float32]"]
"""Similarities in [0, 1] of shape (statements, sayings); 1 for the same meaning, 0 for nothing in common or the
opposite."""


class Likeness(Protocol):
    """A similarity by meaning."""

    name: str
    threshold: float
    """From where it counts as covered, where no labelled people are at hand to choose it on."""

    def fitted(self, texts: Sequence[str]) -> Covering:
        """The similarity in the light of these texts, such as how rare a word is in them."""
        ...


def rule_statement(rule: Rule) -> Statement:
    """The rule's text and every quote that supports it."""
    quotes = (Saying(words=e.quote, paths=rule.scope.paths, act=e.act) for e in rule.evidence if e.stance == "supports")
    return (Saying(words=rule.text, paths=rule.scope.paths), *quotes)


def atom_saying(atom: Atom, act: Said) -> Saying:
    """What an atom says."""
    return Saying(words=atom.quote, paths=atom.paths, act=act)


class LexicalLikeness:
    """Signed cosine of word stems, whole and without reasons, as `feedback.recur` groups atoms into rules.

    The opposite is 0, and so is a pair that shares one content word where either has others. A question tells the
    subject and no side, so it is compared without signs. Paths that exclude each other give 0.
    """

    name = "lexical"
    threshold = 0.16
    """By F1 on all labelled people of `data/sessions` (27 turns that say a labelled rule again, 522 that do not)."""

    def fitted(self, texts: Sequence[str]) -> Covering:
        """Stems weigh by how rare they are in these texts."""
        weights = Weights.fit(text[:600] for text in texts)

        def covering(statements: Sequence[Statement], said: Sequence[Saying]) -> NDArray[np.float32]:
            return _lexical(statements, said, weights)

        return covering


def _lexical(statements: Sequence[Statement], said: Sequence[Saying], weights: Weights) -> NDArray[np.float32]:
    import numpy as np

    result = np.zeros((len(statements), len(said)), dtype=np.float32)
    flat = [saying for statement in statements for saying in statement]
    if not flat or not said:
        return result
    near = np.maximum(
        _cosines([s.words for s in flat], [s.words for s in said], weights),
        _cosines([core(s.words) for s in flat], [core(s.words) for s in said], weights),
    )
    near *= _comparable(flat, said)
    begin = 0
    for row, statement in enumerate(statements):
        result[row] = near[begin : begin + len(statement)].max(axis=0)
        begin += len(statement)
    return np.clip(result, 0.0, 1.0)


def _cosines(left: Sequence[str], right: Sequence[str], weights: Weights) -> NDArray[np.float32]:
    """Signed cosines of shape (left, right), unsigned where one of the two is a question."""
    import numpy as np

    vectors = LexicalEmbedder(weights).embed([*left, *right])
    a, b = vectors[: len(left)], vectors[len(left) :]
    asks_a = np.array([_asks(text) for text in left])
    asks_b = np.array([_asks(text) for text in right])
    return np.where(asks_a[:, None] | asks_b[None, :], np.abs(a) @ np.abs(b).T, a @ b.T)


def _asks(words: str) -> bool:
    return words.rstrip().endswith("?")


def _comparable(left: Sequence[Saying], right: Sequence[Saying]) -> NDArray[np.bool_]:
    """Which pairs share two content words, or the only one, and have paths that do not exclude each other."""
    import numpy as np

    bags_a = [frozenset(signed_terms(saying.words)) for saying in left]
    bags_b = [frozenset(signed_terms(saying.words)) for saying in right]
    axis = {term: i for i, term in enumerate(sorted({term for bag in (*bags_a, *bags_b) for term in bag}))}

    def present(bags: Sequence[frozenset[str]]) -> NDArray[np.float32]:
        rows = np.zeros((len(bags), max(1, len(axis))), dtype=np.float32)
        for row, bag in zip(rows, bags, strict=True):
            row[[axis[term] for term in bag]] = 1
        return rows

    shared = present(bags_a) @ present(bags_b).T
    result = shared >= 1
    for i, j in zip(*np.nonzero(shared == 1), strict=True):
        result[i, j] = not (bags_a[i] ^ bags_b[j]) - light()
    for i, a in enumerate(left):
        for j, b in enumerate(right) if a.paths else ():
            if b.paths and set(a.paths) != set(b.paths):
                result[i, j] = False
    return result
