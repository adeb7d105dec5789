"""Forgetting: words go from the ledger for good, and do not come back with the next reading of the same logs.

Forgetting a message forgets its words throughout its independent session: every copy in forks, resumes and exports,
under whatever key. What is left are keyed hashes. The rows are deleted in one transaction; then backups, free pages
and the write-ahead log are cleared of their bytes, by the next process that opens the ledger if this one is cut off.
Files outside the ledger that were made from the words (drafts, installed skills) are their owners' to clean.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime

from ingrained.errors import StoreError
from ingrained.ids import MessageKey, PersonId, message_of, normal_text
from ingrained.session.lineage import Message, SessionRef, independent_sessions
from ingrained.skill.rule import Decision
from ingrained.store import rows
from ingrained.store.database import BUSY_S
from ingrained.store.intake import drop_orphans
from ingrained.store.ledger import Ledger
from ingrained.store.tombstones import ANYONE, Tombstones


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetReport:
    """What was removed from the ledger."""

    messages: int
    copies: int
    """Places where those messages were seen."""
    sessions: int
    """Sessions whose facts went too."""
    atoms: int
    decisions: int
    """Decisions that hung on the removed messages alone."""


def forget(
    ledger: Ledger,
    *,
    sessions: Collection[str] = (),
    messages: Collection[MessageKey] = (),
    before: datetime | None = None,
    person: PersonId | None = None,
    wait_s: float = BUSY_S,
) -> ForgetReport:
    """Remove messages from the ledger, with all that hangs on them alone. Nothing named, nothing happens.

    Args:
        ledger: open for writing.
        sessions: ids of sessions; nothing said in them comes in any more, later words included.
        messages: keys of messages.
        before: everything said before this time; what has no time stays.
        person: of this person only; with nothing else named, everything of theirs.
        wait_s: how long to wait for other processes to end their reading.

    Raises:
        StoreError: another process kept the ledger in use. The words are gone from the ledger, but some of their
            bytes may stay in its files until the next command opens it.
        ValueError: `before` has no time zone.
    """
    if before is not None and before.tzinfo is None:
        raise ValueError("`before` needs a time zone")
    with ledger.database.writing("forget.", durable=True) as connection:
        chosen = _choose(ledger, set(sessions), set(messages), before, person)
        _bury(ledger.tombstones, connection, chosen)
        report = _remove(ledger.tombstones, connection, chosen)
        if chosen.messages or chosen.sessions:
            ledger.database.want_scrub()
    if ledger.database.scrub_pending() and not ledger.database.scrub(wait_s=wait_s):
        raise StoreError(
            f"the words are removed, but another process still reads {str(ledger.path)!r} or the disk is too full to "
            "rewrite it, so their bytes may be in its files yet",
            hint="end that process or free space; the next ingrained command clears the files",
        )
    return report


def would_forget(
    ledger: Ledger,
    *,
    sessions: Collection[str] = (),
    messages: Collection[MessageKey] = (),
    before: datetime | None = None,
    person: PersonId | None = None,
) -> frozenset[MessageKey]:
    """The messages that `forget` would remove for the same arguments; nothing is changed."""
    return frozenset(m.key for m in _choose(ledger, set(sessions), set(messages), before, person).messages)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chosen:
    """What is to go."""

    messages: list[Message]
    sessions: list[SessionRef]
    everyone_of: PersonId | None
    """A person of whom nothing is to stay."""
    who: PersonId
    """In whose name tombstones are set, and all of `roots` and `parents` is told: one person, or `ANYONE`."""
    roots: dict[SessionRef, SessionRef]
    parents: dict[SessionRef, SessionRef]

    def root(self, ref: SessionRef) -> SessionRef:
        """The independent session, as tombstones name it."""
        return self.roots[ref._replace(person=self.who)]


def _choose(
    ledger: Ledger, sessions: set[str], keys: set[MessageKey], before: datetime | None, person: PersonId | None
) -> _Chosen:
    known = ledger.messages(person)
    facts = {ref: fact for ref, fact in ledger.sessions().items() if person in {None, ref.person}}
    who = ANYONE if person is None else person
    # What is forgotten whoever said it goes through the sessions of all people as if they were one's.
    roots = independent_sessions(
        [replace(m, person=who, sightings=tuple(replace(s, person=who) for s in m.sightings)) for m in known],
        {ref._replace(person=who): fact for ref, fact in facts.items()},
    )
    everything = person is not None and not sessions and not keys and before is None

    def named(message: Message) -> bool:
        time = message.turn.time
        early = before is not None and time is not None and time < before
        return everything or early or message.key in keys or any(s.session in sessions for s in message.sightings)

    wordings = _wordings(ledger)

    def words(message: Message) -> set[tuple[SessionRef, str]]:
        return {(roots[message.ref._replace(person=who)], text) for text in wordings[message.key]}

    going = [message for message in known if named(message)]
    chosen = {place for message in going for place in words(message)}
    # A copy may be worded otherwise than the original; with each message all its wordings go, and who has one of them.
    while len(going) < len(grown := [message for message in known if words(message) & chosen]):
        going = grown
        chosen |= {place for message in going for place in words(message)}
    staying = {s.ref for message in known if not words(message) & chosen for s in message.sightings}
    refs = {s.ref for message in known for s in message.sightings} | set(facts)

    def over(ref: SessionRef) -> bool:
        ended = facts[ref].ended if ref in facts else None
        return before is not None and ended is not None and ended < before and ref not in staying

    return _Chosen(
        messages=going,
        sessions=sorted(ref for ref in refs if everything or ref.session in sessions or over(ref)),
        everyone_of=person if everything else None,
        who=who,
        roots=roots,
        parents={
            ref._replace(person=who): SessionRef(who, ref.tool, fact.forked_from)
            for ref, fact in facts.items()
            if fact.forked_from
        },
    )


def _wordings(ledger: Ledger) -> dict[MessageKey, set[str]]:
    """The texts of all copies of each message, white space apart."""
    found: dict[MessageKey, set[str]] = defaultdict(set)
    with ledger.database.reading() as connection:
        for key, text in connection.execute("SELECT DISTINCT key, text FROM sightings").fetchall():
            found[MessageKey(key)].add(normal_text(text))
    return found


def _bury(stones: Tombstones, connection: sqlite3.Connection, chosen: _Chosen) -> None:
    who = chosen.who
    for message in chosen.messages:
        lineage = stones.lineage(chosen.root(message.ref))
        for (text,) in connection.execute(
            "SELECT DISTINCT text FROM sightings WHERE key = ?", (message.key,)
        ).fetchall():
            stones.bury_message(who, message.key, text, lineage)
    for ref in chosen.sessions:
        stones.bury_session(who, ref, stones.lineage(chosen.root(ref)))
    touched = {chosen.root(message.ref) for message in chosen.messages}
    for ref, root in chosen.roots.items():
        if root in touched:
            for member in (ref, chosen.parents.get(ref, ref)):
                stones.link(who, member, stones.lineage(root))


def _remove(stones: Tombstones, connection: sqlite3.Connection, chosen: _Chosen) -> ForgetReport:
    copies = atoms = 0
    paths: set[str] = set()
    for message in chosen.messages:
        for path in {sighting.path for sighting in message.sightings}:
            paths.add(path)
            where = (rows.bind_path(path), message.key)
            copies += connection.execute("DELETE FROM sightings WHERE path = ? AND key = ?", where).rowcount
        judged = connection.execute("SELECT DISTINCT content FROM judged WHERE message = ?", (message.key,)).fetchall()
        atoms += drop_orphans(connection, [(message.key, content) for (content,) in judged])
    going = set(chosen.sessions)
    held = connection.execute("SELECT path, person, tool, session FROM sessions JOIN files USING (path)").fetchall()
    for path, person, tool, session in held:
        if SessionRef(person, tool, session) in going:
            paths.add(rows.path_of(path))
            where = (path, tool, session)
            connection.execute("DELETE FROM sessions WHERE path = ? AND tool = ? AND session = ?", where)
    for path in paths:
        _blind(connection, path)
    if chosen.everyone_of is not None:
        connection.execute("DELETE FROM files WHERE person = ?", (chosen.everyone_of,))
    return ForgetReport(
        messages=len(chosen.messages),
        copies=copies,
        sessions=len(chosen.sessions),
        atoms=atoms,
        decisions=_drop_decisions(stones, connection, {message.key for message in chosen.messages}),
    )


def _blind(connection: sqlite3.Connection, path: str) -> None:
    """Take the reader's state of a log, which may quote it; the log is read from its start once it changes."""
    bound = rows.bind_path(path)
    (cursor,) = connection.execute("SELECT cursor FROM files WHERE path = ?", (bound,)).fetchone()
    value = rows.cursor_json(rows.blind(rows.cursor_of(cursor)))
    connection.execute("UPDATE files SET cursor = ? WHERE path = ?", (value, bound))


def _drop_decisions(stones: Tombstones, connection: sqlite3.Connection, keys: set[MessageKey]) -> int:
    """Remove decisions that hang on nothing any more, and the forgotten evidence from the others."""

    def there(key: MessageKey) -> bool:
        return connection.execute("SELECT 1 FROM sightings WHERE key = ? LIMIT 1", (key,)).fetchone() is not None

    gone = {key for key in keys if not there(key)}
    for key in gone:
        stones.bury_evidence(key)
    removed = 0
    for name, value in connection.execute("SELECT id, decision FROM decisions").fetchall():
        decision = Decision.model_validate_json(value)
        rest = tuple(atom for atom in decision.atoms if message_of(atom) not in gone)
        if len(rest) == len(decision.atoms):
            continue
        connection.execute("DELETE FROM decisions WHERE id = ?", (name,))
        if any(there(message_of(atom)) for atom in rest):
            kept = decision.model_copy(update={"atoms": rest})
            connection.execute("INSERT OR IGNORE INTO decisions VALUES (?, ?, ?)", rows.decision_row(kept))
        else:
            removed += 1
    return removed
