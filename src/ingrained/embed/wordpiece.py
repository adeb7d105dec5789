"""Words to the numbered pieces that the encoder knows, each with its place in the text.

The scheme is BERT's for text without case (Devlin et al. 2018): accents off, white space and punctuation cut, Chinese
characters alone, then the longest known piece first. A test holds it against the `tokenizers` package, which is not
used here because it would bring 30 MB of packages for downloading models along.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from typing import NamedTuple

_LONGEST_WORD = 100
"""Characters; a longer word is one unknown piece, as in the reference."""
_UNKNOWN = "[UNK]"
_CJK = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


class Piece(NamedTuple):
    """A piece of a text: its number, and the stretch `[start, end)` of characters that it stands for."""

    id: int
    start: int
    end: int


class WordPiece:
    """Cuts texts into pieces of one vocabulary."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        """The pieces in the order of their numbers; those inside a word begin with `##`."""
        self._ids: Mapping[str, int] = {piece: i for i, piece in enumerate(vocabulary)}
        self._unknown = self._ids[_UNKNOWN]
        self._known_words: dict[str, tuple[tuple[int, int], ...] | None] = {}

    def __getitem__(self, piece: str) -> int:
        """The number of a piece, such as `[CLS]`."""
        return self._ids[piece]

    def pieces(self, text: str) -> list[Piece]:
        """The pieces of a text in order; empty where it holds nothing but space."""
        found: list[Piece] = []
        for word, places in _words(text):
            cut = self._cut(word)
            if cut is None:
                found.append(Piece(self._unknown, places[0], places[-1] + 1))
                continue
            begin = 0
            for id, end in cut:
                found.append(Piece(id, places[begin], places[end - 1] + 1))
                begin = end
        return found

    def _cut(self, word: str) -> tuple[tuple[int, int], ...] | None:
        """The pieces of a word as (number, end), `None` where some part is unknown."""
        if word not in self._known_words:
            if len(self._known_words) > 100_000:
                self._known_words.clear()
            self._known_words[word] = self._longest_first(word)
        return self._known_words[word]

    def _longest_first(self, word: str) -> tuple[tuple[int, int], ...] | None:
        if len(word) > _LONGEST_WORD:
            return None
        cut: list[tuple[int, int]] = []
        begin = 0
        while begin < len(word):
            for end in range(len(word), begin, -1):
                id = self._ids.get(("##" if begin else "") + word[begin:end])
                if id is not None:
                    cut.append((id, end))
                    begin = end
                    break
            else:
                return None
        return tuple(cut)


def _words(text: str) -> list[tuple[str, list[int]]]:
    """The words of a text in plain letters, and for each letter its place in the text."""
    words: list[tuple[str, list[int]]] = []
    word: list[str] = []
    places: list[int] = []

    def close() -> None:
        if word:
            words.append(("".join(word), list(places)))
            word.clear()
            places.clear()

    for place, character in enumerate(text):
        if character.isspace():
            close()
        elif _is_control(character):
            continue
        elif character.isascii() and character.isalnum():
            word.append(character.lower())
            places.append(place)
        elif _is_cjk(ord(character)):
            close()
            words.append((character, [place]))
        else:
            for plain in unicodedata.normalize("NFD", character.lower()):
                if unicodedata.category(plain) == "Mn":
                    continue
                if _is_punctuation(plain):
                    close()
                    words.append((plain, [place]))
                else:
                    word.append(plain)
                    places.append(place)
    close()
    return words


def _is_control(character: str) -> bool:
    return character in "\0\ufffd" or unicodedata.category(character) in {"Cc", "Cf", "Cn", "Co", "Cs"}


def _is_cjk(code: int) -> bool:
    return code >= 0x3400 and any(low <= code <= high for low, high in _CJK)


def _is_punctuation(character: str) -> bool:
    return (
        "!" <= character <= "/" or ":" <= character <= "@" or "[" <= character <= "`" or "{" <= character <= "~"
    ) or (unicodedata.category(character).startswith("P"))
