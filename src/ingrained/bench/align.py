"""Atoms against revision targets, decided by hand: how often the alignment is right, and how often it says nothing.

Three figures, because each can be had at the cost of the others: of what was decided, how much is right (a decision on
a pair that is meant to be left open is wrong); of what can be decided, how much was; of what is meant to be left open,
how much was left.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict

from ingrained.bench.feedback import records
from ingrained.bench.splits import Rate, rate
from ingrained.errors import ConfigError
from ingrained.skill.rule import Frozen
from ingrained.verify.align import Verdict, verdict
from ingrained.verify.expression import Feature
from ingrained.verify.target import UP, Dimension, Direction, Target, directions

_DIMENSIONS: Mapping[str, Dimension] = {
    **{dimension: dimension for dimension in get_args(Dimension)},
    "len": "length",
    "fp": "first_person",
    "first_person_usage": "first_person",
    "expr": "expression",
    "cov": "coverage",
    "missing": "coverage",
    "missing_term": "coverage",
    "nl": "leakage",
    "leak": "leakage",
    "leaked": "leakage",
    "leaked_term": "leakage",
    "non_leakage": "leakage",
}
_UP = frozenset({"longer", "more", "mention", "include", "add", "increase", "higher", "up", "less_concise", "use"})
_DOWN = frozenset({
    "shorter", "fewer", "less", "leave_out", "remove", "omit", "exclude", "drop", "decrease", "reduce", "lower", "down",
    "more_concise", "avoid",
})  # fmt: skip
_FEATURES: tuple[tuple[str, Feature], ...] = (
    ("contract", "contractions"),
    ("exclam", "exclamation_marks"),
    ("question", "question_marks"),
    ("paren", "parentheses"),
    ("cap", "all_caps"),
    ("all_cap", "all_caps"),
    ("upper", "all_caps"),
    ("sentence", "sentence_length"),
    ("average_sentence", "sentence_length"),
    ("avg_sentence", "sentence_length"),
    ("mean_sentence", "sentence_length"),
)
"""How a feature may be called, by the beginning of the name."""


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _Target(_Record):
    dimension: str
    direction: str
    feature: str | None = None
    term: str | None = None


class AlignPair(_Record):
    """An atom, a target, and what the one says of the other."""

    id: str
    atom: str
    transferable: bool = False
    target: _Target
    label: Verdict
    why: str = ""


class Confusion(Frozen):
    """Pairs that were answered otherwise than meant."""

    meant: Verdict
    answered: Verdict
    n: int


class Share(Frozen):
    """The pairs of one dimension; of `expression`, of one feature."""

    dimension: Dimension
    feature: Feature | None
    n: int
    right: int
    """Answered as meant; an abstention too where one is meant."""
    confusions: list[Confusion]


class Missed(Frozen):
    """A pair that was answered otherwise than meant."""

    id: str
    meant: Verdict
    answered: Verdict


class AlignBench(Frozen):
    """`bench align --json`."""

    version: int = 1
    pairs: int
    accuracy: Rate
    """Right, of the pairs that were decided."""
    coverage: Rate
    """Decided, of the pairs that are meant to be."""
    abstained: Rate
    """Left open, of the pairs that are meant to be."""
    dimensions: list[Share]
    missed: list[Missed]


def measure(path: Path) -> AlignBench:
    """Decide every pair of a file and compare. Cost: some milliseconds a pair; no model.

    Raises:
        ConfigError: the file cannot be read, or a line is no such pair.
    """
    pairs = records(path, AlignPair)
    targets = [_target(path, pair) for pair in pairs]
    answers = [verdict(pair.atom, target) for pair, target in zip(pairs, targets, strict=True)]
    rows = list(zip(pairs, targets, answers, strict=True))
    decided = [pair.label == answer for pair, answer in zip(pairs, answers, strict=True) if answer != "abstain"]
    meant = [answer != "abstain" for pair, answer in zip(pairs, answers, strict=True) if pair.label != "abstain"]
    left = [answer == "abstain" for pair, answer in zip(pairs, answers, strict=True) if pair.label == "abstain"]
    return AlignBench(
        pairs=len(pairs),
        accuracy=rate(sum(decided), len(decided)),
        coverage=rate(sum(meant), len(meant)),
        abstained=rate(sum(left), len(left)),
        dimensions=_shares([(target, pair.label, answer) for pair, target, answer in rows]),
        missed=[
            Missed(id=pair.id, meant=pair.label, answered=answer) for pair, _, answer in rows if pair.label != answer
        ],
    )


def _shares(rows: list[tuple[Target, Verdict, Verdict]]) -> list[Share]:
    kinds: list[tuple[Dimension, Feature | None]] = [
        (dimension, feature)
        for dimension in get_args(Dimension)
        for feature in (get_args(Feature) if dimension == "expression" else (None,))
    ]
    found: list[Share] = []
    for dimension, feature in kinds:
        of = [(meant, got) for target, meant, got in rows if (target.dimension, target.feature) == (dimension, feature)]
        wrong = Counter(pair for pair in of if pair[0] != pair[1])
        if of:
            found.append(
                Share(
                    dimension=dimension,
                    feature=feature,
                    n=len(of),
                    right=len(of) - wrong.total(),
                    confusions=[Confusion(meant=a, answered=b, n=n) for (a, b), n in sorted(wrong.items())],
                )
            )
    return found


def _target(path: Path, pair: AlignPair) -> Target:
    """The target of a pair; the names of a file may be shorter or longer than ours."""
    name = _name(pair.target.dimension)
    feature = _feature(pair.target.feature) if pair.target.feature else _feature(name)
    dimension = "expression" if feature else _DIMENSIONS.get(name)
    wanted = _name(pair.target.direction)
    sign = 1 if wanted in _UP else -1 if wanted in _DOWN else 0
    term = (pair.target.term or "").strip() if dimension in {"coverage", "leakage"} else ""
    tau: Literal[0, 1] = 0 if term else 1
    possible = directions(dimension, feature) if dimension else ()
    direction = next((one for one in possible if UP[one] == sign), None)
    if dimension is None or direction is None:
        raise ConfigError(
            f"{path}: pair {pair.id!r}: target {pair.target.dimension!r} {pair.target.direction!r} is unknown; "
            f"dimensions are {', '.join(get_args(Dimension))}, directions {', '.join(get_args(Direction))}",
            hint="see benchmarks/sets/README.md for the fields of a pair",
        )
    try:
        return Target(dimension=dimension, direction=direction, tau=tau, feature=feature, term=term)
    except ValueError as error:
        raise ConfigError(
            f"{path}: pair {pair.id!r}: {error}", hint="expression needs a feature, coverage and leakage a term"
        ) from error


def _name(text: str) -> str:
    return re.sub(r"[\s-]+", "_", text.strip().casefold())


def _feature(text: str) -> Feature | None:
    return next((feature for start, feature in _FEATURES if _name(text).startswith(start)), None)
