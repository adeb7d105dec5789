"""A server on the loopback address that answers, stalls, refuses, breaks the protocol, or knows less of it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Annotated, Any

import anyio
import pytest
from pydantic import BaseModel, Field

from ingrained.errors import (
    ConfigError,
    EnvironmentFaultError,
    IngrainedError,
    ModelError,
    ModelMalformedError,
    ModelQuotaError,
    ModelRateError,
    ModelRefusedError,
)
from ingrained.model.base import Completion, Request, Sampling, Settings
from ingrained.model.openai import OFFICIAL, Place, openai_model
from ingrained.model.structured import schema_of
from model_server import Reply, Served, refused, said, serving
from model_world import Colours, request

pytest.importorskip("openai")

QUICK = Settings(retries=1, timeout_s=5.0)
GOOD = '{"colours": ["red", "blue"], "sure": false}'


def ask(served: Served, asked: Request, settings: Settings = QUICK) -> Completion:
    async def run() -> Completion:
        model = openai_model(f"small@{served.url}", settings)
        try:
            return await model.complete(asked)
        finally:
            await model.aclose()

    return anyio.run(run)


def failing(reply: Callable[[dict[str, Any], int], Reply], settings: Settings = QUICK) -> tuple[ModelError, Served]:
    with serving(reply) as served, pytest.raises(ModelError) as caught:
        ask(served, request(), settings)
    return caught.value, served


def test_an_answer_with_all_that_was_told_of_it() -> None:
    with serving(lambda body, _: said("Red and blue.")) as served:
        answer = ask(
            served, request(sampling=Sampling(temperature=0.7, top_p=0.8, max_tokens=9, seed=3, stop=("END",)))
        )
    (body,) = served.asked
    assert (answer.text, answer.finish, answer.cached) == ("Red and blue.", "stop", False)
    assert (answer.usage.input_tokens, answer.usage.output_tokens, answer.usage.estimated) == (11, 7, False)
    assert answer.raw == {"id": "chat-1", "model": "served"}
    assert body == {
        "model": "small",
        "messages": [{"role": "user", "content": "Name two colours."}],
        "temperature": 0.7,
        "top_p": 0.8,
        "max_tokens": 9,
        "seed": 3,
        "stop": ["END"],
    }


def test_samples_of_one_seed_are_different_draws() -> None:
    with serving(lambda body, _: said("x")) as served:
        for sample in range(3):
            ask(served, request(sampling=Sampling(seed=40), sample=sample))
    assert [body["seed"] for body in served.asked] == [40, 41, 42]


def test_a_schema_is_sent_closed_and_the_value_in_the_answer_is_found() -> None:
    with serving(lambda body, _: said(GOOD)) as served:
        answer = ask(served, request(schema=schema_of(Colours)))
    sent = served.asked[0]["response_format"]["json_schema"]
    assert sent["strict"] is True
    assert sent["schema"]["required"] == ["colours", "sure"]
    assert sent["schema"]["additionalProperties"] is False
    assert answer.parsed == {"colours": ["red", "blue"], "sure": False}


def test_log_probabilities() -> None:
    tops = [{"token": "Red", "logprob": -0.1}, {"token": "A", "logprob": -2.5}]
    body = json.loads(said("Red").body)
    body["choices"][0]["logprobs"] = {"content": [{"token": "Red", "logprob": -0.1, "top_logprobs": tops}]}
    with serving(lambda _, __: Reply(body=json.dumps(body))) as served:
        answer = ask(served, request(logprobs=2))
    assert served.asked[0]["top_logprobs"] == 2
    assert answer.tokens[0].top == (("Red", -0.1), ("A", -2.5))


def test_a_server_without_token_counts_gets_an_estimate() -> None:
    body = json.loads(said("Red and blue.").body)
    del body["usage"]
    with serving(lambda _, __: Reply(body=json.dumps(body))) as served:
        answer = ask(served, request())
    assert answer.usage.estimated
    assert answer.usage.input_tokens > 3
    assert answer.usage.output_tokens > 2


@pytest.mark.parametrize(
    ("knows", "mode"),
    [
        (lambda kind: kind == "json_object", "object"),
        (lambda kind: kind is None, "words"),
    ],
)
def test_a_server_that_does_not_know_schemas_is_asked_in_words(knows: Callable[[Any], bool], mode: str) -> None:
    def reply(body: dict[str, Any], _: int) -> Reply:
        kind = body.get("response_format", {}).get("type")
        return said(GOOD) if knows(kind) else refused(400, f"response_format {kind!r} is not supported")

    with serving(reply) as served:

        async def twice() -> list[Completion]:
            model = openai_model(f"small@{served.url}", QUICK)
            try:
                return [await model.complete(request(schema=schema_of(Colours))) for _ in range(2)]
            finally:
                await model.aclose()

        answers = anyio.run(twice)
    told = [body for body in served.asked if '"colours"' in body["messages"][-1]["content"]]
    assert [answer.parsed for answer in answers] == [json.loads(GOOD)] * 2
    assert answers[0].raw["json"] == mode
    assert len(told) == len(served.asked) - 1, "the schema stands in the message from the second try on"
    assert len(served.asked) == (3 if mode == "object" else 4), "what was learned of the server is kept"


def test_a_server_that_refuses_bounds_gets_the_schema_without_them() -> None:
    class Short(BaseModel):
        colours: list[Annotated[str, Field(max_length=9)]] = Field(min_length=1)
        sure: bool

    def reply(body: dict[str, Any], _: int) -> Reply:
        if "Length" in json.dumps(body) or "Items" in json.dumps(body):
            return refused(400, "Invalid schema for response_format 'short': 'maxLength' is not permitted")
        return said(GOOD)

    with serving(reply) as served:
        answer = ask(served, request(schema=schema_of(Short)))
    assert answer.parsed == json.loads(GOOD)
    assert answer.raw["without"] == ["bounds"]
    assert "json" not in answer.raw, "the server still enforces the rest"
    first, second = (body["response_format"]["json_schema"]["schema"]["properties"] for body in served.asked)
    assert first["colours"]["minItems"] == 1
    assert first["colours"]["items"]["maxLength"] == 9
    assert second == {"colours": {"type": "array", "items": {"type": "string"}}, "sure": {"type": "boolean"}}


def test_an_option_that_a_model_does_not_take_is_left_out_and_noted() -> None:
    def reply(body: dict[str, Any], _: int) -> Reply:
        if "max_tokens" in body:
            return refused(400, "Unsupported parameter: 'max_tokens'; use 'max_completion_tokens' instead.")
        if "temperature" in body:
            return refused(400, "Only the default is supported.", param="temperature", code="unsupported_value")
        return said("x")

    with serving(reply) as served:
        answer = ask(served, request())
    assert served.asked[-1]["max_completion_tokens"] == 50
    assert answer.raw["without"] == ["temperature"]


def test_a_busy_server_is_tried_again_by_the_client_library_alone() -> None:
    with serving(lambda _, k: refused(429, "slow down") if k < 2 else said("x")) as served:
        assert ask(served, request(), Settings(retries=2)).text == "x"
    assert len(served.asked) == 3


def test_the_wait_that_a_server_asks_for_is_kept() -> None:
    def reply(_: dict[str, Any], k: int) -> Reply:
        return Reply(status=429, body="{}", headers={"retry-after-ms": "300"}) if k == 0 else said("x")

    began = time.monotonic()
    with serving(reply) as served:
        ask(served, request())
    assert time.monotonic() - began >= 0.3


def test_too_fast_for_too_long() -> None:
    error, served = failing(lambda _, __: refused(429, "Rate limit reached: 3 requests per minute"))
    assert type(error) is ModelRateError
    assert "slow down" in error.message
    assert len(served.asked) == 2


@pytest.mark.parametrize(
    "reply",
    [
        refused(429, "You exceeded your current quota, please check your plan and billing details."),
        refused(429, "No more.", code="insufficient_quota"),
        refused(402, "Top up"),
        refused(403, "Your credit balance is too low to access the API."),
        Reply(body=json.dumps({"error": {"message": "Insufficient credits", "code": 402}})),
        said("You've hit your monthly spend limit. Raise it in your settings."),
        said("Claude usage limit reached. Your limit will reset at 7pm."),
        Reply(body="You have reached your usage limit for today."),
    ],
    ids=lambda reply: f"{reply.status}-{reply.body[:60]}",
)
def test_a_used_up_quota_whatever_its_form(reply: Reply) -> None:
    error, _ = failing(lambda _, __: reply)
    assert type(error) is ModelQuotaError
    assert "used up" in error.message
    assert error.hint


def test_an_answer_about_quotas_to_a_question_about_quotas_is_an_answer() -> None:
    with serving(lambda _, __: said("You've hit your monthly spend limit.")) as served:
        answer = ask(
            served, request("Write what to show when somebody has hit their limit: you've hit your spend limit")
        )
    assert answer.text.startswith("You've hit")


@pytest.mark.parametrize(
    ("reply", "kind", "words"),
    [
        (
            Reply(status=502, body="<html><h1>Bad gateway</h1></html>", headers={"retry-after-ms": "1"}),
            ModelError,
            "502",
        ),
        (refused(529, "overloaded"), ModelError, "529"),
        (refused(500, "oops"), ModelError, "500"),
        (refused(400, "request (9031 tokens) exceeds the available context size"), ModelError, "of this length"),
        (refused(400, "no"), ModelError, "400"),
        (refused(401, "bad key"), ModelError, "401"),
        (refused(404, "no such model"), ModelError, "404"),
        (refused(400, "flagged", code="content_policy_violation"), ModelRefusedError, "declined"),
        (Reply(body="{"), ModelMalformedError, "shape"),
        (Reply(body=""), ModelMalformedError, "shape"),
        (Reply(body="<html>log in first</html>"), ModelMalformedError, "log in first"),
        (Reply(body='{"choices": []}'), ModelMalformedError, "choices"),
        (Reply(body=json.dumps({"error": {"message": "backend died", "code": 502}})), ModelError, "backend died"),
    ],
)
def test_what_is_no_answer_is_an_error_of_its_kind(reply: Reply, kind: type[ModelError], words: str) -> None:
    error, _ = failing(lambda _, __: reply)
    assert type(error) is kind
    assert words in error.message
    assert "<" not in error.message
    assert error.hint


def test_a_server_that_stalls_is_given_up_after_the_retries() -> None:
    began = time.monotonic()
    error, served = failing(lambda _, __: Reply(body="{}", stall_s=1.0), Settings(retries=1, timeout_s=0.2))
    assert "no answer after all retries" in error.message
    assert len(served.asked) == 2
    assert time.monotonic() - began < 10


def test_an_answer_that_drips_in_is_given_up_too() -> None:
    began = time.monotonic()
    reply = Reply(body=said("x" * 400).body, drip_s=0.02)
    error, served = failing(lambda _, __: reply, Settings(retries=3, timeout_s=5, patience_s=0.5))
    assert "within 0.5 s" in error.message
    assert len(served.asked) == 1
    assert time.monotonic() - began < 20


def test_a_connection_cut_in_an_answer_is_tried_again() -> None:
    with serving(lambda _, k: Reply(body=said("x").body, cut_at=40) if k == 0 else said("x")) as served:
        assert ask(served, request()).text == "x"
    assert len(served.asked) == 2


def test_nobody_listens() -> None:
    with serving(lambda _, __: said("x")) as served:
        pass
    with pytest.raises(ModelError, match="no answer after all retries"):
        ask(served, request(), Settings(retries=0))


def test_a_refusal_is_an_answer_and_says_so() -> None:
    with serving(lambda _, __: said("", refusal="I cannot help with that.")) as served:
        answer = ask(served, request())
    assert (answer.finish, answer.text) == ("refused", "I cannot help with that.")
    with serving(lambda _, __: said("cut of", finish="length")) as served:
        assert ask(served, request()).finish == "length"


def test_keys_go_only_where_they_belong(monkeypatch: pytest.MonkeyPatch) -> None:
    official, own, config = "k-official", "k-own", "k-config"
    env = {"OPENAI_API_KEY": official, "INGRAINED_MODEL_KEY": own, "BOX_KEY": config}
    box = Settings(base_url="http://box.local/v1", key_env="BOX_KEY")
    based = env | {"OPENAI_BASE_URL": "https://proxy.local/v1/"}
    cases = [
        ("gpt", Settings(), env, OFFICIAL, official),
        ("gpt", Settings(), based, "https://proxy.local/v1", official),
        ("gpt", box, env, "http://box.local/v1", config),
        ("gpt", box, based, "https://proxy.local/v1", official),
        ("gpt@http://else.local/v1", box, based, "http://else.local/v1", own),
        ("@cf/org/name@2@http://else.local/v1", box, based, "http://else.local/v1", own),
        ("gpt@http://else.local/v1", Settings(), {"OPENAI_API_KEY": official}, "http://else.local/v1", "none"),
    ]
    for name, settings, environment, url, key in cases:
        place = Place.find(name, settings, environment)
        assert (place.base_url, place.key(environment)) == (url, key), name
    assert Place.find("@cf/org/name@2@http://else.local/v1", box, env).model == "@cf/org/name@2"

    monkeypatch.setenv("OPENAI_API_KEY", official)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with serving(lambda _, __: said("x")) as served:
        ask(served, request())
    assert served.headers[0]["authorization"] == "Bearer none"


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("", ConfigError),
        ("@http://x/v1", ConfigError),
        ("gpt@http://", ConfigError),
        ("gpt@http://me:pw@box/v1", ConfigError),
        ("gpt@127.0.0.1:8080/v1", ConfigError),
        ("gpt@ftp://box/v1", ConfigError),
        ("gpt@me:pw@box/v1", ConfigError),
        ("gpt@", ConfigError),
        ("gpt", EnvironmentFaultError),
    ],
)
def test_a_place_that_cannot_be(name: str, kind: type[IngrainedError]) -> None:
    with pytest.raises(kind) as caught:
        Place.find(name, Settings(), {}).key({})
    assert caught.value.hint
    assert "pw" not in caught.value.message + caught.value.hint


@pytest.mark.parametrize("env", [{}, {"OPENAI_BASE_URL": "http://else.local/v1"}])
def test_an_address_without_http_is_never_a_part_of_the_name(env: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match="no http") as caught:
        Place.find("gpt@127.0.0.1:8080/v1", Settings(), env)
    proposed = (caught.value.hint or "").removeprefix("openai:")
    assert Place.find(proposed, Settings(), env).base_url == "http://127.0.0.1:8080/v1"
    assert Place.find("gpt@HTTP://box.local/v1", Settings(), env).model == "gpt"
