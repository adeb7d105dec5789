"""Runs that ask a model, each a process of its own: killed at every point, two at once, on stored answers alone."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from ingrained.cli.app import run
from ingrained.model.answers import Answers, answer_files
from ingrained.model.base import Completion, Facts, Usage
from ingrained.model.cache import REPLAY
from ingrained.store.faults import KILLED, points
from ingrained.wording import plural
from model_server import Served, said, serving
from session_logs import Claude, write

CHILD = Path(__file__).parents[1] / "model_child.py"
COUNT = 4


def child(home: Path, served: Served, first: int = 0, count: int = COUNT, **env: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(CHILD), str(home), served.url, str(first), str(count)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=os.environ | env,
    )


def echo(served: Served) -> list[str]:
    """The questions that were answered, each once a request."""
    return [body["messages"][0]["content"] for body in served.asked]


@pytest.mark.parametrize("passes", [1, 3])
@pytest.mark.parametrize("point", points("answers"))
def test_a_killed_run_pays_nothing_twice(tmp_path: Path, point: str, passes: int) -> None:
    with serving(lambda body, _: said(f"to {body['messages'][0]['content']}")) as served:
        killed = child(tmp_path, served, INGRAINED_FAULT=f"{point}:{passes}")
        out, _ = killed.communicate(timeout=60)
        assert killed.returncode == KILLED
        assert len(out.splitlines()) == passes - 1
        again = child(tmp_path, served)
        out, err = again.communicate(timeout=60)
    assert out.splitlines() == [f"to Question {number}" for number in range(COUNT)], err
    # Only what came back in the moment of the kill, and was not on disk yet, is paid for again.
    lost = point == "answers.answered"
    assert len(served.asked) == COUNT + lost
    assert sorted(set(echo(served))) == [f"Question {number}" for number in range(COUNT)]
    kept = passes if point == "answers.stored" else passes - 1
    assert plural(kept, "answer was stored already", "answers were stored already") in err or kept == 0


def test_two_runs_at_once_share_what_is_stored(tmp_path: Path) -> None:
    with serving(lambda body, number: said(f"{number} to {body['messages'][0]['content']}")) as served:
        runs = [child(tmp_path, served, first=0, count=8), child(tmp_path, served, first=4, count=8)]
        outs = []
        for run in runs:
            out, err = run.communicate(timeout=120)
            assert run.returncode == 0, err
            outs.append(out.splitlines())
    assert outs[0][4:] == outs[1][:4], "both went on with the same answers"
    assert 12 <= len(served.asked) <= 16
    with closing(Answers.open(tmp_path)) as answers:
        assert answers.count() == 12


def test_replay_in_a_run_sends_nothing(tmp_path: Path) -> None:
    with serving(lambda body, _: said("x")) as served:
        first = child(tmp_path, served)
        first.communicate(timeout=60)
        assert first.returncode == 0
        asked = len(served.asked)
        run = child(tmp_path, served, count=COUNT + 1, **{REPLAY: "only"})
        out, err = run.communicate(timeout=60)
    assert len(out.splitlines()) == COUNT
    assert "UnseenRequestError" in err
    assert f"Question {COUNT}" in err
    assert len(served.asked) == asked


def test_forgetting_and_purging_reach_stored_answers(tmp_path: Path) -> None:
    home = tmp_path / "home"
    log = Claude()
    log.user("Never use tabs in this project, use spaces.")
    log.agent("Done.")
    write(tmp_path / "logs" / "s.jsonl", log.rows)
    facts = Facts(provider="scripted", model="x")

    def forget(*which: str) -> int:
        with closing(Answers.open(home)) as answers:
            answers.put("key", facts, Completion(text="use spaces", usage=Usage(input_tokens=1, output_tokens=1)))
        assert run(["forget", *which, "--yes", "--home", str(home)]) == 0
        with closing(Answers.open(home)) as answers:
            return answers.count()

    assert run(["learn", str(tmp_path / "logs"), "--home", str(home), "--quiet"]) == 0
    assert forget("--before", "2020-01-01") == 1, "nothing was forgotten"
    assert forget("--person", "me") == 0
    assert run(["uninstall", "--purge", "--yes", "--home", str(home)]) == 0
    assert not any(path.exists() for path in answer_files(home))
