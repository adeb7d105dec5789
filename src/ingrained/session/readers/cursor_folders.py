"""In which folder a conversation of Cursor took place.

Newer conversations name their workspace; of others a table of the same database does, or the list in the database of
each workspace, whose `workspace.json` names the folder. Those lists are opened only when a conversation needs them.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote, urlsplit

from ingrained.session.jsonl import CAP, Row, Tally, decode, mapping, objects, string
from ingrained.session.readers.database import blob, columns, opened_copy, query

_DRIVE = re.compile(r"/[A-Za-z]:")
_LIST = "SELECT CASE WHEN length(value) <= ? THEN value END FROM ItemTable WHERE key = 'composer.composerData'"
_HEADERS = "SELECT composerId, workspaceId FROM composerHeaders"


def uri_path(uri: object) -> str:
    """The path in a file's or a remote folder's URI; a plain path stays as it is."""
    if not isinstance(uri, str):
        return ""
    if "://" not in uri:
        return uri
    try:
        path = unquote(urlsplit(uri).path)
    except ValueError:
        return ""
    return path[1:] if _DRIVE.match(path) else path


def folder_in(data: Row) -> str:
    """The folder that a conversation's own record names, "" where it names none."""
    identifier = mapping(data, "workspaceIdentifier")
    for uri in (identifier.get("uri"), identifier.get("configPath"), data.get("workspaceUri")):
        if isinstance(uri, dict):
            uri = string(uri, "fsPath") or string(uri, "path") or string(uri, "external")
        if path := uri_path(uri):
            return path
    return ""


class Folders:
    """The folders of conversations that do not name theirs."""

    def __init__(self, db: sqlite3.Connection, path: Path) -> None:
        """Nothing is looked up yet.

        Args:
            db: the database with the conversations.
            path: where it lies.
        """
        self._db = db
        self._workspaces = path.parent.parent / "workspaceStorage"

    def of(self, id: str) -> str:
        """The folder of a conversation, "" where nothing names it."""
        return self._by_table.get(id) or self._by_list.get(id, "")

    @cached_property
    def _by_table(self) -> dict[str, str]:
        if not {"composerId", "workspaceId"} <= columns(self._db, "composerHeaders"):
            return {}
        rows = list(query(self._db, Tally(), _HEADERS))
        named = {workspace: self._folder(self._workspaces / str(workspace)) for _, workspace in rows if workspace}
        return {str(id): named[workspace] for id, workspace in rows if workspace}

    @cached_property
    def _by_list(self) -> dict[str, str]:
        found: dict[str, str] = {}
        try:
            workspaces = sorted(self._workspaces.iterdir())
        except OSError:
            return {}
        for workspace in workspaces:
            if folder := self._folder(workspace):
                for id in _listed(workspace / "state.vscdb"):
                    found.setdefault(id, folder)
        return found

    def _folder(self, workspace: Path) -> str:
        try:
            data = (workspace / "workspace.json").read_bytes()
        except OSError:
            return ""
        return next((uri_path(row.get("folder")) for row in decode(1, data, Tally())), "")


def _listed(path: Path) -> Iterator[str]:
    """The conversations that a workspace's database lists; one that cannot be read lists none."""
    tally = Tally()
    if not path.is_file() or path.is_symlink():
        return
    try:
        with opened_copy(path, tally) as db:
            if db is None or not {"key", "value"} <= columns(db, "ItemTable"):
                return
            for (value,) in query(db, tally, _LIST, (CAP,)):
                for row in decode(1, blob(value), tally) if value is not None else ():
                    yield from (string(composer, "composerId") for composer in objects(row.get("allComposers")))
    except OSError:
        return
