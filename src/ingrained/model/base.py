"""The model seam: a request goes in, a completion comes out.

Owns the values of both and the registry. The decision to know: a request carries everything that may change its answer
and nothing else, so that its canonical JSON is the key under which the answer is kept (`cache.py`). Time limits,
retries and concurrency belong to the model object. A model is named `provider:name` (`openai:gpt-4.1-mini`,
`local:model.gguf`); whatever follows the first colon is the provider's to read.

Units: tokens are the provider's own counts where it tells them, else estimates (`Usage.estimated`); log-probabilities
are natural logarithms.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from pydantic import JsonValue

from ingrained.errors import ConfigError
from ingrained.registry import Registry

Role = Literal["system", "user", "assistant"]
Finish = Literal["stop", "length", "refused"]
"""Ended by itself or at a stop word; cut at `max_tokens`; declined by the model or by a filter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of the conversation that the model reads."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How the answer is drawn. The defaults take the likeliest token each time, as far as a server allows it."""

    temperature: float = 0.0
    top_p: float = 1.0
    max_tokens: int = 1024
    seed: int | None = None
    stop: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """The JSON schema that the answer has to fit."""

    name: str
    """A short identifier; some servers show it to the model."""
    body: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One question, with all that may change its answer."""

    messages: tuple[Message, ...]
    sampling: Sampling = field(default_factory=Sampling)
    schema: Schema | None = None
    prompt: str = ""
    """Hash of the prompt that the messages were made from; `""` where there is none."""
    sample: int = 0
    """Which of several answers to the same question this one is, from 0."""
    logprobs: int = 0
    """How many alternatives to tell for each token; 0: no log-probabilities at all."""

    def to_json(self) -> dict[str, JsonValue]:
        """The request as one JSON object."""
        return {
            "messages": [{"role": message.role, "text": message.text} for message in self.messages],
            "sampling": {
                "temperature": self.sampling.temperature,
                "top_p": self.sampling.top_p,
                "max_tokens": self.sampling.max_tokens,
                "seed": self.sampling.seed,
                "stop": list(self.sampling.stop),
            },
            "schema": None if self.schema is None else {"name": self.schema.name, "body": dict(self.schema.body)},
            "prompt": self.prompt,
            "sample": self.sample,
            "logprobs": self.logprobs,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens that were read and written."""

    input_tokens: int
    output_tokens: int
    estimated: bool = False
    """The server told no counts; these are the program's own estimate."""

    def __add__(self, other: Usage) -> Usage:
        """Both together."""
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            estimated=self.estimated or other.estimated,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """One token of an answer with its log-probability, and those of the likeliest alternatives."""

    text: str
    logprob: float
    top: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """One answer. `cached` is no part of it: it says where this copy came from."""

    text: str
    parsed: JsonValue = None
    """The JSON value in the text where a schema was asked for and one was found; not yet checked against it."""
    usage: Usage
    tokens: tuple[Token, ...] = ()
    """Empty unless log-probabilities were asked for and the server gives them."""
    finish: Finish = "stop"
    raw: Mapping[str, JsonValue] = field(default_factory=dict)
    """Facts of the provider: its id for the answer, the model it says it is, what it could not be asked."""
    cached: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known of a model before it is asked anything."""

    provider: str
    model: str
    """The name at the provider, or a hash of the weights or of the script."""
    endpoint: str = ""
    """Address of the server; empty where nothing leaves the process."""
    slots: int = 1
    """How many requests it may be given at once."""
    logprobs: bool = False
    free: bool = False
    """Costs no money."""

    def to_json(self) -> dict[str, JsonValue]:
        """What identifies the model, for the key of an answer."""
        return {"provider": self.provider, "model": self.model, "endpoint": self.endpoint}


class Model(Protocol):
    """Something that answers. Close it when done; a closed model is not asked again."""

    @property
    def facts(self) -> Facts:
        """What is known of it; the same for its whole life."""
        ...

    async def complete(self, request: Request) -> Completion:
        """One call to the model.

        Raises:
            ModelError: no answer came; its subclasses say which kind (rate, quota, refused, malformed).
        """
        ...

    async def aclose(self) -> None:
        """Give back connections and memory."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What `[models.<provider>]` in `ingrained.toml` may say; each provider reads what concerns it."""

    base_url: str = ""
    key_env: str = ""
    """Name of the environment variable that holds the key; a key never stands in the file."""
    slots: int = 0
    """Requests at once; 0: the provider's own default."""
    retries: int = 4
    """Of the provider's client, for what may pass: 408, 409, 429, 5xx, connections."""
    timeout_s: float = 180.0
    """For one attempt, in seconds without a byte."""
    patience_s: float = 900.0
    """For one request with all its attempts and waits, in seconds; ends an answer that drips in too."""
    threads: int = 1
    context: int = 4096
    """Tokens of context for each slot of a local model."""


class Provider(Protocol):
    """Makes a model of what follows `provider:`; asks and loads nothing yet."""

    def __call__(self, name: str, settings: Settings) -> Model:
        """The model called `name`."""
        ...


MODELS: Registry[Provider] = Registry(
    "ingrained.models",
    {
        "openai": "ingrained.model.openai:openai_model",
        "anthropic": "ingrained.model.anthropic:anthropic_model",
        "local": "ingrained.model.local:local_model",
        "scripted": "ingrained.model.scripted:scripted_model",
    },
    extras={"openai": "model", "anthropic": "anthropic", "local": "local"},
    needs={"openai": "openai", "anthropic": "anthropic", "local": "xllamacpp"},
)


_IMPORT_PATH = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+:[A-Za-z_]\w*):(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """`provider:name`, taken apart."""

    provider: str
    name: str

    @classmethod
    def parse(cls, text: str) -> Reference:
        """The reference in `text`; a provider may be an import path too: `package.module:function:name`.

        Raises:
            ConfigError: there is no colon in it, or nothing before it.
        """
        path = _IMPORT_PATH.fullmatch(text.strip())
        if path is not None:
            return cls(provider=path[1], name=path[2])
        provider, colon, name = text.strip().partition(":")
        if not colon or not provider:
            raise ConfigError(
                f"{text!r} is no reference to a model: it has to be provider:name",
                hint="such as openai:gpt-4.1-mini, local:model.gguf or scripted:answers.jsonl; "
                "ingrained plugins model lists the providers",
            )
        return cls(provider=provider, name=name)
