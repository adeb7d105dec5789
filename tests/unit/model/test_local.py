"""The model inside the process: what can be told without weights, and, where they are installed, real answers."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from ingrained.errors import ConfigError, EnvironmentFaultError
from ingrained.model import local
from ingrained.model.base import Completion, Sampling, Settings
from ingrained.model.local import INSTALL_DEFAULT, Weights, default_weights, local_model
from ingrained.model.structured import schema_of
from model_world import Colours, request


def test_weights_are_told_apart_by_content_alone(tmp_path: Path) -> None:
    one, moved, other = (tmp_path / f"{name}.gguf" for name in ("one", "moved", "other"))
    head, body, tail = b"GGUF" + b"h" * 100, b"b" * (2 << 20), b"t" * 100
    one.write_bytes(head + body + tail)
    moved.write_bytes(one.read_bytes())
    other.write_bytes(head + body + tail[:-1] + b"T")
    assert Weights.at(one).identity == Weights.at(moved).identity != Weights.at(other).identity


def test_what_is_no_file_of_weights(tmp_path: Path) -> None:
    text = tmp_path / "x.gguf"
    text.write_text("not weights", encoding="utf-8")
    for path in (text, tmp_path, tmp_path / "none.gguf"):
        with pytest.raises(ConfigError) as caught:
            local_model(str(path), Settings())
        assert caught.value.hint


def test_the_default_without_its_package_says_the_exact_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "DEFAULT_PACKAGE", "no_such_package")
    with pytest.raises(EnvironmentFaultError) as caught:
        local_model("", Settings())
    assert caught.value.hint.startswith(INSTALL_DEFAULT)
    assert "--no-deps" in INSTALL_DEFAULT


def test_weights_that_cannot_be_loaded(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp")
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + bytes(200))
    with pytest.raises(EnvironmentFaultError, match="cannot load the weights"):
        anyio.run(local_model(str(broken), Settings()).complete, request())


@pytest.mark.slow
def test_the_default_answers_several_at_once_in_the_shape_asked_for() -> None:
    pytest.importorskip("xllamacpp")
    try:
        default_weights()
    except EnvironmentFaultError as missing:
        pytest.skip(missing.message)
    answers: list[Completion] = []

    async def run() -> None:
        model = local_model("", Settings(context=1024))

        async def one(sample: int) -> None:
            sampling = Sampling(temperature=0.7, max_tokens=80, seed=1)
            answers.append(
                await model.complete(request(schema=schema_of(Colours), sampling=sampling, sample=sample, logprobs=2))
            )

        async with anyio.create_task_group() as group:
            for sample in range(3):
                group.start_soon(one, sample)
        await model.aclose()

    anyio.run(run)
    assert len(answers) == 3
    for answer in answers:
        assert answer.usage.output_tokens > 0
        assert not answer.usage.estimated
        assert answer.tokens
        assert answer.tokens[0].top
        if answer.finish == "stop":
            Colours.model_validate(answer.parsed)
