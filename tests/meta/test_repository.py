"""What no file of the repository may hold, and what the repository must have."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = {
    ".git",
    ".venv",
    "site",
    "dist",
    "__pycache__",
    ".hypothesis",
    ".pytest_cache",
    ".ruff_cache",
    "node_modules",
}
# Assembled, so that this file does not hold what it looks for.
MACHINE_PATHS = re.compile(
    "|".join(["/work" + r"/(main|shared)", "/root" + r"/\.", "/tmp" + "/(venv|brief)", "/opt" + "/(wheels|pypi)"])
)
INDEX_ADDRESSES = re.compile(
    "|".join(["py" + "pi.org/simple", "file" + "s.pythonhosted", "registry" + ".npmjs", "index" + "-url https?:"])
)
AGENTS_LINES = 120


def files() -> list[Path]:
    """Tracked and not yet tracked files, ignored ones left out; from an archive without git, all of them."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listed.returncode == 0 and listed.stdout:
        found = [ROOT / name for name in listed.stdout.decode("utf-8").split("\0") if name]
    else:
        found = [path for path in ROOT.rglob("*") if not SKIPPED & set(path.relative_to(ROOT).parts)]
    return [path for path in found if path.is_file() and not path.is_symlink()]


def holding(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{number}"
        for path in files()
        for number, line in enumerate(path.read_bytes().decode("utf-8", "replace").split("\n"), start=1)
        if pattern.search(line)
    ]


def test_no_file_names_a_path_of_the_machine_it_was_made_on() -> None:
    assert holding(MACHINE_PATHS) == []


def test_no_file_names_a_package_index() -> None:
    assert holding(INDEX_ADDRESSES) == []


def test_there_is_no_lock_with_addresses() -> None:
    assert not [path for path in files() if path.name == "uv.lock"]


def test_locks_pin_every_package_by_hash() -> None:
    locks = sorted((ROOT / "requirements").glob("*.txt"))
    assert locks
    for lock in locks:
        entries = re.sub(r"\\\n", " ", lock.read_text(encoding="utf-8")).splitlines()
        pinned = [line for line in entries if line and not line.startswith((" ", "#"))]
        assert pinned
        assert not [line.split()[0] for line in pinned if "==" not in line or "--hash=sha256:" not in line]


def test_instructions_for_agents_are_short() -> None:
    assert len((ROOT / "AGENTS.md").read_text(encoding="utf-8").splitlines()) < AGENTS_LINES
    assert (ROOT / "CLAUDE.md").read_text(encoding="utf-8").strip() == "@AGENTS.md"


def test_sources_are_utf8_without_bom_and_with_plain_line_ends() -> None:
    wrong = []
    for path in files():
        if path.suffix in {".py", ".md", ".toml"} and "cases" not in path.parts and "golden" not in path.parts:
            text = path.read_bytes().decode("utf-8")
            if text.startswith("\ufeff") or "\r" in text or (text and not text.endswith("\n")):
                wrong.append(str(path.relative_to(ROOT)))
    assert wrong == []


def test_relative_links_lead_somewhere() -> None:
    links = [
        (path, target)
        for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", path.read_text(encoding="utf-8"))
    ]
    assert len(links) > 3
    assert [f"{path.name}: {target}" for path, target in links if not (path.parent / target).exists()] == []
