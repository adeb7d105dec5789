"""Four preferences that no training rubric holds, as checks on a text (SkillGrain, section 5.6).

The paper names them and says that its checks are deterministic. Settled here, each 1 or 0 on the text without code and
block quotes:

- concise opening: the first sentence has at most 12 words;
- causal connectives: one at least of a closed list of unambiguous ones ("since" and "so" are not, "so that" is);
- continuous prose: no heading (marked by #, underlined, or a line in bold alone) and no list item;
- no hedging: none of a closed list; "may" and "could" count before a verb that they weaken ("may be", "could have").

A text without a word follows none of them; text without word separation is unscored. English only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, TypeAlias, get_args

from ingrained.verify.prose import MARKER, prose, sentences, without_code
from ingrained.verify.score import Outcome, Score
from ingrained.verify.words import unseparated, words

UnseenPreference: TypeAlias = Literal["concise opening", "causal connectives", "continuous prose", "no hedging"]
PREFERENCES: Final[tuple[UnseenPreference, ...]] = get_args(UnseenPreference)

OPENING_WORDS = 12

_CAUSAL = re.compile(
    r"\b(?:because|therefore|thus|hence|consequently|accordingly|as a (?:result|consequence)|for (?:this|that) reason|"
    r"due to|owing to|thanks to|(?:this|that|which) is why|so that|it follows that)\b",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:maybe|perhaps|possibly|probably|presumably|supposedly|apparently|seemingly|arguably|somewhat|likely|might|"
    r"(?:may|could)(?: well| also| not| perhaps)? (?:be|have|seem|help|lead|cause|become|make|need|want)|"
    r"(?:seems?|appears?|tends?) to|it (?:seems|appears)|(?:sort|kind) of|more or less|to some (?:extent|degree)|"
    r"i (?:think|believe|guess|suppose|feel)|in (?:my|our) (?:opinion|view)|not (?:entirely )?sure|"
    r"if i'm not mistaken)\b",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"^[ \t]{0,3}#{1,6}[ \t]+\S.*$|^[ \t]{0,3}\S.*\n[ \t]{0,3}(?:={3,}|-{3,}|~{3,})[ \t]*$|"
    r"^[ \t]*(?:\*\*[^*\n]+\*\*|__[^_\n]+__):?[ \t]*$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A preference as it is asked for. It is no `Target`: no pattern of appendix B.1 knows it."""

    tau: ClassVar[Literal[1]] = 1
    """It holds for other requests."""
    preference: UnseenPreference
    sign: Literal[-1, 1]
    """1: more of what follows it; -1: less of what breaks it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Adherence:
    """Whether a text follows one preference."""

    preference: UnseenPreference
    outcome: Outcome
    """1 or 0."""
    found: tuple[str, ...]
    """What decided: the opening sentence, the connectives, the headings and items, the hedges."""


def followed(text: str, preference: UnseenPreference) -> Adherence:
    """One of the four."""
    return next(one for one in adherence(text) if one.preference == preference)


def adherence(text: str) -> tuple[Adherence, ...]:
    """Each of the four preferences."""
    own = prose(text)
    opening = next(iter(sentences(own)), "")
    causal, hedges = _CAUSAL.findall(own), _HEDGE.findall(own)
    breaks = [part.strip() for pattern in (_HEADING, MARKER) for part in pattern.findall(without_code(text))]
    short = len(words(opening)) <= OPENING_WORDS
    decided: tuple[tuple[UnseenPreference, bool, list[str]], ...] = (
        ("concise opening", short and bool(opening), [" ".join(opening.split())]),
        ("causal connectives", bool(causal), causal),
        ("continuous prose", not breaks, breaks),
        ("no hedging", not hedges, hedges),
    )
    countable, trouble = bool(words(text)), unseparated(text)
    return tuple(
        Adherence(
            preference=preference,
            outcome=trouble or Score(value=float(follows and countable)),
            found=tuple(found),
        )
        for preference, follows, found in decided
    )
