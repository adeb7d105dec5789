"""Lines of the person's own rule files: which there are, and since when each stood there as far as that is known."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ingrained.ids import ProjectId
from ingrained.learn.existing import LineDates, rule_lines
from ingrained.learn.view import owners

JANUARY, MARCH, MAY = (datetime(2026, month, 1, 12, tzinfo=UTC) for month in (1, 3, 5))
OLD, NEW = "Use pnpm and never npm", "Put a changelog line into every commit"


def commit(folder: Path, when: datetime) -> None:
    dates = {"GIT_AUTHOR_DATE": JANUARY.isoformat(), "GIT_COMMITTER_DATE": when.isoformat()}
    who = ["-c", "user.name=Dana", "-c", "user.email=dana@example.org"]
    for words in (["init", "-q"], ["add", "-A"], [*who, "commit", "-qm", "more"]):
        subprocess.run(
            ["git", *words], cwd=folder, env={**os.environ, **dates, "GIT_CONFIG_GLOBAL": os.devnull}, check=True
        )


def write(folder: Path, *lines: str, changed: datetime, end: str = "\n") -> Path:
    path = folder / "CLAUDE.md"
    path.write_bytes("".join(line + end for line in lines).encode())
    os.utime(path, (changed.timestamp(), changed.timestamp()))
    return path


def dates(folder: Path) -> dict[str, datetime | None]:
    """What is known of every line, as the learner asks it."""
    since = LineDates()
    found = rule_lines([folder], folder / "nobody", {})
    return {line: since(path, line) for path, lines in found.items() for line in lines}


def test_without_git_the_last_change_of_the_file_counts(tmp_path: Path) -> None:
    write(tmp_path, f"- {OLD}", changed=MARCH)
    assert dates(tmp_path) == {OLD: MARCH}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_line_counts_from_its_commit_and_one_that_is_not_committed_from_the_last_change(
    tmp_path: Path, end: str
) -> None:
    write(tmp_path, "# Mine", f"- {OLD}", changed=MAY, end=end)
    commit(tmp_path, JANUARY)
    write(tmp_path, "# Mine", f"  - {OLD}", "", NEW, changed=MAY, end=end)
    assert dates(tmp_path) == {OLD: JANUARY, NEW: MAY}
    commit(tmp_path, MARCH)
    assert dates(tmp_path) == {OLD: JANUARY, NEW: MARCH}


def test_a_file_that_git_does_not_know_counts_from_its_last_change(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("a", encoding="utf-8")
    commit(tmp_path, JANUARY)
    write(tmp_path, OLD, changed=MARCH)
    assert dates(tmp_path) == {OLD: MARCH}


def test_a_file_that_is_gone_has_no_date(tmp_path: Path) -> None:
    assert LineDates()(str(tmp_path / "CLAUDE.md"), OLD) is None


def test_a_file_of_one_project_is_read_in_that_project_alone() -> None:
    shop, web = ProjectId("shop"), ProjectId("web")
    paths = {
        "/p/shop/CLAUDE.md": {shop},
        "/p/shop/api/AGENTS.md": {shop},
        "/p/web/CLAUDE.md": {web},
        "/home/me/.claude/CLAUDE.md": set(),
    }
    assert owners(paths, {"/p/shop": shop, "/p/shop/api": shop, "/p/web": web, "": ProjectId("")}) == paths
