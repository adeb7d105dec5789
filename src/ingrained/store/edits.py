"""What people did to installed copies, as decisions to take; and how a copy is written again without losing it.

A line of a project's copy that a colleague changed in git is their edit (`authors.py`): it is told and decides nothing.

Edits are measured against our own rendering behind a copy, not against what was last written there, so one that no
`learn` has taken in yet is not lost by an install in between. `settle` marks them as taken in.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from ingrained.errors import SkillFormatError, StoreError
from ingrained.ids import RuleId, bytes_hash
from ingrained.skill import align, rulesfile
from ingrained.skill.align import Comparison, Merged, Outcome, Side
from ingrained.skill.frontmatter import decode
from ingrained.skill.lines import Rendered, RuleLine, read_edited
from ingrained.store.authors import Authors
from ingrained.store.files import read_bytes_or_none
from ingrained.store.library import Library, packed, text_hash
from ingrained.store.manifest import Copy, Manifest, PieceKind


@dataclass(frozen=True, slots=True, kw_only=True)
class HandEdit:
    """What a person did to the line of one rule, over all installed copies."""

    rule_id: RuleId
    outcome: Literal["pinned", "refused", "conflict", "theirs"]
    """`conflict`: edited differently in several copies; nothing is decided until the person says which. `theirs`: a
    colleague's commit did it; the person's rule stays as it is."""
    text: str
    """`pinned`: the rule's words as edited; else as we wrote them."""
    was: str
    """The rule's words as we wrote them."""
    line: str
    """`pinned`, `theirs`: the whole line as edited (empty: taken out); else empty."""
    when: str | None = None
    """The condition where the person changed it (empty: taken away); `None`: left as it was."""
    paths: tuple[str, ...] | None = None
    places: tuple[Path, ...]
    """The copies that were edited so."""
    sides: tuple[Side, ...] = ()
    """`conflict`: each copy's line."""
    commit: str = ""
    """`theirs`: the commit, shortened."""

    @property
    def decides(self) -> bool:
        """Whether it is the person's word about the rule."""
        return self.outcome in {"pinned", "refused"}

    @property
    def told(self) -> str:
        """Which rule, what was done to it, and both texts, in one line."""
        if self.outcome == "refused":
            return f"deleted: {self.rule_id} “{self.was}”"
        if self.outcome == "pinned":
            return f"reworded: {self.rule_id} “{self.was}” → “{self.line.strip()}”"
        if self.outcome == "theirs":
            now = f"→ “{self.line.strip()}”" if self.line else "is gone"
            return f"changed by somebody else in {self.commit}: {self.rule_id} “{self.was}” {now}"
        sides = [f"{side.place} says “{side.line}”" if side.line else f"{side.place} lacks it" for side in self.sides]
        return f"edited differently in {len(sides)} copies: {self.rule_id} “{self.was}”: {'; '.join(sides)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """What was found in the installed copies."""

    edits: tuple[HandEdit, ...] = ()
    """By rule."""
    replaced: tuple[Path, ...] = ()
    """Copies in which not one line of ours is left: another text or an emptied file, to be shown and not taken for a
    refusal of every rule."""
    missing: tuple[Path, ...] = ()
    """Copies that are not there, such as on another branch. No edit."""
    unreadable: tuple[tuple[Path, str], ...] = ()
    """Copies that cannot be read or do not parse, and why. No edit."""


def collect_edits(library: Library, *, agents: Collection[str] | None = None) -> Collected:
    """The edits by hand in installed copies that were not settled yet. Reads files, writes none.

    A missing file, a missing block, and a text equal to any version that was ever written hold no edit. One copy edited
    and another left alone is an edit.

    Args:
        library: the library.
        agents: only copies of these targets; all by default.

    Raises:
        StoreError: the manifest or a blob is damaged.
    """
    manifest = library.manifest()
    compared: dict[Copy, Comparison] = {}
    theirs: list[HandEdit] = []
    missing: list[Path] = []
    unreadable: list[tuple[Path, str]] = []
    for copy in manifest.copies:
        if agents is not None and copy.agent not in agents:
            continue
        try:
            found = read_copy(copy)
        except (SkillFormatError, StoreError) as error:
            unreadable.append((Path(copy.path), error.message))
            continue
        if found is None:
            missing.append(Path(copy.path))
        else:
            comparison = compare_copy(library, manifest, copy, found)
            others = _by_others(copy, comparison)
            theirs += others.values()
            left = tuple(one for one in comparison.outcomes if one.rule_id not in others)
            compared[copy] = replace(comparison, outcomes=left)
    return Collected(
        edits=(*_by_rule(compared), *theirs),
        replaced=tuple(Path(copy.path) for copy, found in compared.items() if found.state == "replaced"),
        missing=tuple(missing),
        unreadable=tuple(unreadable),
    )


def settle(library: Library, edits: Sequence[HandEdit]) -> bool:
    """Mark edits as taken in: they are decisions now and are not collected again. Whether anything changed.

    Call it after the decisions are stored; a kill in between only makes the same edits come up once more. Conflicts
    stay open. The caller holds the home's lock.

    Raises:
        StoreError: the manifest or a blob is damaged, or cannot be written.
    """
    library.recover()
    manifest = library.manifest()
    changed: dict[tuple[str, str], Copy | None] = {}
    keep: list[bytes] = []
    for copy in manifest.copies:
        here = [edit for edit in edits if edit.decides and Path(copy.path) in edit.places]
        if here:
            rendered = library.rendered(copy.rendered)
            base = _settled(rendered.base or rendered, {edit.rule_id: edit for edit in here})
            keep.append(packed(rendered.model_copy(update={"base": base})))
            changed[copy.key] = copy.model_copy(update={"rendered": bytes_hash(keep[-1])})
    if not changed:
        return False
    library.replace_manifest(manifest.model_copy(update={"copies": manifest.with_copies(changed)}), keep=keep)
    return True


def read_copy(copy: Copy) -> str | None:
    """Our text in an installed file as it is now; `None` where the file or our block is not there.

    Raises:
        SkillFormatError: the file is no UTF-8 text, or the markers of our block are broken.
        StoreError: the file cannot be read.
    """
    data = read_bytes_or_none(Path(copy.real))
    return None if data is None else own_text(copy.kind, copy.name, data, where=copy.path)


def own_text(kind: PieceKind, name: str, data: bytes, *, where: str) -> str | None:
    """Our text in the bytes of a file, with its line ends, without a byte order mark; `None`: our block is not in it.

    Raises:
        SkillFormatError: as for `read_copy`.
    """
    if kind == "block":
        block = rulesfile.find(data, name, where=where)
        return None if block is None else block.content
    decode(data, where=where)
    return data.decode("utf-8").removeprefix("\ufeff")


def unix(text: str) -> str:
    """The text with LF line ends, as we write it and as versions are recognised by their hash."""
    return text.replace("\r\n", "\n")


def compare_copy(library: Library, manifest: Manifest, copy: Copy, found: str) -> Comparison:
    """What the person did to a copy, measured against our own rendering behind it.

    Raises:
        StoreError: the blob of the rendering is missing or damaged.
    """
    rendered = library.rendered(copy.rendered)
    return align.compare(rendered.base or rendered, unix(found), older=set(manifest.written) - {copy.text})


def merge_copy(library: Library, manifest: Manifest, copy: Copy, found: str, new: Rendered) -> Merged:
    """`new` written over what is there, with every line of the person's kept.

    Where a version of ours from earlier is found (another branch), it is measured against that version.

    Raises:
        StoreError: the blob of the rendering is missing or damaged.
    """
    name = text_hash(unix(found))
    earlier = manifest.written.get(name) if name != copy.text else None
    return align.merge(library.rendered(earlier or copy.rendered), found, new)


def _by_others(copy: Copy, comparison: Comparison) -> dict[RuleId, HandEdit]:
    """The edits of a project's copy that somebody else committed, by rule."""
    if copy.into != "project" or not comparison.edits:
        return {}
    authors = Authors(Path(copy.real))
    found: dict[RuleId, HandEdit] = {}
    for outcome in comparison.edits:
        commit = authors.commit_of(outcome)
        if commit:
            found[outcome.rule_id] = HandEdit(
                rule_id=outcome.rule_id,
                outcome="theirs",
                text=outcome.was,
                was=outcome.was,
                line="" if outcome.kind == "gone" else outcome.line,
                places=(Path(copy.path),),
                commit=commit,
            )
    return found


def _by_rule(compared: Mapping[Copy, Comparison]) -> tuple[HandEdit, ...]:
    clashes = {
        conflict.rule_id: conflict.sides
        for conflict in align.conflicts({copy.path: found for copy, found in compared.items()})
    }
    outcomes: dict[RuleId, list[tuple[Path, Outcome]]] = {}
    for copy, found in compared.items():
        for outcome in found.edits:
            outcomes.setdefault(outcome.rule_id, []).append((Path(copy.path), outcome))
    edits: list[HandEdit] = []
    for rule, found in sorted(outcomes.items()):
        first = found[0][1]
        edit = HandEdit(
            rule_id=rule,
            outcome="refused" if first.kind == "gone" else "pinned",
            text=first.text,
            was=first.was,
            line="" if first.kind == "gone" else first.line,
            when=first.when,
            paths=first.paths,
            places=tuple(place for place, _ in found),
        )
        if rule in clashes:
            edit = replace(edit, outcome="conflict", line="", when=None, paths=None, sides=clashes[rule])
        edits.append(edit)
    return tuple(edits)


def _settled(base: Rendered, edits: Mapping[RuleId, HandEdit]) -> Rendered:
    """The rendering as if it had said what the person made of it: refused lines out, reworded ones in their words."""
    by_line: dict[int, HandEdit] = {}
    for entry in base.lines:
        if entry.rule_id in edits:
            by_line[entry.line_no] = edits[entry.rule_id]
    lines: list[str] = []
    mapping: list[RuleLine] = []
    for number, line in enumerate(base.text.split("\n"), start=1):
        edit = by_line.get(number)
        if edit is not None and edit.outcome == "refused":
            continue
        lines.append(line if edit is None else edit.line)
        for entry in base.lines:
            if entry.line_no == number:
                prefix = entry.prefix if edit is None else read_edited(entry, edit.line).prefix
                mapping.append(entry.model_copy(update={"line_no": len(lines), "text": lines[-1], "prefix": prefix}))
    return Rendered(text="\n".join(lines), lines=tuple(mapping))
