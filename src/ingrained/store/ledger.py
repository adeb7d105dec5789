"""The ledger: what people said, what decomposers made of it, and what was decided. The primary record.

One SQLite file, `ledger.db`, in the home folder. Rules are never stored here; they are computed from what is. Every
row that a log gives depends on that log alone, and what is told of a message is chosen from all its copies by a fixed
order, so the order and the number of passes in which logs are read cannot change an answer. A copy that vanished from
its log stays, marked as gone: logs are cleaned up, evidence is kept.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final

from ingrained.feedback.decompose import Atom
from ingrained.ids import AtomKey, MessageKey, PersonId, message_of
from ingrained.session.lineage import Message, SessionRef, message_order
from ingrained.session.session import Cursor, FileRead, SessionFacts, Turn
from ingrained.skill.rule import Decision
from ingrained.store import rows
from ingrained.store.database import Database, typed
from ingrained.store.intake import Added, stored_file, take_in
from ingrained.store.tombstones import Tombstones

_BEST: Final = """SELECT key, content, text, form, act, after_interrupt, by_tag, min((1 - live) || rank)
    FROM sightings GROUP BY key"""
"""Per message the copy whose words count: one that is still there, then by `rows.rank_of`. SQLite takes the bare
columns from the row in which the minimum stands."""


GIVEN: Final = ("given", "1")
"""Name and version of the atoms of feedback that a person gave outright (`ingrained feedback`). They were shown to them
and decided on, so they hold beside those of any decomposer, and none judges their messages again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AtomsAdded:
    """What became of a decomposer's answers."""

    added: int
    dropped: tuple[AtomKey, ...]
    """Atoms that cite a message which the ledger does not have, or words that do not stand in it at `start`. Their
    messages count as not judged, and nothing of the answer about them is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Sums over all that was read. What a fork's log repeats is counted again in `counts`, as it was read again."""

    files: int
    messages: int
    """Distinct messages, per person."""
    sessions: int
    """Sessions as the logs name them, without those set aside."""
    sessions_set_aside: dict[str, int]
    """Sessions set aside as a whole, by reason."""
    counts: rows.Counts


class Ledger:
    """An open ledger; a context manager. One thread of one process holds one."""

    def __init__(self, database: Database) -> None:
        """Use `Ledger.open`."""
        self.database = database
        self.tombstones = Tombstones(database.connection, database.meta("salt"))
        self._handed: dict[str, Cursor] = {}

    @classmethod
    def open(cls, home: Path, *, read_only: bool = False) -> Ledger:
        """The ledger in `home`, checked for damage and brought to today's version; created unless `read_only`.

        Cost: one read of the whole file.

        Raises:
            StoreError: it is damaged, no ledger of ours, of a newer version, or held by another process for 30 s; or
                the folder cannot be written. With `read_only` a folder that cannot be written is fine, and it is an
                error where there is no ledger yet or it is of an older version.
        """
        return cls(Database.open(home, read_only=read_only))

    def __enter__(self) -> Ledger:
        """The ledger itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()

    def close(self) -> None:
        """Close the file; the ledger cannot be used any more."""
        self.database.connection.close()

    @property
    def path(self) -> Path:
        """The file."""
        return self.database.path

    # What logs gave

    def cursor(self, person: PersonId, path: str) -> Cursor | None:
        """How far the log at `path` was read for `person`; `None` where it was not, and has to be read whole."""
        with typed(self.path):
            stored = stored_file(self.database.connection, path)
        if stored is None or stored.person != person:
            return None
        self._handed[path] = stored.cursor
        return stored.cursor

    def add(self, person: PersonId, read: FileRead) -> Added:
        """Take in one pass over one log, in one transaction; the same pass twice changes nothing.

        A pass that began at a cursor adds to what the log gave before. A pass over the whole log replaces it: counts,
        facts and copies of messages. Copies that are no longer there are kept and marked as gone, unless the log was
        read by another reader version or with other options: then they were none. A log that is now read for somebody
        else moves to them with all that it gave.

        Raises:
            StoreError: the disk is full, or another process held the ledger for 30 s; nothing was added.
        """
        with self.database.writing("ledger.add-") as connection:
            added = take_in(connection, self.tombstones, person, read, self._handed.get(read.path))
        if not added.stale:
            self._handed.pop(read.path, None)
        return added

    def people(self) -> list[PersonId]:
        """Everyone for whom a log was read, sorted."""
        with self.database.reading() as connection:
            found = connection.execute("SELECT DISTINCT person FROM files ORDER BY person").fetchall()
        return [PersonId(person) for (person,) in found]

    def messages(self, person: PersonId | None = None) -> list[Message]:
        """Every message (of `person`) with all its copies, in the order of `message_order`.

        The words are those of a copy that is still in its log, most redacted first, then the longest, the same for
        all people who have the message. Place and time are the earliest copy's.
        """
        with self.database.reading() as connection:
            words = {row[0]: row for row in connection.execute(_BEST).fetchall()}
            found = connection.execute(
                """SELECT person, key, path, tool, session, record, line, time, live, cwd, branch
                FROM sightings JOIN files USING (path) WHERE person = coalesce(?, person)""",
                (person,),
            ).fetchall()
        copies: dict[tuple[str, str], list[tuple[object, ...]]] = defaultdict(list)
        for row in found:
            copies[row[0], row[1]].append(row)
        return sorted((rows.message_of(words[key], seen) for (_, key), seen in copies.items()), key=message_order)

    def sessions(self) -> dict[SessionRef, SessionFacts]:
        """What is known of every session, from all logs that hold it; sorted by person, format and id."""
        with self.database.reading() as connection:
            found = connection.execute("SELECT person, facts FROM sessions JOIN files USING (path)").fetchall()
        copies: dict[SessionRef, list[SessionFacts]] = defaultdict(list)
        for person, value in found:
            facts = rows.facts_of(value)
            copies[SessionRef(PersonId(person), facts.tool, facts.session)].append(facts)
        return {ref: rows.join_facts(copies[ref]) for ref in sorted(copies)}

    def totals(self, person: PersonId | None = None) -> Totals:
        """Sums over all logs (of `person`)."""
        with self.database.reading() as connection:
            stats = connection.execute(
                "SELECT stats FROM files WHERE person = coalesce(?, person)", (person,)
            ).fetchall()
            messages = connection.execute(
                """SELECT count(*) FROM (SELECT DISTINCT person, key FROM sightings JOIN files USING (path)
                WHERE person = coalesce(?, person))""",
                (person,),
            ).fetchone()[0]
        counts = rows.Counts()
        for (value,) in stats:
            counts = counts.plus(rows.Counts.parse(value))
        reasons = [facts.reason for ref, facts in self.sessions().items() if person in {None, ref.person}]
        return Totals(
            files=len(stats),
            messages=messages,
            sessions=reasons.count(None),
            sessions_set_aside={str(r): reasons.count(r) for r in sorted({r for r in reasons if r is not None})},
            counts=counts,
        )

    # What was made of it

    def unjudged(self, name: str, version: str) -> list[Turn]:
        """One turn per message whose words this version of the decomposer `name` has not judged, earliest first.

        What was given outright (`GIVEN`) is judged.
        """
        with self.database.reading() as connection:
            judged = connection.execute(
                "SELECT message, content FROM judged WHERE (name, version) IN (VALUES (?, ?), (?, ?))",
                (name, version, *GIVEN),
            ).fetchall()
            done = set(judged)
            todo = {row[0] for row in connection.execute(_BEST).fetchall() if (row[0], row[1]) not in done}
            messages = self.messages() if todo else []
        found: dict[MessageKey, Turn] = {}
        for message in messages:
            if message.key in todo:
                found.setdefault(message.key, message.turn)
        return list(found.values())

    def add_atoms(self, name: str, version: str, found: Mapping[MessageKey, Sequence[Atom]]) -> AtomsAdded:
        """Keep what a decomposer found, in one transaction; a message without atoms counts as judged too.

        A quote has to stand verbatim at its `start` in the message's text: what cites anything else is dropped. What
        other versions found stays beside it.
        """
        dropped: list[AtomKey] = []
        added = 0
        with self.database.writing("ledger.atoms-") as connection:
            for key, atoms in found.items():
                content, text, _ = connection.execute(
                    "SELECT content, text, min((1 - live) || rank) FROM sightings WHERE key = ?", (key,)
                ).fetchone()
                wrong = [a.key for a in atoms if a.message != key or not text or not text.startswith(a.quote, a.start)]
                dropped += wrong
                if wrong or content is None:
                    continue
                where = (name, version, key, content)
                connection.execute("DELETE FROM judged WHERE (name, version, message, content) = (?, ?, ?, ?)", where)
                connection.execute("INSERT INTO judged VALUES (?, ?, ?, ?)", where)
                connection.executemany(
                    "INSERT INTO atoms VALUES (?, ?, ?, ?, ?, ?, ?)",
                    [(*where, n, atom.start, rows.atom_json(atom)) for n, atom in enumerate(atoms)],
                )
                added += len(atoms)
        return AtomsAdded(added=added, dropped=tuple(dropped))

    def atoms(self, name: str, version: str) -> list[Atom]:
        """What this version of the decomposer found in the messages as they are now, by message and place.

        Of a message that was given outright they are the atoms that were decided on then (`GIVEN`).
        """
        with self.database.reading() as connection:
            best = {(row[0], row[1]) for row in connection.execute(_BEST).fetchall()}
            given = set(connection.execute("SELECT message, content FROM judged WHERE (name, version) = (?, ?)", GIVEN))
            found = connection.execute(
                """SELECT message, content, atom, (name, version) = (?, ?) FROM atoms
                WHERE (name, version) IN (VALUES (?, ?), (?, ?)) ORDER BY message, start, n""",
                (*GIVEN, name, version, *GIVEN),
            ).fetchall()
        return [
            rows.atom_of(value)
            for message, content, value, outright in found
            if (message, content) in best and (outright or (message, content) not in given)
        ]

    def chosen_judge(self) -> str:
        """Name of the decomposer that the last `learn` used; "" before the first."""
        return self.database.meta("decomposer")

    def judge_version(self, name: str) -> str:
        """The version under which `name` was last chosen, so that its atoms are found without it; "" for never."""
        return self.database.meta(f"decomposer {name}")

    def choose_judge(self, name: str, version: str) -> None:
        """Remember whose atoms count from now on."""
        with self.database.writing() as connection:
            connection.execute("INSERT OR REPLACE INTO meta VALUES ('decomposer', ?)", (name,))
            connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (f"decomposer {name}", version))

    # What was decided

    def decide(self, decision: Decision) -> bool:
        """Keep a decision; it is on disk when this returns. The same one twice is one.

        Evidence that was forgotten meanwhile is left out; with no other, the decision is not kept, and this is False.
        """
        with self.database.writing("ledger.decide-", durable=True) as connection:
            rest = tuple(a for a in decision.atoms if not self.tombstones.evidence_gone(message_of(a)))
            if rest:
                row = rows.decision_row(decision.model_copy(update={"atoms": rest}))
                connection.execute("INSERT OR IGNORE INTO decisions VALUES (?, ?, ?)", row)
        return bool(rest)

    def decisions(self) -> list[Decision]:
        """Every decision, earliest first."""
        with self.database.reading() as connection:
            found = connection.execute("SELECT decision FROM decisions ORDER BY time, id").fetchall()
        return [Decision.model_validate_json(value) for (value,) in found]

    def ignore(self, pattern: str) -> None:
        """Remember a pattern of logs that are not to be read."""
        with self.database.writing(durable=True) as connection:
            connection.execute("INSERT OR IGNORE INTO ignores VALUES (?)", (rows.clean(pattern),))

    def unignore(self, pattern: str) -> bool:
        """Drop a remembered pattern; whether it was there."""
        with self.database.writing(durable=True) as connection:
            return connection.execute("DELETE FROM ignores WHERE pattern = ?", (rows.clean(pattern),)).rowcount > 0

    def ignored(self) -> list[str]:
        """The remembered patterns, sorted."""
        with self.database.reading() as connection:
            found = connection.execute("SELECT pattern FROM ignores ORDER BY pattern").fetchall()
        return [pattern for (pattern,) in found]
