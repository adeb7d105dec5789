"""Texts that a person names: a request or draft in a file, and a folder of what somebody wrote before."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ingrained.errors import ConfigError


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A text and the name of its file."""

    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Histories:
    """The texts of a folder that are used, and why the others are not."""

    texts: tuple[Text, ...] = ()
    """In the order of their names."""
    left: tuple[tuple[str, str], ...] = ()
    """Name and reason."""


def read_text(path: Path, option: str) -> str:
    """The text of a file that was named with an option, with LF for every line end.

    Raises:
        ConfigError: it cannot be read, or is no text in UTF-8.
    """
    try:
        text = path.expanduser().read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ConfigError(
            f"{option} {str(path)!r}: {error.strerror or error}", hint=f"name a text file with {option}"
        ) from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{option} {str(path)!r} is no text in UTF-8", hint="save it as UTF-8") from error
    return text.replace("\r\n", "\n")


def histories(folder: Path, most: int) -> Histories:
    """What lies directly in a folder, any file in UTF-8 a text; of more than `most` the last ones by name.

    Folders and dotted names are passed over.

    Raises:
        ConfigError: there is no such folder.
    """
    try:
        paths = sorted(path for path in folder.expanduser().iterdir() if not path.name.startswith("."))
    except OSError as error:
        raise ConfigError(
            f"--history {str(folder)!r}: {error.strerror or error}", hint="name a folder of text files, one a text"
        ) from error
    found: list[Text] = []
    left: list[tuple[str, str]] = []
    for path in paths:
        if path.is_dir():
            continue
        try:
            text = read_text(path, "--history")
        except ConfigError as error:
            left.append((path.name, error.message))
            continue
        if text.strip() and "\0" not in text:
            found.append(Text(name=path.name, text=text.strip()))
        else:
            left.append((path.name, "no text in it"))
    earlier = len(found) - most
    left += [(one.name, f"only the last {most} are used") for one in found[: max(0, earlier)]]
    return Histories(texts=tuple(found[max(0, earlier) :]), left=tuple(left))
