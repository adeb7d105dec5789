"""What a text asks for and what it forbids, clause by clause: whether two texts can both be followed.

Signs of single words (`embed.lexical`) cannot tell "commit on a branch, never on main" from the opposite of "never
commit on main": commit is asked for in one and forbidden in the other. Here a clause is one claim, and a text forbids
what another asks for only where all that one clause of it forbids is in one clause that the other asks for.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from ingrained.embed.lexical import content, light, negates, tokens

_STOPS = frozenset(",;:.!?()\n")
_TURNS = frozenset(["but", "instead", "rather", "sino", "always", "please", "otherwise"])
"""Words that begin a clause of their own."""
_USES = frozenset(["use", "usa", "prefer"])
"""The same, but for "never use"."""
_REASONS = frozenset(["because", "since", "so"])
"""What follows them asks for nothing."""
_UNTIL = frozenset(["before", "until", "till"])
_LIMITS = frozenset(["unless", "only", "when", "if", "once", "while"])
_LACKS = frozenset(["without", "sin", "sem", "ohne", "sans", "senza"])
_SIDES = frozenset(["instead_of", "rather_than"])
_MODAL = frozenset(
    ["should", "must", "can", "may", "shall", "will", "do", "does", "did", "is", "are", "was", "were", "we", "you", "i",
     "they", "it", "not_be"]
)  # fmt: skip
"""Before a negator: what stands before them is what shall not be, or who shall not do it."""
_CONTRACTED = re.compile(r"(?!don't)[a-z]+n't$")
"""The same, and the negator in one word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One clause: what it is about, and whether that is forbidden."""

    forbidden: bool
    what: frozenset[str]
    """Stems."""
    until: frozenset[str] = frozenset()
    """Stems after "before" or "until"."""
    limited: bool = False
    """Asked for on a condition; forbidden with an exception."""


@dataclass(slots=True)
class _Open:
    """A clause that is being read."""

    forbidden: bool = False
    what: list[str] = field(default_factory=list)
    until: list[str] | None = None
    limited: bool = False
    excepts: bool = False
    """What comes now is an exception."""
    ignored: bool = False

    def add(self, term: str) -> None:
        """Put a stem where it belongs: to what the clause is about, or to what comes after it."""
        (self.what if self.until is None else self.until).append(term)


@lru_cache(maxsize=65536)
def claims(text: str) -> tuple[Claim, ...]:
    """The claims of a text, in order; clauses without a content word make none.

    "Never merge without a review" asks for the review: of two negations none is left.
    """
    found: list[Claim] = []
    now, ahead, before = _Open(), list[str](), ""
    for word in tokens(text):
        if _closes(word, now, before):
            ahead = _close(now, found, ahead)
            now = _Open(forbidden=_negates(word), ignored=word in _REASONS)
        elif word in _LACKS and now.forbidden:
            now.forbidden = False
        elif _negates(word):
            now.forbidden = True
        elif word == "not_so":
            now.forbidden = True
            ahead = _close(now, found, ahead)
            now = _Open()
        elif word in _UNTIL:
            now.until = []
        elif word in _LIMITS:
            now.limited, now.excepts = True, word == "unless"
        elif (term := content(word)) and not now.excepts:
            now.add(term)
        before = word
    _close(now, found, ahead)
    return tuple(found)


def _closes(word: str, now: _Open, before: str) -> bool:
    """Whether a word begins another clause."""
    if word in _STOPS or word in _TURNS or word in _REASONS or word in _SIDES:
        return True
    if word in _USES:
        return bool(now.what)
    if not _negates(word) or not now.what:
        return False
    if now.forbidden:
        return word not in _LACKS
    return word in _LACKS or not (before in _MODAL or _CONTRACTED.match(word))


def _negates(word: str) -> bool:
    return negates(word) or bool(_CONTRACTED.match(word))


def _close(now: _Open, found: list[Claim], ahead: list[str]) -> list[str]:
    """Adds the clause read; what stood before a comma after "before" belongs to the next one and is returned."""
    if now.ignored:
        return []
    if not now.what:
        return now.until or ahead
    until = now.until if now.until is not None else ahead
    found.append(
        Claim(
            forbidden=now.forbidden,
            what=frozenset(now.what),
            until=frozenset(until),
            limited=now.excepts if now.forbidden else now.limited,
        )
    )
    return []


def contradict(one: str, other: str) -> bool:
    """Whether one of two texts forbids what the other asks for, or each asks for a part of what the other forbids."""
    mine, theirs = claims(one), claims(other)
    if _asked(theirs, mine, _covers) or _asked(mine, theirs, _covers):
        return True
    wanted, unwanted = _asked(theirs, mine, _part), _asked(mine, theirs, _part)
    return bool(wanted and unwanted) and wanted.isdisjoint(unwanted)


def _asked(those: Sequence[Claim], these: Sequence[Claim], fits: Callable[[Claim, Claim], bool]) -> set[frozenset[str]]:
    """What the one side asks for that fits something that the other side forbids."""
    forbidden = [claim for claim in these if claim.forbidden]
    return {asked.what for asked in those if not asked.forbidden and any(fits(asked, claim) for claim in forbidden)}


def _part(asked: Claim, forbidden: Claim) -> bool:
    """Whether a part of what is forbidden is asked for: "no print for logging" and "use print"."""
    return bool(asked.what - light()) and asked.what <= forbidden.what and not forbidden.until


def _covers(asked: Claim, forbidden: Claim) -> bool:
    """Whether all that is forbidden is asked for.

    "Don't commit before the tests ran" and "run the tests before you commit" have the same words in another order.
    """
    own = forbidden.what - light()
    if not own or (forbidden.limited and asked.limited):
        return False
    if forbidden.until:
        return bool(asked.until) and own <= asked.what and bool(forbidden.until & asked.until)
    return own <= asked.what | asked.until and bool(own & asked.what)
