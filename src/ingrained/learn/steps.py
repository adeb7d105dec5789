"""What a run of the editor leaves behind beside its replays: a line a proposed group, and a line a step that ended.

The published shapes of these lines. A group is written before anything of it is replayed, so that what an editor was
paid for is not asked again; a step says what came of it and what the document was before and after.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from pydantic import Field, JsonValue, TypeAdapter

from ingrained.gate.candidate import Candidate
from ingrained.gate.gaming import Hit
from ingrained.gate.records import read_lines
from ingrained.gate.replay import Replayed
from ingrained.gate.verdict import GroupVerdict
from ingrained.learn.editor import Proposed
from ingrained.skill.edit import Edit, Noop
from ingrained.skill.living import Living
from ingrained.skill.rule import Frozen


class Offered(Frozen):
    """One candidate of a group."""

    name: str = Field(min_length=1)
    edit: Edit | None = None
    """None where what came is no edit."""
    invalid: str = ""
    """Why it cannot be applied."""


class GroupLine(Frozen):
    """What an editor proposed for one unit of evidence."""

    version: Literal[1] = 1
    kind: Literal["group"] = "group"
    step: int = Field(ge=1)
    unit: int = Field(ge=0)
    """Which unit of the run's evidence, from 0."""
    before: str
    """Content hash of the document that the edits are for (`Living.hash`)."""
    candidates: tuple[Offered, ...]
    samples: tuple[str, ...]
    """The candidate that each sample proposed, by name; empty where no answer came."""
    answers: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    screened: dict[str, tuple[Hit, ...]] = Field(default_factory=dict)
    """Edits that are not replayed since a model read them as not for the work, by name."""

    @property
    def key(self) -> str:
        """What tells the line from every other of its run."""
        return f"group {self.step}"

    @classmethod
    def of(
        cls, step: int, unit: int, before: Living, proposed: Proposed, screened: Mapping[str, tuple[Hit, ...]]
    ) -> GroupLine:
        """A group, as it is kept."""
        offered = tuple(Offered(name=one.name, edit=one.edit, invalid=one.invalid) for one in proposed.candidates)
        return cls(
            step=step,
            unit=unit,
            before=before.hash,
            candidates=offered,
            samples=proposed.samples,
            answers=proposed.answers,
            missing=proposed.missing,
            screened=dict(screened),
        )

    def proposals(self, before: Living) -> list[Candidate]:
        """The candidates again, for the document that they were proposed for."""
        return [
            Candidate(name=one.name, edit=None, invalid=one.invalid)
            if one.edit is None
            else Candidate.of(one.name, before, one.edit)
            for one in self.candidates
        ]


class StepLine(Frozen):
    """What came of one unit of evidence."""

    version: Literal[1] = 1
    kind: Literal["step"] = "step"
    step: int = Field(ge=1)
    unit: int = Field(ge=0)
    evidence: tuple[str, ...]
    """Keys of what the unit showed."""
    before: str
    after: str
    """Content hashes of the document; equal where nothing was applied."""
    tokens: int
    """Of the document after the step (≈)."""
    applied: str = ""
    """Name of the edit that was applied; empty for none."""
    edit: Edit = Noop()
    """What was applied."""
    verdict: GroupVerdict
    refused: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Edits that were never replayed, with the reasons."""
    invalid: int = 0
    """Candidates that could not be applied."""
    replays: int = 0
    """Attempts that the verdicts rest on, a control that several edits share counted once."""
    overfit: bool = False
    """The anchors are the evidence's own tasks."""

    @property
    def key(self) -> str:
        """What tells the line from every other of its run."""
        return f"step {self.step}"

    @property
    def counts(self) -> dict[str, int]:
        """How many edits were accepted, rejected, inconclusive, refused and invalid."""
        found = dict.fromkeys(("accepted", "rejected", "inconclusive"), 0)
        for verdict in self.verdict.verdicts.values():
            found[verdict.status] += 1
        return {**found, "refused": len(self.refused), "invalid": self.invalid}


def replays(found: Replayed, *, raw: bool) -> int:
    """Attempts that the verdicts of a group rest on, a control that several edits share counted once."""
    pairs = [pair for some in found.pairs.values() for pair in some]
    controls = 0 if raw else len({(pair.task, pair.seed) for pair in pairs})
    return len(pairs) + controls


def groups_in(lines: Iterable[Mapping[str, JsonValue]]) -> dict[int, GroupLine]:
    """The groups among the lines of a run's directory, by step.

    Raises:
        GateError: a line says that it is one and is not.
    """
    return {one.step: one for one in read_lines(lines, {"group"}, TypeAdapter(GroupLine), "group of a run")}


def steps_in(lines: Iterable[Mapping[str, JsonValue]]) -> list[StepLine]:
    """The steps among the lines of a run's directory, in their order.

    Raises:
        GateError: a line says that it is one and is not.
    """
    return sorted(read_lines(lines, {"step"}, TypeAdapter(StepLine), "step of a run"), key=lambda one: one.step)
