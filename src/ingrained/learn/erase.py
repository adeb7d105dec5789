"""Forgetting, through every place that holds the words: ledger, drafts, and the memory of what was installed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ingrained.ids import MessageKey, PersonId, RuleId, message_of, normal_text
from ingrained.learn.pipeline import opened, put_drafts
from ingrained.learn.view import View
from ingrained.model.answers import count_answers, forget_answers
from ingrained.skill.rule import Rule
from ingrained.skill.select import DEFAULT_BUDGET
from ingrained.store.database import LEDGER_NAME
from ingrained.store.forget import forget, would_forget
from ingrained.store.retention import forget_rules


@dataclass(frozen=True, slots=True, kw_only=True)
class Which:
    """What to forget."""

    sessions: tuple[str, ...] = ()
    """Ids, with the tool before them (`claude-code:…`) as `why` shows them, or alone."""
    rules: tuple[str, ...] = ()
    before: datetime | None = None
    person: str | None = None

    @property
    def nothing(self) -> bool:
        """Whether nothing is named."""
        return not (self.sessions or self.rules or self.before or self.person)


def _said_for(view: View, rules: Sequence[str]) -> set[MessageKey]:
    """The messages that rules rest on, and every other message of the same person in the same words."""
    named = {message_of(item.atom) for name in rules for item in view.rule(name).evidence}
    texts = {(one.person, normal_text(one.text)) for one in view.heard if one.key in named}
    return {one.key for one in view.heard if (one.person, normal_text(one.text)) in texts}


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """What was removed."""

    version: int = 1
    messages: int
    copies: int
    """Places where those messages were seen."""
    sessions: int
    atoms: int
    decisions: int
    rules: int
    """Rules that are gone with them."""
    still_installed: int
    """Installed copies that still say one of those rules; the next install or undo there removes the rest."""
    kept: int
    """Copies of edited files, put aside by a forced undo, that were removed too: any of them may hold the words."""
    answers: int = 0
    """Stored answers of language models, removed for the same reason: all there were, whoever they are about."""
    gone: tuple[RuleId, ...] = ()
    """Ids of the rules that are gone; their texts are not told any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Going:
    """What `erase` would remove, for the question before it."""

    messages: int
    rules: tuple[Rule, ...]
    """They rest on these messages alone."""
    weaker: tuple[Rule, ...]
    """They rest on other messages too."""
    answers: int


def going(home: Path, which: Which) -> Going:
    """What would go; nothing is removed.

    Raises:
        UnknownNameError: there is no such rule.
        StoreError: the home folder cannot be used.
    """
    if not (home / LEDGER_NAME).exists():
        return Going(messages=0, rules=(), weaker=(), answers=0)
    with opened(home, "forget") as here:
        view = here.view()
        chosen = would_forget(
            here.ledger,
            sessions=_sessions(which),
            messages=_said_for(view, which.rules),
            before=which.before,
            person=_person(which),
        )
    touched = [rule for rule in view.rules if any(message_of(item.atom) in chosen for item in rule.evidence)]
    alone = [rule for rule in touched if all(message_of(item.atom) in chosen for item in rule.evidence)]
    return Going(
        messages=len(chosen),
        rules=tuple(alone),
        weaker=tuple(rule for rule in touched if rule not in alone),
        answers=count_answers(home) if chosen else 0,
    )


def erase(home: Path, which: Which) -> Erased:
    """Forget, and bring drafts and the library's memory up to date with what is left.

    Raises:
        UnknownNameError: there is no such rule.
        StoreError: the home folder cannot be used.
    """
    with opened(home, "forget") as here:
        before = here.view()
        report = forget(
            here.ledger,
            sessions=_sessions(which),
            messages=_said_for(before, which.rules),
            before=which.before,
            person=_person(which),
        )
        after = here.view()
        put_drafts(after, here.ledger, here.library, budget=DEFAULT_BUDGET, form="auto")
        gone = _ids(before) - _ids(after)
        still = forget_rules(here.library, gone) if gone else 0
        some = bool(report.messages or report.sessions or gone)
        return Erased(
            messages=report.messages,
            copies=report.copies,
            sessions=report.sessions,
            atoms=report.atoms,
            decisions=report.decisions,
            rules=sum(rule.id in gone for rule in before.rules),
            still_installed=still,
            kept=here.library.drop_kept() if some else 0,
            answers=forget_answers(home) if some else 0,
            gone=tuple(rule.id for rule in before.rules if rule.id in gone),
        )


def _sessions(which: Which) -> tuple[str, ...]:
    return tuple(shown.partition(":")[2] or shown for shown in which.sessions)


def _person(which: Which) -> PersonId | None:
    return PersonId(which.person) if which.person else None


def _ids(view: View) -> set[RuleId]:
    return {known for rule in view.rules for known in (rule.id, *rule.aliases)}
