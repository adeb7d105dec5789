"""From logs to an installed skill and back out, as a person would do it."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest
from tests.cases_learn import asked, holding, ingrained, live

CHANGELOG = "always put a changelog line in the same commit as the change"
PNPM = "no, pnpm. we never use npm in this repo"
EXPLAIN = "don't explain the diff, I can read"
AGAIN = (
    "the changelog line goes into the same commit as the change, always",
    "use pnpm here, never npm",
    "stop explaining the diff to me",
)


def log(user: Path, project: Path, session: str, day: str, *texts: str) -> None:
    """Append typed turns, each after an act, to a Claude Code log."""
    folder = user / ".claude" / "projects" / "p"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{session}.jsonl"
    rows = []
    for number, text in enumerate(texts):
        base = {
            "sessionId": session,
            "cwd": str(project),
            "version": "2.1.0",
            "isSidechain": False,
            "userType": "external",
        }
        stamp = f"{day}T09:{number:02}:00.000Z"
        act = {"role": "assistant", "id": f"m{session}{number}", "content": [{"type": "text", "text": "Done."}]}
        rows.append({**base, "type": "assistant", "uuid": f"{session}-a{number}", "timestamp": stamp, "message": act})
        said = {"role": "user", "content": text}
        rows.append({**base, "type": "user", "uuid": f"{session}-u{number}", "timestamp": stamp, "message": said})
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def user(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    (home / "work" / "shop").mkdir(parents=True)
    (home / "work" / "shop" / "AGENTS.md").write_bytes(b"# Mine\r\n\r\nKeep this line.")
    log(home, home / "work" / "shop", "s1", "2026-01-05", "tidy the cart page", CHANGELOG, PNPM, EXPLAIN)
    log(home, home / "work" / "shop", "s2", "2026-01-09", "look at the tax page", *AGAIN)
    return home


def tree(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "folder"
        for path in sorted(folder.rglob("*"))
    }


def test_learn_writes_only_at_home_and_reads_only_what_is_new(user: Path) -> None:
    before = tree(user / ".claude") | tree(user / "work")
    first = asked(user, "learn")
    assert {rule["level"] for rule in first["rules"]} == {"supported"}
    assert tree(user / ".claude") | tree(user / "work") == before
    second = asked(user, "learn")
    assert (second["read"]["read"], second["judged"], second["rules"]) == (0, 0, first["rules"])


@pytest.mark.parametrize("agent", ["claude-code", "codex", "agents-md"])
def test_install_is_shown_done_and_undone_to_the_byte(user: Path, agent: str) -> None:
    project = user / "work" / "shop"
    ingrained(user, "learn")
    before = tree(project)
    shown = ingrained(user, "install", "--agent", agent, "--project", str(project), "--dry-run")
    assert "changelog" in shown.stdout
    assert tree(project) == before
    ingrained(user, "install", "--agent", agent, "--project", str(project), "--yes")
    installed = tree(project)
    assert installed != before
    again = ingrained(user, "install", "--agent", agent, "--project", str(project), "--yes")
    assert "Nothing to change" in again.stderr
    assert tree(project) == installed
    ingrained(user, "undo", "--yes")
    assert tree(project) == before


def test_personal_rules_go_into_the_persons_home(user: Path) -> None:
    ingrained(user, "learn")
    ingrained(user, "install", "--into", "user", "--yes")
    text = "".join(path.read_text("utf-8") for path in (user / ".claude").rglob("*.md"))
    assert "the diff" in text
    assert "pnpm" not in text


def test_a_hand_edit_is_pinned_a_deleted_line_refused_and_neither_comes_back(user: Path) -> None:
    project = user / "work" / "shop"
    ingrained(user, "learn")
    ingrained(user, "install", "--project", str(project), "--yes")
    written = [path for path in (project / ".claude").rglob("*.md") if "changelog" in path.read_text("utf-8")]
    (skill,) = written
    lines = skill.read_text("utf-8").split("\n")
    at = next(i for i, line in enumerate(lines) if "changelog" in line)
    lines[at] = "- Put a changelog line into every commit that users can see"
    skill.write_text("\n".join(lines) + "My own last line.\n", encoding="utf-8")
    (rules,) = [path for path in (project / ".claude").rglob("*.md") if "npm" in path.read_text("utf-8")]
    rules.write_text(
        "\n".join(line for line in rules.read_text("utf-8").split("\n") if "npm" not in line), encoding="utf-8"
    )
    answer = asked(user, "learn")
    assert answer["hand_edits"] == 2
    told = {edit["outcome"]: edit["told"] for edit in answer["edits"]}
    assert told["pinned"].startswith("reworded: ")
    assert told["pinned"].endswith("→ “- Put a changelog line into every commit that users can see”")
    assert told["refused"].startswith("deleted: ")
    assert {edit["rule"] for edit in answer["edits"]} <= {rule["id"] for rule in answer["rules"]}
    (changelog,) = holding(answer["rules"], ["changelog"])
    (pnpm,) = holding(answer["rules"], ["pnpm"])
    assert (changelog["status"], changelog["text"]) == (
        "pinned",
        "Put a changelog line into every commit that users can see",
    )
    assert pnpm["status"] == "refused"
    ingrained(user, "install", "--project", str(project), "--yes")
    after = "".join(path.read_text("utf-8") for path in (project / ".claude").rglob("*.md"))
    assert "every commit that users can see" in after
    assert "My own last line." in after
    assert "npm" not in after


def test_said_again_counts_later_sessions_only(user: Path) -> None:
    project = user / "work" / "shop"
    ingrained(user, "learn")
    ingrained(user, "install", "--project", str(project), "--yes")
    log(user, project, "s3", "2099-01-05", "fix the header", PNPM)
    log(user, project, "s4", "2099-01-06", "add a footer", "nice")
    rules = live(asked(user, "learn"))
    (pnpm,) = holding(rules, ["pnpm"])
    assert (pnpm["said_again"], pnpm["said_before"]) == ([1, 2], [1, 1])
    assert pnpm["said_again_interval"] == pytest.approx([0.0945, 0.9055], abs=1e-3)
    assert pnpm["said_before_interval"] == pytest.approx([0.2065, 1], abs=1e-3)
    why = ingrained(user, "why", pnpm["id"]).stdout
    assert "said again since it was installed: 1 of 2 later sessions (95% Wilson interval 9% to 91%)" in why
    assert "before, from when it was first said: 1 of 1 session (95% Wilson interval 21% to 100%)" in why
    assert "said again: 1 of 2 (9% to 91%), before: 1 of 1 (21% to 100%)" in ingrained(user, "rules").stdout
    assert holding(rules, ["changelog"])[0]["said_again"] == [0, 2]


def test_review_answers_are_kept_one_by_one(user: Path) -> None:
    ingrained(user, "learn")
    environment = {**os.environ, "HOME": str(user), "GIT_CONFIG_GLOBAL": os.devnull}
    command = [sys.executable, "-m", "ingrained", "--home", str(user / "own"), "review"]
    done = subprocess.run(command, input="a\nr\nq\n", env=environment, capture_output=True, encoding="utf-8", cwd=user)
    assert done.returncode == 0, done.stderr
    statuses = sorted(rule["status"] for rule in asked(user, "rules", "--all")["rules"])
    assert statuses == ["accepted", "proposed", "refused"]


def test_why_shows_quotes_acts_and_the_way_through_the_levels(user: Path) -> None:
    ingrained(user, "learn")
    (rule,) = holding(live(asked(user, "rules")), ["pnpm"])
    text = ingrained(user, "why", rule["id"]).stdout
    assert PNPM in text
    assert "it had said: Done." in text
    assert "supported with 2 sessions" in text
    assert "did you mean" in ingrained(user, "why", rule["id"][:-1] + "z", check=False).stderr


def test_forget_really_removes_and_the_next_learn_does_not_bring_it_back(user: Path) -> None:
    ingrained(user, "learn")
    log(user, user / "work" / "blog", "s5", "2026-02-01", "hello", PNPM)
    ingrained(user, "learn")
    (rule,) = holding(live(asked(user, "rules")), ["pnpm"])
    ingrained(user, "forget", "--rule", rule["id"], "--yes")
    ingrained(user, "learn")
    assert holding(asked(user, "rules", "--all")["rules"], ["pnpm"]) == []
    ledger = b"".join(path.read_bytes() for path in (user / "own").glob("ledger*"))
    assert b"pnpm" not in ledger


@pytest.mark.parametrize("alone", [True, False])
def test_a_session_is_forgotten_by_the_id_that_why_shows(user: Path, alone: bool) -> None:
    ingrained(user, "learn")
    (rule,) = holding(live(asked(user, "rules")), ["pnpm"])
    shown = rule["evidence"][0]["session"]
    assert shown in ingrained(user, "why", rule["id"]).stdout
    ingrained(user, "forget", "--session", shown.partition(":")[2] if alone else shown, "--yes")
    left = asked(user, "rules", "--all")["rules"]
    assert all(item["session"] != shown for one in left for item in one["evidence"])


def test_nothing_found_says_what_was_read_and_what_to_try(tmp_path: Path) -> None:
    done = ingrained(tmp_path, "learn")
    assert "ingrained learn --sample" in done.stdout
    assert ingrained(tmp_path, "learn", str(tmp_path / "missing"), check=False).returncode == 3


@pytest.mark.parametrize(
    ("changed", "times", "words"),
    [("2026-01-07", 1, "there and broken again (said 1 time since)"), ("2026-02-01", 0, "there already")],
)
def test_a_rule_that_stands_in_the_persons_own_file_is_reported_not_added(
    user: Path, changed: str, times: int, words: str
) -> None:
    own = user / "work" / "shop" / "CLAUDE.md"
    own.write_text("# Rules\n\n- Never use npm in this repo, use pnpm\n", encoding="utf-8")
    stamp = datetime.fromisoformat(changed).timestamp()
    os.utime(own, (stamp, stamp))
    answer = asked(user, "learn")
    (pnpm,) = holding(answer["rules"], ["pnpm"])
    assert ([Path(path).name for path in pnpm["already_in"]], pnpm["broken_again"]) == (["CLAUDE.md"], times)
    assert all(pnpm["id"] not in draft["rules"] for draft in answer["drafts"])
    assert f"{words}: {own}" in ingrained(user, "rules").stdout


def test_uninstall_with_purge_leaves_nothing(user: Path) -> None:
    project = user / "work" / "shop"
    before = tree(project)
    ingrained(user, "learn")
    ingrained(user, "install", "--project", str(project), "--yes")
    ingrained(user, "uninstall", "--purge", "--yes")
    assert tree(project) == before
    assert not (user / "own").exists()


def test_forget_removes_what_a_forced_undo_put_aside(user: Path) -> None:
    ingrained(user, "learn")
    ingrained(user, "install", "--agent", "codex", "--project", str(user / "work" / "shop"), "--yes")
    written = [path for path in (user / "work").rglob("*.md") if "changelog" in path.read_text("utf-8")]
    written[0].write_bytes(written[0].read_bytes() + b"- mine\n")
    ingrained(user, "undo", "--force", "--yes")
    assert list((user / "own" / "library" / "kept").iterdir())
    done = ingrained(user, "forget", "--person", "me", "--yes")
    assert "1 edited file put aside" in done.stdout
    for path in (user / "own").rglob("*"):
        if path.is_file():
            assert not [word for word in (b"pnpm", b"changelog") if word in path.read_bytes().lower()], path


@pytest.mark.parametrize("purge", [True, False])
def test_a_closed_pipe_cuts_off_the_text_and_not_the_work(user: Path, purge: bool) -> None:
    project = user / "work" / "shop"
    before = tree(project)
    ingrained(user, "learn")
    gone, pipe = os.pipe()
    os.close(gone)
    options = ["--home", str(user / "own"), "--yes"]
    for verb in (["install", "--project", str(project)], ["uninstall", "--purge"] if purge else ["undo"]):
        done = subprocess.run(
            [sys.executable, "-m", "ingrained", *verb, *options],
            stdout=pipe, stderr=subprocess.PIPE, check=False, env={**os.environ, "HOME": str(user)},
        )  # fmt: skip
        assert done.returncode == 141
        assert (tree(project) == before) == (verb[0] != "install")
    os.close(pipe)
    assert (user / "own").exists() != purge


def test_a_budget_that_holds_nothing_says_what_would(user: Path) -> None:
    project = user / "work" / "shop"
    for verb in (["learn"], ["install", "--project", str(project)]):
        refused = ingrained(user, *verb, "--budget", "-5", check=False)
        assert refused.returncode == 2
        assert "0 or more, not -5" in refused.stderr
        assert not (user / "own" / "ledger.db").exists()
    small = ingrained(user, "learn", "--budget", "20").stdout
    assert "left out:" in small
    assert "the budget is full" in small
    install = ("install", "--agent", "agents-md", "--project", str(project), "--dry-run", "--budget")
    refused = ingrained(user, *install, "20", check=False)
    assert refused.returncode == 1
    least = int(refused.stderr.split("the least that holds one is ")[1].split()[0])
    assert ingrained(user, *install, str(least - 1), check=False).returncode == 1
    assert "\n+- " in ingrained(user, *install, str(least)).stdout
