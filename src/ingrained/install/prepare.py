"""Planning an install: which name, which places, and what each file becomes.

A place that holds something of somebody else's is never taken; the skill gets another name instead. A text of ours
that was edited by hand is merged, so a line of the person's is never lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from ingrained.errors import RefusedError, SkillFormatError
from ingrained.ids import bytes_hash
from ingrained.install.codex import DOCUMENT_LIMIT
from ingrained.install.leave import known_text, without_block, without_rules
from ingrained.install.places import Offer, Place, Slot, Target, Where
from ingrained.install.plan import FilePlan, Kept, Plan
from ingrained.install.survey import Look, look, look_all, neighbours
from ingrained.skill import document, rulesfile
from ingrained.skill.align import Comparison, compare, merge
from ingrained.skill.lines import Rendered
from ingrained.store.edits import compare_copy, merge_copy, own_text, unix
from ingrained.store.library import Draft, DraftPiece, Library, packed, since_after, spellings, text_hash
from ingrained.store.manifest import Copy, Into, Manifest, PieceKind, Step, StepChange
from ingrained.store.retention import lines_by_hand
from ingrained.store.transaction import Change


@dataclass(frozen=True, slots=True, kw_only=True)
class _Site:
    """A place, what is there, and what the draft wants there."""

    place: Place
    look: Look
    piece: DraftPiece


def plan_install(library: Library, draft: Draft, target: Target, into: Into, where: Where, *, now: datetime) -> Plan:
    """What installing this draft for this agent would change. Files are read, none is written.

    A project's draft goes into that project only, the personal one into the person's home only: a rule never holds
    more widely than it was said.

    Raises:
        RefusedError: something is in the way: a read-only folder, a link that leads out; or an interrupted run waits
            to be finished (`apply.finish`).
        SkillFormatError: a file that holds our block, or a SKILL.md of ours, does not parse.
        ConfigError: no project folder was named.
        StoreError: the library is damaged.
    """
    if (draft.project is None) != (into == "user"):
        fits = "project" if into == "user" else "user"
        raise RefusedError(
            f"{draft.name!r} holds {'for one project' if into == 'user' else 'everywhere'}, so it is not installed "
            f"into {into!r}",
            hint=f"ingrained install --into {fits}",
        )
    manifest = library.settled_manifest()
    name, offer, sites = _named(manifest, draft, target, into, where)
    troubles = [site.look for site in sites if site.look.trouble]
    if troubles:
        raise RefusedError(
            "nothing was changed: " + "; ".join(dict.fromkeys(found.trouble for found in troubles)),
            hint=troubles[0].hint,
        )
    return _Preparing(library, manifest, draft, name, target.name, into, where, now).plan(sites, offer)


def _named(
    manifest: Manifest, draft: Draft, target: Target, into: Into, where: Where
) -> tuple[str, Offer, list[_Site]]:
    """The name to install under, the first that is ours or free in every place, with the places and what is there.

    Of several names of ours it is the one that most of these places have, so that the same install again is nothing.
    """
    root = str(where.home if into == "user" else where.project_folder())
    used = list(dict.fromkeys(copy.name for copy in manifest.copies if copy.draft == draft.name and copy.root == root))
    slots = [Slot(kind=piece.kind, stem=piece.stem) for piece in draft.pieces]

    def ours(name: str) -> int:
        looks = look_all(target.offer(where, into, name, slots).places)
        return sum(manifest.copy_at(str(found.real), name) is not None for found in looks)

    if len(used) > 1:
        used.sort(key=ours, reverse=True)
    for name in dict.fromkeys([*used, *spellings(draft.name)]):
        offer = target.offer(where, into, name, slots)
        looks = look_all(offer.places)
        if any(_taken(manifest, draft, name, place, found) for place, found in zip(offer.places, looks, strict=True)):
            continue
        pieces = {Slot(kind=piece.kind, stem=piece.stem): piece for piece in draft.pieces}
        sites: dict[Path, _Site] = {}
        for place, found in zip(offer.places, looks, strict=True):
            # Two places can be one file, where one folder is a link to the other.
            sites.setdefault(found.real, _Site(place=place, look=found, piece=pieces[place.slot]))
        return name, offer, [*sites.values()]
    raise RefusedError(f"every name from {draft.name!r} to its 99th variant is taken", hint="remove a foreign folder")


def _taken(manifest: Manifest, draft: Draft, name: str, place: Place, found: Look) -> bool:
    """Whether something that is not this draft's stands in the place under that name."""
    copy = manifest.copy_at(str(found.real), name)
    if copy is not None:
        return copy.draft != draft.name
    if found.trouble:
        return False
    if known_text(manifest, place.slot.kind, found.content, where=str(place.path)):
        return False
    if place.slot.kind == "block":
        return found.content is not None and rulesfile.find(found.content, name, where=str(place.path)) is not None
    wanted = place.path.parent.name if place.slot.kind == "skill" else place.path.name
    return wanted.casefold() in neighbours(place)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Text:
    """What a file becomes."""

    after: bytes
    rendered: Rendered
    """Our text in it, with its mapping and our own rendering behind it."""
    kept: tuple[Kept, ...] = ()
    replaced: bool = False
    """Not one line of ours is left in it."""


class _Preparing:
    """Collects the changes of one install."""

    def __init__(
        self,
        library: Library,
        manifest: Manifest,
        draft: Draft,
        name: str,
        agent: str,
        into: Into,
        where: Where,
        now: datetime,
    ) -> None:
        self._library = library
        self._manifest = manifest
        self._draft = draft
        self._name = name
        self._agent = agent
        self._into: Into = into
        self._where = where
        self._now = now
        self._root = where.home if into == "user" else where.project_folder()
        self._files: list[FilePlan] = []
        self._steps: list[StepChange] = []
        self._same: list[Path] = []
        self._make: dict[Path, None] = {}
        self._drop: dict[Path, None] = {}
        self._warnings: list[str] = []
        self._copies: dict[tuple[str, str], Copy | None] = {}
        self._written: dict[str, str | None] = dict(manifest.written)
        self._keep: list[bytes] = []

    def plan(self, sites: Sequence[_Site], offer: Offer) -> Plan:
        for site in sites:
            self._install(site)
        here = {(str(site.look.real), self._name) for site in sites}
        for copy in self._manifest.copies:
            mine = (copy.draft, copy.agent, copy.root) == (self._draft.name, self._agent, str(self._root))
            if mine and copy.key not in here:
                self._retire(copy)
        if self._name != self._draft.name:
            self._warnings.insert(
                0, f"{self._draft.name!r} is taken by somebody else's, so it goes in as {self._name!r}"
            )
        return Plan(
            what="install",
            files=tuple(self._files),
            same=tuple(self._same),
            make=tuple(self._make),
            drop=tuple(self._drop),
            warnings=tuple(dict.fromkeys([*self._warnings, *offer.notes])),
            keep=tuple(self._keep),
            before=self._manifest,
            after=self._after(),
        )

    def _after(self) -> Manifest:
        step = Step(
            time=self._now,
            agent=self._agent,
            into=self._into,
            root=str(self._root),
            draft=self._draft.name,
            changes=tuple(self._steps),
            made=tuple(map(str, self._make)),
        )
        copies = self._manifest.with_copies(self._copies)
        fresh = {bytes_hash(blob): blob for blob in self._keep}
        installed = [
            Rendered.model_validate_json(fresh.get(copy.rendered) or self._library.blobs.get(copy.rendered))
            for copy in copies
        ]
        return self._manifest.model_copy(
            update={
                "copies": copies,
                "since": since_after(self._manifest.since, installed, self._now),
                "steps": (*self._manifest.steps, *((step,) if self._steps else ())),
                "written": dict(sorted(self._written.items())),
            }
        )

    def _install(self, site: _Site) -> None:
        found, place = site.look, site.place
        old = self._manifest.copy_at(str(found.real), self._name)
        text = self._text(site, old)
        blob = packed(text.rendered)
        new = Copy(
            path=str(place.path),
            real=str(found.real),
            root=str(self._root),
            agent=old.agent if old else self._agent,
            into=self._into,
            kind=place.slot.kind,
            stem=place.slot.stem,
            draft=self._draft.name,
            name=self._name,
            readers=place.readers,
            copy_of=self._copy_of(site, old),
            source=text_hash(site.piece.rendered.text),
            text=text_hash(unix(text.rendered.text)),
            rendered=bytes_hash(blob),
            original=old.original if old else None if found.content is None else bytes_hash(found.content),
            original_mode=old.original_mode if old else found.mode,
            time=self._now,
        )
        if old is None or new.model_copy(update={"time": old.time, "readers": old.readers, "path": old.path}) != old:
            self._copies[new.key] = new
            self._keep.append(blob)
            self._written[new.text] = new.rendered
        self._warn(site, text)
        if text.after == found.content:
            self._same.append(place.path)
            return
        self._make |= dict.fromkeys(found.missing)
        self._add(place.path, found, text.after, new, old, kept=text.kept)

    def _add(
        self,
        path: Path,
        found: Look,
        after: bytes | None,
        copy: Copy,
        old: Copy | None,
        kept: tuple[Kept, ...] = (),
    ) -> None:
        change = Change(path=found.real, before=found.content, after=after, mode_before=found.mode)
        action = "remove" if after is None else "create" if found.content is None else "update"
        self._files.append(FilePlan(path=path, change=change, action=action, readers=copy.readers, kept=kept))
        self._step(path, found, after, copy, old)

    def _step(self, path: Path, found: Look, after: bytes | None, copy: Copy, old: Copy | None) -> None:
        self._steps.append(
            StepChange(
                path=str(path),
                real=str(found.real),
                name=copy.name,
                kind=copy.kind,
                before=None if found.content is None else bytes_hash(found.content),
                after=None if after is None else bytes_hash(after),
                mode_before=found.mode,
                copy_before=old,
            )
        )

    def _text(self, site: _Site, old: Copy | None) -> _Text:
        place, content, where = site.place, site.look.content, str(site.place.path)
        kind = place.slot.kind
        wanted = installed_form(site.piece, self._name, self._copy_of(site, old))
        found = None if content is None or old is None else own_text(kind, self._name, content, where=where)
        left = "" if old is not None else known_text(self._manifest, kind, content, where=where)
        if left and content is not None:
            return self._taken_up(kind, left, content, wanted, where)
        if found is None or content is None or old is None:
            after = wanted.text.encode()
            if kind == "block":
                after = rulesfile.insert(content or b"", self._name, wanted.text, where=where)
            return _Text(after=after, rendered=wanted)
        comparison = compare_copy(self._library, self._manifest, old, found)
        if kind == "skill" and comparison.state in {"edited", "replaced"}:
            _must_parse(content, where)
        merged = merge_copy(self._library, self._manifest, old, found, wanted)
        as_wanted = unix(merged.text) == wanted.text
        if merged.text == found:
            after = content
        elif kind == "block":
            after = rulesfile.replace_block(content, self._name, merged.text, where=where)
        else:
            after = merged.text.encode()
        if kind == "skill":
            _must_parse(after, where)
        return _Text(
            after=after,
            rendered=wanted if as_wanted else merged.written.model_copy(update={"text": unix(merged.text)}),
            kept=_kept(comparison, self._library.rendered(old.rendered), wanted),
            replaced=comparison.state == "replaced",
        )

    def _taken_up(self, kind: PieceKind, left: str, content: bytes, wanted: Rendered, where: str) -> _Text:
        """What an undo left of an edited text, with our rules in it again; what the person wrote stays as it is."""
        written = self._library.rendered(left)
        text = content.decode("utf-8").removeprefix("\ufeff")
        merged = merge(written, text, wanted)
        after = merged.text.encode()
        if kind == "skill":
            _must_parse(after, where)
        kept = _kept(compare(written.base or written, unix(text)), written, wanted)
        return _Text(after=after, rendered=merged.written.model_copy(update={"text": unix(merged.text)}), kept=kept)

    def _copy_of(self, site: _Site, old: Copy | None) -> str:
        """Where another target installed the file, it stays marked, or unmarked, as it is."""
        if old is not None:
            return old.copy_of
        first = site.place.copy_of
        return "" if first is None else str(first.relative_to(self._root))

    def _retire(self, copy: Copy) -> None:
        """Takes out a copy whose rules are no more; where it was edited, the person's lines stay."""
        found = look(Path(copy.path), Path(copy.root))
        if found.trouble:
            raise RefusedError(f"nothing was changed: {found.trouble}", hint=found.hint)
        self._copies[copy.key] = None
        planned = next((at for at, file in enumerate(self._files) if file.change.path == found.real), None)
        if planned is not None:
            found = replace(found, content=self._files[planned].change.after)
        text = None if found.content is None else own_text(copy.kind, copy.name, found.content, where=copy.path)
        if found.content is None or text is None:
            return
        if copy.kind == "block":
            steps = self._manifest.steps
            changes = [one for step in steps for one in step.changes if (one.real, one.name) == copy.key]
            theirs = lines_by_hand(self._library, changes[::-1], found.content)
            after: bytes | None = without_block(found.content, copy.name, theirs, where=copy.path)
            after = None if not after and copy.original is None else after
        else:
            rest = without_rules(self._library, self._manifest, copy, text)
            after = found.content if rest == text else None if rest is None else rest.encode()
            if rest is not None:
                self._warnings.append(f"{copy.path} has no rules of ours any more; what you wrote in it stays as it is")
        if after == found.content:
            return
        if planned is not None and found.content is not None:
            self._again(planned, found, found.content, after, copy)
            return
        if after is None:
            made = {folder for step in self._manifest.steps for folder in step.made}
            self._drop |= dict.fromkeys(folder for folder in [found.real.parent] if str(folder) in made)
        self._add(Path(copy.path), found, after, copy, copy)

    def _again(self, planned: int, found: Look, between: bytes, after: bytes | None, copy: Copy) -> None:
        """Takes a block out of a file that gets another one in the same install: one change, and two steps to undo."""
        file = self._files[planned]
        self._files[planned] = replace(file, change=replace(file.change, after=after))
        self._keep.append(between)
        self._step(Path(copy.path), found, after, copy, copy)

    def _warn(self, site: _Site, text: _Text) -> None:
        found, path = site.look, site.place.path
        for link, target in found.links:
            self._warnings.append(f"{link} is a link; it stays one, and what is written lies in {target}")
        if found.names > 1:
            self._warnings.append(f"{path} has {found.names} hard links; its other names keep the old text")
        if text.replaced:
            self._warnings.append(f"{path} holds none of our lines any more; what is there stays")
        if path.name == "AGENTS.md" and len(text.after) > DOCUMENT_LIMIT:
            self._warnings.append(f"{path} has {len(text.after):,} bytes; Codex reads {DOCUMENT_LIMIT:,} in all")


def installed_form(piece: DraftPiece, name: str, copy_of: str) -> Rendered:
    """A piece of a draft as it is installed: under its name there, and marked where it is a second copy of a file."""
    if piece.kind != "skill":
        return piece.rendered
    before = document.parse(piece.rendered.text.encode(), where=name)
    metadata = dict(before.metadata)
    if copy_of:
        metadata["ingrained-copy-of"] = copy_of
    text = document.render(replace(before, name=name, metadata=metadata))
    shift = text.count("\n") - piece.rendered.text.count("\n")
    lines = tuple(line.model_copy(update={"line_no": line.line_no + shift}) for line in piece.rendered.lines)
    return Rendered(text=text, lines=lines)


def _must_parse(content: bytes, where: str) -> None:
    try:
        document.parse(content, where=where)
    except SkillFormatError as error:
        raise SkillFormatError(
            f"{error.message}; nothing was changed", hint="mend the file, or move it away and run the install again"
        ) from error


def _kept(comparison: Comparison, written: Rendered, wanted: Rendered) -> tuple[Kept, ...]:
    old = {line.rule_id: line.text for line in (written.base or written).lines}
    new = {line.rule_id: line.text for line in wanted.lines}
    kept = [
        Kept(
            was=old.get(outcome.rule_id, ""),
            now="" if outcome.kind == "gone" else outcome.line,
            wanted=new.get(outcome.rule_id, ""),
        )
        for outcome in comparison.edits
    ]
    if comparison.state in {"edited", "replaced"}:
        kept += [Kept(was="", now=added.line.rstrip("\r\n"), wanted="") for added in comparison.added]
    return tuple(kept)
