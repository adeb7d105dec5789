"""Taking installs back: every byte, permission and folder as it was before, the last step or all of them.

A file that was edited since is not silently restored over: the undo refuses, or keeps the edits (our lines go, the
person's stay), or, forced, restores the old bytes and keeps a copy of the edited file in the library.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from pathlib import Path

from ingrained.errors import RefusedError
from ingrained.ids import bytes_hash
from ingrained.install.hooks import is_hook, strays, without_hook
from ingrained.install.leave import left_behind, without_block, without_rules
from ingrained.install.places import Where
from ingrained.install.plan import Action, FilePlan, Plan
from ingrained.install.survey import Look, look
from ingrained.skill import rulesfile
from ingrained.skill.lines import Rendered
from ingrained.store.edits import compare_copy, merge_copy, own_text, unix
from ingrained.store.library import Library, packed, since_after, text_hash
from ingrained.store.manifest import Copy, Manifest, Step, StepChange
from ingrained.store.retention import lines_by_hand
from ingrained.store.transaction import Change


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """What the undone steps did to one file, newest first."""

    changes: tuple[StepChange, ...]

    @property
    def goal(self) -> str | None:
        """Hash of the file as it was before the oldest of these steps; `None`: there was none."""
        return self.changes[-1].before

    def untouched(self, found: str | None) -> bool:
        """Whether nobody else changed the file between these steps or since. An older version of ours is as good."""
        unbroken = not any(change.edited for change in self.changes) and all(
            new.before == old.after for new, old in pairwise(self.changes)
        )
        return unbroken and found in {change.after for change in self.changes}


def plan_undo(
    library: Library, *, everything: bool = False, keep_edits: bool = False, force: bool = False, now: datetime
) -> Plan:
    """What taking back the last install step, or all of them, would change. Files are read, none is written.

    Args:
        library: the library.
        everything: all steps instead of the last.
        keep_edits: where a file was edited since, our lines go and the person's stay, in the same file.
        force: restore such a file too; the edited one is copied into the library first.
        now: names those copies.

    Raises:
        RefusedError: there is nothing to undo; or files were edited since and neither choice was made; or something is
            in the way, such as an interrupted run that waits to be finished (`apply.finish`).
        SkillFormatError: our markers in an edited file are broken.
        StoreError: the library is damaged.
    """
    manifest = library.settled_manifest()
    if not manifest.steps:
        raise RefusedError("nothing is installed, so there is nothing to undo", hint="ingrained doctor shows the state")
    steps = manifest.steps if everything else manifest.steps[-1:]
    return _Undoing(library, manifest, steps, keep_edits=keep_edits, force=force, now=now).plan()


def plan_uninstall(
    library: Library,
    *,
    hooks_only: bool = False,
    keep_edits: bool = False,
    force: bool = False,
    now: datetime,
    where: Where | None = None,
) -> Plan:
    """What taking back every install would change; a plan without changes where nothing is installed.

    Args:
        library: the library.
        hooks_only: our hooks alone; what was installed for agents to read stays.
        keep_edits: as for `plan_undo`.
        force: as for `plan_undo`.
        now: as for `plan_undo`.
        where: the machine; with it, our hooks that no step knows of go too.

    Raises:
        RefusedError: as for `plan_undo`, and so are the others.
    """
    manifest = library.settled_manifest()
    more = () if where is None else strays(library, where)
    steps = [step for step in manifest.steps if not hooks_only or is_hook(step)]
    if not steps:
        return Plan(what="undo", files=more, before=manifest, after=manifest)
    plan = _Undoing(library, manifest, steps, keep_edits=keep_edits, force=force, now=now).plan()
    return replace(plan, files=(*plan.files, *more))


class _Undoing:
    """Collects the changes of one undo."""

    def __init__(
        self,
        library: Library,
        manifest: Manifest,
        steps: Sequence[Step],
        *,
        keep_edits: bool,
        force: bool,
        now: datetime,
    ) -> None:
        self._library = library
        self._manifest = manifest
        self._steps = steps
        self._keep_edits = keep_edits
        self._force = force
        self._now = now
        self._files: list[FilePlan] = []
        self._same: list[Path] = []
        self._edited: list[str] = []
        self._make: dict[Path, None] = {}
        self._warnings: list[str] = []
        self._keep: list[bytes] = []
        self._copies: dict[tuple[str, str], Copy | None] = {}
        self._written: dict[str, str | None] = dict(manifest.written)

    def plan(self) -> Plan:
        ways: dict[str, list[StepChange]] = {}
        for step in reversed(self._steps):
            for change in reversed(step.changes):
                ways.setdefault(change.real, []).append(change)
                self._copies[change.real, change.name] = change.copy_before
        for changes in ways.values():
            self._file(_Way(changes=tuple(changes)))
        if self._edited:
            raise RefusedError(
                f"edited since it was installed: {', '.join(self._edited)}; nothing was changed",
                hint="--keep-edits takes our lines out and keeps yours; --force restores the old file and keeps a copy",
            )
        made = [Path(folder) for step in reversed(self._steps) for folder in reversed(step.made)]
        return Plan(
            what="undo",
            files=tuple(self._files),
            same=tuple(self._same),
            make=tuple(self._make),
            drop=tuple(made),
            warnings=tuple(self._warnings),
            keep=tuple(self._keep),
            before=self._manifest,
            after=self._after(),
        )

    def _after(self) -> Manifest:
        copies = self._manifest.with_copies(self._copies)
        fresh = {bytes_hash(blob): Rendered.model_validate_json(blob) for blob in self._keep}
        installed = [fresh.get(copy.rendered) or self._library.rendered(copy.rendered) for copy in copies]
        return self._manifest.model_copy(
            update={
                "steps": _without(self._manifest.steps, self._steps),
                "copies": copies,
                "written": dict(sorted(self._written.items())),
                "since": since_after(self._manifest.since, installed, self._now),
            }
        )

    def _file(self, way: _Way) -> None:
        newest = way.changes[0]
        real = Path(newest.real)
        found = look(real, real.parent)
        if found.real != real:
            raise RefusedError(
                f"nothing was changed: {real} is reached through a link now ({found.real})",
                hint="put the folder back as it was when the skill was installed",
            )
        now = None if found.content is None else bytes_hash(found.content)
        there = os.path.lexists(real)
        if now == way.goal and not (found.trouble and there):
            self._same.append(Path(newest.path))
        elif found.trouble and (there or not self._keep_edits):
            raise RefusedError(f"nothing was changed: {found.trouble}", hint=found.hint)
        elif way.untouched(now):
            self._restore(way, found)
        elif newest.kind == "settings" and not self._force:
            self._take_hook_out(way, found)
        elif self._force:
            self._copy_aside(found)
            self._restore(way, found)
        elif self._keep_edits:
            self._leave_edits(way, found)
        else:
            self._edited.append(newest.path)

    def _restore(self, way: _Way, found: Look) -> None:
        goal = None if way.goal is None else self._library.blobs.get(way.goal)
        action: Action = "remove" if goal is None else "restore"
        self._add(way, found, goal, action)

    def _take_hook_out(self, way: _Way, found: Look) -> None:
        """Settings that were changed since: only ours goes, which costs nobody anything."""
        if found.content is None:
            return
        path = way.changes[0].path
        before = None if way.goal is None else self._library.blobs.get(way.goal)
        after = without_hook(path, found.content, before)
        if after == found.content:
            self._same.append(Path(path))
            return
        self._warnings.append(f"{path} was changed since; only our hook goes out of it")
        self._add(way, found, after, "remove" if after is None else "keep")

    def _leave_edits(self, way: _Way, found: Look) -> None:
        """Takes our part of these steps out of an edited file, line by line."""
        if found.content is None:
            self._warnings.append(f"{way.changes[0].path} was deleted since and stays so")
            return
        after: bytes | None = found.content
        for change in _oldest_by_name(way.changes):
            if after is None:
                break
            now = self._manifest.copy_at(change.real, change.name)
            if change.kind == "settings":
                continue
            if change.copy_before is not None and self._stood(change):
                after = self._back_to(change.copy_before, after)
            elif change.kind == "block":
                own = [one for one in way.changes if one.name == change.name]
                theirs = lines_by_hand(self._library, own, found.content)
                after = without_block(after, change.name, theirs, where=change.path)
                after = None if way.goal is None and not after.strip() else after
            elif now is not None:
                after = self._rules_out(now, after) or (None if way.goal is None else self._library.blobs.get(way.goal))
                if after is not None:
                    self._warnings.append(f"{change.path} was edited by hand: your lines stay in it; it is yours now")
        if after == found.content:
            self._same.append(Path(way.changes[0].path))
        else:
            self._add(way, found, after, "remove" if after is None else "keep")

    def _rules_out(self, now: Copy, content: bytes) -> bytes | None:
        """A file of ours with the person's lines only; `None` where there are none."""
        text = own_text(now.kind, now.name, content, where=now.path)
        rest = None if text is None else without_rules(self._library, self._manifest, now, text)
        if text is not None and rest is not None:
            ours = self._library.rendered(now.rendered)
            comparison = compare_copy(self._library, self._manifest, now, text)
            self._keep.append(packed(left_behind(unix(rest), comparison, ours.base or ours)))
            self._written[text_hash(unix(rest))] = bytes_hash(self._keep[-1])
        return content if rest == text else None if rest is None else rest.encode()

    def _stood(self, change: StepChange) -> bool:
        """Whether our text was in the file before the step: somebody may have put the file back (`git checkout`)."""
        if change.before is None or change.kind == "settings":
            return False
        content = self._library.blobs.get(change.before)
        return own_text(change.kind, change.name, content, where=change.path) is not None

    def _back_to(self, before: Copy, content: bytes) -> bytes:
        """The file with our rules as they were before these steps, and everything of the person's."""
        now = self._manifest.copy_at(before.real, before.name)
        text = None if now is None else own_text(before.kind, before.name, content, where=before.path)
        if now is None or text is None:
            return content
        rendered = self._library.rendered(before.rendered)
        merged = merge_copy(self._library, self._manifest, now, text, rendered.base or rendered)
        self._keep.append(packed(merged.written))
        self._copies[before.key] = before.model_copy(
            update={"text": text_hash(unix(merged.text)), "rendered": bytes_hash(self._keep[-1])}
        )
        if merged.text == text:
            return content
        if before.kind == "block":
            return rulesfile.replace_block(content, before.name, merged.text, where=before.path)
        return merged.text.encode()

    def _copy_aside(self, found: Look) -> None:
        if found.content is None:
            return
        folder = self._library.kept
        aside = folder / f"{self._now:%Y%m%dT%H%M%S}-{len(self._files)}-{found.real.name}"
        if not folder.is_dir():
            self._make[folder] = None
        self._warnings.append(f"the edited {found.real} is kept as {aside}")
        self._files.append(
            FilePlan(
                path=aside,
                change=Change(path=aside, before=None, after=found.content, mode_before=None, mode_after=0o600),
                action="create",
            )
        )

    def _add(self, way: _Way, found: Look, after: bytes | None, action: Action) -> None:
        self._make |= dict.fromkeys(found.missing if after is not None else ())
        self._files.append(
            FilePlan(
                path=Path(way.changes[0].path),
                change=Change(
                    path=found.real,
                    before=found.content,
                    after=after,
                    mode_before=found.mode,
                    mode_after=way.changes[-1].mode_before if found.content is None else None,
                ),
                action=action,
            )
        )


def _without(steps: Sequence[Step], gone: Sequence[Step]) -> tuple[Step, ...]:
    """The steps without those that are gone, of equal ones the latest: two installs may be equal to the letter."""
    left = list(gone)
    kept: list[Step] = []
    for step in reversed(steps):
        if step in left:
            left.remove(step)
        else:
            kept.append(step)
    return tuple(reversed(kept))


def _oldest_by_name(changes: Sequence[StepChange]) -> list[StepChange]:
    return [*{change.name: change for change in changes}.values()]
