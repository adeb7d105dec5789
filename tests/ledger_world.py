"""Small worlds of logs for tests of the ledger: lines of logs, forks of them, and passes over them in pieces."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from ingrained.ids import PersonId, message_key
from ingrained.session.session import Act, Cursor, Damage, FileRead, SessionFacts, Turn
from ingrained.store.ledger import Ledger

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
ME = PersonId("me")


def turn(
    text: str, *, key: str = "", session: str = "s1", line: int = 1, minute: int | None = 0, **more: object
) -> Turn:
    """A typed turn; without `key` its key is made from session and text."""
    values: dict[str, object] = {
        "key": message_key("test", key) if key else message_key("test", session, text),
        "tool": "claude-code",
        "session": session,
        "record": f"r{line}",
        "line": line,
        "text": text,
        "form": "typed",
        "time": None if minute is None else START + timedelta(minutes=minute),
        "cwd": "/home/dana/src/shop",
        "branch": "main",
        "act": Act(tool="Bash", input="git push", said="Pushed."),
    }
    return Turn(**values | more)  # type: ignore[arg-type]


def facts(session: str = "s1", *, minute: int | None = 0, **more: object) -> SessionFacts:
    """Facts of a session that starts and ends at the same minute unless told otherwise."""
    time = None if minute is None else START + timedelta(minutes=minute)
    values: dict[str, object] = {
        "tool": "claude-code", "session": session, "started": time, "ended": time, "cwd": "/home/dana/src/shop",
    }  # fmt: skip
    return SessionFacts(**values | more)  # type: ignore[arg-type]


def read(path: str, turns: list[Turn], sessions: list[SessionFacts] | None = None, **more: object) -> FileRead:
    """A pass over a whole log with these turns."""
    last = max((one.line for one in turns), default=0)
    values: dict[str, object] = {
        "path": path,
        "reader": "claude-code",
        "sessions": tuple(sessions if sessions is not None else [facts(s) for s in sorted({t.session for t in turns})]),
        "turns": tuple(turns),
        "set_aside": {}, "by_tag": 0, "refusals": 0, "unknown": {}, "damage": (), "secrets": {},
        "bytes_read": 100 * last,
        "cursor": Cursor(size=100 * last, mtime_ns=last, inode=7, offset=100 * last, prefix=f"b2:{last}", line=last),
        "resumed": False,
    }  # fmt: skip
    return FileRead(**values | more)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Line:
    """One line of an invented log: a turn, or something that is only counted."""

    turn: Turn | None = None
    count: str = ""


@dataclass(frozen=True)
class Log:
    """An invented log of one person; `lines` in file order."""

    path: str
    person: PersonId
    lines: tuple[Line, ...]
    parents: dict[str, str] = field(default_factory=dict)

    def part(self, start: int, end: int, *, resumed: bool) -> FileRead:
        """What a reader finds in the lines from `start` to `end`; the last line of an unfinished log is torn."""
        lines = self.lines[start:end]
        turns = [line.turn for line in lines if line.turn is not None]
        counts = [line.count for line in lines]
        damage = [
            Damage(kind="cut", lines=tuple(numbers[:10]), count=len(numbers))
            for numbers in [[n for n, line in enumerate(lines, start=start + 1) if line.count == "cut"]]
            if numbers
        ]
        if end < len(self.lines):
            damage.append(Damage(kind="torn", lines=(end + 1,), count=1))
        return read(
            self.path,
            turns,
            [self._facts(end)],
            resumed=resumed,
            set_aside={"headless": counts.count("headless")} if "headless" in counts else {},
            by_tag=counts.count("tag"),
            secrets={"mail": counts.count("mail")} if "mail" in counts else {},
            damage=tuple(damage),
            cursor=Cursor(size=end, mtime_ns=end, inode=1, offset=end, prefix=f"p{end}", line=end, state={"at": end}),
        )

    def passes(self, cuts: list[int]) -> list[FileRead]:
        """The log read in pieces that end at `cuts` and at its end."""
        ends = sorted({min(cut, len(self.lines)) for cut in cuts} - {0} | {len(self.lines)})
        starts = [0, *ends[:-1]]
        return [self.part(a, b, resumed=a > 0) for a, b in zip(starts, ends, strict=True)]

    def _facts(self, end: int) -> SessionFacts:
        """Readers remember what they saw of a session in earlier passes."""
        name = self.path.removeprefix("/logs/").removesuffix(".jsonl")
        turns = [line.turn for line in self.lines[:end] if line.turn is not None]
        aside = any(line.count == "headless" for line in self.lines[:end])
        times = [t.time for t in turns if t.time is not None]
        return SessionFacts(
            tool="claude-code",
            session=name,
            started=min(times, default=None),
            ended=max(times, default=None),
            cwd="/home/dana/src/shop",
            forked_from=self.parents.get(name, ""),
            reason="headless" if aside and not turns else None,
        )


WORDS = ("use pnpm", "do not push", "run the tests first", "use  pnpm", "yes", "write [redacted:mail] less")


@st.composite
def logs(draw: st.DrawFn) -> list[Log]:
    """Up to five logs of two people. Some fork an earlier log: under the same keys, or under new keys and
    times, and at times with other words than the original had when it was read."""
    made: list[Log] = []
    for n in range(draw(st.integers(1, 5))):
        person = PersonId(draw(st.sampled_from(["ana", "bo"])))
        session = f"s{n}"
        lines: list[Line] = []
        parents: dict[str, str] = {}
        if made and draw(st.booleans()):
            parent = draw(st.sampled_from(made))
            person = draw(st.sampled_from([parent.person, parent.person, person]))
            keep = draw(st.integers(0, len(parent.lines)))
            rekeyed = draw(st.booleans())
            if draw(st.booleans()) or rekeyed:
                parents[session] = parent.path.removeprefix("/logs/").removesuffix(".jsonl")
            for old in parent.lines[:keep]:
                ending = draw(st.sampled_from(["", "", " now", " [redacted:mail]"]))
                lines.append(_copied(old, session, len(lines) + 1, ending, rekeyed=rekeyed, shift=100 * n))
        for _ in range(draw(st.integers(0, 6))):
            if draw(st.integers(0, 3)) == 0:
                lines.append(Line(count=draw(st.sampled_from(["headless", "tag", "mail", "cut"]))))
            else:
                minute = draw(st.none() | st.integers(0, 400))
                place = len(lines) + 1
                key = f"{session}-{place}"
                lines.append(
                    Line(turn(draw(st.sampled_from(WORDS)), key=key, session=session, line=place, minute=minute))
                )
        made.append(Log(path=f"/logs/{session}.jsonl", person=person, lines=tuple(lines), parents=parents))
    return made


def _copied(line: Line, session: str, place: int, ending: str, *, rekeyed: bool, shift: int) -> Line:
    if line.turn is None:
        return line
    old = line.turn
    key = message_key("copy", old.key, session) if rekeyed else old.key
    time = None if old.time is None else old.time + timedelta(minutes=shift if rekeyed else 0)
    return Line(replace(old, key=key, session=session, line=place, time=time, text=old.text + ending))


def state(ledger: Ledger) -> dict[str, object]:
    """All that a ledger tells, for comparison."""
    return {
        "people": ledger.people(),
        "messages": ledger.messages(),
        "sessions": ledger.sessions(),
        "totals": ledger.totals(),
        "atoms": ledger.atoms("d", "1"),
        "decisions": ledger.decisions(),
        "ignored": ledger.ignored(),
    }
