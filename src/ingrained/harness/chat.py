"""Plain chat: one question with the skill before it, one answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pydantic import JsonValue

from ingrained.errors import ModelError, ModelQuotaError, ModelRefusedError, UnseenRequestError
from ingrained.harness.base import Drawing, Harness, Rollout, Said, Spent, Stop, Trace, options_of
from ingrained.ids import content_hash
from ingrained.model.base import Completion, Finish, Model, Request, Sampling
from ingrained.model.prompt import Prompt

CHAT: Final = Prompt.load("ingrained.harness", "chat")
SAMPLING: Final = Sampling(temperature=0.7, top_p=0.8, max_tokens=1024)
_STOPS: Final[Mapping[Finish, Stop]] = {"stop": "answered", "length": "cut", "refused": "refused"}


class Chat:
    """A model that is asked once."""

    def __init__(self, model: Model, sampling: Sampling = SAMPLING) -> None:
        self._model = model
        self._sampling = sampling

    @property
    def name(self) -> str:
        """`chat` and the model."""
        return f"chat={self._model.facts.provider}:{self._model.facts.model}"

    async def run(self, rollout: Rollout) -> Trace:
        """One call. An answer that does not come parks the attempt; see `Harness.run` for what is raised."""
        try:
            answer = await self._model.complete(chat_request(rollout, self._sampling))
        except (ModelQuotaError, UnseenRequestError):
            raise
        except ModelError as error:
            stop: Stop = "refused" if isinstance(error, ModelRefusedError) else "parked"
            return _trace(self.name, rollout, stop=stop, reason=error.message)
        return _trace(self.name, rollout, answer, stop=_STOPS[answer.finish])


def chat(model: Model, options: Mapping[str, JsonValue]) -> Harness:
    """The harness `chat`; options: `temperature`, `top_p`, `max_tokens`.

    Raises:
        ConfigError: an option is unknown or wrong.
    """
    return Chat(model, options_of("worker 'chat'", Drawing, options).over(SAMPLING))


def chat_request(rollout: Rollout, sampling: Sampling = SAMPLING) -> Request:
    """What the model reads: the skill, then the task. The seed is a sample of the same question."""
    messages = CHAT.messages(skill=rollout.skill.strip(), request=rollout.task.request)
    return Request(messages=messages, sampling=sampling, prompt=CHAT.hash, sample=rollout.seed)


def _trace(name: str, rollout: Rollout, answer: Completion | None = None, *, stop: Stop, reason: str = "") -> Trace:
    text = "" if answer is None else answer.text
    return Trace(
        task=rollout.task.id,
        worker=name,
        skill=content_hash(rollout.skill),
        seed=rollout.seed,
        messages=() if answer is None else (Said(role="assistant", text=text),),
        answer=text.strip(),
        stop=stop,
        reason=reason,
        spent=Spent() if answer is None else Spent().and_(answer.usage, cached=answer.cached),
    )
