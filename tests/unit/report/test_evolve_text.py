"""What a run of `evolve` says at its end: marks and intervals are explained, nothing is told twice or as what it is not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.evolve_world import write_skill

from ingrained.bench.evolve.shape import CandidateShape, EvolveShape, HeldOut, SkillShape, StepShape, TransferShape
from ingrained.cli.app import run as command
from ingrained.gate.decide import decide
from ingrained.gate.pair import Arm, Pair
from ingrained.gate.plan import Plan, Rule
from ingrained.report.evolve import evolve_text, transfer_text
from ingrained.skill.edit import Create
from ingrained.skill.patch import unified

EDIT = Create(target=("Style",), text="Name the unit")
SKILL = SkillShape(hash="h", rules=1, tokens=9)
SHORT = "no JSON object"
MEASURED = HeldOut(
    tasks=4, pairs=4, scored=4, before=0.25, after=0.5, gain=0.25, low=0.0, high=0.75, better=1, worse=0, p=0.5, whole=True
)  # fmt: skip


def candidate(name: str = "e1", outcome: str = "accepted", **more: object) -> CandidateShape:
    given = {"edit": EDIT, "why": f"{outcome} for a reason", "pairs": 9, "gain": 0.5, "low": 0.125, "high": 0.75}
    return CandidateShape.model_validate({"name": name, "outcome": outcome, **given, **more})


def invalid(name: str, why: str = SHORT) -> CandidateShape:
    return CandidateShape(name=name, edit=None, outcome="invalid", why=why)


def result(*candidates: CandidateShape, applied: str = "", **more: object) -> EvolveShape:
    step = StepShape(
        step=1, unit=0, evidence=(), before="a", after="b", applied=applied, replays=18, overfit=False, candidates=candidates
    )  # fmt: skip
    counted = dict.fromkeys(("accepted", "rejected", "inconclusive", "refused", "invalid", "unanswered", "unscored"), 0)
    told = {"out": "run", "skill": "S.md", "worker": "w", "editor": "e", "verifier": "v", "stopped": "", "diff": ""}
    numbers = {"pool": 9, "held_out_tasks": 4, "units": 1, "replays": 18, "start": SKILL, "final": SKILL}
    own = {"rule": "sequential", "calibrated": True, "without": (), "steps": (step,)}
    return EvolveShape.model_validate({**counted, **told, **numbers, **own, **more})


def test_marks_and_intervals_are_explained_on_one_line_where_there_are_any() -> None:
    both = evolve_text(result(candidate(), candidate("e2", "rejected", gain=0.0, low=-0.75, high=0.625), applied="e1"))
    assert "* accepted     +0.50 [+0.12, +0.75] in 9 pairs" in both
    (legend,) = [line for line in both.splitlines() if "[low, high]" in line]
    assert legend.startswith("*: applied; [low, high]: bounds of the mean gain")
    assert "to reject is a test of its own, at --beta" in legend
    plain = evolve_text(result(candidate()))
    assert "*" not in plain
    assert "[low, high]" in plain
    assert "[low" not in evolve_text(
        result(invalid("e1"), CandidateShape(name="e2", edit=EDIT, outcome="refused", why="x"))
    )


@pytest.mark.parametrize("rule", ["sign", "permutation"])
def test_a_rule_that_decides_once_has_no_beta(rule: Rule) -> None:
    text = evolve_text(result(candidate(), rule=rule))
    assert f"the verdict is that of the {rule} test, at --cap pairs" in text
    assert "--beta" not in text


@pytest.mark.parametrize("rule", ["single", "raw"])
def test_an_uncalibrated_rule_is_called_so_and_shows_no_bounds(rule: Rule) -> None:
    one = candidate(low=-1.0, high=1.0, pairs=1) if rule == "single" else candidate(gain=None, low=None, high=None)
    text = evolve_text(result(one, rule=rule, calibrated=False))
    assert f"rule {rule}, uncalibrated: " in text
    assert "[" not in text.partition("uncalibrated")[2].partition("\nedits:")[0]
    assert ("+0.50 in 1 pair " in text) is (rule == "single")
    assert "uncalibrated" not in evolve_text(result(candidate()))


def test_what_is_without_a_score_is_an_attempt_where_no_control_is_run() -> None:
    assert "no evidence: 3 pairs without a score" in evolve_text(result(candidate(), unscored=3))
    assert "no evidence: 1 attempt without a score" in evolve_text(
        result(candidate(), unscored=1, rule="raw", calibrated=False)
    )


def test_the_last_measurement_says_what_its_interval_is() -> None:
    text = evolve_text(result(candidate(), held_out=MEASURED, diff=unified("a\n", "b\n")))
    assert "held-out tasks: 0.25 before, 0.50 now: +0.25 [+0.00, +0.75] (95 %, tasks resampled) over 4 tasks" in text


def test_a_run_that_ended_early_leaves_the_reason_to_the_error() -> None:
    text = evolve_text(result(stopped="--max-calls 60 is reached", replays=0, steps=()))
    assert "0 replays in the steps that ended\n" in text
    assert "ended early; " in text
    assert "--max-calls" not in text
    assert "in the steps" not in evolve_text(result(candidate()))


def test_equal_invalid_proposals_are_one_with_their_number() -> None:
    several = [invalid(f"e{nth}") for nth in range(1, 33)]
    text = evolve_text(result(*several[:20], candidate("good"), invalid("other", "cut off"), *several[20:]))
    assert text.count(SHORT) == 1
    assert "  invalid      no edit, 32 times\n" in text
    assert text.count("no edit") == 2
    assert text.index(SHORT) < text.index("accepted  ") < text.index("cut off")


def test_moves_that_were_left_out_are_told_and_all_of_them_more_so() -> None:
    assert "without" not in evolve_text(result(candidate()))
    assert "\nwithout merge, prune\n" in evolve_text(result(candidate(), without=("merge", "prune", "merge")))
    every = evolve_text(result(candidate(), without=("prune", "create", "merge", "update")))
    assert "\nwithout prune, create, merge, update: the editor could change nothing\n" in every


LINES = st.lists(st.text("ab-+@ ", max_size=4), max_size=5)


@given(LINES, LINES, st.booleans())
def test_a_diff_of_windows_lines_reads_as_that_of_others(before: list[str], after: list[str], ended: bool) -> None:
    def shown(end: str) -> str:
        old, new = end.join([*before, ""]), end.join([*after, ""] if ended else after)
        diff = unified(old, new)
        return evolve_text(result(candidate(), diff=diff)).partition("--- SKILL.md")[2] if diff else ""

    assert shown("\r\n") == shown("\n")


def test_a_line_end_that_differs_is_shown() -> None:
    text = evolve_text(result(candidate(), diff=unified("a\r\nb\r\n", "a\nb\r\n")))
    assert "-a\r\n+a\n" in text


def transferred(pairs: list[Pair], rule: Rule, stopped: str = "") -> str:
    verdict = decide(pairs, Plan(rule=rule))
    return transfer_text(
        TransferShape(
            out="run", worker="w", from_worker="o", tasks="pool", start=SKILL, final=SKILL, verdict=verdict, replays=2, stopped=stopped
        )
    )  # fmt: skip


def test_another_worker_is_told_the_same_way() -> None:
    better = [Pair(task=f"t{nth}", control=Arm(score=0.0), treatment=Arm(score=1.0)) for nth in range(9)]
    assert "gain +1.00 [" in transferred(better, "sequential")
    assert "uncalibrated" not in transferred(better, "sequential")
    single = transferred(better[:1], "single", stopped="--max-calls 2 is reached")
    assert "rule single, uncalibrated: " in single
    assert "gain +1.00 over 1 task;" in single
    assert single.endswith("\nended early; what was tried is kept")
    raw = transferred([Pair(task="t", control=Arm(unscored="none"), treatment=Arm(score=1.0))], "raw")
    assert "rule raw, uncalibrated: " in raw
    assert "gain unknown over 0 tasks" in raw


def run_of(place: Path, *more: str) -> EvolveShape:
    """A short run of the world, and what it leaves behind."""
    model = "scripted:tests.evolve_world:answers"
    begin = [str(write_skill(place)), "--tasks", "tests.evolve_world:tasks:60", "--worker", model, "--group", "3"]
    command(["evolve", *begin, "--attempts", "4", *more, "--out", str(place / "run"), "--home", str(place / "home")])
    return EvolveShape.model_validate_json((place / "run" / "result.json").read_text(encoding="utf-8"))


def test_the_rule_without_a_control_has_no_pair_that_lacks_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = run_of(tmp_path, "--rule", "raw", "--final-seeds", "0", "--without", "merge")
    assert (found.rule, found.calibrated, found.without) == ("raw", False, ("merge",))
    assert found.replays > 0
    assert found.unscored == 0
    said = capsys.readouterr().out
    assert "uncalibrated" in said
    assert "without a score" not in said


def test_a_cap_is_told_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = run_of(tmp_path, "--budget-calls", "20")
    assert (found.rule, found.calibrated) == ("sequential", True)
    assert "is reached" in found.stopped
    told = capsys.readouterr()
    assert (told.out + told.err).count("is reached") == 1
    assert json.loads((tmp_path / "run" / "result.json").read_text(encoding="utf-8"))["without"] == []
