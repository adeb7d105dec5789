"""Revision targets: what in a draft should be otherwise, and whether it would be so for other requests too.

SkillGrain, eq. 4 (arXiv 2610.19380, section 3.2 and appendix A.3): `Diagnose(x_t, y_t; B_u,t)` gives the list of
(v_m, τ_m). The scores come from the rubric; this module only turns them into targets. The decision that a reader must
know: a target says the direction of the change, never how much, so that feedback can be checked against it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ingrained.verify.expression import Feature

Preference: TypeAlias = Literal["length", "first_person", "expression"]
Dimension: TypeAlias = Literal["length", "first_person", "expression", "coverage", "leakage"]
"""The three preferences of the rubric; a missing term of the current request; a term carried over from elsewhere."""
Direction: TypeAlias = Literal["longer", "shorter", "more", "fewer", "mention", "leave_out"]
"""`longer`/`shorter` for length and sentence length, `more`/`fewer` for what is counted, the last two for terms."""

MOST_TERMS = 3
"""So many missing terms become targets at most, and so many leaked ones."""
UP: Mapping[Direction, int] = {"longer": 1, "shorter": -1, "more": 1, "fewer": -1, "mention": 1, "leave_out": -1}
"""Whether a direction asks for more (1) or for less (-1) of its dimension."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """What a target is about: a dimension, with the feature where it is `expression`."""

    dimension: Dimension
    feature: Feature | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """One revision target (v_m, τ_m).

    Raises:
        ValueError: the direction does not belong to the dimension, `expression` without a feature or another dimension
            with one, a term where none belongs or none where one does.
    """

    dimension: Dimension
    direction: Direction
    tau: Literal[0, 1]
    """1: a preference, holds for other requests; 0: only for the current one."""
    feature: Feature | None = None
    term: str = ""

    def __post_init__(self) -> None:
        if (self.feature is not None) != (self.dimension == "expression"):
            raise ValueError(f"feature {self.feature!r} with dimension {self.dimension!r}")
        if self.direction not in directions(self.dimension, self.feature):
            raise ValueError(f"direction {self.direction!r} with dimension {self.dimension!r}")
        if bool(self.term.strip()) != (self.dimension in {"coverage", "leakage"}):
            raise ValueError(f"term {self.term!r} with dimension {self.dimension!r}")

    @property
    def topic(self) -> Topic:
        """What the target is about."""
        return Topic(dimension=self.dimension, feature=self.feature)

    @property
    def sign(self) -> int:
        """1 where it asks for more, -1 for less."""
        return UP[self.direction]


def directions(dimension: Dimension, feature: Feature | None = None) -> tuple[Direction, ...]:
    """The canonical directions of a dimension (B.1), the one that asks for more first.

    A missing term can only be mentioned and a leaked one only be left out: there is one direction each.
    """
    if dimension == "coverage":
        return ("mention",)
    if dimension == "leakage":
        return ("leave_out",)
    if dimension == "length" or feature == "sentence_length":
        return ("longer", "shorter")
    return ("more", "fewer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The score of a draft on one preference dimension, with what it was computed from."""

    dimension: Preference
    score: float
    """r_d in [0, 1]; 1 is what the person does."""
    difference: float
    """Value of the draft minus what the person does (m_u, q_u or μ_u), in the unit of the dimension: above 0, the
    draft has too much."""
    feature: Feature | None = None
    """The chosen expression feature; with `expression` only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """All that `diagnose` looks at: one finding for each dimension that could be scored, and the terms.

    Terms stand in the order of their weight; the first ones become targets.
    """

    preferences: tuple[Finding, ...] = ()
    missing: tuple[str, ...] = ()
    """Terms of the current request that the draft does not have."""
    leaked: tuple[str, ...] = ()
    """L_u,t(y): terms of other texts that the draft has and the current request does not."""


def diagnose(findings: Findings) -> tuple[Target, ...]:
    """The revision targets of a draft, eq. 4: preferences first (τ = 1), then missing and leaked terms (τ = 0).

    One target for each dimension with r_d < 1, towards what the person does; at most `MOST_TERMS` of each sort of term.
    A dimension without a finding (unscored, no feature) gives none.

    Raises:
        ValueError: a score below 1 without a difference, which leaves the direction open.
    """
    targets = [_preference(finding) for finding in findings.preferences if finding.score < 1]
    targets += [
        Target(dimension="coverage", direction="mention", tau=0, term=term) for term in _first(findings.missing)
    ]
    targets += [
        Target(dimension="leakage", direction="leave_out", tau=0, term=term) for term in _first(findings.leaked)
    ]
    return tuple(targets)


def _preference(finding: Finding) -> Target:
    if finding.difference == 0:
        raise ValueError(f"{finding.dimension}: score {finding.score} without a difference")
    more, less = directions(finding.dimension, finding.feature)
    direction = less if finding.difference > 0 else more
    return Target(dimension=finding.dimension, direction=direction, tau=1, feature=finding.feature)


def _first(terms: Sequence[str]) -> list[str]:
    distinct: dict[str, str] = {}
    for term in terms:
        if term.strip():
            distinct.setdefault(term.casefold().strip(), term)
    return list(distinct.values())[:MOST_TERMS]
