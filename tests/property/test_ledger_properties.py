"""Any order of logs, one pass or ten, pieces of any size: the ledger tells the same."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from ingrained.feedback.decompose import Atom
from ingrained.session.lineage import independent_sessions, merge_copies
from ingrained.session.session import FileRead, Turn
from ingrained.store.ledger import Ledger
from ledger_world import Log, logs, state

EXAMPLES = settings(max_examples=30, deadline=None)
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
"""Hundreds of ledgers are made here and none has to last: a folder in memory spares the disk's syncs."""


@contextmanager
def fresh() -> Iterator[Ledger]:
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder, Ledger.open(Path(folder)) as ledger:
        yield ledger


def words(turn: Turn) -> list[Atom]:
    """A decomposer: one atom for every word of the turn."""
    found = []
    start = 0
    for word in turn.text.split():
        start = turn.text.index(word, start)
        found.append(
            Atom(message=turn.key, start=start, quote=word, text=f"{word} {turn.act.tool}", kind="other",
                 polarity="do", transferable=True, confidence=0.5)
        )  # fmt: skip
        start += len(word)
    return found


def judge(ledger: Ledger) -> None:
    result = ledger.add_atoms("d", "1", {turn.key: words(turn) for turn in ledger.unjudged("d", "1")})
    assert result.dropped == ()


def told(histories: list[tuple[Log, list[FileRead]]], order: list[int], *, judging: bool = False) -> dict[str, object]:
    """What a ledger tells after all passes, each log's in their order, the logs interleaved by `order`."""
    queues = [list(reads) for _, reads in histories]
    with fresh() as ledger:
        rest = [n for n, queue in enumerate(queues) for _ in queue]
        for n in [*order, *rest]:
            if queues[n]:
                assert not ledger.add(histories[n][0].person, queues[n].pop(0)).stale
                if judging:
                    judge(ledger)
        judge(ledger)
        assert ledger.unjudged("d", "1") == []
        return state(ledger)


@EXAMPLES
@given(logs(), st.data())
def test_any_order_and_any_pieces_tell_the_same(world: list[Log], data: st.DataObject) -> None:
    at_once = told([(log, log.passes([])) for log in world], [])
    cuts = [data.draw(st.lists(st.integers(0, 8), max_size=4)) for _ in world]
    order = data.draw(st.lists(st.integers(0, len(world) - 1), max_size=20))
    in_pieces = told([(log, log.passes(cut)) for log, cut in zip(world, cuts, strict=True)], order, judging=True)
    assert in_pieces == at_once


@EXAMPLES
@given(logs(), st.data())
def test_replaced_logs_do_not_depend_on_the_order_of_the_others(world: list[Log], data: st.DataObject) -> None:
    histories = []
    for log in world:
        end = len(log.lines)
        kept = data.draw(st.integers(0, end))
        histories.append((log, [log.part(0, end, resumed=False), log.part(kept, end, resumed=False)]))
    order = data.draw(st.lists(st.integers(0, len(world) - 1), max_size=20))
    assert told(histories, order, judging=True) == told(histories, [])


@EXAMPLES
@given(logs(), st.data())
def test_every_pass_twice_changes_nothing(world: list[Log], data: st.DataObject) -> None:
    with fresh() as once, fresh() as twice:
        for log in world:
            for part in log.passes(data.draw(st.lists(st.integers(0, 8), max_size=3))):
                once.add(log.person, part)
                twice.add(log.person, part)
                again = twice.add(log.person, part)
                assert again.new == 0
        assert state(once) == state(twice)


@EXAMPLES
@given(logs())
def test_a_message_is_told_from_its_copies(world: list[Log]) -> None:
    with fresh() as ledger:
        for log in world:
            for part in log.passes([]):
                ledger.add(log.person, part)
        said = {line.turn.key for log in world for line in log.lines if line.turn is not None}
        messages = ledger.messages()
        assert {message.key for message in messages} == said
        assert ledger.totals().messages == len(messages)
        for message in messages:
            assert all(sighting.person == message.person and sighting.live for sighting in message.sightings)
            times = [sighting.time for sighting in message.sightings if sighting.time is not None]
            assert message.turn.time == min(times, default=None)
        people = ledger.people()
        assert [m for person in people for m in ledger.messages(person)] == sorted(messages, key=lambda m: m.person)


@EXAMPLES
@given(logs(), st.data())
def test_lineage_does_not_depend_on_order(world: list[Log], data: st.DataObject) -> None:
    with fresh() as ledger:
        for log in world:
            for part in log.passes([]):
                ledger.add(log.person, part)
        messages, facts = ledger.messages(), ledger.sessions()
    roots = independent_sessions(messages, facts)
    merged = merge_copies(messages, roots)
    shuffled = data.draw(st.permutations(messages))
    turned = dict(data.draw(st.permutations(list(facts.items()))))
    assert independent_sessions(shuffled, turned) == roots
    assert merge_copies(shuffled, roots) == merged

    assert set(roots) >= set(facts)
    assert all(roots[root] == root for root in roots.values())
    assert all(root.person == ref.person for ref, root in roots.items())
    kept = {message.key for message in merged.messages}
    assert kept | set(merged.aliases) == {message.key for message in messages}
    assert not kept & set(merged.aliases)
    assert set(merged.aliases.values()) <= kept
    again = merge_copies(merged.messages, roots)
    assert {m.key for m in again.messages} == kept
    seen = [sighting for message in merged.messages for sighting in message.sightings]
    assert sorted(seen, key=repr) == sorted((s for m in messages for s in m.sightings), key=repr)
