"""What was forgotten, as keyed hashes: enough to know it when it comes again, and not a word more.

Each row is a hash under the ledger's own salt and a lineage, itself such a hash that names an independent session.
Marked are a message by its key; a session as a whole; a session's membership in a lineage; words within a lineage,
which catch a copy of a forgotten message under another key; and evidence on which no decision may hang any more.
"""

from __future__ import annotations

import re
import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from hashlib import blake2b
from typing import Final

from ingrained.ids import MessageKey, PersonId, canonical_json, normal_text
from ingrained.session.lineage import SessionRef
from ingrained.session.session import SessionFacts, Turn

ANYONE: Final = PersonId("")
"""Marks what was forgotten whoever it is attributed to."""

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)


class Tombstones:
    """The table of tombstones on an open connection. Calls belong in the caller's transaction."""

    def __init__(self, connection: sqlite3.Connection, salt: str) -> None:
        self._connection = connection
        self._salt = bytes.fromhex(salt)

    def any(self) -> bool:
        """Whether anything was ever forgotten."""
        return self._connection.execute("SELECT 1 FROM tombstones LIMIT 1").fetchone() is not None

    def lineage(self, root: SessionRef) -> str:
        """The name of an independent session among the tombstones."""
        return self._hash("lineage", *root)

    def bury_message(self, who: PersonId, key: MessageKey, text: str, lineage: str) -> None:
        """Mark a message by its key, and its words within its lineage."""
        self._put(self._hash("message", who, key), lineage)
        self._put(self._words(who, lineage, text), lineage)

    def bury_evidence(self, key: MessageKey) -> None:
        """Mark that nobody has the message any more, so that no decision may hang on it."""
        self._put(self._hash("evidence", key), "")

    def evidence_gone(self, key: MessageKey) -> bool:
        """Whether the message was forgotten, and nobody has it."""
        return bool(self._lineages(self._hash("evidence", key))) and not self._sightings(key)

    def bury_session(self, who: PersonId, ref: SessionRef, lineage: str) -> None:
        """Mark a session as a whole: nothing said in it comes in, later words included."""
        self._put(self._session(who, ref), lineage)

    def link(self, who: PersonId, ref: SessionRef, lineage: str) -> None:
        """Mark that the session belongs to the lineage."""
        self._put(self._link(who, ref), lineage)

    def session_forgotten(self, ref: SessionRef) -> bool:
        """Whether the session was forgotten as a whole."""
        return any(self._lineages(self._session(who, ref)) for who in (ANYONE, ref.person))

    def forgotten(self, person: PersonId, facts: Sequence[SessionFacts], turns: Sequence[Turn]) -> set[MessageKey]:
        """Keys of those turns of one log that were forgotten, or that copy what was.

        A session that turns out to belong to a lineage with tombstones is marked as such, so that a fork of it is
        known later.
        """
        refs = {turn.key: SessionRef(person, turn.tool, turn.session) for turn in turns}
        found = {turn.key for turn in turns if self.session_forgotten(refs[turn.key])}
        for who in (ANYONE, person):
            lineages: dict[SessionRef, set[str]] = defaultdict(set)
            for fact in facts:
                if fact.forked_from:
                    parent = SessionRef(person, fact.tool, fact.forked_from)
                    lineages[SessionRef(person, fact.tool, fact.session)] |= self._lineages(self._link(who, parent))
            for turn in turns:
                known = self._lineages(self._hash("message", who, turn.key))
                if known:
                    found.add(turn.key)
                for near in (refs[turn.key], *self._sessions_with(who, turn.key)):
                    known |= self._lineages(self._link(who, near))
                lineages[refs[turn.key]] |= known
            for ref, names in lineages.items():
                for lineage in sorted(names):
                    self.link(who, ref, lineage)
            for turn in turns:
                names = lineages[refs[turn.key]]
                if any(self._lineages(self._words(who, lineage, turn.text)) for lineage in names):
                    found.add(turn.key)
        return found

    def _sightings(self, key: MessageKey) -> bool:
        found = self._connection.execute("SELECT 1 FROM sightings WHERE key = ? LIMIT 1", (key,))
        return found.fetchone() is not None

    def _sessions_with(self, who: PersonId, key: MessageKey) -> list[SessionRef]:
        rows = self._connection.execute(
            "SELECT DISTINCT tool, session, person FROM sightings JOIN files USING (path) WHERE key = ?", (key,)
        )
        return [SessionRef(who, tool, session) for tool, session, person in rows.fetchall() if who in {ANYONE, person}]

    def _session(self, who: PersonId, ref: SessionRef) -> str:
        return self._hash("session", who, ref.tool, ref.session)

    def _link(self, who: PersonId, ref: SessionRef) -> str:
        # An export of another format carries the same UUID.
        tool = "" if _UUID.fullmatch(ref.session) else ref.tool
        return self._hash("link", who, tool, ref.session)

    def _words(self, who: PersonId, lineage: str, text: str) -> str:
        return self._hash("words", who, lineage, normal_text(text))

    def _hash(self, *parts: str) -> str:
        return blake2b(
            canonical_json(parts).encode("utf-8", "surrogatepass"), digest_size=20, key=self._salt
        ).hexdigest()

    def _put(self, name: str, lineage: str) -> None:
        self._connection.execute("INSERT OR IGNORE INTO tombstones VALUES (?, ?)", (name, lineage))

    def _lineages(self, name: str) -> set[str]:
        rows = self._connection.execute("SELECT lineage FROM tombstones WHERE hash = ?", (name,))
        return {lineage for (lineage,) in rows.fetchall()}
