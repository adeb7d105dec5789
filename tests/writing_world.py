"""An invented world of authors who write commit messages: each has habits that were planted, and topics of its own."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from random import Random

NOUNS = [
    "socket",
    "parser",
    "cipher",
    "buffer",
    "header",
    "cookie",
    "proxy",
    "resolver",
    "tunnel",
    "handle",
    "thread",
    "timer",
    "token",
    "window",
    "archive",
    "balance",
    "camera",
    "ledger",
    "harbor",
    "engine",
    "ticket",
    "pillow",
    "garden",
    "rocket",
    "magnet",
    "candle",
    "basket",
    "ladder",
    "shovel",
    "violin",
    "saddle",
    "bottle",
    "market",
    "museum",
    "bridge",
    "tunnel",
    "forest",
    "island",
    "valley",
    "meadow",
    "anchor",
    "beacon",
    "cellar",
    "dagger",
    "falcon",
    "goblet",
    "hammer",
    "jacket",
    "kettle",
    "lantern",
    "mirror",
]
VERBS = [
    "checks",
    "reads",
    "drops",
    "keeps",
    "frees",
    "moves",
    "copies",
    "joins",
    "splits",
    "guards",
    "counts",
    "skips",
    "closes",
    "opens",
    "sends",
    "holds",
]
ADJECTIVES = [
    "stale",
    "local",
    "remote",
    "early",
    "broken",
    "hidden",
    "narrow",
    "empty",
    "double",
    "partial",
    "quiet",
    "steady",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Habit:
    """What an invented author does."""

    sentence: int
    """Words of a sentence, about."""
    sentences: int
    contractions: bool = False
    parentheses: bool = False
    exclaims: bool = False
    first_person: bool = False


HABITS = (
    Habit(sentence=6, sentences=6),
    Habit(sentence=8, sentences=5, contractions=True),
    Habit(sentence=22, sentences=3),
    Habit(sentence=9, sentences=6, parentheses=True),
    Habit(sentence=8, sentences=5, exclaims=True),
    Habit(sentence=9, sentences=9, first_person=True),
    Habit(sentence=30, sentences=3),
    Habit(sentence=10, sentences=5, contractions=True, parentheses=True),
)


def sentence(random: Random, habit: Habit, topic: list[str]) -> str:
    said = [random.choice(["the", "a", "each"]), random.choice(ADJECTIVES), random.choice(topic), random.choice(VERBS)]
    while len(said) < habit.sentence + random.choice([-1, 0, 1]):
        said += [
            random.choice(["the", "its", "every"]),
            random.choice([*topic, *NOUNS]),
            random.choice(["and", "or", "then"]),
        ]
    if habit.first_person:
        said = ["we", "see", "that", *said]
    if habit.contractions:
        said += ["so", "it", "doesn't", "fail"]
    text = " ".join(said)
    if habit.parentheses:
        text += f" ({random.choice(ADJECTIVES)} {random.choice(topic)})"
    return text[0].upper() + text[1:] + ("!" if habit.exclaims else ".")


def body(random: Random, habit: Habit, topic: list[str]) -> str:
    count = habit.sentences + random.choice([-1, 0, 0, 1])
    return " ".join(sentence(random, habit, topic) for _ in range(count))


def rows(author: int, count: int, *, seed: int = 0) -> list[dict[str, object]]:
    habit = HABITS[author % len(HABITS)]
    found: list[dict[str, object]] = []
    for nth in range(count):
        random = Random(f"{seed}:{author}:{nth}")
        topic = random.sample(NOUNS, 4)
        found.append(
            {
                "author": f"author_{author:02d}",
                "commit": f"{author:02d}{nth:06x}",
                "date": f"2026-{1 + nth % 12:02d}",
                "subject": f"{topic[0]}: {random.choice(ADJECTIVES)} {topic[1]}",
                "body": body(random, habit, topic),
                "files": [{"path": f"src/{topic[0]}_{nth}.c", "added": "1", "deleted": "-"}],
            }
        )
    return found


def commits(folder: Path, *, authors: int = 8, each: int = 24, seed: int = 0) -> Path:
    """Write a file an author; returns the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for author in range(authors):
        lines = [json.dumps(row) for row in rows(author, each, seed=seed)]
        (folder / f"author_{author:02d}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


PEP = """PEP: {number}
Title: A {adjective} {noun} for everyone
Author: Nobody
Type: Standards Track
Created: 0{day}-Jan-20{year}
Post-History:

.. note:: this one
   is not prose

Abstract
========

{abstract}

Example::

    >>> not_prose_either()

Rationale
=========

{rationale} See [#note]_.

References
==========

.. [#note] http://example.org
"""


def peps(folder: Path, *, authors: int = 4, each: int = 9) -> Path:
    for author in range(authors):
        habit = HABITS[author % len(HABITS)]
        place = folder / f"writer-{author}"
        place.mkdir(parents=True, exist_ok=True)
        for nth in range(each):
            random = Random(f"pep:{author}:{nth}")
            topic = random.sample(NOUNS, 5)
            text = PEP.format(
                number=1000 + 100 * author + nth,
                adjective=ADJECTIVES[nth],
                noun=topic[0],
                day=1 + nth,
                year=10 + author,
                abstract="\n\n".join(body(random, habit, topic) for _ in range(5)),
                rationale="\n\n".join(body(random, habit, topic) for _ in range(5)),
            )
            (place / f"pep-{1000 + 100 * author + nth}.rst").write_text(text, encoding="utf-8")
    return folder
