"""What every task has in common is no secret of a held-out one."""

from __future__ import annotations

from ingrained.gate.kept import Kept, strings_in
from ingrained.harness.base import Task

ASKED = "Write the message for this commit: its subject and its body."


def task(nth: int, files: str) -> Task:
    known = {"checks": [{"name": "closes", "pattern": f"^Closes #{nth}$"}, {"name": "area", "most": 72}]}
    return Task(id=f"t{nth}", benchmark="made", request=f"{ASKED}\nFiles: {files}\nNumber: {nth}", known=known)


POOL = [task(41_000 + nth, f"lib/part{nth}.c") for nth in range(12)]
HELD = [task(52_001, "lib/http_proxy.c"), task(52_002, "docs/tunnel.md")]
SHOWN = [text for one in POOL for text in (one.request, *strings_in(one.known))]


def test_names_that_all_tasks_share_may_stand_in_a_rule() -> None:
    kept = Kept.of(HELD, SHOWN)
    for rule in (
        "End the body of the message with a line that says `Closes #` and the number.",
        "Start the subject of the commit message with the area and a colon.",
    ):
        assert not kept.leaks(rule)


def test_what_one_held_out_task_has_alone_may_not() -> None:
    kept = Kept.of(HELD, SHOWN)
    for rule in ("End it with `Closes #52001`.", "Touch lib/http_proxy.c last."):
        assert kept.leaks(rule)


def test_a_common_answer_beside_words_of_its_question_is_still_found() -> None:
    held = Task(
        id="q",
        benchmark="made",
        request="Which metal conducts electricity best at room temperature?",
        known={"answer": "silver"},
    )
    others = [
        Task(
            id=f"q{nth}",
            benchmark="made",
            request=f"Which {what} is the largest one of all that are known?",
            known={"answer": "silver"},
        )
        for nth, what in enumerate(("animal", "planet", "city", "lake", "desert"))
    ]
    shown = [text for one in others for text in (one.request, *strings_in(one.known))]
    kept = Kept.of([held], shown)
    assert kept.leaks("For the metal that conducts electricity best, say silver.")
    assert not kept.leaks("Which one is the largest of all that are known? Never say silver without a reason.")
