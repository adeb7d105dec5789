"""What learning may ask the machine: who works here, and what the config merges.

Everything is read, nothing is written, and a machine that cannot answer gives nothing instead of an error.
"""

from __future__ import annotations

import contextlib
import getpass
import subprocess
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from ingrained.errors import ConfigError
from ingrained.skill.private import known_name

_SECONDS = 5


def personal_names() -> tuple[str, ...]:
    """Names of the person at this machine, to be kept out of what is stored: git's user name and the login.

    The mail address is no name: whatever its parts are, it goes as a mail address wherever it stands.
    """
    names = [_git("config", "--global", "user.name")]
    with contextlib.suppress(OSError, KeyError, ImportError):
        names.append(getpass.getuser())
    return tuple(dict.fromkeys(name for name in names if name and name not in {"root", "user", "admin"}))


def contributors(folder: Path) -> tuple[str, ...]:
    """Authors of the last thousand commits of the repository that a folder lies in; none where it lies in none."""
    told = _git("-C", str(folder), "log", "-1000", "--format=%aN")
    names = {name for name in told.split("\n") if name and not name.endswith("[bot]")}
    return tuple(sorted(name for name in names if not known_name(name.casefold())))


def _git(*words: str) -> str:
    try:
        done = subprocess.run(["git", *words], capture_output=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.SubprocessError, ValueError):
        return ""
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else ""


def merged_projects(home: Path) -> Mapping[str, Sequence[str]]:
    """The table `[projects]` of `ingrained.toml` in the home folder: a name, and the folders or remotes it stands for.

    Raises:
        ConfigError: an entry is no list of texts.
    """
    path = home / "ingrained.toml"
    try:
        table = tomllib.loads(path.read_bytes().decode("utf-8-sig")).get("projects", {})
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} cannot be read: {error}", hint="correct the file, or move it away") from error
    for name, places in table.items() if isinstance(table, dict) else [("projects", None)]:
        if not isinstance(places, list) or not all(isinstance(place, str) for place in places):
            raise ConfigError(
                f"{path}: [projects] {name} is {places!r}", hint='write: name = ["/folder", "github.com/owner/repo"]'
            )
    return table
