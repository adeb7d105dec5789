"""What is left of a rule without the secret in it, and when nothing is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingrained.feedback.restate import negations
from ingrained.learn.secretless import secretless
from ingrained.session.redact import MARKER

KEY, MAIL = "[redacted:aws-key]", "[redacted:mail]"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Never use my key " + KEY + " in mails", "Never use my key in mails"),
        ("Never show passwords such as " + KEY + " or " + KEY, "Never show passwords"),
        ("Never show a token (" + KEY + ")", "Never show a token"),
        ("Zeig nie ein Kennwort wie " + KEY, "Zeig nie ein Kennwort"),
        ("Always sign with the full name, and the key is " + KEY, "Always sign with the full name"),
        ("Immer mit Namen, und der Schlüssel ist " + KEY, "Immer mit Namen"),
        ("Always write to me at " + MAIL, "Always write to me"),
        ("Never write to me at " + MAIL, ""),
        ("Always use " + KEY, ""),
        ("If unsure, use " + KEY, ""),
        (KEY, ""),
        ("Never use emoji", "Never use emoji"),
        (f"never no , {KEY}", ""),
    ],
)
def test_only_what_can_go_goes(text: str, left: str) -> None:
    assert secretless(text) == left


@given(
    st.lists(
        st.sampled_from(["never", "use", "my", "key", KEY, MAIL, ",", "and", "at", "(", ")", "wenn", "no"]), max_size=9
    )
)
def test_no_marker_is_left_and_twice_is_once(words: list[str]) -> None:
    text = " ".join(words)
    left = secretless(text)
    assert not MARKER.search(left)
    assert secretless(left) == left
    assert negations(left) <= negations(text)
