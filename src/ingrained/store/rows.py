"""Values to rows and back: how turns, facts, counts and cursors are spelt in the ledger.

Texts become valid Unicode here, once: what comes out of the ledger can be encoded anywhere. Paths keep every byte.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple, TypeVar, get_args

from ingrained.feedback.decompose import Atom
from ingrained.ids import MessageKey, PersonId, content_hash
from ingrained.session.lineage import Message, Sighting, sighting_order
from ingrained.session.session import Act, Cursor, Damage, FileRead, Reason, SessionFacts, Turn
from ingrained.skill.rule import Decision

K = TypeVar("K", bound=str)

_REDACTED: Final = "[redacted:"
_LAST_PASS_ONLY: Final = ("torn", "empty")
"""Damage that describes the end of the file as it was last seen; it is not summed over passes."""
_LINES: Final = 10


def clean(text: str) -> str:
    """The text with halves of surrogate pairs joined, and replaced by U+FFFD where the other half is missing."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def bind_path(path: str) -> str | bytes:
    """A path as the database holds it: text, or its bytes where a file name is not valid Unicode."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return path.encode("utf-8", "surrogatepass")
    return path


def path_of(value: str | bytes) -> str:
    """The path that `bind_path` bound."""
    return value if isinstance(value, str) else value.decode("utf-8", "surrogatepass")


def bind_time(time: datetime | None) -> str | None:
    """UTC in one fixed width, so that text order is time order."""
    return None if time is None else time.astimezone(UTC).isoformat(timespec="microseconds")


def time_of(value: str | None) -> datetime | None:
    """The time that `bind_time` bound."""
    return None if value is None else datetime.fromisoformat(value)


def clean_turn(turn: Turn) -> Turn:
    """The turn with valid Unicode throughout."""
    return replace(
        turn,
        session=clean(turn.session),
        record=clean(turn.record),
        text=clean(turn.text),
        cwd=clean(turn.cwd),
        branch=clean(turn.branch),
        act=Act(tool=clean(turn.act.tool), input=clean(turn.act.input), said=clean(turn.act.said)),
    )


def clean_facts(facts: SessionFacts) -> SessionFacts:
    """The facts with valid Unicode throughout."""
    return replace(
        facts,
        session=clean(facts.session),
        cwd=clean(facts.cwd),
        forked_from=clean(facts.forked_from),
        entrypoint=clean(facts.entrypoint),
    )


def content_of(turn: Turn) -> str:
    """Hash of what a decomposer judges: the words and what they answer, not where or when they were said."""
    act = turn.act
    return content_hash([turn.text, turn.form, act.tool, act.input, act.said, turn.after_interrupt, turn.by_tag])


def rank_of(turn: Turn, content: str) -> str:
    """Sorts copies of one message by their text: most redactions first, then the longest, then by hash.

    A copy read before the redaction knew a secret must never win over one read after.
    """
    return f"{max(0, 99999 - turn.text.count(_REDACTED)):05d}{max(0, 9999999999 - len(turn.text)):010d}{content}"


def turn_row(path: str | bytes, turn: Turn) -> tuple[object, ...]:
    """The columns of `sightings` for a turn in the log at `path` (bound), `live` aside."""
    content = content_of(turn)
    place = (path, turn.key, turn.tool, turn.session, turn.record, turn.line, bind_time(turn.time))
    words = (turn.cwd, turn.branch, turn.text, turn.form, json.dumps(asdict(turn.act), sort_keys=True))
    return (*place, *words, turn.after_interrupt, turn.by_tag, content, rank_of(turn, content))


def message_of(words: tuple[Any, ...], copies: Sequence[tuple[Any, ...]]) -> Message:
    """The message from the row of its best words and the rows of one person's copies."""
    key, _, text, form, act, after_interrupt, by_tag, _ = words
    seen = [
        (
            Sighting(
                person=PersonId(person),
                path=path_of(path),
                tool=tool,
                session=session,
                record=record,
                line=line,
                time=time_of(time),
                live=bool(live),
            ),
            cwd,
            branch,
        )
        for person, _, path, tool, session, record, line, time, live, cwd, branch in copies
    ]
    seen.sort(key=lambda one: sighting_order(one[0]))
    first, cwd, branch = seen[0]
    turn = Turn(
        key=MessageKey(key),
        tool=first.tool,
        session=first.session,
        record=first.record,
        line=first.line,
        text=text,
        form=form,
        time=first.time,
        cwd=cwd,
        branch=branch,
        act=Act(**json.loads(act)),
        after_interrupt=bool(after_interrupt),
        by_tag=bool(by_tag),
    )
    return Message(person=first.person, turn=turn, sightings=tuple(sighting for sighting, _, _ in seen))


def decision_row(decision: Decision) -> tuple[str, str | None, str]:
    """The columns of `decisions`: identity by content, time, and the decision as text."""
    return content_hash(decision.model_dump(mode="json")), bind_time(decision.time), decision.model_dump_json()


def cursor_json(cursor: Cursor) -> str:
    """The cursor as text."""
    return json.dumps(asdict(cursor), sort_keys=True)


def cursor_of(value: str) -> Cursor:
    """The cursor that `cursor_json` spelt."""
    return Cursor(**json.loads(value))


def judgement(cursor: Cursor) -> dict[str, object]:
    """How the log was read: all of the state but the reader's memory of the log's content, which lies in `state`."""
    return {name: value for name, value in cursor.state.items() if name != "state"}


def blind(cursor: Cursor) -> Cursor:
    """A cursor that knows an unchanged log and reads a changed one from its start, with no memory of its content."""
    return replace(cursor, offset=0, prefix="", line=0, state=judgement(cursor))


def facts_json(facts: SessionFacts) -> str:
    """The facts as text, times in UTC."""
    value = asdict(facts) | {"started": bind_time(facts.started), "ended": bind_time(facts.ended)}
    return json.dumps(value, sort_keys=True)


def facts_of(value: str) -> SessionFacts:
    """The facts that `facts_json` spelt."""
    found = json.loads(value)
    return SessionFacts(**found | {"started": time_of(found["started"]), "ended": time_of(found["ended"])})


def extend_facts(earlier: SessionFacts, later: SessionFacts) -> SessionFacts:
    """Facts of a session in one log after another pass, whose `reason` takes the earlier part into account."""
    return replace(
        earlier,
        started=_least(earlier.started, later.started),
        ended=_greatest(earlier.ended, later.ended),
        cwd=earlier.cwd or later.cwd,
        forked_from=earlier.forked_from or later.forked_from,
        entrypoint=earlier.entrypoint or later.entrypoint,
        reason=later.reason,
    )


def join_facts(copies: Iterable[SessionFacts]) -> SessionFacts:
    """Facts of a session from several logs that hold it, in any order.

    A session is set aside only where every copy is.
    """
    ordered = sorted(copies, key=lambda f: (f.started is None, bind_time(f.started), facts_json(f)))
    reasons = [facts.reason for facts in ordered]
    joined = ordered[0]
    for facts in ordered[1:]:
        joined = extend_facts(joined, facts)
    strongest = min((r for r in reasons if r is not None), key=get_args(Reason).index, default=None)
    return replace(joined, reason=None if None in reasons else strongest)


def atom_json(atom: Atom) -> str:
    """The atom as text."""
    return json.dumps(asdict(atom), sort_keys=True)


def atom_of(value: str) -> Atom:
    """The atom that `atom_json` spelt."""
    found: dict[str, Any] = json.loads(value)
    found |= {name: tuple(one) for name, one in found.items() if isinstance(one, list)}
    return Atom(**found)


class DamageCount(NamedTuple):
    """How often one kind of damage was met, and the first lines concerned (1-based; at most ten)."""

    count: int
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What one log held, or several together, beside the messages."""

    bytes: int = 0
    """Size of the logs when they were last read."""
    set_aside: dict[Reason, int] = field(default_factory=dict)
    """Turns in the user's role that no person typed, by reason."""
    by_tag: int = 0
    """Text blocks that were harness text by their tag alone."""
    refusals: int = 0
    """Refused tool calls, with or without words."""
    unknown: dict[str, int] = field(default_factory=dict)
    """Row types that no reader knows."""
    damage: dict[str, DamageCount] = field(default_factory=dict)
    """By kind; the lines mean something for one log alone."""
    secrets: dict[str, int] = field(default_factory=dict)
    """Redactions by kind."""

    @classmethod
    def of(cls, read: FileRead) -> Counts:
        """The counts of one pass."""
        return cls(
            bytes=read.cursor.size,
            set_aside=dict(read.set_aside),
            by_tag=read.by_tag,
            refusals=read.refusals,
            unknown={clean(kind): count for kind, count in read.unknown.items()},
            damage=_by_kind(read.damage),
            secrets=dict(read.secrets),
        )

    @classmethod
    def parse(cls, value: str) -> Counts:
        """The counts that `json` spelt."""
        found = json.loads(value)
        damage = {kind: DamageCount(count, tuple(lines)) for kind, (count, lines) in found["damage"].items()}
        return cls(**found | {"damage": damage})

    def json(self) -> str:
        """The counts as text."""
        return json.dumps(asdict(self), sort_keys=True)

    def extended(self, later: Counts) -> Counts:
        """The counts of one log after another pass over what was added to it."""
        stays = {kind: found for kind, found in self.damage.items() if kind not in _LAST_PASS_ONLY}
        return replace(replace(self, damage=stays).plus(later), bytes=later.bytes)

    def plus(self, other: Counts) -> Counts:
        """The counts of two logs together."""
        return Counts(
            bytes=self.bytes + other.bytes,
            set_aside=_sum(self.set_aside, other.set_aside),
            by_tag=self.by_tag + other.by_tag,
            refusals=self.refusals + other.refusals,
            unknown=_sum(self.unknown, other.unknown),
            damage=_sum_damage(self.damage, other.damage),
            secrets=_sum(self.secrets, other.secrets),
        )


def _by_kind(damage: Iterable[Damage]) -> dict[str, DamageCount]:
    found: dict[str, DamageCount] = {}
    for one in damage:
        found = _sum_damage(found, {one.kind: DamageCount(one.count, one.lines)})
    return found


def _sum_damage(one: Mapping[str, DamageCount], other: Mapping[str, DamageCount]) -> dict[str, DamageCount]:
    total = dict(one)
    for kind, (count, lines) in other.items():
        had = total.get(kind, DamageCount(0, ()))
        total[kind] = DamageCount(had.count + count, tuple(sorted({*had.lines, *lines}))[:_LINES])
    return dict(sorted(total.items()))


def _sum(one: Mapping[K, int], other: Mapping[K, int]) -> dict[K, int]:
    return {key: one.get(key, 0) + other.get(key, 0) for key in sorted({*one, *other})}


def _least(one: datetime | None, other: datetime | None) -> datetime | None:
    return min((time for time in (one, other) if time is not None), default=None)


def _greatest(one: datetime | None, other: datetime | None) -> datetime | None:
    return max((time for time in (one, other) if time is not None), default=None)
