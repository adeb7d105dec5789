"""Evidence by reference: whose tasks it is about, what of a run may be shown, and in which order the units come."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.e2e.test_flow import CHANGELOG, PNPM, log

from ingrained.bench.evidence import Order, UnitSet, units_of
from ingrained.errors import ConfigError, EnvironmentFaultError, GateError
from ingrained.gate.anchors import schedule
from ingrained.gate.pair import Arm
from ingrained.gate.plan import Plan
from ingrained.gate.records import Attempt, FolderSink, Judged
from ingrained.harness.base import Spent, Task, Trace
from ingrained.learn.pipeline import Ask, Roots, learn
from ingrained.learn.reading import ME
from ingrained.learn.units import segments
from ingrained.store.run import RunFolder

POOL = [Task(id=f"{family}{nth}", benchmark="b", family=family, request=f"Do {nth}.") for family in "fg" for nth in range(3)]  # fmt: skip
ONE_FAMILY = POOL[:3]


def found(*references: object, pool: list[Task] = POOL, home: Path = Path("nowhere"), **options: object) -> UnitSet:
    return units_of([str(one) for one in references], pool, home=home, **options)  # type: ignore[arg-type]


def text(folder: Path, name: str, content: str = "# Style\n\nName the unit.\n") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, "utf-8")
    return path


def run_of(folder: Path, *tasks: str, judged: int | None = None) -> Path:
    """A run with an attempt at each task, of which all or the first few were judged; the first one without a score."""
    run = RunFolder.open(folder, {"command": "made"})
    sink = FolderSink(run)
    for nth, task in enumerate(tasks):
        of = {"step": 1, "edit": "", "skill": "s", "task": task, "seed": 0}
        trace = Trace(
            task=task, worker="w", skill="s", seed=0, answer=f"done {task}", stop="answered", spent=Spent(calls=1)
        )
        sink.put(Attempt.model_validate({**of, "trace": trace}))
        if judged is None or nth < judged:
            arm = Arm(score=0.25) if nth else Arm(unscored="the judge cannot tell")
            sink.put(Judged.model_validate({**of, "arm": arm, "why": "expected 40"}))
    return folder


def test_a_text_is_about_the_only_family_or_the_one_that_is_named(tmp_path: Path) -> None:
    path = text(tmp_path, "style.md")
    assert found(path, pool=ONE_FAMILY).units == tuple(segments(path.read_text("utf-8"), family="f"))
    assert [one.source.family for one in found(f"g={path}").units] == ["g"]
    (about_all,) = found(path).units
    assert about_all.source.family is None
    assert about_all.parts == ("# Style\n\nName the unit.\n",)


def test_a_path_that_is_there_is_one_whatever_is_in_its_name(tmp_path: Path) -> None:
    path = text(tmp_path, "h=style.md")
    assert len(found(path).units) == len(found(f"g={path}").units) == 1


def test_a_folder_gives_the_texts_that_lie_directly_in_it(tmp_path: Path) -> None:
    text(tmp_path, "b.txt", "Second.\n")
    text(tmp_path, "a.md", "First.\n")
    text(tmp_path, "blank.md", " \n")
    text(tmp_path, "deep/c.md", "Not read.\n")
    text(tmp_path, ".hidden.md", "Not read.\n")
    (tmp_path / "data.bin").write_bytes(b"\0\1")
    came = found(tmp_path)
    assert [one.parts for one in came.units] == [("First.\n",), ("Second.\n",)]
    assert {(Path(one.place).name, one.why) for one in came.dropped} == {
        ("blank.md", "it is empty"),
        ("data.bin", "no text: it holds zero bytes"),
    }


def test_attempts_come_in_units_of_one_family_with_their_scores(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", "f0", "g0", "f1", "f2")
    came = found(run, per_unit=2)
    assert [(one.source.family, sorted(one.source.tasks)) for one in came.units] == [
        ("f", ["f0", "f1"]),
        ("f", ["f2"]),
        ("g", ["g0"]),
    ]
    first, second = came.units[0].parts
    assert "answer: done f0" in first
    assert first.endswith("score: none")
    assert second.endswith("score: 0.25 of 1")
    assert "expected 40" not in "".join(part for unit in came.units for part in unit.parts)
    assert [len(one.parts) for one in found(run).units] == [3, 1]


def test_an_attempt_at_a_task_that_is_kept_apart_is_never_shown(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run", "f0", "held-out", "g0", "f1", judged=3)
    came = found(run)
    assert not any("held-out" in part for unit in came.units for part in unit.parts)
    assert [(one.why, one.detail) for one in came.dropped] == [
        ("its task is not of the pool", "held-out"),
        ("it was not judged", "f1"),
    ]
    of_g = found(f"g={run}")
    assert [one.source.tasks for one in of_g.units] == [frozenset({"g0"})]
    assert ("its task is of another family", "f0") in [(one.why, one.detail) for one in of_g.dropped]


def test_corrections_are_the_rules_of_a_home(tmp_path: Path) -> None:
    log(tmp_path, Path("/p/shop"), "s1", "2026-01-05", "tidy the cart page", CHANGELOG, PNPM)
    home = tmp_path / "own"
    learn(Ask(home=home, roots=Roots(places=((ME, tmp_path),))))
    units = found("corrections", home=home, pool=ONE_FAMILY).units
    assert units
    assert {(one.kind, one.source.family) for one in units} == {("corrections", "f")}
    assert any("pnpm" in one.parts[0] for one in units)
    assert {one.source.family for one in found("g=corrections", home=home).units} == {"g"}
    with pytest.raises(EnvironmentFaultError, match="nothing was learned yet") as caught:
        found("corrections", home=tmp_path / "empty")
    assert caught.value.hint == "ingrained learn"


def test_a_home_without_typed_rules_is_told(tmp_path: Path) -> None:
    log(tmp_path, Path("/p/shop"), "s1", "2026-01-05", "tidy the cart page")
    learn(Ask(home=tmp_path / "own", roots=Roots(places=((ME, tmp_path),))))
    with pytest.raises(ConfigError, match="corrections: no rule in"):
        found("corrections", home=tmp_path / "own")


def test_references_come_as_given_reversed_or_shuffled(tmp_path: Path) -> None:
    names = [text(tmp_path, f"{nth}.md", f"Text {nth}.\n") for nth in range(6)]

    def order(kind: Order, seed: int = 0) -> list[str]:
        return [one.parts[0] for one in found(*names, order=kind, seed=seed).units]

    given_order = order("given")
    assert given_order == [f"Text {nth}.\n" for nth in range(6)]
    assert order("reversed") == given_order[::-1]
    assert order("shuffled", 1) == order("shuffled", 1)
    assert len({tuple(order("shuffled", seed)) for seed in range(5)}) > 1


@given(st.lists(st.sampled_from(["a.md", "b.md", "run"]), min_size=1, max_size=6), st.integers(0, 99))
def test_no_order_loses_or_doubles_a_unit(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], seed: int
) -> None:
    folder = tmp_path_factory.getbasetemp() / "ordered"
    if not folder.exists():
        text(folder, "a.md", "# A\n\nOne.\n")
        text(folder, "b.md", "Two.\n")
        run_of(folder / "run", "f0", "g1")
    references = [folder / name for name in names]
    plain = Counter(one.evidence for one in found(*references).units)
    for kind in ("reversed", "shuffled"):
        assert Counter(one.evidence for one in found(*references, order=kind, seed=seed).units) == plain


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("gone.md", r"gone\.md: No such file"),
        ("blank.md", r"blank\.md' says nothing: it is empty"),
        ("data.bin", "no text: it holds zero bytes"),
        ("bare", "bare' says nothing: no file lies in it"),
        ("blanks", r"blanks' says nothing: it is empty \(1\)"),
        ("run", r"is a run without an attempt that can be shown: its task is not of the pool \(1\)"),
        ("unrun", "is a run without an attempt that can be shown: it holds none"),
        ("ff=gone.md", r"the pool has no family 'ff'; it has f, g; did you mean"),
        ("f=gone.md", r"gone\.md: No such file"),
    ],
)
def test_what_is_no_evidence_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, says: str) -> None:
    text(tmp_path, "blank.md", "\n")
    (tmp_path / "data.bin").write_bytes(b"a\0")
    (tmp_path / "bare").mkdir()
    text(tmp_path, "blanks/a.md", " ")
    run_of(tmp_path / "run", "other")
    run_of(tmp_path / "unrun")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=says) as caught:
        found(name)
    assert caught.value.hint


def test_of_many_families_the_error_lists_some(tmp_path: Path) -> None:
    pool = [Task(id=str(nth), benchmark="b", family=f"area-{nth:02}", request="r") for nth in range(30)]
    with pytest.raises(ConfigError, match="area-19 and 10 more; did you mean 'area-29'"):
        found("area29=x.md", pool=pool)


def test_nothing_named_and_a_damaged_run_are_errors(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no evidence is named"):
        found()
    run = run_of(tmp_path / "run", "f0")
    with (run / "traces.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"key": "x", "kind": "attempt"}\n')
    with pytest.raises(GateError, match="no record of a replay"):
        found(run)


def test_anchors_for_evidence_about_all_come_from_every_family(tmp_path: Path) -> None:
    (unit,) = found(text(tmp_path, "style.md")).units
    drawn = schedule(POOL, unit.source, Plan(cap=6, seeds=1))
    assert {slot.task.family for batch in drawn.batches for slot in batch} == {"f", "g"}
    (named,) = found(f"g={tmp_path / 'style.md'}").units
    drawn = schedule(POOL, named.source, Plan(cap=6, seeds=1))
    assert {slot.task.family for batch in drawn.batches for slot in batch} == {"g"}
