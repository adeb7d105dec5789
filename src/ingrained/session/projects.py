"""Which project a working folder belongs to: pure, over the paths as logs write them, of any system.

In this order: a merge from the config (`projects:`), the git remote where the folder still exists, the shortest
working folder seen that the path lies in once worktree folders are cut off, the path itself. A home folder, a system
folder, or a folder in a home that people keep all their projects in never swallows what lies in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from ingrained.ids import ProjectId
from ingrained.session.provenance import is_under, parts_of

_WORKTREES = re.compile(r"/(?:\.worktrees|\.claude/worktrees|\.git/worktrees|\.git/wt|\.trees)(?:/.*)?$")
_DRIVE = re.compile(r"^[A-Za-z]:(?=/|$)")
_SCP = re.compile(r"^(?:[\w.+-]+@)?([\w.-]+):(?!/)(.+)$")
_URL = re.compile(r"^[a-z][a-z0-9+.-]*://(?:[^@/]*@)?([^/:]+)(?::\d+)?/(.+)$", re.IGNORECASE)
_HOMES = frozenset({"home", "users"})
_CONTAINERS = frozenset(
    {
        "code",
        "desktop",
        "dev",
        "development",
        "documents",
        "git",
        "github",
        "projects",
        "repos",
        "repositories",
        "source",
        "src",
        "work",
        "workspace",
        "workspaces",
    }
)


def normal_remote(url: str) -> str:
    """`host/owner/name` of a remote in any of git's spellings, "" for a local path or nothing.

    No user, password, port, scheme or `.git` stays, and case does not count.
    """
    text = url.strip()
    match = _URL.match(text) or _SCP.match(text)
    if match is None or text.lower().startswith("file:") or _DRIVE.match(text.replace("\\", "/")):
        return ""
    name = match.group(2).strip("/").removesuffix(".git")
    return f"{match.group(1)}/{name}".lower()


def normal_folder(path: str) -> str:
    """One spelling for a folder: `/` between names, no end slash, drive letter in upper case, no worktree folder."""
    text = re.sub(r"(?<!^)/+", "/", path.replace("\\", "/")) if "\\" in path or "//" in path else path
    text = _DRIVE.sub(lambda drive: drive.group().upper(), text)
    cut = _WORKTREES.sub("", text) or text
    return cut.rstrip("/") or "/"


def resolve(
    cwds: Iterable[str],
    *,
    remote_of: Callable[[str], str],
    merged: Mapping[str, Sequence[str]] | None = None,
) -> dict[str, ProjectId]:
    """The project of each working folder.

    Args:
        cwds: all that were seen; the answer for one depends on the others.
        remote_of: the git remote of a folder, "" where the folder is gone or has none.
        merged: from the config: name of a project → folders (with all in them) and remotes that belong to it.

    Returns:
        By working folder as given: `git:host/owner/name`, `dir:/folder` or `name:name`; `dir:` for an empty one.
    """
    seen = list(dict.fromkeys(cwds))
    folders = {cwd: normal_folder(cwd) for cwd in seen if cwd}
    roots = sorted({folder for folder in folders.values() if not _is_shared_ground(folder)}, key=_length)
    answers: dict[str, ProjectId] = {}
    for cwd in seen:
        folder = folders.get(cwd, "")
        remote = normal_remote(remote_of(cwd)) if cwd else ""
        answers[cwd] = _project(folder, remote, roots, merged or {})
    return answers


def _project(folder: str, remote: str, roots: list[str], merged: Mapping[str, Sequence[str]]) -> ProjectId:
    for name, places in merged.items():
        if any(_is_at(place, folder, remote) for place in places):
            return ProjectId(f"name:{name}")
    if remote:
        return ProjectId(f"git:{remote}")
    root = next((root for root in roots if _is_in(folder, root)), folder)
    return ProjectId(f"dir:{root}")


def _is_at(place: str, folder: str, remote: str) -> bool:
    """Whether a place of the config, a remote or a folder, is meant."""
    named = normal_remote(place) or place.lower().removesuffix(".git")
    return (bool(remote) and remote == named) or (bool(folder) and _is_in(folder, normal_folder(place)))


def _is_in(folder: str, root: str) -> bool:
    if _DRIVE.match(root):
        return is_under(folder.casefold(), root.casefold())
    return is_under(folder, root)


def _length(folder: str) -> tuple[int, str]:
    return len(parts_of(folder)), folder


def _is_shared_ground(folder: str) -> bool:
    """Whether a folder holds many projects by its nature: a home, what is above it, or `~/src` and the like."""
    names = [name.lower() for name in parts_of(_DRIVE.sub("", folder))]
    if names[:1] == ["root"]:
        below = names[1:]
    elif names[:1] and names[0] in _HOMES:
        below = names[2:]
    else:
        return not names or names in (["tmp"], ["mnt"], ["opt"], ["srv"], ["var"], ["private", "tmp"])
    return not below or (len(below) == 1 and below[0] in _CONTAINERS)


def display_name(project: ProjectId) -> str:
    """A short name for people: `owner/name` of a remote, the last folder, or the name in the config."""
    kind, _, rest = project.partition(":")
    if kind == "name":
        return rest
    parts = parts_of(rest)
    if kind == "git":
        return "/".join(parts[-2:])
    return parts[-1] if parts else "(no folder)"
