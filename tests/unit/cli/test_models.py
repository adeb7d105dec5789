"""The options of a command that asks a model, in a command of the test's own."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from cyclopts import App, CycloptsError

from ingrained.cli.models import NO_MODEL, Modelled, ModelOptions, agree, open_model, told_idle_caps
from ingrained.cli.output import DEFAULTS, Options, Shared, Yes
from ingrained.errors import BudgetReachedError, ConfigError, RefusedError
from model_server import said, serving
from model_world import request


@pytest.fixture
def command(tmp_path: Path) -> Callable[[list[str]], object]:
    """A command that asks three things and prints the answers."""

    async def try_out(*, yes: Yes = False, asked: Modelled = NO_MODEL, options: Shared = DEFAULTS) -> int:
        wanted = [request(f"Question {number}") for number in range(3)]
        async with open_model(asked, options) as found:
            agree(found, wanted, yes=yes, options=options)
            try:
                for one in wanted:
                    print((await found.model.complete(one)).text)
            except BudgetReachedError:
                pass
            found.meter.raise_if_stopped()
        return 0

    app = App()
    app.default(try_out)

    def run(words: list[str]) -> object:
        return app([*words, "--home", str(tmp_path)], exit_on_error=False, result_action="return_value")

    return run


def script(tmp_path: Path, count: int) -> str:
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(json.dumps({"answer": f"a{n}"}) for n in range(count)), encoding="utf-8")
    return f"scripted:{path}"


@pytest.mark.parametrize("words", [["--model", ""], ["--model="], ["-m", " "]])
def test_an_empty_name_is_no_name(command: Callable[[list[str]], object], words: list[str]) -> None:
    with pytest.raises(CycloptsError, match="names no model"):
        command(words)


def test_caps_without_a_model_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    told_idle_caps(ModelOptions(max_calls=2), Options())
    assert "--max-calls without --model" in capsys.readouterr().err
    told_idle_caps(ModelOptions(), Options())
    told_idle_caps(ModelOptions(max_usd=1.0), Options(quiet=True))
    assert capsys.readouterr().err == ""


def test_a_scripted_model_from_the_command_line(
    tmp_path: Path, command: Callable[[list[str]], object], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command(["--model", script(tmp_path, 3)]) == 0
    out, err = capsys.readouterr()
    assert out.split() == ["a0", "a1", "a2"]
    assert "about to ask: 3 calls" in err
    assert "3 calls, ≈" in err
    assert command(["--model", script(tmp_path, 3)]) == 0
    out, err = capsys.readouterr()
    assert out.split() == ["a0", "a1", "a2"]
    assert "about to ask: 0 calls" in err
    assert "3 answers were stored already" in err


def test_a_reached_budget_keeps_the_work_and_exits_5(
    tmp_path: Path, command: Callable[[list[str]], object], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(BudgetReachedError) as caught:
        command(["--model", script(tmp_path, 3), "--max-calls", "2"])
    assert caught.value.exit_code == 5
    assert capsys.readouterr().out.split() == ["a0", "a1"]
    # The two answers are stored: one more call finishes the work. The script begins anew in a new run.
    assert command(["--model", script(tmp_path, 3), "--max-calls", "1", "--quiet"]) == 0
    out, err = capsys.readouterr()
    assert (out.split(), err) == (["a0", "a1", "a0"], "")


def test_nothing_is_sent_unasked(command: Callable[[list[str]], object], capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("openai")
    with pytest.raises(ConfigError, match="no model is named"):
        command([])
    with serving(lambda _, __: said("x")) as served:
        with pytest.raises((ConfigError, RefusedError)):
            command(["--model", f"openai:small@{served.url}"])
        assert served.asked == []
        assert "price unknown" in capsys.readouterr().err
        with pytest.raises(ConfigError, match="--max-usd cannot be held"):
            command(["--model", f"openai:small@{served.url}", "--max-usd", "1"])
        assert command(["--model", f"openai:small@{served.url}", "--yes"]) == 0
        assert len(served.asked) == 3
