"""Task `turns`: what a developer types to an agent, from what the agent had just done; writing in the first person.

Reads the logs that `learn` reads, by its own readers, so that only words that a person typed are documents; whose they
are says `bench.people`. A turn that is mostly pasted (code, logs, plans with headings) is none of the person's writing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ingrained.bench.history import read_histories
from ingrained.bench.writing.document import Document, Dropped, Fact, Loaded
from ingrained.bench.writing.topics import names, topic_words
from ingrained.learn.reading import ME, Roots
from ingrained.skill.rule import Heard
from ingrained.verify.prose import prose
from ingrained.verify.words import words

_OWN_SHARE = 0.75
"""Least share of a turn's words that are prose."""
_TOPICS = 8
_PASTED = re.compile(
    r"^(?:#{1,6} |\s*at \S+\(|[-+]{3} |\$ |>>> |\[?\d{4}-\d\d-\d\d[T ]\d\d:)|^\s*[{}\]]\s*,?$", re.MULTILINE
)
_LEAST_FACTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Turns:
    """The task."""

    name: str = "turns"
    asks: str = "Write the developer's next message to the coding agent."
    least_words: int = 25
    most_words: int = 200

    def load(self, paths: Sequence[Path]) -> Loaded:
        """One document a turn of enough own words."""
        archive = read_histories(Roots(places=tuple((ME, path) for path in paths)))
        documents: list[Document] = []
        dropped: list[Dropped] = [
            *(Dropped(place="logs", why="a session of nobody or of several people") for _ in range(archive.nobodys)),
            *(Dropped(place="logs", why="a session without a date") for _ in range(archive.undated)),
            *(Dropped(place="logs", why="a file that is no log") for _ in range(archive.unread)),
        ]
        for history in archive.histories:
            for nth, sitting in enumerate(history.sittings):
                for place, heard in enumerate(sitting.heard):
                    found = _document(history.person, f"{nth:05d}:{place:05d}", sitting.id, heard)
                    if isinstance(found, Document):
                        documents.append(found)
                    else:
                        dropped.append(found)
        return Loaded(documents=tuple(documents), dropped=tuple(dropped))


TURNS = Turns()


def _document(person: str, order: str, session: str, heard: Heard) -> Document | Dropped:
    place = f"{session}:{heard.turn}"
    text = heard.text.strip()
    count = len(words(text))
    if not TURNS.least_words <= count <= TURNS.most_words:
        return Dropped(place=place, why="a turn that is too short or too long")
    if len(_PASTED.findall(text)) > 1 or len(words(prose(text))) < _OWN_SHARE * count:
        return Dropped(place=place, why="a turn that is mostly pasted")
    done = " ".join(part for part in (heard.act.tool, heard.act.input.split("\n")[0][:120]) if part)
    facts = [
        Fact(name="The agent had just done", values=(done,) if done else ()),
        Fact(name="The agent's last words", values=(heard.act.said,) if heard.act.said else ()),
        Fact(name="Names", values=names(text), own_words=True),
        Fact(name="Topics", values=topic_words(text, most=_TOPICS), own_words=True),
    ]
    kept = tuple(one for one in facts if one.values)
    if sum(len(one.values) for one in kept) < _LEAST_FACTS:
        return Dropped(place=place, why="a turn that nothing is known of")
    return Document(key=str(heard.key), author=person, text=text, facts=kept, order=order, place=place)
