"""skillopt's `skillopt-sleep`, as `run.py` asks it, without a model (its mock mode). Runs in its environment.

Turns: the signals that its harvest finds in a log that holds this one turn; negative ones count. Sessions: `harvest`
gives tasks with excerpts of what was said after them, each of which is taken as one thing noted; `dry-run` gives the
edits of a skill, which are what would be applied. In mock mode it can only propose rules that come with it.
"""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

sys.path.append(str(Path(__file__).parent))

from protocol import Answer, serve
from skillopt_sleep.__main__ import main
from skillopt_sleep.harvest import digest_transcript

JUDGES = {"negative signals": "of its harvest"}


def about(_: Answer) -> Answer:
    learns = "harvest and dry-run, mock mode"
    return {"name": "skillopt-sleep", "version": version("skillopt"), "judges": JUDGES, "learns": learns}


def judge(asked: Answer) -> Answer:
    answers: list[bool] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "one.jsonl"
        for turn in asked["turns"]:
            row = {"type": "user", "message": {"role": "user", "content": turn["text"]}}
            path.write_text(json.dumps(row) + "\n", encoding="utf-8")
            digest = digest_transcript(str(path))
            answers.append(digest is not None and any(one.startswith("neg:") for one in digest.feedback_signals))
    return {"feedback": answers, "transferable": None}


def command(verb: str, home: Path) -> Answer:
    printed = io.StringIO()
    options = ["--claude-home", str(home), "--scope", "all", "--lookback-hours", "0", "--source", "claude"]
    with contextlib.redirect_stdout(printed):
        main([verb, *options, "--backend", "mock", "--max-tasks", "1000", "--max-sessions", "1000", "--json"])
    return json.loads(printed.getvalue())


def learn(asked: Answer) -> Answer:
    home = Path.home() / asked["person"] / "claude"
    session = Path(asked["session"])
    place = home / "projects" / session.parent.name / session.name
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(session, place)
    noted = [
        text
        for task in command("harvest", home)["tasks"]
        for text in [task["intent"], *task["context_excerpt"].split("\n- ")[1:]]
    ]
    edits = command("dry-run", home)["edits"]
    found = [{"text": text, "applied": False, "quotes": []} for text in noted]
    return {"found": found + [{"text": edit["content"], "applied": True, "quotes": []} for edit in edits]}


if __name__ == "__main__":
    serve({"about": about, "judge": judge, "learn": learn})
