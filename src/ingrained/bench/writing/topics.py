"""Topic words: which words of a text say what it is about, without saying how its author put it.

Single content words in the order of the alphabet. The most frequent of the text come first into the selection, then
the longest. Function words, words of the first person and adverbs in -ly are none: they are manner, not matter.
"""

from __future__ import annotations

from collections import Counter

from ingrained.verify.leakage import candidates, compared
from ingrained.verify.prose import prose
from ingrained.verify.words import words

MOST = 10
MOST_NAMES = 15
_LEAST_LETTERS = 5
_COMMON = frozenset(
    """actually already another anything basically because before better between change changed clear could currently
    different doing during every everything example first found given going instead itself least likely little looks
    maybe might needs never nothing often other others perhaps place please possible probably quite rather really
    right second seems several should similar simply since someone something sometimes still their there these thing
    things think those though through today under until using usually wants where which while whole without would
    write wrong yours also always around being cannot having however looking makes making means needed""".split()  # noqa: SIM905
)


def topic_words(text: str, *, most: int = MOST) -> tuple[str, ...]:
    """The topic words of a text, casefolded, sorted."""
    counts: Counter[str] = Counter()
    for word in words(prose(text)):
        plain = compared(word)
        if len(plain) >= _LEAST_LETTERS and plain.isalpha() and not plain.endswith("ly") and plain not in _COMMON:
            counts[plain] += 1
    chosen = sorted(counts, key=lambda word: (-counts[word], -len(word), word))[:most]
    return tuple(sorted(chosen))


def names(text: str, *, most: int = MOST_NAMES) -> tuple[str, ...]:
    """What a text names in one word: code, identifiers, names with a capital, numbers; in the order of the alphabet.

    A text is asked for with these, since nobody could guess them, and what a request names is no leak.
    """
    found = [one.text for one in candidates([text]) if one.kind != "quotation" and len(one.text.split()) == 1]
    return tuple(sorted(found[:most], key=lambda one: (one.casefold(), one)))
