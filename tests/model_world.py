"""What tests of models share: requests, shapes, a model made of a function that counts what it was asked."""

from __future__ import annotations

from collections.abc import Callable

import anyio
from pydantic import BaseModel, ConfigDict

from ingrained.model.base import Completion, Facts, Message, Request, Sampling, Usage


class Colours(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    colours: list[str]
    sure: bool = True


def request(text: str = "Name two colours.", **options: object) -> Request:
    sampling = options.pop("sampling", Sampling(max_tokens=50))
    return Request(messages=(Message(role="user", text=text),), sampling=sampling, **options)


def completion(text: str, *, read: int = 10, wrote: int = 5, **options: object) -> Completion:
    return Completion(text=text, usage=Usage(input_tokens=read, output_tokens=wrote), **options)


class Counting:
    """Answers by a function of the request and of how many came before it."""

    def __init__(
        self,
        answer: Callable[[Request, int], Completion | str],
        *,
        free: bool = False,
        slots: int = 4,
        wait_s: float = 0.0,
        model: str = "gpt-4.1-mini",
    ) -> None:
        self.asked: list[Request] = []
        self.at_once = self.most_at_once = 0
        self.closed = False
        self._answer = answer
        self._wait_s = wait_s
        endpoint = "" if free else "https://api.openai.com/v1"
        provider = "scripted" if free else "openai"
        self._facts = Facts(provider=provider, model=model, endpoint=endpoint, slots=slots, free=free)

    @property
    def facts(self) -> Facts:
        return self._facts

    async def complete(self, request: Request) -> Completion:
        number = len(self.asked)
        self.asked.append(request)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await anyio.sleep(self._wait_s)
            found = self._answer(request, number)
        finally:
            self.at_once -= 1
        return completion(found) if isinstance(found, str) else found

    async def aclose(self) -> None:
        self.closed = True
