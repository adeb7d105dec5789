"""Worlds with planted truth: that values are exact, luck is even and settled, and lines say what they were merged from."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations
from pathlib import Path
from random import Random

import pytest

from ingrained.bench.planted.effects import JOINT, Effects, Hidden, Pair
from ingrained.bench.planted.settled import BONDS, BUDGET, COST, EASE, MENTIONED, MENTIONS, SOLO, STARTS, TASKS
from ingrained.bench.planted.texts import SAME, SINGLE
from ingrained.bench.planted.world import World, lines_of, planted, skill_of
from ingrained.gate.gaming import gaming

SMALL = Effects(
    rules=tuple(
        Hidden(text=text, role="made", alone=alone)
        for text, alone in {"A": 1.0, "B": -0.5, "C": 0.0, "D": 0.0, "E": 0.5, "F": 0.6, "G": 0.7, "H": 0.7}.items()
    ),
    pairs=(
        Pair(bond="together", one="C", other="D", both=0.8),
        Pair(bond="clash", one="E", other="F", both=-0.4),
        Pair(bond="same", one="G", other="H", both=0.7, merged="GH"),
    ),
)
WORLDS = [planted(seed) for seed in (2000, 2001, 2002)]


def some_skills(world: World, many: int) -> list[str]:
    """Skills of rules drawn at random."""
    random = Random(world.seed)
    texts = [rule.text for rule in world.effects.rules]
    return [skill_of(random.sample(texts, random.randint(0, len(texts)))).text for _ in range(many)]


@pytest.mark.parametrize(
    ("held", "effect"),
    [("", 0), ("A", 1), ("AB", 0.5), ("C", 0), ("CD", 0.8), ("E", 0.5), ("EF", -0.4), ("GH", 0.7), ("ACEG", 2.2)],
)
def test_effects_add_up_but_for_pairs(held: str, effect: float) -> None:
    assert SMALL.of(frozenset(held)) == pytest.approx(effect)


def test_a_merged_line_says_both_and_only_a_named_one_is_read_as_one_rule() -> None:
    assert SMALL.held(["GH", f"A{JOINT}B", "nothing known"]) == frozenset("GHAB")
    assert SMALL.log_odds(["GH"]) == pytest.approx(0.7 - COST)
    assert SMALL.log_odds(["G", "H"]) == pytest.approx(0.7 - 2 * COST)
    assert SMALL.log_odds([f"A{JOINT}B"]) == pytest.approx(SMALL.log_odds(["A", "B"]))
    assert SMALL.log_odds(["a"]) == -COST, "word for word"


def test_no_skill_is_better_than_the_best() -> None:
    texts = [rule.text for rule in SMALL.rules] + ["GH"]
    every = [some for size in range(len(texts) + 1) for some in combinations(texts, size)]
    assert SMALL.log_odds(SMALL.best()) == pytest.approx(max(SMALL.log_odds(some) for some in every))


def test_what_hurts_is_what_is_better_left_out() -> None:
    assert SMALL.harmful(frozenset("ABCG")) == frozenset("B")
    assert SMALL.harmful(frozenset("EF")) == frozenset("EF")
    assert SMALL.harmful(frozenset("CDGH")) == frozenset()


def test_the_value_is_the_mean_of_many_attempts() -> None:
    for world in WORLDS:
        for text in (world.start.text, skill_of(world.effects.best()).text):
            tries = [world.succeeds(task.id, seed, text) for task in world.tasks for seed in range(60)]
            value = world.value(text)
            error = math.sqrt(value * (1 - value) / len(tries))
            assert sum(tries) / len(tries) == pytest.approx(value, abs=4 * error)


def test_the_chance_of_a_task_is_the_mean_of_its_attempts() -> None:
    world = WORLDS[0]
    for place in (0, 57, 119):
        wanted = world.chances(world.start.text)[place]
        tries = [world.succeeds(world.tasks[place].id, seed, world.start.text) for seed in range(2000)]
        assert sum(tries) / len(tries) == pytest.approx(wanted, abs=4 * math.sqrt(wanted * (1 - wanted) / len(tries)))


def test_an_attempt_ends_always_alike_and_two_skills_have_a_luck_of_their_own() -> None:
    world, again = planted(2000), planted(2000)
    one, other = world.start.text, world.start.text + "- No hidden rule\n"
    slots = [(task.id, seed) for task in world.tasks for seed in range(20)]
    first = [world.succeeds(*slot, one) for slot in slots]
    assert first == [again.succeeds(*slot, one) for slot in slots]
    second = [world.succeeds(*slot, other) for slot in slots]
    # Given the task, both are independent: they meet as often as their chances say.
    pairs = zip(world.chances(one), world.chances(other), strict=True)
    meet = [p * q + (1 - p) * (1 - q) for p, q in pairs for _ in range(20)]
    error = math.sqrt(sum(p * (1 - p) for p in meet))
    assert sum(a == b for a, b in zip(first, second, strict=True)) == pytest.approx(sum(meet), abs=4 * error)


def test_worlds_are_made_as_was_settled() -> None:
    for world in WORLDS:
        roles = Counter(rule.role for rule in world.effects.rules)
        assert roles == Counter({role: many for role, (many, _, _) in SOLO.items()}) + Counter(
            {bond: 2 * many for bond, (many, _, _) in BONDS.items()}
        )
        for rule in world.effects.rules:
            _, low, high = SOLO[rule.role] if rule.role in SOLO else (0, *BONDS[rule.role][1])
            assert low <= rule.alone <= high
        mentioned = Counter(text for unit in world.units for text in unit.parts)
        assert mentioned == Counter({rule.text: MENTIONS for rule in world.effects.rules})
        assert all(MENTIONED[0] <= len(unit.parts) <= MENTIONED[1] for unit in world.units)
        assert len({unit.evidence for unit in world.units}) == len(world.units)
        roles_held = Counter(rule.role for rule in world.effects.rules if rule.text in lines_of(world.start.text))
        assert roles_held == Counter(STARTS) + Counter({"same": 2})
        assert len(world.tasks) == TASKS == len(world.ease)
    assert len({world.start.text for world in WORLDS}) == len(WORLDS)


def test_the_first_skill_does_as_well_as_was_drawn() -> None:
    middles = [
        sum(world.ease) / TASKS + world.effects.log_odds(lines_of(world.start.text))
        for world in (planted(seed) for seed in range(2000, 2040))
    ]
    assert min(middles) > EASE[0] - 0.6
    assert max(middles) < EASE[1] + 0.6
    assert max(middles) - min(middles) > (EASE[1] - EASE[0]) / 2


def test_the_best_skill_of_a_world_beats_whatever_is_drawn_and_each_step_away_from_it() -> None:
    for world in WORLDS:
        best = world.effects.best()
        assert world.best() >= max(world.value(text) for text in some_skills(world, 100))
        for rule in world.effects.rules:
            step = [line for line in best if line != rule.text] if rule.text in best else [*best, rule.text]
            assert world.value(skill_of(step).text) <= world.best()
        assert not world.effects.harmful(world.effects.held(best))


def test_words_are_plain_lines_that_no_gate_takes_for_gaming() -> None:
    texts = [*SINGLE, *(text for both in SAME for text in both)]
    assert len(set(texts)) == len(texts)
    assert lines_of(skill_of(texts).text) == tuple(texts)
    assert gaming("", skill_of(texts).text) == ()
    assert not [text for text in texts if JOINT in text]


def test_the_page_says_what_is_planted() -> None:
    page = (Path(__file__).parents[3] / "docs" / "planted.md").read_text(encoding="utf-8")
    rows = {cells[1].strip(): cells for line in page.splitlines() if len(cells := line.split("|")) == 6}
    said = {"helps": "help", "helps much": "help much", "helps a little": "help a little", "nothing": "do nothing"}
    for role, (many, low, high) in SOLO.items():
        cells = rows[said.get(role, role.replace("hurts", "hurt"))]
        effect = f"{low} to {high}" if low != high else f"{low:g}"
        assert [one.strip() for one in cells[2:5]] == [str(many), effect, str(STARTS.get(role, 0))]
    rules = sum(many for many, _, _ in SOLO.values()) + 2 * sum(many for many, _, _ in BONDS.values())
    for number in (
        f"A world has {rules} rules",
        f"takes {COST:g},",
        f"There are {TASKS} tasks",
        f"make {BUDGET:,} calls",
    ):
        assert number in page.replace("\n", " ")
    assert f"between {EASE[0]:g} and {EASE[1]:g}" in page.replace("\n", " ")
