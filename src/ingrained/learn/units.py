"""Units of evidence: what an editor sees beside the skill, from documents, from trajectories, or from corrections.

The decision to know: of a trajectory the editor sees what the worker saw and did and the score, never what the verifier
knows of the task, what a simulated user was told, or the verifier's reasons, which may tell the answer. All of a
trajectory batch is of one family, since the anchors of its edits are drawn from there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from ingrained.errors import ConfigError
from ingrained.gate.anchors import Source
from ingrained.harness.base import Task, Trace
from ingrained.ids import canonical_json, content_hash
from ingrained.skill.lines import cut_lines
from ingrained.skill.outline import outline
from ingrained.skill.rule import Rule
from ingrained.verify.score import Outcome, Score

SEGMENT: Final = 6_000
"""Characters of a document segment at most."""
BATCH: Final = 4
"""Trajectories a unit; the paper's best of 1, 2, 4 and 8."""
_TRAJECTORY: Final = 4_000
"""Characters of a trajectory that are shown: its beginning and its end."""
_RESULT: Final = 400
"""Characters of a tool's result that are shown."""

Kind = Literal["document", "trajectories", "corrections"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One piece of evidence, as it is shown."""

    kind: Kind
    parts: tuple[str, ...]
    """Texts, each of which is put between marks of its own."""
    evidence: tuple[str, ...]
    """Keys that an edit for it rests on: atoms of the ledger, or hashes of what is shown."""
    source: Source
    """Which anchors are tied to it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """An attempt that was checked."""

    task: Task
    trace: Trace
    outcome: Outcome


def segments(text: str, *, family: str | None, most: int = SEGMENT) -> list[Unit]:
    """A document in pieces of `most` characters at most, in its order; together they are the text.

    A piece begins at a heading where one is near enough; a section that is too long is cut at line ends, a line that is
    too long within. None for a blank document. Without a family they are about the tasks of all.

    Raises:
        ConfigError: `most` is below 1.
    """
    if most < 1:
        raise ConfigError(f"segments of {most} characters: at least 1 is needed")
    if not text.strip():
        return []
    pieces = (
        piece
        for section in _sections(text)
        for piece in ([section] if len(section) <= most else _packed(_lines(section, most), most))
    )
    return [
        Unit(kind="document", parts=(one,), evidence=(_key(one),), source=Source(family=family))
        for one in _packed(pieces, most)
        if one.strip()
    ]


def batches(tried: Sequence[Tried], *, size: int = BATCH) -> list[Unit]:
    """Trajectories, `size` a unit and the last of a family maybe fewer, in their order within each family.

    Raises:
        ConfigError: `size` is below 1.
    """
    if size < 1:
        raise ConfigError(f"{size} trajectories a unit: at least 1 is needed")
    families: dict[str, list[Tried]] = defaultdict(list)
    for one in tried:
        families[one.task.family].append(one)
    return [
        _batch(family, found[at : at + size]) for family, found in families.items() for at in range(0, len(found), size)
    ]


def corrections(rules: Sequence[Rule], *, family: str | None) -> list[Unit]:
    """What a person said, a rule a unit, with the quotes that speak for and against it; about a family, or all.

    Left out: rules that were refused, superseded or retired, and those without a word that was typed.
    """
    found = []
    for rule in rules:
        typed = [one for one in rule.evidence if one.source == "typed"]
        if not typed or rule.status in {"refused", "superseded"} or rule.level == "retired":
            continue
        where = "; ".join([rule.scope.when, *rule.scope.paths]).strip("; ")
        said = [f"{'for' if one.stance == 'supports' else 'against'}: {one.quote}" for one in typed]
        lines = [f"demand: {rule.text}", *([f"where: {where}"] if where else []), *said]
        keys = tuple(dict.fromkeys(one.atom for one in typed))
        found.append(Unit(kind="corrections", parts=("\n".join(lines),), evidence=keys, source=Source(family=family)))
    return found


def _batch(family: str, tried: Sequence[Tried]) -> Unit:
    parts = tuple(_shown(one) for one in tried)
    return Unit(
        kind="trajectories",
        parts=parts,
        evidence=tuple(dict.fromkeys(_key(part) for part in parts)),
        source=Source(family=family, tasks=frozenset(one.task.id for one in tried)),
    )


def _shown(one: Tried) -> str:
    lines = [f"task: {one.task.request}"]
    lines += [f"{said.role}: {said.text}" for said in one.trace.messages]
    for action in one.trace.actions:
        failed = " (failed)" if action.failed else ""
        called = f"{action.by} called {action.tool} {canonical_json(action.arguments)}{failed}"
        lines.append(f"{called}: {_middle_out(action.result, _RESULT)}")
    if one.trace.answer and not any(said.text.strip() == one.trace.answer for said in one.trace.messages):
        lines.append(f"answer: {one.trace.answer}")
    score = f"score: {one.outcome.value:g} of 1" if isinstance(one.outcome, Score) else "score: none"
    shown = _middle_out("\n".join(lines), _TRAJECTORY)
    return f"{shown}\nended: {one.trace.stop}\n{score}"


def _middle_out(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most // 2]}\n[…]\n{text[-(most // 2) :]}"


def _sections(text: str) -> Iterator[str]:
    read = outline(text)
    starts = sorted({0, *(one.first for one in read.sections), len(read.lines)})
    for first, end in pairwise(starts):
        yield "".join(read.lines[first:end])


def _lines(text: str, most: int) -> Iterator[str]:
    for line in cut_lines(text):
        yield from (line[at : at + most] for at in range(0, len(line), most))


def _packed(pieces: Iterator[str], most: int) -> Iterator[str]:
    held = ""
    for piece in pieces:
        if held and len(held) + len(piece) > most:
            yield held
            held = ""
        held += piece
    if held:
        yield held


def _key(text: str) -> str:
    return content_hash(text, size=12)
