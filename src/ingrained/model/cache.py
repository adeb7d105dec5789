"""Stored answers: the same request to the same model is paid for once.

The key is the content hash of the model's identity and the whole request (messages, sampling, schema, prompt hash,
sample index, asked log-probabilities). An answer is on disk before anybody sees it, so a killed run pays again at most
for what was under way. Within one process a request that is under way is waited for, not sent again; two processes that
ask the same in the same moment may both pay, and go on with the same answer. `INGRAINED_REPLAY=only` answers from the
file alone and sends nothing.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

import anyio

from ingrained.errors import ConfigError, UnseenRequestError
from ingrained.ids import content_hash
from ingrained.model.answers import VERSION, Answers
from ingrained.model.base import Completion, Facts, Model, Request
from ingrained.model.limits import Meter
from ingrained.store.faults import point, register

REPLAY: Final = "INGRAINED_REPLAY"

register("answers", "asked", "answered", "stored")


def answer_key(facts: Facts, request: Request) -> str:
    """The key under which the answer of a model to a request is stored."""
    return content_hash({"version": VERSION, "model": facts.to_json(), "request": request.to_json()})


class CachedModel:
    """A model behind its stored answers."""

    def __init__(
        self, model: Model, answers: Answers, meter: Meter | None = None, *, only_stored: bool = False
    ) -> None:
        self._model = model
        self._answers = answers
        self._meter = meter
        self._only_stored = only_stored
        self._flying: dict[str, anyio.Event] = {}

    @property
    def facts(self) -> Facts:
        """Those of the model itself."""
        return self._model.facts

    async def complete(self, request: Request) -> Completion:
        """The stored answer, else one call to the model, stored before it is given back.

        Raises:
            UnseenRequestError: nothing is stored, and nothing may be sent.
            ModelError, BudgetReachedError: as the model itself says; an error is never stored.
        """
        key = answer_key(self.facts, request)
        while True:
            found = self._answers.get(key)
            if found is not None:
                if self._meter is not None:
                    self._meter.count_cached()
                return found
            under_way = self._flying.get(key)
            if under_way is None:
                break
            await under_way.wait()
        if self._only_stored:
            raise unseen(key, self.facts, request)
        done = self._flying[key] = anyio.Event()
        try:
            point("answers.asked")
            answer = await self._model.complete(request)
            point("answers.answered")
            kept = self._answers.put(key, self.facts, answer)
            point("answers.stored")
            return kept
        finally:
            del self._flying[key]
            done.set()

    async def aclose(self) -> None:
        """Close the model and the file."""
        try:
            await self._model.aclose()
        finally:
            self._answers.close()


def only_stored(env: Mapping[str, str] | None = None) -> bool:
    """Whether `INGRAINED_REPLAY` allows stored answers alone.

    Raises:
        ConfigError: the variable is neither empty nor `only`.
    """
    value = (os.environ if env is None else env).get(REPLAY, "")
    if value not in {"", "only"}:
        raise ConfigError(f"{REPLAY}={value!r}: it is 'only', or not set")
    return value == "only"


def unseen(key: str, facts: Facts, request: Request) -> UnseenRequestError:
    """The error for a request without a stored answer: names it by its model, prompt, sample and last message."""
    last = " ".join(request.messages[-1].text.split()) if request.messages else ""
    shown = last if len(last) <= 120 else last[:119] + "…"
    return UnseenRequestError(
        f"no answer of {facts.provider}:{facts.model} is stored for {key} "
        f"(prompt {request.prompt or 'none'}, sample {request.sample}, last message {shown!r})",
        hint=f"run it once without {REPLAY}=only, or look what changed in the prompt, the model or the sampling",
    )
