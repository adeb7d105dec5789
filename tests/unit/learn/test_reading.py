"""Reading many logs: several processes give what one gives, and an unreadable log is a line, not the end."""

from collections.abc import Callable
from pathlib import Path

import pytest

from ingrained.learn import reading
from ingrained.learn.reading import ME, Finding, Roots, Trouble, count, read_all, sources
from ingrained.session.redact import SecretRedactor
from ingrained.session.session import Cursor


def read(
    place: Path, cursors: dict[str, Cursor] | None = None, told: list[int] | None = None
) -> tuple[list[Finding], Trouble]:
    roots, trouble = Roots(places=((ME, place),)), Trouble()
    known = cursors if cursors is not None else {}
    progress = None if told is None else told.append
    found = list(
        read_all(sources(roots, (), trouble), roots, SecretRedactor(), trouble, cursor=lambda _, path: known.get(path), progress=progress)
    )  # fmt: skip
    known.update({finding.read.path: finding.read.cursor for finding in found if finding.read})
    return found, trouble


@pytest.fixture
def logs(case_home: Callable[..., Path]) -> Path:
    home = case_home("06")
    (home / ".claude" / "projects" / "zz").mkdir()
    (home / ".codex" / "sessions" / "rollout-x.jsonl.zst").write_bytes(b"\x28\xb5\x2f\xfd not whole")
    return home


def test_several_processes_read_the_same_in_the_same_order(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[int] = []
    alone, trouble = read(logs, told=told)
    monkeypatch.setattr(reading, "PARALLEL_BYTES", 0)
    monkeypatch.setattr(reading, "_workers", lambda: 2)
    cursors: dict[str, Cursor] = {}
    together, same_trouble = read(logs, cursors)
    assert together == alone
    assert [skip.path for skip in same_trouble.skipped] == [skip.path for skip in trouble.skipped]
    assert count(together) == count(alone)
    assert sum(told) >= sum(finding.source.size for finding in alone)
    again, _ = read(logs, cursors)
    assert {finding.read for finding in again} == {None}
