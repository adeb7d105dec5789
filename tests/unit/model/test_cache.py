"""Stored answers: the whole result comes back, nothing is paid twice, replay sends nothing."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import anyio
import pytest

from ingrained.errors import ConfigError, ModelQuotaError, StoreError, UnseenRequestError
from ingrained.ids import canonical_json
from ingrained.model.answers import ANSWERS_NAME, Answers, StoredAnswer, answer_files, forget_answers
from ingrained.model.base import Completion, Request, Token, Usage
from ingrained.model.cache import CachedModel, answer_key, only_stored
from ingrained.model.limits import Meter
from model_world import Counting, completion, request

GOLDEN = Path(__file__).parents[2] / "golden" / "answers"
FULL = Completion(
    text='{"colours": ["röt\u2028"]}',
    parsed={"colours": ["röt\u2028"]},
    usage=Usage(input_tokens=3, output_tokens=4, estimated=True),
    tokens=(Token(text="{", logprob=-0.25, top=(("{", -0.25), ("[", -1.5))),),
    finish="length",
    raw={"id": "chat-1", "without": ["seed"]},
)


def ask_all(home: Path, model: Counting, asked: list[Request], *, replay: bool = False) -> list[Completion]:
    found: dict[int, Completion] = {}

    async def run() -> None:
        cached = CachedModel(model, Answers.open(home), only_stored=replay)

        async def one(place: int) -> None:
            found[place] = await cached.complete(asked[place])

        try:
            async with anyio.create_task_group() as group:
                for place in range(len(asked)):
                    group.start_soon(one, place)
        finally:
            await cached.aclose()

    anyio.run(run)
    return [found[place] for place in range(len(asked))]


def test_the_whole_result_is_stored_and_comes_back(tmp_path: Path) -> None:
    model = Counting(lambda _, __: FULL)
    assert ask_all(tmp_path, model, [request()]) == [FULL]
    (again,) = ask_all(tmp_path, Counting(lambda _, __: "never"), [request()])
    assert again.cached
    assert again == Completion(
        text=FULL.text,
        parsed=FULL.parsed,
        usage=FULL.usage,
        tokens=FULL.tokens,
        finish=FULL.finish,
        raw=FULL.raw,
        cached=True,
    )


def test_the_same_request_at_the_same_time_is_sent_once(tmp_path: Path) -> None:
    model = Counting(lambda _, number: f"answer {number}", wait_s=0.02)
    answers = ask_all(tmp_path, model, [request()] * 5 + [request(sample=1)])
    assert len(model.asked) == 2
    assert len({answer.text for answer in answers[:5]}) == 1
    assert answers[5].text != answers[0].text
    assert [answer.cached for answer in answers].count(False) == 2


def test_an_error_is_not_stored_and_those_who_wait_ask_themselves(tmp_path: Path) -> None:
    def answer(_: Request, number: int) -> str:
        if number == 0:
            raise ModelQuotaError("used up")
        return "good"

    model = Counting(answer, wait_s=0.02)

    async def run() -> list[str]:
        cached = CachedModel(model, Answers.open(tmp_path))
        said: list[str] = []

        async def one() -> None:
            try:
                said.append((await cached.complete(request())).text)
            except ModelQuotaError:
                said.append("quota")

        async with anyio.create_task_group() as group:
            for _ in range(3):
                group.start_soon(one)
        await cached.aclose()
        return said

    assert sorted(anyio.run(run)) == ["good", "good", "quota"]
    assert len(model.asked) == 2


def test_replay_answers_from_the_file_alone(tmp_path: Path) -> None:
    ask_all(tmp_path, Counting(lambda _, __: "stored"), [request()])
    model = Counting(lambda _, __: "never")
    assert [answer.text for answer in ask_all(tmp_path, model, [request()], replay=True)] == ["stored"]
    with pytest.raises(ExceptionGroup) as group:
        ask_all(tmp_path, model, [request("Something else?", prompt="b2:abc", sample=2)], replay=True)
    (error,) = group.value.exceptions
    assert isinstance(error, UnseenRequestError)
    for named in ("openai:gpt-4.1-mini", "Something else?", "b2:abc", "sample 2", "b2:"):
        assert named in error.message
    assert model.asked == []


def test_what_replay_may_be() -> None:
    assert [only_stored({}), only_stored({"INGRAINED_REPLAY": "only"})] == [False, True]
    with pytest.raises(ConfigError, match="INGRAINED_REPLAY='yes'"):
        only_stored({"INGRAINED_REPLAY": "yes"})


def test_two_processes_go_on_with_the_first_answer(tmp_path: Path) -> None:
    facts = Counting(lambda _, __: "x").facts
    key = answer_key(facts, request())
    with closing(Answers.open(tmp_path)) as one, closing(Answers.open(tmp_path)) as other:
        first = one.put(key, facts, completion("first"))
        second = other.put(key, facts, completion("second"))
    assert (first.text, first.cached) == ("first", False)
    assert (second.text, second.cached) == ("first", True)


def test_an_answer_that_cannot_be_read_is_asked_for_again(tmp_path: Path) -> None:
    ask_all(tmp_path, Counting(lambda _, __: "old"), [request()])
    with closing(sqlite3.connect(tmp_path / ANSWERS_NAME)) as raw:
        raw.execute("UPDATE answers SET answer = '{}'")
        raw.commit()
    assert ask_all(tmp_path, Counting(lambda _, __: "new"), [request()])[0].text == "new"
    assert ask_all(tmp_path, Counting(lambda _, __: "never"), [request()])[0].text == "new"


def test_a_file_that_is_none_of_ours_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / ANSWERS_NAME
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE theirs (x)")
        other.commit()
    with pytest.raises(StoreError, match="another program"):
        Answers.open(tmp_path)
    path.write_bytes(b"no database at all" * 100)
    with pytest.raises(StoreError, match="damaged"):
        Answers.open(tmp_path)
    path.unlink()
    Answers.open(tmp_path).close()
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("PRAGMA user_version = 99")
        raw.commit()
    with pytest.raises(StoreError, match="version 99"):
        Answers.open(tmp_path)


def test_forgetting_leaves_no_word_behind(tmp_path: Path) -> None:
    assert forget_answers(tmp_path) == 0
    assert not answer_files(tmp_path)[0].exists()
    ask_all(tmp_path, Counting(lambda _, __: "xylophone"), [request(), request(sample=1)])
    assert forget_answers(tmp_path) == 2
    for path in answer_files(tmp_path):
        assert not path.exists() or b"xylophone" not in path.read_bytes()
    with closing(Answers.open(tmp_path)) as answers:
        assert answers.count() == 0


def test_stored_answers_are_counted(tmp_path: Path) -> None:
    async def run() -> Meter:
        meter = Meter()
        cached = CachedModel(Counting(lambda _, __: "x"), Answers.open(tmp_path), meter)
        for _ in range(3):
            await cached.complete(request())
        await cached.aclose()
        return meter

    assert anyio.run(run).receipt.cached == 2


def test_the_file_is_the_owners_alone(tmp_path: Path) -> None:
    ask_all(tmp_path, Counting(lambda _, __: "x"), [request()])
    assert (tmp_path / ANSWERS_NAME).stat().st_mode & 0o077 == 0


def test_the_stored_form_is_that_of_version_1() -> None:
    golden = json.loads((GOLDEN / "v1.json").read_text(encoding="utf-8"))
    assert json.loads(canonical_json(StoredAnswer.of(FULL).model_dump(mode="json"))) == golden["answer"]
    assert StoredAnswer.model_validate(golden["answer"]).completion().text == FULL.text
    assert answer_key(Counting(lambda _, __: "x").facts, request(prompt="b2:1", logprobs=2)) == golden["key"]
