"""`ingrained score writing`: the figures, what was left out, and what a wrong path is answered with."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ingrained.cli.app import run
from ingrained.report.writing_shape import WritingShape

CALM = "The river was calm. The boats went by. We met Alice there."
LOUD = "The river was calm! The boats went by! We met Alice there!"


@pytest.fixture
def world(tmp_path: Path) -> Path:
    for author, text in {"me": LOUD, "ana": CALM, "ben": CALM, "cem": CALM}.items():
        folder = tmp_path / "authors" / author
        folder.mkdir(parents=True)
        for number in range(3):
            (folder / f"{number}.txt").write_text(f"{text} Number {number}.", encoding="utf-8")
    (tmp_path / "draft.md").write_text("\ufeffAlice saw the river!\r\nShe went by! It was calm!", encoding="utf-8")
    (tmp_path / "request.txt").write_text("Tell of Alice", encoding="utf-8")
    (tmp_path / "earlier.txt").write_text("Tell of her River and Mooring", encoding="utf-8")
    return tmp_path


def scored(world: Path, capsys: pytest.CaptureFixture[str], *more: str) -> WritingShape:
    assert run([*asked(world), *more, "--json"]) == 0
    return WritingShape.model_validate(json.loads(capsys.readouterr().out))


def asked(world: Path) -> list[str]:
    return ["score", "writing", "--history", str(world / "authors" / "me"), "--response", str(world / "draft.md")]


def test_all_four_parts_and_their_mean(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shape = scored(world, capsys, "--population", str(world / "authors"))
    parts = [shape.length, shape.first_person, shape.expression, shape.non_leakage]
    values = [part.score for part in parts if part.score is not None]
    assert shape.score == pytest.approx(sum(values) / 4)
    assert len(values) == 4
    assert (shape.length.words, shape.length.median, shape.length.bounds.low) == (10, 14, 9.8)
    assert shape.first_person.tolerance == pytest.approx(max(2, 0.6 * shape.first_person.history_rate))
    assert shape.expression.feature == "exclamation_marks"
    assert shape.authors == 3  # the author's own folder among them is left out
    assert [one.text for one in shape.non_leakage.found] == ["Alice"]
    assert len(shape.histories) == 3
    assert shape.notes == ["without --request every term of the histories is a candidate for a leak"]


def test_the_request_supports_terms_and_earlier_ones_add_some(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    request = ("--request", str(world / "request.txt"))
    shape = scored(world, capsys, *request)
    assert shape.non_leakage.found == []
    assert shape.non_leakage.supported == ["Alice"]
    shape = scored(world, capsys, *request, "--adaptation-request", str(world / "earlier.txt"))
    assert "Mooring" in [one.text for one in shape.non_leakage.candidates]


def test_without_a_population_it_says_what_is_not_scored(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shape = scored(world, capsys)
    assert (shape.score, shape.expression.score) == (None, None)
    assert shape.unscored == shape.expression.unscored == "no population to tell the author from"
    assert any("--population" in note for note in shape.notes)


def test_the_text_names_each_part_and_what_was_carried_over(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*asked(world), "--population", str(world / "authors")]) == 0
    text = capsys.readouterr().out
    assert "against 3 histories and 3 other authors" in text
    for start in ("length", "first person", "expression", "non-leakage", "mean"):
        assert any(line.startswith(start) for line in text.splitlines()), start
    assert "Alice (capitalised)" in text
    assert "chosen" in text
    assert run(asked(world)) == 0
    assert "no population" in capsys.readouterr().out


def test_what_is_no_text_is_left_out_and_named(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = world / "authors" / "me"
    (mine / "picture.png").write_bytes(b"\x89PNG\xff\x00")
    (mine / "zeros.txt").write_bytes(b"a\0b")
    (mine / "empty.txt").write_text("", encoding="utf-8")
    (mine / "han.txt").write_text("学会保留什么", encoding="utf-8")
    (mine / ".hidden").write_text("not looked at", encoding="utf-8")
    (world / "authors" / "README").write_text("about this folder", encoding="utf-8")
    (world / "authors" / "nobody").mkdir()
    shape = scored(world, capsys, "--population", str(world / "authors"))
    assert len(shape.histories) == 3
    assert {Path(one.path).name for one in shape.skipped} == {
        "picture.png",
        "zeros.txt",
        "empty.txt",
        "han.txt",
        "README",
        "nobody",
    }


def test_a_response_among_the_histories_is_none_of_them(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = world / "authors" / "me"
    assert run(["score", "writing", "--history", str(mine), "--response", str(mine / "1.txt"), "--json"]) == 0
    shape = WritingShape.model_validate(json.loads(capsys.readouterr().out))
    assert [Path(one.path).name for one in shape.histories] == ["0.txt", "2.txt"]
    assert [(Path(one.path).name, one.why) for one in shape.skipped] == [("1.txt", "it is the text that is scored")]


def test_an_empty_response_is_worth_nothing(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (world / "draft.md").write_text("\n", encoding="utf-8")
    shape = scored(world, capsys)
    assert shape.score == 0
    assert "the response holds no word: every part of it is 0" in shape.notes
    assert not any("expression is not scored" in note for note in shape.notes)


def test_where_nothing_could_be_carried_over_it_says_so(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in (world / "authors" / "me").iterdir():
        path.write_text("we went by the river and it was calm there.", encoding="utf-8")
    shape = scored(world, capsys)
    assert shape.non_leakage.candidates == []
    assert any("non-leakage says nothing" in note for note in shape.notes)
    assert run(asked(world)) == 0
    text = capsys.readouterr().out
    assert "0 of 0" not in text
    assert "no term that could be carried over" in text


@pytest.mark.parametrize(
    ("change", "code", "said"),
    [
        (("--response", "gone.txt"), 2, "gone.txt: No such file"),
        (("--history", "gone"), 2, "gone: No such file"),
        (("--history", "draft.md"), 2, "draft.md: Not a directory"),
        (("--request", "authors"), 2, "authors: Is a directory"),
        (("--population", "authors/me"), 2, "no author in it"),
        (("--history", "nothing"), 2, "nothing: no history holds words"),
    ],
)
def test_a_wrong_path_is_named_with_what_to_do(
    world: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    change: tuple[str, str],
    code: int,
    said: str,
) -> None:
    monkeypatch.chdir(world)
    (world / "nothing").mkdir()
    words = {"--history": "authors/me", "--response": "draft.md"} | dict([change])
    assert run(["score", "writing", *(word for pair in words.items() for word in pair)]) == code
    error = capsys.readouterr().err
    assert said in error
    assert "\nnext: " in error


@pytest.mark.parametrize(
    ("text", "population", "code", "said"),
    [
        (LOUD, False, 0, ""),  # expression was not asked for
        (LOUD, True, 0, ""),
        ("", True, 0, ""),  # no word is worth nothing, and that is a score
        ("学会保留什么", False, 1, "no word separation"),
        ("学会保留什么", True, 1, "no word separation"),
    ],
)
def test_what_was_asked_for_and_cannot_be_judged_is_no_success(
    world: Path, capsys: pytest.CaptureFixture[str], text: str, *, population: bool, code: int, said: str
) -> None:
    (world / "draft.md").write_text(text, encoding="utf-8")
    more = ("--population", str(world / "authors")) if population else ()
    assert run([*asked(world), *more, "--json"]) == code
    out, err = capsys.readouterr()
    shape = WritingShape.model_validate(json.loads(out))  # what there is, is out first
    assert (shape.length.score is None) == bool(code)
    assert said in err
    assert ("\nnext: " in err) == bool(code)


def test_an_author_without_a_habit_of_their_own_is_not_judged(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in (world / "authors" / "me").iterdir():
        path.write_text(f"{CALM} Number {path.stem}.", encoding="utf-8")
    assert run([*asked(world), "--population", str(world / "authors")]) == 1
    out, err = capsys.readouterr()
    assert "non-leakage" in out
    assert "stable and distinctive" in err
