"""The score of a text from files, against an author's texts and, where there is one, a folder of authors.

Any file in UTF-8 is a text, whatever it is called. A file that is none is named with the reason and never stops the
others; only what was asked for by name has to be there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ingrained.errors import ConfigError
from ingrained.learn.texts import Skipped, Text, entries, read_text, texts_in
from ingrained.verify.leakage import candidates
from ingrained.verify.population import Population, population
from ingrained.verify.rubric import Profile, WritingScore, profile, score_response
from ingrained.verify.score import Score, Unscored
from ingrained.verify.unseen import Adherence, adherence
from ingrained.verify.words import unseparated, words


def countable(texts: Sequence[Text]) -> tuple[list[Text], list[Skipped]]:
    """The texts whose words can be counted, and why the others' cannot."""
    kept: list[Text] = []
    skipped: list[Skipped] = []
    for one in texts:
        trouble = unseparated(one.text) or (None if words(one.text) else Unscored(reason="it holds no word"))
        if trouble is None:
            kept.append(one)
        else:
            skipped.append(Skipped(path=one.path, why=trouble.reason))
    return kept, skipped


def authors_in(folder: Path, *, but: Path | None = None) -> tuple[Population, list[Skipped]]:
    """The population of a folder that holds one folder an author.

    Args:
        folder: of the authors.
        but: an author's folder that is left out, where it is one of them.

    Raises:
        ConfigError: there is no such folder, or no author with a text in it.
    """
    authors: dict[str, list[str]] = {}
    skipped: list[Skipped] = []
    for path in entries(folder):
        if not path.is_dir():
            skipped.append(Skipped(path=path, why="no author's folder"))
            continue
        if but is not None and path.resolve() == but.resolve():
            continue
        found, no_texts = texts_in(path)
        kept, uncounted = countable(found)
        skipped += [*no_texts, *uncounted]
        if kept:
            authors[path.name] = [one.text for one in kept]
        else:
            skipped.append(Skipped(path=path, why="no text in it"))
    if not authors:
        raise ConfigError(f"{folder}: no author in it", hint="one folder an author, with their text files in it")
    return population(authors), skipped


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a text is scored against."""

    response: Path
    history: Path
    """Folder of the author's texts."""
    request: Path | None = None
    adaptation: tuple[Path, ...] = ()
    """Earlier requests, whose terms are leaks too."""
    population: Path | None = None
    """Folder of other authors' folders."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A text's score with what it was taken from."""

    response: Path
    histories: tuple[Text, ...]
    author: Profile
    score: WritingScore
    supported: tuple[str, ...]
    """What would be a leak and stands in the request."""
    unseen: tuple[Adherence, ...]
    population: Population | None
    skipped: tuple[Skipped, ...]
    notes: tuple[str, ...]
    """What the score leaves out for want of something that was not given."""

    @property
    def unjudged(self) -> str:
        """Why a part that was asked for has no score, or an empty string. Expression is asked for with a population."""
        score = self.score
        asked = [score.length, score.first_person, score.non_leakage]
        asked += [score.expression] if self.population is not None else []
        return "; ".join(dict.fromkeys(part.reason for part in asked if isinstance(part, Unscored)))


def score_files(asked: Asked) -> Scored:
    """Score one text. A response that lies among the histories is none of them.

    Raises:
        ConfigError: a file or folder that was named is not there or no text.
        ConfigError: no history has words that can be counted.
    """
    response = read_text(asked.response)
    request = read_text(asked.request).text if asked.request else ""
    earlier = [read_text(path).text for path in asked.adaptation]
    found, skipped = texts_in(asked.history)
    own = [one for one in found if one.path.resolve() == asked.response.resolve()]
    histories, uncounted = countable([one for one in found if one not in own])
    skipped += [Skipped(path=one.path, why="it is the text that is scored") for one in own]
    known, left = authors_in(asked.population, but=asked.history) if asked.population else (None, [])
    author = profile([one.text for one in histories], known=known)
    if isinstance(author, Unscored):
        raise ConfigError(f"{asked.history}: {author.reason}", hint="--history needs text files, one a text, in UTF-8")
    barred = candidates([*(one.text for one in histories), *earlier], rarity=known)
    score = score_response(response.text, author, found=barred, request=request)
    kept = set(score.candidates)
    return Scored(
        response=asked.response,
        histories=tuple(histories),
        author=author,
        score=score,
        supported=tuple(one.text for one in barred if one not in kept),
        unseen=adherence(response.text),
        population=known,
        skipped=(*skipped, *uncounted, *left),
        notes=_notes(asked, author, score),
    )


def _notes(asked: Asked, author: Profile, score: WritingScore) -> tuple[str, ...]:
    found: list[str] = []
    if not score.words and isinstance(score.length, Score):
        found.append("the response holds no word: every part of it is 0")
    if asked.population is None:
        unscored = "expression is not scored, and " if isinstance(score.expression, Unscored) else ""
        found.append(f"without --population {unscored}rare words are no candidates for a leak")
    if not score.candidates:
        found.append("nothing in the histories could be carried over, so non-leakage says nothing here")
    if asked.request is None:
        found.append("without --request every term of the histories is a candidate for a leak")
    if author.texts == 1:
        found.append("one history shows no spread; the paper takes five")
    return tuple(found)
