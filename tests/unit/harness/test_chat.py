"""Plain chat: what the model reads, and what a trace says of what came back."""

from __future__ import annotations

import pytest

from ingrained.errors import (
    ModelMalformedError,
    ModelQuotaError,
    ModelRateError,
    ModelRefusedError,
    UnseenRequestError,
)
from ingrained.harness.base import HARNESSES, Rollout, Task, Trace, worker_of
from ingrained.harness.chat import Chat, chat_request
from ingrained.model.base import Completion, Facts, Finish, Request, Usage

TASK = Task(id="t1", benchmark="invented", request="How many legs has a spider?", known={"answer": "secret-8"})


class Fake:
    """A model with one answer, or one error."""

    def __init__(self, answer: str | Exception, finish: Finish = "stop") -> None:
        self.facts = Facts(provider="fake", model="one")
        self.asked: list[Request] = []
        self._answer, self._finish = answer, finish

    async def complete(self, request: Request) -> Completion:
        self.asked.append(request)
        if isinstance(self._answer, Exception):
            raise self._answer
        usage = Usage(input_tokens=7, output_tokens=3)
        return Completion(text=self._answer, usage=usage, finish=self._finish)

    async def aclose(self) -> None:
        """Nothing to give back."""


async def run(model: Fake, skill: str = "", seed: int = 0) -> Trace:
    return await Chat(model).run(Rollout(task=TASK, skill=skill, seed=seed))


@pytest.mark.anyio
async def test_the_worker_reads_the_skill_and_the_task_and_nothing_that_the_verifier_knows() -> None:
    model = Fake("8")
    trace = await run(model, skill="# Counting\n\n- Count twice")
    shown = "\n".join(one.text for one in model.asked[0].messages)
    assert "- Count twice" in shown
    assert TASK.request in shown
    assert "secret-8" not in shown
    assert (trace.answer, trace.stop, trace.spent.calls, trace.spent.input_tokens) == ("8", "answered", 1, 7)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("model", "stop"),
    [
        (Fake("8", "length"), "cut"),
        (Fake("", "refused"), "refused"),
        (Fake(ModelRefusedError("declined")), "refused"),
        (Fake(ModelRateError("slow down")), "parked"),
        (Fake(ModelMalformedError("half an answer")), "parked"),
    ],
)
async def test_an_attempt_that_fails_is_a_record_and_no_crash(model: Fake, stop: str) -> None:
    assert (await run(model)).stop == stop


@pytest.mark.anyio
@pytest.mark.parametrize("error", [ModelQuotaError("no money left"), UnseenRequestError("not stored")])
async def test_where_nobody_can_be_asked_any_more_no_attempt_is_recorded(error: Exception) -> None:
    with pytest.raises(type(error)):
        await run(Fake(error))


def test_attempts_are_samples_of_one_question_and_skills_make_others() -> None:
    bare, again, other = (
        chat_request(Rollout(task=TASK, skill=skill, seed=seed))
        for skill, seed in (("", 0), ("", 1), ("- Be brief", 0))
    )
    assert bare.messages == again.messages
    assert bare != again
    assert bare.messages != other.messages
    assert "Follow this skill" not in bare.messages[0].text


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("local:", ("chat", "local:")),
        ("openai:a=b@http://127.0.0.1:1/v1", ("chat", "openai:a=b@http://127.0.0.1:1/v1")),
        ("tools=openai:NAME", ("tools", "openai:NAME")),
    ],
)
def test_a_worker_is_a_model_or_a_harness_over_one(reference: str, found: tuple[str, str]) -> None:
    assert worker_of(reference) == found


def test_chat_is_known_by_its_name_and_takes_its_sampling() -> None:
    made = HARNESSES.load("chat")(Fake("8"), {"temperature": 0.0, "max_tokens": 5})
    assert made.name == "chat=fake:one"
