"""gradata, as `run.py` asks it. Runs in its environment by `python -P`, since this file has the package's name.

Turns: its two detectors of corrections in a person's words. Sessions: it learns from pairs of a draft and its corrected
version; without a model, the nearest thing in a log is what the agent said last and the turn that its detector calls a
correction. Each session ends with its sweep, which promotes lessons. Applied is what its hook would inject.
"""

from __future__ import annotations

import os
import sys
from importlib.metadata import version
from pathlib import Path

sys.path.append(str(Path(__file__).parent))

from gradata.brain import Brain
from gradata.correction_detector import detect_correction
from gradata.enhancements.self_improvement import parse_lessons
from gradata.hooks import implicit_feedback
from protocol import Answer, serve, typed

ACTIVE = {"INSTINCT", "PATTERN", "RULE"}
INJECTED = {"PATTERN", "RULE"}
JUDGES = {
    "detect_correction": "its detector of corrections",
    "implicit feedback": "its hook on prompts; approvals do not count",
}
brains: dict[str, Brain] = {}
heard: dict[str, int] = {}


def about(_: Answer) -> Answer:
    return {"name": "gradata", "version": version("gradata"), "judges": JUDGES, "learns": "corrections, then its sweep"}


def correction(text: str) -> bool:
    return detect_correction(text)[0]


def implicit(text: str) -> bool:
    said = implicit_feedback.main({"prompt": text})
    signals = str(said["result"]).partition("[")[2].rstrip("]") if said else ""
    return any(signal and signal != "approval" for signal in signals.split(", "))


def judge(asked: Answer) -> Answer:
    detector = {"detect_correction": correction, "implicit feedback": implicit}[asked["as"]]
    return {"feedback": [detector(turn["text"]) for turn in asked["turns"]], "transferable": None}


def learn(asked: Answer) -> Answer:
    person = asked["person"]
    folder = Path.home() / f"brain-{person}"
    if person not in brains:
        brains[person] = Brain.init(str(folder), domain="General")
    brain = brains[person]
    heard[person] = heard.get(person, 0) + 1
    for text, before in typed(asked["session"]):
        if correction(text) and before:
            brain.correct(before, text, session=heard[person])
    brain.end_session()
    lessons = folder / "lessons.md"
    known = parse_lessons(lessons.read_text(encoding="utf-8")) if lessons.exists() else []
    found = [
        {"text": lesson.description, "applied": lesson.state.value in INJECTED, "quotes": []}
        for lesson in known
        if lesson.state.value in ACTIVE
    ]
    return {"found": found}


if __name__ == "__main__":
    os.environ["GRADATA_TELEMETRY"] = "0"
    serve({"about": about, "judge": judge, "learn": learn})
