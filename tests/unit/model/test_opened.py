"""From a reference to a model that can be asked: settings, layers, errors that teach."""

from __future__ import annotations

import json
from pathlib import Path

import anyio
import pytest

from ingrained.cli.app import run
from ingrained.errors import BudgetReachedError, ConfigError, MissingExtraError, UnknownNameError
from ingrained.model.base import MODELS, Reference, Settings
from ingrained.model.limits import Caps, Receipt
from ingrained.model.opened import ModelSettings, opened
from ingrained.registry import Registry
from model_world import request


def script(home: Path, *answers: object) -> str:
    path = home / "script.jsonl"
    path.write_text("\n".join(json.dumps({"answer": answer}) for answer in answers), encoding="utf-8")
    return f"scripted:{path}"


def ask(home: Path, reference: str, asked: int, **options: object) -> tuple[list[str], Receipt]:
    async def go() -> tuple[list[str], Receipt]:
        async with opened(reference, home=home, **options) as found:
            texts = [(await found.model.complete(request(sample=sample))).text for sample in range(asked)]
            return texts, found.receipt

    return anyio.run(go)


def test_a_repeated_run_costs_nothing(tmp_path: Path) -> None:
    reference = script(tmp_path, "one", "two", "three")
    assert ask(tmp_path, reference, 2)[0] == ["one", "two"]
    texts, receipt = ask(tmp_path, reference, 2)
    assert texts == ["one", "two"]
    assert (receipt.calls, receipt.cached) == (0, 2)
    assert ask(tmp_path, reference, 2, stored=False)[1].calls == 2


def test_a_cap_holds_for_what_is_sent_and_not_for_what_is_stored(tmp_path: Path) -> None:
    reference = script(tmp_path, "one", "two", "three")
    ask(tmp_path, reference, 2)
    assert ask(tmp_path, reference, 2, caps=Caps(max_calls=0))[0] == ["one", "two"]
    with pytest.raises(BudgetReachedError):
        ask(tmp_path, reference, 3, caps=Caps(max_calls=0))


def test_an_estimate_leaves_out_what_is_stored(tmp_path: Path) -> None:
    reference = script(tmp_path, "one", "two")
    ask(tmp_path, reference, 1)

    async def go() -> int:
        async with opened(reference, home=tmp_path) as found:
            return found.estimate([request(sample=sample) for sample in range(3)]).calls

    assert anyio.run(go) == 2


def test_settings_reach_the_model(tmp_path: Path) -> None:
    (tmp_path / "ingrained.toml").write_text(
        '[models.openai]\nbase_url = "http://box:1/v1"\nslots = 3\n[models.prices."mine"]\ninput = 1\noutput = 2\n'
        "[models.other.theirs]\nretries = 0\n",
        encoding="utf-8",
    )
    settings = ModelSettings.read(tmp_path)
    assert settings.of("openai") == Settings(base_url="http://box:1/v1", slots=3)
    assert settings.of("theirs").retries == 0
    assert settings.of("unheard") == Settings()
    assert settings.prices["mine"].output == 2
    assert ModelSettings.read(tmp_path / "none").of("openai") == Settings()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[models.opanai]\n", "models.opanai"),
        ("[models.openai]\nkey = 'k'\n", "models.openai.key"),
        ("[models.openai]\nslots = -1\n", "models.openai.slots"),
        ("[models", "no TOML"),
    ],
)
def test_a_wrong_setting_is_named(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "ingrained.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"ingrained\.toml") as caught:
        ModelSettings.read(tmp_path)
    assert told in caught.value.message


def test_settings_of_models_do_not_disturb_other_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "ingrained.toml").write_text("[models.openai]\nslots = 3\n", encoding="utf-8")
    assert run(["plugins", "model", "--home", str(tmp_path), "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["plugins"]
    assert {(item["name"], item["extra"]) for item in listed} == {
        ("openai", "model"),
        ("anthropic", "anthropic"),
        ("local", "local"),
        ("scripted", ""),
    }


@pytest.mark.parametrize("text", ["gpt-4", "", ":x"])
def test_what_is_no_reference(text: str) -> None:
    with pytest.raises(ConfigError, match="provider:name") as caught:
        Reference.parse(text)
    assert "scripted:" in caught.value.hint
    assert Reference.parse("my.models:make:a:b") == Reference(provider="my.models:make", name="a:b")
    assert Reference.parse("openai:qwen2.5:0.5b") == Reference(provider="openai", name="qwen2.5:0.5b")


def test_an_unknown_provider_says_what_there_is(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError) as caught:
        ask(tmp_path, "opnai:gpt-4.1", 1)
    for told in ("openai", "anthropic", "local", "scripted", "did you mean 'openai'?"):
        assert told in caught.value.message


def test_a_provider_by_its_import_path(tmp_path: Path) -> None:
    name = script(tmp_path, "one").removeprefix("scripted:")
    assert ask(tmp_path, f"ingrained.model.scripted:scripted_model:{name}", 1)[0] == ["one"]


def test_a_missing_package_names_its_extra() -> None:
    registry: Registry[object] = Registry(
        "ingrained.models", {"x": "ingrained.model.scripted:scripted_model"}, {"x": "local"}, {"x": "no_such_package"}
    )
    with pytest.raises(MissingExtraError, match="no_such_package") as caught:
        registry.load("x")
    assert caught.value.hint == "pip install 'ingrained[local]'"
    assert {entry.name for entry in MODELS.entries() if entry.needs} == {"openai", "anthropic", "local"}


def test_money_cannot_be_capped_where_the_price_is_unknown(tmp_path: Path) -> None:
    pytest.importorskip("openai")
    with pytest.raises(ConfigError, match="price of openai:mine"):
        ask(tmp_path, "openai:mine@http://127.0.0.1:9/v1", 0, caps=Caps(max_usd=1))
    (tmp_path / "ingrained.toml").write_text("[models.prices.mine]\ninput = 1\noutput = 2\n", encoding="utf-8")
    assert ask(tmp_path, "openai:mine@http://127.0.0.1:9/v1", 0, caps=Caps(max_usd=1))[0] == []
    assert ask(tmp_path, script(tmp_path, "x"), 1, caps=Caps(max_usd=0))[0] == ["x"]
