"""Atoms against targets: each canonical direction in many words, doubt, several targets, omission, what came last."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from tests.directions import asked, asked_of_terms

from ingrained.verify.align import Alignment, Stated, align, newest, omission, satisfied, stances, verdict, verdicts
from ingrained.verify.skill_reward import Stance
from ingrained.verify.target import Target, Topic, directions
from ingrained.verify.terms import names

LONGER = Target(dimension="length", direction="longer", tau=1)
SHORTER = Target(dimension="length", direction="shorter", tau=1)
FIRST_PERSON = Target(dimension="first_person", direction="more", tau=1)
PARIS = Target(dimension="coverage", direction="mention", tau=0, term="Paris")
NO_FLICKR = Target(dimension="leakage", direction="leave_out", tau=0, term="Flickr")
LENGTH = Topic(dimension="length")


def contrary(target: Target) -> Target:
    if target.dimension == "coverage":
        return replace(target, dimension="leakage", direction="leave_out")
    if target.dimension == "leakage":
        return replace(target, dimension="coverage", direction="mention")
    more, less = directions(target.dimension, target.feature)
    return replace(target, direction=less if target.direction == more else more)


def test_every_canonical_direction_is_asked_for_in_ten_ways() -> None:
    ways = Counter((one.dimension, one.feature, one.direction) for _, one in (*asked(), *asked_of_terms()))
    assert len(ways) == 2 * (1 + 1 + 6 + 1)
    assert min(ways.values()) >= 10


@pytest.mark.parametrize(("text", "target"), [*asked(), *asked_of_terms()])
def test_who_asks_for_a_target_is_aligned_and_opposed_to_its_contrary(text: str, target: Target) -> None:
    assert verdict(text, target) == "aligned"
    assert verdict(text, contrary(target)) == "opposed"


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("Don't make it longer.", SHORTER),
        ("Make it shorter but more detailed.", LONGER),
        ("Adjust the length.", LONGER),
        ("Keep the same length.", SHORTER),
        ("Shorten the title.", SHORTER),
        ("If it is a report, write more.", LONGER),
        ("Make it better.", LONGER),
        ("Around 200 words.", LONGER),
        ("Make it more personal.", FIRST_PERSON),
        ("Mention Paris only if it matters.", PARIS),
        ("Check the spelling of Paris.", PARIS),
        ("Include the missing names.", PARIS),
        ("Either cut Flickr or explain it.", NO_FLICKR),
        ("Flickr is a photo site.", NO_FLICKR),
        ("Bitte etwas kürzer.", SHORTER),
        ("もっと短くしてください。", SHORTER),
        ("", SHORTER),
    ],
)
def test_doubt_abstains(text: str, target: Target) -> None:
    assert verdict(text, target) == "abstain"


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("Use shorter sentences.", SHORTER),
        ("Make it shorter.", FIRST_PERSON),
        ("I want it shorter.", FIRST_PERSON),
        ("Mention Berlin.", PARIS),
        ("Use more contractions.", PARIS),
        ("Say that the film is long.", LONGER),
        ("Avoid headings and lists.", SHORTER),
    ],
)
def test_another_matter_is_unrelated(text: str, target: Target) -> None:
    assert verdict(text, target) == "unrelated"


def test_the_words_of_a_term_are_content() -> None:
    stories = Target(dimension="coverage", direction="mention", tau=0, term="short stories")
    assert verdicts("Mention the short stories.", (SHORTER, stories)) == ("unrelated", "aligned")


def test_feedback_of_the_paper_s_case_is_aligned_target_by_target() -> None:
    content = Target(dimension="coverage", direction="mention", tau=0, term="semantic content creation")
    linking = Target(dimension="coverage", direction="mention", tau=0, term="data interlinking")
    targets = (LONGER, content, linking)
    assert verdicts("It is rather brief and would benefit from further details.", targets)[0] == "aligned"
    atom = "Work ‘semantic content creation’ and ‘data interlinking’ into the draft more naturally."
    assert verdicts(atom, targets) == ("unrelated", "aligned", "aligned")
    assert verdicts("Use the term data interlinking more naturally.", targets) == ("unrelated", "unrelated", "aligned")


def test_a_part_of_a_term_decides_nothing() -> None:
    graph = Target(dimension="coverage", direction="mention", tau=0, term="knowledge graph")
    assert verdict("Explain the graph.", graph) == "abstain"
    assert verdict("Explain knowledge-graphs.", graph) == "aligned"


def test_a_credit_for_the_words_and_one_for_keeping() -> None:
    targets = (LONGER, PARIS)
    assert align("Make it longer.", True, targets) == Alignment(content=1, transfer=1, matched=(0,))
    assert align("Make it longer.", False, targets) == Alignment(content=1, transfer=-1, matched=(0,))
    assert align("Make it shorter.", True, targets) == Alignment(content=-1, transfer=1, matched=(0,))
    assert align("Mention Paris.", True, targets) == Alignment(content=1, transfer=-1, matched=(1,))
    assert align("Use British spelling.", True, targets) == Alignment(content=0, transfer=0, matched=())
    assert align("Adjust the length.", True, targets) == Alignment(content=0, transfer=0, matched=())


def test_an_atom_on_targets_of_both_sorts_has_no_right_decision() -> None:
    got = align("Make it longer; mention Paris.", True, (LONGER, PARIS))
    assert got == Alignment(content=1, transfer=0, matched=(0, 1))


def test_right_on_one_target_and_wrong_on_another_is_no_credit() -> None:
    assert align("Make it longer and leave out Paris.", True, (LONGER, PARIS)).content == 0


def test_only_what_surely_nobody_said_is_omitted() -> None:
    targets = (LONGER, FIRST_PERSON, PARIS)
    assert omission(["Mention Paris."], targets) == -1.0
    assert omission(["Make it longer."], targets) == -0.5
    assert omission(["Make it longer.", "Write in the first person."], targets) == 0.0
    assert omission(["Make it shorter.", "Make it more personal."], targets) == 0.0
    assert omission(["Mention Paris."], (PARIS,)) == 0.0
    assert omission([], targets) == -1.0


def test_the_newest_statement_on_a_topic_counts() -> None:
    said = ["Write long texts.", "Use shorter sentences.", "Keep it brief.", "Avoid contractions."]
    assert newest(said, LENGTH) == Stated(index=2, sign=-1)
    assert newest(said[::-1], LENGTH) == Stated(index=3, sign=1)
    assert newest(said, Topic(dimension="first_person")) is None


def test_a_statement_without_a_direction_changes_nothing() -> None:
    assert newest(["Keep it brief.", "Watch the length."], LENGTH) == Stated(index=0, sign=-1)
    assert newest(["Watch the length."], LENGTH) == Stated(index=0, sign=None)
    assert newest(["Be brief, but be very detailed."], LENGTH) == Stated(index=0, sign=None)


def test_a_rule_as_the_stances_that_the_skill_reward_takes() -> None:
    said = stances("Be brief, use more contractions and think about the parentheses.")
    assert said == (
        Stance(dimension="length", more=False),
        Stance(dimension="expression", more=True, feature="contractions"),
        Stance(dimension="expression", more=None, feature="parentheses"),
    )
    assert stances("Don't make it longer.") == (Stance(dimension="length", more=None),)
    assert stances("Use a warmer tone and make it better.") == ()
    assert stances("Mention Paris.") == ()


@pytest.mark.parametrize(("text", "target"), asked())
def test_each_way_to_ask_is_one_stance(text: str, target: Target) -> None:
    wanted = [one for one in stances(text) if (one.dimension, one.feature) == (target.dimension, target.feature)]
    assert [one.more for one in wanted] == [target.sign > 0]


def test_a_target_is_satisfied_by_what_was_said_last() -> None:
    assert satisfied(["Keep it short.", "Write longer texts."], LONGER)
    assert not satisfied(["Write longer texts.", "Keep it short."], LONGER)
    assert not satisfied([], LONGER)


@pytest.mark.parametrize(
    ("text", "term", "there"),
    [
        ("We went to PARIS.", "Paris", True),
        ("the paris-based team", "Paris", True),
        ("comparison", "paris", False),
        ("data interlinking", "Data-Interlinking", True),
        ("batteries", "battery", True),
        ("It costs $40.", "$40", True),
        ("C++ code", "C++", True),
        ("C code", "C++", False),
        ("Rosa’s Diner", "Rosa's Diner", True),
    ],
)
def test_a_term_is_found_as_whole_words(text: str, term: str, there: bool) -> None:
    assert names(text, term) is there
