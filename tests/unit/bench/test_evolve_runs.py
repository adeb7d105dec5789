"""Runs of `evolve`: what lies in the folder, going on, caps, what is refused, the last measurement, another worker."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.evolve_world import BAD, GOOD, SKILL, write_skill

from ingrained.bench.evals import load
from ingrained.bench.evolve.outcome import held_out
from ingrained.bench.evolve.prepared import skill_name, verifier_of
from ingrained.bench.evolve.shape import EvolveShape, TransferShape
from ingrained.cli.app import run as command
from ingrained.errors import ConfigError
from ingrained.gate.pair import Arm, Pair
from ingrained.skill.living import opened

MODEL = "scripted:tests.evolve_world:answers"
TASKS = "tests.evolve_world:tasks:80"
ALONE = ("alone",)


def evolved(place: Path, *more: str, out: str = "run", home: str = "home") -> int:
    """Begin a run in a folder, or go on with it where nothing but `--out` is wanted."""
    usual = {"--worker": MODEL, "--cap": "50", "--group": "3", "--attempts": "8"}
    begin = [word for name, value in usual.items() if name not in more for word in (name, value)]
    given = [] if more == ALONE else [str(write_skill(place)), "--tasks", TASKS, *begin, *more]
    return command(["evolve", *given, "--out", str(place / out), "--home", str(place / home)])


def result(place: Path, out: str = "run") -> EvolveShape:
    return EvolveShape.model_validate_json((place / out / "result.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that came to its end; only to be read."""
    place = tmp_path_factory.mktemp("evolve")
    assert evolved(place) == 0
    return place


@pytest.fixture
def whole(finished: Path, tmp_path: Path) -> Path:
    """The same, to go on with."""
    return shutil.copytree(finished, tmp_path / "place")


def test_a_skill_gains_what_helps_and_loses_what_harms(finished: Path) -> None:
    text = (finished / "run" / "SKILL.md").read_text(encoding="utf-8")
    assert GOOD in text
    assert BAD not in text
    assert (finished / "SKILL.md").read_text(encoding="utf-8") == SKILL
    found = result(finished)
    assert found.held_out is not None
    assert found.held_out.whole
    assert found.held_out.low is not None
    assert found.held_out.low > 0
    assert found.pool + found.held_out_tasks == 80
    assert f"+- {GOOD}" in found.diff


def test_the_history_says_edit_evidence_replays_and_interval(finished: Path) -> None:
    applied = [(step, one) for step in result(finished).steps for one in step.candidates if one.name == step.applied]
    assert len(applied) >= 2
    for step, one in applied:
        assert step.evidence
        assert step.replays > 0
        assert one.edit is not None
        assert one.gain is not None
        assert one.low is not None
        assert one.low <= one.gain


def test_skill_creators_files_are_there(finished: Path) -> None:
    assert len(load(finished / "run" / "evals" / "evals.json").tasks) == 80
    found = json.loads((finished / "run" / "benchmark.json").read_text(encoding="utf-8"))
    summary, measured = found["run_summary"], result(finished).held_out
    assert measured is not None
    assert {one["configuration"] for one in found["runs"]} == {"with_skill", "without_skill"}
    assert summary["with_skill"]["pass_rate"]["mean"] == pytest.approx(measured.after, abs=1e-4)
    assert summary["without_skill"]["pass_rate"]["mean"] == pytest.approx(measured.before, abs=1e-4)
    assert {text["text"] for one in found["runs"] for text in one["expectations"]} != {"the task's verifier is content"}


def test_a_run_that_reached_its_cap_goes_on_to_the_same_end(
    finished: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evolved(tmp_path, "--budget-calls", "60") == 5
    assert "--max-calls 60 is reached" in capsys.readouterr().err
    assert result(tmp_path).stopped
    assert evolved(tmp_path, *ALONE) == 0
    other = {"out": "", "skill": ""}
    assert result(tmp_path).model_copy(update=other) == result(finished).model_copy(update=other)


def test_a_run_that_is_whole_sends_nothing(whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = (whole / "run" / "traces.jsonl").read_bytes()
    (whole / "SKILL.md").write_text("# Other\n", encoding="utf-8")
    assert evolved(whole, *ALONE) == 0
    said = capsys.readouterr().err
    assert "nothing was sent" in said
    assert "about to ask" not in said
    assert (whole / "run" / "traces.jsonl").read_bytes() == first


def test_other_options_are_another_run(whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert evolved(whole, "--steps", "1") == 2
    assert "steps was 0 and is 1" in capsys.readouterr().err


def test_evidence_that_changed_is_another_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    guide = tmp_path / "guide.md"
    guide.write_text("# Guide\n\nEach number has a unit.\n", encoding="utf-8")
    assert evolved(tmp_path, "--evidence", str(guide), "--steps", "1") == 0
    guide.write_text("# Guide\n\nNothing.\n", encoding="utf-8")
    capsys.readouterr()
    assert evolved(tmp_path, *ALONE) == 2
    assert "the evidence is not what this run began with" in capsys.readouterr().err


def test_moves_can_be_left_out(tmp_path: Path) -> None:
    evolved(tmp_path, "--without", "prune", "--without", "merge")
    ops = {one.edit.op for step in result(tmp_path).steps for one in step.candidates if one.edit is not None}
    assert "prune" not in ops
    assert BAD in (tmp_path / "run" / "SKILL.md").read_text(encoding="utf-8")


def test_edits_that_a_model_refuses_to_let_pass_are_not_replayed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evolved(tmp_path, "--screen", "scripted:tests.evolve_world:reads", "--steps", "1")
    said = capsys.readouterr()
    assert "\nscreen:\n" in said.err, "what it may cost is told beforehand"
    assert GOOD not in (tmp_path / "run" / "SKILL.md").read_text(encoding="utf-8")
    (step,) = result(tmp_path).steps
    (refused,) = [one for one in step.candidates if one.outcome == "refused"]
    assert "The answers name units." in refused.why
    assert "not for the work" in said.out
    assert "screen scripted:tests.evolve_world:reads, verifier" in said.out


def test_the_ablation_runs_no_control(tmp_path: Path) -> None:
    evolved(tmp_path, "--rule", "raw", "--steps", "1")
    lines = [json.loads(line) for line in (tmp_path / "run" / "traces.jsonl").read_text(encoding="utf-8").splitlines()]
    assert not [one for one in lines if one["kind"] == "attempt" and one["step"] == 1 and not one["edit"]]


def test_stored_answers_of_another_run_are_marked(whole: Path) -> None:
    assert evolved(whole, out="again") == 0
    assert any(one.cached for step in result(whole, "again").steps for one in step.candidates)
    assert not any(one.cached for step in result(whole).steps for one in step.candidates)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--held-out", "1.5"], "--held-out 1.5"),
        (["--cap", "0"], "--cap 0"),
        (["--worker-option", "temperature"], "--worker-option 'temperature' is not KEY=VALUE"),
        (["--verifier", "nobody"], "no ingrained.verifiers called 'nobody'"),
        (["--verifier", "=x"], "neither NAME nor NAME=PROVIDER:MODEL"),
        (["--verifier-option", "score=medium"], "score"),
    ],
)
def test_what_does_not_fit_is_named(
    tmp_path: Path, more: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evolved(tmp_path, *more) == 2
    assert said in capsys.readouterr().err


def test_a_skill_that_is_not_there_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = tmp_path / "none" / "SKILL.md"
    assert command(["evolve", str(where), "--tasks", TASKS, "--worker", MODEL, "--out", str(tmp_path / "run")]) == 2
    assert "SKILL.md': not there" in capsys.readouterr().err


def test_a_folder_without_a_run_needs_more(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["evolve", "--out", str(tmp_path / "run")]) == 2
    assert "--tasks and --worker" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("program", ("program", "")),
        ("rubrics=openai:m@http://h:1/v1", ("rubrics", "openai:m@http://h:1/v1")),
        ("my.module:check", ("my.module:check", "")),
        ("my.module:check=local:", ("my.module:check", "local:")),
    ],
)
def test_a_verifier_is_named_with_its_judge(given: str, expected: tuple[str, str]) -> None:
    assert verifier_of(given) == expected


def test_a_verifier_without_a_name_is_none() -> None:
    with pytest.raises(ConfigError):
        verifier_of("local:")


def test_the_last_measurement_counts_a_task_once_and_no_pair_without_scores() -> None:
    def pair(task: str, seed: int, before: float | None, after: float | None) -> Pair:
        one, other = (Arm(unscored="gone") if x is None else Arm(score=x) for x in (before, after))
        return Pair(task=task, seed=seed, control=one, treatment=other)

    found = held_out([pair("a", 0, 0, 1), pair("a", 1, 0, 0), pair("b", 0, 1, 0), pair("b", 1, None, 1)], 2, 2)
    assert (found.pairs, found.scored, found.better, found.worse) == (4, 3, 1, 1)
    assert found.gain == pytest.approx((0.5 - 1) / 2)
    assert found.before == pytest.approx(1 / 3)
    assert found.whole


def test_a_skill_is_proved_again_with_another_worker(finished: Path, tmp_path: Path) -> None:
    given = ["bench", "transfer", "--run", str(finished / "run"), "--home", str(tmp_path / "home")]
    other = [*given, "--worker", "scripted:tests.evolve_world:other", "--out", str(tmp_path / "other")]
    assert command(other) == 0
    found = TransferShape.model_validate_json((tmp_path / "other" / "transfer.json").read_text(encoding="utf-8"))
    assert found.verdict.status == "accepted"
    assert found.tasks == "held out"
    assert (found.from_worker, found.worker) == (MODEL, "scripted:tests.evolve_world:other")
    deaf = [*given, "--worker", "scripted:tests.evolve_world:deaf", "--out", str(tmp_path / "deaf")]
    assert command(deaf) == 1


def test_a_run_that_applied_nothing_has_nothing_to_prove(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    evolved(tmp_path, "--without", "create", "--without", "prune", "--steps", "1")
    given = ["--run", str(tmp_path / "run"), "--worker", MODEL, "--out", str(tmp_path / "t")]
    assert command(["bench", "transfer", *given]) == 2
    assert "there is nothing to prove" in capsys.readouterr().err


def test_a_folder_without_a_run_has_no_skill_to_prove(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["bench", "transfer", "--run", str(tmp_path), "--worker", MODEL, "--out", str(tmp_path / "t")]) == 2
    assert "holds no run" in capsys.readouterr().err


def test_what_may_be_sent_is_told_before_anything_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert evolved(tmp_path, "--budget-calls", "0") == 5
    said = capsys.readouterr().err
    assert said.index("about to ask: 8 calls") < said.index("nothing was sent")


def test_a_worker_that_never_answers_ends_it_and_a_mended_one_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.evolve_world.BROKEN", True)
    assert evolved(tmp_path) == 1
    assert "8 attempts in a row got no answer; the last: no answer:" in capsys.readouterr().err
    monkeypatch.setattr("tests.evolve_world.BROKEN", False)
    assert evolved(tmp_path, *ALONE) == 0
    assert result(tmp_path).unscored == 0
    assert GOOD in (tmp_path / "run" / "SKILL.md").read_text(encoding="utf-8")


def test_a_first_command_that_was_wrong_takes_no_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert evolved(tmp_path, "--worker-option", "heat=1") == 2
    assert "worker 'chat': option heat" in capsys.readouterr().err
    assert evolved(tmp_path, "--steps", "1") == 0


def test_too_few_tasks_are_told_before_anybody_is_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    guide = tmp_path / "guide.md"
    guide.write_text("# Guide\n\nEach number has a unit.\n", encoding="utf-8")
    given = ("--evidence", str(guide), "--most")
    for few in (("--most", "4"), (*given, "4"), ("--cap", "5")):
        assert evolved(tmp_path, *few) == 2
        said = capsys.readouterr().err
        assert "to decide on at most, and cap" in said
        assert "about to ask" not in said
    assert evolved(tmp_path, *given, "10", out="few") == 0
    assert "in a group of 3 edits one has to win" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--worker", f"tools={MODEL}"), "--worker tools does not fit"),
        (("--verifier", "choice"), "--verifier 'choice' cannot check"),
        (("--may-break", "nosuch"), "--may-break 'nosuch' is no task"),
        (("--worker-option", "temperature=hot"), "option temperature 'hot'"),
    ],
)
def test_what_is_unfit_for_the_tasks_is_told_before_anybody_is_asked(
    tmp_path: Path, more: tuple[str, str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evolved(tmp_path, *more) == 2
    err = capsys.readouterr().err
    assert said in err
    assert "about to ask" not in err


def test_a_skill_is_called_by_its_frontmatter_or_by_its_place(tmp_path: Path) -> None:
    (tmp_path / "sums").mkdir()
    named, bare = opened("---\nname: adding-up\ndescription: Sums.\n---\n\n- Be brief\n"), opened("- Be brief\n")
    assert skill_name(named, tmp_path / "sums" / "SKILL.md") == "adding-up"
    assert skill_name(bare, tmp_path / "sums" / "SKILL.md") == "sums"
    assert skill_name(bare, tmp_path / "sums") == "sums"
    assert skill_name(bare, tmp_path / "notes.md") == "notes"


def test_a_folder_with_a_skill_is_taken_for_it(tmp_path: Path) -> None:
    write_skill(tmp_path)
    given = ["--tasks", TASKS, "--worker", MODEL, "--cap", "50", "--group", "3", "--attempts", "4", "--steps", "1"]
    assert (
        command(["evolve", str(tmp_path), *given, "--out", str(tmp_path / "run"), "--home", str(tmp_path / "h")]) == 0
    )


def test_a_few_missing_answers_are_counted_and_the_exit_code_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evolved(tmp_path, "--worker", "scripted:tests.evolve_world:shaky", "--editor", MODEL) == 1
    found = result(tmp_path)
    assert found.lost > 0
    assert f"{found.lost} attempts without an answer, whose pairs count for nothing" in capsys.readouterr().err
    assert GOOD in (tmp_path / "run" / "SKILL.md").read_text(encoding="utf-8")
