"""Redaction is idempotent, deterministic, leaves no seeded secret and nothing else out."""

from __future__ import annotations

import sys
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import redaction_set
from ingrained.session.redact import MARKER, SecretRedactor, strip_private

REDACTOR = SecretRedactor(redaction_set.NAMES)
SECRETS = redaction_set.secrets(3)[::9]

words = st.text(alphabet=st.characters(codec="utf-8"), max_size=40)
pieces = st.one_of(
    words,
    st.sampled_from([sample.text for sample in SECRETS]),
    st.sampled_from(["password: ", "token=", "\n", '"', "@", "://a:b@", "Bearer ", "[redacted:mail]", "[redacted:", " is ", "\u200b", "/home/wilma/"]),
)  # fmt: skip
texts = st.lists(pieces, max_size=7).map("".join)


@given(texts)
@settings(max_examples=100, deadline=None)
def test_redacting_twice_changes_nothing(text: str) -> None:
    once = REDACTOR.redact(text)
    again = REDACTOR.redact(once.text)
    assert again.text == once.text
    assert again.counts == {}
    assert REDACTOR.redact(text) == once


@given(texts)
@settings(max_examples=66, deadline=None)
def test_what_is_not_cut_stays_in_its_order_and_the_counts_are_those_of_the_markers(text: str) -> None:
    result = REDACTOR.redact(text)
    at = 0
    for kept in MARKER.split(result.text):
        found = text.find(kept, at)
        assert found >= 0
        at = found + len(kept)
    assert sum(result.counts.values()) == len(MARKER.findall(result.text)) - len(MARKER.findall(text))


@given(st.sampled_from(SECRETS), words, words)
@settings(max_examples=66, deadline=None)
def test_a_seeded_secret_does_not_survive_its_neighbours(sample: redaction_set.Sample, before: str, after: str) -> None:
    out = REDACTOR.redact(f"{before}\n{sample.text}\n{after}").text
    width = min(len(sample.value), 12)
    assert sample.value[:width] not in out or sample.value[:width] in before + after


@given(texts)
@settings(max_examples=50, deadline=None)
def test_shared_text_strips_to_itself_and_holds_no_home(text: str) -> None:
    once = strip_private(text, names=redaction_set.NAMES)
    assert strip_private(once, names=redaction_set.NAMES) == once
    assert "/home/wilma" not in once
