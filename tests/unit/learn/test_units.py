"""Units of evidence: what of documents, trajectories and corrections an editor gets to see."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.skill_rules import make_rule

from ingrained.errors import ConfigError
from ingrained.harness.base import Action, Said, Task, Trace
from ingrained.learn.units import Tried, batches, corrections, segments
from ingrained.verify.score import Score, Unscored


def tried(nth: int, family: str = "f", **more: object) -> Tried:
    task = Task(
        id=f"{family}{nth}",
        benchmark="made",
        family=family,
        request=f"Book seat {nth}.",
        user="You are secretly a pilot.",
        known={"answer": "GATE-77"},
    )
    fields: dict[str, object] = {"answer": "Booked.", "stop": "answered", **more}
    trace = Trace.model_validate({"task": task.id, "worker": "w", "skill": "s", "seed": 0, **fields})
    return Tried(task=task, trace=trace, outcome=Score(value=0.5))


@given(
    st.text(alphabet=st.sampled_from("ab #-\n\r\u2028*`é"), max_size=400),
    st.integers(1, 60),
)
def test_segments_are_the_document_cut(text: str, most: int) -> None:
    found = segments(text, family="f", most=most)
    shown = [unit.parts[0] for unit in found]
    assert all(len(one) <= most and one.strip() for one in shown)
    left = text
    for one in shown:
        before, _, left = left.partition(one)
        assert not before.strip(), "nothing but blanks may be left out"
    assert not left.strip()


def test_a_segment_begins_at_a_heading_where_it_can() -> None:
    text = "# One\n\n" + "a b c.\n" * 4 + "\n# Two\n\nd e f.\n"
    first, second = segments(text, family="f", most=45)
    assert second.parts == ("# Two\n\nd e f.\n",)
    assert first.evidence != second.evidence
    assert first.source.family == "f"
    assert segments(" \n", family="f") == []


def test_trajectories_come_four_a_unit_and_a_family_together() -> None:
    found = batches([*(tried(nth) for nth in range(5)), tried(0, "g"), tried(5)])
    assert [sorted(unit.source.tasks) for unit in found] == [["f0", "f1", "f2", "f3"], ["f4", "f5"], ["g0"]]
    assert [len(unit.parts) for unit in batches([tried(0), tried(1)], size=1)] == [1, 1]


def test_a_trajectory_shows_what_the_worker_did_and_nothing_that_is_kept_from_it() -> None:
    actions = [Action(tool="book", arguments={"seat": 3}, result="full", failed=True)]
    (unit,) = batches([tried(3, messages=[Said(role="assistant", text="Let me see.")], actions=actions)])
    assert unit.parts[0].split("\n") == [
        "task: Book seat 3.",
        "assistant: Let me see.",
        'worker called book {"seat":3} (failed): full',
        "answer: Booked.",
        "ended: answered",
        "score: 0.5 of 1",
    ]
    assert "GATE-77" not in unit.parts[0]
    assert "pilot" not in unit.parts[0]


def test_a_long_trajectory_keeps_both_ends_and_one_without_a_score_says_so() -> None:
    long = tried(1, answer="start " + "x" * 9_000 + " end")
    (unit,) = batches([Tried(task=long.task, trace=long.trace, outcome=Unscored(reason="GATE-77 is missing"))])
    assert len(unit.parts[0]) < 4_100
    assert "start x" in unit.parts[0]
    assert unit.parts[0].endswith("x end\nended: answered\nscore: none")


def test_corrections_are_the_quotes_of_rules_that_stand() -> None:
    one = make_rule("Use no emojis.", name="r-00000001", when="in mails", paths=("*.md",))
    (quote,) = one.evidence
    against = quote.model_copy(update={"atom": "b2:x@0", "quote": "one is fine", "stance": "contradicts"})
    stands = one.model_copy(update={"evidence": (quote.model_copy(update={"quote": "no emojis"}), against)})
    rules = [
        stands,
        make_rule("Refused.", status="refused"),
        make_rule("Superseded.", status="superseded"),
        make_rule("Retired.", level="retired"),
        one.model_copy(update={"evidence": (quote.model_copy(update={"source": "document"}),)}),
    ]
    (unit,) = corrections(rules, family="mails")
    assert unit.parts == ("demand: Use no emojis.\nwhere: in mails; *.md\nfor: no emojis\nagainst: one is fine",)
    assert unit.evidence == ("b2:r-00000001@0", "b2:x@0")
    assert unit.kind == "corrections"
    assert not unit.source.tasks


def test_sizes_below_one_are_refused() -> None:
    with pytest.raises(ConfigError, match="at least 1"):
        batches([], size=0)
    with pytest.raises(ConfigError, match="at least 1"):
        segments("a", family="f", most=0)
