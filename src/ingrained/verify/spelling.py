"""Words mistyped by one letter, as the words that they surely are.

Only a word that is no common English word is mended (the vocabulary of the encoder says which are), and only into a
word that decides something: one of the tables' or of a term. The decision that a reader must know: the first letter has
to be right, or the first two are swapped; anything further off stays as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib.resources import files

from ingrained.verify.lexicon import keywords, slips

_SHORTEST = 5
"""Letters; a shorter word has too many neighbours."""
_TOKEN = re.compile(r"(?<![\w'])[a-z]+(?![\w'])")


@lru_cache(maxsize=1)
def common() -> frozenset[str]:
    """Whole words that English text is full of. Cost: some milliseconds, once."""
    pieces = files("ingrained.embed").joinpath("weights", "vocabulary.txt").read_text("utf-8").split("\n")
    return frozenset(piece for piece in pieces if piece.isalpha())


def mended(text: str, words: Iterable[str] = ()) -> str:
    """Folded text with its mistyped words as what they stand for.

    Args:
        text: folded.
        words: further words that may be meant, as those of terms.
    """
    extra = frozenset(word for word in words if len(word) >= _SHORTEST)
    return _TOKEN.sub(lambda match: _mended(match.group(), extra), text)


def _mended(word: str, extra: frozenset[str]) -> str:
    known = keywords()
    if word in slips():
        return slips()[word]
    if word in known or word in extra or len(word) < _SHORTEST - 1 or word in common():
        return word
    for neighbours in (_swapped(word), _slipped(word)):
        near = {other for other in neighbours if len(other) >= _SHORTEST and (other in known or other in extra)}
        if len(near) == 1:
            return near.pop()
    return word


def _swapped(word: str) -> Iterator[str]:
    """A word with two neighbouring letters the other way round."""
    for i in range(len(word) - 1):
        yield word[:i] + word[i + 1] + word[i] + word[i + 2 :]


def _slipped(word: str) -> Iterator[str]:
    """A word with one letter less, one more, or another one."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    for i in range(len(word)):
        if i:
            yield word[:i] + word[i + 1 :]
            for letter in letters:
                yield word[:i] + letter + word[i:]
                if len(word) > _SHORTEST:
                    yield word[:i] + letter + word[i + 1 :]
    for letter in letters:
        yield word + letter
