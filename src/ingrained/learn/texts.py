"""Texts from files: one that was named, a folder of one author's, and those of it that a model is shown.

Any file in UTF-8 is a text, whatever it is called. A file that is none is named with the reason and never stops the
others; only what was asked for by name has to be there.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ingrained.errors import ConfigError


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A text and where it lies."""

    path: Path
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A path that was found and not used."""

    path: Path
    why: str


def read_text(path: Path) -> Text:
    """A file that was asked for by name.

    Raises:
        ConfigError: it is not there, no file, not to be read, or no text.
    """
    found = _read(path)
    if isinstance(found, Skipped):
        raise ConfigError(f"{path}: {found.why}", hint="name a text file in UTF-8")
    return found


def _read(path: Path) -> Text | Skipped:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        return Skipped(path=path, why=error.strerror or "it cannot be read")
    except UnicodeDecodeError:
        return Skipped(path=path, why="no text in UTF-8")
    if "\0" in text:
        return Skipped(path=path, why="no text: it holds zero bytes")
    return Text(path=path, text=text.replace("\r\n", "\n"))


def texts_in(folder: Path) -> tuple[list[Text], list[Skipped]]:
    """The texts that lie directly in a folder, by name, and what there is none; dotted names are passed over.

    Raises:
        ConfigError: there is no such folder, or it cannot be listed.
    """
    found = [_read(path) for path in entries(folder) if not path.is_dir()]
    return [one for one in found if isinstance(one, Text)], [one for one in found if isinstance(one, Skipped)]


def entries(folder: Path) -> list[Path]:
    """What lies directly in a folder, by name; dotted names are passed over.

    Raises:
        ConfigError: there is no such folder, or it cannot be listed.
    """
    try:
        return sorted(path for path in folder.iterdir() if not path.name.startswith("."))
    except OSError as error:
        why = f"{folder}: {error.strerror or 'it cannot be listed'}"
        raise ConfigError(why, hint="name a folder of text files, one a text") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Histories:
    """The texts of a folder that are used, and why the others are not."""

    texts: tuple[Text, ...] = ()
    """In the order of their names."""
    left: tuple[Skipped, ...] = ()


def histories(folder: Path, most: int) -> Histories:
    """The texts of a folder that hold anything; of more than `most` the last ones by name.

    Raises:
        ConfigError: there is no such folder, or it cannot be listed.
    """
    texts, skipped = texts_in(folder.expanduser())
    found = [one for one in texts if one.text.strip()]
    left = [*skipped, *(Skipped(path=one.path, why="it is empty") for one in texts if not one.text.strip())]
    earlier = found[: max(0, len(found) - most)]
    left += [Skipped(path=one.path, why=f"only the last {most} by name are used") for one in earlier]
    return Histories(texts=tuple(found[len(earlier) :]), left=tuple(left))
