"""Properties of the key of an answer, of delimiters, of found JSON, of strict schemas, of the estimate."""

from __future__ import annotations

import json
from dataclasses import fields, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from ingrained.model.answers import StoredAnswer
from ingrained.model.base import Facts, Message, Request, Sampling, Schema
from ingrained.model.cache import answer_key
from ingrained.model.jsontext import NoJsonError, json_in
from ingrained.model.limits import estimate
from ingrained.model.prices import Price
from ingrained.model.prompt import Prompt, fence
from ingrained.model.quota import notice_as_answer
from ingrained.model.strict import bounded, strict_schema
from ingrained.model.wire import Dialect

texts = st.text(max_size=40)
scalars = (
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | texts
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=8
)
objects = st.dictionaries(texts, values, max_size=4)
samplings = st.builds(
    Sampling,
    temperature=st.floats(0, 2),
    top_p=st.floats(0, 1),
    max_tokens=st.integers(1, 4096),
    seed=st.none() | st.integers(0, 2**31),
    stop=st.lists(texts, max_size=2).map(tuple),
)
requests = st.builds(
    Request,
    messages=st.lists(
        st.builds(Message, role=st.sampled_from(["system", "user", "assistant"]), text=texts), min_size=1, max_size=3
    ).map(tuple),
    sampling=samplings,
    schema=st.none() | st.builds(Schema, name=st.just("answer"), body=objects),
    prompt=texts,
    sample=st.integers(0, 9),
    logprobs=st.integers(0, 5),
)
models = st.builds(Facts, provider=texts, model=texts, endpoint=texts)


def shuffled(value: object) -> object:
    if isinstance(value, dict):
        return {key: shuffled(value[key]) for key in reversed(value)}
    return [shuffled(item) for item in value] if isinstance(value, list) else value


@settings(deadline=None)
@given(models, requests)
def test_a_key_is_that_of_the_content_and_not_of_its_spelling(facts: Facts, request: Request) -> None:
    key = answer_key(facts, request)
    schema = request.schema and Schema(name=request.schema.name, body=shuffled(dict(request.schema.body)))
    assert answer_key(facts, replace(request, schema=schema)) == key
    # How a model is served changes no answer.
    assert answer_key(replace(facts, slots=99, logprobs=True, free=True), request) == key


@settings(deadline=None, max_examples=40)
@given(models, requests, st.data())
def test_whatever_may_change_an_answer_changes_the_key(facts: Facts, request: Request, data: st.DataObject) -> None:
    key = answer_key(facts, request)
    others = [replace(request, **{field.name: getattr(data.draw(requests), field.name)}) for field in fields(Request)]
    sampling = data.draw(samplings)
    others += [
        replace(request, sampling=replace(request.sampling, **{field.name: getattr(sampling, field.name)}))
        for field in fields(Sampling)
    ]
    for other in others:
        assert (answer_key(facts, other) == key) == (other.to_json() == request.to_json())
    for name in ("provider", "model", "endpoint"):
        assert answer_key(replace(facts, **{name: getattr(facts, name) + "x"}), request) != key


def test_every_part_of_a_request_is_in_its_json() -> None:
    """A new field that is forgotten in `to_json` would make two requests share an answer."""
    request = Request(messages=(), schema=Schema(name="n", body={}))
    found = request.to_json()
    assert set(found) == {field.name for field in fields(Request)}
    assert set(found["sampling"]) == {field.name for field in fields(Sampling)}
    assert set(found["schema"]) == {field.name for field in fields(Schema)}


@settings(deadline=None)
@given(st.lists(st.text(), min_size=1, max_size=4), st.data())
def test_no_text_closes_its_own_delimiters(given_texts: list[str], data: st.DataObject) -> None:
    # An attacker knows how delimiters are made and may try those of any part.
    sly = [
        text + data.draw(st.sampled_from(["", fence(given_texts), fence(text), fence([text]).upper()]))
        for text in given_texts
    ]
    prompt = Prompt(name="p", source="{% for t in texts %}{{ t | data }}\n{% endfor %}")
    filled = prompt.text(texts=sly)
    mark = fence({"texts": sly})
    assert all(mark not in text.lower() for text in sly)
    assert filled.count(f"</data {mark}>") == len(sly)
    assert prompt.text(texts=sly) == filled


@settings(deadline=None)
@given(objects | st.lists(values, max_size=4), texts.filter(lambda t: not set(t) & set("{}[]`")))
def test_json_is_found_in_prose_and_fences(value: object, around: str) -> None:
    told = json.dumps(value, ensure_ascii=False)
    assert json_in(told) == value
    assert json_in(f"{around}\n```json\n{told}\n```\n{around}") == value
    assert json_in(f"{around} {told}") == value


@settings(deadline=None)
@given(st.text(max_size=300))
def test_any_text_has_json_or_a_reason(text: str) -> None:
    reason = ""
    try:
        found = json_in(text)
    except NoJsonError as error:
        found, reason = None, str(error)
    assert reason or json.dumps(found)


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")

    title: str = "none"
    default: int | None = None


class Outer(BaseModel):
    properties: dict[str, int] = {}
    inner: list[Inner] = []
    kind: str = "x"


def test_a_strict_schema_requires_everything_and_keeps_fields_that_are_called_like_keywords() -> None:
    strict = strict_schema(Outer.model_json_schema())
    assert strict["required"] == ["properties", "inner", "kind"]
    inner = strict["$defs"]["Inner"]
    assert inner["required"] == ["title", "default"]
    assert set(inner["properties"]) == {"title", "default"}
    assert inner["additionalProperties"] is False
    assert "default" not in json.dumps(strict).replace('"default": {', "").replace('"title", "default"', "")


def test_a_schema_without_bounds_loses_nothing_but_bounds() -> None:
    schema = {
        "type": "object",
        "properties": {
            "pattern": {"type": "string", "pattern": "a+", "minLength": 1},
            "maxItems": {"type": "array", "maxItems": 2, "items": {"anyOf": [{"type": "integer", "minimum": 3}]}},
        },
        "required": ["pattern", "maxItems"],
        "additionalProperties": False,
    }
    assert bounded(schema)
    assert strict_schema(schema) == schema
    bare = strict_schema(schema, bounds=False)
    assert not bounded(bare)
    assert bare["properties"] == {
        "pattern": {"type": "string"},
        "maxItems": {"type": "array", "items": {"anyOf": [{"type": "integer"}]}},
    }


@settings(deadline=None)
@given(requests)
def test_what_a_server_is_asked_is_json_and_names_each_message(request: Request) -> None:
    for mode in ("schema", "object", "words"):
        body = json.loads(json.dumps(Dialect(json=mode).body("m", request)))
        assert len(body["messages"]) == len(request.messages)
        assert body["max_tokens"] == request.sampling.max_tokens
        for told, message in zip(body["messages"], request.messages, strict=True):
            assert told["content"].startswith(message.text)


@settings(deadline=None)
@given(st.lists(requests, max_size=4))
def test_an_estimate_adds_up(asked: list[Request]) -> None:
    price = Price(input=3, output=15, date="now")
    facts = Facts(provider="openai", model="m")
    whole = estimate(asked, facts, price)
    parts = [estimate([one], facts, price) for one in asked]
    assert whole.calls == len(asked)
    assert whole.usd == pytest.approx(sum(part.usd or 0 for part in parts))
    assert whole.input_tokens == sum(part.input_tokens for part in parts)


@settings(deadline=None)
@given(requests, st.text(min_size=401))
def test_a_long_answer_is_no_notice(request: Request, text: str) -> None:
    assert notice_as_answer("You've hit your usage limit. " + "x" * 400 + text, request) == ""


@settings(deadline=None)
@given(objects)
def test_a_stored_answer_is_the_same_after_json(raw: dict[str, object]) -> None:
    stored = StoredAnswer(
        text="t", parsed=raw, input_tokens=1, output_tokens=2, estimated=False, tokens=(), finish="stop", raw=raw
    )
    assert StoredAnswer.model_validate_json(stored.model_dump_json()) == stored
