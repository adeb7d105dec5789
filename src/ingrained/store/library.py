"""The library: the drafts of all skills, and the memory of every copy that was installed.

One personal skill and one skill per project that has rules. A draft is what would be installed now; `learn` rewrites
it, `install` carries it to where agents read. Whoever calls a method that writes holds the home's lock; each of them
first finishes what a kill cut off, and changes drafts, files and manifest in one stroke (`transaction.py`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from pathlib import Path

from ingrained.errors import RefusedError, StoreError
from ingrained.ids import ProjectId, RuleId, bytes_hash
from ingrained.skill.document import MAX_NAME, check_name
from ingrained.skill.lines import Rendered
from ingrained.store.blobs import Blobs
from ingrained.store.files import make_home, read_bytes_or_none
from ingrained.store.manifest import Copy, DraftEntry, Manifest, Piece, PieceKind, dump, load
from ingrained.store.transaction import Change, Desk, Recovered, Work, commit, permission_bits, recover

PERSONAL = "ingrained-personal"
"""Name of the skill that holds everywhere."""

_PREFIX = "ingrained-"
_NOT_SLUG = re.compile(r"[^a-z0-9]+")
_SUFFIX_ROOM = 4
"""Characters left for `-2`, `-3`… behind a name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftPiece:
    """One text of a draft."""

    kind: PieceKind
    stem: str = ""
    """Tells several rules files apart (a slug); empty for the first one and for other kinds."""
    rendered: Rendered


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One skill as it would be installed now."""

    name: str
    """From `Library.name_for`."""
    project: ProjectId | None
    title: str
    pieces: tuple[DraftPiece, ...]
    """Empty: no rule is left, and the next install takes the copies out."""


class Library:
    """The folder `library` in the home folder. Opening it reads nothing and creates nothing."""

    def __init__(self, home: Path) -> None:
        self.home = home.resolve()
        self.folder = self.home / "library"
        self.kept = self.folder / "kept"
        """Copies of edited files that a forced undo put aside."""
        self.blobs = Blobs(self.folder / "blobs")
        manifest = self.folder / "manifest.json"
        self.desk = Desk(
            blobs=self.blobs,
            journal=self.folder / "journal.json",
            manifest=manifest,
            needed=lambda text: load(text.encode(), str(manifest)).blobs(),
        )

    def manifest(self) -> Manifest:
        """What is known; an empty manifest where nothing was ever written.

        Raises:
            StoreError: the file does not parse or is of a newer version.
        """
        found = read_bytes_or_none(self.desk.manifest)
        return Manifest() if found is None else load(found, str(self.desk.manifest))

    def recover(self) -> Recovered | None:
        """Finish an install, undo or draft that was cut off; `None` where there is none.

        Raises:
            StoreError: it cannot be finished; its journal stays.
        """
        return recover(self.desk)

    def settled_manifest(self) -> Manifest:
        """The manifest, unless something that was cut off waits to be finished.

        Raises:
            RefusedError: something waits; what is on disk is half of it, so nothing can be planned on it.
            StoreError: the manifest or a journal does not parse.
        """
        pending = self.desk.pending()
        if pending is not None:
            raise RefusedError(
                f"an interrupted {pending.what} waits to be finished",
                hint="the next install, undo or learn finishes it",
            )
        return self.manifest()

    def name_for(self, project: ProjectId | None, title: str) -> str:
        """The name of the skill of this project (`None`: of the personal one): the one it has, else a new one.

        A new name is `ingrained-` and the title as lower-case ASCII, unique among the drafts and at most 64 characters;
        a title without any such character gives a hash.
        """
        drafts = self.manifest().drafts
        known = next((draft.name for draft in drafts if draft.project == project), "")
        if known:
            return known
        if project is None:
            return PERSONAL
        taken = {draft.name for draft in drafts} | {PERSONAL}
        return next(name for name in spellings(_PREFIX + slug(title, project)) if name not in taken)

    def drop_kept(self) -> int:
        """Remove the copies of edited files that were put aside, and say how many: they hold our text of then."""
        copies = sorted(self.kept.iterdir()) if self.kept.is_dir() else []
        for copy in copies:
            copy.unlink()
        return len(copies)

    def drafts(self) -> tuple[Draft, ...]:
        """All drafts by name."""
        return tuple(self._draft(entry) for entry in self.manifest().drafts)

    def draft_of(self, project: ProjectId | None) -> Draft | None:
        """The draft of a project, or the personal one; `None` where there is none yet."""
        found = next((draft for draft in self.manifest().drafts if draft.project == project), None)
        return None if found is None else self._draft(found)

    def put_drafts(self, drafts: Iterable[Draft]) -> bool:
        """Make these the current drafts, whole or not at all; others stay. Whether anything changed.

        For people, their texts also stand as files in `drafts/<name>/`; those are written over each time, since edits
        belong into installed copies.

        Raises:
            StoreError: a name is not allowed or belongs to another project, the disk is full, or the like.
        """
        self.recover()
        old = self.manifest()
        entries = {entry.name: entry for entry in old.drafts}
        changes: list[Change] = []
        keep: list[bytes] = []
        made: dict[Path, None] = {}
        for draft in drafts:
            before = entries.get(draft.name)
            if check_name(draft.name) or (before is not None and before.project != draft.project):
                owner = f"; it belongs to {before.project!r}" if before else ""
                raise StoreError(f"the draft of {draft.project!r} cannot be called {draft.name!r}{owner}")
            entries[draft.name] = _entry(draft)
            keep += [packed(piece.rendered) for piece in draft.pieces]
            changes += self._draft_files(draft, before, made)
        new = old.model_copy(update={"drafts": tuple(entries[name] for name in sorted(entries))})
        if new == old and not changes:
            return False
        self._commit(new, changes=changes, make=tuple(made), keep=keep)
        return True

    def replace_manifest(self, new: Manifest, *, keep: Sequence[bytes] = ()) -> None:
        """Write a manifest that changes no other file; the caller holds the lock and has read the one before.

        Args:
            new: the manifest.
            keep: blobs that it names and that may be new.

        Raises:
            StoreError: the disk is full or a permission is missing; the old one stays.
        """
        self._commit(new, keep=keep)

    def behind(self) -> tuple[Copy, ...]:
        """Installed copies whose draft has moved on since they were written."""
        manifest = self.manifest()
        texts = {
            (draft.name, piece.kind, piece.stem): piece.text for draft in manifest.drafts for piece in draft.pieces
        }
        return tuple(copy for copy in manifest.copies if texts.get((copy.draft, copy.kind, copy.stem)) != copy.source)

    def rendered(self, name: str) -> Rendered:
        """The rendering in the blob called `name`.

        Raises:
            StoreError: the blob is missing or damaged.
        """
        return Rendered.model_validate_json(self.blobs.get(name))

    def rules_installed(self) -> dict[RuleId, tuple[Copy, ...]]:
        """For each rule that stands in an installed copy, by the id of its line: the copies, earliest written first."""
        found: dict[RuleId, list[Copy]] = {}
        for copy in sorted(self.manifest().copies, key=lambda copy: copy.time):
            for line in self.rendered(copy.rendered).lines:
                found.setdefault(line.rule_id, []).append(copy)
        return {rule: tuple(copies) for rule, copies in found.items()}

    def _draft(self, entry: DraftEntry) -> Draft:
        return Draft(
            name=entry.name,
            project=entry.project,
            title=entry.title,
            pieces=tuple(
                DraftPiece(kind=piece.kind, stem=piece.stem, rendered=self.rendered(piece.rendered))
                for piece in entry.pieces
            ),
        )

    def _draft_files(self, draft: Draft, before: DraftEntry | None, made: dict[Path, None]) -> list[Change]:
        texts = {
            self._draft_path(draft.name, piece.kind, piece.stem): piece.rendered.text.encode() for piece in draft.pieces
        }
        gone = [
            path
            for piece in (before.pieces if before else ())
            if (path := self._draft_path(draft.name, piece.kind, piece.stem)) not in texts
        ]
        changes: list[Change] = []
        for path, after in [*texts.items(), *((path, None) for path in gone)]:
            found = read_bytes_or_none(path)
            if found != after:
                made |= dict.fromkeys(self._folders(path.parent))
                changes.append(Change(path=path, before=found, after=after, mode_before=permission_bits(path)))
        return changes

    def _draft_path(self, name: str, kind: PieceKind, stem: str) -> Path:
        folder = self.folder / "drafts" / name
        match kind:
            case "skill":
                return folder / "SKILL.md"
            case "block":
                return folder / "AGENTS.block.md"
            case "rules-file":
                return folder / "rules" / f"{stem or name}.md"

    def _folders(self, folder: Path) -> list[Path]:
        """Folders below the home folder that have to be made for this one, outermost first."""
        needed = [folder, *folder.parents]
        return [path for path in reversed(needed[: needed.index(self.home)]) if not path.is_dir()]

    def _commit(
        self,
        new: Manifest,
        *,
        changes: Sequence[Change] = (),
        make: tuple[Path, ...] = (),
        keep: Sequence[bytes] = (),
    ) -> None:
        make_home(self.home)
        self.folder.mkdir(mode=0o700, exist_ok=True)
        work = Work(what="draft", changes=tuple(changes), make=make, drop=(), keep=tuple(keep), manifest=dump(new))
        commit(self.desk, work)


def since_after(
    since: Mapping[RuleId, datetime], installed: Iterable[Rendered], now: datetime
) -> dict[RuleId, datetime]:
    """`Manifest.since` after a change: rules in these texts keep their time, new ones get `now`, all others go."""
    found: dict[RuleId, datetime] = {}
    for line in (line for rendered in installed for line in rendered.lines):
        ids = (line.rule_id, *line.aliases)
        time = min((known[rule] for known in (since, found) for rule in ids if rule in known), default=now)
        found |= dict.fromkeys(ids, time)
    return dict(sorted(found.items()))


def packed(rendered: Rendered) -> bytes:
    """The rendering as the bytes of its blob."""
    return rendered.model_dump_json().encode()


def _entry(draft: Draft) -> DraftEntry:
    return DraftEntry(
        name=draft.name,
        project=draft.project,
        title=draft.title,
        pieces=tuple(
            Piece(
                kind=piece.kind,
                stem=piece.stem,
                rendered=bytes_hash(packed(piece.rendered)),
                text=text_hash(piece.rendered.text),
            )
            for piece in draft.pieces
        ),
    )


def slug(title: str, project: ProjectId) -> str:
    """The title as lower-case ASCII letters, digits and single hyphens; `p` and a hash where nothing is left of it."""
    ascii_only = unicodedata.normalize("NFKD", title.casefold()).encode("ascii", "ignore").decode()
    found = _NOT_SLUG.sub("-", ascii_only).strip("-")[: MAX_NAME - len(_PREFIX) - _SUFFIX_ROOM].strip("-")
    return found or "p" + blake2b(project.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


def spellings(name: str) -> Iterable[str]:
    """`name`, `name-2`, `name-3`… up to 99."""
    yield name
    for number in range(2, 100):
        yield f"{name}-{number}"


def text_hash(text: str) -> str:
    """The hash by which a text of ours is recognised."""
    return bytes_hash(text.encode("utf-8", "surrogatepass"))
