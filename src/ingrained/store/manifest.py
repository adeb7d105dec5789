"""The manifest of the library: which drafts there are, which copies are installed where, and each step that led there.

One JSON file, replaced whole. Texts are not in it but in blobs, named by their hashes, so that it stays small and a
version that was ever written is recognised by its hash alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from pydantic import Field

from ingrained.errors import StoreError
from ingrained.ids import ProjectId, RuleId
from ingrained.skill.rule import Frozen

MANIFEST_VERSION = 1

PieceKind = Literal["skill", "block", "rules-file"]
"""A SKILL.md; our marked block in a file of the person's; a rules file that is ours alone."""

ChangeKind = Literal[PieceKind, "settings"]
"""`settings`: our hook in an agent's settings file, which is no copy of a draft."""

Into = Literal["user", "project"]


class Piece(Frozen):
    """One text of a draft: its skill, its block, or one of its rules files."""

    kind: PieceKind
    stem: str = ""
    """Tells several rules files of one draft apart; empty for the first and for the other kinds."""
    rendered: str
    """Hash of the blob that holds the `Rendered` as JSON."""
    text: str
    """Hash of the text alone."""


class DraftEntry(Frozen):
    """One skill as it would be installed now."""

    name: str
    project: ProjectId | None
    """`None`: the personal skill."""
    title: str
    """For people: the project's short name."""
    pieces: tuple[Piece, ...]


class Copy(Frozen):
    """One installed text: a file that is ours, or our block in a file of the person's."""

    path: str
    """As the agent looks for it."""
    real: str
    """The file itself, after links within the target."""
    root: str
    """The project's folder or the person's home, that no link may lead out of."""
    agent: str
    into: Into
    kind: PieceKind
    stem: str
    draft: str
    """Name of the draft that it came from."""
    name: str
    """Name under which it is installed; differs from the draft's where that was taken."""
    readers: tuple[str, ...]
    copy_of: str = ""
    """The file that this is marked as a second copy of; empty where it is not."""
    source: str
    """Hash of the draft's text that it was written from; another one there now means that this copy is behind."""
    text: str
    """Hash of our text in it as last written, LF line ends."""
    rendered: str
    """Hash of the blob with the `Rendered` that hand edits are measured against."""
    original: str | None
    """Hash of the blob with the file as it was before the first install; `None`: there was none."""
    original_mode: int | None
    """Its permission bits then."""
    time: datetime
    """UTC, when it was last written."""

    @property
    def key(self) -> tuple[str, str]:
        """Identity: the file and the name in it."""
        return self.real, self.name


class StepChange(Frozen):
    """One file in one step."""

    path: str
    real: str
    name: str
    kind: ChangeKind
    before: str | None
    """Hash of the blob with the whole file before; `None`: there was none."""
    after: str | None
    """Hash of the whole file after; `None`: it was removed, since its rules are no more."""
    mode_before: int | None
    copy_before: Copy | None
    """The entry of this copy before the step; `None`: it was not installed."""
    edited: bool = False
    """It stands for several steps with an edit by hand between them."""
    by_hand: tuple[str, ...] = ()
    """The lines of that edit (`skill.lines.line_key`)."""


class Step(Frozen):
    """One `install` that changed something."""

    time: datetime
    agent: str
    into: Into
    root: str
    draft: str
    """Empty where it was a hook."""
    changes: tuple[StepChange, ...]
    made: tuple[str, ...]
    """Folders that it created, outermost first."""


class Manifest(Frozen):
    """Everything that the library knows."""

    version: int = MANIFEST_VERSION
    drafts: tuple[DraftEntry, ...] = ()
    """By name."""
    copies: tuple[Copy, ...] = ()
    """By real path and name."""
    steps: tuple[Step, ...] = ()
    """Oldest first; `undo` takes the last."""
    written: dict[str, str | None] = Field(default_factory=dict)
    """Every text of ours that was ever written to a copy: its hash, and the blob with its `Rendered` (`None`: taken
    out by `forget`)."""

    since: dict[RuleId, datetime] = Field(default_factory=dict)
    """When each rule that stands in a copy was first installed (UTC), by every id that it has or had."""
    forgotten: tuple[RuleId, ...] = ()
    """Forgotten rules that an installed copy still says."""

    def copy_at(self, real: str, name: str) -> Copy | None:
        """The copy called `name` in that file; an AGENTS.md can hold the blocks of several drafts."""
        return next((copy for copy in self.copies if copy.real == real and copy.name == name), None)

    def blobs(self) -> set[str]:
        """Hashes of every blob that is needed: for drafts, comparisons, and undo."""
        names = {piece.rendered for draft in self.drafts for piece in draft.pieces}
        changes = [change for step in self.steps for change in step.changes]
        earlier = [change.copy_before for change in changes if change.copy_before is not None]
        names |= {name for copy in (*self.copies, *earlier) for name in (copy.rendered, copy.original) if name}
        names |= {name for change in changes for name in (change.before, change.after) if name}
        return names | {name for name in self.written.values() if name}

    def draft(self, name: str) -> DraftEntry | None:
        """The draft of that name."""
        return next((draft for draft in self.drafts if draft.name == name), None)

    def with_copies(self, changed: Mapping[tuple[str, str], Copy | None]) -> tuple[Copy, ...]:
        """The copies with those at the given (real path, name) replaced, added or (`None`) removed, in order."""
        kept = {copy.key: copy for copy in self.copies} | dict(changed)
        return tuple(copy for _, copy in sorted(kept.items()) if copy is not None)


def dump(manifest: Manifest) -> str:
    """The manifest as JSON for people to read too; the same value gives the same text."""
    return manifest.model_dump_json(indent=1) + "\n"


def load(data: bytes, where: str) -> Manifest:
    """The manifest in `data`, upgraded from older versions.

    Raises:
        StoreError: it does not parse, or a newer version of the program wrote it. `where` names the file.
    """
    import json

    try:
        raw = json.loads(data)
        version = raw["version"]
        if version == MANIFEST_VERSION:
            return Manifest.model_validate_json(data)
    except (ValueError, KeyError, TypeError) as error:
        raise StoreError(
            f"{where}: not a manifest: {_first_line(error)}",
            hint="restore it from a backup; installed files are untouched, `ingrained doctor` shows what is known",
        ) from error
    raise StoreError(
        f"{where}: version {version!r}, this program knows {MANIFEST_VERSION}",
        hint="a newer ingrained wrote it: update the program (pip install -U ingrained)",
    )


def _first_line(error: Exception) -> str:
    lines = str(error).splitlines()
    return "; ".join(line.strip() for line in lines[:3]) or type(error).__name__
