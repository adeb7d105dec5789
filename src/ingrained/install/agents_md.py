"""The shared convention: `.agents/skills` and AGENTS.md, with a marked copy for Claude Code, which reads neither.

In a project one AGENTS.md serves every agent. In the person's home there is no shared file: the block goes to each
agent found there that reads a user-wide AGENTS.md, the rules file to Claude Code.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from ingrained.install.claude_code import ClaudeCode
from ingrained.install.codex import USER_SKILL_READERS, Codex, agents_offer
from ingrained.install.places import Offer, Place, Slot, View, Where, config_folder
from ingrained.store.manifest import Into

_IMPORT = re.compile(rb"(?m)(?:^|\s)@(?:\./)?AGENTS\.md\b")


class AgentsMd:
    """The places that several agents share."""

    name = "agents-md"

    def offer(self, where: Where, into: Into, name: str, slots: Sequence[Slot]) -> Offer:
        """One skill folder with its copy for Claude Code where that is used, and blocks in AGENTS.md files."""
        return self._user(where, name, slots) if into == "user" else self._project(where, name, slots)

    def _project(self, where: Where, name: str, slots: Sequence[Slot]) -> Offer:
        root = where.project_folder()
        shared = Codex().offer(where, "project", name, slots)
        copies: tuple[Place, ...] = ()
        notes = list(shared.notes)
        if ClaudeCode().view(where).found or (root / ".claude").is_dir():
            copies = _copies(where, "project", name, slots, root / ".agents/skills" / name / "SKILL.md")
            block = any(slot.kind == "block" for slot in slots)
            if block and not _imports_agents_md(root):
                notes.append(
                    "Claude Code does not read AGENTS.md: add the line @AGENTS.md to CLAUDE.md, or install with "
                    "--agent claude-code as well"
                )
        return Offer(places=shared.places + copies, notes=tuple(notes))

    def _user(self, where: Where, name: str, slots: Sequence[Slot]) -> Offer:
        skill = where.home / ".agents/skills" / name / "SKILL.md"
        places = [
            Place(slot=slot, path=skill, root=where.home, readers=USER_SKILL_READERS)
            for slot in slots
            if slot.kind == "skill"
        ]
        notes: list[str] = []
        codex, codex_root = config_folder(where, "CODEX_HOME", ".codex")
        opencode = where.home / ".config/opencode"
        blocks = [slot for slot in slots if slot.kind == "block"]
        if codex.is_dir():
            offer = agents_offer(blocks, skills=skill, skills_root=where.home, block=codex, block_root=codex_root)
            places += offer.places
            notes += offer.notes
        if opencode.is_dir():
            places += [
                Place(slot=slot, path=opencode / "AGENTS.md", root=where.home, readers=("OpenCode",)) for slot in blocks
            ]
        claude = ClaudeCode()
        if claude.view(where).found:
            places += _copies(where, "user", name, slots, skill)
            places += claude.offer(where, "user", name, [slot for slot in slots if slot.kind == "rules-file"]).places
        if blocks and not any(place.slot.kind != "skill" for place in places):
            notes.append(
                "no agent that reads always-on rules of the user was found, so only the skill is installed; "
                "--agent codex or --agent claude-code names one"
            )
        return Offer(places=tuple(places), notes=tuple(notes))

    def view(self, where: Where) -> View:
        """The shared folders of skills; found where one of them exists."""
        skills = [where.home / ".agents/skills"]
        if where.project is not None:
            skills.append(where.project / ".agents/skills")
        return View(folder=where.home / ".agents", found=(where.home / ".agents").is_dir(), skills=tuple(skills))


def _copies(where: Where, into: Into, name: str, slots: Sequence[Slot], first: Path) -> tuple[Place, ...]:
    skills = [slot for slot in slots if slot.kind == "skill"]
    found = ClaudeCode().offer(where, into, name, skills).places
    return tuple(
        Place(slot=place.slot, path=place.path, root=place.root, readers=place.readers, copy_of=first)
        for place in found
    )


def _imports_agents_md(root: Path) -> bool:
    """Whether Claude Code gets the project's AGENTS.md, by an import or because its CLAUDE.md is the same file."""
    for name in ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md"):
        path = root / name
        try:
            if path.is_file() and (
                path.resolve() == (root / "AGENTS.md").resolve() or _IMPORT.search(path.read_bytes())
            ):
                return True
        except OSError:
            continue
    return False
