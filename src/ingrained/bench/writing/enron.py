"""Task `email`: the Enron personalization set (Fowler et al. 2015), mails by author.

Reads its two folders, `text/<part>/<author>.message.text.tsv` (message and one sentence a line) and beside it
`metadata/<part>/<author>.message.info.tsv` (message, time, subject). A mail is its sentences, joined by blanks, since
the set keeps no line ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ingrained.bench.writing.document import Document, Dropped, Fact, Loaded
from ingrained.bench.writing.topics import topic_words
from ingrained.errors import ConfigError

_TEXT, _INFO = ".message.text.tsv", ".message.info.tsv"
_TOPICS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Email:
    """The task."""

    name: str = "email"
    asks: str = "Write this mail."
    least_words: int = 25
    most_words: int = 500

    def load(self, paths: Sequence[Path]) -> Loaded:
        """One document a mail."""
        documents: list[Document] = []
        dropped: list[Dropped] = []
        for path in paths:
            found = sorted(path.rglob(f"*{_TEXT}")) if path.is_dir() else [path]
            for one in found:
                _author(one, documents, dropped)
        return Loaded(documents=tuple(documents), dropped=tuple(dropped))


EMAIL = Email()


def _author(path: Path, documents: list[Document], dropped: list[Dropped]) -> None:
    author = path.name.removesuffix(_TEXT)
    about = {cells[0]: cells[1:] for _, cells in _lines(_beside(path, author), 2, dropped)}
    mails: dict[str, list[str]] = {}
    places: dict[str, int] = {}
    for number, (message, sentence) in _lines(path, 2, dropped):
        mails.setdefault(message, []).append(sentence.strip())
        places.setdefault(message, number)
    for message, sentences in mails.items():
        text = " ".join(sentences)
        time, subject = (*about.get(message, ()), "", "")[:2]
        facts = [
            Fact(name="Subject", values=(subject.strip(),) if subject.strip(" :Rre") else ()),
            Fact(name="Topics", values=topic_words(text, most=_TOPICS), own_words=True),
        ]
        kept = tuple(one for one in facts if one.values)
        place = f"{path.name}:{places[message]}"
        if not kept:
            dropped.append(Dropped(place=place, why="a mail that nothing is known of"))
            continue
        order = f"{time}:{message:>7}"
        documents.append(
            Document(key=f"{author}:{message}", author=author, text=text, facts=kept, order=order, place=place)
        )


def _beside(path: Path, author: str) -> Path | None:
    """The metadata of a file of texts: in the parallel folder of the set, else in the same folder."""
    parallel = path.parent.parent.parent / "metadata" / path.parent.name / f"{author}{_INFO}"
    return next((one for one in (parallel, path.parent / f"{author}{_INFO}") if one.is_file()), None)


def _lines(path: Path | None, least: int, dropped: list[Dropped]) -> list[tuple[int, list[str]]]:
    if path is None:
        return []
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or 'it cannot be read'}") from error
    found: list[tuple[int, list[str]]] = []
    for number, raw in enumerate(lines, start=1):
        cells = raw.decode("utf-8", errors="replace").rstrip("\r").split("\t", 2 if path.name.endswith(_INFO) else 1)
        if len(cells) >= least and cells[0].strip():
            found.append((number, cells))
        elif raw.strip():
            field = "text" if path.name.endswith(_TEXT) else "time"
            dropped.append(Dropped(place=f"{path.name}:{number}", why=f"field {field!r} is missing or wrong"))
    return found
