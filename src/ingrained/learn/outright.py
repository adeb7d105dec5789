"""What was given outright counts as accepted, whenever it is judged: at once, or by a later `learn` if it was parked.

Said of a draft, not of a project: it holds wherever this person is written for. The atoms are stored under
`store.ledger.GIVEN`, so that another judge does not take them back. A judge that finds nothing in words that wait
leaves them to the next one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

from ingrained.feedback.decompose import DEFAULT_DECOMPOSER, Atom, Decomposer
from ingrained.ids import AtomKey, MessageKey, PersonId, normal_text
from ingrained.learn.view import View
from ingrained.session.session import Turn
from ingrained.skill.rule import Decision, Rule
from ingrained.store.ledger import GIVEN, Ledger

TOOL: Final = "feedback"
"""The format of messages that were given outright, where those of logs have theirs."""

Answers = dict[MessageKey, Sequence[Atom]]


def everywhere(atoms: Sequence[Atom]) -> list[Atom]:
    """The atoms without the project that the message's folder would give them."""
    return [replace(atom, project=False) for atom in atoms]


def outright_offline(turns: Sequence[Turn], judge: Decomposer) -> dict[MessageKey, list[Atom]]:
    """What the offline judge of `feedback` finds in those of the turns that were given outright and parked.

    None where another judge is asked. Of request and draft the turn knows the beginning, as it is kept.
    """
    parked = [turn for turn in turns if turn.tool == TOOL] if judge.name == DEFAULT_DECOMPOSER else []
    if not parked:
        return {}
    from ingrained.learn.remarks import remarks

    return {turn.key: list(remarks(turn, request=turn.act.input, draft=turn.act.said)[0]) for turn in parked}


def apart(turns: Sequence[Turn], answered: Mapping[MessageKey, Sequence[Atom]]) -> tuple[Answers, Answers]:
    """What a judge found in messages of sessions, and in words that were given outright and parked."""
    outright = {turn.key for turn in turns if turn.tool == TOOL}
    late: Answers = {key: everywhere(atoms) for key, atoms in answered.items() if key in outright and atoms}
    return {key: atoms for key, atoms in answered.items() if key not in late}, late


def put(ledger: Ledger, late: Answers) -> tuple[AtomKey, ...]:
    """Keep what was found in words given outright; returns atoms that cite words which nobody typed."""
    return ledger.add_atoms(*GIVEN, late).dropped if late else ()


def accept_late(ledger: Ledger, view: Callable[[], View], late: Answers) -> None:
    """The yes of each person to what was found in their words."""
    people = {message.key: message.person for message in ledger.messages()} if late else {}
    for key, atoms in late.items():
        if key in people:
            accept(ledger, view(), people[key], atoms)


def accept(ledger: Ledger, view: View, person: PersonId, atoms: Sequence[Atom]) -> None:
    """The person's yes to what transfers: as accepted in `review`, and theirs alone."""
    now = datetime.now(UTC)
    for atom in atoms:
        rule = rule_with(view, person, atom) if atom.transferable else None
        if rule is None or rule.held:
            continue
        keys = tuple(dict.fromkeys([atom.key, *(item.atom for item in rule.evidence if item.person == person)]))
        if rule.status not in {"accepted", "pinned"} or rule.tier != "personal":
            ledger.decide(Decision(action="tier", tier="personal", atoms=keys, time=now, source=TOOL))
        if rule.status != "pinned":
            ledger.decide(Decision(action="accept", atoms=keys, time=now, source=TOOL))


def rule_with(view: View, person: PersonId, atom: Atom) -> Rule | None:
    """The rule that an atom is part of; that of the same words said before, where the atom is a copy of those."""
    for rule in view.rules:
        if any(item.atom == atom.key for item in rule.evidence):
            return rule
    words = normal_text(atom.quote).casefold()
    return next(
        (
            rule
            for rule in view.rules
            if any(item.person == person and normal_text(item.quote).casefold() == words for item in rule.evidence)
        ),
        None,
    )
