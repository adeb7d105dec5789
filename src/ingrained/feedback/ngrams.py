"""Short runs of words and letters in a turn, and the words of the act before it, hashed for a linear model.

It knows the very words ("dude", "again", "still broken") that the encoder smooths over; the two together do better on
repositories that neither has seen (docs/results.md). Hashing keeps the model at one size, whatever the words
(Weinberger et al. 2009).
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ingrained.session.session import Act, Form, Turn

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FORMS: tuple[Form, ...] = ("typed", "with-tool", "queued", "refusal", "answer", "command")
"""In the order of the models' inputs."""
ACT_SAID = 160
"""Characters of what the agent said that are looked at, the last ones."""

BUCKETS = 1 << 16
"""For runs of words; as many again for runs of letters."""
ACT_BUCKETS = 1 << 14
INPUTS = 2 * BUCKETS + ACT_BUCKETS + len(FORMS)
"""Runs of words, runs of letters, words of the act, the way in."""
_WORD = re.compile(r"[\w']+|[?!]")
_MOST_WORDS, _LETTERS = 3, (2, 3, 4, 5)
_LONGEST = 4000
"""Characters read; the rest of a longer turn was pasted."""


def surface(turn: Turn) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The buckets that a turn falls into, each once, and how much; each of the three parts is of length 1.

    Returns:
        Indices in [0, INPUTS) and values in (0, 1], shape (n,) each.
    """
    import numpy as np

    low = turn.text[:_LONGEST].lower()
    parts = (
        (0, BUCKETS, _of_words(low)),
        (BUCKETS, BUCKETS, _of_letters(low)),
        (2 * BUCKETS, ACT_BUCKETS, _of_act(turn.act)),
    )
    indices: list[int] = []
    values: list[float] = []
    for offset, size, runs in parts:
        counts = Counter(zlib.crc32(run.encode("utf-8", "replace")) % size for run in runs)
        norm = sum(count * count for count in counts.values()) ** 0.5
        indices += [offset + bucket for bucket in counts]
        values += [count / norm for count in counts.values()]
    indices.append(2 * BUCKETS + ACT_BUCKETS + FORMS.index(turn.form))
    values.append(1.0)
    return np.array(indices, dtype=np.int64), np.array(values, dtype=np.float32)


def _of_act(act: Act) -> Iterator[str]:
    """The tool and the words that the agent said last; one mark where the log tells of no act."""
    if not (act.tool or act.said.strip("… ")):
        yield "no act"
        return
    yield f"tool {act.tool}"
    yield from _WORD.findall(act.said[-ACT_SAID:].lower())


def _of_words(text: str) -> Iterator[str]:
    words = _WORD.findall(text)
    for size in range(1, _MOST_WORDS + 1):
        for begin in range(len(words) - size + 1):
            yield " ".join(words[begin : begin + size])


def _of_letters(text: str) -> Iterator[str]:
    """Within each word, its ends marked by a space."""
    for word in text.split():
        marked = f" {word} "
        for size in _LETTERS:
            for begin in range(max(1, len(marked) - size + 1)):
                yield marked[begin : begin + size]
