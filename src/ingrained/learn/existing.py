"""What the person's own rule files say already, line by line.

A rule that stands in one of them and had to be said again is "there and broken again". Files are only read; blocks
that Ingrained wrote are left out, or every installed rule would report itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path

from ingrained.errors import IngrainedError
from ingrained.skill import rulesfile

NAMES = ("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", "AGENTS.md", "AGENTS.override.md", "GEMINI.md")
_MAX_BYTES = 262_144
_MAX_FILES = 200
_BULLET = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+")


def rule_lines(
    folders: Iterable[Path], user: Path, env: Mapping[str, str], installed: Iterable[Path] = ()
) -> dict[str, tuple[str, ...]]:
    """The lines of rule files that agents read, by path; files that are missing or unreadable are left out.

    Args:
        folders: project folders that exist.
        user: the person's home folder.
        env: for `CLAUDE_CONFIG_DIR` and `CODEX_HOME`.
        installed: files that are ours as a whole.
    """
    claude = Path(env.get("CLAUDE_CONFIG_DIR") or user / ".claude")
    codex = Path(env.get("CODEX_HOME") or user / ".codex")
    ours = {path.absolute() for path in installed}
    places = [claude / "CLAUDE.md", codex / "AGENTS.md", *_globbed(claude / "rules", "*.md")]
    places += _globbed(claude / "projects", "*/memory/*.md")
    for folder in folders:
        places += [folder / name for name in NAMES] + _globbed(folder / ".claude" / "rules", "**/*.md")
    found: dict[str, tuple[str, ...]] = {}
    for path in dict.fromkeys(places):
        if path.absolute() not in ours and (lines := _lines(path)):
            found[str(path)] = lines
    return found


def _globbed(folder: Path, pattern: str) -> list[Path]:
    try:
        return sorted(islice((path for path in folder.glob(pattern) if path.is_file()), _MAX_FILES))
    except OSError:
        return []


def _lines(path: Path) -> tuple[str, ...]:
    try:
        if path.is_symlink() or not path.is_file() or path.stat().st_size > _MAX_BYTES:
            return ()
        data = path.read_bytes()
        for block in rulesfile.blocks(data, where=str(path)):
            data = rulesfile.remove(data, block.name, where=str(path))
        text = data.decode("utf-8", "replace")
    except (OSError, IngrainedError):
        return ()
    lines = (_BULLET.sub("", line).strip() for line in text.split("\n"))
    return tuple(line for line in lines if len(line.split()) >= 3 and not line.startswith(("#", "<!--", "```")))
