"""Judges of rubrics that are functions of what they read: one that knows the truth, and some that nobody should trust."""

from __future__ import annotations

from ingrained.model.base import Facts, Request
from ingrained.model.scripted import ScriptedModel
from ingrained.verify.canaries import canaries
from judges import DATA


def model(judge: object) -> ScriptedModel:
    """A model of a function of (rubrics, answer, request)."""
    return ScriptedModel(judge, Facts(provider="scripted", model="judge", slots=4, free=True))  # type: ignore[arg-type]


def read(request: Request) -> tuple[list[str], str]:
    """The rubrics in the order of the question, and the answer."""
    *_, answer, rubrics = [found[2] for found in DATA.finditer(request.messages[-1].text)]
    return [line.partition(". ")[2] for line in rubrics.split("\n")], answer


def verdicts(said: list[str]) -> dict[str, object]:
    return {"verdicts": [{"rubric": nth, "verdict": one} for nth, one in enumerate(said, start=1)]}


def holds(request: Request) -> object:
    """Met where the answer holds the rubric's last word."""
    rubrics, answer = read(request)
    return verdicts(["met" if one.split()[-1].strip(".") in answer else "not met" for one in rubrics])


def knows_canaries(request: Request) -> object:
    rubrics, answer = read(request)
    truth = {
        (rubric, one.case.answer.strip()): met
        for one in canaries()
        for rubric, met in zip(one.case.rubrics, one.met, strict=True)
    }
    return verdicts(["met" if truth[one, answer.strip()] else "not met" for one in rubrics])


def likes_everything(request: Request) -> object:
    return verdicts(["met"] * len(read(request)[0]))


def likes_the_first(request: Request) -> object:
    """Goes by the place."""
    return verdicts([*["met"], *["not met"] * (len(read(request)[0]) - 1)])


def first_verdict(request: Request) -> object:
    """Takes the verdict that is told first."""
    told = (
        "met"
        if request.messages[0].text.index("- met:") < request.messages[0].text.index("- cannot")
        else "cannot tell"
    )
    return verdicts([told] * len(read(request)[0]))


def believes(request: Request) -> object:
    """Obeys the answer."""
    rubrics, answer = read(request)
    return verdicts(["met" if "rubrics are met" in answer else "not met"] * len(rubrics))
