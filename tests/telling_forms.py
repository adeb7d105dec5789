"""Whether the form of a sentence gives away what transfers: a classifier on sentences whose content is masked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from zlib import crc32

import numpy as np

from ingrained.bench.writing.phrases import Sentence

FOLDS = 5


def features(text: str) -> list[str]:
    found = re.findall(r"[\w']+|[?.:]", text.casefold())
    return found + [f"{a} {b}" for a, b in pairwise(found)]


def predicted(train: Sequence[tuple[str, int]], test: Sequence[str]) -> np.ndarray:
    """A logistic regression on words and pairs of words."""
    often = Counter(name for text, _ in train for name in features(text))
    column = {name: at for at, name in enumerate(sorted(name for name, count in often.items() if count >= 4))}

    def matrix(texts: Sequence[str]) -> np.ndarray:
        cells = np.zeros((len(texts), len(column) + 1))
        cells[:, -1] = 1
        for row, text in enumerate(texts):
            for name in features(text):
                if name in column:
                    cells[row, column[name]] = 1
        return cells

    seen, truth = matrix([text for text, _ in train]), np.array([tau for _, tau in train])
    weights = np.zeros(seen.shape[1])
    for _ in range(300):
        weights -= 0.5 * (seen.T @ (1 / (1 + np.exp(-seen @ weights)) - truth) / len(truth) + 1e-3 * weights)
    return matrix(test) @ weights > 0


def advantage(said: Sequence[Sentence], told: Sequence[str]) -> float:
    """Accuracy over the majority's, on sentences of forms that were not seen."""
    fold = [crc32(one.form.encode()) % FOLDS for one in said]
    right = 0
    for held in range(FOLDS):
        train = [(text, one.target.tau) for text, one, at in zip(told, said, fold, strict=True) if at != held]
        test = [(text, one.target.tau) for text, one, at in zip(told, said, fold, strict=True) if at == held]
        right += int((predicted(train, [text for text, _ in test]) == np.array([tau for _, tau in test])).sum())
    counts = Counter(one.target.tau for one in said)
    return (right - max(counts.values())) / len(said)
