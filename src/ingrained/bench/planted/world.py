"""A world with planted truth: rules with known effects on success, tasks, evidence that mentions rules, a first skill.

The chance that a task succeeds under a skill has log-odds that add up: how easy the task is, what the rules in the
skill do, and a little less for each rule that there is to read. So the value of every skill is known without a draw.
The decision to know: a rule does the same on every task, and which words help is dealt by lot in each world, so that
the words tell nothing. The same attempt always ends alike; two skills have a luck of their own each.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from typing import Final

from ingrained.bench.planted.effects import JOINT, Effects, Hidden, Pair
from ingrained.bench.planted.settled import (
    BONDS,
    EASE,
    FRIENDS,
    MENTIONED,
    MENTIONS,
    SOLO,
    SPREAD,
    STARTS,
    TASKS,
)
from ingrained.bench.planted.texts import SAME, SINGLE
from ingrained.gate.anchors import Source
from ingrained.harness.base import Task
from ingrained.ids import content_hash
from ingrained.learn.units import Unit
from ingrained.skill.living import Living, opened

FAMILY: Final = "planted"
SECTION: Final = "Desk"
"""The one heading of every skill here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """All that is true in one world."""

    seed: int
    effects: Effects
    alike: Mapping[tuple[str, str], str]
    """Rules that read alike, whether they do the same or not, each with the line that would say both."""
    ease: tuple[float, ...]
    """Log-odds of each task under an empty skill."""
    tasks: tuple[Task, ...]
    units: tuple[Unit, ...]
    """The evidence. Each part is the text of a rule that somebody spoke of, for better or worse."""
    start: Living
    _chances: dict[str, tuple[float, ...]] = field(default_factory=dict, init=False, repr=False, compare=False)
    _places: dict[str, int] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._places.update((task.id, place) for place, task in enumerate(self.tasks))

    def chances(self, text: str) -> tuple[float, ...]:
        """The chance in [0, 1] that each task succeeds under a skill."""
        found = self._chances.get(text)
        if found is None:
            skill = self.effects.log_odds(lines_of(text))
            found = tuple(1 / (1 + math.exp(-(ease + skill))) for ease in self.ease)
            self._chances[text] = found
        return found

    def value(self, text: str) -> float:
        """The true value of a skill: the mean chance of success over all tasks, in [0, 1]. Nothing is drawn."""
        return math.fsum(self.chances(text)) / len(self.ease)

    def best(self) -> float:
        """The value of the best skill that there is."""
        return self.value(skill_of(self.effects.best()).text)

    def succeeds(self, task: str, seed: int, text: str) -> bool:
        """How one attempt ends, a function of the world, the task, the seed and the skill's text."""
        drawn = content_hash([self.seed, task, seed, text])
        return int(drawn[-13:], 16) / 16**13 < self.chances(text)[self._places[task]]


def read(text: str) -> Living:
    """The living document of a text."""
    return _opened(text)


@lru_cache(maxsize=1024)
def _opened(text: str) -> Living:
    return opened(text)


def lines_of(text: str) -> tuple[str, ...]:
    """The lines of a skill that are rules."""
    return tuple(rule.words for rule in read(text).rules)


def skill_of(lines: Iterable[str]) -> Living:
    """A skill with these rules."""
    return read(f"# {SECTION}\n\n" + "".join(f"- {line}\n" for line in lines))


def lots(*of: object) -> Random:
    """Draws that are the same for the same values."""
    return Random(content_hash(list(of)))  # noqa: S311 - an experiment, and no secret


def planted(seed: int) -> World:
    """The world of a seed. Cost: a millisecond."""
    random = lots("world", seed)
    effects = _dealt(random)
    start = _start(random, effects)
    # How well the first skill does is drawn, and tasks are as easy as that asks.
    middle = random.uniform(*EASE) - effects.log_odds([rule.words for rule in start.rules])
    return World(
        seed=seed,
        effects=effects,
        alike=_alike(random, effects),
        ease=tuple(random.gauss(middle, SPREAD) for _ in range(TASKS)),
        tasks=tuple(
            Task(id=f"t{nth:03}", benchmark=FAMILY, family=FAMILY, request=f"Do piece {nth}.") for nth in range(TASKS)
        ),
        units=tuple(_units(random, effects.rules)),
        start=start,
    )


def _dealt(random: Random) -> Effects:
    """Words and effects, brought together by lot."""
    free = iter(random.sample(SINGLE, len(SINGLE)))
    wordings = iter(random.sample(SAME, len(SAME)))
    rules = [
        Hidden(text=next(free), role=role, alone=random.uniform(low, high))
        for role, (many, low, high) in SOLO.items()
        for _ in range(many)
    ]
    pairs: list[Pair] = []
    for bond, (many, alone, both) in BONDS.items():
        for _ in range(many):
            one, other, merged = next(wordings) if bond == "same" else (next(free), next(free), "")
            first = random.uniform(*alone)
            second = first if bond == "same" else random.uniform(*alone)
            rules += [Hidden(text=one, role=bond, alone=first), Hidden(text=other, role=bond, alone=second)]
            together = first if bond == "same" else random.uniform(*both)
            pairs.append(Pair(bond=bond, one=one, other=other, both=together, merged=merged))
    random.shuffle(rules)
    return Effects(rules=tuple(rules), pairs=tuple(pairs))


def _start(random: Random, effects: Effects) -> Living:
    lines = [text for pair in effects.pairs if pair.bond == "same" for text in pair.texts][:2]
    for role, many in STARTS.items():
        lines += [rule.text for rule in effects.rules if rule.role == role][:many]
    random.shuffle(lines)
    return skill_of(lines)


def _alike(random: Random, effects: Effects) -> dict[tuple[str, str], str]:
    """Both wordings of one thing; and rules that only look like it, whose common line is as long as the two."""
    found = {pair.texts: pair.merged for pair in effects.pairs if pair.bond == "same"}
    others = random.sample([rule.text for rule in effects.rules if rule.role != "same"], 2 * FRIENDS)
    for one, other in zip(others[::2], others[1::2], strict=True):
        found[one, other] = JOINT.join((one, other))
    return found


def _units(random: Random, rules: tuple[Hidden, ...]) -> Iterator[Unit]:
    """Units that mention every rule equally often."""
    for nth in range(MENTIONS):
        left = [rule.text for rule in random.sample(rules, len(rules))]
        while left:
            most = random.randint(*MENTIONED)
            size = len(left) if len(left) <= MENTIONED[1] else min(most, len(left) - MENTIONED[0])
            mentioned, left = tuple(left[:size]), left[size:]
            yield Unit(
                kind="document",
                parts=mentioned,
                evidence=(content_hash([nth, *mentioned], size=12),),
                source=Source(family=FAMILY),
            )
