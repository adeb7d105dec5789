"""Turns that nobody labelled, for a teacher to answer: what else stands in the logs, and clauses put together anew.

A small network that learns from a larger one needs more turns than were labelled; what the larger one answers is
enough. Put together from training turns only, so that nothing of a repository that is left out gets in.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Sequence
from pathlib import Path

from ingrained.bench.feedback import bare_turn
from ingrained.bench.history import read_histories
from ingrained.bench.people import repository_of
from ingrained.feedback.compose import clauses_of
from ingrained.learn.reading import ME, Roots
from ingrained.session.session import Act, Turn
from ingrained.train.turns import Example

_LONGEST = 4000
"""Characters of a turn; longer ones were pasted."""
_SAME = 200
"""First characters by which a turn of a log is known to be labelled already."""
_JOINTS = (" ", ". ", "\n", ", ", " and ")
_MOST_CLAUSES = 3
_OTHER_ACT, _NO_ACT = 0.5, 0.2
_LOSE_WORDS, _LOSE_WORD, _LOWER, _PLAIN, _SWAP = 0.3, 0.1, 0.3, 0.25, 0.15


def from_logs(places: Sequence[Path], labelled: Collection[Example]) -> list[Example]:
    """The typed turns in some folders that are no training turns yet, each text once."""
    known = {one.turn.text.strip()[:_SAME] for one in labelled}
    archive = read_histories(Roots(places=tuple((ME, place) for place in places)))
    found: dict[str, Example] = {}
    for history in archive.histories:
        for sitting in history.sittings:
            for heard in sitting.heard:
                turn = archive.turns[heard.key]
                if len(turn.text) <= _LONGEST and turn.text.strip()[:_SAME] not in known:
                    found.setdefault(turn.text, _example(turn, repository_of(history.person), history.person))
    return list(found.values())


def recombined(examples: Sequence[Example], count: int, *, name: str, seed: int) -> list[Example]:
    """Turns made of one to three clauses of training turns, with slips of typing.

    Args:
        examples: whose clauses; the act is the first one's, another's or none.
        count: how many.
        name: goes into the keys, which are the same in every run.
        seed: of the choices.
    """
    draw = random.Random(seed)  # noqa: S311 - which clauses
    texts = [(example, [clause.text for clause in clauses_of(example.turn)]) for example in examples]
    texts = [(example, clauses) for example, clauses in texts if clauses]
    found: list[Example] = []
    while len(found) < count:
        chosen = [draw.choice(texts) for _ in range(draw.randint(1, _MOST_CLAUSES))]
        first, _ = chosen[0]
        text = _slips(draw.choice(_JOINTS).join(draw.choice(clauses).strip() for _, clauses in chosen), draw)
        act = draw.choice(texts)[0].turn.act if draw.random() < _OTHER_ACT else first.turn.act
        act = Act() if draw.random() < _NO_ACT else act
        turn = bare_turn(f"mixed:{name}:{len(found)}", text, form=first.turn.form, act=act)
        found.append(_example(turn, "mixed", "mixed"))
    return found


def _example(turn: Turn, repository: str, person: str) -> Example:
    return Example(
        source="unlabelled",
        key=f"unlabelled:{turn.key}",
        repository=repository,
        person=person,
        turn=turn,
        feedback=0.0,
        transferable=0.0,
    )


def _slips(text: str, draw: random.Random) -> str:
    if draw.random() < _LOSE_WORDS:
        text = " ".join(word for word in text.split(" ") if draw.random() >= _LOSE_WORD) or text
    if draw.random() < _LOWER:
        text = text.lower()
    if draw.random() < _PLAIN:
        text = text.replace("'", "").rstrip(".!")
    if len(text) > 3 and draw.random() < _SWAP:
        at = draw.randrange(1, len(text) - 2)
        text = text[:at] + text[at + 1] + text[at] + text[at + 2 :]
    return text
