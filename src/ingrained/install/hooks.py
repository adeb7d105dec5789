"""The hook: what each agent is told to run after a turn, and where that is written.

It only queues the name of the log (`store/enqueue.py`). A change of settings is a step like any other, so `undo` gives
the old bytes back; where the file was changed since, only ours goes and everything else stays as it is now.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from datetime import datetime
from pathlib import Path

from ingrained.errors import ConfigError, RefusedError
from ingrained.ids import bytes_hash
from ingrained.install import codex_hooks, settings_json, settings_toml
from ingrained.install.places import TARGETS, Where, config_folder
from ingrained.install.plan import FilePlan, Plan
from ingrained.install.survey import Look, look
from ingrained.registry import nearest
from ingrained.store import enqueue
from ingrained.store.library import Library
from ingrained.store.manifest import Step, StepChange
from ingrained.store.transaction import Change

EVENT = "Stop"
"""The event at the end of each turn; the end of a session is not told when its terminal is closed."""

NAME = "hook"
"""Name of our entry in a step."""

_PLACES = {
    "claude-code": ("CLAUDE_CONFIG_DIR", ".claude", ("settings.json",), "Claude Code"),
    "codex": ("CODEX_HOME", ".codex", (codex_hooks.CONFIG, codex_hooks.HOOKS), "Codex"),
}
HOOKED = tuple(_PLACES)
"""Names of the agents that can be told to run our hook."""

_PROGRAM = os.path.join("ingrained", "store", "enqueue.py")  # noqa: PTH118 - the end of a path, in this system's form


def argv(agent: str, home: Path) -> tuple[str, ...]:
    """What an agent runs: this Python, alone, with our program by its path, so that nothing else is imported."""
    return (sys.executable, "-I", "-S", str(Path(enqueue.__file__).absolute()), agent, str(home))


def command(agent: str, home: Path) -> str:
    """The same for a shell, silent, and with exit code 0 even where the program is gone."""
    return f"{shlex.join(argv(agent, home))} >{os.devnull} 2>&1 || :"


def is_ours(text: str) -> bool:
    """Whether a command is our hook, from whatever place and version."""
    try:
        words = shlex.split(text)
    except ValueError:
        return False
    return words[1:3] == ["-I", "-S"] and words[3:4] != [] and words[3].endswith(_PROGRAM)


def settings_file(agent: str, where: Where) -> tuple[Path, Path]:
    """The settings file that holds our hook or would take it, and the folder that no link on the way may lead out of.

    Raises:
        ConfigError: we know of no hooks of this agent.
    """
    files = _settings_files(agent, where)
    held = next((place for place in files if _holds(*place)), None)
    return held or files[-1 if agent == "codex" and codex_hooks.runs_hooks(where) else 0]


def _settings_files(agent: str, where: Where) -> tuple[tuple[Path, Path], ...]:
    """The files that may hold our hook, the oldest way first, each with its folder.

    Raises:
        ConfigError: we know of no hooks of this agent.
    """
    if agent not in _PLACES:
        raise ConfigError(
            f"no hooks for {agent!r} (known: {', '.join(_PLACES)}){nearest(agent, [*_PLACES])}",
            hint="ingrained install --hooks --agent claude-code",
        )
    variable, default, names, _ = _PLACES[agent]
    folder, root = config_folder(where, variable, default)
    return tuple((folder / name, root) for name in names)


def hooked(agent: str, where: Where) -> bool:
    """Whether an agent's settings hold our hook now."""
    return any(_holds(path, root) for path, root in _settings_files(agent, where))


def _holds(path: Path, root: Path) -> bool:
    found = look(path, root).content
    if found is None:
        return False
    return settings_json.holds(found, is_ours) if path.suffix == ".json" else settings_toml.holds(found, _PROGRAM)


def plan_hooks(library: Library, agent: str, where: Where, *, now: datetime) -> Plan:
    """What adding our hook to an agent's settings would change. Files are read, none is written.

    Args:
        library: where the step is kept.
        agent: name of the agent.
        where: the machine.
        now: time of the step.

    Raises:
        ConfigError: we know of no hooks of this agent.
        RefusedError: the settings do not parse, are read-only, or hold something of somebody else's in our place.
        StoreError: the library is damaged.
    """
    TARGETS.load(agent)
    manifest = library.settled_manifest()
    path, root = settings_file(agent, where)
    found = look(path, root)
    if found.trouble:
        raise RefusedError(f"nothing was changed: {found.trouble}", hint=found.hint)
    after, warnings = _with_hook(agent, found, library.home)
    if path.name == codex_hooks.CONFIG and found.content == after and codex_hooks.runs_hooks(where):
        warnings += (f"notify in {path} works; for Codex's own hooks run ingrained uninstall --hooks, then this again",)
    if after == found.content:
        return Plan(what="install", files=(), same=(path,), warnings=warnings, before=manifest, after=manifest)
    change = Change(path=found.real, before=found.content, after=after, mode_before=found.mode)
    done = StepChange(
        path=str(path),
        real=str(found.real),
        name=NAME,
        kind="settings",
        before=None if found.content is None else bytes_hash(found.content),
        after=bytes_hash(after),
        mode_before=found.mode,
        copy_before=None,
    )
    step = Step(
        time=now,
        agent=agent,
        into="user",
        root=str(root),
        draft="",
        changes=(done,),
        made=tuple(map(str, found.missing)),
    )
    action = "create" if found.content is None else "update"
    return Plan(
        what="install",
        files=(FilePlan(path=path, change=change, action=action, readers=(_PLACES[agent][3],)),),
        make=found.missing,
        warnings=warnings,
        before=manifest,
        after=manifest.model_copy(update={"steps": (*manifest.steps, step)}),
    )


def is_hook(step: Step) -> bool:
    """Whether a step put our hook into settings."""
    return any(change.kind == "settings" for change in step.changes)


def strays(library: Library, where: Where) -> tuple[FilePlan, ...]:
    """What taking out our hooks would change that no step of this library knows of, such as those of a lost home.

    Settings that do not parse or cannot be written are left alone.
    """
    known = {change.real for step in library.manifest().steps for change in step.changes}
    found: list[FilePlan] = []
    for path, root in (place for agent in HOOKED for place in _settings_files(agent, where)):
        there = look(path, root)
        if there.content is None or there.trouble or str(there.real) in known or not _holds(path, root):
            continue
        try:
            after = without_hook(str(path), there.content, b"")
        except RefusedError:
            continue
        if after not in {None, there.content}:
            change = Change(path=there.real, before=there.content, after=after, mode_before=there.mode)
            found.append(FilePlan(path=path, change=change, action="keep"))
    return tuple(found)


def without_hook(path: str, content: bytes, before: bytes | None) -> bytes | None:
    """Settings without our hook, all else as it is; `None`: the file was made for it and nothing else is in it.

    Args:
        path: the settings file.
        content: what it holds now.
        before: what it held before our hook came; `None`: there was no file.

    Raises:
        RefusedError: it does not parse.
    """
    if path.endswith(".json"):
        return settings_json.taken_out(content, before, is_ours, where=path)
    return settings_toml.taken_out(content, before, _PROGRAM, where=path)


def _with_hook(agent: str, found: Look, home: Path) -> tuple[bytes, tuple[str, ...]]:
    """The settings with our hook, and what the person should know."""
    where = str(found.path)
    content = found.content or b""
    warnings = [f"{link} is a link; it stays one, and what is written lies in {target}" for link, target in found.links]
    if found.missing:
        warnings.append(f"{_PLACES[agent][3]} was not found here ({found.path.parent} is new)")
    if found.path.name == codex_hooks.CONFIG:
        return settings_toml.put_in(content, argv(agent, home), _PROGRAM, where=where), tuple(warnings)
    if found.path.name == codex_hooks.HOOKS:
        warnings += codex_hooks.told(found.path.parent)
    if not content.strip(b"\xef\xbb\xbf \t\r\n"):
        if found.content is not None:
            warnings.append(f"{where} is empty, so it is written as a new one")
        entry = {"hooks": [{"type": "command", "command": command(agent, home), "timeout": 5}]}
        return (json.dumps({"hooks": {EVENT: [entry]}}, indent=2, ensure_ascii=False) + "\n").encode(), tuple(warnings)
    after = settings_json.put_in(content, EVENT, command(agent, home), is_ours, where=where)
    if json.loads(after.decode("utf-8-sig")).get("disableAllHooks") is True:
        warnings.append(f'{where} says "disableAllHooks": true, so no hook runs')
    return after, tuple(warnings)
