"""Where agents with an editor or a database of their own keep their sessions, as data, and how such files are called.

`{copilot}` is `$COPILOT_HOME`, or `~/.copilot`. `{config}` is the folder in which programs keep a person's settings:
`~/.config`, `~/Library/Application Support` or `%APPDATA%`; `{data}` is `$XDG_DATA_HOME`. The rest is below the
person's home folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")
"""Editors of the same family, in whose folders extensions keep their data."""

VSCODE = EDITORS[:3]
"""Those that keep chats of their own as files."""

EXTENSIONS = ("saoudrizwan.claude-dev", "rooveterinaryinc.roo-cline")
"""Cline and Roo Code."""

PLACES = (
    "~/.gemini/tmp",
    "{data}/opencode",
    "~/.cursor/chats",
    "{config}/Cursor/User/globalStorage",
    "{config}/Cursor/User/workspaceStorage",
    "~/.cline/data",
    "{copilot}/session-state",
    *(f"{{config}}/{editor}/User/workspaceStorage" for editor in VSCODE),
    *(f"{{config}}/{editor}/User/globalStorage/emptyWindowChatSessions" for editor in VSCODE),
    "~/.vscode-server/data/User/workspaceStorage",
    *(f"{{config}}/{editor}/User/globalStorage/{extension}" for editor in EDITORS for extension in EXTENSIONS),
    *(f"~/.vscode-server/data/User/globalStorage/{extension}" for extension in EXTENSIONS),
)

_NAMES = re.compile(
    r"session-.*\.json"  # Gemini CLI, before its lines
    r"|ui_messages\.json"  # Cline, Roo Code
    r"|ses_\w+\.json|opencode(?:-[\w.-]+)?\.db"  # OpenCode
    r"|state\.vscdb|store\.db"  # Cursor
    r"|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.json|chat\.json"  # VS Code, before its lines, and exported
    r"|.*\.md"  # SpecStory, Aider
    r"|conversations(?:[-_ ]\w+)?\.json|.*\.zip",  # exports of ChatGPT and Claude.ai
    re.IGNORECASE,
)


def is_store_name(name: str) -> bool:
    """Whether a document, archive or database with sessions may be called so."""
    return _NAMES.fullmatch(name) is not None


def store_places(env: Mapping[str, str], home: Path, platform: str) -> Iterator[Path]:
    """The places on one platform (`linux`, `darwin`, `win32`), whether they exist or not."""
    copilot = Path(env.get("COPILOT_HOME") or home / ".copilot")
    folders = {"{copilot}": copilot, "{config}": _config(env, home, platform), "{data}": _data(env, home), "~": home}
    for place in PLACES:
        start, _, rest = place.partition("/")
        yield folders[start] / rest


def _config(env: Mapping[str, str], home: Path, platform: str) -> Path:
    if platform == "darwin":
        return home / "Library" / "Application Support"
    if platform == "win32":
        return Path(env["APPDATA"]) if env.get("APPDATA") else home / "AppData" / "Roaming"
    return Path(env["XDG_CONFIG_HOME"]) if env.get("XDG_CONFIG_HOME") else home / ".config"


def _data(env: Mapping[str, str], home: Path) -> Path:
    """OpenCode keeps to the same rule on all platforms."""
    return Path(env["XDG_DATA_HOME"]) if env.get("XDG_DATA_HOME") else home / ".local" / "share"
