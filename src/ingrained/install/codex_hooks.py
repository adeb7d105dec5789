"""Which settings file of Codex takes our hook: `hooks.json`, or in older versions the config with its `notify` program.

The decision to know: the version is asked of the program itself (`codex --version`), since no file says it; where there
is no answer, `notify` is written, which every version runs. From 0.129 on hooks run without a switch, and the switch
that turns them off has its present name. A hook that is new is run only after the person trusted it in Codex, which no
installer may do for them.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

from ingrained.install.places import Where
from ingrained.store.files import FileError, read_bytes_or_none

CONFIG, HOOKS = "config.toml", "hooks.json"
SINCE = (0, 129, 0)
"""The first version for which hooks are written."""

_TIMEOUT_S = 5
_VERSION = re.compile(rb"\b(\d+)\.(\d+)\.(\d+)\b")


def installed(where: Where) -> tuple[int, int, int] | None:
    """The version of the Codex that the person's shell would run; `None` where there is none, or no answer."""
    program = shutil.which("codex", path=where.env.get("PATH", ""))
    if program is None:
        return None
    try:
        done = subprocess.run(
            [program, "--version"],
            capture_output=True,
            check=False,
            timeout=_TIMEOUT_S,
            stdin=subprocess.DEVNULL,
            env=dict(where.env),
            cwd=where.home,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = _VERSION.search(done.stdout) if done.returncode == 0 else None
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


def runs_hooks(where: Where) -> bool:
    """Whether our hook goes into `hooks.json`; not on Windows, where another shell runs it than our command is for."""
    version = installed(where) if os.name != "nt" else None
    return version is not None and version >= SINCE


def told(folder: Path) -> list[str]:
    """What the person should know of a hook in the `hooks.json` of a folder: what keeps Codex from running it."""
    notes = ["Codex runs a new hook after you trusted it there: open /hooks in Codex"]
    try:
        config = tomllib.loads((read_bytes_or_none(folder / CONFIG) or b"").decode("utf-8-sig"))
    except (FileError, ValueError, RecursionError):
        return notes
    features, inline = config.get("features"), config.get("hooks")
    if isinstance(features, dict) and features.get("hooks", features.get("codex_hooks")) is False:
        notes.append(f"{folder / CONFIG} says hooks = false, so no hook runs")
    if isinstance(inline, dict) and set(inline) - {"state"}:
        notes.append(
            f"{folder / CONFIG} holds hooks too; Codex runs both and says at its start that there are two places"
        )
    return notes
