"""Copies are one message and linked sessions are one session, whatever order they come in."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import permutations

import pytest

from ingrained.ids import PersonId
from ingrained.session.lineage import Message, SessionRef, Sighting, independent_sessions, merge_copies, message_order
from ingrained.session.session import SessionFacts, Turn
from ledger_world import ME, START, facts, turn

ANA = PersonId("ana")
UUID = "019d0000-0000-7000-8000-000000000001"


def ref(session: str, person: PersonId = ME, tool: str = "claude-code") -> SessionRef:
    return SessionRef(person, tool, session)


def message(first: Turn, *others: Turn, person: PersonId = ME, live: bool = True) -> Message:
    seen = [
        Sighting(
            person=person, path=f"/{one.tool}/{one.session}", tool=one.tool, session=one.session, record=one.record,
            line=one.line, time=one.time, live=live,
        )
        for one in (first, *others)
    ]  # fmt: skip
    return Message(person=person, turn=first, sightings=tuple(seen))


def known(*all_facts: SessionFacts, person: PersonId = ME) -> dict[SessionRef, SessionFacts]:
    return {SessionRef(person, fact.tool, fact.session): fact for fact in all_facts}


def test_sessions_that_share_a_message_are_one_named_by_the_earliest() -> None:
    first = turn("use pnpm", key="k", session="b")
    copy = replace(first, session="a")
    roots = independent_sessions([message(first, copy)], known(facts("a", minute=9), facts("b", minute=1), facts("c")))
    assert roots == {ref("a"): ref("b"), ref("b"): ref("b"), ref("c"): ref("c")}


def test_links_go_through_sessions_that_nobody_has() -> None:
    told = known(
        facts("b", minute=3, forked_from="gone"), facts("c", minute=2, forked_from="gone"), facts("d", minute=1)
    )
    roots = independent_sessions([], told)
    assert roots == {ref("b"): ref("c"), ref("c"): ref("c"), ref("d"): ref("d")}


def test_forks_of_forks_and_circles() -> None:
    told = known(*(facts(f"s{n}", minute=n, forked_from=f"s{(n + 1) % 50}") for n in range(50)))
    assert set(independent_sessions([], told).values()) == {ref("s0")}


def test_people_are_never_linked() -> None:
    shared = turn("use pnpm", key="k", session="a")
    told = known(facts("a")) | known(facts("a"), facts("b", forked_from="a"), person=ANA)
    roots = independent_sessions([message(shared), message(shared, person=ANA)], told)
    assert roots[ref("a")] == ref("a")
    assert roots[ref("b", ANA)] == ref("a", ANA)


def test_an_export_with_the_same_uuid_is_the_same_session() -> None:
    told = known(
        facts(UUID, minute=1), facts(UUID.upper(), tool="export", minute=2), facts("1"), facts("1", tool="export")
    )
    roots = independent_sessions([], told)
    assert roots[ref(UUID.upper(), tool="export")] == ref(UUID)
    assert roots[ref("1", tool="export")] != roots[ref("1")]


def test_the_earliest_known_one_is_no_session_set_aside() -> None:
    told = known(facts("a", minute=0, reason="headless"), facts("b", minute=5, forked_from="a"))
    assert independent_sessions([], told)[ref("a")] == ref("b")
    alone = known(facts("a", minute=5, reason="headless"), facts("b", minute=0, reason="own", forked_from="a"))
    assert independent_sessions([], alone)[ref("a")] == ref("b")


def test_without_facts_the_messages_tell_when_a_session_began() -> None:
    early, late = turn("x", key="k", session="z", minute=1), turn("x", key="k", session="a", minute=7)
    assert independent_sessions([message(early, late)], {})[ref("a")] == ref("z")


def fork_chain() -> tuple[list[Message], dict[SessionRef, SessionRef]]:
    """A log that repeats another under new keys and new times, and goes on: x, y, x, then x again and z."""
    parent = [turn(t, key=f"p{n}", session="p", line=n, minute=n) for n, t in enumerate(["x", "y", "x"])]
    fork = [turn(t, key=f"f{n}", session="f", line=n, minute=60 + n) for n, t in enumerate(["x", "y", " x", "x ", "z"])]
    messages = [message(one) for one in (*fork, *parent)]
    return messages, independent_sessions(messages, known(facts("p"), facts("f", minute=60, forked_from="p")))


def test_the_same_words_in_a_fork_are_one_message_and_said_again_stays() -> None:
    messages, roots = fork_chain()
    merged = merge_copies(messages, roots)
    keys = {m.key: (m.turn.text, m.turn.session) for m in messages}
    assert [(m.turn.text, m.turn.session, len(m.sightings)) for m in merged.messages] == [
        ("x", "p", 2), ("y", "p", 2), ("x", "p", 2), ("x ", "f", 1), ("z", "f", 1),
    ]  # fmt: skip
    assert {(keys[a], keys[b]) for a, b in merged.aliases.items()} == {
        (("x", "f"), ("x", "p")), (("y", "f"), ("y", "p")), ((" x", "f"), ("x", "p")),
    }  # fmt: skip


def test_a_log_without_its_beginning_does_not_merge_what_was_said_twice() -> None:
    first, second = (turn("x", key=f"k{n}", session="p", line=n, minute=n) for n in (1, 2))
    tail = replace(second, session="f", line=1, time=START + timedelta(minutes=40))
    messages = [message(first), message(second, tail)]
    assert merge_copies(messages, independent_sessions(messages, {})).messages == tuple(messages)


@pytest.mark.parametrize("early", ["k", "l"])
@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_a_key_that_a_message_bears_means_that_message(early: str, order: tuple[int, ...]) -> None:
    """Two people hold `k`; only one of them has a copy `l` too, and either may be the earlier."""
    minutes = {"k": 5, "l": 9, early: 1}
    first, copy = (turn("use pnpm", key=key, session=key, minute=minute) for key, minute in sorted(minutes.items()))
    told = known(facts("k"), facts("l", forked_from="k"), person=ANA) | known(facts("k"))
    messages = [message(first), message(first, person=ANA), message(copy, person=ANA)]
    roots = independent_sessions(messages, told)
    merged = merge_copies([messages[n] for n in order], roots)
    borne = {one.key for one in merged.messages}
    assert first.key in borne
    assert merged.aliases == ({copy.key: first.key} if early == "k" else {})
    assert len(merged.messages) == 2


def test_the_same_words_in_sessions_that_are_not_linked_are_two() -> None:
    messages = [message(turn("x", key="a", session="a")), message(turn("x", key="b", session="b", minute=1))]
    merged = merge_copies(messages, independent_sessions(messages, {}))
    assert len(merged.messages) == 2
    assert merged.aliases == {}


def test_a_merged_message_is_placed_where_its_independent_session_has_it() -> None:
    copy = turn("x", key="k", session="a", line=4, minute=3)
    original = replace(copy, session="b", line=8, record="r8")
    messages = [message(copy, original)]
    roots = independent_sessions(messages, known(facts("a", minute=30), facts("b", minute=1)))
    (found,) = merge_copies(messages, roots).messages
    assert (found.turn.session, found.turn.line, found.turn.record) == ("b", 8, "r8")
    assert found.ref == ref("b")


def test_gone_copies_count_among_themselves() -> None:
    first, second = (turn("x", key=f"k{n}", session="p", line=1, minute=n) for n in (1, 2))
    messages = [message(first, live=False), message(second)]
    merged = merge_copies(messages, independent_sessions(messages, {}))
    assert [m.key for m in merged.messages] == [first.key]
    assert [s.live for s in merged.messages[0].sightings] == [False, True]


def test_order_is_by_time_with_unknown_times_first() -> None:
    messages = [message(turn(str(m), session=s, minute=m)) for m, s in [(2, "a"), (None, "z"), (1, "b"), (2, "0")]]
    ordered = sorted(messages, key=message_order)
    assert [(m.turn.text, m.turn.session) for m in ordered] == [("None", "z"), ("1", "b"), ("2", "0"), ("2", "a")]
