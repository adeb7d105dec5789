"""A model as the judge of typed turns: quotes, parked turns, budgets, and the ledger that remembers the version."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from ingrained.bench.feedback import bare_turn
from ingrained.errors import BudgetReachedError, RefusedError
from ingrained.feedback.decompose import Decomposer, Parking
from ingrained.learn import grain
from ingrained.learn.modelled import ModelDecomposer
from ingrained.learn.recorded import RecordedJudge
from ingrained.model.base import Request
from ingrained.model.limits import Caps
from ingrained.session.session import Act, Turn

DATA = "<data "


def script(tmp_path: Path, *lines: dict[str, object]) -> str:
    path = tmp_path / "script.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return f"scripted:{path}"


def said(*atoms: tuple[str, str, bool]) -> dict[str, object]:
    made = [{"id": f"f{n}", "quote": q, "content": c, "transferable": z} for n, (q, c, z) in enumerate(atoms, start=1)]
    return {"atoms": made}


def turns(*texts: str) -> list[Turn]:
    return [
        bare_turn(f"k{n}", text, act=Act(tool="Edit", input="cart.go", said="Done.")) for n, text in enumerate(texts)
    ]


def judge(tmp_path: Path, *lines: dict[str, object], **options: object) -> ModelDecomposer:
    return ModelDecomposer(script(tmp_path, *lines), home=tmp_path / "home", **options)


TABS = "In Go files, use tabs. Also rename cart to basket just this once."
TABS_SAID = said(
    ("use tabs", "Use tabs.", True), ("rename cart to basket just this once", "Rename cart to basket.", True)
)


def test_each_turn_gets_its_own_answer_whatever_else_is_in_the_batch(tmp_path: Path) -> None:
    lines = [
        {"when": "use tabs", "answer": TABS_SAID},
        {"when": "pnpm", "answer": said(("never npm", "Use pnpm and never npm.", True))},
        {"answer": said()},
    ]
    batch = turns(TABS, "pnpm here, never npm please", "add a page for returns")
    together = judge(tmp_path, *lines).decompose(batch)
    assert [len(atoms) for atoms in together] == [2, 1, 0]
    alone = [judge(tmp_path, *lines).decompose([turn])[0] for turn in batch[:2]]
    assert alone == together[:2]
    for turn, atoms in zip(batch, together, strict=True):
        for atom in atoms:
            assert turn.text.startswith(atom.quote, atom.start)
            assert atom.message == turn.key


def test_the_place_stays_in_the_rule_and_words_that_end_with_the_task_are_none(tmp_path: Path) -> None:
    tabs, rename = judge(tmp_path, {"when": "tabs", "answer": TABS_SAID}).decompose(turns(TABS))[0]
    assert tabs.transferable
    assert tabs.paths == ("*.go",)
    assert not rename.transferable


def test_two_atoms_that_cite_the_same_words_stay_two(tmp_path: Path) -> None:
    one = said(("short and plain", "Keep it short.", True), ("short and plain", "Keep it plain.", True))
    atoms = judge(tmp_path, {"answer": one}).decompose(turns("Keep answers short and plain."))[0]
    assert len({atom.key for atom in atoms}) == len(atoms) == 2


def test_what_was_pasted_is_neither_shown_nor_quoted(tmp_path: Path) -> None:
    pasted = "```\nalways print everything\n```\nKeep answers short."
    asked: list[Request] = []
    lines = [{"answer": said(("always print everything", "Always print everything.", True))}] * 2
    judged = judge(tmp_path, *lines, agree=lambda _, requests: asked.extend(requests))
    batch = turns(pasted)
    judged.announce(batch)
    assert "always print everything" not in asked[0].messages[-1].text
    assert judged.decompose(batch) == [[]]
    assert judged.parked.keys() == {batch[0].key}


def test_a_turn_without_own_words_is_not_asked_about(tmp_path: Path) -> None:
    assert judge(tmp_path).decompose(turns("```\nx = 1\n```", "")) == [[], []]


def test_a_parked_turn_is_told_and_asked_again(tmp_path: Path) -> None:
    lines = [{"when": "tabs", "answer": "no JSON"}, {"answer": said()}]
    judged = judge(tmp_path, *lines)
    batch = turns(TABS, "what is in there?")
    assert judged.decompose(batch) == [[], []]
    assert judged.parked.keys() == {batch[0].key}
    better = judge(tmp_path, {"when": "tabs", "answer": TABS_SAID})
    assert better.decompose(batch[:1])[0]
    assert not better.parked
    assert better.version != judged.version


def test_a_cap_parks_what_is_left_over_all_batches_and_what_came_is_kept(tmp_path: Path) -> None:
    judged = judge(tmp_path, {"when": "tabs", "answer": TABS_SAID}, caps=Caps(max_calls=2))
    several = turns(*(f"{TABS} Number {n}." for n in range(3)))
    first, second = judged.decompose(several[:1]), judged.decompose(several[1:])
    assert first[0]
    assert len([atoms for atoms in second if atoms]) == 1
    assert len(judged.parked) == 1
    assert judged.meter.receipt.calls == 2
    with pytest.raises(BudgetReachedError):
        judged.meter.raise_if_stopped()
    again = judge(tmp_path, {"when": "tabs", "answer": TABS_SAID}, caps=Caps(max_calls=1))
    assert all(again.decompose(several))
    assert again.meter.receipt.cached == 2


def test_who_refuses_is_asked_for_nothing(tmp_path: Path) -> None:
    def refuse(_: object, requests: Sequence[Request]) -> None:
        assert len(requests) == 1
        raise RefusedError("nothing was sent")

    judged = judge(tmp_path, {"answer": said()}, agree=refuse)
    with pytest.raises(RefusedError):
        judged.announce(turns(TABS, "```\npasted\n```"))
    assert judged.meter.receipt.calls == 0


def test_name_and_version_say_model_prompt_and_logic(tmp_path: Path) -> None:
    judged = judge(tmp_path, {"answer": said()})
    assert judged.name == f"model:scripted:{tmp_path / 'script.jsonl'}"
    assert judged.version.startswith(grain.version() + "-")
    assert judge(tmp_path, {"answer": said()}).version == judged.version
    assert judge(tmp_path, {"answer": "other"}).version != judged.version


def test_a_remembered_judge_leaves_every_turn_open() -> None:
    judged: Decomposer = RecordedJudge("model:openai:some", "1-a-b")
    assert isinstance(judged, Parking)
    batch = turns(TABS)
    assert judged.decompose(batch) == [[]]
    assert "--model openai:some" in judged.parked[batch[0].key]
