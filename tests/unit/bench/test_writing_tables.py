"""The tables of a run, counted by hand on traces that were made up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ingrained.bench.writing.contexts import Built
from ingrained.bench.writing.tables import RunTables, tables
from ingrained.bench.writing.trace import (
    AtomShape,
    ParkedShape,
    RewardShape,
    Scores,
    StepShape,
    TargetShape,
    TraceShape,
    UpdateShape,
)
from ingrained.report.writing_run import writing_run_text
from writing_planted import planted_writing

METHODS = ("plain", "grain")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    found = planted_writing.world(tmp_path_factory.mktemp("authors"), authors=8, per_author=1, seeds=1).built
    return replace(found, contexts=found.contexts[:3])


def scores(mean: float | None) -> Scores:
    return Scores(
        length=mean,
        first_person=1.0,
        expression=mean,
        non_leakage=1.0,
        mean=mean,
        unscored="" if mean is not None else "no habit",
        words=10,
        leaked=(),
    )


def step(
    number: int, mean: float | None, targets: tuple[TargetShape, ...] = (), update: UpdateShape | None = None
) -> StepShape:
    return StepShape(
        round=number,
        request=f"k{number}",
        source="model",
        prompt="p",
        messages="m",
        cut=False,
        text="t",
        scores=scores(mean),
        targets=targets,
        feedback="f" if targets else "",
        update=update,
    )


def trace(built: Built, nth: int, method: str, seed: int, mean: float | None, *steps: StepShape) -> TraceShape:
    context = built.contexts[nth]
    return TraceShape(
        key=f"{nth}-{method}-{seed}",
        task="commit",
        context=context.id,
        author=context.author,
        method=method,
        model="m",
        seed=seed,
        stop="done",
        skill=("a rule",) if method == "grain" else (),
        steps=(*steps, step(3, mean)),
    )


def parked(built: Built, nth: int, method: str, seed: int) -> TraceShape:
    found = trace(built, nth, method, seed, 0.5)
    why = ParkedShape(what="draft", round=1, why="rate", reason="too fast")
    return found.model_copy(update={"stop": "parked", "parked": why, "steps": ()})


def made(built: Built, *traces: TraceShape, seeds: int = 2) -> RunTables:
    return tables(METHODS, traces, built, model="m", seeds=seeds)


def test_methods_are_compared_on_the_cases_that_all_have(built: Built) -> None:
    found = made(
        built,
        *(trace(built, nth, "plain", seed, 0.5) for nth in range(3) for seed in range(2)),
        trace(built, 0, "grain", 0, 0.9),
        trace(built, 0, "grain", 1, 0.7),
        trace(built, 1, "grain", 0, 0.6),
        trace(built, 1, "grain", 1, None),
        parked(built, 2, "grain", 0),
    )
    plain, grain = found.methods
    assert (found.cases, found.compared) == (6, 3)
    assert plain.mean is not None
    assert grain.mean is not None
    assert grain.against is not None
    assert plain.mean.value == pytest.approx(0.5)
    assert grain.mean.value == pytest.approx((0.9 + 0.7 + 0.6) / 3)
    assert grain.against.value == pytest.approx((0.4 + 0.2 + 0.1) / 3)
    assert plain.against is None
    assert (grain.parked, grain.unscored, grain.traces) == (1, 1, 5)
    assert grain.seeds == pytest.approx([0.75, 0.7])
    assert grain.parts["first_person"].value == 1
    assert found.left_out == {"draft parked: rate": 1, "not made yet": 1, "unscored: no habit": 1}
    assert grain.mean.low == pytest.approx(0.6)  # draws of authors: both of one author at the ends
    assert grain.mean.high == pytest.approx(0.8)


def test_a_method_without_a_score_takes_nothing_from_the_others(built: Built) -> None:
    traces = [trace(built, nth, "plain", 0, 0.5) for nth in range(3)]
    found = made(built, *traces, *(parked(built, nth, "grain", 0) for nth in range(3)), seeds=1)
    plain, grain = found.methods
    assert found.compared == 3
    assert plain.mean is not None
    assert grain.mean is None
    assert grain.against is None
    assert not grain.parts
    assert "grain" in writing_run_text(found)


def test_no_trace_at_all_is_a_table_too(built: Built) -> None:
    found = made(built)
    assert found.compared == 0
    assert found.left_out == {"not made yet": 12}
    assert "12 not made yet" in writing_run_text(found)


def atom(name: str, kept: bool, content: int, transfer: int, *matched: int) -> AtomShape:
    return AtomShape.model_validate(
        {
            "id": name,
            "content": name,
            "transferable": kept,
            "kept": kept,
            "rewritten": False,
            "problem": "",
            "content_credit": content,
            "transfer_credit": transfer,
            "matched": matched,
        }
    )


def update(atoms: tuple[AtomShape, ...], before: tuple[str, ...], after: tuple[str, ...], value: float) -> UpdateShape:
    return UpdateShape(
        decision="UPDATE" if before != after else "KEEP",
        prompt="p",
        atoms=atoms,
        omission=0.0 if atoms else -1.0,
        reward=RewardShape(value=value, valid=True, correct=(), local=0),
        before=before,
        after=after,
    )


def test_atoms_are_counted_as_table_6_says(built: Built) -> None:
    longer = TargetShape(dimension="length", direction="longer", tau=1)
    person = TargetShape(dimension="first_person", direction="more", tau=1)
    named = TargetShape(dimension="coverage", direction="mention", tau=0, term="Lisbon")
    first = update(
        (
            atom("right", True, 1, 1, 0),
            atom("opposite", True, -1, 1, 1),
            atom("local", True, 1, -1, 2),
            atom("unclear", True, 0, 0),
            atom("left", False, 1, 1, 2),
        ),
        (),
        ("right", "opposite", "local", "unclear"),
        0.5,
    )
    second = update((), first.after, first.after, 1.0)
    found = made(
        built,
        trace(built, 0, "grain", 0, 0.5, step(1, 0.5, (longer, person, named), first), step(2, 0.5, (named,), second)),
    )
    (row,) = found.atoms
    assert (row.method, row.updates, row.atoms, row.kept) == ("grain", 2, 5, 4)
    assert row.extraction == 3 / 4
    assert row.extraction_covered == 4 / 5
    assert row.selection == 2 / 3
    assert row.selection_covered == 3 / 4
    assert row.recall == 1 / 2
    assert (row.keeps, row.kept_rightly) == (1, 1.0)
    assert row.omission == -0.5
    assert row.reward == 0.75
    assert found.keep_share == 1 / 2


def test_ceiling_and_floor_stand_beside(built: Built) -> None:
    found = made(built, trace(built, 0, "plain", 0, 0.5))
    by_part = {one.part: one for one in found.bounds}
    assert by_part["mean"].ceiling.value > by_part["mean"].floor.value
    page = writing_run_text(found)
    assert "ceiling" in page
    assert "floor" in page
