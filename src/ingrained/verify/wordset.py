"""Word-set F1: the words of an answer against those of a reference, each counted as often as it stands there.

The usual measure of short answers in question answering: precision is the share of the answer's words that the
reference has, recall the share of the reference's words that the answer has, F1 their harmonic mean. Words are those of
`verify.words`, casefolded; articles are left out. With several references the best one counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Final

from pydantic import JsonValue

from ingrained.errors import ConfigError
from ingrained.harness.base import Task, Trace
from ingrained.model.base import Model
from ingrained.verify.base import Checked, Verifier, unanswered
from ingrained.verify.score import Score
from ingrained.verify.words import unseparated, words

_ARTICLES: Final = frozenset({"a", "an", "the"})


class WordF1:
    """Checks words. `known.answers` are the references."""

    async def check(self, task: Task, trace: Trace) -> Checked:
        """F1 in [0, 1]; unscored where the answer's script does not separate words.

        Raises:
            ConfigError: the task has no reference.
        """
        answers = task.known.get("answers")
        if not isinstance(answers, list) or not answers:
            raise ConfigError(f"task {task.id!r}: known.answers {answers!r} is no list of references")
        none = unanswered(trace) or unseparated(trace.answer)
        if none is not None:
            return Checked(outcome=none)
        value, best = max((f1(trace.answer, str(one)), str(one)) for one in answers)
        return Checked(outcome=Score(value=value), why=f"nearest reference {best[:80]!r}")


def word_f1(_judge: Model | None, _options: Mapping[str, JsonValue], /) -> Verifier:
    """The verifier `word-f1`; it asks no judge and has no options."""
    return WordF1()


def f1(answer: str, reference: str) -> float:
    """F1 of two texts' words, in [0, 1]; two texts without a word are alike."""
    one, other = (
        Counter(word for word in map(str.casefold, words(text)) if word not in _ARTICLES)
        for text in (answer, reference)
    )
    if not one or not other:
        return float(one == other)
    common = (one & other).total()
    return 2 * common / (one.total() + other.total())
