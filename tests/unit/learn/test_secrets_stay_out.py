"""No secret reaches the ledger, an atom, a rule or a draft, however it was said and however often."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import redaction_said
import session_logs
from ingrained.ids import PersonId
from ingrained.learn.pipeline import Ask, Learned, learn
from ingrained.learn.reading import Roots
from ingrained.session.redact import MARKER, SecretRedactor
from redaction_said import Sample

SAID = [sample for sample in redaction_said.said(52) + redaction_said.headers(72) if "\n" not in sample.text]


def learned(tmp_path: Path) -> Learned:
    """Every third way to say a secret, as a standing wish, in two sessions of two days."""
    for day in (1, 2):
        log = session_logs.Claude(f"{day}1111111-2222-4333-8444-555555555555", cwd=str(tmp_path / "work"))
        for sample in SAID[::3]:
            log.agent("Done.")
            log.user(f"no, from now on always do it so: {sample.text}, and always run the tests afterwards")
            log.agent("Done.")
            log.user(f"always {sample.text}")
        session_logs.write(tmp_path / "logs" / f"{day}1111111-2222-4333-8444-555555555555.jsonl", log.rows)
    return learn(Ask(home=tmp_path / "home", roots=Roots(places=((PersonId("me"), tmp_path / "logs"),))))


def survives(sample: Sample, text: str) -> bool:
    return sample.value[:10] in text


def test_what_was_said_as_a_secret_is_neither_stored_nor_offered(tmp_path: Path) -> None:
    result = learned(tmp_path)
    heard = "\n".join(heard.text for heard in result.view.heard)
    assert len(result.view.heard) > 150
    assert [s.text for s in SAID[::3] if survives(s, heard)] == []
    written = b"".join(path.read_bytes() for path in (tmp_path / "home").rglob("*") if path.is_file())
    assert [s.text for s in SAID[::3] if survives(s, written.decode(errors="replace"))] == []


def test_no_rule_holds_a_marker_or_what_the_redactor_would_take_out(tmp_path: Path) -> None:
    result = learned(tmp_path)
    redactor = SecretRedactor()
    assert result.view.rules
    for rule in result.view.rules:
        for text in (rule.text, rule.scope.when):
            assert not MARKER.search(text)
            assert redactor.redact(text).counts == {}
    drafts = list((tmp_path / "home").rglob("*.md"))
    for path in drafts:
        assert not MARKER.search(path.read_text(encoding="utf-8"))
