"""What hidden rules do: a skill's lines in, log-odds out. Exact; nothing is drawn here.

The decision to know: a rule counts as held where a line of the skill says it word for word. A line that several rules
were joined into says each of them and is as long to read; only a line that a world names for two wordings of one thing
is read as one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

from ingrained.bench.planted.settled import COST, Bond

JOINT: Final = "; "
"""Between the rules of a line that says several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hidden:
    """A rule with its planted effect."""

    text: str
    role: str
    """What was dealt to it (`settled.SOLO`, `settled.BONDS`)."""
    alone: float
    """What it adds to the log-odds, without its partner where it has one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two rules that do something else together than apart."""

    bond: Bond
    one: str
    other: str
    both: float
    """What the two add to the log-odds together, instead of what each adds alone."""
    merged: str = ""
    """A line that says both and is read as one rule; only for `same`."""

    @property
    def texts(self) -> tuple[str, str]:
        """The two."""
        return self.one, self.other


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """All hidden rules of a world."""

    rules: tuple[Hidden, ...]
    pairs: tuple[Pair, ...]
    _alone: dict[str, float] = field(default_factory=dict, init=False, repr=False, compare=False)
    _merged: dict[str, tuple[str, str]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._alone.update((rule.text, rule.alone) for rule in self.rules)
        self._merged.update((pair.merged, pair.texts) for pair in self.pairs if pair.merged)

    def held(self, lines: Iterable[str]) -> frozenset[str]:
        """The hidden rules that the lines of a skill say, each by its text."""
        said = chain.from_iterable(line.split(JOINT) for line in lines)
        texts = chain.from_iterable(self._merged.get(one, (one,)) for one in said)
        return frozenset(text for text in texts if text in self._alone)

    def of(self, held: frozenset[str]) -> float:
        """What rules add to the log-odds together, without what reading them takes."""
        alone = math.fsum(self._alone[text] for text in held)
        return alone + math.fsum(
            pair.both - self._alone[pair.one] - self._alone[pair.other]
            for pair in self.pairs
            if pair.one in held and pair.other in held
        )

    def log_odds(self, lines: Sequence[str]) -> float:
        """What a skill with these lines adds to the log-odds of a task."""
        return self.of(self.held(lines)) - COST * sum(len(line.split(JOINT)) for line in lines)

    def best(self) -> tuple[str, ...]:
        """The lines of the best skill. Exact: but for the pairs, what a rule adds does not depend on the others."""
        paired = {text for pair in self.pairs for text in pair.texts}
        lines = [rule.text for rule in self.rules if rule.text not in paired and rule.alone > COST]
        for pair in self.pairs:
            lines += max(self._choices(pair), key=self.log_odds)
        return tuple(lines)

    def _choices(self, pair: Pair) -> list[tuple[str, ...]]:
        whole = [(pair.merged,)] if pair.merged else []
        return [(), (pair.one,), (pair.other,), pair.texts, *whole]

    def harmful(self, held: frozenset[str]) -> frozenset[str]:
        """Those of some rules without which the others would do better, leaving aside what reading them takes."""
        now = self.of(held)
        return frozenset(text for text in held if self.of(held - {text}) > now + 1e-12)
