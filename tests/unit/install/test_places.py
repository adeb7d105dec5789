from __future__ import annotations

from pathlib import Path

import pytest

from ingrained.errors import ConfigError, EnvironmentFaultError, UnknownNameError
from ingrained.install.places import TARGETS, Place, Slot, Where, here
from ingrained.store.manifest import Into

SLOTS = [Slot(kind="skill"), Slot(kind="block"), Slot(kind="rules-file"), Slot(kind="rules-file", stem="go")]
HOME, PROJECT = Path("/h"), Path("/h/p")


def places(agent: str, into: Into, **env: str) -> list[Place]:
    where = Where(home=HOME, project=PROJECT, env=env)
    return list(TARGETS.load(agent)().offer(where, into, "ingrained-x", SLOTS).places)


@pytest.mark.parametrize(
    ("agent", "into", "env", "expected"),
    [
        ("claude-code", "user", {}, [".claude/skills/ingrained-x/SKILL.md", ".claude/rules/ingrained-x.md", ".claude/rules/ingrained-x-go.md"]),
        ("claude-code", "project", {}, ["p/.claude/skills/ingrained-x/SKILL.md", "p/.claude/rules/ingrained-x.md", "p/.claude/rules/ingrained-x-go.md"]),
        ("claude-code", "user", {"CLAUDE_CONFIG_DIR": "/h/cc"}, ["cc/skills/ingrained-x/SKILL.md", "cc/rules/ingrained-x.md", "cc/rules/ingrained-x-go.md"]),
        ("codex", "user", {}, [".agents/skills/ingrained-x/SKILL.md", ".codex/AGENTS.md"]),
        ("codex", "user", {"CODEX_HOME": "/h/cx"}, [".agents/skills/ingrained-x/SKILL.md", "cx/AGENTS.md"]),
        ("codex", "project", {}, ["p/.agents/skills/ingrained-x/SKILL.md", "p/AGENTS.md"]),
        ("agents-md", "user", {}, [".agents/skills/ingrained-x/SKILL.md"]),
        ("agents-md", "project", {}, ["p/.agents/skills/ingrained-x/SKILL.md", "p/AGENTS.md"]),
    ],
)  # fmt: skip
def test_places(agent: str, into: Into, env: dict[str, str], expected: list[str]) -> None:
    found = places(agent, into, **env)
    assert [str(place.path.relative_to(HOME)) for place in found] == expected
    assert all(place.path.is_relative_to(place.root) and place.readers for place in found)


def test_every_target_loads_and_an_unknown_one_names_the_nearest() -> None:
    for entry in TARGETS.entries():
        assert TARGETS.load(entry.name)().name == entry.name
    with pytest.raises(UnknownNameError, match="did you mean 'claude-code'"):
        TARGETS.load("claude")


def test_windows_is_untested_and_says_so(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path)}
    with pytest.raises(EnvironmentFaultError, match="untested") as error:
        here(env=env, system="nt")
    assert "--force" in error.value.hint
    assert here(env=env, system="nt", untested=True).home == tmp_path


@pytest.mark.parametrize("project", [r"C:\Users\dana\src", r"\\server\share", "missing", "file"])
def test_a_project_folder_that_is_none_is_told(tmp_path: Path, project: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    path = Path(project) if "\\" in project else tmp_path / project
    with pytest.raises(ConfigError) as error:
        here(path, {"HOME": str(tmp_path)}, system="posix")
    assert error.value.hint


def test_a_project_is_needed_for_project_places() -> None:
    where = Where(home=HOME, project=None, env={})
    for agent in ("claude-code", "codex", "agents-md"):
        with pytest.raises(ConfigError, match="no project folder"):
            TARGETS.load(agent)().offer(where, "project", "x", SLOTS)


def test_home_comes_from_the_environment_or_the_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    odd = tmp_path / "mit Leerzeichen und Umläuten ü"
    assert here(env={"HOME": str(odd)}).home == odd
    monkeypatch.setenv("HOME", str(tmp_path))
    assert here(env={}).home == tmp_path

    def unknown() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", unknown)
    with pytest.raises(EnvironmentFaultError, match="no home folder"):
        here(env={})
