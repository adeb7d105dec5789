"""The verifier `program`: assertions on a text, programs in the sandbox, and where the text is taken from."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from ingrained.errors import ConfigError
from ingrained.harness.base import Task, Trace
from ingrained.verify.base import VERIFIERS, Checked
from ingrained.verify.fenced import last_block, unfenced
from ingrained.verify.program import Check, Equals, InJson, Length, Matches, Part, part_of
from ingrained.verify.score import Score, Unscored

MESSAGE = "url: reject empty hosts\n\nThey made the parser loop.\n\nCloses #12"
CHECK: TypeAdapter[Check] = TypeAdapter(Check)


def asked(*checks: dict[str, object], unfence: bool = False) -> Task:
    known = {"checks": list(checks), "unfence": unfence}
    return Task.model_validate({"id": "t1", "benchmark": "invented", "request": "?", "known": known})


async def check(task: Task, answer: str, **options: object) -> Checked:
    trace = Trace(task="t1", worker="w", skill="", seed=0, answer=answer, stop="answered")
    return await VERIFIERS.load("program")(None, {"allow_unconfined": True, **options}).check(task, trace)  # type: ignore[dict-item]


@pytest.mark.parametrize(
    ("fields", "holds"),
    [
        ({"check": "matches", "pattern": r"^Closes #\d+$", "on": "last line"}, True),
        ({"check": "matches", "pattern": r"^Closes #\d+$", "on": "first line"}, False),
        ({"check": "matches", "pattern": r"^They"}, True),
        ({"check": "matches", "pattern": r"e", "least": 1, "most": 2}, False),
        ({"check": "matches", "pattern": r"\.$", "on": "first line", "least": 0, "most": 0}, True),
        ({"check": "matches", "pattern": r"\A\n\n\S", "on": "rest"}, True),
        ({"check": "equals", "text": "url: reject empty hosts", "on": "first line"}, True),
        ({"check": "equals", "text": "url: Reject empty hosts", "on": "first line"}, False),
        ({"check": "length", "most": 72, "on": "first line"}, True),
        ({"check": "length", "most": 22, "on": "first line"}, False),
        ({"check": "length", "of": "words", "least": 11, "most": 11}, True),
        ({"check": "length", "of": "lines", "most": 4}, False),
        ({"check": "length", "of": "longest line", "least": 26, "most": 26, "on": "rest"}, True),
    ],
)
def test_an_assertion_holds_or_says_why_not(fields: dict[str, object], holds: bool) -> None:
    one = CHECK.validate_python({"name": "it", **fields})
    assert isinstance(one, Matches | Equals | Length)
    assert (one.wrong(MESSAGE) == "") is holds


@pytest.mark.parametrize(
    ("answer", "path", "value", "why"),
    [
        ('{"a": [1, {"b": null}]}', ["a", 1, "b"], None, ""),
        ('{"a": [1, {"b": null}]}', ["a", -2], 1.0, ""),
        ('{"a": [1]}', ["a", 1], 1, "nothing at 1"),
        ('{"a": [1]}', ["b"], None, "nothing at 'b'"),
        ('{"a": "xyz"}', ["a", 0], "x", "nothing at 0"),
        ('{"a": true}', ["a"], 1, "found true"),
        ('{"a": [true, {"c": 1}]}', ["a"], [True, {"c": True}], 'found [true, {"c": 1}]'),
        ("{a: 1}", ["a"], 1, "no JSON"),
        ("[" * 100_000, [], [], "no JSON"),
    ],
)
def test_json_is_read_at_a_path(answer: str, path: list[str | int], value: object, why: str) -> None:
    one = InJson.model_validate({"name": "it", "check": "json", "path": path, "value": value})
    assert one.wrong(answer).startswith(why)
    assert bool(one.wrong(answer)) is bool(why)


values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=6,
)


@given(values, values)
def test_json_equals_itself_and_only_what_is_written_alike(one: object, other: object) -> None:
    found = InJson.model_validate({"name": "it", "check": "json", "value": other}).wrong(json.dumps(one))
    assert (found == "") is (json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True))


@given(st.text(st.sampled_from("ab \n#`"), max_size=12))
def test_the_parts_of_a_text_are_its_own(answer: str) -> None:
    parts: dict[Part, str] = {part: part_of(answer, part) for part in ("all", "first line", "rest", "last line")}
    assert parts["first line"] + parts["rest"] == parts["all"] == answer
    assert answer.endswith(parts["last line"])
    assert "\n" not in parts["first line"] + parts["last line"]


@pytest.mark.parametrize(
    ("answer", "inside"),
    [
        ("plain", "plain"),
        ("```\na\n```", "a\n"),
        ("x\n```python\na\n```\ny\n~~~\nb\n~~~\nz", "b\n"),
        ("```\nnever closed\n", "never closed\n"),
        ("````md\n```\nin\n```\n````", "```\nin\n```\n"),
        ("use `code` and ```this``` inline", "use `code` and ```this``` inline"),
        ("```\n```", ""),
    ],
)
def test_the_last_fenced_block_is_taken(answer: str, inside: str) -> None:
    assert last_block(answer) == inside


@pytest.mark.parametrize(
    ("answer", "inside"),
    [
        ("plain", "plain"),
        ("\n```text\na\n```\nmore", "a\n"),
        ("a\n\n```\ncode\n```", "a\n\n```\ncode\n```"),
    ],
)
def test_a_fence_is_taken_off_where_the_answer_opens_with_it(answer: str, inside: str) -> None:
    assert unfenced(answer) == inside


PREFIX: dict[str, object] = {"name": "prefix", "check": "matches", "on": "first line", "pattern": r"^\w+: "}
SHORT: dict[str, object] = {"name": "short", "check": "length", "on": "first line", "most": 10}


@pytest.mark.anyio
async def test_hard_wants_all_and_soft_counts_and_each_check_is_a_part() -> None:
    for score, value in (("hard", 0.0), ("soft", 0.5)):
        checked = await check(asked(PREFIX, SHORT), MESSAGE, score=score)
        assert checked.outcome == Score(value=value)
        assert checked.parts == {"prefix": Score(value=1), "short": Score(value=0)}
        assert checked.why == "short: 23 characters"
    assert (await check(asked(PREFIX), MESSAGE)).outcome == Score(value=1)


@pytest.mark.anyio
async def test_a_fence_around_the_answer_counts_unless_it_is_to_be_taken_off() -> None:
    fenced = f"```text\n{MESSAGE}\n```\n"
    assert (await check(asked(PREFIX, unfence=True), fenced)).outcome == Score(value=1)
    assert (await check(asked(PREFIX), fenced)).outcome == Score(value=0)


@pytest.mark.anyio
async def test_a_program_of_the_task_reads_the_answer_and_says_why() -> None:
    code = "text = open('answer.txt').read()\nassert 'Closes' in text, 'nothing is closed'"
    runs: dict[str, object] = {"name": "closes", "check": "program", "code": code}
    assert (await check(asked(runs), MESSAGE)).outcome == Score(value=1)
    failed = await check(asked(runs), "url: none")
    assert failed.outcome == Score(value=0)
    assert "closes: exit code 1: AssertionError: nothing is closed" in failed.why


@pytest.mark.anyio
async def test_what_nobody_answered_is_unscored() -> None:
    trace = Trace(task="t1", worker="w", skill="", seed=0, stop="parked", reason="no server")
    assert isinstance((await VERIFIERS.load("program")(None, {}).check(asked(PREFIX), trace)).outcome, Unscored)


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("checks", "why"),
    [
        ((), r"'t1': known\.checks"),
        ((PREFIX, PREFIX), "two checks are called prefix"),
        (({**PREFIX, "pattern": "("},), "no pattern"),
        (({**PREFIX, "check": "guess"},), "known.checks.0"),
        (({**PREFIX, "on": "middle"},), "known.checks.0"),
    ],
)
async def test_a_task_with_other_checks_is_an_error_that_names_the_field(
    checks: tuple[dict[str, object], ...], why: str
) -> None:
    with pytest.raises(ConfigError, match=why):
        await check(asked(*checks), MESSAGE)


@pytest.mark.anyio
async def test_only_the_named_checks_count_and_a_name_that_is_none_is_told() -> None:
    task = asked(
        {"name": "closes", "check": "matches", "pattern": r"^Closes", "on": "last line"},
        {"name": "loud", "check": "matches", "pattern": r"!"},
    )
    found = await check(task, MESSAGE, only=["closes"])
    assert found.outcome == Score(value=1.0)
    assert set(found.parts) == {"closes"}
    with pytest.raises(ConfigError, match="no check 'short'; it has closes, loud"):
        await check(task, MESSAGE, only=["closes", "short"])
