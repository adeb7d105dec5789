"""The chat protocol that most servers speak, in both directions: a request as its body, a body as a completion.

Shared by the client for servers (`openai.py`) and the model inside this process (`local.py`). Answers are read by our
own shapes and not by the client library's, since servers leave out fields, put an error into a body with status 200, or
send a page of HTML. `Dialect` is what has been learned of a server: which way of asking for JSON it knows, and which
options it does not take.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from ingrained.errors import ModelError, ModelMalformedError, ModelQuotaError, ModelRateError, ModelRefusedError
from ingrained.model.base import Completion, Finish, Message, Request, Token, Usage
from ingrained.model.jsontext import NoJsonError, json_in
from ingrained.model.prompt import Prompt
from ingrained.model.quota import is_quota, notice_as_answer
from ingrained.model.strict import bounded, strict_schema
from ingrained.skill.tokens import count

JsonMode = Literal["schema", "object", "words"]
"""How JSON is asked for: by a schema that the server enforces, as any JSON object, or in the message alone."""

_SCHEMA_WORDS: Final = re.compile(
    r"response_?format|json_?schema|json_?object|structured|grammar|schema", re.IGNORECASE
)
_DROPPABLE: Final = ("logprobs", "temperature", "top_p", "seed", "stop")
_REFUSALS: Final = frozenset({"content_filter", "content_policy_violation", "content_policy"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """How a server wants to be asked."""

    json: JsonMode = "schema"
    bounds: bool = True
    """Whether a schema may bound lengths and numbers."""
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    without: frozenset[str] = frozenset()
    """Options that it does not take."""

    def body(self, model: str, request: Request) -> dict[str, JsonValue]:
        """The body that asks `request` of the model called `model`."""
        sampling = request.sampling
        options: dict[str, JsonValue] = {"temperature": sampling.temperature, "top_p": sampling.top_p}
        if sampling.seed is not None:
            # Another sample is another draw: servers that honour the seed would repeat the first one.
            options["seed"] = sampling.seed + request.sample
        if sampling.stop:
            options["stop"] = list(sampling.stop)
        if request.logprobs:
            options |= {"logprobs": True, "top_logprobs": request.logprobs}
        for name in self.without:
            options.pop(name, None)
        if "logprobs" in self.without:
            options.pop("top_logprobs", None)
        messages = request.messages
        if request.schema is not None:
            if self.json == "schema":
                options["response_format"] = {
                    "type": "json_schema",
                    "json_schema": {
                        "name": request.schema.name,
                        "strict": True,
                        "schema": strict_schema(request.schema.body, bounds=self.bounds),
                    },
                }
            else:
                messages = with_schema(request)
            if self.json == "object":
                options["response_format"] = {"type": "json_object"}
        return {
            "model": model,
            "messages": [{"role": message.role, "content": message.text} for message in messages],
            self.limit: sampling.max_tokens,
            **options,
        }

    def after(self, status: int, body: str, request: Request) -> Dialect | None:
        """Another way to ask, learned from an error; `None` where the error is about something else."""
        if status not in {400, 404, 415, 422, 500, 501}:
            return None
        text, named = shown_error(body), str(error_in(body).get("param") or "")
        about = f"{named} {text}"
        if "max_completion_tokens" in about and self.limit == "max_tokens":
            return replace(self, limit="max_completion_tokens")
        for option in _DROPPABLE:
            mentioned = named == option or (not named and re.search(rf"\b(top_)?{option}\b", text))
            if status in {400, 422} and mentioned and option not in self.without and option in self.body("", request):
                return replace(self, without=self.without | {option})
        if request.schema is None or self.json == "words" or not _SCHEMA_WORDS.search(about):
            return None
        if self.json == "schema" and self.bounds and bounded(request.schema.body):
            return replace(self, bounds=False)
        return replace(self, json="object" if self.json == "schema" else "words")

    def facts(self, request: Request) -> dict[str, JsonValue]:
        """What could not be asked as it was meant, for `Completion.raw`."""
        lost: dict[str, JsonValue] = {}
        if request.schema is not None and self.json != "schema":
            lost["json"] = self.json
        unbounded = request.schema is not None and not self.bounds and bounded(request.schema.body)
        if without := self.without | ({"bounds"} if unbounded else set()):
            lost["without"] = list(sorted(without))  # noqa: C413 - the list is typed as JSON
        return lost


def with_schema(request: Request) -> tuple[Message, ...]:
    """The messages with the schema told in words after the last one, for servers that cannot enforce it."""
    if request.schema is None or not request.messages:
        return request.messages
    told = _PROMPT.text(schema=json.dumps(dict(request.schema.body), indent=1, ensure_ascii=False))
    *before, last = request.messages
    return (*before, replace(last, text=f"{last.text}\n\n{told}"))


_PROMPT: Final = Prompt.load("ingrained.model", "schema")


class _Loose(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Top(_Loose):
    token: str
    logprob: float


class _Logprob(_Top):
    top_logprobs: list[_Top] = Field(default_factory=list)


class _Logprobs(_Loose):
    content: list[_Logprob] | None = None


class _Said(_Loose):
    content: str | None = None
    refusal: str | None = None


class _Choice(_Loose):
    message: _Said = Field(default_factory=_Said)
    finish_reason: str | None = None
    logprobs: _Logprobs | None = None


class _Counts(_Loose):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Answer(_Loose):
    id: str = ""
    model: str = ""
    choices: list[_Choice] = Field(min_length=1)
    usage: _Counts | None = None
    system_fingerprint: str | None = None


def completion(body: str, request: Request, *, whom: str, facts: Mapping[str, JsonValue] | None = None) -> Completion:
    """What a body with status 200 says.

    Args:
        body: the body as text.
        request: what was asked.
        whom: the model's name, for errors.
        facts: further facts for `Completion.raw`.

    Raises:
        ModelQuotaError, ModelRateError, ModelRefusedError: the body holds an error, or a notice instead of an answer.
        ModelMalformedError: it is no answer in the shape of the protocol.
    """
    try:
        answer = _Answer.model_validate_json(body)
    except ValidationError as error:
        raise _no_answer(body, request, whom, error) from error
    choice = answer.choices[0]
    text = choice.message.content or ""
    finish = _finish(choice)
    if finish == "refused" and not text:
        text = choice.message.refusal or ""
    notice = notice_as_answer(text, request)
    if notice:
        raise quota_error(whom, text)
    counts = answer.usage or _Counts()
    known = counts.prompt_tokens > 0
    return Completion(
        text=text,
        parsed=parsed(text, request),
        usage=Usage(input_tokens=counts.prompt_tokens, output_tokens=counts.completion_tokens)
        if known
        else estimated(request, text),
        tokens=_tokens(choice),
        finish=finish,
        raw={
            name: value
            for name, value in {
                "id": answer.id,
                "model": answer.model,
                "system_fingerprint": answer.system_fingerprint,
                **(facts or {}),
            }.items()
            if value
        },
    )


def parsed(text: str, request: Request) -> JsonValue:
    """The JSON value in an answer to a request with a schema; `None` where there is none."""
    if request.schema is None:
        return None
    try:
        return json_in(text)
    except NoJsonError:
        return None


def estimated(request: Request, text: str) -> Usage:
    """Token counts by our own estimate, where the server told none."""
    return Usage(input_tokens=input_estimate(request), output_tokens=count(text), estimated=True)


def input_estimate(request: Request) -> int:
    """About how many tokens the model reads: the messages, four for the frame of each, and the schema."""
    said = sum(count(message.text) + 4 for message in request.messages)
    return said + (0 if request.schema is None else count(json.dumps(dict(request.schema.body))))


def failed(status: int, body: str, whom: str) -> ModelError:
    """The error for an answer with an error status (or with an error in a body of status 200)."""
    error = error_in(body)
    text = str(error.get("message") or "") or shown(body)
    if is_quota(status, error, text):
        return quota_error(whom, text)
    if status == 429:
        return ModelRateError(
            f"{whom} asked to slow down and still did after all retries: {shown(text)}",
            hint="run the same command again later, or with fewer requests at once ([models.<provider>] slots in "
            "ingrained.toml); answers so far are kept",
        )
    if {str(error.get("code")), str(error.get("type"))} & _REFUSALS:
        return ModelRefusedError(f"{whom} declined the request: {shown(text)}", hint="word the request otherwise")
    if "context" in text.lower() and status in {400, 413}:
        hint = "shorten the request, or give the model more room ([models.local] context in ingrained.toml)"
        return ModelError(f"{whom} cannot take a request of this length: {shown(text)}", hint=hint)
    hint = {
        400: "the server does not take such a request; another model or server may",
        401: "check the key and that it belongs to this server",
        403: "check that the key may use this model",
        404: "check the model's name and the address of the server",
    }.get(status, "run the same command again; answers so far are kept")
    return ModelError(f"{whom} answered with status {status}: {shown(text)}", hint=hint)


def error_in(body: str) -> dict[str, JsonValue]:
    """The object that describes the error in a body; empty where there is none."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    if not isinstance(value, dict):
        return {}
    inner = value.get("error", value)
    return inner if isinstance(inner, dict) else {"message": str(inner)}


def shown_error(body: str) -> str:
    """The message of an error's body, else the body's start."""
    return str(error_in(body).get("message") or shown(body))


def quota_error(whom: str, text: str) -> ModelQuotaError:
    """The error for a used-up quota."""
    return ModelQuotaError(
        f"the quota at {whom} is used up: {shown(text)}",
        hint="run the same command again when it is filled up; answers so far are kept and cost nothing then",
    )


def shown(text: str) -> str:
    """The start of a body on one line, without the marks of HTML."""
    plain = " ".join(re.sub(r"<[^>]{0,200}>", " ", text).split())
    return plain if len(plain) <= 200 else plain[:199] + "…"


def _no_answer(body: str, request: Request, whom: str, cause: ValidationError) -> ModelError:
    error = error_in(body)
    if "message" in error or "code" in error:
        code = error.get("code")
        return failed(code if isinstance(code, int) and code > 0 else 200, body, whom)
    if notice_as_answer(body, request):
        return quota_error(whom, body)
    first = cause.errors()[0]
    place = ".".join(str(part) for part in first["loc"]) or "the body"
    return ModelMalformedError(
        f"{whom} sent no answer in the shape of the chat protocol ({place}: {first['msg']}): {shown(body)!r}",
        hint="check the address of the server: it usually ends in /v1",
    )


def _finish(choice: _Choice) -> Finish:
    if choice.message.refusal or choice.finish_reason == "content_filter":
        return "refused"
    return "length" if choice.finish_reason == "length" else "stop"


def _tokens(choice: _Choice) -> tuple[Token, ...]:
    content = choice.logprobs.content if choice.logprobs else None
    return tuple(
        Token(
            text=token.token,
            logprob=token.logprob,
            top=tuple((other.token, other.logprob) for other in token.top_logprobs),
        )
        for token in content or ()
    )
