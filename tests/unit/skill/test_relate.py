"""Which of two rules stands that contradict each other: by the person's word, the later one, and nothing is lost."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest

from ingrained.embed.lexical import Weights
from ingrained.ids import PersonId, ProjectId, RuleId
from ingrained.learn.drafts import draftable
from ingrained.report.contradictions import contradictions_text, pairs
from ingrained.skill.relate import contradictions, oppose, settle
from ingrained.skill.rule import Action, Decision, Rule, Scope, Status
from skill_rules import make_rule

DAY = datetime(2026, 4, 1, tzinfo=UTC)
TABS, SPACES = "Always indent with tabs, not spaces", "Always indent with spaces, not tabs"
WEIGHTS = Weights.fit(["add the table", "why is the page slow", "fix the checkout test", "bump the version"])


def one(text: str, name: str, *, person: str = "me", status: Status = "accepted", day: int = 0) -> Rule:
    rule = make_rule(text, name=name, status=status, last=DAY + timedelta(days=day))
    said = rule.evidence[0].model_copy(update={"person": PersonId(person)})
    return rule.model_copy(update={"people": (PersonId(person),), "evidence": (said,)})


def word(rule: Rule, day: int, action: Action = "accept") -> Decision:
    return Decision(action=action, atoms=(rule.evidence[0].atom,), time=DAY + timedelta(days=day))


def at_the_end(rules: Sequence[Rule], decisions: Sequence[Decision] = ()) -> dict[str, Rule]:
    known = dict(enumerate(rules))
    opposed = oppose(known, contradictions(known, frozenset(), WEIGHTS))
    return {rule.id: rule for rule in settle(list(opposed.values()), decisions)}


@pytest.mark.parametrize("people", [("me", "me"), ("ann", "ben")])
@pytest.mark.parametrize("swapped", [False, True])
def test_of_two_that_were_accepted_the_later_stands_and_both_say_so(people: tuple[str, str], swapped: bool) -> None:
    old, new = one(TABS, "r-0000000a", person=people[0]), one(SPACES, "r-0000000b", person=people[1], day=1)
    found = at_the_end([new, old] if swapped else [old, new], [word(new, 5), word(old, 4)])
    gone, stands = found[old.id], found[new.id]
    assert (gone.status, stands.status) == ("superseded", "accepted")
    assert (draftable(gone), draftable(stands)) == ("it is superseded", "")
    assert stands.supersedes == (old.id,)
    assert (gone.conflicts_with, stands.conflicts_with) == ((new.id,), (old.id,))
    assert gone.evidence == old.evidence
    told = contradictions_text(list(found.values()), width=200)
    assert (
        told[-1].strip() == f"you accepted both: {new.id} came last and stands; {old.id} is kept and goes into no draft"
    )


def test_between_two_people_the_day_of_the_yes_counts_and_not_that_of_the_words() -> None:
    early, late = one(TABS, "r-0000000a", person="ann"), one(SPACES, "r-0000000b", person="ben", day=3)
    found = at_the_end([early, late], [word(late, 4), word(early, 5)])
    assert (found[early.id].status, found[late.id].status) == ("accepted", "superseded")


def test_a_refused_rule_takes_no_other_down_and_is_no_contradiction() -> None:
    for people in (("me", "me"), ("ann", "ben")):
        old, new = one(TABS, "r-0000000a", person=people[0]), one(SPACES, "r-0000000b", person=people[1], day=1)
        refused = new.model_copy(update={"status": "refused"})
        found = oppose({0: old, 1: refused}, frozenset({(0, 1)}))
        assert (found[0], found[1].supersedes) == (old, ())
        assert contradictions_text(list(found.values()), width=90) == []


def test_the_one_that_gave_way_stands_again_when_the_other_is_refused() -> None:
    old, new = one(TABS, "r-0000000a", person="ann"), one(SPACES, "r-0000000b", person="ben", day=1)
    said = [word(old, 2), word(new, 3)]
    assert at_the_end([old, new], said)[old.id].status == "superseded"
    refused = new.model_copy(update={"status": "refused"})
    assert at_the_end([old, refused], [*said, word(new, 4, "refuse")])[old.id].status == "accepted"


def test_what_contradicts_only_a_rule_that_gave_way_stands() -> None:
    rules = [one(TABS, f"r-0000000{i}", person=f"p{i}") for i in range(3)]
    chain = [
        rules[0].model_copy(update={"conflicts_with": (rules[1].id,)}),
        rules[1].model_copy(update={"conflicts_with": (rules[0].id, rules[2].id)}),
        rules[2].model_copy(update={"conflicts_with": (rules[1].id,)}),
    ]
    said = [word(rule, i) for i, rule in enumerate(chain)]
    for order in permutations(chain):
        found = {rule.id: rule.status for rule in settle(order, said)}
        assert [found[rule.id] for rule in rules] == ["accepted", "superseded", "accepted"]


def test_rules_of_other_paths_and_places_stand_side_by_side() -> None:
    old, new = one(TABS, "r-0000000a", person="ann"), one(SPACES, "r-0000000b", person="ben", day=1)
    for scope in (Scope(project=ProjectId("blog")), Scope(project=ProjectId("shop"), paths=("*.go",))):
        apart = new.model_copy(update={"scope": scope, "conflicts_with": (old.id,)})
        assert {rule.status for rule in settle([old, apart], [word(old, 1), word(apart, 2)])} == {"accepted"}


def test_the_persons_own_wording_is_what_contradicts() -> None:
    old = one(TABS, "r-0000000a", person="ann")
    agrees = one("Always indent with tabs in Makefiles", "r-0000000b", person="ben", status="pinned")
    opposed = one(SPACES, "r-0000000b", person="ben", status="pinned")
    quotes = frozenset({(0, 1)})
    assert contradictions({0: old, 1: agrees}, quotes, WEIGHTS) == frozenset()
    assert contradictions({0: old, 1: opposed}, frozenset(), WEIGHTS) == quotes


def test_a_pair_is_told_once_and_again_when_something_changed() -> None:
    old, new = one(TABS, "r-0000000a", person="ann"), one(SPACES, "r-0000000b", person="ben", status="proposed")
    before = list(oppose({0: old, 1: new}, frozenset({(0, 1)})).values())
    told = contradictions_text(before, width=90)
    assert told[1:] == [
        "What contradicts each other:",
        f"  {old.id} “{TABS}”",
        f"    against {new.id} “{SPACES}”",
        f"    {new.id} waits for your word: ingrained review",
    ]
    assert contradictions_text(before, width=90, known=pairs(before)) == []
    after = list(at_the_end([old, new.model_copy(update={"status": "accepted"})]).values())
    assert contradictions_text(after, width=90, known=pairs(before))
    assert RuleId("r-0000000b") in after[0].conflicts_with
