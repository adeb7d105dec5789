"""Which messages are one message, and which sessions are one session: what forks, resumes, copies and exports leave.

A reader gives every copy of a message the same key where the log allows that. The rest is decided here, over all that
is known: sessions that share a message or a fork link are one independent session, named by its earliest known one,
and within it the same words under different keys are one message. Both functions are pure and look at sets, never at
the order in which logs were read.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import NamedTuple

from ingrained.ids import MessageKey, PersonId, normal_text
from ingrained.session.session import SessionFacts, Turn

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_LATEST = datetime.max.replace(tzinfo=UTC)


class SessionRef(NamedTuple):
    """A session as a log names it: whose, in which format, under which id."""

    person: PersonId
    tool: str
    session: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """One place where a message was seen."""

    person: PersonId
    path: str
    tool: str
    session: str
    record: str
    line: int
    time: datetime | None
    live: bool
    """Still there when the file was last read; logs are cleaned up, evidence is kept."""

    @property
    def ref(self) -> SessionRef:
        """The session that this copy belongs to."""
        return SessionRef(self.person, self.tool, self.session)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of one person with every copy of it that is known."""

    person: PersonId
    turn: Turn
    """Place and time (`tool`, `session`, `record`, `line`, `time`, `cwd`, `branch`) are the earliest copy's."""
    sightings: tuple[Sighting, ...]
    """Earliest first; all of `person`."""

    @property
    def key(self) -> MessageKey:
        """Identity of the message, the turn's key."""
        return self.turn.key

    @property
    def ref(self) -> SessionRef:
        """The session of the earliest copy."""
        return SessionRef(self.person, self.turn.tool, self.turn.session)


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """Messages without copies, and where the keys of the copies went."""

    messages: tuple[Message, ...]
    """In the order of `message_order`."""
    aliases: dict[MessageKey, MessageKey]
    """Key of a copy that no message bears to the key of the one that stands for it. Decisions may hang on either."""


def message_order(message: Message) -> tuple[object, ...]:
    """Sort key: earliest first, unknown times before all, then by place; total over messages of all people."""
    turn = message.turn
    return (turn.time is not None, _known(turn.time), turn.tool, turn.session, turn.line, turn.key, message.person)


def independent_sessions(
    messages: Iterable[Message], facts: Mapping[SessionRef, SessionFacts]
) -> dict[SessionRef, SessionRef]:
    """For every session, the independent session that it counts as: the earliest known of those linked to it.

    Linked are sessions of one person that share a message, that name one another (or the same third session, known or
    not) as `forked_from`, or that carry the same UUID in different log formats, as exports do. A session set aside
    as a whole stands for others only where nothing else is known.
    """
    sets = _Sets()
    starts: dict[SessionRef, datetime] = {}
    by_key: dict[tuple[PersonId, MessageKey], SessionRef] = {}
    by_id: dict[tuple[PersonId, str], SessionRef] = {}
    for message in messages:
        for sighting in message.sightings:
            ref = sighting.ref
            sets.join(by_key.setdefault((ref.person, message.key), ref), ref)
            starts[ref] = min(starts.get(ref, _LATEST), _known(sighting.time))
    for ref, fact in facts.items():
        sets.join(ref, ref)
        if fact.started is not None:
            starts[ref] = fact.started
        if fact.forked_from:
            sets.join(ref, SessionRef(ref.person, ref.tool, fact.forked_from))
    for ref in sets.members():
        if _UUID.fullmatch(ref.session):
            sets.join(by_id.setdefault((ref.person, ref.session.lower()), ref), ref)

    def rank(ref: SessionRef) -> tuple[object, ...]:
        fact = facts.get(ref)
        return (fact is not None and fact.reason is not None, starts.get(ref, _LATEST), ref)

    roots: dict[SessionRef, SessionRef] = {}
    for group in sets.groups():
        known = [ref for ref in group if ref in facts or ref in starts]
        root = min(known, key=rank)
        roots.update(dict.fromkeys(known, root))
    return roots


def merge_copies(messages: Iterable[Message], roots: Mapping[SessionRef, SessionRef]) -> Merged:
    """The messages with copies under other keys folded into one.

    Within one independent session the n-th time that the same words (white space apart) stand in one log is the same
    message as their n-th time in another log, whatever the keys. The earliest copy stands for all, takes over their
    sightings, and is placed where the independent session itself has it. Said twice in one log stays said twice.

    Args:
        messages: as the ledger gives them.
        roots: what `independent_sessions` says of the same messages.
    """
    messages = list(messages)
    nth = _occurrences(messages)
    groups: dict[tuple[SessionRef, str, int], list[Message]] = defaultdict(list)
    for message in messages:
        ref = message.ref
        place = (roots.get(ref, ref), normal_text(message.turn.text), nth[message.person, message.key])
        groups[place].append(message)
    kept: list[Message] = []
    aliases: dict[MessageKey, MessageKey] = {}
    for (root, _, _), group in groups.items():
        first = min(group, key=lambda m: (_known(m.turn.time), m.key))
        seen = sorted({sighting for message in group for sighting in message.sightings}, key=sighting_order)
        place = min(seen, key=lambda s: (s.ref != root, sighting_order(s)))
        turn = replace(first.turn, tool=place.tool, session=place.session, record=place.record, line=place.line)
        kept.append(replace(first, turn=turn, sightings=tuple(seen)))
        for message in group:
            if message.key != first.key:
                # Two people can hold the same copy; a key then leads to one place, whatever the order.
                aliases[message.key] = min(aliases.get(message.key, first.key), first.key)
    for message in kept:
        # It can be a copy for one person and stand for itself with another: then it means the one that bears it.
        aliases.pop(message.key, None)
    return Merged(messages=tuple(sorted(kept, key=message_order)), aliases=aliases)


def sighting_order(sighting: Sighting) -> tuple[object, ...]:
    """Sort key: earliest first, a known time before an unknown one, then by place; total."""
    return (_known(sighting.time), sighting.tool, sighting.session, sighting.path, sighting.line, sighting.person)


def _occurrences(messages: list[Message]) -> dict[tuple[PersonId, MessageKey], int]:
    """Which repetition of its words each message is in its log; the fullest of several logs decides."""
    logs: dict[tuple[object, ...], list[tuple[int, str, MessageKey]]] = defaultdict(list)
    for message in messages:
        text = normal_text(message.turn.text)
        any_live = any(sighting.live for sighting in message.sightings)
        for sighting in message.sightings:
            # Line numbers of vanished copies count in a file that is no more: they are compared among themselves.
            if sighting.live == any_live:
                log = (message.person, sighting.path, sighting.tool, sighting.session, sighting.live)
                logs[log].append((sighting.line, text, message.key))
    nth: dict[tuple[PersonId, MessageKey], int] = {}
    for message in messages:
        nth[message.person, message.key] = 1
    for log, lines in logs.items():
        person = PersonId(str(log[0]))
        count: dict[str, int] = defaultdict(int)
        for _, text, key in sorted(lines):
            count[text] += 1
            nth[person, key] = max(nth[person, key], count[text])
    return nth


def _known(time: datetime | None) -> datetime:
    return _LATEST if time is None else time


class _Sets:
    """Disjoint sets of sessions."""

    def __init__(self) -> None:
        self._parent: dict[SessionRef, SessionRef] = {}

    def join(self, one: SessionRef, other: SessionRef) -> None:
        self._parent[self._find(one)] = self._find(other)

    def members(self) -> list[SessionRef]:
        return list(self._parent)

    def groups(self) -> list[list[SessionRef]]:
        found: dict[SessionRef, list[SessionRef]] = defaultdict(list)
        for ref in self._parent:
            found[self._find(ref)].append(ref)
        return list(found.values())

    def _find(self, ref: SessionRef) -> SessionRef:
        path: list[SessionRef] = []
        while (up := self._parent.setdefault(ref, ref)) != ref:
            path.append(ref)
            ref = up
        for passed in path:
            self._parent[passed] = ref
        return ref
