"""Words: the one tokeniser of every check on text, and which words are in the first person.

SkillGrain counts words (its eq. 23) and words of the first person per 100 words (eq. 24 to 29) without saying what a
word is. Settled here, for all that counts or compares words:

- Text is brought to NFKC, and curly apostrophes become straight ones.
- A word is a run of letters and digits, joined by single apostrophes or hyphens inside (`don't`, `lock-step`); an
  underscore is no part of a word.
- Text without word separation (Chinese, Japanese, Thai, Lao, Khmer, Burmese, Tibetan) is unscored: a run of its letters
  is no word. It counts as such from a fifth of its letters on, so that a foreign name does no harm.

Scripts that write vowels as combining marks (Devanagari) come out as more words than a reader sees.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from ingrained.verify.score import Unscored

_APOSTROPHES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201b": "'", "\u02bc": "'"})
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
_UNSEPARATED = re.compile(
    "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U000323af]"
)
UNSEPARATED_SHARE = 0.2
"""Of a text's letters that belong to a script without word separation, from which the text is unscored."""

FIRST_PERSON = frozenset(
    "i me my mine we us our ours".split() + "i'm i've i'll i'd we're we've we'll we'd".split()  # noqa: SIM905
)
"""SkillGrain's words of the first person, and their common contractions, casefolded."""
_LIST_I = re.compile(r"^[ \t]*\(?([Ii])[.)](?=\s|$)", re.MULTILINE)
_SIGN_BEFORE = re.compile(r"(?:[/&]|\b[^\W\d_]\.)\Z")
_SIGN_AFTER = re.compile(r"[/&][^\W_]|\.[^\W\d_]\b")


class Token(NamedTuple):
    """A word as written, and its stretch `[start, end)` of characters in the normal form of its text."""

    text: str
    start: int
    end: int


def normal(text: str) -> str:
    """The form in which words are looked for: NFKC, straight apostrophes. Idempotent."""
    return unicodedata.normalize("NFKC", text).translate(_APOSTROPHES)


def tokens(text: str) -> list[Token]:
    """The words in order, with their places in `normal(text)`."""
    return [Token(match.group(), match.start(), match.end()) for match in _WORD.finditer(normal(text))]


def words(text: str) -> list[str]:
    """The words in order, as they are written."""
    return _WORD.findall(normal(text))


def unseparated(text: str) -> Unscored | None:
    """Why the words of a text cannot be counted; None where they can."""
    plain = normal(text)
    letters = sum(map(str.isalpha, plain))
    foreign = sum(map(str.isalpha, _UNSEPARATED.findall(plain)))
    if foreign and foreign >= UNSEPARATED_SHARE * letters:
        return Unscored(reason="the text has no word separation")
    return None


def first_person(text: str) -> list[str]:
    """The words of the first person in order, as they are written (SkillGrain, A.2).

    Not counted, though spelled the same: the country "US" in capitals, a list marker ("I." or "(i)" at the start of a
    line), and an I inside a longer sign ("I/O", "i.e.", "A.I."). The last is an addition to the paper's list.
    """
    plain = normal(text)
    markers = {match.start(1) for match in _LIST_I.finditer(plain)}
    return [
        token.text
        for token in tokens(plain)
        if token.text.casefold() in FIRST_PERSON
        and token.text != "US"
        and token.start not in markers
        and not (token.text in {"I", "i"} and _inside_a_sign(plain, token))
    ]


def _inside_a_sign(text: str, token: Token) -> bool:
    before, after = text[max(0, token.start - 3) : token.start], text[token.end : token.end + 3]
    return bool(_SIGN_BEFORE.search(before) or _SIGN_AFTER.match(after))


def per_hundred(count: float, total: int) -> float:
    """How often something stands in a text, per 100 of its words; 0 where it has none."""
    return 100 * count / total if total else 0.0
