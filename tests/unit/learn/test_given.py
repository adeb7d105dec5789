"""What became of a piece of feedback: the reason for what is not kept, and what supersedes what."""

from __future__ import annotations

import json
from pathlib import Path

import anyio
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from ingrained.feedback.compose import Verdict, compose
from ingrained.feedback.cues import cues
from ingrained.feedback.decompose import Atom
from ingrained.feedback.words import Span
from ingrained.learn.given import Judged, Outcome, _not_kept, given, judged_by, judged_offline, keep
from ingrained.learn.modelled import HABIT, REWORDED
from model_world import Counting

CUES = [cue for table in ("feedback", "transfer") for cue in cues(table)]
FOR = {cue.phrase for cue in CUES if cue.points > 0} | {HABIT, REWORDED}
PHRASES = sorted({cue.phrase for cue in CUES} | FOR)


def said(home: Path, text: str, *, request: str = "Write to the customer.") -> Outcome:
    words = given(home, "ana", request=request, draft="Dear all", feedback=text)
    return keep(home, words, judged_offline(words))


def answered(home: Path, text: str, quote: str, *, transferable: bool, why: str = "") -> Outcome:
    """The outcome where a model makes one demand of the words."""
    words = given(home, "ana", request="Write to the customer.", draft="Dear all", feedback=text)
    atom = {"id": "f1", "quote": quote, "content": quote, "transferable": transferable, "reason": why}
    model = Counting(lambda *_: json.dumps({"atoms": [atom]}), free=True)

    async def run() -> Judged:
        return await judged_by(model, words, history=())

    return keep(home, words, anyio.run(run))


def no_rule(*reasons: str) -> Atom:
    turn = given(Path("home"), "ana", request="r", draft="d", feedback="Name the buyer.").turn
    verdict = Verdict(
        feedback=True, transferable=False, confidence=0.0, kind="other", explicit=False, reasons=tuple(reasons)
    )
    return compose(turn, Span(start=0, end=len(turn.text), text=turn.text), verdict)


@drawn(st.lists(st.sampled_from(PHRASES), max_size=6, unique=True))
def test_no_reason_for_keeping_is_told_for_what_is_not_kept(phrases: list[str]) -> None:
    told = _not_kept(no_rule(*phrases))
    assert told
    assert told.partition(": ")[2] == "; ".join(phrase for phrase in phrases if phrase not in FOR)


def test_where_no_reason_is_left_ours_is_told() -> None:
    assert _not_kept(no_rule()) == _not_kept(no_rule(HABIT, "names what to use"))
    assert "no word of it says" in _not_kept(no_rule())


@pytest.mark.parametrize(
    ("transferable", "why", "told"),
    [
        (True, "this is only about this mail", "the words end it with this task"),
        (False, "the person always wants it so", "the words end it with this task"),
    ],
)
def test_words_that_end_it_count_whatever_the_model_says(
    tmp_path: Path, why: str, told: str, *, transferable: bool
) -> None:
    text = "This time name the buyer."
    (aside,) = answered(tmp_path, text, text, transferable=transferable, why=why).aside
    assert aside.reason == told


def test_what_the_model_calls_a_repair_is_told_so_and_a_reason_of_its_own_is_not_read(tmp_path: Path) -> None:
    text = "Please always name the buyer."
    outcome = answered(tmp_path, text, text, transferable=False, why="a standing wish, to be kept for all mails")
    assert outcome.kept == ()
    assert [one.reason for one in outcome.aside] == ["about this piece of work: the model calls it a repair"]


def test_a_later_preference_supersedes_the_earlier_contrary(tmp_path: Path) -> None:
    said(tmp_path, "Make it shorter.", request="a")
    said(tmp_path, "Weniger Ausrufezeichen", request="b")
    later = said(tmp_path, "Too short.", request="c")
    assert [rule.text for rule in later.rules] == ["Write longer texts", "Weniger Ausrufezeichen"]
    assert later.kept[0].rule.supersedes
    assert later.kept[0].rewritten
    back = said(tmp_path, "Shorter", request="d")
    assert "Write longer texts" not in {rule.text for rule in back.rules}


def test_a_model_s_words_with_a_secret_are_kept_without_it(tmp_path: Path) -> None:
    key = "-".join(["sk", "ant", "api03", "x7Kq" * 16])
    text = f"Never use my key {key} in mails."
    outcome = answered(tmp_path, text, text.replace(key, "[redacted:anthropic-key]"), transferable=True)
    (kept,) = outcome.kept
    assert kept.rule.text.startswith("Never use my key in mails")
    assert kept.left_out == ("[redacted:anthropic-key]",)
    assert not kept.waits
    about = f"Always use {key}."
    outcome = answered(tmp_path, about, about.replace(key, "[redacted:anthropic-key]"), transferable=True)
    assert outcome.kept == ()
    assert "no rule holds a secret" in outcome.aside[0].reason
