"""Claude Code: skills in `.claude/skills/<name>/SKILL.md`, always-on rules in `.claude/rules/<name>.md`.

A rules file of its own is read like CLAUDE.md and needs no line in a file of the person's, so CLAUDE.md is never
touched. `CLAUDE_CONFIG_DIR` moves the user's `~/.claude`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ingrained.install.places import Offer, Place, Slot, View, Where, config_folder
from ingrained.store.manifest import Into

SKILL_READERS = ("Claude Code", "Cursor", "GitHub Copilot", "OpenCode")
USER_SKILL_READERS = ("Claude Code", "OpenCode")


class ClaudeCode:
    """The places of Claude Code."""

    name = "claude-code"

    def offer(self, where: Where, into: Into, name: str, slots: Sequence[Slot]) -> Offer:
        """A skill folder and rules files; blocks have no place here."""
        if into == "user":
            base, root = config_folder(where, "CLAUDE_CONFIG_DIR", ".claude")
        else:
            root = where.project_folder()
            base = root / ".claude"
        places: list[Place] = []
        for slot in slots:
            if slot.kind == "skill":
                readers = USER_SKILL_READERS if into == "user" else SKILL_READERS
                path = base / "skills" / name / "SKILL.md"
                places.append(Place(slot=slot, path=path, root=root, readers=readers))
            elif slot.kind == "rules-file":
                stem = f"{name}-{slot.stem}" if slot.stem else name
                places.append(Place(slot=slot, path=base / "rules" / f"{stem}.md", root=root, readers=("Claude Code",)))
        notes = ()
        if into == "project" and (base / "rules").is_symlink():
            notes = (f"{base / 'rules'} is a link: some versions of Claude Code read no linked rules of a project",)
        return Offer(places=tuple(places), notes=notes)

    def view(self, where: Where) -> View:
        """The config folder, the folders of skills and the user's settings file."""
        base, _ = config_folder(where, "CLAUDE_CONFIG_DIR", ".claude")
        skills = (base / "skills",) if where.project is None else (base / "skills", where.project / ".claude/skills")
        return View(folder=base, found=base.is_dir(), skills=skills, settings=base / "settings.json")
