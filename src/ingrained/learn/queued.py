"""Logs that agents' hooks named since the last run: those in the standard places are found anyway, others are added.

A log that is gone, or that no reader knows, is a line in the report and is not asked for again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from ingrained.errors import IngrainedError
from ingrained.ids import PersonId
from ingrained.learn.reading import ME, Trouble, newest_first
from ingrained.session.sources import Skipped, Source, find
from ingrained.store.queue import Queued, Taken

_CODEX_FOLDERS = ("sessions", "archived_sessions")


def with_queued(
    items: Sequence[tuple[PersonId, Source]], taken: Taken, ignored: Sequence[str], trouble: Trouble
) -> list[tuple[PersonId, Source]]:
    """The items with the logs that hooks named and that are not among them, newest first.

    Args:
        items: from `reading.sources`.
        taken: the queue.
        ignored: patterns of logs that are not to be read.
        trouble: takes what was named and cannot be read.
    """
    known = {source.path for _, source in items}
    found = {source.path: (person, source) for person, source in items}
    for path in dict.fromkeys(path for entry in taken.entries for path in _logs(entry, known)):
        try:
            sources = find([path], exclude=ignored, skipped=trouble.skipped)
        except IngrainedError as error:
            trouble.skipped.append(Skipped(path=str(path), why=f"named by a hook: {error.message}"))
            continue
        for source in sources:
            found.setdefault(source.path, (ME, source))
    return newest_first(found.values())


def _logs(entry: Queued, known: set[str]) -> Iterator[Path]:
    """The files that an entry means and that are not known; what is no absolute path of a file is none."""
    if entry.transcript:
        path = Path(entry.transcript)
        if path.is_absolute() and str(path) not in known and not path.is_dir():
            yield path
    elif entry.folder and entry.session.replace("-", "").isalnum():
        for name in _CODEX_FOLDERS:
            logs = sorted((Path(entry.folder) / name).rglob(f"rollout-*{entry.session}.jsonl*"))
            yield from (path for path in logs if str(path) not in known)
