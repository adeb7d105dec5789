"""Said again, since and before the install, with intervals."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingrained.ids import MessageKey, PersonId, ProjectId, RuleId
from ingrained.skill.again import said_again
from ingrained.skill.rule import Evidence, Heard, Rule, Said
from skill_rules import make_rule

DAY = datetime(2026, 3, 1, 9, tzinfo=UTC)


def world(says: list[bool], *, place: str = "shop") -> tuple[Rule, list[Heard]]:
    """A rule and one session a day that says it or does not; at least one does."""
    base = make_rule("Use pnpm")
    heard = [
        Heard(key=MessageKey(f"m{day}"), person=PersonId("me"), project=ProjectId(place), session=f"s{day}", turn="1",
              text="x", form="typed", act=Said(), time=DAY + timedelta(days=day))
        for day in range(len(says))
    ]  # fmt: skip
    evidence = tuple(
        Evidence.model_validate({**base.evidence[0].model_dump(), "session": f"s{day}", "time": heard[day].time})
        for day, said in enumerate(says)
        if said
    )
    return base.model_copy(update={"evidence": evidence}), heard


def counted(says: list[bool], installed: float, *, place: str = "shop") -> Rule:
    rule, heard = world(says, place=place)
    (found,) = said_again([rule], {RuleId(rule.id): DAY + timedelta(days=installed)}, heard)
    return found


def test_by_hand_with_wilson_intervals() -> None:
    # Said on days 1, 2, 4 of 0 to 5, installed between 3 and 4: before, day 1 does not count.
    found = counted([False, True, True, False, True, False], 3.5)
    assert (found.said_before, found.said_again) == ((1, 2), (1, 2))
    # Wilson at 1 of 2, z = 1.96: centre 0.5, half width z·sqrt(1/8 + z²/16)/(1 + z²/2) = 0.4055.
    assert found.said_again_interval == pytest.approx((0.0945, 0.9055), abs=1e-3)
    assert found.said_before_interval == found.said_again_interval


def test_the_session_that_it_was_installed_in_began_without_it() -> None:
    found = counted([True, True, False], 1.0)
    assert (found.said_before, found.said_again) == ((1, 1), (0, 1))


def test_no_session_gives_no_interval() -> None:
    found = counted([True], 0.5)
    assert (found.said_again, found.said_again_interval) == ((0, 0), None)
    assert (found.said_before, found.said_before_interval) == ((0, 0), None)


def test_sessions_of_other_projects_do_not_count() -> None:
    found = counted([True, True, True], 1.5, place="blog")
    assert (found.said_before, found.said_again) == ((0, 0), (0, 0))


def test_what_is_not_installed_has_neither() -> None:
    rule, heard = world([True, True])
    assert said_again([rule], {}, heard) == (rule,)
    assert rule.said_before is None


@given(st.lists(st.booleans(), min_size=1, max_size=20).filter(any), st.floats(0, 20))
def test_since_and_before_share_out_the_sessions_after_the_first(says: list[bool], installed: float) -> None:
    found = counted(says, installed)
    assert found.said_again is not None
    assert found.said_before is not None
    first = says.index(True)
    after_first = len(says) - 1 - first
    if installed >= first:
        assert found.said_again[1] + found.said_before[1] == after_first
        assert found.said_again[0] + found.said_before[0] == sum(says) - 1
    for (hits, n), interval in (
        (found.said_again, found.said_again_interval),
        (found.said_before, found.said_before_interval),
    ):
        assert (interval is None) == (n == 0)
        if interval:
            assert 0 <= interval[0] <= hits / n <= interval[1] <= 1
