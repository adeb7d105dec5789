"""`bench run-writing`: the whole command on planted authors, with a scripted model and against a server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ingrained.bench.writing.methods import UNTRAINED
from ingrained.bench.writing.trace import StepShape, TraceShape
from ingrained.cli.app import run
from ingrained.ids import canonical_json
from ingrained.model.base import Message, Request, Sampling, Schema
from model_server import Reply, Served, refused, said, serving
from writing_planted import ASKED, BENCHMARKS, COUNTED, SCRIPTED, answer, write_authors

AUTHORS, MOST = 8, 3


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("authors") / "data"
    write_authors(folder, AUTHORS)
    return folder


def words(data: Path, out: Path, home: Path, *more: str, model: str = SCRIPTED) -> list[str]:
    asked = ["--task", "commit", "--data", str(data), "--most", str(MOST), "--model", model]
    return ["bench", "run-writing", *asked, "--out", str(out), "--home", str(home), "--json", *more]


def result(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    return json.loads(capsys.readouterr().out)


def traces(out: Path) -> list[TraceShape]:
    return [TraceShape.model_validate_json(line) for line in (out / "traces.jsonl").read_bytes().split(b"\n") if line]


def test_the_whole_command_with_a_scripted_model(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, home = tmp_path / "run", tmp_path / "home"
    assert run(words(data, out, home)) == 0
    found = result(capsys)
    assert [one["method"] for one in found["methods"]] == list(UNTRAINED)
    assert len(UNTRAINED) == 8
    assert found["cases"] == found["compared"] == MOST * 3
    assert all(one["traces"] == MOST * 3 and not one["parked"] for one in found["methods"])
    rows = {one["method"]: one for one in found["methods"]}
    # The scripted writer follows rules and nothing else.
    assert rows["atom-prompt"]["against"]["value"] > 0.1
    assert rows["no-skill"]["against"] is None
    assert rows["rag-history"]["against"]["value"] == 0
    by_method = {one["method"]: one for one in found["atoms"]}
    assert list(by_method) == ["adaptive-skill", "feedback", "atom-prompt"]  # the others do not listen
    assert by_method["feedback"]["kept_rightly"] == by_method["feedback"]["selection"] == 0
    assert by_method["adaptive-skill"]["atoms"] <= by_method["adaptive-skill"]["updates"]
    atoms = by_method["atom-prompt"]
    assert atoms["extraction"] == atoms["selection"] == 1
    assert atoms["extraction_covered"] > 0.9
    assert atoms["recall"] > 0.9
    assert atoms["kept_rightly"] == 1
    first = [one.steps[0].update for one in traces(out) if one.method == "atom-prompt"]
    # In the second round it may append what it was told already, which R_skill takes for no valid update.
    assert all(update.reward.value == 1 for update in first if update is not None)
    assert any(first)
    assert atoms["omission"] > -0.1
    mean = {one["part"]: one for one in found["bounds"]}["mean"]
    assert mean["floor"]["value"] < rows["atom-prompt"]["mean"]["value"] <= mean["ceiling"]["value"] + 0.05
    assert json.loads((out / "result.json").read_text("utf-8")) == found

    # Again from the folder alone: nothing is made or asked, and the tables are the same.
    before = (out / "traces.jsonl").read_bytes()
    assert run(["bench", "run-writing", "--out", str(out), "--home", str(tmp_path / "other"), "--json"]) == 0
    assert result(capsys) == found
    assert (out / "traces.jsonl").read_bytes() == before
    assert not (tmp_path / "other").exists()

    # And as a page.
    assert run(["bench", "run-writing", "--out", str(out), "--home", str(home)]) == 0
    page = capsys.readouterr().out
    assert "ceiling" in page
    assert "atom-prompt" in page


def test_drafts_are_shared_and_nothing_hidden_is_told(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    assert run(words(data, out, tmp_path / "home", "--seeds", "1", "--keep-share", "0")) == 0
    assert "answers were stored already" in capsys.readouterr().err
    by_case: dict[str, list[TraceShape]] = {}
    for one in traces(out):
        by_case.setdefault(one.context, []).append(one)
    for found in by_case.values():
        first = {one.method: one.steps[0] for one in found}
        same = ["no-skill", "adaptive-skill", "atom-prompt", "feedback"]
        assert len({first[name].messages for name in same}) == 1
        assert len({first[name].text for name in same}) == 1
        assert len({first[name].messages for name in ("no-skill", "general-skill", "no-history", "rag-history")}) == 4
        assert [len(one.steps) for one in found] == [3] * len(found)


def test_runs_of_one_and_of_two_rounds_share_the_first(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    some = ("--seeds", "1", "--method", "no-skill", "--method", "user-profile", "--method", "atom-prompt")

    def calls(rounds: int, out: str, home: str) -> list[str]:
        ASKED.clear()
        asked = words(data, tmp_path / out, tmp_path / home, *some, "--rounds", str(rounds), model=COUNTED)
        assert run(asked) == 0
        return [canonical_json(one.to_json()) for one in ASKED]

    one, two, alone = calls(1, "one", "home"), calls(2, "two", "home"), calls(2, "alone", "other")
    capsys.readouterr()
    assert len(one) == len(set(one))
    # The second run pays for what the first had not asked, and for nothing else.
    assert sorted(two) == sorted(set(alone) - set(one))
    steps = {name: {one.key: one.steps for one in traces(tmp_path / name)} for name in ("one", "two", "alone")}
    assert steps["two"] == steps["alone"]
    assert {key: found[0] for key, found in steps["one"].items()} == {
        key: found[0] for key, found in steps["two"].items()
    }
    # Of the first run's calls only held-out texts under rules that grew later are not asked for again.
    left = len({found[1].messages for found in steps["one"].values()} - messages(steps["two"]))
    assert len(set(one) - set(alone)) == left < len(one) / 2


def messages(steps: dict[str, tuple[StepShape, ...]]) -> set[str]:
    return {step.messages for found in steps.values() for step in found}


def test_a_killed_run_goes_on_where_it_was(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, home = tmp_path / "run", tmp_path / "home"
    some = ("--method", "no-skill", "--method", "atom-prompt", "--seeds", "1")
    child = subprocess.run(
        [sys.executable, "-m", "ingrained", *words(data, out, home, *some)],
        env=os.environ
        | {
            "INGRAINED_FAULT": "answers.stored:15",
            "PYTHONPATH": os.pathsep.join([*sys.path, str(BENCHMARKS)]),
        },
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert child.returncode not in {0, 1, 2, 3}, child.stderr.decode()
    with (out / "traces.jsonl").open("ab") as file:
        file.write(b'{"key": "torn')
    kept = [one.key for one in traces_of_whole_lines(out)]
    assert run(words(data, out, home, *some)) == 0
    found = result(capsys)
    again = [one.key for one in traces(out)]
    assert again[: len(kept)] == kept
    assert len(again) == len(set(again)) == 2 * MOST
    whole = tmp_path / "whole"
    assert run(words(data, whole, tmp_path / "fresh", *some)) == 0
    assert result(capsys) == found
    assert sorted(traces(whole), key=lambda one: one.key) == sorted(traces(out), key=lambda one: one.key)


def traces_of_whole_lines(out: Path) -> list[TraceShape]:
    lines = (out / "traces.jsonl").read_bytes().split(b"\n")[:-1]
    return [TraceShape.model_validate_json(line) for line in lines]


def answered(body: dict[str, Any]) -> str:
    """What the scripted model says to a request as it comes over the wire."""
    shape = body.get("response_format")
    schema = Schema(name=shape["json_schema"]["name"], body={}) if shape else None
    messages = tuple(Message(role=one["role"], text=one["content"]) for one in body["messages"])
    text = answer(Request(messages=messages, schema=schema, sampling=Sampling(seed=body.get("seed"))))
    return text if isinstance(text, str) else json.dumps(text)


def served_model(served: Served) -> str:
    return f"openai:small@{served.url}"


def test_the_same_command_against_a_server(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    out, home = tmp_path / "run", tmp_path / "home"
    with serving(lambda body, _: said(answered(body))) as served:
        asked = words(data, out, home, "--seeds", "1", "--max-calls", "400", model=served_model(served))
        assert run(asked) == 0
    found = result(capsys)
    assert found["compared"] == found["cases"] == MOST
    bodies = [json.dumps(body, sort_keys=True) for body in served.asked]
    assert len(bodies) == len(set(bodies))  # nothing is paid for twice
    assert {body["temperature"] for body in served.asked} == {0.7}
    assert {body["top_p"] for body in served.asked} == {0.8}


def test_failed_calls_are_records_and_are_asked_again(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    out, home = tmp_path / "run", tmp_path / "home"
    broken, seen = True, dict[str, str]()

    def reply(body: dict[str, Any], _: int) -> Reply:
        text = answered(body)
        system, history = body["messages"][0]["content"], body["messages"][-1]["content"].split("</data")[0]
        if broken and "KEEP" in system and seen.setdefault("first", history) == history:
            return refused(400, "this model takes no such request")
        return said(text)

    some = ("--seeds", "1", "--max-calls", "400", "--method", "no-skill", "--method", "adaptive-skill")
    with serving(reply) as served:
        asked = words(data, out, home, *some, model=served_model(served))
        assert run(asked) == 1
        told = capsys.readouterr()
        found = json.loads(told.out)
        assert "1 case is parked" in told.err
        rows = {one["method"]: one for one in found["methods"]}
        assert rows["adaptive-skill"]["parked"] == 1
        assert found["compared"] == MOST - 1
        assert found["left_out"] == {"update parked: failed": 1}
        broken = False
        assert run(asked) == 0
        assert result(capsys)["compared"] == MOST


def test_unusable_answers_keep_the_skill(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "script.jsonl"
    lines = [
        {"when": ["Now the task"], "answer": "The change keeps the parser. It reads one value and then the next."},
        {"when": ["Answer with one JSON object"], "answer": "I would rather talk."},
    ]
    script.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    out = tmp_path / "run"
    some = ("--seeds", "1", "--method", "atom-prompt", "--method", "adaptive-skill")
    assert run(words(data, out, tmp_path / "home", *some, model=f"scripted:{script}")) == 0
    found = result(capsys)
    assert found["compared"] == MOST
    assert all(one["unusable"] > 0 and one["rules"] == 0 for one in found["methods"])
    for one in traces(out):
        updates = [step.update for step in one.steps if step.update is not None]
        assert all(update.decision == "KEEP" and update.reward.value == 0 for update in updates)


def test_a_cap_ends_the_run_and_says_what_is_missing(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "run"
    some = ("--seeds", "1", "--method", "no-skill")
    assert run(words(data, out, tmp_path / "home", *some, "--max-calls", "5")) == 5
    found = result(capsys)
    assert found["compared"] < MOST
    assert sum(found["left_out"].values()) == MOST - found["compared"]
    assert run(words(data, out, tmp_path / "home", *some)) == 0
    assert result(capsys)["compared"] == MOST


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--rounds", "3"), "--rounds 3"),
        (("--seeds", "0"), "--seeds 0"),
        (("--method", "atom-promt"), "atom-prompt"),
        (("--method", "skillgrain"), "skillgrain=openai"),
        (("--keep-share", "2"), "--keep-share 2"),
    ],
)
def test_a_wrong_option_says_what_is_allowed(
    more: tuple[str, ...], told: str, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(words(data, tmp_path / "run", tmp_path / "home", *more)) == 2
    assert told in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_another_run_in_the_folder_is_not_mixed_in(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, home = tmp_path / "run", tmp_path / "home"
    assert run(words(data, out, home, "--seeds", "1", "--method", "no-skill")) == 0
    before = (out / "traces.jsonl").read_bytes()
    capsys.readouterr()
    assert run(words(data, out, home, "--seeds", "2", "--method", "no-skill")) == 2
    assert "seeds was 1 and is 2" in capsys.readouterr().err
    assert (out / "traces.jsonl").read_bytes() == before
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("dear", encoding="utf-8")
    assert run(words(data, tmp_path / "mine", home, "--seeds", "1")) == 2
    assert [one.name for one in (tmp_path / "mine").iterdir()] == ["thesis.txt"]


def test_a_trained_policy_has_a_model_of_its_own(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "script.jsonl"
    script.write_text(json.dumps({"when": ["Now the task"], "answer": "We wrote it."}), encoding="utf-8")
    out, policy = tmp_path / "run", f"skillgrain={SCRIPTED}"
    some = ("--seeds", "1", "--method", "no-skill", "--method", policy)
    assert run(words(data, out, tmp_path / "home", *some, model=f"scripted:{script}")) == 0
    rows = {one["method"]: one for one in result(capsys)["methods"]}
    assert rows[policy]["mean"]["value"] > rows["no-skill"]["mean"]["value"]
    assert {one.model for one in traces(out) if one.method == policy} == {SCRIPTED}


def test_feedback_in_the_words_of_a_model(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "speaker.jsonl"
    lines = [
        {"when": ["details", "contractions"], "answer": "- a list, which is no paragraph"},
        {"when": "have more of", "answer": "nothing of that"},
    ]
    script.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    some = ("--seeds", "1", "--method", "atom-prompt", "--feedback-model")
    assert run(words(data, tmp_path / "one", tmp_path / "home", *some, f"scripted:{script}")) == 0
    steps = [step for one in traces(tmp_path / "one") for step in one.steps]
    said = [step for step in steps if step.feedback]
    # An answer that loses a term is not taken; one that loses none is.
    assert {step.spoken for step in said} <= {"template", "model"}
    for step in said:
        terms = [target.term for target in step.targets if target.term]
        assert (step.spoken == "template") == bool(terms)
        assert (step.feedback == "nothing of that") == (not terms)
    capsys.readouterr()
    assert run(words(data, tmp_path / "one", tmp_path / "home", *some[:-1])) == 2
    assert "feedback_model" in capsys.readouterr().err


def test_on_stored_answers_alone(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    some = ("--seeds", "1", "--method", "atom-prompt")
    assert run(words(data, tmp_path / "one", tmp_path / "home", *some)) == 0
    found = result(capsys)
    monkeypatch.setenv("INGRAINED_REPLAY", "only")
    assert run(words(data, tmp_path / "two", tmp_path / "home", *some)) == 0
    assert result(capsys) == found
    assert run(words(data, tmp_path / "three", tmp_path / "empty", *some)) == 3
    assert "is stored for" in capsys.readouterr().err


def test_answer_only_rl_writes_with_the_policy_and_updates_with_the_base(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "writer.jsonl"
    script.write_text(json.dumps({"when": "Now the task", "answer": "We wrote it. It works."}), encoding="utf-8")
    policy = f"answer-only-rl=scripted:{script}"
    assert run(words(data, tmp_path / "run", tmp_path / "home", "--seeds", "1", "--method", policy)) == 0
    assert result(capsys)["compared"] == MOST
    steps = [step for one in traces(tmp_path / "run") for step in one.steps]
    assert {step.text for step in steps if step.source == "model"} == {"We wrote it. It works."}
    assert any(step.update is not None and step.update.decision == "UPDATE" for step in steps)


def test_a_folder_alone_has_to_hold_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "run-writing", "--out", str(tmp_path / "none"), "--home", str(tmp_path / "home")]) == 2
    assert "--task and --model" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()
