"""A rule that is said again after it was installed gets a check suggested, where the person looks at rules."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.cases_learn import asked, holding, ingrained, live
from tests.e2e.test_flow import AGAIN, CHANGELOG, EXPLAIN, PNPM, log


def test_review_why_and_rules_name_the_check(tmp_path: Path) -> None:
    user = tmp_path / "home"
    project = user / "work" / "shop"
    project.mkdir(parents=True)
    log(user, project, "s1", "2026-01-05", "tidy the cart page", CHANGELOG, PNPM, EXPLAIN)
    log(user, project, "s2", "2026-01-09", "look at the tax page", *AGAIN)
    rules = live(asked(user, "learn"))
    assert holding(rules, ["pnpm"])[0]["enforce"] == "CI check: one that fails where package-lock.json is in the change"
    assert holding(rules, ["changelog"])[0]["enforce"].startswith("CI check: ")
    ingrained(user, "install", "--project", str(project), "--yes")
    for number in (3, 4):
        log(user, project, f"s{number}", f"2099-01-0{number}", "fix the header", PNPM)
    (pnpm,) = holding(live(asked(user, "learn")), ["pnpm"])
    assert pnpm["said_again"] == [2, 2]
    assert pnpm["enforce"].endswith("(said again 2 times since it was installed)")
    assert asked(user, "why", pnpm["id"])["rule"]["enforce"] == pnpm["enforce"]
    assert f"better kept by a check than by words: {pnpm['enforce'][:20]}" in ingrained(user, "why", pnpm["id"]).stdout
    environment = {**os.environ, "HOME": str(user), "GIT_CONFIG_GLOBAL": os.devnull}
    command = [sys.executable, "-m", "ingrained", "--home", str(user / "own"), "review"]
    done = subprocess.run(command, input="s\ns\ns\n", env=environment, capture_output=True, encoding="utf-8", cwd=user)
    assert done.stdout.count("better kept by a check than by words:") == 2
