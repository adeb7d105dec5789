"""`anthropic:NAME`: Claude models at Anthropic's own interface, instructions marked to be kept for the next call.

The interface takes system messages apart from the others, knows neither seed nor log-probabilities, and newer models
take no temperature or `top_p`: what it refuses is left out and noted in `Completion.raw`. The key is
`ANTHROPIC_API_KEY` (or the variable that `key_env` in `[models.anthropic]` names), the address
`ANTHROPIC_BASE_URL`, else `base_url` in those settings, else Anthropic's.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, Literal

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from ingrained.errors import ConfigError, EnvironmentFaultError, ModelMalformedError
from ingrained.model.base import Completion, Facts, Finish, Model, Request, Settings, Usage
from ingrained.model.openai import CONNECT_S, answered, settled
from ingrained.model.quota import notice_as_answer
from ingrained.model.strict import strict_schema
from ingrained.model.wire import error_in, failed, parsed, quota_error, shown, shown_error, with_schema
from ingrained.registry import missing

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

OFFICIAL: Final = "https://api.anthropic.com"
SLOTS: Final = 4

_SCHEMA_WORDS: Final = re.compile(r"output_config|output_format|schema", re.IGNORECASE)
_UNNAMED: Final = frozenset({"temperature", "top_p"})
_DROPPABLE: Final = ("top_p", "temperature", "stop_sequences")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """How the model wants to be asked, as far as has been learned."""

    json: Literal["schema", "words"] = "schema"
    without: frozenset[str] = field(default_factory=frozenset)

    def body(self, model: str, request: Request) -> dict[str, JsonValue]:
        """The body that asks `request` of the model called `model`."""
        by_words = request.schema is not None and self.json == "words"
        messages = with_schema(request) if by_words else request.messages
        sampling = request.sampling
        options: dict[str, JsonValue] = {"temperature": sampling.temperature}
        if sampling.top_p < 1:
            options["top_p"] = sampling.top_p
        if sampling.stop:
            options["stop_sequences"] = list(sampling.stop)
        for name in self.without:
            options.pop(name, None)
        system = "\n\n".join(message.text for message in messages if message.role == "system")
        if system:
            options["system"] = [{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}]
        if request.schema is not None and self.json == "schema":
            strict = strict_schema(request.schema.body, bounds=False)  # its servers refuse all bounds
            options["output_config"] = {"format": {"type": "json_schema", "schema": strict}}
        return {
            "model": model,
            "max_tokens": sampling.max_tokens,
            "messages": [
                {"role": message.role, "content": message.text} for message in messages if message.role != "system"
            ],
            **options,
        }

    def after(self, status: int, body: str, request: Request) -> Asking | None:
        """Another way to ask, learned from an error; `None` where the error is about something else."""
        if status != 400:
            return None
        text = shown_error(body)
        for option in _DROPPABLE:
            if option in text and option not in self.without and option in self.body("", request):
                return replace(self, without=self.without | {option})
        if request.schema is not None and self.json == "schema" and _SCHEMA_WORDS.search(text):
            return replace(self, json="words")
        return None

    def facts(self, request: Request) -> dict[str, JsonValue]:
        """What could not be asked as it was meant, for `Completion.raw`."""
        unknown = {"seed"} if request.sampling.seed is not None else set()
        lost: list[JsonValue] = [*sorted(self.without | unknown)]
        found: dict[str, JsonValue] = {"without": lost} if lost else {}
        return found | ({"json": "words"} if request.schema is not None and self.json == "words" else {})


class _Loose(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Block(_Loose):
    type: str = ""
    text: str = ""


class _Counts(_Loose):
    input_tokens: int = 0
    output_tokens: int = 0
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None

    @property
    def read(self) -> int:
        """All tokens read; kept ones count in full, so that a receipt is an upper bound."""
        return self.input_tokens + (self.cache_creation_input_tokens or 0) + (self.cache_read_input_tokens or 0)


class _Answer(_Loose):
    id: str = ""
    model: str = ""
    content: list[_Block]
    stop_reason: str | None = None
    usage: _Counts


class AnthropicModel:
    """One Claude model. The client is made at the first call."""

    def __init__(self, name: str, settings: Settings) -> None:
        self._settings = settings
        self._asking = Asking()
        self._client: AsyncAnthropic | None = None
        address = os.environ.get("ANTHROPIC_BASE_URL") or settings.base_url or OFFICIAL
        self._facts = Facts(
            provider="anthropic", model=name, endpoint=address.rstrip("/"), slots=settings.slots or SLOTS
        )

    @property
    def facts(self) -> Facts:
        """What is known of the model."""
        return self._facts

    async def complete(self, request: Request) -> Completion:
        """One call, and one more for each thing that the model turns out not to take (at most four, once).

        Raises:
            ModelError: and its subclasses, see `wire.failed`.
            EnvironmentFaultError: no key, or the client library is not installed.
        """
        create = self._connected().messages.with_raw_response.create

        async def send(asking: Asking) -> tuple[int, str]:
            body = asking.body(self._facts.model, request)
            # Older models still take what the client library no longer has a name for.
            named: dict[str, JsonValue] = {name: value for name, value in body.items() if name not in _UNNAMED}
            named["extra_body"] = {name: value for name, value in body.items() if name in _UNNAMED}
            return await answered(create, named, self._whom, self._settings)

        self._asking, text = await settled(self._asking, send, request, self._whom)
        return read(text, request, whom=self._whom, facts=self._asking.facts(request))

    async def aclose(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.close()

    @property
    def _whom(self) -> str:
        return f"anthropic:{self._facts.model}"

    def _connected(self) -> AsyncAnthropic:
        if self._client is None:
            try:
                from anthropic import AsyncAnthropic, Timeout
            except ModuleNotFoundError as error:
                raise missing("anthropic", error.name or "anthropic", "anthropic") from error
            name = self._settings.key_env or "ANTHROPIC_API_KEY"
            key = os.environ.get(name, "")
            if not key:
                raise EnvironmentFaultError(
                    f"there is no key for {self._facts.endpoint}: {name} is not set", hint=f"export {name}=…"
                )
            self._client = AsyncAnthropic(
                api_key=key,
                base_url=self._facts.endpoint,
                max_retries=self._settings.retries,
                timeout=Timeout(self._settings.timeout_s, connect=CONNECT_S),
            )
        return self._client


def read(body: str, request: Request, *, whom: str, facts: Mapping[str, JsonValue]) -> Completion:
    """What a body with status 200 says.

    Raises:
        ModelQuotaError: the answer is a notice about limits.
        ModelMalformedError: it is no answer in the shape of the interface.
    """
    try:
        answer = _Answer.model_validate_json(body)
    except ValidationError as error:
        if error_in(body).get("message"):
            raise failed(200, body, whom) from error
        raise ModelMalformedError(
            f"{whom} sent no answer in the shape of its interface: {shown(body)!r}", hint="check the address"
        ) from error
    text = "".join(block.text for block in answer.content if block.type == "text")
    if notice_as_answer(text, request):
        raise quota_error(whom, text)
    return Completion(
        text=text,
        parsed=parsed(text, request),
        usage=Usage(input_tokens=answer.usage.read, output_tokens=answer.usage.output_tokens),
        finish=_finish(answer.stop_reason),
        raw={"id": answer.id, "model": answer.model, **facts},
    )


def _finish(reason: str | None) -> Finish:
    if reason == "refusal":
        return "refused"
    return "length" if reason in {"max_tokens", "model_context_window_exceeded"} else "stop"


def anthropic_model(name: str, settings: Settings) -> Model:
    """The model `name` of `anthropic:name`.

    Raises:
        ConfigError: no model is named.
    """
    if not name:
        raise ConfigError("'anthropic:' names no model", hint="such as anthropic:claude-haiku-4-5")
    return AnthropicModel(name, settings)
