"""`openai:NAME`: any server that speaks the OpenAI chat protocol (vLLM, llama.cpp, Ollama, OpenRouter, OpenAI itself).

Owns where the server is and which key goes to it. The address is the one in the reference (`openai:NAME@http://…/v1`),
else `OPENAI_BASE_URL`, else `base_url` in `[models.openai]`, else OpenAI's. A key goes only where it belongs:
`OPENAI_API_KEY` to OpenAI and to the address in `OPENAI_BASE_URL`, the variable named by `key_env` to `base_url`, and
`INGRAINED_MODEL_KEY` to whatever address the reference names. Retries are the client library's own (it honours
`Retry-After` up to two minutes, else waits half a second and doubles, up to eight seconds).
"""

from __future__ import annotations

import os
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, Self, TypeVar
from urllib.parse import urlsplit

import anyio
from pydantic import JsonValue

from ingrained.errors import ConfigError, EnvironmentFaultError, ModelError
from ingrained.model.base import Completion, Facts, Model, Request, Settings
from ingrained.model.wire import Dialect, completion, failed, shown
from ingrained.registry import missing

if TYPE_CHECKING:
    from openai import AsyncOpenAI

OFFICIAL: Final = "https://api.openai.com/v1"
SLOTS: Final = 8
CONNECT_S: Final = 10.0

_AT: Final = re.compile(r"@(?=https?://)", re.IGNORECASE)


class Reply(Protocol):
    """What a client library tells of an answer, whatever its status."""

    @property
    def status_code(self) -> int:
        """The HTTP status."""
        ...

    @property
    def text(self) -> str:
        """The body."""
        ...


class RawReply(Protocol):
    """An answer as a client library gives it where it is asked not to read it."""

    @property
    def http_response(self) -> Reply:
        """What was received."""
        ...


class Way(Protocol):
    """One way of asking, which knows another one."""

    def after(self, status: int, body: str, request: Request) -> Self | None:
        """Another way to ask, learned from an error; `None` where the error is about something else."""
        ...


W = TypeVar("W", bound=Way)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a model is served, and the variable with the key for it."""

    model: str
    base_url: str
    key_env: str

    @classmethod
    def find(cls, name: str, settings: Settings, env: Mapping[str, str]) -> Place:
        """Read what follows `openai:`.

        Raises:
            ConfigError: no model is named, or what follows an @ is no http(s) address.
        """
        model, *addresses = _AT.split(name, maxsplit=1)
        if not model:
            raise ConfigError("'openai:' names no model", hint="such as openai:gpt-4.1-mini")
        if not addresses and "@" in model:
            raise _no_address(model)
        if addresses:
            found = cls(model=model, base_url=addresses[0], key_env="INGRAINED_MODEL_KEY")
        elif env.get("OPENAI_BASE_URL"):
            found = cls(model=model, base_url=env["OPENAI_BASE_URL"], key_env="OPENAI_API_KEY")
        elif settings.base_url:
            found = cls(model=model, base_url=settings.base_url, key_env=settings.key_env or "INGRAINED_MODEL_KEY")
        else:
            found = cls(model=model, base_url=OFFICIAL, key_env=settings.key_env or "OPENAI_API_KEY")
        parts = urlsplit(found.base_url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ConfigError(f"{found.base_url!r} is no address of a server", hint="such as http://127.0.0.1:8080/v1")
        if parts.username or parts.password:
            raise ConfigError(
                f"the address of a server holds no password: {parts.scheme}://…@{parts.hostname}",
                hint=f"put the key into {found.key_env}",
            )
        return cls(model=found.model, base_url=found.base_url.rstrip("/"), key_env=found.key_env)

    @property
    def official(self) -> bool:
        """Whether it is OpenAI itself, whose prices are known."""
        return urlsplit(self.base_url).hostname == urlsplit(OFFICIAL).hostname

    def key(self, env: Mapping[str, str]) -> str:
        """The key for the server; a word that is none for a server that was not given one.

        Raises:
            EnvironmentFaultError: OpenAI itself without a key.
        """
        found = env.get(self.key_env, "")
        if not found and self.official:
            raise EnvironmentFaultError(
                f"there is no key for {self.base_url}: {self.key_env} is not set",
                hint=f"export {self.key_env}=…, or name another server: openai:{self.model}@http://127.0.0.1:8080/v1",
            )
        return found or "none"


def _no_address(name: str) -> ConfigError:
    """The error for an @ without an address in full: taken for a part of the name, it would go to another server."""
    model, _, rest = name.partition("@")
    guess = f"http://{rest}" if rest and not re.search(r"@|://", rest) else "http://127.0.0.1:8080/v1"
    return ConfigError(
        f"'openai:{model}@{'…' if '@' in rest else rest}': after the @ stands no http:// or https:// address",
        hint=f"openai:{model or 'NAME'}@{guess}",
    )


class OpenAIModel:
    """One model on one server. The client is made at the first call: stored answers need no key."""

    def __init__(self, place: Place, settings: Settings) -> None:
        self._place = place
        self._settings = settings
        self._dialect = Dialect()
        self._client: AsyncOpenAI | None = None
        self._facts = Facts(
            provider="openai",
            model=place.model,
            endpoint=place.base_url,
            slots=settings.slots or SLOTS,
            logprobs=True,
        )

    @property
    def facts(self) -> Facts:
        """What is known of the model."""
        return self._facts

    async def complete(self, request: Request) -> Completion:
        """One call to the server, and one more for each thing that it turns out not to know (at most eight, once).

        Raises:
            ModelError: and its subclasses, see `wire.failed`.
            EnvironmentFaultError: no key, or the client library is not installed.
        """
        create = self._connected().chat.completions.with_raw_response.create

        async def send(dialect: Dialect) -> tuple[int, str]:
            return await answered(create, dialect.body(self._place.model, request), self._whom, self._settings)

        self._dialect, body = await settled(self._dialect, send, request, self._whom)
        return completion(body, request, whom=self._whom, facts=self._dialect.facts(request))

    async def aclose(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.close()

    @property
    def _whom(self) -> str:
        return f"openai:{self._place.model} at {self._place.base_url}"

    def _connected(self) -> AsyncOpenAI:
        if self._client is None:
            try:
                from openai import AsyncOpenAI, Timeout
            except ModuleNotFoundError as error:
                raise missing("openai", error.name or "openai", "model") from error
            self._client = AsyncOpenAI(
                api_key=self._place.key(os.environ),
                base_url=self._place.base_url,
                max_retries=self._settings.retries,
                timeout=Timeout(self._settings.timeout_s, connect=CONNECT_S),
            )
        return self._client


async def settled(
    way: W, send: Callable[[W], Awaitable[tuple[int, str]]], request: Request, whom: str
) -> tuple[W, str]:
    """Ask in one way after another until the server takes it: the way that it took, and the answer's body.

    Raises:
        ModelError: an error that no other way of asking mends, and what `send` says.
    """
    while True:
        status, body = await send(way)
        if status == 200:
            return way, body
        other = way.after(status, body, request)
        if other is None:
            raise failed(status, body, whom)
        way = other


async def answered(
    create: Callable[..., Awaitable[RawReply]], body: Mapping[str, JsonValue], whom: str, settings: Settings
) -> tuple[int, str]:
    """Status and text of the answer to a body; the client library's exceptions for an error status are answers too.

    Raises:
        ModelError: nothing came back (no connection, time out, cut off).
    """
    try:
        with anyio.fail_after(settings.patience_s):
            reply = (await create(**body)).http_response
        return reply.status_code, reply.text
    except TimeoutError as error:
        raise ModelError(
            f"{whom} gave no answer within {settings.patience_s:g} s, all tries together",
            hint="patience_s in ingrained.toml, [models.<provider>], is how long; answers so far are kept",
        ) from error
    except Exception as error:  # every client library has its own tree of errors
        response: Reply | None = getattr(error, "response", None)
        if response is not None:
            return response.status_code, response.text
        if type(error).__module__.partition(".")[0] not in _CLIENTS:
            raise
        cause = error.__cause__ or error
        raise ModelError(
            f"{whom} gave no answer after all retries: {shown(str(error))} ({type(cause).__name__})",
            hint="check that the server runs and its address is right; answers so far are kept",
        ) from error


_CLIENTS: Final = frozenset({"openai", "anthropic", "httpx", "httpx2", "httpcore", "httpcore2", "h11"})


def openai_model(name: str, settings: Settings) -> Model:
    """The model `name` of `openai:name`."""
    return OpenAIModel(Place.find(name, settings, os.environ), settings)
