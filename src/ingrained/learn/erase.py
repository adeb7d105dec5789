"""Forgetting, through every place that holds the words: ledger, drafts, and the memory of what was installed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ingrained.ids import MessageKey, PersonId, RuleId, message_of, normal_text
from ingrained.learn.pipeline import opened, put_drafts
from ingrained.learn.view import View
from ingrained.model.answers import forget_answers
from ingrained.skill.select import DEFAULT_BUDGET
from ingrained.store.forget import forget
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
    """Stored answers of language models, removed for the same reason: all there were."""


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
            sessions=tuple(shown.partition(":")[2] or shown for shown in which.sessions),
            messages=_said_for(before, which.rules),
            before=which.before,
            person=PersonId(which.person) if which.person else None,
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
            rules=len(gone & {rule.id for rule in before.rules}),
            still_installed=still,
            kept=here.library.drop_kept() if some else 0,
            answers=forget_answers(home) if some else 0,
        )


def _ids(view: View) -> set[RuleId]:
    return {known for rule in view.rules for known in (rule.id, *rule.aliases)}
