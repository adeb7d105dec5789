"""`ingrained plugins`: what is listed, that a broken one does not break the list, and what an unknown part gets."""

from __future__ import annotations

import json
from importlib import metadata

import pytest

from ingrained.cli.plugins import SEAMS, plugins
from ingrained.errors import ConfigError
from ingrained.session.readers.base import known_readers


def listed(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, str]]:
    page = json.loads(capsys.readouterr().out)
    assert page["version"] == 1
    return {plugin["name"]: plugin for plugin in page["plugins"]}


def test_every_part_has_built_ins_that_load(capsys: pytest.CaptureFixture[str]) -> None:
    assert plugins(check=True, json=True) == 0
    found = listed(capsys)
    assert {plugin["seam"] for plugin in found.values()} == set(SEAMS)
    assert {"claude-code", "codex", "entire", "agents-md", "rules"} <= set(found)
    assert {plugin["source"] for plugin in found.values()} == {"built-in"}


def test_what_an_extra_brings_is_told_apart_from_what_is_broken(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("ingrained.registry.find_spec", lambda name: None)
    assert plugins("model", check=True, json=True) == 0
    found = listed(capsys)
    assert {name for name, plugin in found.items() if not plugin["installed"]} == {"openai", "anthropic", "local"}
    assert plugins("model") == 0
    assert "not installed: pip install 'ingrained[anthropic]'" in capsys.readouterr().out


def test_text_is_one_line_each(capsys: pytest.CaptureFixture[str]) -> None:
    assert plugins("reader") == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines] == [["reader", name] for name in known_readers()]
    assert {"entire", "claude-code", "codex", "gemini", "opencode", "cursor", "chatgpt"} <= set(known_readers())


def test_somebody_elses_broken_plugin_is_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    group = "ingrained.readers"
    points = metadata.EntryPoints(
        [
            metadata.EntryPoint("codex", "thief:Reader", group),
            metadata.EntryPoint("gone", "no_such_package.reader:Reader", group),
            metadata.EntryPoint("bad", "json:no_such_attribute", group),
        ]
    )
    monkeypatch.setattr("ingrained.registry.entry_points", lambda group: points.select(group=group))
    assert plugins("reader", json=True) == 0
    assert "gone" in listed(capsys)
    assert plugins("reader", check=True, json=True) == 1
    found = listed(capsys)
    assert "no_such_package" in found["gone"]["problem"]
    assert "no_such_attribute" in found["bad"]["problem"]
    assert found["codex"]["problem"] == ""
    assert found["codex"]["source"] == "built-in"
    assert plugins("reader", check=True) == 1
    assert "does not load: " in capsys.readouterr().out


def test_an_unknown_part_names_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="did you mean 'reader'"):
        plugins("raeder")
