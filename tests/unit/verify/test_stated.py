"""R_skill of updates in words."""

from __future__ import annotations

import pytest

from ingrained.verify.skill_reward import Stance
from ingrained.verify.stated import reward, wanted
from ingrained.verify.target import Target

LONGER = Target(dimension="length", direction="longer", tau=1)
FEWER_MARKS = Target(dimension="expression", direction="fewer", tau=1, feature="exclamation_marks")
NAME_IT = Target(dimension="coverage", direction="mention", tau=0, term="Lisbon")


def test_only_transferable_targets_are_wanted() -> None:
    assert wanted([LONGER, FEWER_MARKS, NAME_IT]) == (
        Stance(dimension="length", more=True),
        Stance(dimension="expression", more=False, feature="exclamation_marks"),
    )


@pytest.mark.parametrize(
    ("before", "added", "value"),
    [
        ([], ["Make it longer.", "Avoid exclamation marks."], 1.0),
        ([], ["Make it longer."], 0.75),  # one of three dimensions missed
        ([], ["Make it shorter.", "Avoid exclamation marks."], 0.75),
        ([], ["Make it longer.", "Avoid exclamation marks.", "Mention Lisbon."], (3 + 0.5) / 4),
        ([], [], 0.0),  # a change was needed
        ([], None, 0.0),
        (["Make it longer.", "Avoid exclamation marks."], [], 1.0),  # satisfied already
        (["Make it longer.", "Avoid exclamation marks."], ["Make it longer."], 0.0),
    ],
)
def test_reward(before: list[str], added: list[str] | None, value: float) -> None:
    assert reward(before, added, [LONGER, FEWER_MARKS, NAME_IT]).score.value == value


def test_entities_of_the_interaction_are_local_too() -> None:
    found = reward([], ["Make it longer by telling of Porto."], [LONGER], entities=["Porto", "Faro"])
    assert found.local == 1
