"""Two people, one project: one hands rules on, the other takes them; and a rule file that arrives by `git pull`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cases_learn import asked, holding, ingrained
from tests.e2e.test_flow import AGAIN, CHANGELOG, EXPLAIN, PNPM, log

KANBAN = "always move the card on the Kanban board when a task is done"
KANBAN_AGAIN = "when a task is done, always move the card on the Kanban board"
NPM = "always use npm in this repo, never pnpm"
NPM_AGAIN = "in this repo we always use npm and never pnpm"


def person(root: Path, name: str, *said: tuple[str, ...]) -> Path:
    """Somebody's home, with a folder of the shared project and a session for each tuple of texts."""
    home = root / name
    project = home / "work" / "shop"
    project.mkdir(parents=True)
    git(project, "init", "-q", "-b", "main")
    git(project, "remote", "add", "origin", "https://github.com/example/shop.git")
    for number, texts in enumerate(said):
        log(home, project, f"{name}{number}", f"2026-01-{5 + number:02}", "tidy the cart page", *texts)
    return home


def git(folder: Path, *words: str, name: str = "Dana", date: str = "2026-02-01T09:00:00Z") -> str:
    env = {
        **os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": name,
        "GIT_AUTHOR_EMAIL": f"{name.lower()}@example.org", "GIT_COMMITTER_NAME": name,
        "GIT_COMMITTER_EMAIL": f"{name.lower()}@example.org", "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date,
    }  # fmt: skip
    done = subprocess.run(["git", "-C", str(folder), *words], env=env, capture_output=True, check=True, timeout=60)
    return done.stdout.decode()


@pytest.fixture
def dana(tmp_path: Path) -> Path:
    home = person(tmp_path, "dana", (CHANGELOG, PNPM, EXPLAIN, KANBAN), (*AGAIN, KANBAN_AGAIN))
    ingrained(home, "learn")
    return home


def export(home: Path, *words: str) -> tuple[dict[str, Any], str]:
    done = ingrained(home, "export", "--shared", "--project", str(home / "work" / "shop"), "--json", *words)
    return json.loads(done.stdout), done.stderr


def test_what_goes_out_is_texts_and_counts_and_what_is_held_is_told(dana: Path) -> None:
    shared, told = export(dana)
    texts = [rule["text"].casefold() for rule in shared["rules"]]
    assert any("pnpm" in text for text in texts)
    assert any("changelog" in text for text in texts)
    assert not [text for text in texts if "kanban" in text or "explain" in text]
    assert all((rule["people"], rule["sessions"]) == (1, 2) for rule in shared["rules"])
    assert "word: Kanban" in told
    assert "--allow Kanban" in told
    after, told = export(dana, "--allow", "kanban")
    assert len(after["rules"]) == len(shared["rules"]) + 1
    assert "held" not in told
    assert "warning" not in told
    same, told = export(dana, "--allow", "kanban", "--allow", "Kanbam", "--allow", "r-00000000")
    assert same == after
    assert [line.split(":")[1].strip() for line in told.splitlines() if line.startswith("warning")] == [
        "--allow 'Kanbam' changes nothing",
        "--allow 'r-00000000' changes nothing",
    ]
    (dana / "own" / "ingrained.toml").write_text('[export]\nallow = ["Kanban"]\n', encoding="utf-8")
    assert export(dana)[0] == after


def test_a_rule_that_names_somebody_of_the_project_is_held(dana: Path) -> None:
    project = dana / "work" / "shop"
    (project / "a.txt").write_text("a\n", encoding="utf-8")
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "Begin", name="Kanban")
    assert "name: Kanban" in export(dana)[1]
    told = export(dana, "--allow", "Kanban")[1]
    assert "name: Kanban" in told
    assert "warning: --allow 'Kanban' changes nothing: it must stay here, reword the rule" in told


def test_a_project_without_rules_says_so(dana: Path) -> None:
    (dana / "other").mkdir()
    done = ingrained(dana, "export", "--shared", "--project", str(dana / "other"))
    assert "None yet." in done.stdout
    assert "No rule of this project" in done.stderr


def test_the_file_is_the_same_bytes_each_time_and_takes_no_file_of_others(dana: Path) -> None:
    words = ("export", "--shared", "--project", str(dana / "work" / "shop"), "--out")
    files = [dana / name for name in ("a.json", "b.json", "c.md")]
    for path in files:
        ingrained(dana, *words, str(path))
    assert files[0].read_bytes() == files[1].read_bytes()
    assert "as it was" in ingrained(dana, *words, str(files[0])).stderr
    assert files[2].read_text(encoding="utf-8").startswith("<!-- ingrained-shared-rules, version 1 -->")
    foreign = dana / "package.json"
    foreign.write_bytes(b'{"name": "shop"}')
    done = ingrained(dana, *words, str(foreign), check=False)
    assert (done.returncode, foreign.read_bytes()) == (1, b'{"name": "shop"}')
    assert ingrained(dana, *words, str(dana / "gone" / "x.json"), check=False).returncode == 3
    assert ingrained(dana, "export", check=False).returncode == 2


def test_a_colleague_takes_them_as_proposals_and_keeps_their_own(dana: Path, tmp_path: Path) -> None:
    ben = person(tmp_path, "ben", (NPM,), (NPM_AGAIN,))
    project = str(ben / "work" / "shop")
    ingrained(ben, "learn")
    ingrained(ben, "install", "--project", project, "--yes")
    installed = {path: path.read_bytes() for path in (ben / "work").rglob("*.md")}
    file = dana / "rules.json"
    ingrained(dana, "export", "--shared", "--project", str(dana / "work" / "shop"), "--out", str(file))
    look = asked(ben, "import", str(file), "--project", project, "--from", "dana", "--dry-run")
    assert (look["kept"], (ben / "own" / "imports").exists()) == (False, False)
    answer = asked(ben, "import", str(file), "--project", project, "--from", "dana")
    outcomes = {rule["outcome"] for rule in answer["rules"]}
    assert outcomes == {"new", "conflict"}
    (conflict,) = [rule for rule in answer["rules"] if rule["outcome"] == "conflict"]
    assert "pnpm" in conflict["text"].casefold()
    assert conflict["others"][0]["people"] == ["me"]
    text = ingrained(ben, "import", str(file), "--project", project, "--from", "dana").stdout
    assert "contradicts" in text
    assert "Nothing of yours changed" in text
    ingrained(ben, "learn")
    ingrained(ben, "install", "--project", project, "--yes")
    assert {path: path.read_bytes() for path in (ben / "work").rglob("*.md")} == installed
    rules = asked(ben, "rules")["rules"]
    (changelog,) = holding(rules, ["changelog"])
    assert "from file:dana" in ingrained(ben, "rules").stdout
    assert "came in the file dana" in ingrained(ben, "why", changelog["id"]).stdout
    own, _ = export(ben)
    assert len(own["rules"]) == 1  # what came in does not go out again as if it had been said here
    assert export(ben)[0] == own
    ingrained(ben, "import", "--remove", "dana")
    assert holding(asked(ben, "rules")["rules"], ["changelog"]) == []
    assert ingrained(ben, "import", "--remove", "dana", check=False).returncode == 2


def test_an_accepted_rule_of_a_file_is_installed_and_edited_like_any_other(dana: Path, tmp_path: Path) -> None:
    cem = person(tmp_path, "cem", ("thanks, looks good",))
    project = str(cem / "work" / "shop")
    ingrained(cem, "learn")
    file = dana / "rules.json"
    ingrained(dana, "export", "--shared", "--project", str(dana / "work" / "shop"), "--out", str(file))
    ingrained(cem, "import", str(file), "--project", project)
    refused = ingrained(cem, "install", "--project", project, "--yes", check=False)
    assert refused.returncode == 1
    environment = {**os.environ, "HOME": str(cem), "GIT_CONFIG_GLOBAL": os.devnull}
    command = [sys.executable, "-m", "ingrained", "--home", str(cem / "own"), "review"]
    subprocess.run(command, input=b"a\na\na\n", env=environment, capture_output=True, check=True, cwd=cem)
    ingrained(cem, "install", "--project", project, "--yes")
    (skill,) = [path for path in (cem / "work").rglob("*.md") if "changelog" in path.read_text("utf-8")]
    lines = skill.read_text("utf-8").split("\n")
    at = next(i for i, line in enumerate(lines) if "changelog" in line)
    lines[at] = "- Put a changelog line into each commit"
    skill.write_text("\n".join(lines), encoding="utf-8")
    (edit,) = asked(cem, "learn")["edits"]
    assert edit["outcome"] == "pinned"
    (rule,) = holding(asked(cem, "rules")["rules"], ["changelog"])
    assert (rule["status"], rule["text"]) == ("pinned", "Put a changelog line into each commit")
    ingrained(cem, "forget", "--session", "cem0", "--yes")
    assert holding(asked(cem, "rules")["rules"], ["changelog"])[0]["status"] == "pinned"


def test_a_file_that_is_none_says_what_is_wrong(dana: Path) -> None:
    bad = dana / "bad.json"
    bad.write_bytes(b'{\n "format": \n}')
    done = ingrained(dana, "import", str(bad), check=False)
    assert done.returncode == 2
    assert "bad.json:3 is no JSON" in done.stderr
    assert ingrained(dana, "import", str(dana / "gone.json"), check=False).returncode == 3
    assert ingrained(dana, "import", check=False).returncode == 2
    assert ingrained(dana, "import", str(bad), "--from", "../x", check=False).returncode == 2


def installed(dana: Path) -> tuple[Path, Path]:
    """The project with the skill installed and committed, and the file that holds the changelog rule."""
    project = dana / "work" / "shop"
    ingrained(dana, "install", "--project", str(project), "--yes")
    git(project, "config", "user.email", "dana@example.org")
    git(project, "config", "user.name", "Dana")
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "Add our rules")
    (skill,) = [path for path in project.rglob("*.md") if "changelog" in path.read_text("utf-8")]
    return project, skill


def reworded(path: Path, word: str, line: str) -> None:
    lines = path.read_text("utf-8").split("\n")
    at = next(i for i, one in enumerate(lines) if word in one.casefold() and one.startswith("- "))
    lines[at : at + 1] = [line] if line else []
    path.write_text("\n".join(lines), encoding="utf-8")


@pytest.mark.parametrize("line", ["- A changelog line goes into each release", ""])
def test_a_change_that_a_colleague_made_in_git_is_theirs(dana: Path, tmp_path: Path, line: str) -> None:
    project, skill = installed(dana)
    before = asked(dana, "rules")["rules"]
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(project), str(clone))
    reworded(clone / skill.relative_to(project), "changelog", line)
    git(clone, "commit", "-q", "-am", "Say it otherwise", name="Ben", date="2026-03-01T09:00:00Z")
    git(project, "pull", "-q", "--ff-only", str(clone), "main")
    answer = asked(dana, "learn")
    (edit,) = answer["edits"]
    assert (edit["outcome"], edit["now"], answer["hand_edits"], answer["conflicts"]) == ("theirs", line, 0, 0)
    assert asked(dana, "rules")["rules"] == before
    told = ingrained(dana, "learn").stdout
    assert "changed by git; your rules stay as they are" in told
    assert git(clone, "rev-parse", "HEAD")[:10] in told
    ingrained(dana, "install", "--project", str(project), "--yes")
    assert line in skill.read_text("utf-8")
    assert ("changelog" in skill.read_text("utf-8").casefold()) == bool(line)
    assert holding(asked(dana, "rules")["rules"], ["changelog"])[0]["status"] == "proposed"


def test_a_change_by_hand_is_the_persons_before_and_after_they_commit_it(dana: Path) -> None:
    project, skill = installed(dana)
    reworded(skill, "changelog", "- A changelog line goes into each release")
    git(project, "commit", "-q", "-am", "Say it otherwise")
    (edit,) = asked(dana, "learn")["edits"]
    assert edit["outcome"] == "pinned"
    assert holding(asked(dana, "rules")["rules"], ["changelog"])[0]["status"] == "pinned"


def test_ones_own_word_over_a_colleagues_change_counts(dana: Path, tmp_path: Path) -> None:
    project, skill = installed(dana)
    reworded(skill, "changelog", "- A changelog line goes into each release")
    git(project, "commit", "-q", "-am", "Say it otherwise", name="Ben")
    reworded(skill, "changelog", "- A changelog line goes into each release that users see")
    (edit,) = asked(dana, "learn")["edits"]
    assert (edit["outcome"], edit["now"]) == ("pinned", "A changelog line goes into each release that users see")


def test_of_two_rules_that_contradict_each_other_and_were_accepted_both_the_later_is_installed(
    dana: Path, tmp_path: Path
) -> None:
    ben = person(tmp_path, "ben", (NPM,), (NPM_AGAIN,))
    project = str(ben / "work" / "shop")
    ingrained(ben, "learn")
    environment = {**os.environ, "HOME": str(ben), "GIT_CONFIG_GLOBAL": os.devnull}
    command = [sys.executable, "-m", "ingrained", "--home", str(ben / "own"), "review"]

    def review() -> str:
        done = subprocess.run(
            command, input="a\n" * 9, env=environment, capture_output=True, check=True, cwd=ben, encoding="utf-8"
        )
        return done.stderr

    assert "contradicts" not in review()
    file = dana / "rules.json"
    ingrained(dana, "export", "--shared", "--project", str(dana / "work" / "shop"), "--out", str(file))
    ingrained(ben, "import", str(file), "--project", project, "--from", "dana")
    assert "waits for your word: ingrained review" in ingrained(ben, "learn").stdout
    assert "came last and stands" in review()
    rules = asked(ben, "rules", "--all")["rules"]
    (theirs,) = [rule for rule in rules if rule["conflicts_with"] and rule["status"] == "accepted"]
    (own,) = [rule for rule in rules if rule["status"] == "superseded"]
    assert (theirs["supersedes"], theirs["people"]) == ([own["id"]], ["file:dana"])
    assert f"you accepted both: {theirs['id']} came last" in ingrained(ben, "learn").stdout.replace("\n    ", " ")
    assert f"contradicts {own['id']}" in ingrained(ben, "why", theirs["id"]).stdout
    assert f"contradicts {theirs['id']}" in ingrained(ben, "why", own["id"]).stdout
    ingrained(ben, "install", "--project", project, "--yes")
    text = "\n".join(path.read_text("utf-8") for path in (ben / "work").rglob("*.md"))
    assert theirs["text"] in text
    assert own["text"] not in text
