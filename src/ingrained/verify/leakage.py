"""Non-leakage: what of earlier texts must not turn up in a response, and whether it did.

SkillGrain, A.2, eq. 34. The paper draws its candidates with a model; here patterns do it, settled as follows:

- Candidates are code spans, quotations of up to five words, identifiers (also dotted names, paths, options, and words
  that mix letters and digits), words in camel case, numbers of two digits or more, capitalised words that begin no
  sentence and no line, and keywords.
- Keywords are the eight words with the highest TF-IDF, the author's texts taken as one document among those of the
  other authors, out of those that at most 2 % of the other authors use and at most half of the author's texts hold: a
  word in most of them is a habit. Without a population there are none.
- A stretch of text gives one candidate, of the first kind above that takes it.
- Words are compared whole, casefolded, without the plural's s or a possessive; a candidate of several words has to
  stand there in one piece.
- Function words, words of the first person and single letters are no candidates, nor is a capitalised word that the
  same texts also write small.
- A term of the current request is never a candidate: one all of whose words stand in it. For a held-out request the
  adaptation requests count as earlier texts (appendix F); the caller gives them among the sources.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from ingrained.verify.prose import CODE_SPAN, MARKER, QUOTED
from ingrained.verify.words import FIRST_PERSON, normal, tokens, words

Kind: TypeAlias = Literal["code", "quotation", "identifier", "camel case", "number", "capitalised", "keyword"]
Term: TypeAlias = tuple[str, ...]
"""One or more words as they are compared."""

KEYWORDS = 8
RARE = 0.02
"""Share of the other authors who use a term, up to which it can be a keyword."""
QUOTED_WORDS = 5

_SPAN = " _ "
"""What stands in the place of a piece that was taken: no word, and no end of a sentence."""
_IDENTIFIER = re.compile(
    r"(?<![\w-])--[a-z][\w-]*\w"
    r"|(?:[\w.~-]{0,80}/){2,9}[\w.-]{0,80}\w|\b[\w-]{1,80}/[\w-]{1,80}\.[a-z]\w{0,4}\b"
    r"|\b[^\W\d]\w+(?:(?:\.|::|->)[^\W\d]\w+)+(?:\(\))?"
    r"|\b\w*[^\W_]_\w+|(?<!\w)__\w+__(?!\w)|(?<!\w)_[^\W_]\w*(?<!_)(?!\w)|\b[^\W\d]\w*\(\)"
    r"|\b(?=\w*\d)(?=\w*[^\W\d_])\w+"
)
_CAMEL = re.compile(r"\b[^\W_]*[a-z0-9][A-Z]\w*|\b[A-Z]{2,}[a-z]\w*")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,:/-]\d+)*(?!\w)")
_OPENS = re.compile(r"(?:[.!?:]['\")\]\u201d\u00bb]*\s|\n|[\"\u201c\u201e\u00ab(\[])[^_]*\Z")
"""Between two words: that the second begins something."""
_FUNCTION_WORDS = frozenset(
    """a about above after again against all also am an and any are aren't as at be because been before being below
    between both but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each either
    else etc even ever few for from further had hadn't has hasn't have haven't having he her here hers herself him
    himself his how however i if in into is isn't it it's its itself just let let's may me might more most much must my
    myself neither no nor not now of off on once one only or other others ought our ours ourselves out over own per same
    shall she should shouldn't since so some such than that that's the their theirs them themselves then there these
    they they're this those though through thus to too under until up upon us very via was wasn't we were weren't what
    when where whether which while who whom whose why will with within without won't would wouldn't yes yet you you're
    your yours yourself yourselves""".split()  # noqa: SIM905
)


class Rarity(Protocol):
    """How many other authors there are, and how many of them use a term."""

    @property
    def others(self) -> int:
        """Authors whose texts were counted."""
        ...

    def using(self, word: str) -> int:
        """How many of them use the word, as `compared` gives it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Something of an earlier text that a response should not take over."""

    text: str
    """As it first stands there."""
    kind: Kind
    term: Term


def compared(word: str) -> str:
    """A word as it is compared: casefolded, without a possessive, in the singular by its ending alone."""
    plain = word.casefold().removesuffix("'s").rstrip("'")
    if len(plain) <= 3 or not plain.endswith("s") or plain.endswith(("ss", "us", "is")):
        return plain
    if plain.endswith("ies") and len(plain) > 4:
        return plain[:-3] + "y"
    if plain.endswith(("ches", "shes", "xes", "zes", "sses")):
        return plain[:-2]
    return plain[:-1]


def term(text: str) -> Term:
    """The words of a text as they are compared."""
    return tuple(compared(word) for word in words(text))


def candidates(sources: Sequence[str], *, rarity: Rarity | None = None) -> tuple[Candidate, ...]:
    """What in earlier texts counts as theirs alone, in the order of the kinds, each term once.

    Args:
        sources: the author's histories and, for a held-out request, the adaptation requests.
        rarity: of words among other authors; without it there are no keywords.
    """
    rest = [MARKER.sub("\n\n", normal(source)) for source in sources]
    small = {compared(token.text) for text in rest for token in tokens(text) if token.text[0].islower()}
    pieces: list[tuple[Kind, str]] = []
    for kind, take in _KINDS:
        for place, text in enumerate(rest):
            taken, rest[place] = take(text)
            pieces += [(kind, piece) for piece in taken]
    capitalised = [word for text in rest for word in _capitalised(text) if compared(word) not in small]
    pieces += [("capitalised", word) for word in capitalised]
    pieces += [("keyword", word) for word in (_keywords(sources, rarity) if rarity else ())]
    found: dict[Term, Candidate] = {}
    for kind, piece in pieces:
        key = term(piece)
        if any(map(_says_something, key)):
            found.setdefault(key, Candidate(text=" ".join(piece.split()), kind=kind, term=key))
    return tuple(found.values())


def _says_something(word: str) -> bool:
    return len(word) > 1 and word not in _FUNCTION_WORDS and word not in FIRST_PERSON


_Take: TypeAlias = Callable[[str], tuple[list[str], str]]
"""A text in; what was taken out of it, and the rest."""


def _all_of(pattern: re.Pattern[str]) -> _Take:
    return lambda text: ([match.group() for match in pattern.finditer(text)], pattern.sub(_SPAN, text))


def _code(text: str) -> tuple[list[str], str]:
    return [match.group().strip("`") for match in CODE_SPAN.finditer(text)], CODE_SPAN.sub(_SPAN, text)


def _quotations(text: str) -> tuple[list[str], str]:
    """Short ones; a long quotation is a passage, and is read like the text around it."""
    short = [match[1] for match in QUOTED.finditer(text) if len(words(match[1])) <= QUOTED_WORDS]
    rest = QUOTED.sub(lambda match: _SPAN if len(words(match[1])) <= QUOTED_WORDS else match.group(), text)
    return short, rest


def _numbers(text: str) -> tuple[list[str], str]:
    return [match.group() for match in _NUMBER.finditer(text) if sum(map(str.isdigit, match.group())) > 1], text


_KINDS: tuple[tuple[Kind, _Take], ...] = (
    ("code", _code),
    ("quotation", _quotations),
    ("identifier", _all_of(_IDENTIFIER)),
    ("camel case", _all_of(_CAMEL)),
    ("number", _numbers),
)


def _capitalised(text: str) -> list[str]:
    """Words that begin with a capital and nothing else: no sentence, line, quotation or part after a colon."""
    found: list[str] = []
    end = 0
    for token in tokens(text):
        gap = text[end : token.start] if end else "\n" + text[: token.start]
        if token.text[0].isupper() and not _OPENS.search(gap):
            found.append(token.text)
        end = token.end
    return found


def _keywords(sources: Sequence[str], rarity: Rarity) -> list[str]:
    wholes = [term(source) for source in sources]
    counts = Counter(word for whole in wholes for word in whole)
    spread = Counter(word for whole in wholes for word in set(whole))
    weights = {
        word: count * math.log((1 + rarity.others) / (1 + rarity.using(word)))
        for word, count in counts.items()
        if len(word) >= 3
        and not any(map(str.isdigit, word))
        and _says_something(word)
        and rarity.using(word) <= RARE * rarity.others
        and spread[word] <= max(1, len(sources) // 2)
    }
    rarest = sorted((word for word in weights if weights[word] > 0), key=lambda word: (-weights[word], word))
    return rarest[:KEYWORDS]


def unsupported(found: Iterable[Candidate], request: str) -> tuple[Candidate, ...]:
    """The candidates that the current request does not support: a word of each is missing in it."""
    asked = set(term(request))
    return tuple(one for one in found if not asked.issuperset(one.term))


def leaked(response: str, found: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """L(y), eq. 34: the candidates that stand in a response, each once however often it stands there."""
    said = stretches(response, {len(one.term) for one in found})
    return tuple(one for one in found if one.term in said)


def stretches(text: str, lengths: Iterable[int]) -> set[Term]:
    """Every run of as many words of a text, as they are compared."""
    whole = term(text)
    return {whole[at : at + size] for size in lengths for at in range(len(whole) - size + 1)}


def halved(count: int) -> float:
    """Eq. 9 and 34: 2^-count, in (0, 1]; 1 where nothing was carried over."""
    return 2.0**-count
