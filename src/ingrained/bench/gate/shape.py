"""The published shape of `bench gate --json`."""

from __future__ import annotations

from ingrained.skill.rule import Frozen


class Share(Frozen):
    """How often something happened in independent draws, with what was claimed of it beforehand."""

    rule: str
    world: str
    effect: float
    """True mean gain."""
    draws: int
    accepted: float
    """Share in [0, 1]; of edits, or where a whole group or run is drawn, of those with any accepted edit that does
    nothing."""
    rejected: float
    """Share rejected; of edits."""
    pairs: float
    """Mean pairs an edit."""
    at_most: float | None = None
    """The rate that is claimed for `accepted` (for `rejected` in `useless`), with 2.6 standard errors of it added."""
    at_least: float | None = None
    """What `accepted` must reach, so that a test that never accepts is noticed."""
    holds: bool | None = None
    """Whether both do; None where nothing is claimed."""


class Cost(Frozen):
    """Sequential against fixed n at one effect."""

    effect: float
    weight: float
    """Share of such edits in the mix."""
    sequential: float
    """Share accepted."""
    fixed: float
    sequential_pairs: float
    ratio: float
    """Mean pairs of the sequential rule, over those of the fixed one."""


class Saving(Frozen):
    """Sequential against fixed n in one world, at the power that the sequential rule has at `useful`."""

    world: str
    useful: float
    cap: int
    fixed_rule: str
    fixed_pairs: int
    """The fewest with which the fixed test has that power at the effect `useful`."""
    costs: tuple[Cost, ...]
    ratio: float
    """Over the mix of effects."""


class Savings(Frozen):
    """All worlds with one plan."""

    useful: float
    worlds: tuple[Saving, ...]
    ratio: float
    """Mean over worlds."""
    worst: float
    """Largest ratio of any world and effect."""
    holds: bool
    """The mean is at most 0.65, and no cell above 1.3."""


class GateBench(Frozen):
    """`bench gate --json`."""

    version: int = 1
    draws: int
    seed: int
    alpha: float
    beta: float
    false_accepts: tuple[Share, ...]
    """Edits that do not help, one at a time."""
    power: tuple[Share, ...]
    """Edits that help, one at a time, by the same rules."""
    misuse: tuple[Share, ...]
    """The same tests where what they assume does not hold: shown, not claimed."""
    rates: tuple[Share, ...]
    """Groups of eight edits that do nothing, with a shared control, and runs of such groups."""
    price: tuple[Share, ...]
    """One edit that helps, at the level that each rate leaves it."""
    useless: tuple[Share, ...]
    """Edits that are just useful; what counts is `rejected`."""
    no_loss: tuple[Share, ...]
    """Edits that shorten: at a loss of the margin, and at none."""
    savings: tuple[Savings, ...]
    holds: bool
    """Every claim does."""
