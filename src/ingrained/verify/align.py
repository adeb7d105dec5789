"""Atoms against revision targets: does a rule ask for what was wrong, and is it rightly kept?

SkillGrain, appendix B.1 and eq. 12: c^a is 1 where an atom asks for its target, -1 where it asks for the contrary, 0
where that is unclear; c^z is 1 where its decision is the target's τ, -1 where not, 0 where no target is surely matched.
No model is asked: the same words give the same answer. The decision that a reader must know: doubt abstains. A wrong
credit teaches the contrary, and an atom without one keeps the advantage of its whole sequence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ingrained.verify.clauses import Statement, fold, read, unswapped
from ingrained.verify.lexicon import Event, scope, weak
from ingrained.verify.reading import TOPICS, Reading, reading, reading_of
from ingrained.verify.skill_reward import Stance
from ingrained.verify.spelling import mended
from ingrained.verify.stance import starts_unknown
from ingrained.verify.target import Target, Topic
from ingrained.verify.terms import action, found, partly, unnamed

Verdict: TypeAlias = Literal["aligned", "opposed", "unrelated", "abstain"]
"""An atom against one target: it asks for it, for the contrary, for something else; or one cannot tell."""
Credit: TypeAlias = Literal[-1, 0, 1]
_PUTS = re.compile(
    r"(?:(?:has|have|had|needs?|ought|got) to|must|should|say that|tell|use|using|add|include|insert|put|end|"
    r"start|open|"
    r"close|begin|ask|place|prefer|like|want)\b"
)
"""Of the words that ask for something, those that need a thing: "write clearly" may mean anything."""
_TEXT = re.compile(
    r"\b(?:texts?|drafts?|it|this|that|repl(?:y|ies)|answers?|responses?|reviews?|sentences?|prose|whole|"
    r"everything|words?|readers?|audience|writers?|authors?|points?|steps?)\b"
)
"""What an order is of that may mean any preference ("justify the text")."""
_PLAIN = 9
"""Words; what asks for something in more of them may ask for more than one sees."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment:
    """Credit of one atom, eq. 12."""

    content: Credit
    """c^a: does it ask for what a target asks?"""
    transfer: Credit
    """c^z: is its decision the target's τ?"""
    matched: tuple[int, ...]
    """Targets that it surely speaks of, by their place; for or against."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """The newest statement on a topic."""

    index: int
    """Its place among the statements."""
    sign: Literal[-1, 1] | None
    """1 for more, -1 for less; None where it contradicts itself or says no direction."""


def verdict(atom: str, target: Target) -> Verdict:
    """One atom against one target. Cost: some milliseconds; about a second once, for the word tables."""
    return verdicts(atom, (target,))[0]


def verdicts(atom: str, targets: Sequence[Target]) -> tuple[Verdict, ...]:
    """One atom against each target; the terms of all targets are content. Cost: that of `verdict`."""
    terms = list(dict.fromkeys(target.term for target in targets if target.term))
    folded = unswapped(mended(fold(atom), [word for term in terms for word in fold(term).split()]))
    places = found(folded, terms, atom)
    statement = read(folded, [event for _, event in places])
    said = reading_of(statement)
    about = bool(places) and action(statement, [event for _, event in places]) is not None
    return tuple(
        _on_term(statement, target, said, about, [event for term, event in places if term == target.term])
        if target.term
        else _on_preference(statement, target, said, about)
        for target in targets
    )


def _on_term(statement: Statement, target: Target, said: Reading, about: bool, own: Sequence[Event]) -> Verdict:
    if not own:
        return _without_term(statement, target, said, about)
    asked = action(statement, own)
    if asked is None:
        return "abstain"
    return "aligned" if asked == target.sign else "opposed"


def _on_preference(statement: Statement, target: Target, said: Reading, about: bool) -> Verdict:
    topic = target.topic
    claims = said.on(topic)
    if topic in said.vague:
        return "abstain"
    if not claims:
        return "unrelated" if about or said.claims or said.tells or _understood(statement) else "abstain"
    asked = {claim.sign for claim in claims if not claim.denied}
    ruled_out = {claim.sign for claim in claims if claim.denied}
    if len(asked) > 1 or asked & ruled_out or len(ruled_out - {-sign for sign in asked}) > 1:
        return "abstain"
    if asked:
        return "aligned" if target.sign in asked else "opposed"
    return "opposed" if target.sign in ruled_out else "abstain"


def _without_term(statement: Statement, target: Target, said: Reading, about: bool) -> Verdict:
    if partly(statement.text, target.term) or (unnamed(statement.text) and not about):
        return "abstain"
    if said.claims or about:
        return "unrelated"
    if said.vague == frozenset(TOPICS):
        return "abstain"
    return "unrelated" if said.tells or _understood(statement) else "abstain"


def _understood(statement: Statement) -> bool:
    """Whether a statement asks for a thing in plain English, so that silence on a topic is no mere ignorance of ours.

    A longer statement, one of several parts, a complaint, and one that names nothing ("add it back in") are not.
    """
    letters = [c for c in statement.text if c.isalpha()]
    ascii_letters = sum(c.isascii() for c in letters)
    if not letters or ascii_letters <= 0.7 * len(letters) or not scope("english").search(statement.text):
        return False
    if any(segment.complaint for segment in statement.segments):
        return False
    if weak("other").search(statement.text):
        return True
    if len(statement.text.split()) > _PLAIN or len(statement.segments) > 2 or scope("open").search(statement.plain):
        return False
    unknown = any(segment.words for segment in statement.segments)
    asks = [
        event.signal in {"mention", "drop", "no"} or _PUTS.match(statement.text, event.start)
        for segment in statement.segments
        for event in segment.events
    ]
    does = statement.segments and starts_unknown(statement.segments[0]) and not _TEXT.search(statement.text)
    return unknown and (any(asks) or bool(does))


def align(atom: str, transferable: bool, targets: Sequence[Target]) -> Alignment:
    """The credit of one atom among the targets of its interaction, eq. 12.

    c^a is 1 where all targets that it surely speaks of are aligned, -1 where all are opposed, else 0. c^z compares with
    their τ and is 0 where these differ: "make it longer by describing Paris" is a preference and a piece of content.
    """
    answers = verdicts(atom, targets)
    matched = tuple(i for i, answer in enumerate(answers) if answer in {"aligned", "opposed"})
    kinds = {answers[i] for i in matched}
    if len(kinds) != 1:
        return Alignment(content=0, transfer=0, matched=())
    taus = {targets[i].tau for i in matched}
    transfer: Credit = 0 if len(taus) != 1 else 1 if transferable == bool(taus.pop()) else -1
    return Alignment(content=1 if kinds == {"aligned"} else -1, transfer=transfer, matched=matched)


def omission(atoms: Sequence[str], targets: Sequence[Target]) -> float:
    """c_omit = -|M| / |T+| in [-1, 0]: the share of transferable targets that surely no atom speaks of.

    A target that some atom may mean, or asks the contrary of, is not missing: the paper applies no penalty where it is
    unclear whether a target was expressed, read here for each target alone. 0 without transferable targets.
    """
    wanted = [i for i, target in enumerate(targets) if target.tau == 1]
    if not wanted:
        return 0.0
    answers = [verdicts(atom, targets) for atom in atoms]
    missing = sum(all(answer[i] == "unrelated" for answer in answers) for i in wanted)
    return -missing / len(wanted) if missing else 0.0


def stances(rule: str) -> tuple[Stance, ...]:
    """What a rule says on each preference that it is about, as R_skill takes it (eq. 10).

    `more` is None where it says no direction, says both, or only rules one out. Words that may mean a preference and
    may not ("a warmer tone") say nothing.
    """
    said = reading(rule)
    found: list[Stance] = []
    for topic in TOPICS:
        if topic in said.named and topic.dimension not in {"coverage", "leakage"}:
            sign = said.direction(topic)
            more = None if sign is None else sign > 0
            found.append(Stance(dimension=topic.dimension, more=more, feature=topic.feature))
    return tuple(found)


def newest(statements: Sequence[str], topic: Topic) -> Stated | None:
    """The newest statement on a preference topic and its direction; None where no statement is about it.

    Statements stand from old to new. One without a direction counts only where none has one, since it changes nothing.
    """
    unclear: Stated | None = None
    for index in range(len(statements) - 1, -1, -1):
        said = reading(statements[index])
        claims = [claim for claim in said.on(topic) if not claim.denied]
        if claims:
            sign = said.direction(topic)
            return Stated(index=index, sign=None if sign is None else 1 if sign > 0 else -1)
        if unclear is None and said.touches(topic):
            unclear = Stated(index=index, sign=None)
    return unclear


def satisfied(statements: Sequence[str], target: Target) -> bool:
    """Whether the newest of the statements on a target's topic asks for what the target asks."""
    stated = newest(statements, target.topic)
    return stated is not None and stated.sign == target.sign
