"""What every verifier answers: a score, or why there is none.

The decision to know: what could not be judged is `Unscored` and never 0. A mean over parts of which one is unscored is
itself unscored, and a comparison leaves out a pair with an unscored side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How good something is: in [0, 1], higher is better."""

    value: float

    def __post_init__(self) -> None:
        if not 0 <= self.value <= 1:  # also false for NaN
            raise ValueError(f"a score lies in [0, 1], not {self.value!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Unscored:
    """That something could not be judged, and why, in a phrase for a person to read."""

    reason: str


Outcome: TypeAlias = Score | Unscored


def value_of(outcome: Outcome) -> float | None:
    """The score as a number; None where there is none."""
    return outcome.value if isinstance(outcome, Score) else None


def reason_of(outcome: Outcome) -> str:
    """Why there is no score; empty where there is one."""
    return outcome.reason if isinstance(outcome, Unscored) else ""


def mean(parts: Sequence[Outcome]) -> Outcome:
    """The equally weighted mean; unscored, with every reason once, where any part is.

    Raises:
        ValueError: there are no parts.
    """
    if not parts:
        raise ValueError("the mean of no parts")
    values = [part.value for part in parts if isinstance(part, Score)]
    if len(values) == len(parts):
        return Score(value=sum(values) / len(values))
    reasons = dict.fromkeys(part.reason for part in parts if isinstance(part, Unscored))
    return Unscored(reason="; ".join(reasons))
