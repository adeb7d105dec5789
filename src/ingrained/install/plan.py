"""What an install or an undo would do, as a value: every file before and after, and the manifest that follows.

Nothing is written here. A plan is shown as a diff, and `apply.py` carries out exactly what was shown or refuses when a
file changed meanwhile.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ingrained.skill.patch import unified
from ingrained.store.manifest import Copy, Manifest
from ingrained.store.transaction import Change

Action = Literal["create", "update", "remove", "restore", "keep"]
"""`restore`: an undo gives a file its old bytes back. `keep`: it takes our lines out and leaves the person's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One line of the person's in our text that stays: the three sides of it."""

    was: str
    """As we wrote it; empty for a line of their own."""
    now: str
    """As they have it; empty where they took it out."""
    wanted: str
    """As the new draft has it; empty where it says nothing there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePlan:
    """One file that changes."""

    path: Path
    """Where the agent looks."""
    change: Change
    action: Action
    readers: tuple[str, ...] = ()
    kept: tuple[Kept, ...] = ()
    """Edits by hand in it that stay."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything that would change, and what the person should know before they say yes."""

    what: Literal["install", "undo"]
    files: tuple[FilePlan, ...]
    same: tuple[Path, ...] = ()
    """Files that are already as they should be."""
    make: tuple[Path, ...] = ()
    drop: tuple[Path, ...] = ()
    warnings: tuple[str, ...] = ()
    keep: tuple[bytes, ...] = ()
    """Blobs that the new manifest names."""
    before: Manifest
    after: Manifest

    @property
    def changes_nothing(self) -> bool:
        """Whether everything is as it should be already."""
        return not self.files and self.before == self.after

    def diff(self, home: Path | None = None) -> str:
        """A unified diff of all files, with `~` for the home folder; empty where no file changes."""
        return "".join(_diff(file, home) for file in self.files)


def update_commands(copies: Iterable[Copy]) -> tuple[str, ...]:
    """The commands that install again what these copies hold, one for each agent and place."""
    return tuple(
        dict.fromkeys(
            f"ingrained install --agent {copy.agent} --into {copy.into}"
            + (f" --project {shlex.quote(copy.root)}" if copy.into == "project" else "")
            for copy in copies
        )
    )


def shown(path: Path, home: Path | None) -> str:
    """The path as people read it, with `~` for the home folder."""
    if home is not None and path.is_relative_to(home):
        return f"~/{path.relative_to(home)}"
    return str(path)


def _diff(file: FilePlan, home: Path | None) -> str:
    name = shown(file.path, home)
    before, after = file.change.before, file.change.after
    return unified(
        (before or b"").decode("utf-8", "backslashreplace"),
        (after or b"").decode("utf-8", "backslashreplace"),
        old="/dev/null" if before is None else name,
        new="/dev/null" if after is None else name,
    )
