"""Scripts: lines that fit, lines in order, functions, and what is wrong with them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import anyio
import pytest

from ingrained.errors import ConfigError, ModelError, ModelQuotaError, ModelRateError
from ingrained.model.base import Completion, Model, Request, Settings
from ingrained.model.scripted import scripted_model
from ingrained.model.structured import again, schema_of
from model_world import Colours, completion, request


def script(tmp_path: Path, *lines: object) -> Model:
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\n\n", encoding="utf-8")
    return scripted_model(str(path), Settings())


def said(model: Model, asked: Request) -> Completion:
    return anyio.run(model.complete, asked)


def test_the_first_line_that_fits_serves_every_such_request(tmp_path: Path) -> None:
    model = script(
        tmp_path,
        {"when": "colours", "answer": "red"},
        {"when": ["NAME", "colours"], "answer": "never"},
        {"when": "sh[ae]pe.*round", "regex": True, "answer": {"shape": "ring"}, "note": "a pattern"},
        {"answer": "first"},
        {"answer": "second"},
    )
    assert [said(model, request()).text for _ in range(2)] == ["red", "red"]
    assert said(model, request("A shape,\nquite ROUND")).text == '{"shape": "ring"}'
    assert [said(model, request("else")).text for _ in range(2)] == ["first", "second"]
    with pytest.raises(ModelError, match="no answer to 'else'") as caught:
        said(model, request("else"))
    assert caught.value.hint


def test_json_answers_are_parsed_and_counted(tmp_path: Path) -> None:
    model = script(tmp_path, {"answer": {"colours": ["röt"]}})
    answer = said(model, request(schema=schema_of(Colours)))
    assert answer.parsed == {"colours": ["röt"]}
    assert answer.usage.estimated
    assert model.facts.free


def test_a_line_may_fail_or_be_cut(tmp_path: Path) -> None:
    model = script(
        tmp_path,
        {"when": "a", "regex": True, "error": "quota"},
        {"error": "rate"},
        {"answer": "cut of", "finish": "length"},
    )
    with pytest.raises(ModelQuotaError):
        said(model, request("a"))
    with pytest.raises(ModelRateError):
        said(model, request("b"))
    assert said(model, request("c")).finish == "length"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("nonsense", "answers.jsonl:1"),
        ('{"wen": "x", "answer": "y"}', "wen"),
        ('{"when": "(", "regex": true, "answer": "y"}', "no pattern"),
        ('{"answer": "y", "error": "boom"}', "error"),
        ('{"when": "x"}', "neither an answer nor an error"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: str, told: str) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        scripted_model(str(path), Settings())
    assert told in caught.value.message
    assert "answers.jsonl:1" in caught.value.message


def test_a_question_without_an_answer_is_shown_with_what_was_wrong(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text('{"answer": {"atoms": 1}}\n{"answer": null}\n', encoding="utf-8")
    model = scripted_model(str(path), Settings())
    first = request("a")
    answer = said(model, first)
    assert said(model, first).text == "null"
    with pytest.raises(ModelError, match="atoms: no list") as caught:
        said(model, again(first, answer, "atoms: no list"))
    assert "line of its own" in caught.value.hint


def test_a_script_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="names no script"):
        scripted_model("", Settings())
    for name in (str(tmp_path / "none.jsonl"), str(tmp_path), "no.such.module:function", "json:no_such", "sys:path"):
        with pytest.raises(ConfigError):
            scripted_model(name, Settings())


def test_a_function_answers_and_may_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = (
        "from ingrained.model.base import Completion, Usage\n"
        "def plain(request): return {'said': request.messages[-1].text}\n"
        "async def waits(request): return 'later'\n"
        "def whole(request): return Completion(text='all', usage=Usage(input_tokens=1, output_tokens=2))\n"
    )
    (tmp_path / "scripted_answers.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    try:
        assert said(scripted_model("scripted_answers:plain", Settings()), request("hm")).text == '{"said": "hm"}'
        assert said(scripted_model("scripted_answers:waits", Settings()), request()).text == "later"
        assert said(scripted_model("scripted_answers:whole", Settings()), request()) == completion(
            "all", read=1, wrote=2
        )
    finally:
        sys.modules.pop("scripted_answers", None)


def test_another_script_is_another_model(tmp_path: Path) -> None:
    one = script(tmp_path, {"answer": "a"}).facts
    (tmp_path / "moved.jsonl").write_bytes((tmp_path / "answers.jsonl").read_bytes())
    assert scripted_model(str(tmp_path / "moved.jsonl"), Settings()).facts == one
    assert script(tmp_path, {"answer": "b"}).facts != one
