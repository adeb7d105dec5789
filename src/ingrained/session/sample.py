"""The sessions that ship with the package: five developers of two public repositories, each a person of their own.

They are clipped to what was typed and to the act before it; `sample/NOTICE.md` beside them names sources and licences.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from ingrained.errors import EnvironmentFaultError
from ingrained.ids import PersonId

PEOPLE = ("cipher-box", "entire-1", "entire-2", "entire-3", "entire-4")
"""In the order in which they are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SamplePerson:
    """One developer of the sample and the folder with their sessions (Claude Code, JSONL)."""

    person: PersonId
    folder: Path


SAMPLE = "sample"
"""Folder in the home folder that is the sample's own home."""


def sample_settings() -> bytes:
    """The settings file that the sample's home folder needs: which folders are one project."""
    return files("ingrained").joinpath("sample", "ingrained.toml").read_bytes()


def sample_people() -> tuple[SamplePerson, ...]:
    """The developers of the sample, in a fixed order.

    Raises:
        EnvironmentFaultError: the installation lacks the sample, as when the package is run out of an archive.
    """
    root = Path(str(files("ingrained") / "sample"))
    missing = [name for name in PEOPLE if not (root / name).is_dir()]
    if missing:
        raise EnvironmentFaultError(
            f"the sample sessions of {', '.join(missing)} are not in {str(root)!r}",
            hint="pip install --force-reinstall ingrained",
        )
    return tuple(SamplePerson(person=PersonId(name), folder=root / name) for name in PEOPLE)
