"""`bench judge-writing`: the whole command on a run of planted authors, with judges of every sort."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import judges
from ingrained.bench.writing.contexts import Built, Example
from ingrained.bench.writing.judge import ASPECTS, Marking, Text, bound_pairs, question
from ingrained.bench.writing.judge_run import JudgePlan, found_run, result_name
from ingrained.bench.writing.judge_tables import JudgeTables
from ingrained.bench.writing.prepared import built_of, stored
from ingrained.bench.writing.trace import TraceShape
from ingrained.cli.app import run
from ingrained.errors import ConfigError
from ingrained.model.base import Message, Request
from ingrained.report.writing_judge import writing_judge_text
from model_server import refused, said, serving
from writing_planted import SCRIPTED, write_authors

METHODS = ("no-skill", "feedback", "atom-prompt")
ATOM = ("--method", "no-skill", "--method", "atom-prompt")
MOST, SEEDS = 5, 2
CASES = MOST * SEEDS
GOLDEN = Path(__file__).parents[2] / "golden" / "prompts" / "judge.txt"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run, and its data beside."""
    folder = tmp_path_factory.mktemp("judged")
    write_authors(folder / "data", 8)
    asked = ["--task", "commit", "--data", str(folder / "data"), "--model", SCRIPTED, "--most", str(MOST)]
    asked += ["--per-author", "1"]
    some = [word for name in METHODS for word in ("--method", name)]
    out, home = str(folder / "run"), str(folder / "home")
    assert run(["bench", "run-writing", *asked, *some, "--seeds", str(SEEDS), "--out", out, "--home", home]) == 0
    return folder / "run"


@pytest.fixture
def out(made: Path, tmp_path: Path) -> Path:
    return shutil.copytree(made, tmp_path / "run")


@pytest.fixture(scope="module")
def built(made: Path) -> Built:
    config = stored(made)
    assert config is not None
    return built_of(config)


def words(out: Path, judge: str, *more: str) -> list[str]:
    home = ("--home", str(out.parent / "home"))
    return ["bench", "judge-writing", "--out", str(out), "--judge", judge, *home, *more]


def judged(out: Path, judge: str, capsys: pytest.CaptureFixture[str], *more: str) -> dict[str, Any]:
    capsys.readouterr()
    assert run(words(out, judge, "--json", *more)) == 0
    return json.loads(capsys.readouterr().out)


def shown(found: dict[str, Any]) -> str:
    return writing_judge_text(JudgeTables.model_validate(found))


def traces(out: Path) -> list[TraceShape]:
    return [TraceShape.model_validate_json(line) for line in (out / "traces.jsonl").read_bytes().split(b"\n") if line]


def rows(found: dict[str, Any]) -> dict[str, Any]:
    return {one["side"]: one for one in found["rows"]}


def test_a_judge_that_reads_mean4_judges_as_mean4_does(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    for one in traces(out):
        assert one.held_out is not None
        assert one.held_out.scores.mean is not None
        judges.MEAN4[one.held_out.text] = one.held_out.scores.mean
    judge = "scripted:judges:reads_mean4"
    found = judged(out, judge, capsys)
    assert (found["cases"], found["possible"], found["authors"]) == (CASES, CASES, MOST)
    assert len(found["verdicts"]) == CASES * (len(METHODS) - 1)
    assert found["independent"]
    assert found["left_out"] == {}
    assert found["bounds"] is None
    by_side = rows(found["methods"])
    assert list(by_side) == list(METHODS)
    assert sorted(METHODS, key=lambda one: by_side[one]["mark"]["value"]) == sorted(
        METHODS, key=lambda one: by_side[one]["mean4"]["value"]
    )
    for name, row in by_side.items():
        assert row["mark"]["value"] == pytest.approx(row["mean4"]["value"], abs=0.06)
        assert row["pairs"] == row["judged"] == CASES * (len(METHODS) - 1 if name == METHODS[0] else 1)
    grain = by_side["atom-prompt"]
    assert by_side["no-skill"]["against"] is by_side["no-skill"]["won"] is None
    assert grain["against"]["value"] == pytest.approx(
        grain["mark"]["value"] - by_side["no-skill"]["mark"]["value"], abs=0.1
    )
    assert grain["won"]["value"] > grain["lost"]["value"]
    assert sum(grain[what]["value"] for what in ("won", "tied", "lost")) == pytest.approx(1)
    belief = found["methods"]["belief"]
    assert belief["agreed"]["value"] == belief["with_mean4"]["value"] == 1
    assert belief["above_chance"]
    assert belief["place"]["value"] == 0
    assert belief["rank"]["value"] > 0  # whole marks are coarse

    # The folder has one file more, which says the same; again nothing is asked, and the page is one.
    after = {path.name: path.read_bytes() for path in out.iterdir()}
    assert json.loads(after.pop(result_name(judge))) == found
    assert after == before
    assert run(words(out, judge)) == 0
    page = capsys.readouterr()
    assert "nothing was sent" in page.err
    assert page.out.strip() == shown(found).strip()
    assert "the two orders name the same better text in 100.0" in page.out
    assert "(chance: 50 %)" in page.out


def test_a_judge_that_likes_a_place_has_no_winner_and_is_not_believed(
    out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = judged(out, "scripted:judges:likes_the_first", capsys)
    for row in found["methods"]["rows"][1:]:
        assert row["tied"]["value"] == 1
        assert row["won"]["value"] == row["lost"]["value"] == row["against"]["value"] == 0
    belief = found["methods"]["belief"]
    assert belief["agreed"]["value"] == 0
    assert not belief["above_chance"]
    assert belief["place"]["value"] == pytest.approx(6 / 9)
    assert belief["compared"] == 0
    assert "the place decides" in shown(found)


def test_a_judge_that_likes_everything_says_nothing(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = judged(out, "scripted:judges:likes_all", capsys)
    belief = found["methods"]["belief"]
    assert belief["decided"] == belief["compared"] == 0
    assert belief["agreed"] is belief["with_mean4"] is None
    assert not belief["above_chance"]
    assert "the marks do not say who is better" in shown(found)


def test_the_judge_reads_texts_and_nothing_of_how_they_came_about(
    out: Path, built: Built, capsys: pytest.CaptureFixture[str]
) -> None:
    judges.SEEN.clear()
    found = judged(out, "scripted:judges:likes_the_first", capsys)
    context = {one.id: one for one in built.contexts}
    held_out = {(one.context, one.seed, one.method): one for one in traces(out)}
    asked = {tuple(judges.blocks(request)): request for request in judges.SEEN}
    for one in found["verdicts"]:
        at = context[one["context"]]
        before = [*(each.text for each in at.histories), at.held_out.request]
        steps = [held_out[one["context"], one["seed"], name].held_out for name in (one["side"], one["against"])]
        texts = [step.text for step in steps if step is not None]
        assert (*before, *texts) in asked
        assert (*before, *reversed(texts)) in asked
        assert {read["first"] for read in one["readings"]} == {one["side"], one["against"]}
    firsts = {read["first"] == one["side"] for one in found["verdicts"] for read in one["readings"][:1]}
    assert firsts == {True, False}  # which order comes first is drawn
    rules = {rule for one in held_out.values() for rule in one.skill}
    assert rules
    for request in judges.SEEN:
        told = "\n".join(message.text for message in request.messages)
        assert not [name for name in (*METHODS, "Mean4", "skill") if name in told]
        assert not [rule for rule in rules if rule in told]
        assert request.sampling.temperature == 0
    same = sum(one["same"] for one in found["verdicts"])
    assert len(judges.SEEN) == len(asked) == 2 * len(found["verdicts"]) - same


def test_an_author_is_told_from_another_one(out: Path, built: Built, capsys: pytest.CaptureFixture[str]) -> None:
    for pair in bound_pairs([(one.id, 0) for one in built.contexts], built, 0):
        judges.MEAN4.update({one.text: one.mean4 for one in (pair.side, pair.against) if one.mean4 is not None})
    some = ("--bounds", "--method", "atom-prompt")
    found = judged(out, "scripted:judges:reads_mean4", capsys, *some)
    assert found["methods"] is None  # one method has no pair
    assert len(found["verdicts"]) == MOST  # once a context, whatever seeds there are
    by_side = rows(found["bounds"])
    assert by_side["own"]["mark"]["value"] == pytest.approx(by_side["own"]["mean4"]["value"], abs=0.06)
    assert by_side["another"]["mark"]["value"] == pytest.approx(by_side["another"]["mean4"]["value"], abs=0.06)
    assert by_side["own"]["against"]["low"] > 0
    assert "prefers the author's own text" in shown(found)
    fooled = judged(out, "scripted:judges:likes_the_first", capsys, *some)
    assert "does not surely prefer the author's own text" in shown(fooled)


def test_answers_of_no_use_are_asked_for_once_more_and_then_parked(
    out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = judged(out, "scripted:judges:talks", capsys, "--instances", "2", *ATOM)
    assert found["left_out"] == {"malformed": 4}
    assert all(one["mark"] is None and one["judged"] == 0 for one in found["methods"]["rows"])
    assert found["methods"]["belief"]["pairs"] == 0
    assert "left out: 4 answers malformed, such as: the answer is no JSON" in shown(found)
    assert "nothing can be said of the judge" in shown(found)


def over_the_wire(body: dict[str, Any]) -> Request:
    return Request(messages=tuple(Message(role=one["role"], text=one["content"]) for one in body["messages"]))


def test_a_pair_with_a_failed_order_does_not_count_and_is_asked_again(
    out: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    broken = True

    def reply(body: dict[str, Any], number: int) -> Any:
        if broken and number == 0:
            return refused(400, "this model takes no such request")
        return said(json.dumps(judges.measures_length(over_the_wire(body))))

    some = (*ATOM, "--max-calls", "100")
    with serving(reply) as served:
        judge = f"openai:small@{served.url}"
        assert run(words(out, judge, "--json", *some)) == 1
        told = capsys.readouterr()
        assert "1 answer never came" in told.err
        found = json.loads(told.out)
        assert found["left_out"] == {"failed": 1}
        assert rows(found["methods"])["atom-prompt"]["judged"] == CASES - 1
        before, broken = len(served.asked), False
        found = judged(out, judge, capsys, *some)
        assert len(served.asked) == before + 1
        assert rows(found["methods"])["atom-prompt"]["judged"] == CASES
        schema = served.asked[0]["response_format"]["json_schema"]
        assert schema["name"] == "marking"
    assert (out / "judge-openai-small.json").exists()


def test_a_cap_ends_it_with_the_tables_so_far(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    judge = "scripted:judges:measures_length"
    assert run(words(out, judge, "--json", "--max-calls", "11")) == 5
    found = json.loads(capsys.readouterr().out)
    assert 0 < found["methods"]["rows"][0]["judged"] < CASES
    assert set(found["left_out"]) == {"budget"}
    whole = judged(out, judge, capsys)
    assert whole["left_out"] == {}
    fresh = shutil.copytree(out, out.parent / "elsewhere" / "run")
    assert judged(fresh, judge, capsys) == whole


def test_on_stored_answers_alone(
    out: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    judge = "scripted:judges:measures_length"
    found = judged(out, judge, capsys, "--instances", "3")
    monkeypatch.setenv("INGRAINED_REPLAY", "only")
    assert judged(out, judge, capsys, "--instances", "3") == found
    assert judged(out, judge, capsys, "--instances", "2")["cases"] == 2  # a part of the larger sample
    assert run(words(out, judge, "--instances", "4")) == 3
    assert "is stored for" in capsys.readouterr().err


def test_a_run_of_another_version_and_one_that_goes_on_are_judged(
    out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = judged(out, "scripted:judges:measures_length", capsys)
    config = json.loads((out / "config.json").read_text("utf-8"))
    (out / "config.json").write_text(json.dumps(config | {"prompts": "b2:older"}), encoding="utf-8")
    torn = (out / "traces.jsonl").read_bytes() + b'{"key": "torn'
    (out / "traces.jsonl").write_bytes(torn)
    assert judged(out, "scripted:judges:measures_length", capsys) == found
    assert (out / "traces.jsonl").read_bytes() == torn


def test_other_data_is_refused(out: Path, made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = json.loads((out / "config.json").read_text("utf-8"))
    data = shutil.copytree(made.parent / "data", out.parent / "data")
    next(iter(sorted(data.iterdir()))).unlink()
    (out / "config.json").write_text(json.dumps(config | {"data": [str(data)]}), encoding="utf-8")
    assert run(words(out, "scripted:judges:likes_all")) == 2
    told = capsys.readouterr().err
    assert config["contexts"] in told
    assert str(data) in told
    assert not (out / result_name("scripted:judges:likes_all")).exists()


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--instances", "0"), "--instances 0"),
        (("--method", "atom-promt", "--method", "no-skill"), "has answers of no-skill, feedback, atom-prompt"),
        (("--method", "no-skill"), "--bounds"),
    ],
)
def test_a_wrong_option_says_what_is_allowed(
    more: tuple[str, ...], told: str, out: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(words(out, "nobody")) == 2
    assert "provider:name" in capsys.readouterr().err
    assert run(words(out, "scripted:judges:likes_all", *more)) == 2
    assert told in capsys.readouterr().err
    assert len(list(out.iterdir())) == 3


def test_a_folder_without_a_run_or_without_answers_is_refused(out: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="holds no run"):
        found_run(JudgePlan(out=tmp_path / "none", judge="scripted:x"))
    lines = [line for line in (out / "traces.jsonl").read_bytes().split(b"\n") if b'"method":"feedback"' not in line]
    (out / "traces.jsonl").write_bytes(b"\n".join(lines))
    assert found_run(JudgePlan(out=out, judge="scripted:x")).methods == ("no-skill", "atom-prompt")
    with pytest.raises(ConfigError, match="'feedback' has no answer yet"):
        found_run(JudgePlan(out=out, judge="scripted:x", methods=("no-skill", "feedback")))
    (out / "traces.jsonl").write_bytes(b"")
    with pytest.raises(ConfigError, match="two methods with answers are needed"):
        found_run(JudgePlan(out=out, judge="scripted:x"))


def test_the_writer_as_judge_is_called_that(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = json.loads((out / "config.json").read_text("utf-8"))
    judge = "scripted:judges:likes_all"
    (out / "config.json").write_text(json.dumps(config | {"model": judge}), encoding="utf-8")
    found = judged(out, judge, capsys, "--instances", "1", *ATOM)
    assert not found["independent"]
    assert "it is not independent" in shown(found)
    assert "one author only" in shown(found)


@pytest.mark.parametrize(
    ("judge", "name"),
    [
        ("local:", "judge-local.json"),
        ("local:/some/where/small-q4.gguf", "judge-local-small-q4.gguf.json"),
        ("openai:gpt-4.1-mini", "judge-openai-gpt-4.1-mini.json"),
        ("openai:org/large@http://127.0.0.1:8000/v1", "judge-openai-large.json"),
        ("scripted:my.module:function", "judge-scripted-my.module-function.json"),
        ("scripted:../..", "judge-scripted.json"),
    ],
)
def test_a_judge_has_a_file_of_its_own(judge: str, name: str) -> None:
    assert result_name(judge) == name


def test_the_prompt_reads_as_it_did(built: Built) -> None:
    context = replace(
        built.contexts[0],
        histories=tuple(Example(request="Write.", text=text) for text in ("One letter.", "Another letter.")),
        held_out=replace(built.contexts[0].held_out, request="Write about the invoice."),
    )
    request = question(
        context, Text(name="x", text="It is paid.", mean4=0), Text(name="y", text="Dear all, …", mean4=1)
    )
    text = "".join(f"=== {message.role}\n{message.text}\n" for message in request.messages)
    if os.environ.get("INGRAINED_WRITE_GOLDEN"):
        GOLDEN.write_text(text, encoding="utf-8")
    assert text == GOLDEN.read_text(encoding="utf-8")


@pytest.mark.parametrize("mark", [0, 11, "7", 7.5, True, None])
def test_only_whole_marks_from_1_to_10_are_taken(mark: object) -> None:
    good = {aspect: {"A": 1, "B": 10} for aspect in ASPECTS}
    assert Marking.model_validate(good).length.B == 10
    with pytest.raises(ValueError, match="length"):
        Marking.model_validate(good | {"length": {"A": 1, "B": mark}})
