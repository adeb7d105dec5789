"""What commands answer where there is little to say: nothing found, nothing new, a name that is not known."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.cases_learn import asked, ingrained

from session_logs import Claude, codex_event, codex_meta, write

RULE = "always put a changelog line in the same commit as the change"
OLD = datetime(2026, 1, 1, tzinfo=UTC).timestamp()
COMMAND = re.compile(r"ingrained (?:\w+)(?:(?! tells| reads)[^.;,\n])*")
"""A command line that an answer suggests."""


def claude(path: Path, *texts: str, cwd: str = "/home/dana/src/shop") -> Path:
    log = Claude(session=path.stem, cwd=cwd)
    for text in texts:
        log.agent("Done.")
        log.user(text)
    return write(path, log.rows)


@pytest.fixture
def user(tmp_path: Path) -> Path:
    """Somebody with two logs in the standard place and two in a folder with a blank in its name."""
    home = tmp_path / "me"
    claude(home / ".claude" / "projects" / "p" / "s1.jsonl", "look at the cart", RULE)
    os.utime(claude(home / ".claude" / "projects" / "p" / "s2.jsonl", "and the tax page", cwd="/w/tax"), (OLD, OLD))
    claude(home / "my logs" / "s3.jsonl", "fix the header", "use pnpm, never npm")
    write(home / "my logs" / "rollout-s4.jsonl", [codex_meta(), codex_event("hello there")])
    return home


LYING: dict[str, tuple[Sequence[str], Sequence[str]]] = {
    "nothing": ([], ["No file there", "claude-code", "codex"]),
    "another agent's chats": ([".chat.history.md", "b.md", "x.yml"], ["2 .md, 1 .yml", "claude-code", "codex"]),
    "logs of no known format": (["a.jsonl", "sub/b.jsonl"], ["2 .jsonl", "claude-code", "codex"]),
    "names without an ending": (["LICENSE", ".git/x.jsonl"], ["1 LICENSE;"]),
}


@pytest.mark.parametrize("verb", ["scan", "learn"])
@pytest.mark.parametrize("names", LYING)
def test_a_folder_without_a_log_is_answered_with_what_lies_there_and_what_counts(
    tmp_path: Path, verb: str, names: str
) -> None:
    files, parts = LYING[names]
    there = tmp_path / "there"
    there.mkdir()
    for name in files:
        (there / name).parent.mkdir(exist_ok=True)
        (there / name).write_text("# what I said\n", encoding="utf-8")
    text = ingrained(tmp_path, verb, str(there)).stdout
    assert "No session log found" in text
    assert all(part in text for part in parts), text


LEFT_OUT: dict[str, tuple[Sequence[str], str]] = {
    "older": (["--since", "2099-01-01"], "2 logs last changed before"),
    "excluded": (["--exclude", "*.jsonl"], "2 logs excluded"),
    "older and excluded": (["--since", "2099-01-01", "--exclude", "*/s3.jsonl"], "1 log last changed before"),
    "elsewhere": (["--project", "."], "2 logs of other projects"),
}


@pytest.mark.parametrize("verb", ["scan", "learn"])
@pytest.mark.parametrize("name", LEFT_OUT)
def test_logs_that_were_not_asked_for_are_not_said_to_be_none(user: Path, verb: str, name: str) -> None:
    options, part = LEFT_OUT[name]
    text = ingrained(user, verb, "my logs", *options).stdout
    assert part in text
    assert "of a format that is read" not in text


@pytest.mark.parametrize("place", [".", "..", "./", "my logs", "a.b."])
def test_a_place_and_a_full_stop_do_not_read_as_another_place(user: Path, place: str) -> None:
    (user / "a.b.").mkdir()
    first = ingrained(user, "scan", place).stdout.splitlines()[0]
    assert first.endswith(f" in {place}." if place == "my logs" else f" in '{Path(place)}'.")


@pytest.mark.parametrize("verb", ["scan", "learn"])
@pytest.mark.parametrize("env", [{}, {"CLAUDE_CONFIG_DIR": "cc"}, {"CODEX_HOME": "co"}, {"XDG_CONFIG_HOME": "xdg"}])
def test_where_no_agent_was_used_the_places_are_named_that_were_looked_for(
    tmp_path: Path, verb: str, env: dict[str, str]
) -> None:
    text = ingrained(tmp_path, verb, env={key: str(tmp_path / value) for key, value in env.items()}).stdout
    claude_places = [".claude/projects", ".config/claude/projects"]
    if "CLAUDE_CONFIG_DIR" in env:
        claude_places = ["cc/projects"]
    elif "XDG_CONFIG_HOME" in env:
        claude_places[1] = "xdg/claude/projects"
    codex = env.get("CODEX_HOME", ".codex")
    places = [*claude_places, f"{codex}/sessions", f"{codex}/archived_sessions"][:4]
    named = ", ".join(str(tmp_path / place) for place in places)
    assert re.search(rf"looked for {re.escape(named)}(, [^,]+)? and \d+ other places\.", text)


def test_a_dry_run_says_what_the_run_then_reads(user: Path) -> None:
    def told() -> tuple[int, int]:
        before = asked(user, "learn", "--dry-run")
        assert f"{len(before['logs'])} log" in ingrained(user, "learn", "--dry-run").stdout
        read = asked(user, "learn")["read"]
        assert read["files"] == len(before["logs"]) + before["unchanged"]
        return len(before["logs"]), read["read"]

    assert told() == (2, 2)
    assert told() == (0, 0)
    claude(user / ".claude" / "projects" / "p" / "s1.jsonl", "look at the cart", RULE, "and again")
    assert told() == (1, 1)
    others = asked(user, "learn", "--dry-run", str(user / "my logs"))["logs"]
    assert sorted(log["reader"] for log in others) == ["claude-code", "codex"]


def test_nothing_new_is_said_so(user: Path) -> None:
    ingrained(user, "learn")
    text = ingrained(user, "learn").stdout
    assert "Nothing new since the last run in 2 logs" in text
    assert "0 sessions" not in text
    assert "3 messages known in all" in text


ASKED: tuple[Sequence[str], ...] = (
    (),
    ("my logs",),
    ("my logs/s3.jsonl", ".claude"),
    ("--since", "2026-02-01"),
    ("--exclude", "*/s1.jsonl"),
    ("--person", "ana=my logs"),
    ("--project", "/home/dana/src/shop"),
    ("my logs", "--include-entrypoint", "sdk-ts", "--under", "a b"),
)


@pytest.mark.parametrize("words", ASKED, ids=" ".join)
def test_scan_suggests_to_learn_from_what_it_looked_at(user: Path, words: Sequence[str]) -> None:
    scan = ingrained(user, "scan", *words).stdout
    found = re.search(r"^Next: (ingrained learn.*)$", scan, re.MULTILINE)
    assert found is not None, scan
    again = shlex.split(found[1])[1:]
    assert again[-2:] == ["--home", str(user / "own")]
    learned = asked(user, *again[:-2])["read"]
    looked = asked(user, "scan", *words)
    for field in ("files", "human_turns", "looked_at", "elsewhere"):
        assert learned[field] == looked[field]


@pytest.mark.parametrize("words", [["look at the cart"], [RULE], ["yes"]], ids=lambda words: words[0])
def test_what_is_suggested_is_about_the_same_home(tmp_path: Path, words: list[str]) -> None:
    claude(tmp_path / ".claude" / "projects" / "p" / "s1.jsonl", *words)
    answers = [ingrained(tmp_path, *verb).stdout for verb in (["scan"], ["learn"], ["learn"], ["rules"])]
    has_rules = bool(asked(tmp_path, "rules")["rules"])
    assert has_rules is (words == [RULE])
    for answer in answers:
        assert all(f"--home {tmp_path / 'own'}" in command for command in COMMAND.findall(answer)), answer
        assert "ingrained review" not in answer or has_rules


def test_what_was_forgotten_is_not_said_to_be_missing(user: Path) -> None:
    ingrained(user, "learn")
    ingrained(user, "forget", "--person", "me", "--yes")
    for text in (ingrained(user, "learn").stdout, ingrained(user, "learn").stdout):
        assert "forgotten" in text
        assert "Nothing that a person typed was found" not in text


UNKNOWN: dict[str, tuple[Sequence[str], Sequence[str]]] = {
    "scan, project": (["scan", "--project", "/nope"], ["/nope", "/home/dana/src/shop", "/w/tax"]),
    "learn, project": (["learn", "my logs", "--project", "/nope"], ["/nope", "/home/dana/src/shop"]),
    "rules, project": (["rules", "--project", "/nope/shopp"], ["/nope/shopp", "shop", "tax", "did you mean"]),
    "rules, person": (["rules", "--person", "mee"], ["'mee'", "known: me", "did you mean"]),
    "why, rule": (["why", "r-00000000"], ["r-00000000"]),
    "sample, path": (["learn", "--sample", "my logs"], ["--sample", "my logs"]),
    "sample, project": (["learn", "--sample", "--project", "."], ["--sample"]),
}


@pytest.mark.parametrize("name", UNKNOWN)
def test_a_target_that_is_not_known_is_an_error_that_says_which_are(user: Path, name: str) -> None:
    words, parts = UNKNOWN[name]
    ingrained(user, "learn")
    done = ingrained(user, *words, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert all(part in done.stderr for part in parts), done.stderr


def test_a_project_that_is_known_or_a_folder_is_no_error(user: Path) -> None:
    ingrained(user, "learn")
    assert asked(user, "rules", "--project", "/home/dana/src/shop")["rules"]
    assert asked(user, "rules", "--project", ".")["rules"] == []
    assert "other rule" in ingrained(user, "rules", "--project", ".").stdout
    assert "2 logs of other projects" in ingrained(user, "scan", "--project", ".").stdout


def review(user: Path, typed: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "HOME": str(user), "GIT_CONFIG_GLOBAL": os.devnull}
    command = [sys.executable, "-m", "ingrained", "--home", str(user / "own"), "review"]
    return subprocess.run(command, input=typed, env=environment, capture_output=True, encoding="utf-8", cwd=user)


def test_review_explains_its_keys_and_ends_each_line(user: Path) -> None:
    ingrained(user, "learn")
    done = review(user, "?\nn\nonly in sql\nr s\n")
    assert "narrow: it holds only on a condition" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("1 decided.")
    assert "(only: only in sql; in r, s)" in ingrained(user, "rules").stdout


def test_why_counts_other_ids_and_json_lists_them(user: Path) -> None:
    claude(user / "my logs" / "s5.jsonl", "the changelog line goes into the same commit as the change, always")
    answer = asked(user, "learn", ".claude", "my logs")
    (rule,) = [rule for rule in answer["rules"] if rule["aliases"]]
    text = ingrained(user, "why", rule["id"]).stdout
    assert "known by 1 other id too" in text
    assert json.loads(ingrained(user, "why", rule["id"], "--json").stdout)["rule"]["aliases"] == rule["aliases"]


def test_forget_suggests_nothing_that_it_does_not_have(user: Path) -> None:
    ingrained(user, "learn")
    done = ingrained(user, "forget", "--person", "me", check=False)
    assert done.returncode == 2
    assert "--yes" in done.stderr
    assert "--dry-run" not in done.stderr


def test_a_judge_that_judged_nothing_yet_is_told_from_one_that_found_nothing(user: Path) -> None:
    assert ingrained(user, "learn").returncode == 0
    run = ingrained(user, "rules", "--decomposer", "trained", check=False)
    assert run.returncode == 3
    assert "nothing was judged by 'trained'" in run.stderr
    assert "ingrained learn --decomposer trained" in run.stderr
    ingrained(user, "learn", "--decomposer", "trained")
    assert asked(user, "rules")["rules"]  # the choice is remembered
    ingrained(user, "learn", "--decomposer", "rules")
    assert asked(user, "rules")["rules"]


def test_the_own_home_folder_is_named_by_no_rule(user: Path) -> None:
    said = f"never read files from {user}/other/vault"
    for name in ("s8", "s9"):
        claude(user / ".claude" / "projects" / "p" / f"{name}.jsonl", said, cwd="/srv/shop")
    ingrained(user, "learn")
    texts = [rule["text"] for rule in asked(user, "rules", "--all")["rules"]]
    assert "Never read files from ~/other/vault" in texts
    shared = ingrained(user, "export", "--shared", check=False)
    assert str(user) not in shared.stdout
    assert "vault" not in shared.stdout


def test_the_next_step_is_one_that_works(user: Path) -> None:
    for name in ("s8", "s9"):
        claude(user / ".claude" / "projects" / "p" / f"{name}.jsonl", "always answer in one sentence", cwd="")
    (user / ".claude" / "projects" / "p" / "s1.jsonl").unlink()
    (user / ".claude" / "projects" / "p" / "s2.jsonl").unlink()
    text = ingrained(user, "learn").stdout
    (step,) = re.findall(r"ingrained (install --agent claude-code --into \w+)", text)
    assert step.endswith("user")
    assert ingrained(user, *step.split(), "--dry-run").returncode == 0


def test_why_names_what_came_after(user: Path) -> None:
    said = {"s7": "always use tabs, not spaces", "s8": "no: from now on use spaces, not tabs"}
    for name, text in said.items():
        claude(user / ".claude" / "projects" / "p" / f"{name}.jsonl", text, cwd="/srv/shop")
    ingrained(user, "learn")
    rules = asked(user, "rules", "--all")["rules"]
    gone = [rule for rule in rules if rule["status"] == "superseded"]
    assert gone
    (later,) = [rule for rule in rules if gone[0]["id"] in rule["supersedes"]]
    assert f"superseded by {later['id']}" in ingrained(user, "why", gone[0]["id"]).stdout
