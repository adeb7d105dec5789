"""Texts whose words no blank separates (Chinese, Japanese, Thai and others): runs of them as tokens that compare.

There is no dictionary. Function words of Chinese and Japanese are cut out (`words.toml`), what is left of a run counts
by its pairs of neighbouring characters, and a run of katakana is a word. What says no becomes the mark that `lexical`
gives it in other languages: "not" where it stands before what it forbids, "not_so" where it stands behind.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from importlib.resources import files
from itertools import pairwise

_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff々〆〇"
_HIRAGANA = "\u3041-\u309f"
_KATAKANA = "\u30a1-\u30fa\u30fc-\u30ff"
_OTHERS = "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Thai and Lao, Burmese, Khmer, with their marks."""
_RUN = re.compile(f"[{_HAN}{_HIRAGANA}{_KATAKANA}{_OTHERS}]+")
_KANA = re.compile(f"[{_HIRAGANA}{_KATAKANA}]")
_PIECE = re.compile(f"[{_KATAKANA}]+|[{_HAN}]+|[{_OTHERS}]+")
_POINTS = str.maketrans("，；：。！？（）", ",;:.!?()")
_LISTS = tomllib.loads(files("ingrained.embed").joinpath("words.toml").read_text(encoding="utf-8"))["unspaced"]


def _compiled(*languages: str) -> re.Pattern[str]:
    """All function words of the languages, each under the group of its mark; the first list that matches counts."""
    marks = ("whole", "nothing", "behind", "before", "instead_of", "but", "use")
    lists = {mark: [word for language in languages for word in _LISTS[language].get(mark, [])] for mark in marks}
    return re.compile("|".join(f"(?P<{mark}>{'|'.join(words)})" for mark, words in lists.items() if words))


_CHINESE = _compiled("chinese")
_JAPANESE = _compiled("japanese")
_MARKS = {"behind": "not_so", "before": "not", "instead_of": "instead_of", "but": "but", "use": "use"}
_POINT = re.compile(r"[,;:.!?()\n]")
_ASKS = frozenset(["use", "but"])
"""Marks of a clause that says what to do: "用 pnpm 不要用 npm" forbids the second only."""


def is_unspaced(term: str) -> bool:
    """Whether a term is a piece of such a run, so that two of them are about one word."""
    return bool(_RUN.match(term))


def spaced(text: str) -> str:
    """The text with blanks between the tokens of such runs; other text as it is."""
    if not _RUN.search(text):
        return text
    japanese = bool(_KANA.search(text))
    words = _JAPANESE if japanese else _CHINESE
    text = text.translate(_POINTS).replace("、", "," if japanese else " ")
    found: list[str] = []
    at, asks = 0, False
    for run in _RUN.finditer(text):
        between = text[at : run.start()]
        tokens = _tokens(run.group(), words, asks=asks and not _POINT.search(between))
        found += [between, *tokens]
        asks = not _ASKS.isdisjoint(tokens)
        at = run.end()
    return " ".join([*found, text[at:]])


def _tokens(run: str, words: re.Pattern[str], *, asks: bool) -> list[str]:
    """The tokens of a run. A negator forbids what stands before it too, unless the clause `asks` for that already."""
    found: list[str] = []
    at = 0
    for match in words.finditer(run):
        found += _pieces(run[at : match.start()])
        if match.lastgroup == "whole":
            found += _pieces(match.group())
        elif match.lastgroup == "before" and not asks and _ASKS.isdisjoint(found):
            found += ["not_be", "not"]
        elif mark := _MARKS.get(match.lastgroup or ""):
            found.append(mark)
        at = match.end()
    return found + _pieces(run[at:])


def _pieces(stretch: str) -> list[str]:
    """What counts of a stretch without function words: hiragana is grammar and falls out."""
    found: list[str] = []
    for match in _PIECE.finditer(stretch):
        piece = "".join(char for char in match.group() if not unicodedata.combining(char) and char.isalnum())
        if len(piece) < 3 or re.match(f"[{_KATAKANA}]", piece):
            found += [piece] if piece else []
        else:
            found += [a + b for a, b in pairwise(piece)]
    return found
