"""The install-target seam: an agent's places are data, everything else is one way of planning, writing and undoing.

A target says where a skill, a block or a rules file goes for its agent and who else reads that file. It touches no
file; `survey.py` looks, `plan.py` decides, `apply.py` writes.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ingrained.errors import ConfigError, EnvironmentFaultError
from ingrained.registry import Registry
from ingrained.store.manifest import Into, PieceKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """The machine as targets see it."""

    home: Path
    """The person's home folder."""
    project: Path | None
    """The project's folder, absolute; `None` where none was named."""
    env: Mapping[str, str]

    def project_folder(self) -> Path:
        """The project's folder.

        Raises:
            ConfigError: none was named.
        """
        if self.project is None:
            raise ConfigError("no project folder was named", hint="run it inside the project, or use --into user")
        return self.project


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """A text that wants a place: its kind, and what tells several rules files of a draft apart."""

    kind: PieceKind
    stem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """One file of one agent."""

    slot: Slot
    path: Path
    """Where the agent looks."""
    root: Path
    """No link on the way from here to the file may lead out of this folder."""
    readers: tuple[str, ...]
    """Agents that read this file, by their documentation."""
    copy_of: Path | None = None
    """Set where this is a second copy of the same skill, for agents that look elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """The places for one draft, and what the person should know about them."""

    places: tuple[Place, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """An agent as it is set up here; read only."""

    folder: Path
    """Its own folder in the person's home."""
    found: bool
    skills: tuple[Path, ...]
    """Folders whose skills it lists, the person's first; they need not exist."""
    settings: Path | None = None
    """Its settings file where we read one; only `install --hooks` writes it."""


class Target(Protocol):
    """One agent, or one convention that several agents share."""

    name: str

    def offer(self, where: Where, into: Into, name: str, slots: Sequence[Slot]) -> Offer:
        """The places for the texts that this agent takes; slots of other kinds are left out."""
        ...

    def view(self, where: Where) -> View:
        """Whether the agent is here, and which folders it lists."""
        ...


TARGETS: Registry[type[Target]] = Registry(
    "ingrained.install",
    {
        "claude-code": "ingrained.install.claude_code:ClaudeCode",
        "codex": "ingrained.install.codex:Codex",
        "agents-md": "ingrained.install.agents_md:AgentsMd",
    },
)


def here(
    project: Path | None = None, env: Mapping[str, str] | None = None, *, untested: bool = False, system: str = os.name
) -> Where:
    """The machine as it is: home from `HOME` (else from the system), everything else from `env`.

    Args:
        project: the project's folder, or `None`.
        env: the environment; the process's own by default.
        untested: go on where installing was never tested (Windows).
        system: `os.name`.

    Raises:
        EnvironmentFaultError: Windows without `untested`, or no home folder is known.
        ConfigError: the project's folder does not exist, or is a path of another system.
    """
    env = os.environ if env is None else env
    if system == "nt" and not untested:
        raise EnvironmentFaultError(
            "installing on Windows is untested, so nothing was written",
            hint="run it under WSL, or pass --force to try it; undo works the same way",
        )
    try:
        home = Path(env["HOME"]) if env.get("HOME") else Path.home()
    except RuntimeError as error:
        raise EnvironmentFaultError(
            f"no home folder is known for this user: {error}", hint="set HOME, or use --into project"
        ) from error
    if project is not None:
        project = _project_folder(project, system)
    return Where(home=home.absolute(), project=project, env=env)


def _project_folder(project: Path, system: str) -> Path:
    text = str(project)
    if system != "nt" and (text[1:3] == ":\\" or text.startswith("\\\\")):
        raise ConfigError(f"{text!r} is a Windows path and this is not Windows", hint="name the folder as it is here")
    if not project.is_dir():
        state = "is a file" if project.exists() else "does not exist"
        raise ConfigError(f"the project folder {text!r} {state}", hint="name an existing folder, or use --into user")
    return project.absolute()


def config_folder(where: Where, variable: str, default: str) -> tuple[Path, Path]:
    """An agent's own folder and the root that links may not lead out of.

    The folder is what the variable names, which then is its own root, else `default` in the person's home.
    """
    chosen = where.env.get(variable, "")
    if chosen:
        folder = Path(chosen).expanduser().absolute()
        return folder, folder
    return where.home / default, where.home
