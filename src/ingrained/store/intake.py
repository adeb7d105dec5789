"""Taking one pass over one log into the ledger.

All rows of a log are decided by that log's own passes: a pass over the whole log replaces what it gave before, a pass
from a cursor adds to it. Nothing here looks at other logs, except to count what is new and to know what was forgotten.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ingrained.ids import MessageKey, PersonId
from ingrained.session.lineage import SessionRef
from ingrained.session.session import Cursor, FileRead, SessionFacts, Turn
from ingrained.store import rows
from ingrained.store.tombstones import Tombstones


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """What one pass over one log brought."""

    new: int = 0
    """Messages of the person that the ledger did not have."""
    copies: int = 0
    """Messages that it had already, from this log or another."""
    forgotten: int = 0
    """Messages left out because they were forgotten before."""
    stale: bool = False
    """Nothing was added: the log was read on by another process meanwhile, or for someone else. The next pass from
    `Ledger.cursor` brings it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """What the ledger knows of a log."""

    person: PersonId
    cursor: Cursor
    counts: rows.Counts


def stored_file(connection: sqlite3.Connection, path: str) -> StoredFile | None:
    """The log at `path`, if it was read before."""
    row = connection.execute(
        "SELECT person, cursor, stats FROM files WHERE path = ?", (rows.bind_path(path),)
    ).fetchone()
    if row is None:
        return None
    return StoredFile(person=PersonId(row[0]), cursor=rows.cursor_of(row[1]), counts=rows.Counts.parse(row[2]))


def take_in(
    connection: sqlite3.Connection, tombstones: Tombstones, person: PersonId, read: FileRead, since: Cursor | None
) -> Added:
    """Add a pass to the ledger, within the caller's transaction.

    Args:
        connection: the ledger's.
        tombstones: what must not come back.
        person: whose log it is.
        read: the pass.
        since: the cursor from which a resumed pass began, where the caller knows it.
    """
    stored = stored_file(connection, read.path)
    if read.resumed:
        moved = since is not None and stored is not None and since != stored.cursor
        if stored is None or stored.person != person or moved:
            return Added(stale=True)
        if stored.cursor == read.cursor:
            return Added()
    whole = not read.resumed or stored is None or stored.cursor.offset == 0
    turns = [rows.clean_turn(turn) for turn in read.turns]
    facts = [rows.clean_facts(fact) for fact in read.sessions]
    hidden: set[MessageKey] = set()
    if tombstones.any():
        hidden = tombstones.forgotten(person, facts, turns)
        facts = [f for f in facts if not tombstones.session_forgotten(SessionRef(person, f.tool, f.session))]
    _put_file(connection, person, read, None if whole or stored is None else stored.counts, blind=bool(hidden))
    before = _mark_gone(connection, read.path) if whole else {}
    new = _put_turns(connection, person, read.path, [turn for turn in turns if turn.key not in hidden])
    if before and stored is not None:
        rejudged = rows.judgement(stored.cursor) != rows.judgement(read.cursor)
        _drop_replaced(connection, read.path, before, rejudged=rejudged)
    _put_facts(connection, read.path, facts, whole=whole)
    return Added(new=new, copies=len({turn.key for turn in turns} - hidden) - new, forgotten=len(hidden))


def drop_orphans(connection: sqlite3.Connection, contents: Iterable[tuple[MessageKey, str]]) -> int:
    """Remove what was made of words that no copy of their message has any more; how many atoms that were."""
    gone = 0
    for pair in contents:
        if connection.execute("SELECT 1 FROM sightings WHERE key = ? AND content = ?", pair).fetchone() is None:
            gone += connection.execute("DELETE FROM atoms WHERE message = ? AND content = ?", pair).rowcount
            connection.execute("DELETE FROM judged WHERE message = ? AND content = ?", pair)
    return gone


def _put_file(
    connection: sqlite3.Connection, person: PersonId, read: FileRead, before: rows.Counts | None, *, blind: bool
) -> None:
    counts = rows.Counts.of(read)
    if before is not None:
        counts = before.extended(counts)
    # The reader's state may quote the last words; where some are to be forgotten, it is not kept.
    cursor = rows.blind(read.cursor) if blind else read.cursor
    connection.execute(
        """INSERT INTO files VALUES (?, ?, ?, ?, ?) ON CONFLICT (path) DO UPDATE SET
        person = excluded.person, reader = excluded.reader, cursor = excluded.cursor, stats = excluded.stats""",
        (rows.bind_path(read.path), person, read.reader, rows.cursor_json(cursor), counts.json()),
    )


def _mark_gone(connection: sqlite3.Connection, path: str) -> dict[str, tuple[str, bool]]:
    """Mark all copies in the log as gone; what they were: content by key, and whether they were there until now."""
    bound = rows.bind_path(path)
    found = connection.execute("SELECT key, content, live FROM sightings WHERE path = ?", (bound,)).fetchall()
    connection.execute("UPDATE sightings SET live = 0 WHERE path = ?", (bound,))
    return {key: (content, bool(live)) for key, content, live in found}


def _drop_replaced(
    connection: sqlite3.Connection, path: str, before: dict[str, tuple[str, bool]], *, rejudged: bool
) -> None:
    """Remove what was made of words that read otherwise now.

    Where the log was read under another judgement (a newer reader, other options), a message that is no longer found
    was none: it goes. Where it was read the same way, its record went from the log, and the message stays as gone.
    """
    bound = rows.bind_path(path)
    found = connection.execute("SELECT key, content, live FROM sightings WHERE path = ?", (bound,)).fetchall()
    after = {key: (content, bool(live)) for key, content, live in found}
    for key, (content, was_live) in before.items():
        if rejudged and was_live and not after[key][1]:
            connection.execute("DELETE FROM sightings WHERE path = ? AND key = ?", (bound, key))
            drop_orphans(connection, [(MessageKey(key), content)])
        elif after[key][0] != content:
            drop_orphans(connection, [(MessageKey(key), content)])


def _put_turns(connection: sqlite3.Connection, person: PersonId, path: str, turns: Sequence[Turn]) -> int:
    bound = rows.bind_path(path)
    new = 0
    for turn in turns:
        new += _is_new(connection, person, turn.key)
        # Of two turns with one key the first counts, as for a reader that meets both in one pass.
        connection.execute(
            """INSERT INTO sightings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?)
            ON CONFLICT (path, key) DO UPDATE SET
            tool = excluded.tool, session = excluded.session, record = excluded.record, line = excluded.line,
            time = excluded.time, cwd = excluded.cwd, branch = excluded.branch, text = excluded.text,
            form = excluded.form, act = excluded.act, after_interrupt = excluded.after_interrupt,
            by_tag = excluded.by_tag, live = 1, content = excluded.content, rank = excluded.rank
            WHERE sightings.live = 0""",
            rows.turn_row(bound, turn),
        )
    return new


def _is_new(connection: sqlite3.Connection, person: PersonId, key: MessageKey) -> bool:
    found = connection.execute(
        "SELECT 1 FROM sightings JOIN files USING (path) WHERE key = ? AND person = ? LIMIT 1", (key, person)
    )
    return found.fetchone() is None


def _put_facts(connection: sqlite3.Connection, path: str, facts: Sequence[SessionFacts], *, whole: bool) -> None:
    bound = rows.bind_path(path)
    if whole:
        # Facts of sessions whose gone copies are kept stay with them.
        connection.execute(
            """DELETE FROM sessions WHERE path = ? AND NOT EXISTS (SELECT 1 FROM sightings AS s
            WHERE s.path = sessions.path AND s.tool = sessions.tool AND s.session = sessions.session)""",
            (bound,),
        )
    for fact in facts:
        row = connection.execute(
            "SELECT facts FROM sessions WHERE path = ? AND tool = ? AND session = ?", (bound, fact.tool, fact.session)
        ).fetchone()
        merged = fact if row is None or whole else rows.extend_facts(rows.facts_of(row[0]), fact)
        connection.execute(
            "INSERT OR REPLACE INTO sessions VALUES (?, ?, ?, ?)",
            (bound, fact.tool, fact.session, rows.facts_json(merged)),
        )
