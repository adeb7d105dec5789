"""One rule for all commands that ask a model: 0 all answers are there, 1 some are missing, 5 a limit, 3 nobody to ask."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ingrained.cli.app import run
from session_logs import Claude, write

SAID = "Never use exclamation marks in mails."
ATOMS = {"atoms": [{"id": "f1", "quote": SAID, "content": SAID, "transferable": True}]}
COMMANDS = ("feedback", "write", "learn", "bench")


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    Path("ask.txt").write_text("Write to the customer.", encoding="utf-8")
    Path("mail.txt").write_text("Dear all!", encoding="utf-8")
    log = Claude("11111111-2222-4333-8444-555555555555", cwd=str(tmp_path / "work"))
    for text in (SAID, "What is in the cart?"):
        log.agent("Done.")
        log.user(text)
    write(tmp_path / "logs" / "11111111-2222-4333-8444-555555555555.jsonl", log.rows)
    labels = [
        {"session": "p/s.jsonl", "line": 4, "text": SAID, "atoms": [{"rule": "marks", "transferable": True}]},
        {"session": "p/s.jsonl", "line": 9, "text": "What is in the cart?", "atoms": []},
    ]
    Path("labels.jsonl").write_text("".join(json.dumps(one) + "\n" for one in labels), encoding="utf-8")
    return tmp_path


def words(command: str, model: str, *more: str) -> list[str]:
    given = {
        "feedback": ["feedback", "--user", "ana", "--request", "ask.txt", "--draft", "mail.txt", "--feedback", SAID],
        "write": ["write", "--user", "ana", "--request", "ask.txt"],
        "learn": ["learn", "logs"],
        "bench": ["bench", "feedback", "--labels", "labels.jsonl"],
    }[command]
    asked = ["--decomposer", f"model:{model}"] if command == "bench" else ["--model", model]
    return [*given, *asked, "--home", "home", "--json", *more]


def script(*lines: Mapping[str, Any]) -> str:
    Path("script.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return "scripted:script.jsonl"


def answers(command: str, *lines: Mapping[str, Any]) -> str:
    """A script whose first question has a good answer where the command asks two."""
    good = {"when": "exclamation marks", "answer": ATOMS}
    return script(*([good] if command in {"learn", "bench"} else []), *lines)


def code(capsys: pytest.CaptureFixture[str], asked: Sequence[str]) -> tuple[int, str, str]:
    found = run([*asked])
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return found, out, err


@pytest.mark.parametrize("command", COMMANDS)
def test_all_answers_are_there(command: str, desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = "Dear A." if command == "write" else ATOMS if command == "feedback" else {"atoms": []}
    found, out, err = code(capsys, words(command, answers(command, {"answer": answer})))
    assert (found, "error:" in err) == (0, False)
    assert json.loads(out)


MISSING: dict[str, list[dict[str, Any]]] = {
    "malformed": [{"answer": ""}, {"answer": ""}],
    "refused": [{"answer": "I cannot.", "finish": "refused"}],
    "down": [{"error": "down"}],
    "rate": [{"error": "rate"}],
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("why", MISSING)
def test_some_have_no_usable_answer(command: str, why: str, desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found, out, err = code(capsys, words(command, answers(command, *MISSING[why])))
    assert found == 1
    last = err.strip().splitlines()[-2:]
    assert last[0].startswith("error: ")
    assert last[1].startswith("next: ")
    assert command == "write" or json.loads(out)  # what was answered is out before it


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("limit", ["--max-calls", "quota"])
def test_a_limit_ended_it(command: str, limit: str, desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if limit == "quota":
        asked = words(command, answers(command, {"error": "quota"}))
    else:
        asked = words(command, answers(command, {"answer": {"atoms": []}}), "--max-calls", "0")
    found, out, err = code(capsys, asked)
    assert found == 5
    assert "\nnext: " in err
    assert command == "write" or json.loads(out)


@pytest.mark.parametrize("command", COMMANDS)
def test_nobody_could_be_asked(command: str, desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("openai")
    found, out, err = code(capsys, words(command, "openai:gpt-4.1-mini", "--max-calls", "9"))
    assert found == 3
    assert "OPENAI_API_KEY" in err
    assert command != "feedback" or json.loads(out)["decision"] == "PARKED"


def test_a_text_that_is_cut_off_is_printed_and_is_not_whole(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found, out, err = code(capsys, words("write", script({"answer": "Dear", "finish": "length"})))
    assert (found, json.loads(out)["text"]) == (1, "Dear")
    assert "cut off" in err


def test_who_asks_nobody_is_not_told_of_missing_answers(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(words("learn", answers("learn", {"error": "down"}))) == 1
    capsys.readouterr()
    found, out, err = code(capsys, ["learn", "logs", "--home", "home", "--json"])
    assert (found, sum(json.loads(out)["parked"].values()), err) == (0, 1, "")
