"""dbnt, as `run.py` asks it. Runs in its environment by `python -P`, since this file has the package's name.

Turns: its detector of signals (negative ones), and what its extraction takes for something to learn. Sessions: what its
hook at the end of a session does (extract, store), then its `promote` command. Applied is what was promoted.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

sys.path.append(str(Path(__file__).parent))

from dbnt.core import RuleStore
from dbnt.extract import extract_from_text, extract_from_transcript
from dbnt.learning import LearningStore
from dbnt.signals import detect_signal
from protocol import Answer, serve

JUDGES = {"negative signals": "its detector", "extraction": "anything that it would learn from the turn"}


def about(_: Answer) -> Answer:
    learns = "its hook at the end of a session, then promote"
    return {"name": "dbnt", "version": version("dbnt"), "judges": JUDGES, "learns": learns}


def judge(asked: Answer) -> Answer:
    texts = [turn["text"] for turn in asked["turns"]]
    if asked["as"] == "extraction":
        return {"feedback": [bool(extract_from_text(text)) for text in texts], "transferable": None}
    return {"feedback": [detect_signal(text).type.value == "negative" for text in texts], "transferable": None}


def learn(asked: Answer) -> Answer:
    home = Path.home() / asked["person"]
    own = home / ".dbnt"
    session = Path(asked["session"])
    with LearningStore(own / "learnings.db") as store:
        for one in extract_from_transcript(session.read_text(encoding="utf-8")):
            store.add(
                text=one.text,
                source="session",
                domain=one.type.value,
                importance=one.importance,
                session_id=session.stem,
            )
    promote = [sys.executable, "-P", "-m", "dbnt", "promote"]
    subprocess.run(promote, env={**os.environ, "HOME": str(home)}, check=True, stdout=subprocess.DEVNULL)
    with LearningStore(own / "learnings.db") as store:
        found = [{"text": one["text"], "applied": False, "quotes": []} for one in store.get_unpromoted()]
    rules = RuleStore(own / "rules").load_all()
    return {"found": found + [{"text": rule.pattern, "applied": True, "quotes": []} for rule in rules]}


if __name__ == "__main__":
    serve({"about": about, "judge": judge, "learn": learn})
