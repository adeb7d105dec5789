"""Forgetting, through every place that holds the words: ledger, drafts, and the memory of what was installed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ingrained.ids import MessageKey, PersonId, message_of
from ingrained.learn.pipeline import opened, put_drafts
from ingrained.skill.select import DEFAULT_BUDGET
from ingrained.store.forget import ForgetReport, forget


@dataclass(frozen=True, slots=True, kw_only=True)
class Which:
    """What to forget."""

    sessions: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    before: datetime | None = None
    person: str | None = None

    @property
    def nothing(self) -> bool:
        """Whether nothing is named."""
        return not (self.sessions or self.rules or self.before or self.person)


def erase(home: Path, which: Which) -> ForgetReport:
    """Forget, and bring the drafts up to date with what is left.

    Raises:
        UnknownNameError: there is no such rule.
        StoreError: the home folder cannot be used.
    """
    with opened(home, "forget") as here:
        messages: set[MessageKey] = set()
        if which.rules:
            view = here.view()
            messages = {message_of(item.atom) for name in which.rules for item in view.rule(name).evidence}
        report = forget(
            here.ledger,
            sessions=which.sessions,
            messages=messages,
            before=which.before,
            person=PersonId(which.person) if which.person else None,
        )
        put_drafts(here.view(), here.ledger, here.library, budget=DEFAULT_BUDGET, form="auto")
        return report
