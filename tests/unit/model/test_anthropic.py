"""Claude's own interface, against a server on the loopback address."""

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest

from ingrained.errors import ConfigError, EnvironmentFaultError, ModelMalformedError, ModelQuotaError, ModelRateError
from ingrained.model.anthropic import anthropic_model
from ingrained.model.base import Completion, Message, Request, Sampling, Schema, Settings
from ingrained.model.structured import schema_of
from model_server import Reply, Served, refused, serving
from model_world import Colours, request

pytest.importorskip("anthropic")


def said(text: str, stop_reason: str = "end_turn") -> Reply:
    usage = {"input_tokens": 5, "output_tokens": 6, "cache_read_input_tokens": 7, "cache_creation_input_tokens": 8}
    blocks = [{"type": "thinking", "thinking": "hm", "signature": ""}, {"type": "text", "text": text}]
    return Reply(
        body=json.dumps(
            {
                "id": "m1",
                "type": "message",
                "role": "assistant",
                "model": "claude",
                "content": blocks,
                "stop_reason": stop_reason,
                "usage": usage,
            }
        )
    )


def ask(served: Served, asked: Request, monkeypatch: pytest.MonkeyPatch) -> Completion:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", served.url.removesuffix("/v1"))

    async def run() -> Completion:
        model = anthropic_model("claude-x", Settings(retries=1))
        try:
            return await model.complete(asked)
        finally:
            await model.aclose()

    return anyio.run(run)


def test_instructions_go_apart_and_kept_tokens_count(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Request(
        messages=(Message(role="system", text="Be brief."), Message(role="user", text="Colours?")),
        sampling=Sampling(temperature=0.5, top_p=0.8, stop=("END",)),
        schema=schema_of(Colours),
    )
    with serving(lambda _, __: said('{"colours": ["red"]}')) as served:
        answer = ask(served, asked, monkeypatch)
    (body,) = served.asked
    assert body["system"][0]["text"] == "Be brief."
    assert body["messages"] == [{"role": "user", "content": "Colours?"}]
    assert (body["temperature"], body["top_p"], body["stop_sequences"]) == (0.5, 0.8, ["END"])
    assert body["output_config"]["format"]["schema"]["required"] == ["colours", "sure"]
    assert answer.parsed == {"colours": ["red"]}
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (20, 6)


def test_bounds_are_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    bounded = Schema(name="short", body={"type": "object", "properties": {"a": {"type": "string", "maxLength": 3}}})
    with serving(lambda _, __: said('{"a": "b"}')) as served:
        ask(served, request(schema=bounded), monkeypatch)
    (body,) = served.asked
    assert body["output_config"]["format"]["schema"]["properties"] == {"a": {"type": "string"}}


def test_what_a_model_does_not_take_is_left_out_and_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    def reply(body: dict[str, Any], _: int) -> Reply:
        if "output_config" in body:
            return refused(400, "output_config.format: not supported by this model")
        if "temperature" in body:
            return refused(400, "`temperature` is deprecated for this model.")
        return said('{"colours": []}')

    with serving(reply) as served:
        answer = ask(served, request(schema=schema_of(Colours), sampling=Sampling(seed=1)), monkeypatch)
    assert answer.raw["without"] == ["seed", "temperature"]
    assert answer.raw["json"] == "words"
    assert '"colours"' in served.asked[-1]["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (refused(429, "rate limit", type="rate_limit_error"), ModelRateError),
        (refused(400, "Your credit balance is too low to access the Anthropic API."), ModelQuotaError),
        (said("You've reached your usage limit. It resets at 5pm."), ModelQuotaError),
        (Reply(body="<html>"), ModelMalformedError),
        (Reply(body="{}"), ModelMalformedError),
    ],
)
def test_what_is_no_answer(reply: Reply, kind: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda _, __: reply) as served, pytest.raises(kind):
        ask(served, request(), monkeypatch)


@pytest.mark.parametrize(("reason", "finish"), [("end_turn", "stop"), ("max_tokens", "length"), ("refusal", "refused")])
def test_how_an_answer_ended(reason: str, finish: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(lambda _, __: said("x", reason)) as served:
        assert ask(served, request(), monkeypatch).finish == finish


def test_no_key_and_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(EnvironmentFaultError, match="ANTHROPIC_API_KEY is not set"):
        anyio.run(anthropic_model("claude-x", Settings()).complete, request())
    with pytest.raises(ConfigError):
        anthropic_model("", Settings())
