"""What the person's own rule files say already, line by line.

A rule that stands in one of them is not added twice; where it was said after the line is known to have stood there, it
is "there and broken again". Files are only read; blocks that Ingrained wrote are left out, or every installed rule
would report itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from ingrained.errors import IngrainedError
from ingrained.session.readers.checkpoints import git
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
    lines = (_bare(line) for line in text.split("\n"))
    return tuple(line for line in lines if len(line.split()) >= 3 and not line.startswith(("#", "<!--", "```")))


def _bare(line: str) -> str:
    return _BULLET.sub("", line).strip()


class LineDates:
    """When a line of a rule file stood there at the latest: its commit, else the file's last change, else `None`.

    Both are late rather than early (a clone, a checkout and a rebase make them later), so what was said after that was
    certainly said again. A file is asked about once, and only where a rule stands in it.
    """

    def __init__(self) -> None:
        """Nothing asked yet."""
        self._files: dict[str, tuple[datetime | None, Mapping[str, datetime]]] = {}

    def __call__(self, path: str, line: str) -> datetime | None:
        """The time for a line as `rule_lines` gives it."""
        if path not in self._files:
            self._files[path] = (_changed(Path(path)), _committed(Path(path)))
        changed, committed = self._files[path]
        return committed.get(line, changed)


def _changed(path: Path) -> datetime | None:
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except (OSError, OverflowError, ValueError):
        return None


def _committed(path: Path) -> dict[str, datetime]:
    """The lines that git knows, each with the time of the earliest commit that one like it comes from."""
    blamed = git(path.parent, ["blame", "--line-porcelain", "-w", "--no-textconv", "--", path.name]) or b""
    found: dict[str, datetime] = {}
    commit, time = "", ""
    for row in blamed.decode("utf-8", "replace").split("\n"):
        if row.startswith("\t"):
            line = _bare(row)
            if commit.strip("0") and time:
                when = datetime.fromtimestamp(int(time), UTC)
                found[line] = min(found.get(line, when), when)
            commit = ""
        elif not commit:
            commit = row.partition(" ")[0]
        elif row.startswith("committer-time "):
            time = row.partition(" ")[2]
    return found
