"""skill-creator's evals.json: what becomes a task, what is refused and how it is named, and that writing loses no rubric."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingrained.bench.evals import MOST_OF_A_FILE, evals_json, in_words, load, numbers
from ingrained.bench.tasks import tasks_of
from ingrained.errors import ConfigError, UnknownNameError
from ingrained.harness.base import Task, Trace
from ingrained.verify.base import VERIFIERS
from ingrained.verify.judge import rubrics_of
from ingrained.verify.program import Known
from ingrained.verify.score import Score
from rubric_judges import holds, model

ONE: dict[str, Any] = {
    "id": 1,
    "prompt": "Sum up the invoice.",
    "expected_output": "A sum in euros",
    "files": [],
    "expectations": ["Names euros", "Says 40"],
}


def written(folder: Path, *evals: object, **top: object) -> Path:
    place = folder / "evals"
    place.mkdir(exist_ok=True)
    (place / "evals.json").write_text(json.dumps({"skill_name": "invoices", "evals": evals, **top}), "utf-8")
    return folder


def test_an_eval_is_a_task_whose_rubrics_are_its_expectations(tmp_path: Path) -> None:
    found = load(written(tmp_path, ONE, {"id": "tax-7", "prompt": "And tax?", "expected_output": "7 %"}))
    assert found.verifier == "rubrics"
    first, second = found.tasks
    assert (first.id, first.benchmark, first.family, first.request) == ("1", "evals", "invoices", ONE["prompt"])
    assert first.known == {"rubrics": ["Names euros", "Says 40"], "expected_output": "A sum in euros"}
    assert (second.id, second.known["rubrics"]) == ("tax-7", ["7 %"])
    assert load(tmp_path / "evals").tasks == load(tmp_path / "evals/evals.json").tasks == found.tasks


def test_the_older_form_says_assertions(tmp_path: Path) -> None:
    older = [
        "Plain",
        {"text": "As text", "type": "manual"},
        {"name": "sum", "description": "Has a sum"},
        {"description": "Alone"},
        {"name": "asks", "check": "Asks for the month"},
    ]
    (task,) = load(written(tmp_path, {"id": 2, "prompt": "p", "assertions": older, "eval_name": "x"})).tasks
    assert task.known == {"rubrics": ["Plain", "As text", "sum: Has a sum", "Alone", "asks: Asks for the month"]}


def test_an_eval_that_nothing_can_judge_is_left_out_and_alone_an_error(tmp_path: Path) -> None:
    bare = {"id": 9, "prompt": "Do it."}
    found = load(written(tmp_path, ONE, bare))
    assert [one.id for one in found.tasks] == ["1"]
    assert [(one.why, one.detail) for one in found.dropped] == [("neither expectations nor expected_output", "eval 9")]
    with pytest.raises(ConfigError, match=r"no eval can be judged.*eval 9"):
        load(written(tmp_path, bare))


def test_the_texts_of_files_stand_in_the_request_under_their_names(tmp_path: Path) -> None:
    (tmp_path / "evals").mkdir()
    (tmp_path / "evals/a.csv").write_text("x,1\n", "utf-8")
    (tmp_path / "long.txt").write_text("y" * (MOST_OF_A_FILE + 3), "utf-8")
    (task,) = load(written(tmp_path, {**ONE, "files": ["evals/a.csv", "long.txt"]})).tasks
    shown = "y" * MOST_OF_A_FILE
    assert task.request == (
        f"Sum up the invoice.\n\nFile evals/a.csv:\nx,1\n\n\nFile long.txt:\n{shown}\n[… 3 more characters]"
    )


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("gone.txt", "gone.txt: No such file"),
        ("evals", "Is a directory"),
        ("data.bin", "no text: it holds zero bytes"),
        ("latin.txt", "no text in UTF-8"),
        ("../outside.txt", "leads out of the skill's folder"),
        ("link.txt", "leads out of the skill's folder"),
        ("/etc/hosts", "leads out of the skill's folder"),
        ("a\0b", "null"),
    ],
)
def test_a_file_that_cannot_be_shown_is_named_with_its_eval(tmp_path: Path, name: str, says: str) -> None:
    skill = tmp_path / "skill"
    skill.mkdir()
    (tmp_path / "outside.txt").write_text("secret", "utf-8")
    (skill / "link.txt").symlink_to(tmp_path / "outside.txt")
    (skill / "data.bin").write_bytes(b"\0\1")
    (skill / "latin.txt").write_bytes(b"caf\xe9")
    with pytest.raises(ConfigError, match=rf"evals\.json: eval 1: files: .*{says}") as caught:
        load(written(skill, {**ONE, "files": [name]}))
    assert "relative to the skill's folder" in caught.value.hint


@pytest.mark.parametrize(
    ("evals", "top", "says"),
    [
        ([{**ONE, "prompt": " "}], {}, "eval 1: prompt"),
        ([ONE, {"id": "b"}], {}, "eval 'b': prompt: Field required"),
        ([ONE, {"prompt": "p"}], {}, "eval number 2: id"),
        ([{**ONE, "id": True}], {}, "eval True: id: neither a whole number nor a text"),
        ([{**ONE, "expectations": ["x", ""]}], {}, r"eval 1: expectations\.1: no statement"),
        ([{**ONE, "expectations": [{"name": "label"}]}], {}, r"eval 1: expectations\.0: no statement"),
        ([{**ONE, "expectations": [3]}], {}, r"eval 1: expectations\.0: no JSON object"),
        ([7], {}, "eval number 1: the whole: no JSON object"),
        ([ONE, {**ONE, "id": "1"}], {}, "evals: id 1 occurs more than once"),
        ([], {}, "evals: Tuple should have at least 1 item"),
        ([ONE], {"skill_name": ""}, "skill_name"),
    ],
)
def test_what_is_not_of_the_format_is_named_by_file_eval_and_field(
    tmp_path: Path, evals: list[object], top: dict[str, object], says: str
) -> None:
    with pytest.raises(ConfigError, match=rf"evals\.json: {says}"):
        load(written(tmp_path, *evals, **top))


def test_what_is_no_json_or_not_there_is_an_error(tmp_path: Path) -> None:
    place = tmp_path / "evals.json"
    with pytest.raises(ConfigError, match="cannot read"):
        load(place)
    for data in (b"{", b"\xff\xfe", b"[]"):
        place.write_bytes(data)
        with pytest.raises(ConfigError, match=r"evals\.json: (no JSON|the whole: no JSON object)"):
            load(place)


@pytest.mark.anyio
async def test_the_verifier_that_it_names_judges_its_tasks(tmp_path: Path) -> None:
    found = load(written(tmp_path, ONE))
    (task,) = found.tasks
    verifier = VERIFIERS.load(found.verifier)(model(holds), {})
    for answer, value in (("40 euros, says me: Names euros. Says 40.", 1.0), ("Names euros.", 0.0)):
        trace = Trace(task=task.id, worker="w", skill="", seed=0, answer=answer, stop="answered")
        assert (await verifier.check(task, trace)).outcome == Score(value=value)


words = st.text(min_size=1).filter(lambda text: bool(text.strip()))


@given(st.lists(st.tuples(words, st.lists(words, min_size=1, max_size=3), st.text()), min_size=1, max_size=4), words)
def test_what_is_written_from_rubrics_reads_back_the_same(
    made: list[tuple[str, list[str], str]], skill_name: str
) -> None:
    tasks = [
        Task(
            id=f"t{nth}", benchmark="b", request=request, known={"rubrics": list(rubrics), "expected_output": expected}
        )
        for nth, (request, rubrics, expected) in enumerate(made)
    ]
    done = evals_json(tasks, skill_name)
    assert done.lost == ()
    with TemporaryDirectory() as folder:
        place = Path(folder) / "evals.json"
        place.write_text(done.file.text(), "utf-8")
        back = load(place)
    assert back.dropped == ()
    assert [(one.request, rubrics_of(one)) for one in back.tasks] == [(one.request, rubrics_of(one)) for one in tasks]
    assert [one.id for one in back.tasks] == [str(nth) for nth in range(1, len(tasks) + 1)]
    assert {one.family for one in back.tasks} == {skill_name}
    assert evals_json(back.tasks, skill_name).file == done.file


CHECKS = [
    ({"check": "matches", "pattern": "^a", "on": "first line"}, "in the first line of the answer, the regular expression `^a` matches at least once"),
    ({"check": "matches", "pattern": "x", "least": 0, "most": 0}, "in the answer, the regular expression `x` matches nowhere"),
    ({"check": "matches", "pattern": "x", "least": 2, "most": 2, "on": "rest"}, "in what follows the first line of the answer, the regular expression `x` matches exactly 2 times"),
    ({"check": "equals", "text": "yes", "on": "last line"}, "the last line of the answer is exactly: yes"),
    ({"check": "length", "most": 72}, "the answer has at most 72 characters"),
    ({"check": "length", "of": "words", "least": 2, "most": 5}, "the answer has 2 to 5 words"),
    ({"check": "length", "of": "longest line", "most": 76}, "the longest line of the answer has at most 76 characters"),
    ({"check": "json", "path": ["a", 0], "value": "é"}, 'the answer is JSON, and the value at a / 0 is "é"'),
    ({"check": "json", "value": [1]}, "the answer is JSON, and the whole is [1]"),
    ({"check": "program", "code": "exit(0)"}, "this Python program ends with exit code 0, the answer in answer.txt:\nexit(0)"),
]  # fmt: skip


@pytest.mark.parametrize(("check", "says"), CHECKS)
def test_a_check_in_words_names_part_kind_and_ends(check: dict[str, object], says: str) -> None:
    known = Known.model_validate({"checks": [{"name": "c", **check}]})
    assert in_words(known.checks[0]) == f"c: {says}"
    done = evals_json([Task(id="t", benchmark="b", request="r", known=known.model_dump(mode="json"))], "s")
    assert done.file.evals[0].expectations == (f"c: {says}",)
    assert [one.why for one in done.lost] == ["that its checks are exact: they became words"]


def test_what_has_no_words_is_empty_and_told() -> None:
    task = Task(id="t", benchmark="b", request="r", world="tau2", user="You are Ann.", known={"answer": "B"})
    done = evals_json([task], "s")
    assert json.loads(done.file.text()) == {
        "skill_name": "s",
        "evals": [{"id": 1, "prompt": "r", "expected_output": "", "files": [], "expectations": []}],
    }
    assert [(one.place, one.why) for one in done.lost] == [
        ("task 't'", "its tools"),
        ("task 't'", "what its user is told"),
        ("task 't'", "what its verifier knows"),
    ]


def test_evals_keep_their_numbers_where_all_have_one(tmp_path: Path) -> None:
    tasks = load(written(tmp_path, {**ONE, "id": 7}, {**ONE, "id": 0})).tasks
    assert numbers(tasks) == {"7": 7, "0": 0}
    assert [one.id for one in evals_json(tasks, "s").file.evals] == [7, 0]
    assert numbers(load(written(tmp_path, {**ONE, "id": 7}, {**ONE, "id": "x"})).tasks) == {"7": 1, "x": 2}
    assert numbers([one.model_copy(update={"benchmark": "b"}) for one in tasks]) == {"7": 1, "0": 2}
    with pytest.raises(ConfigError, match="one id"):
        numbers([*tasks, *tasks])


def test_a_bare_path_to_json_means_evals(tmp_path: Path) -> None:
    place = written(tmp_path, ONE) / "evals" / "evals.json"
    assert tasks_of(str(place)) == tasks_of(f"evals:{place}") == tasks_of(f" evals:{tmp_path}") == load(place)
    with pytest.raises(ConfigError, match=r"evals:\S*gone\.json: not there; expected is evals/evals\.json") as caught:
        tasks_of(str(tmp_path / "gone.json"))
    assert "ingrained plugins benchmark" in caught.value.hint
    with pytest.raises(UnknownNameError, match=r"no ingrained.benches called 'eval'.*did you mean 'evals'"):
        tasks_of("eval:x")
