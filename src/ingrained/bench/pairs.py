"""Same rule or not: pairs of quotes decided by hand, most of the different ones near misses.

What is measured is what `learn` does with two quotes of one person in one project, both taken to transfer: are they put
into one rule, and are opposites seen as such? Sentences recur within a group of pairs, so intervals come from
resampling groups.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict

from ingrained.bench.feedback import bare_turn, records
from ingrained.embed.lexical import Weights
from ingrained.feedback.compose import Verdict, compose
from ingrained.feedback.decompose import Atom
from ingrained.feedback.recur import group
from ingrained.feedback.words import Span
from ingrained.skill.rule import Frozen
from ingrained.stats import agreement, resampled

Why = Literal[
    "paraphrase", "repeat", "question", "complaint", "narrower", "other-language",
    "opposite", "other-scope", "other-object", "other-action", "related", "unrelated",
]  # fmt: skip
_DRAWS = 2000


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Quote(_Record):
    """One side of a pair."""

    quote: str


class Pair(_Record):
    """Two quotes, and whether they are one rule."""

    id: str
    group: str
    a: Quote
    b: Quote
    same: bool
    why: Why


class Kind(Frozen):
    """The pairs of one reason."""

    why: Why
    n: int
    joined: int
    opposed: int
    """Taken to contradict each other."""


class PairsBench(Frozen):
    """`bench pairs --json`."""

    version: int = 1
    pairs: int
    same: int
    precision: float
    """Share of the pairs put into one rule that are one."""
    recall: float
    f1: float
    f1_low: float
    f1_high: float
    """Ends of the 95 % interval of F1 by resampling groups."""
    kinds: list[Kind]
    seed: int
    draws: int = _DRAWS


def measure(path: Path, *, seed: int = 0) -> PairsBench:
    """Decide every pair of a file and compare. Cost: a millisecond a pair.

    Raises:
        ConfigError: the file cannot be read, or a line is no such pair.
    """
    pairs = records(path, Pair)
    weights = Weights.fit(quote for pair in pairs for quote in (pair.a.quote, pair.b.quote))
    answers = [_decide(pair, weights) for pair in pairs]
    joined = [answer[0] for answer in answers]
    total = agreement(joined, [pair.same for pair in pairs])
    by_group: dict[str, list[int]] = {}
    for i, pair in enumerate(pairs):
        by_group.setdefault(pair.group, []).append(i)

    def f1(chosen: list[int]) -> float:
        return agreement([joined[i] for i in chosen], [pairs[i].same for i in chosen]).f1

    interval = resampled([by_group[name] for name in sorted(by_group)], f1, seed=seed, draws=_DRAWS)
    return PairsBench(
        pairs=len(pairs),
        same=total.positives,
        precision=round(total.precision, 4),
        recall=round(total.recall, 4),
        f1=round(total.f1, 4),
        f1_low=round(interval.low, 4),
        f1_high=round(interval.high, 4),
        kinds=[
            Kind(why=why, n=len(of), joined=sum(answers[i][0] for i in of), opposed=sum(answers[i][1] for i in of))
            for why in get_args(Why)
            if (of := [i for i, pair in enumerate(pairs) if pair.why == why])
        ],
        seed=seed,
    )


def _decide(pair: Pair, weights: Weights) -> tuple[bool, bool]:
    """Whether the two are put into one rule, and whether they are taken to contradict each other."""
    groups = group([_atom(f"{pair.id}a", pair.a.quote), _atom(f"{pair.id}b", pair.b.quote)], weights)
    return len(groups.members) == 1, bool(groups.opposites)


def _atom(key: str, quote: str) -> Atom:
    verdict = Verdict(feedback=True, transferable=True, confidence=0.9, kind="other", explicit=False, reasons=())
    return compose(bare_turn(key, quote), Span(start=0, end=len(quote), text=quote), verdict)
