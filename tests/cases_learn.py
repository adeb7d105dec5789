"""Run `learn` on a case's home and read what came out, as a user's commands would."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.preloaded import run

CASES = Path(__file__).parent / "cases"


def fill(home: Path, pieces: Mapping[str, Sequence[str]]) -> None:
    """Put the invented keys of a case into its logs."""
    for log in home.rglob("*.jsonl"):
        text = log.read_text(encoding="utf-8")
        for name, parts in pieces.items():
            text = text.replace("{{" + name + "}}", "".join(parts))
        log.write_text(text, encoding="utf-8")


def ingrained(
    user: Path, *words: str, env: Mapping[str, str] | None = None, check: bool = True
) -> subprocess.CompletedProcess[str]:
    """Run the command as somebody whose home folder is `user`."""
    clean = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("INGRAINED_", "CLAUDE_", "CODEX_", "XDG_"))
    }
    clean |= {"HOME": str(user), "GIT_CONFIG_GLOBAL": os.devnull, **(env or {})}
    done = run(["--home", str(user / "own"), *words], env=clean, cwd=user)
    if check:
        assert done.returncode in (0, 4), done.stderr
    assert "Traceback" not in done.stderr
    return done


def asked(user: Path, *words: str, env: Mapping[str, str] | None = None) -> Any:
    """The same with `--json`, parsed."""
    return json.loads(ingrained(user, *words, "--json", env=env).stdout)


def live(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Rules that are not refused or superseded."""
    return [rule for rule in answer["rules"] if rule["status"] not in {"refused", "superseded"}]


def words_of(rule: Mapping[str, Any]) -> str:
    """Text, scope and quotes of a rule, folded."""
    scope = rule["scope"]
    parts = [rule["text"], scope["when"], *scope["paths"], *(item["quote"] for item in rule["evidence"])]
    return " ".join(parts).casefold()


def holding(rules: Iterable[Mapping[str, Any]], group: Sequence[str]) -> list[Mapping[str, Any]]:
    """Rules that hold all words of a group in text, scope or quote."""
    return [rule for rule in rules if all(word.casefold() in words_of(rule) for word in group)]


def corrections(answer: Mapping[str, Any]) -> list[str]:
    """What was found as corrections, transferable or not, folded."""
    return [words_of(rule) for rule in answer["rules"]] + [atom["quote"].casefold() for atom in answer["atoms"]]


def everything(answer: Mapping[str, Any]) -> str:
    """All quotes and texts of rules and evidence, folded; what must not be evidence must not be in here."""
    return " ".join(words_of(rule) for rule in answer["rules"])
