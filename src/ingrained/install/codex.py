"""Codex: skills in `.agents/skills/<name>/SKILL.md`, always-on rules as a block in AGENTS.md.

The user's block goes into `~/.codex/AGENTS.md` (`CODEX_HOME` moves it), the project's into the AGENTS.md at its root.
Codex reads at most 32 KiB of such files in all, and an AGENTS.override.md instead of the AGENTS.md beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ingrained.install.places import Offer, Place, Slot, View, Where, config_folder
from ingrained.store.manifest import Into

SKILL_READERS = ("Codex", "Gemini CLI", "GitHub Copilot", "Cursor", "OpenCode", "Amp")
USER_SKILL_READERS = ("Codex", "Gemini CLI", "GitHub Copilot")
BLOCK_READERS = ("Codex", "Cursor", "GitHub Copilot", "OpenCode", "Windsurf", "Cline", "Roo Code")
DOCUMENT_LIMIT = 32 * 1024
"""Bytes of AGENTS.md files that Codex reads in all (`project_doc_max_bytes`)."""


class Codex:
    """The places of Codex."""

    name = "codex"

    def offer(self, where: Where, into: Into, name: str, slots: Sequence[Slot]) -> Offer:
        """A skill folder and a block; rules files have no place here."""
        if into == "user":
            base, root = config_folder(where, "CODEX_HOME", ".codex")
            return agents_offer(
                slots, skills=where.home / ".agents/skills" / name, skills_root=where.home, block=base, block_root=root
            )
        root = where.project_folder()
        return agents_offer(
            slots, skills=root / ".agents/skills" / name, skills_root=root, block=root, block_root=root, project=True
        )

    def view(self, where: Where) -> View:
        """The config folder and the folders of skills."""
        base, _ = config_folder(where, "CODEX_HOME", ".codex")
        skills = [where.home / ".agents/skills", base / "skills"]
        if where.project is not None:
            skills.append(where.project / ".agents/skills")
        return View(folder=base, found=base.is_dir(), skills=tuple(skills))


def agents_offer(
    slots: Sequence[Slot], *, skills: Path, skills_root: Path, block: Path, block_root: Path, project: bool = False
) -> Offer:
    """Places of the shared convention: a skill in the folder `skills`, a block in the AGENTS.md of the folder `block`.

    Args:
        slots: what wants a place.
        skills: the skill's own folder.
        skills_root: where links on the way to it have to stay.
        block: the folder of the AGENTS.md.
        block_root: where links on the way to that have to stay.
        project: the places are a project's, which more agents read than the user's.
    """
    places: list[Place] = []
    notes: list[str] = []
    for slot in slots:
        if slot.kind == "skill":
            readers = SKILL_READERS if project else USER_SKILL_READERS
            places.append(Place(slot=slot, path=skills / "SKILL.md", root=skills_root, readers=readers))
        elif slot.kind == "block":
            readers = BLOCK_READERS if project else ("Codex",)
            places.append(Place(slot=slot, path=block / "AGENTS.md", root=block_root, readers=readers))
            if (block / "AGENTS.override.md").exists():
                notes.append(f"Codex reads {block / 'AGENTS.override.md'} instead of the AGENTS.md beside it")
    return Offer(places=tuple(places), notes=tuple(notes))
