"""Would a rule hold for a different task of the same person (SkillGrain, eq. 7, the decision z), and what kind is it?

Points again, from the transfer table. Words that end a request ("just this once", "for now") and words without an
object of their own ("leave it alone") are never a rule, whatever the points; words of a standing rule mostly are.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache

from ingrained.feedback.cues import EXPLICIT_POINTS, IN_A_LANGUAGE, TRANSFER_POINTS, cues, marker
from ingrained.feedback.decompose import Kind
from ingrained.feedback.detect import REFUSED_ACTION, weigh
from ingrained.session.session import Form

PRACTICE = 0.25
"""Confidence from which words that do not transfer by themselves speak of a practice, and count where they recur."""
_KIND_WORDS: tuple[tuple[Kind, str], ...] = (
    (
        "communication",
        r"your (?:answers?|repl\w+|responses?|summar\w+)|explain(?:ing)?|answer(?:s|ing)?|apologi[sz]\w*|"
        r"summari[sz]e|(?:two|one|short) sentences?|(?:british|american) spelling|"
        rf"{IN_A_LANGUAGE}|"
        r"ascii tables?|bullet points?|cont[eé]stame|agreeable|let me know|(?<!before you )tell me",
    ),
    (
        "commit",
        r"commit\w*|check(?:ed|ing)? (?:this |it |that |them )?in|push\w*|prs?|pull requests?|changelog|rebase|squash|"
        r"branch(?:es)?|merge|--no-verify|hooks?",
    ),
    (
        "validation",
        r"tests?|testing|lint|verify|check|assert\w*|expectations?|ci|suite|measure|profiler|reproduce|make sure",
    ),
    ("follow-up", r"docs?|documentation|readme|memory|learnings?|note|log|todos?|tickets?|issues?|linear|update"),
    (
        "style",
        r"comments?|imports?|nam(?:e|es|ing)|types?|helpers?|functions?|tabs?|spaces|indent\w*|style|format\w*|dry|"
        r"duplicat\w+|reuse|simpl\w+|early returns?|constants?|floats?|cents|columns?|literal\w*",
    ),
    ("workflow", r"before|after|first|ask|wait|plan|main|sub-?agents?|use|run|migrations?|deploy\w*"),
)
_KINDS = tuple((kind, re.compile(rf"\b(?:{words})\b", re.IGNORECASE)) for kind, words in _KIND_WORDS)
_HOLLOW = re.compile(
    r"^\W*(?:please |just |and |so |but |no,? |then )*"
    r"(?:leave|stop|always|never|do|don'?t do|don'?t|keep|fix|remove|drop|undo|revert|use|change|try|skip|yes|no)?\s*"
    r"(?:it|this|that|these|those|them|again|alone|so|there|here|now|please|already|\W)*$",
    re.IGNORECASE,
)
_HAPPENS = re.compile(
    r"^\W*(?:it |this |that )?(?:always|never) (?:mind|seen|saw|had|been|was|were|got|\d+|"
    r"(?:fail|return|hang|throw|get|end|break|load|work|happen|stop|disappear|render|start|open|close|reset|come|take|appear|"
    r"print|say|raise|time|show|update)s|(?:finish|crash|reach|go|flash|miss)es)\b",
    re.IGNORECASE,
)
"""Tells what happens, as "never finishes" does and "never finish" does not."""
_SARCASM = re.compile(
    r"^\W*(?:great|nice|wonderful|brilliant|fantastic|awesome|perfect|lovely)\b.*\b(?:another|again|exactly|just) ",
    re.IGNORECASE,
)
_NARROWS = re.compile(
    r"\bthis rule\b|\bthat rule\b|\b(?:only applies|applies only|holds only|is only (?:for|about))\b", re.IGNORECASE
)
_WHY = re.compile(r"\bwhy\b", re.IGNORECASE)
_RETRACTS = re.compile(
    r"\b(?:forget (?:what i said|that rule)|never ?mind (?:what i said|that rule|about)|scratch that|"
    r"i take (?:that|it) back)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Transfer:
    """Whether a clause transfers, how surely, and why."""

    transferable: bool
    confidence: float
    """In [0, 1]; a monotone map of the points, not calibrated."""
    explicit: bool
    reasons: tuple[str, ...]


def transfer(clause: str, form: Form = "typed") -> Transfer:
    """Judge one feedback clause."""
    base = weigh(clause, "transfer")
    points, reasons = base.points, base.reasons
    if form == "refusal":
        points += 2
        reasons = (REFUSED_ACTION, *reasons)
    explicit = is_explicit(clause)
    if not explicit and marker("explicit").search(clause):
        points -= EXPLICIT_POINTS
    if never := veto(clause):
        return Transfer(transferable=False, confidence=0.02, explicit=False, reasons=(never, *reasons))
    confidence = 1 / (1 + math.exp(-(points - TRANSFER_POINTS + 0.5) / 1.5))
    return Transfer(
        transferable=points >= TRANSFER_POINTS, confidence=round(confidence, 3), explicit=explicit, reasons=reasons
    )


def is_explicit(clause: str) -> bool:
    """Said as a standing rule ("always", "from now on"); a plain question with such a word states none."""
    asked = clause.rstrip().endswith("?") and not _WHY.search(clause)
    return not asked and bool(marker("explicit").search(clause))


def veto(clause: str) -> str:
    """Why a clause can be no rule however it sounds, as a phrase for a person to read; "" where nothing forbids it."""
    if marker("one_off").search(clause):
        return "the words end it with this task"
    if _HOLLOW.match(clause):
        return "no object of its own"
    if _SARCASM.search(clause):
        return "ironic praise"
    if _HAPPENS.match(clause):
        return "tells what happens"
    return ""


def speaks_for(reason: str) -> bool:
    """Whether one of the reasons of a judgement speaks for a demand or a rule: it is none why there is no rule."""
    return reason in _speaking_for()


@lru_cache(maxsize=1)
def _speaking_for() -> frozenset[str]:
    tables = (cues("feedback"), cues("transfer"))
    return frozenset([REFUSED_ACTION, *(cue.phrase for table in tables for cue in table if cue.points > 0)])


def kind_of(clause: str) -> Kind:
    """The first kind whose words stand in the clause, in the order of the table; `other` where none does."""
    return next((kind for kind, pattern in _KINDS if pattern.search(clause)), "other")


def insists(clause: str) -> bool:
    """The clause says what to do, or that something is the case again: it may repeat a rule that other words state."""
    if clause.rstrip().endswith("?") or marker("statement").search(clause):
        return False
    return bool(marker("directive").search(clause) or marker("insists").search(clause))


def narrows(clause: str) -> bool:
    """The clause restricts a rule given earlier rather than stating one."""
    return bool(_NARROWS.search(clause))


def retracts(clause: str) -> bool:
    """The clause takes an earlier rule back."""
    return bool(_RETRACTS.search(clause))
