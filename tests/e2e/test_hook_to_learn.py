"""An agent's hook names a log, and the next `learn` reads it."""

from __future__ import annotations

import json
import os
import subprocess
import tomllib
from pathlib import Path

import pytest
from tests.cases_learn import asked, holding, ingrained
from tests.e2e.test_flow import AGAIN, CHANGELOG, EXPLAIN, PNPM, log

from ingrained.install.hooks import EVENT


@pytest.fixture
def user(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    (home / "work" / "shop").mkdir(parents=True)
    log(home, home / "work" / "shop", "s1", "2026-01-05", "tidy the cart page", CHANGELOG, PNPM, EXPLAIN)
    return home


def turn_ends(user: Path, transcript: Path) -> None:
    """Run the hook as it stands in the settings, as Claude Code does at the end of a turn."""
    settings = json.loads((user / ".claude" / "settings.json").read_bytes())
    (group,) = settings["hooks"][EVENT]
    said = {
        "session_id": transcript.stem,
        "transcript_path": str(transcript),
        "cwd": str(user),
        "hook_event_name": "Stop",
    }
    done = subprocess.run(
        group["hooks"][0]["command"], shell=True, input=json.dumps(said).encode(), capture_output=True, timeout=30
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def elsewhere(user: Path) -> Path:
    """A log in a place that no later run would look at: the agent ran with another config folder."""
    other = user / "other"
    log(other, user / "work" / "shop", "s2", "2026-01-09", "look at the tax page", *AGAIN)
    return other / ".claude" / "projects" / "p" / "s2.jsonl"


def test_a_log_that_a_hook_named_is_learned_wherever_it_lies(user: Path) -> None:
    ingrained(user, "install", "--hooks", "--yes")
    transcript = elsewhere(user)
    assert holding(asked(user, "learn")["rules"], ["pnpm"])[0]["sessions"] == 1
    for _ in range(50):
        turn_ends(user, transcript)
    assert asked(user, "doctor")["queued"] == 1
    answer = asked(user, "learn")
    assert holding(answer["rules"], ["pnpm"])[0]["sessions"] == 2
    assert not list((user / "own").glob("queue*"))
    assert asked(user, "learn")["read"]["read"] == 0
    ingrained(user, "undo", "--yes")
    assert not (user / ".claude" / "settings.json").exists()


def test_a_run_that_reads_less_than_everything_leaves_the_queue(user: Path) -> None:
    ingrained(user, "install", "--hooks", "--yes")
    turn_ends(user, elsewhere(user))
    ingrained(user, "learn", str(user / ".claude" / "projects"))
    ingrained(user, "learn", "--since", "2030-01-01")
    ingrained(user, "learn", "--dry-run")
    assert asked(user, "doctor")["queued"] == 1


def test_what_a_hook_named_and_cannot_be_read_is_told_once(user: Path) -> None:
    ingrained(user, "install", "--hooks", "--yes")
    other = user / "notes.jsonl"
    other.write_text("no log\n", encoding="utf-8")
    for path in (user / "gone.jsonl", other, user / "work", Path("relative.jsonl")):
        turn_ends(user, path)
    skipped = asked(user, "learn")["read"]["skipped"]
    assert sorted(Path(skip["path"]).name for skip in skipped) == ["gone.jsonl", "notes.jsonl"]
    assert all("named by a hook" in skip["why"] for skip in skipped)
    assert asked(user, "learn")["read"]["skipped"] == []


@pytest.mark.parametrize("version", ["", "0.130.0"])
def test_a_codex_turn_is_found_by_its_thread(user: Path, version: str) -> None:
    codex = user / "bin" / "codex"
    codex.parent.mkdir()
    codex.write_text(f"#!/bin/sh\necho codex-cli {version}\n", encoding="utf-8")
    codex.chmod(0o755)
    ingrained(user, "install", "--hooks", "--agent", "codex", "--yes", env={"PATH": str(codex.parent)})
    thread = "0199aa11-2222-7333-8444-555566667777"
    folder = user / "moved" / "sessions" / "2026" / "01" / "09"
    folder.mkdir(parents=True)
    rows = [
        {"timestamp": "2026-01-09T09:00:00.000Z", "type": "session_meta", "payload": {"id": thread, "timestamp": "2026-01-09T09:00:00.000Z", "cwd": str(user / "work" / "shop"), "originator": "codex_cli_rs", "cli_version": "0.60.0", "source": "cli"}},
        {"timestamp": "2026-01-09T09:00:01.000Z", "type": "event_msg", "payload": {"type": "agent_message", "message": "Done."}},
        {"timestamp": "2026-01-09T09:00:02.000Z", "type": "event_msg", "payload": {"type": "user_message", "message": AGAIN[1], "kind": "plain"}},
    ]  # fmt: skip
    path = folder / f"rollout-2026-01-09T09-00-00-{thread}.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    env = {**os.environ, "CODEX_HOME": str(user / "moved")}
    if version:
        hooks = json.loads((user / ".codex" / "hooks.json").read_text(encoding="utf-8"))["hooks"]
        said = json.dumps({"hook_event_name": "Stop", "session_id": thread, "transcript_path": str(path)})
        words = ["sh", "-c", hooks["Stop"][0]["hooks"][0]["command"]]
    else:
        told = {"type": "agent-turn-complete", "thread-id": thread, "turn-id": "1", "cwd": str(user)}
        words = [
            *tomllib.loads((user / ".codex" / "config.toml").read_text(encoding="utf-8"))["notify"],
            json.dumps(told),
        ]
        said = ""
    done = subprocess.run(words, input=said.encode(), capture_output=True, env=env, timeout=30, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    answer = asked(user, "learn")
    assert answer["read"]["files"] == 2
    assert holding(answer["rules"], ["pnpm"])[0]["sessions"] == 2


def test_uninstall_takes_out_our_hook_alone_and_purge_the_queue(user: Path) -> None:
    settings = user / ".claude" / "settings.json"
    settings.write_bytes(b'{"model": "opus"}')
    ingrained(user, "install", "--hooks", "--yes")
    turn_ends(user, elsewhere(user))
    now = json.loads(settings.read_bytes())
    settings.write_text(json.dumps({**now, "theme": "dark"}, indent=2), encoding="utf-8")
    done = ingrained(user, "uninstall", "--purge", "--yes")
    assert "only our hook goes" in done.stderr
    assert json.loads(settings.read_bytes()) == {"model": "opus", "theme": "dark"}
    assert not (user / "own").exists()
    assert "Traceback" not in ingrained(user, "doctor").stderr


def test_settings_that_do_not_parse_stop_the_install_with_their_line(user: Path) -> None:
    settings = user / ".claude" / "settings.json"
    settings.write_bytes(b'{\n  "hooks": {},\n}\n')
    done = ingrained(user, "install", "--hooks", "--yes", check=False)
    assert done.returncode == 1
    assert "settings.json:3:1 does not parse" in done.stderr
    assert "next: mend the file" in done.stderr
    assert settings.read_bytes() == b'{\n  "hooks": {},\n}\n'
