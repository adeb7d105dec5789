"""Ingrained, as `run.py` asks it.

Turns: its decomposer, on the text alone like the peers, and with what the log says of the turn (the agent's last act,
how the words came in). Sessions: `ingrained learn --json` after each session, in a home of its own for each person, and
`ingrained rules --all --json` for the rules. Applied are rules that are supported or established; what is superseded
is not counted.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

from protocol import Answer, serve

from ingrained import __version__
from ingrained.errors import IngrainedError
from ingrained.feedback.decompose import Decomposer
from ingrained.ids import MessageKey
from ingrained.learn.view import load_decomposer
from ingrained.session.read import read_file
from ingrained.session.redact import SecretRedactor
from ingrained.session.session import Act, Turn

JUDGES = {"text alone": "as the peers see it", "with the act": "where a reader finds the turn in its log"}
APPLIED = {"supported", "established"}
GONE = {"refused", "superseded"}
options = argparse.Namespace(decomposer="rules", home=Path())


def about(_: Answer) -> Answer:
    learns = "learn, then rules"
    return {"name": "ingrained", "version": __version__, "judges": JUDGES, "learns": learns}


@cache
def decomposer() -> Decomposer:
    return load_decomposer(options.decomposer)


@cache
def turns_of(path: Path) -> dict[str, Turn]:
    try:
        read = read_file(path, cursor=None, redactor=SecretRedactor())
    except IngrainedError:
        return {}
    return {turn.record: turn for turn in read.turns} if read else {}


def bare(number: int, turn: Answer) -> Turn:
    """The text as a turn after some act of which nothing is known."""
    return Turn(
        key=MessageKey(f"{turn['session']}:{number}"),
        session=turn["session"],
        record=turn["turn"],
        line=number,
        text=turn["text"],
        form="typed",
        time=None,
        cwd="",
        branch="",
        act=Act(said="…"),
        tool="",
        after_interrupt=False,
    )


def judge(asked: Answer) -> Answer:
    feedback: list[bool] = []
    transferable: list[bool] = []
    for number, turn in enumerate(asked["turns"]):
        seen = bare(number, turn)
        if asked["as"] == "with the act":
            found = turns_of(Path(turn["root"]) / turn["session"]).get(turn["turn"])
            seen = replace(found, text=turn["text"]) if found else seen
        atoms = [atom for atom in decomposer().decompose([seen])[0] if atom.feedback]
        feedback.append(bool(atoms))
        transferable.append(any(atom.transferable for atom in atoms))
    return {"feedback": feedback, "transferable": transferable}


def command(*words: str | Path) -> Answer:
    done = subprocess.run([sys.executable, "-m", "ingrained", *map(str, words)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"ingrained {' '.join(map(str, words))}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def learn(asked: Answer) -> Answer:
    logs = options.home / asked["person"] / "logs"
    home = options.home / asked["person"] / "home"
    session = Path(asked["session"])
    place = logs / session.parent.name / session.name
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(session, place)
    command("learn", logs, "--home", home, "--decomposer", options.decomposer, "--json")
    known = command("rules", "--home", home, "--all", "--decomposer", options.decomposer, "--json")
    found = [
        {
            "text": rule["text"],
            "applied": rule["level"] in APPLIED and not rule["held"],
            "quotes": [
                (one["session"].rpartition(":")[2], one["turn"], one["quote"])
                for one in rule["evidence"]
                if one["stance"] == "supports"
            ],
        }
        for rule in known["rules"]
        if rule["status"] not in GONE and rule["level"] != "retired"
    ]
    return {"found": found}


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--decomposer", default="rules")
    parser.add_argument("--home", type=Path, required=True)
    options = parser.parse_args()
    serve({"about": about, "judge": judge, "learn": learn})
