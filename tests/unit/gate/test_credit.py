"""The rollback reward on every kind of group, one rule a test."""

from __future__ import annotations

from ingrained.gate.credit import gain, raw, rollback
from ingrained.verify.score import Score, Unscored

HALF = Score(value=0.5)
BETTER = Score(value=0.75)
WORSE = Score(value=0.25)
NONE = Unscored(reason="time limit")


def test_only_beating_the_control_is_rewarded() -> None:
    credit = rollback(HALF, [BETTER, HALF, WORSE])
    assert credit.rewards == (1.0, 0.0, 0.0)
    assert credit.signal


def test_every_noop_is_rewarded_where_no_sibling_beat_the_control() -> None:
    assert rollback(HALF, ["noop", WORSE, "noop", HALF]).rewards == (1.0, 0.0, 1.0, 0.0)
    assert rollback(HALF, ["noop", BETTER, "noop"]).rewards == (0.0, 1.0, 0.0)


def test_a_group_of_noops_has_no_signal() -> None:
    assert not rollback(HALF, ["noop", "noop"]).signal
    assert rollback(HALF, ["noop", "noop"]).rewards == (None, None)
    assert not rollback(HALF, []).signal


def test_an_invalid_edit_gets_nothing_and_does_not_hurt_a_noop() -> None:
    assert rollback(HALF, ["invalid", "noop"]).rewards == (0.0, 1.0)


def test_an_edit_without_a_score_leaves_the_group() -> None:
    assert rollback(HALF, [NONE, BETTER, "noop"]).rewards == (None, 1.0, 0.0)
    assert rollback(HALF, [NONE, WORSE, "noop"]).rewards == (None, 0.0, 1.0)


def test_a_group_of_which_only_noops_are_left_has_no_signal() -> None:
    assert not rollback(HALF, [NONE, "noop"]).signal


def test_a_control_without_a_score_drops_the_group() -> None:
    for scheme in (rollback, raw, gain):
        credit = scheme(NONE, [BETTER, "noop", "invalid"])
        assert credit.rewards == (None, None, None)
        assert not credit.signal


def test_the_raw_score_does_not_ask_for_the_control() -> None:
    assert raw(HALF, [BETTER, WORSE, "noop", "invalid", NONE]).rewards == (0.75, 0.25, 0.5, 0.0, None)
    assert raw(Score(value=1.0), [BETTER]).rewards == raw(Score(value=0.0), [BETTER]).rewards


def test_the_gain_tells_a_loss_from_a_tie() -> None:
    assert gain(HALF, [BETTER, HALF, WORSE, "noop", "invalid", NONE]).rewards == (0.25, 0.0, -0.25, 0.0, -1.0, None)
