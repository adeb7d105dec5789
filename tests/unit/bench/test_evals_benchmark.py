"""skill-creator's benchmark.json: one computed by hand, the statistics, and that nothing unscored becomes a 0."""

from __future__ import annotations

import json
import statistics
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingrained.bench.evals import evals_json
from ingrained.bench.evals_benchmark import WITH, WITHOUT, Configuration, Side, benchmark_json, stat
from ingrained.errors import ConfigError
from ingrained.gate.pair import Arm
from ingrained.harness.base import Action, Spent, Task, Trace
from ingrained.verify.base import VERIFIERS
from ingrained.verify.judge import checked
from ingrained.verify.program import Known
from ingrained.verify.score import Outcome, Score, Unscored

SUM = Task(id="sum", benchmark="b", request="Sum up.", known={"rubrics": ["Names euros", "Says 40"]})
TAX = Task(id="tax", benchmark="b", request="And tax?", known={"answer": "B"})


def side(
    name: Configuration, task: Task, seed: int, outcome: Outcome, *, tokens: tuple[int, int] = (0, 0), **more: object
) -> Side:
    calls = (Action(tool="look"), Action(tool="look", failed=True), Action(tool="dial", failed=True, by="user"))
    trace = Trace(
        task=task.id,
        worker="chat=made:up",
        skill="s",
        seed=seed,
        actions=calls if task is TAX else (),
        answer="a",
        stop="answered",
        spent=Spent(calls=1, input_tokens=tokens[0], output_tokens=tokens[1]),
    )
    return Side(configuration=name, task=task, trace=trace, arm=Arm.of(outcome), **more)  # type: ignore[arg-type]


MET = checked([Score(value=1.0), Score(value=1.0)])
HALF = checked([Score(value=1.0), Score(value=0.0)])
NO_JUDGE = Unscored(reason="no judge is named")
SIDES = [
    side(WITHOUT, SUM, 4, HALF.outcome, tokens=(90, 10), why=HALF.why, parts=HALF.parts),
    side(WITH, SUM, 5, NO_JUDGE, tokens=(999, 999)),
    side(WITH, SUM, 4, MET.outcome, tokens=(150, 50), why=MET.why, parts=MET.parts),
    side(WITHOUT, SUM, 5, NO_JUDGE),
    side(WITH, TAX, 0, Score(value=0.5), tokens=(30, 10), why="expected B, found C"),
    side(WITHOUT, TAX, 0, Score(value=0.0), tokens=(50, 0), why="found none"),
]
"""Rates with: 1 and 0.5, mean 0.75, deviation √0.125; without: 0 and 0. Tokens with: 200 and 40; without: 100 and 50."""


def result(rate: float, passed: int, total: int, tokens: int, calls: int = 0, errors: int = 0) -> dict[str, object]:
    return {
        "pass_rate": rate,
        "passed": passed,
        "failed": total - passed,
        "total": total,
        "tokens": tokens,
        "tool_calls": calls,
        "errors": errors,
    }


def run(task: tuple[int, str], name: str, number: int, came: dict[str, object], *checks: object) -> dict[str, object]:
    return {
        "eval_id": task[0],
        "eval_name": task[1],
        "configuration": name,
        "run_number": number,
        "result": came,
        "expectations": [{"text": text, "passed": ok, "evidence": said} for text, ok, said in checks],  # type: ignore[misc]
        "notes": [],
    }


WHOLE = "the task's verifier is content"
EXACT = {
    "metadata": {
        "skill_name": "invoices",
        "skill_path": "skills/invoices",
        "executor_model": "chat=made:up",
        "analyzer_model": "openai:judge",
        "timestamp": "2026-01-15T10:30:00Z",
        "evals_run": [1, 2],
        "runs_per_configuration": 2,
    },
    "runs": [
        run(
            (1, "sum"),
            "with_skill",
            1,
            result(1.0, 2, 2, 200),
            ("Names euros", True, "the judge: met"),
            ("Says 40", True, "the judge: met"),
        ),
        run(
            (1, "sum"),
            "without_skill",
            1,
            result(0.0, 1, 2, 100),
            ("Names euros", True, "the judge: met"),
            ("Says 40", False, "the judge: not met"),
        ),
        run((2, "tax"), "with_skill", 1, result(0.5, 0, 1, 40, 2, 1), (WHOLE, False, "expected B, found C")),
        run((2, "tax"), "without_skill", 1, result(0.0, 0, 1, 50, 2, 1), (WHOLE, False, "found none")),
    ],
    "run_summary": {
        "with_skill": {
            "pass_rate": {"mean": 0.75, "stddev": 0.3536, "min": 0.5, "max": 1.0},
            "tokens": {"mean": 120.0, "stddev": 113.1371, "min": 40.0, "max": 200.0},
        },
        "without_skill": {
            "pass_rate": {"mean": 0.0, "stddev": 0.0, "min": 0.0, "max": 0.0},
            "tokens": {"mean": 75.0, "stddev": 35.3553, "min": 50.0, "max": 100.0},
        },
        "delta": {"pass_rate": "+0.75", "tokens": "+45"},
    },
    "notes": [
        "with_skill: 1 attempt left out, without a score: no judge is named",
        "without_skill: 1 attempt left out, without a score: no judge is named",
        "pass_rate is the verifier's score, which need not be the share of expectations that passed",
        "without_skill is the skill as it was before, maybe empty; with_skill is the skill as it became",
        "time_seconds is left out: the times of attempts are not recorded",
    ],
}


def made(sides: list[Side]) -> dict[str, object]:
    done = benchmark_json(
        sides,
        skill_name="invoices",
        timestamp="2026-01-15T10:30:00Z",
        skill_path="skills/invoices",
        analyzer_model="openai:judge",
    )
    return json.loads(done.text())


def test_a_small_benchmark_is_what_is_computed_by_hand() -> None:
    assert made(SIDES) == EXACT
    assert list(made(SIDES)["run_summary"]) == ["with_skill", "without_skill", "delta"]  # type: ignore[call-overload]


def test_evals_have_the_numbers_that_the_written_evals_have() -> None:
    number = {one.prompt: one.id for one in evals_json([SUM, TAX], "invoices").file.evals}
    runs = benchmark_json(SIDES, skill_name="invoices", timestamp="t").runs
    assert {run.eval_name: run.eval_id for run in runs} == {"sum": number["Sum up."], "tax": number["And tax?"]}
    own = TAX.model_copy(update={"id": "7", "benchmark": "evals"})
    (one,) = benchmark_json([side(WITH, own, 3, Score(value=1.0))], skill_name="s", timestamp="t").runs
    assert (one.eval_id, one.eval_name, one.run_number) == (7, "Eval 7", 1)


outcomes = st.one_of(st.floats(0, 1).map(lambda value: Score(value=value)), st.sampled_from("ab").map(lambda why: Unscored(reason=why)))  # fmt: skip
configurations: st.SearchStrategy[Configuration] = st.sampled_from([WITH, WITHOUT])
attempts = st.lists(
    st.tuples(configurations, st.sampled_from([SUM, TAX]), st.integers(0, 5), outcomes, st.integers(0, 9999)),
    min_size=1,
    unique_by=lambda one: (one[0], one[1].id, one[2]),
)


@given(attempts, st.randoms())
def test_statistics_are_those_of_the_attempts_with_a_score(
    drawn: list[tuple[Configuration, Task, int, Outcome, int]], order: object
) -> None:
    sides = [side(name, task, seed, outcome, tokens=(0, tokens)) for name, task, seed, outcome, tokens in drawn]
    done = benchmark_json(sides, skill_name="s", timestamp="t")
    for name, summary in ((WITH, done.run_summary.with_skill), (WITHOUT, done.run_summary.without_skill)):
        came = [(one[3].value, one[4]) for one in drawn if one[0] == name and isinstance(one[3], Score)]
        assert len(came) == sum(run.configuration == name for run in done.runs)
        if not came:
            assert summary.pass_rate is summary.tokens is None
            assert done.run_summary.delta.pass_rate is None
            continue
        assert summary.pass_rate is not None
        rates = [rate for rate, _ in came]
        assert summary.pass_rate.mean == pytest.approx(statistics.fmean(rates), abs=1e-4)
        assert summary.pass_rate.stddev == pytest.approx(statistics.stdev(rates) if len(rates) > 1 else 0, abs=2e-4)
        assert summary.tokens == stat([tokens for _, tokens in came])
        assert (summary.tokens.min, summary.tokens.max) == (min(t for _, t in came), max(t for _, t in came))
    left = Counter((one[0], one[3].reason) for one in drawn if isinstance(one[3], Unscored))
    told = [note for note in done.notes if "without a score" in note]
    assert sorted(told) == sorted(
        f"{name}: {n} attempt{'s' if n > 1 else ''} left out, without a score: {reason}"
        for (name, reason), n in left.items()
    )
    assert "null" not in done.text()
    order.shuffle(sides)  # type: ignore[attr-defined]
    again = benchmark_json(sides, skill_name="s", timestamp="t")
    assert again.run_summary == done.run_summary


def test_seeds_give_the_runs_their_numbers_in_both_configurations() -> None:
    sides = [side(name, SUM, seed, Score(value=1.0)) for name, seed in ((WITH, 9), (WITH, 2), (WITHOUT, 9))]
    runs = benchmark_json(sides, skill_name="s", timestamp="t").runs
    assert [(one.configuration, one.run_number) for one in runs] == [(WITH, 1), (WITH, 2), (WITHOUT, 2)]


def test_a_rubric_without_a_score_is_no_expectation_but_a_note() -> None:
    open_ = checked([Score(value=0.0), Unscored(reason="the judge cannot tell")])
    (one,) = benchmark_json([side(WITH, SUM, 0, open_.outcome, parts=open_.parts)], skill_name="s", timestamp="t").runs
    assert [check.text for check in one.expectations] == ["Names euros"]
    assert (one.result.passed, one.result.failed, one.result.total) == (0, 1, 1)
    assert one.notes == ("rubric 2 has no score: the judge cannot tell",)


@pytest.mark.anyio
async def test_the_parts_of_checks_are_told_in_words() -> None:
    checks = [
        {"name": "short", "check": "length", "most": 3},
        {"name": "words", "check": "length", "of": "words", "least": 2},
        {"name": "no l", "check": "matches", "pattern": "l", "least": 0, "most": 0},
    ]
    known = Known.model_validate({"checks": checks})
    task = Task(id="t", benchmark="b", request="r", known=known.model_dump(mode="json"))
    trace = Trace(task="t", worker="w", skill="", seed=0, answer="too long", stop="answered")
    came = await VERIFIERS.load("program")(None, {}).check(task, trace)
    both = Side(configuration=WITH, task=task, trace=trace, arm=Arm.of(came.outcome), why=came.why, parts=came.parts)
    (run,) = benchmark_json([both], skill_name="s", timestamp="t").runs
    assert [(check.text, check.passed, check.evidence) for check in run.expectations] == [
        ("short: the answer has at most 3 characters", False, "8 characters"),
        ("words: the answer has at least 2 words", True, "it holds"),
        ("no l: in the answer, the regular expression `l` matches nowhere", False, "found 1 time"),
    ]


def test_words_that_name_no_check_are_those_of_each_that_failed() -> None:
    parts = {"database": Score(value=0.0), "communicate": Score(value=0.0), "action": Score(value=1.0)}
    whole = "never told: '40'; the state is not the one that the right actions lead to"
    (run,) = benchmark_json(
        [side(WITH, TAX, 0, Score(value=0.0), parts=parts, why=whole)], skill_name="s", timestamp="t"
    ).runs
    assert [check.evidence for check in run.expectations] == [whole, whole, "it holds"]


@given(st.lists(st.tuples(st.booleans(), st.text("a;: ", max_size=9)), min_size=1, max_size=5))
def test_a_check_that_failed_is_told_its_own_words(drawn: list[tuple[bool, str]]) -> None:
    named = {f"check {nth}": one for nth, one in enumerate(drawn)}
    why = "; ".join(["some of it", *(f"{name}: {words}" for name, (passed, words) in named.items() if not passed)])
    parts = {name: Score(value=float(passed)) for name, (passed, _) in named.items()}
    (run,) = benchmark_json(
        [side(WITH, TAX, 0, Score(value=0.5), parts=parts, why=why)], skill_name="s", timestamp="t"
    ).runs
    assert [one.evidence for one in run.expectations] == [
        "it holds" if passed else words for passed, words in named.values()
    ]


def test_a_difference_that_rounds_to_nothing_has_no_minus() -> None:
    sides = [side(WITH, SUM, 0, Score(value=0.5)), side(WITHOUT, SUM, 0, Score(value=0.504), tokens=(1, 0))]
    delta = benchmark_json(sides, skill_name="s", timestamp="t").run_summary.delta
    assert (delta.pass_rate, delta.tokens) == ("+0.00", "-1")


def test_stored_answers_are_told() -> None:
    stored = side(WITHOUT, SUM, 0, Score(value=1.0))
    sides = [Side(configuration=WITHOUT, task=SUM, trace=stored.trace, arm=Arm(score=1.0, cached=True))]
    assert "without_skill: 1 attempt read from stored answers and not made anew" in made(sides)["notes"]  # type: ignore[operator]


@pytest.mark.parametrize(
    ("sides", "says"),
    [
        ([], "no attempt"),
        ([SIDES[0], SIDES[0]], "task 'sum', seed 4: without_skill occurs more than once"),
        ([SIDES[0], side(WITH, SUM.model_copy(update={"request": "?"}), 0, NO_JUDGE)], "two tasks have one id, 'sum'"),
        ([Side(configuration=WITH, task=TAX, trace=SIDES[0].trace, arm=Arm(score=1.0))], "the trace is of task 'sum'"),
    ],
)
def test_what_is_no_comparison_is_an_error(sides: list[Side], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        made(sides)
