"""Invented histories for tests of what earlier sessions foresee: messages, their atoms, and an exact similarity."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from ingrained.bench.cover import Covering, Saying, Statement
from ingrained.bench.foresee import Outcome, Plan
from ingrained.bench.foresight import Ask, Foresight, summed
from ingrained.bench.history import PROJECT, Archive, History, Sitting
from ingrained.bench.threshold import Labelled
from ingrained.feedback.decompose import Atom
from ingrained.feedback.offline import RuleDecomposer
from ingrained.ids import MessageKey, PersonId
from ingrained.learn.reading import Roots
from ingrained.session.session import Act, Turn
from ingrained.skill.rule import Heard, Said

START = datetime(2026, 1, 1, 9, tzinfo=UTC)
Talk = Sequence[Sequence[str]]
"""What one person typed, session by session."""


class Exact:
    """The same words are the same; nothing else has anything in common."""

    name = "exact"
    threshold = 1.0

    def fitted(self, texts: Sequence[str]) -> Covering:
        def covering(statements: Sequence[Statement], said: Sequence[Saying]) -> NDArray[np.float32]:
            rows = [[float(any(one.words == s.words for one in statement)) for s in said] for statement in statements]
            return np.array(rows, dtype=np.float32).reshape(len(statements), len(said))

        return covering


def history(person: str, talk: Talk, *, first_day: int = 0) -> History:
    """One session a day."""
    sittings: list[Sitting] = []
    for day, texts in enumerate(talk, start=first_day):
        start = START + timedelta(days=day)
        heard = tuple(
            Heard(
                key=MessageKey(f"{person}-{day:03}-{nth}"),
                person=PersonId(person),
                project=PROJECT,
                session=f"{person}:{day:03}",
                turn=str(nth),
                text=text,
                form="typed",
                act=Said(said="Done."),
                time=start + timedelta(minutes=nth),
            )
            for nth, text in enumerate(texts)
        )
        sittings.append(Sitting(id=f"{person}:{day:03}", start=start, heard=heard))
    return History(person=person, sittings=tuple(sittings))


def atoms_of(histories: Sequence[History]) -> dict[MessageKey, list[Atom]]:
    """Each text is one transferable atom, but for those that begin with "task:", which are no feedback."""
    return {
        message.key: [] if message.text.startswith("task:") else [_atom(message)]
        for one in histories
        for sitting in one.sittings
        for message in sitting.heard
    }


def _atom(message: Heard) -> Atom:
    return Atom(
        message=message.key,
        start=0,
        quote=message.text,
        text=message.text,
        kind="workflow",
        polarity="do",
        transferable=True,
        confidence=0.9,
    )


def by_person(found: Sequence[Outcome]) -> dict[str, Outcome]:
    """The outcomes of one cut."""
    assert len({outcome.cut for outcome in found}) == 1
    return {outcome.person: outcome for outcome in found}


PNPM = "always use pnpm and never npm"
CHANGELOG = "always put a changelog line into the same commit"
LINTER = "always run the linter before you commit"
ANA = history("ana", [["task: cart", PNPM], [PNPM, LINTER], [PNPM, "always name branches after the issue"], [LINTER]])
BEN = history("ben", [[CHANGELOG], [CHANGELOG, "task: tax"], ["task: none"], [CHANGELOG]])


def shape(*histories: History, cuts: tuple[float, ...] = (0.5,), labelled: Labelled | None = None) -> Foresight:
    """The summary with the decomposer that ships, on the same histories."""
    turns = {
        message.key: Turn(
            key=message.key, tool="t", session=message.session, record=message.turn, line=1, text=message.text,
            form="typed", time=message.time, cwd="", branch="", act=Act(said="Done."),
        )
        for one in histories for sitting in one.sittings for message in sitting.heard
    }  # fmt: skip
    archive = Archive(histories=histories, turns=turns, undated=0, nobodys=0, unread=0)
    return summed(
        archive, Ask(roots=Roots(), plan=Plan(cuts=cuts, least=4)), lambda _: RuleDecomposer(), Exact(), labelled
    )
