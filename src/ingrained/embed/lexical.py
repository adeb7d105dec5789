"""The default embedder: signed, weighted word stems. No model, no download, every match explainable by its terms.

A vector has one axis per stem; what the words ask for counts positive, what they forbid negative, so "use tabs, not
spaces" and "spaces, not tabs" point in opposite directions although they share every word. The weights are inverse
document frequencies over the texts at hand, smoothed by a background count so that a handful of texts is enough.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Protocol

from ingrained.embed.unspaced import spaced

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Embedder(Protocol):
    """Turns texts into unit vectors whose dot product is their similarity."""

    name: str

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Rows of shape (len(texts), D), each of length 1 or all zero; dot products lie in [-1, 1]."""
        ...


_TOKEN = re.compile(r"`[^`\s]+`|--?[a-z][\w-]*|@?[^\W_]+(?:[._'’/-][^\W_]+)*/?|[,;:.!?()\n]", re.IGNORECASE)
_WORDS = tomllib.loads(files("ingrained.embed").joinpath("words.toml").read_text(encoding="utf-8"))
_STOP = frozenset(_WORDS["stop"])
_NEGATORS = frozenset(_WORDS["negators"])
_RESETS = frozenset(_WORDS["resets"]) | frozenset(",;:.!?()\n")
_SYNONYMS: Mapping[str, str] = _WORDS["same"]
_NAMED = re.compile(r"[@/_.]")
"""Characters of a path, a handle or an identifier, which ordinary words lack."""


@lru_cache(maxsize=1)
def _stemmer() -> object:
    import snowballstemmer

    return snowballstemmer.stemmer("english")


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The stem under which a word counts: Snowball English, then a short list of words that mean the same here."""
    low = word.lower().replace("’", "'").removesuffix("'s").strip("'")
    if low.endswith("/") or "/" in low or low.startswith("-"):
        return low.strip("/") or low
    stemmed: str = _stemmer().stemWord(low)  # type: ignore[attr-defined]
    return _SYNONYMS.get(stemmed, _SYNONYMS.get(low, stemmed))


@lru_cache(maxsize=1)
def everyday() -> frozenset[str]:
    """The stems of everyday orders (run the tests, open a PR): alone they say nothing about a person."""
    return frozenset(stem(word) for word in _WORDS["everyday"])


@lru_cache(maxsize=1)
def light() -> frozenset[str]:
    """The stems of verbs that add nothing to what they are said of."""
    return frozenset(stem(word) for word in _WORDS["light"])


def is_named(term: str) -> bool:
    """Whether a stem names one thing, such as a path or a handle, rather than a kind of things."""
    return bool(_NAMED.search(term)) and term not in everyday()


_PHRASES = (
    (re.compile(r"\bdo(?:n['’]?t| not) (?:ever )?forget(?: to)?\b"), "remember"),
    (re.compile(r"\bnot only\b"), "also"),
    (re.compile(r"\bnever,? ever\b,?"), "never"),
    (re.compile(r"\binstead of\b"), "instead_of"),
    (re.compile(r"\brather than\b"), "rather_than"),
)
_PASSIVE = re.compile(r"\b(?:should|must|can|may|shall)(?:n't| not| never) be\b")
_BLAMED = frozenset(["break", "breaks", "broke", "not_be", "not_so"])
_MARKED = re.compile(r"instead_of|rather_than|not_be|not_so|" + _TOKEN.pattern, re.IGNORECASE)


def tokens(text: str) -> list[str]:
    """The words, marks and points of a text in order, in lower case.

    Marks stand for phrases: "instead_of", "rather_than", "not_be" (a passive that is negated, followed by "not") and
    "not_so" (what stands before it is forbidden, where words are not separated).
    """
    low = spaced(text.lower().replace("’", "'"))
    for pattern, plain in _PHRASES:
        low = pattern.sub(plain, low)
    return _MARKED.findall(_PASSIVE.sub("not_be not", low))


def negates(word: str) -> bool:
    """Whether a token forbids what follows it."""
    return word in _NEGATORS


def content(word: str) -> str:
    """The stem under which a token counts; empty for a mark, a point, a negator and a word that says nothing."""
    if word in _NEGATORS or word in _RESETS or word in _BLAMED or word in _STOP or (len(word) == 1 and word.isascii()):
        return ""
    return stem(word.strip("`"))


def signed_terms(text: str) -> dict[str, int]:
    """The content stems of a text with +1 for what is asked for or spoken about and -1 for what is forbidden.

    A negator turns the sign until the next comma, stop or word such as "use", "but" or "in", unless that word is what
    it negates ("never use"); what stands in brackets has a sign of its own. "Instead of" and "rather than" are
    negators, and what "breaks" something is forbidden. A stem that stands on both sides keeps its first sign.
    """
    found: dict[str, int] = {}
    clause: list[str] = []
    sign, outside, before = 1, 1, ""
    for word in tokens(text):
        if word in _NEGATORS:
            sign = -1
        elif word in _RESETS:
            if word == "(":
                outside, sign = sign, 1
            elif word == ")":
                sign = outside
            elif before not in _NEGATORS or not word.isalpha():
                sign = 1
            clause.clear()
        elif word in _BLAMED:
            found.update(dict.fromkeys(clause, -1))
            if word == "not_so":
                clause.clear()
        elif (term := content(word)) and term not in found:
            found[term] = sign
            clause.append(term)
        before = word
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """Inverse document frequency of stems over a set of texts, in nats; rare stems weigh more."""

    frequency: Mapping[str, int]
    texts: int

    @classmethod
    def fit(cls, texts: Iterable[str]) -> Weights:
        """Count in how many of the texts each stem stands."""
        counts: Counter[str] = Counter()
        total = 0
        for text in texts:
            counts.update(signed_terms(text).keys())
            total += 1
        return cls(frequency=counts, texts=total)

    def __getitem__(self, term: str) -> float:
        """At least 0.3; about 3 for a stem that stands once among a few dozen texts."""
        return max(0.3, math.log((self.texts + 20) / (self.frequency.get(term, 0) + 1)))


class LexicalEmbedder:
    """Signed TF-IDF over the stems of the texts given; see the module's docstring."""

    name = "lexical"

    def __init__(self, weights: Weights | None = None) -> None:
        self._weights = weights

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Rows of shape (len(texts), V) over the V stems that occur; zero where a text has no content word."""
        import numpy as np

        weights = self._weights or Weights.fit(texts)
        bags = [signed_terms(text) for text in texts]
        axis = {term: i for i, term in enumerate(sorted({term for bag in bags for term in bag}))}
        rows = np.zeros((len(texts), max(1, len(axis))), dtype=np.float32)
        for row, bag in zip(rows, bags, strict=True):
            for term, sign in bag.items():
                row[axis[term]] = sign * weights[term]
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0)
