"""A scripted worker and editor for runs of `evolve`: invented evals whose right answers follow from rules of a skill."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from pydantic import JsonValue

from ingrained.bench.tasks import TaskSet
from ingrained.errors import ModelError
from ingrained.harness.base import Task
from ingrained.model.base import Request
from ingrained.verify.program import Known, Matches

GOOD, BAD, IDLE = "Name the unit after each number", "Shout in capitals", "Mind who will read it"
BROKEN = False
SKILL = f"# Answers\n\n- Be brief\n- {BAD}\n"


def tasks(place: str) -> TaskSet:
    """As many tasks as the place says."""
    checks = (
        Matches(name="unit", check="matches", pattern=r"\d+ metres?\b"),
        Matches(name="quiet", check="matches", pattern=r"\b[A-Z]{3,}\b", least=0, most=0),
    )
    known = Known(checks=checks).model_dump(mode="json")
    found = tuple(
        Task(id=f"q{nth}", benchmark="made", family="sums", request=f"How long are {nth} and 4 together?", known=known)
        for nth in range(int(place))
    )
    return TaskSet(tasks=found, verifier="program")


def answers(request: Request) -> JsonValue:
    """The worker's answer, or the editor's."""
    if BROKEN:
        raise ModelError("nobody is there")
    text = "\n".join(one.text for one in request.messages)
    return _edit(request, text) if "You keep a skill" in text else _sum(request)


def reads(request: Request) -> JsonValue:
    """Who reads edits, and takes the good one for an attack."""
    verdict = "judge" if GOOD in request.messages[-1].text else "work"
    return {"effect": "The answers name units.", "verdict": verdict}


def other(request: Request) -> JsonValue:
    """Another worker, who follows the same rules less often."""
    return _sum(request) if _luck(request, "other") < 0.9 else "I cannot say."


def shaky(request: Request) -> JsonValue:
    """A worker who sometimes does not answer."""
    if _luck(request, "line") < 0.04:
        raise ModelError("the line was cut")
    return _sum(request)


def deaf(request: Request) -> JsonValue:
    """A worker who reads no skill."""
    return "7 metres" if _luck(request, "deaf") < 0.5 else "7"


def _sum(request: Request) -> str:
    system = request.messages[0].text
    answer = "7 metres" if _luck(request, "unit") < (0.95 if GOOD in system else 0.1) else "7"
    return f"THAT IS {answer}" if BAD in system and _luck(request, "loud") < 0.4 else answer


def _edit(request: Request, text: str) -> JsonValue:
    shout = next((line.split()[0] for line in text.splitlines() if line.strip().startswith("r-") and BAD in line), "")
    edits: list[JsonValue] = [
        {"op": "create", "target": ["Answers"], "text": GOOD},
        {"op": "create", "target": ["Answers"], "text": IDLE},
        {"op": "prune", "target": shout} if shout else {"op": "noop"},
    ]
    return {"edit": edits[request.sample % 3]}


def _luck(request: Request, of: str) -> float:
    said = json.dumps([of, [one.text for one in request.messages], request.sample])
    return int(hashlib.blake2b(said.encode(), digest_size=4).hexdigest(), 16) / 16**8


def write_skill(folder: Path) -> Path:
    path = folder / "SKILL.md"
    path.write_text(SKILL, encoding="utf-8")
    return path
