"""Our hook in the settings of agents: put in beside what others have there, and taken out again."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from ingrained.errors import ConfigError, RefusedError
from ingrained.install.apply import Applied, apply
from ingrained.install.doctor import diagnose
from ingrained.install.hooks import argv, command, hooked, is_ours, plan_hooks
from ingrained.install.plan import Plan
from ingrained.install.undo import plan_uninstall
from install_world import NOW, World, make_world

CASE = Path(__file__).parents[2] / "cases" / "12-install-next-to-user-files"


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path)


def claude(world: World, content: bytes | None = None, *, case: str = "") -> Path:
    """The settings file of Claude Code, with this content or that of a home of case 12."""
    path = world.home / ".claude" / "settings.json"
    path.parent.mkdir(exist_ok=True)
    if case:
        shutil.copyfile(CASE / case / "home/dot-claude/settings.json", path)
    elif content is not None:
        path.write_bytes(content)
    return path


def codex(world: World, content: bytes | None = None) -> Path:
    path = world.home / ".codex" / "config.toml"
    path.parent.mkdir(exist_ok=True)
    if content is not None:
        path.write_bytes(content)
    return path


def plan(world: World, agent: str = "claude-code", **env: str) -> Plan:
    return plan_hooks(world.library, agent, world.where(**env), now=NOW)


def hook(world: World, agent: str = "claude-code", **env: str) -> Applied:
    return apply(world.library, plan(world, agent, **env))


def program(world: World, script: str) -> str:
    """A `codex` that does this, and the PATH on which it is found."""
    folder = world.home.parent / "bin"
    folder.mkdir(exist_ok=True)
    path = folder / "codex"
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return f"{folder}{os.pathsep}{os.defpath}"


NEW = "echo codex-cli 0.130.2"


def commands(path: Path) -> list[str]:
    hooks = json.loads(path.read_bytes().decode("utf-8-sig"))["hooks"]
    return [one["command"] for groups in hooks.values() for group in groups for one in group["hooks"]]


@pytest.mark.parametrize("case", ["good", "bom"])
def test_what_others_have_in_the_settings_stays(world: World, case: str) -> None:
    path = claude(world, case=case)
    before = path.read_bytes()
    kept = json.loads(before.decode("utf-8-sig"))
    foreign = [] if case == "bom" else commands(path)
    done = hook(world)
    after = path.read_bytes()
    assert (done.files[0].path, done.files[0].size) == (path, len(after))
    assert commands(path) == [*foreign, command("claude-code", world.library.home)]
    found = json.loads(after.decode("utf-8-sig"))
    assert {key: value for key, value in found.items() if key != "hooks"} == {
        key: value for key, value in kept.items() if key != "hooks"
    }
    assert after.startswith(b"\xef\xbb\xbf") == (case == "bom")
    again = plan(world)
    assert again.changes_nothing
    apply(world.library, again)
    assert path.read_bytes() == after
    world.undo()
    assert path.read_bytes() == before


def test_a_settings_file_with_a_comma_too_many_is_named_with_its_line_and_not_touched(world: World) -> None:
    path = claude(world, case="trailing-comma")
    before = path.read_bytes()
    with pytest.raises(RefusedError, match=r"settings\.json:3:\d+ does not parse") as refused:
        plan(world)
    assert refused.value.exit_code != 0
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"[]", "holds no object but a list"),
        (b'{"hooks": []}', '"hooks" is no object'),
        (b'{"hooks": {"Stop": {}}}', r'"hooks\.Stop" is no list'),
        (b'{"a": NaN}', "NaN is no JSON"),
        (b'{\n"a": "\xff"}', ":2 is no UTF-8"),
        (b"{" * 3, "does not parse"),
        (b'{"a": ' + b"[" * 100_000, "does not parse"),
        (b'// mine\n{"a": 1}', ":1:1 does not parse"),
    ],
)
def test_settings_that_we_do_not_understand_are_refused(world: World, content: bytes, why: str) -> None:
    path = claude(world, content)
    with pytest.raises(RefusedError, match=why):
        plan(world)
    assert path.read_bytes() == content
    assert not world.library.folder.exists()


def test_of_a_key_that_stands_twice_the_last_counts_as_it_does_for_the_agent(world: World) -> None:
    before = b'{"hooks": {"Stop": []}, "hooks": {"Stop": [1], "Stop": []}}'
    path = claude(world, before)
    hook(world)
    assert commands(path) == [command("claude-code", world.library.home)]
    assert path.read_bytes().startswith(b'{"hooks": {"Stop": []}, "hooks": {"Stop": [1], "Stop": [{')
    path.write_bytes(path.read_bytes() + b"\n")
    world.undo()
    assert path.read_bytes() == before + b"\n"


def test_an_empty_file_is_taken_for_none_after_saying_so(world: World) -> None:
    path = claude(world, case="empty")
    before = path.read_bytes()
    found = plan(world)
    assert [warning for warning in found.warnings if "is empty" in warning]
    apply(world.library, found)
    assert commands(path) == [command("claude-code", world.library.home)]
    world.undo()
    assert path.read_bytes() == before


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_a_file_that_was_not_there_is_gone_again(world: World, agent: str) -> None:
    before = world.tree()
    hook(world, agent)
    assert hooked(agent, world.where())
    world.undo()
    assert world.tree() == before


def test_settings_that_others_changed_since_lose_our_hook_alone(world: World) -> None:
    path = claude(world, case="good")
    before = json.loads(path.read_bytes())
    hook(world)
    now = json.loads(path.read_bytes())
    now["model"] = "opus"
    now["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "echo theirs"}]})
    path.write_text(json.dumps(now, indent=4), encoding="utf-8")
    apply(world.library, plan_uninstall(world.library, now=NOW))
    after = json.loads(path.read_bytes())
    before["model"] = "opus"
    before["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "echo theirs"}]})
    assert after == before
    assert list(after) == list(before)
    assert world.library.manifest().steps == ()


def test_a_hook_that_somebody_put_into_a_group_of_theirs_goes_alone(world: World) -> None:
    path = claude(world, b"{}")
    hook(world)
    mine = {"type": "command", "command": command("claude-code", world.library.home), "timeout": 5}
    theirs = {"type": "command", "command": "echo theirs"}
    path.write_text(json.dumps({"hooks": {"Stop": [{"matcher": "x", "hooks": [mine, theirs]}]}}), encoding="utf-8")
    world.undo()
    assert json.loads(path.read_bytes()) == {"hooks": {"Stop": [{"matcher": "x", "hooks": [theirs]}]}}


def test_a_forced_undo_restores_and_keeps_a_copy(world: World) -> None:
    path = claude(world, case="good")
    before = path.read_bytes()
    hook(world)
    path.write_bytes(b'{"theme": "light"}')
    world.undo(force=True)
    assert path.read_bytes() == before
    (kept,) = world.library.kept.iterdir()
    assert kept.read_bytes() == b'{"theme": "light"}'


def test_a_hook_of_an_older_place_gets_the_new_command_where_it_stands(world: World) -> None:
    path = claude(world, case="good")
    hook(world)
    old = path.read_text(encoding="utf-8").replace(str(world.library.home), "/somewhere/else")
    path.write_text(old, encoding="utf-8")
    hook(world)
    assert [is_ours(one) for one in commands(path)].count(True) == 1
    assert str(world.library.home) in path.read_text(encoding="utf-8")
    world.undo()
    assert path.read_text(encoding="utf-8") == old


def test_settings_behind_a_link_are_written_there_and_the_link_stays(world: World) -> None:
    path = claude(world)
    target = world.home / "dotfiles.json"
    target.write_bytes(b'{\n\t"theme": "dark"\n}\n')
    path.symlink_to(target)
    found = plan(world)
    assert [warning for warning in found.warnings if "is a link" in warning]
    apply(world.library, found)
    assert path.is_symlink()
    assert b'\n\t"hooks": {\n\t\t"Stop"' in target.read_bytes()
    world.undo()
    assert target.read_bytes() == b'{\n\t"theme": "dark"\n}\n'


def test_read_only_settings_are_refused_with_the_way_out(world: World) -> None:
    path = claude(world, case="good")
    path.chmod(0o444)
    with pytest.raises(RefusedError, match="read-only") as refused:
        plan(world)
    assert "chmod u+w" in refused.value.hint


def test_switched_off_hooks_are_told(world: World) -> None:
    claude(world, b'{"disableAllHooks": true}')
    assert [warning for warning in plan(world).warnings if "no hook runs" in warning]


def test_the_command_survives_any_name_and_a_program_that_is_gone(world: World, tmp_path: Path) -> None:
    home = tmp_path / "o'hara's \"home\" $x"
    home.mkdir()
    said = b'{"transcript_path": "/x/y.jsonl"}'
    text = command("claude-code", home)
    assert is_ours(text)
    assert subprocess.run(["sh", "-c", text], input=said, check=False).returncode == 0
    assert (home / "queue.jsonl").read_bytes().count(b"\n") == 1
    gone = subprocess.run(
        ["sh", "-c", text.replace("enqueue.py", "gone.py")], input=said, capture_output=True, check=False
    )
    assert (gone.returncode, gone.stdout, gone.stderr) == (0, b"", b"")


def test_hooks_can_go_alone_and_the_rest_be_undone_after(world: World) -> None:
    settings = claude(world, case="good")
    before = world.tree()
    world.draft()
    hook(world)
    hooked_only = settings.read_bytes()
    world.install()
    hook(world, "codex")
    apply(world.library, plan_uninstall(world.library, hooks_only=True, now=NOW))
    assert settings.read_bytes() != hooked_only
    assert not (world.home / ".codex").exists()
    assert len(world.library.manifest().steps) == 1
    assert world.library.manifest().copies
    world.undo()
    assert world.tree() == before


@pytest.mark.parametrize("agent", ["claude-code", "codex"])
def test_a_hook_of_a_home_that_was_lost_goes_with_uninstall(world: World, agent: str) -> None:
    path = claude(world, case="good") if agent == "claude-code" else codex(world, b'model = "o"\n')
    before = path.read_bytes()
    hook(world, agent)
    shutil.rmtree(world.library.home)
    found = plan_uninstall(world.library, now=NOW, where=world.where())
    assert [file.path for file in found.files] == [path]
    apply(world.library, found)
    assert path.read_bytes() == before
    assert plan_uninstall(world.library, now=NOW, where=world.where()).changes_nothing


@pytest.mark.parametrize("text", ["", "echo 'open", "python -I -S", "echo -I -S x.py", "python -I -S notours.py"])
def test_a_command_of_others_is_not_ours(text: str) -> None:
    assert not is_ours(text)


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_codex_gets_one_line_at_the_top(world: World, end: bytes) -> None:
    before = end.join([b"# mine [x]", b'model = "o"', b"", b"[tui]", b'notify = "not this one"', b""])
    path = codex(world, before)
    hook(world, "codex")
    after = path.read_bytes()
    assert after.endswith(end + before)
    assert after.count(end) == before.count(end) + 1
    assert plan(world, "codex").changes_nothing
    path.write_bytes(after + b"theirs = 1" + end)
    world.undo()
    assert path.read_bytes() == before + b"theirs = 1" + end


def test_a_notify_program_of_others_is_never_replaced(world: World) -> None:
    path = codex(world, b'notify = ["say", "done"]\n')
    with pytest.raises(RefusedError, match="one such program") as refused:
        plan(world, "codex")
    assert "enqueue.py" in refused.value.hint
    assert path.read_bytes() == b'notify = ["say", "done"]\n'


def test_a_program_of_others_that_calls_ours_is_enough(world: World) -> None:
    text = " ".join(argv("codex", world.library.home))
    codex(world, f'notify = ["sh", "-c", "say done; {text} \\"$1\\"", "x"]\n'.encode())
    assert plan(world, "codex").changes_nothing
    assert hooked("codex", world.where())


@pytest.mark.parametrize("content", [b"model = \n", b"model = 1\n[a\n", b"a = '\xff'\n"])
def test_a_config_that_does_not_parse_is_refused(world: World, content: bytes) -> None:
    path = codex(world, content)
    with pytest.raises(RefusedError, match=r"config\.toml.*(line|:1 is no UTF-8)"):
        plan(world, "codex")
    assert path.read_bytes() == content


@pytest.mark.skipif(os.name == "nt", reason="the command is for a POSIX shell")
def test_a_codex_that_runs_hooks_gets_one_beside_those_of_others(world: World) -> None:
    path = codex(world, b'notify = ["say", "done"]\n').parent / "hooks.json"
    before = b'{\n  "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}\n}\n'
    path.write_bytes(before)
    env = program(world, NEW)
    found = plan(world, "codex", PATH=env)
    assert [warning for warning in found.warnings if "/hooks" in warning]
    apply(world.library, found)
    assert commands(path) == ["say done", command("codex", world.library.home)]
    assert codex(world).read_bytes() == b'notify = ["say", "done"]\n'
    assert hooked("codex", world.where())
    assert plan(world, "codex").changes_nothing
    world.undo()
    assert path.read_bytes() == before
    assert not hooked("codex", world.where())


@pytest.mark.skipif(os.name == "nt", reason="the command is for a POSIX shell")
@pytest.mark.parametrize(
    ("script", "name"),
    [
        (NEW, "hooks.json"),
        ("echo codex-cli 1.0.0-beta", "hooks.json"),
        ("echo codex-cli 0.129.0", "hooks.json"),
        ("echo codex-cli 0.128.9", "config.toml"),
        ("echo codex-cli unknown", "config.toml"),
        (f"{NEW}; exit 1", "config.toml"),
    ],
)
def test_the_version_of_codex_decides_where_its_hook_goes(world: World, script: str, name: str) -> None:
    (world.home / ".codex").mkdir()
    done = hook(world, "codex", PATH=program(world, script))
    assert [file.path.name for file in done.files] == [name]
    shutil.rmtree(world.library.home)
    apply(world.library, plan_uninstall(world.library, now=NOW, where=world.where()))
    assert not hooked("codex", world.where())


@pytest.mark.skipif(os.name == "nt", reason="the command is for a POSIX shell")
def test_a_notify_of_ours_stays_and_the_way_to_hooks_is_told(world: World) -> None:
    path = codex(world, b"")
    hook(world, "codex")
    found = plan(world, "codex", PATH=program(world, NEW))
    assert found.changes_nothing
    assert [warning for warning in found.warnings if "uninstall --hooks" in warning]
    assert not (path.parent / "hooks.json").exists()


@pytest.mark.skipif(os.name == "nt", reason="the command is for a POSIX shell")
@pytest.mark.parametrize(
    ("config", "told"),
    [
        (b"[features]\nhooks = false\n", ["hooks = false"]),
        (b"[features]\ncodex_hooks = false\n", ["hooks = false"]),
        (b"[[hooks.Stop]]\n", ["holds hooks too"]),
        (b'[hooks.state.x]\ntrusted_hash = "1"\n[features]\nhooks = true\n', []),
        (b"broken = [\n", []),
    ],
)
def test_what_keeps_codex_from_running_the_hook_is_told(world: World, config: bytes, told: list[str]) -> None:
    codex(world, config)
    first, *warnings = plan(world, "codex", PATH=program(world, NEW)).warnings
    assert "trusted" in first
    assert len(warnings) == len(told)
    assert all(words in warning for words, warning in zip(told, warnings, strict=True))


def test_other_agents_have_no_hook(world: World) -> None:
    with pytest.raises(ConfigError, match="known: claude-code, codex"):
        plan(world, "agents-md")


def test_doctor_says_which_hooks_there_are_and_what_waits(world: World) -> None:
    hook(world)
    world.library.home.joinpath("queue.jsonl").write_bytes(b'{"version":1,"agent":"codex","session":"a"}\n')
    found = diagnose(world.library.home, world.where())
    assert {state.agent: state.present for state in found.hooks} == {"claude-code": True, "codex": False}
    assert found.queued == 1
    assert found.exit_code == 0
    (world.library.home / "imports").mkdir()
    (world.library.home / "imports" / "team.json").write_bytes(b"{")
    assert diagnose(world.library.home, world.where()).exit_code == 4
