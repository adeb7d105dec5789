"""Histories of people: who typed what in which session and when, each session once and the earliest first.

Logs are read and copies folded as `learn` does it. The decision to know: of a session that two formats hold, the one
that tells what the agent had done is taken and the other left, since a turn that was cut or cleaned differently would
count twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from ingrained.bench.people import Told, label_of, whose
from ingrained.feedback.decompose import Atom, Decomposer
from ingrained.ids import MessageKey, PersonId, ProjectId
from ingrained.learn.reading import ME, Finding, Roots, Trouble, read_all, sources
from ingrained.session.lineage import (
    Message,
    SessionRef,
    Sighting,
    independent_sessions,
    merge_copies,
    sighting_order,
)
from ingrained.session.redact import SecretRedactor
from ingrained.session.session import Act, SessionFacts, Turn
from ingrained.skill.rule import Heard, Said

PROJECT = ProjectId("name:foresee")
"""All of it counts as one project, so that what two people say can be one rule."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitting:
    """One independent session."""

    id: str
    start: datetime
    heard: tuple[Heard, ...]
    """In the order in which they were typed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """All dated sessions of one person, earliest first."""

    person: str
    sittings: tuple[Sitting, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """What was read."""

    histories: tuple[History, ...]
    """By name."""
    turns: Mapping[MessageKey, Turn]
    undated: int
    """Sessions without any time, which stand in no history."""
    nobodys: int
    """Sessions that are nobody's, or more than one person's."""
    unread: int
    """Files that were found and not read."""


def read_histories(roots: Roots, say: Callable[[str, int, int], None] = lambda _what, _done, _total: None) -> Archive:
    """Everybody's history. A plain path is divided into people by its folders (`people.label_of`).

    Args:
        roots: where the logs are, and of whom where that was said.
        say: progress, in bytes.

    Raises:
        EnvironmentFaultError: a path that was named does not exist.
        SessionFormatError: a file that was named is no log.
    """
    trouble = Trouble()
    items = sources(roots, (), trouble)
    total, done = sum(source.size for _, source in items), 0

    def progress(size: int) -> None:
        nonlocal done
        done += size
        say("reading", done, total)

    findings = list(read_all(items, roots, SecretRedactor(), trouble, progress=progress))
    return sort_out(findings, unread=len(trouble.skipped))


def sort_out(findings: Sequence[Finding], *, unread: int = 0) -> Archive:
    """Sessions by person, each once; the order of the findings does not matter."""
    formats = _formats(findings)
    people = whose(Told(_label(one), turn.session) for one in findings for turn in _turns(one))
    seen: dict[tuple[PersonId, MessageKey], list[tuple[Sighting, Turn]]] = {}
    facts: dict[SessionRef, SessionFacts] = {}
    nobodys: set[str] = set()
    for one in findings:
        for turn in _turns(one):
            person = PersonId(people[Told(_label(one), turn.session)])
            if not person:
                nobodys.add(turn.session)
            elif formats[turn.session] == turn.tool:
                sighting = _sighting(person, one.source.path, turn)
                seen.setdefault((person, turn.key), []).append((sighting, turn))
        for fact in one.read.sessions if one.read else ():
            person = PersonId(people.get(Told(_label(one), fact.session), ""))
            if person and formats[fact.session] == fact.tool:
                facts.setdefault(SessionRef(person, fact.tool, fact.session), fact)
    heard, turns = _heard(seen, facts)
    histories, undated = _histories(heard)
    return Archive(histories=histories, turns=turns, undated=undated, nobodys=len(nobodys), unread=unread)


def judged(judge_of: Callable[[str], Decomposer], turns: Iterable[tuple[str, Turn]]) -> dict[MessageKey, list[Atom]]:
    """The atoms of each turn, by the decomposer of its repository. The one place here that calls a decomposer."""
    batches: dict[str, list[Turn]] = {}
    for repository, turn in turns:
        batches.setdefault(repository, []).append(turn)
    found: dict[MessageKey, list[Atom]] = {}
    for repository, batch in sorted(batches.items()):
        answers = judge_of(repository).decompose(batch)
        found.update((turn.key, atoms) for turn, atoms in zip(batch, answers, strict=True))
    return found


def _label(finding: Finding) -> str:
    return label_of(finding.source.path, finding.source.reader) if finding.person == ME else finding.person


def _turns(finding: Finding) -> tuple[Turn, ...]:
    return finding.read.turns if finding.read else ()


def _formats(findings: Iterable[Finding]) -> dict[str, str]:
    """The format to take each session from: where the agent's acts are known, then the most messages, then by name."""
    counts: dict[str, dict[str, tuple[set[str], set[str]]]] = {}
    for one in findings:
        for turn in _turns(one):
            acted, said = counts.setdefault(turn.session, {}).setdefault(turn.tool, (set(), set()))
            said.add(turn.key)
            if turn.act != Act():
                acted.add(turn.key)
    return {
        session: min(tools, key=lambda tool: (not tools[tool][0], -len(tools[tool][1]), tool))
        for session, tools in counts.items()
    }


def _sighting(person: PersonId, path: str, turn: Turn) -> Sighting:
    return Sighting(
        person=person,
        path=path,
        tool=turn.tool,
        session=turn.session,
        record=turn.record,
        line=turn.line,
        time=turn.time,
        live=True,
    )


def _heard(
    seen: Mapping[tuple[PersonId, MessageKey], list[tuple[Sighting, Turn]]], facts: Mapping[SessionRef, SessionFacts]
) -> tuple[list[Heard], dict[MessageKey, Turn]]:
    messages: list[Message] = []
    for (person, _), places in seen.items():
        ordered = sorted(places, key=lambda place: sighting_order(place[0]))
        sightings = tuple(dict.fromkeys(sighting for sighting, _ in ordered))
        messages.append(Message(person=person, turn=ordered[0][1], sightings=sightings))
    roots = independent_sessions(messages, facts)
    merged = merge_copies(messages, roots).messages
    heard = [_one(message, roots.get(message.ref, message.ref)) for message in merged]
    return heard, {message.key: message.turn for message in merged}


def _one(message: Message, root: SessionRef) -> Heard:
    turn = message.turn
    return Heard(
        key=turn.key,
        person=message.person,
        project=PROJECT,
        session=f"{root.tool}:{root.session}",
        turn=turn.record,
        text=turn.text,
        form=turn.form,
        act=Said(tool=turn.act.tool, input=turn.act.input, said=turn.act.said),
        time=turn.time,
    )


def _histories(heard: Iterable[Heard]) -> tuple[tuple[History, ...], int]:
    sessions: dict[tuple[str, str], list[Heard]] = {}
    for message in heard:
        sessions.setdefault((message.person, message.session), []).append(message)
    people: dict[str, list[Sitting]] = {}
    undated = 0
    for (person, session), said in sessions.items():
        times = [message.time for message in said if message.time is not None]
        if times:
            people.setdefault(person, []).append(Sitting(id=session, start=min(times), heard=tuple(said)))
        else:
            undated += 1
    histories = (
        History(person=person, sittings=tuple(sorted(sittings, key=lambda s: (s.start, s.id))))
        for person, sittings in sorted(people.items())
    )
    return tuple(histories), undated
