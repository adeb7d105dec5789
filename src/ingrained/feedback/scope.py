"""How far the words reach: a condition, files or folders, an end. Never further than they say."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ingrained.feedback.cues import marker

_CONDITION = re.compile(
    r"(?:^|[\s,(])((?:(?:only )?(?:while|when(?:ever)?|if|unless|until|before|after|once|during|as long as)\s+"
    r"(?!you go doing)[^,;.!?\n]{3,80})|(?:(?:only )?for (?:every|each|all|any|new)\s+[^,;.!?\n]{3,60}))",
    re.IGNORECASE,
)
_LANGUAGES: Mapping[str, str] = {
    "go": "*.go", "golang": "*.go", "python": "*.py", "rust": "*.rs", "java": "*.java", "kotlin": "*.kt",
    "typescript": "*.ts", "ts": "*.ts", "tsx": "*.tsx", "javascript": "*.js", "js": "*.js", "ruby": "*.rb",
    "swift": "*.swift", "sql": "*.sql", "css": "*.css", "html": "*.html", "markdown": "*.md", "yaml": "*.yaml",
    "json": "*.json", "shell": "*.sh", "bash": "*.sh", "terraform": "*.tf", "php": "*.php", "c#": "*.cs",
    "c++": "*.cpp",
    "vue": "*.vue", "svelte": "*.svelte", "dart": "*.dart", "proto": "*.proto",
}  # fmt: skip
_FILES = re.compile(
    r"\b("
    + "|".join(re.escape(name) for name in sorted(_LANGUAGES, key=len, reverse=True))
    + r")\s+(?:source\s+)?files?\b",
    re.IGNORECASE,
)
_EXTENSION = re.compile(r"(?:(?<=\s)|^)\*?\.([a-z]{1,5})\s+files?\b", re.IGNORECASE)
_FOLDER = re.compile(
    r"\b(?:in|inside|under|within|for)\s+(?:the\s+)?`?([\w.-]+(?:/[\w.*-]+)*/?)`?\s+(?:package|folder|directory|dir|module|"
    r"crate|workspace|app|service)\b|(?:^\W*|\bonly )(?:in|inside|under|within|for)\s+`?((?:[\w.-]+/)+(?:[\w*-]*))`?",
    re.IGNORECASE,
)
_EVERYWHERE = re.compile(
    r"\b(?:in (?:all|every|any) (?:my )?(?:projects?|repos?|repositor(?:y|ies))|everywhere|"
    r"across (?:all )?(?:my )?projects|for me\b)",
    re.IGNORECASE,
)
_HERE = re.compile(r"\bin th(?:is|e) (?:repo|repository|project|codebase)\b|\bhere\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What the words say about where and how long a rule holds."""

    when: str
    """The condition as said, without surrounding words; empty where there is none."""
    paths: tuple[str, ...]
    """Globs (`*.go`) and folders (`api/`)."""
    everywhere: bool
    """The words say that it holds in all projects."""
    here: bool
    """The words tie it to this repository."""
    expires: bool
    """The words end it: a one-off, "for now"."""


def reach(clause: str) -> Reach:
    """The scope that one clause states."""
    condition = _CONDITION.search(clause)
    return Reach(
        when=condition.group(1).strip() if condition else "",
        paths=_paths(clause),
        everywhere=bool(_EVERYWHERE.search(clause)),
        here=bool(_HERE.search(clause)),
        expires=bool(marker("one_off").search(clause)),
    )


def _paths(clause: str) -> tuple[str, ...]:
    found = [_LANGUAGES[m.group(1).lower()] for m in _FILES.finditer(clause)]
    found += [f"*.{m.group(1).lower()}" for m in _EXTENSION.finditer(clause)]
    for match in _FOLDER.finditer(clause):
        folder = (match.group(1) or match.group(2)).rstrip("/")
        if folder.lower() not in {"this", "that", "same", "own", "its", "the", "a", "new", "each", "every"}:
            found.append(folder + "/" if "." not in folder.rpartition("/")[2] else folder)
    return tuple(dict.fromkeys(found))
