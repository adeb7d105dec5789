"""Where words stand in a text: verbatim, or verbatim but for case, white space, quotation marks and the last stop.

The decision to know: a span is always cut from the text, never from the words that were looked for, so what it holds is
what the person wrote. Words match whole: "shorter" does not stand in "shorters".
"""

from __future__ import annotations

import re
from typing import Final

from ingrained.feedback.words import Span

_MARKS: Final = str.maketrans("‘’‚‛“”„‟«»´`–—‐‑", "''''\"\"\"\"\"\"''----")
_ENDS: Final = " \t\r\n.,;:!?…\"'()[]"
_WORD: Final = re.compile(r"\w+|[^\w\s]")


def find(text: str, words: str, *, start: int = 0) -> Span | None:
    """The first place at or after `start` where the words stand; `None` where they do not.

    Args:
        text: the person's.
        words: what may stand in it. Stops and quotation marks at their ends do not count.
        start: offset in characters from which is searched.
    """
    exact = words.strip()
    if not exact.strip(_ENDS):
        return None
    at = text.find(exact, start)
    while at >= 0:
        if _whole(text, at, at + len(exact)):
            return Span(start=at, end=at + len(exact), text=exact)
        at = text.find(exact, at + 1)
    return _loosely(text, exact.strip(_ENDS), start)


def same_words(one: str, other: str) -> bool:
    """Whether two texts are the same words in the same order, with the freedoms of `find`."""
    first, second = ([_folded(match.group()) for match in _WORD.finditer(text.strip(_ENDS))] for text in (one, other))
    return first == second


def _loosely(text: str, words: str, start: int) -> Span | None:
    wanted = [_folded(match.group()) for match in _WORD.finditer(words)]
    there = list(_WORD.finditer(text, start))
    folded = [_folded(match.group()) for match in there]
    for place in range(len(folded) - len(wanted) + 1):
        if folded[place : place + len(wanted)] == wanted:
            begin, end = there[place].start(), there[place + len(wanted) - 1].end()
            return Span(start=begin, end=end, text=text[begin:end])
    return None


def _folded(word: str) -> str:
    return word.translate(_MARKS).casefold()


def _whole(text: str, start: int, end: int) -> bool:
    """Whether a stretch cuts no word in two."""
    before = start == 0 or not (text[start - 1].isalnum() and text[start].isalnum())
    after = end == len(text) or not (text[end - 1].isalnum() and text[end].isalnum())
    return before and after
