"""What is trained in torch is what runs in numpy: a tiny network, trained for an epoch, gives the same scores in both.

Needs the extra `train`: `python -m pytest -m slow tests/unit/train`.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ingrained.feedback.trained import TrainedDecomposer
from ingrained.ids import MessageKey
from ingrained.session.session import Act, Turn
from ingrained.train import export, fit
from ingrained.train.offline import Plan, Sets, train
from ingrained.train.prepare import Taught, vocabulary
from ingrained.train.recipe import Recipe
from ingrained.train.turns import Example, Marked

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

WORDS = ["no", "use", "tabs", "not", "spaces", "always", "never", "run", "the", "tests", "first"]
WORDS += ["why", "is", "it", "slow", "ok", "commit", "please"]


def base(folder: Path) -> Path:
    """A sentence encoder with random weights: 2 layers, width 48."""
    marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", ",", "?", "."]
    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join([*marks, *WORDS, "##s"]) + "\n", "utf-8")
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(marks) + len(WORDS) + 1,
        hidden_size=48,
        num_hidden_layers=2,
        num_attention_heads=12,
        intermediate_size=96,
        max_position_embeddings=160,
    )
    transformers.BertModel(config).save_pretrained(folder)
    return folder


def example(i: int, text: str, feedback: float, transferable: float, atoms: tuple[Marked, ...] | None) -> Example:
    act = Act(tool="Edit", input="a.py", said="run the tests first") if i % 2 else Act()
    turn = Turn(
        key=MessageKey(f"t{i}"), tool="", session="", record="", line=0, text=text, form="refusal" if i % 3 else "typed",
        time=None, cwd="", branch="", act=act,
    )  # fmt: skip
    return Example(
        source="written", key=f"t{i}", repository="r", person="p", turn=turn,
        feedback=feedback, transferable=transferable, atoms=atoms,
    )  # fmt: skip


EXAMPLES = [
    example(0, "no, use tabs not spaces", 1, 1, (Marked(start=4, end=23, transferable=1.0, kind="style"),)),
    example(1, "why is it slow?", 0, 0, ()),
    example(2, "always run the tests first. never commit", 1, 1, None),
    example(3, "ok", 0, 0, None),
    example(4, "please run it. no, the tests first", 1, 0.4, None),
] * 4


def test_numpy_gives_what_torch_gives(tmp_path: Path) -> None:
    folder = base(tmp_path / "base")
    recipe = Recipe(layers=(0, 1), epochs=2, batch=4)
    said: list[str] = []
    net, linear = fit.fit(folder, EXAMPLES, recipe, said.append), fit.fit_words(EXAMPLES, recipe)
    assert len(said) == 2
    agrees(tmp_path, net, linear, folder, recipe)


def test_what_a_teacher_answered_is_learned_and_read_in_numpy(tmp_path: Path) -> None:
    """The teacher reads the act with the turn; the small one learns the opposite of its labels where it says so."""
    folder = base(tmp_path / "base")
    teaching = Recipe(layers=None, frozen=1, reads_act=8, epochs=1, batch=4)
    teacher = fit.fit(folder, EXAMPLES, teaching, lambda _: None)
    answers = fit.answers(teacher, EXAMPLES, folder, teaching)
    assert set(answers) == {one.key for one in EXAMPLES}
    assert all(Taught.of_json(json.loads(json.dumps(one.to_json()))).clauses for one in answers.values())
    turned = {
        one.key: Taught(
            turn=(1 - one.feedback, 1 - one.transferable),
            clauses=dict.fromkeys(answers[one.key].clauses, (1 - one.feedback, 1 - one.transferable)),
        )
        for one in EXAMPLES
    }
    recipe = Recipe(layers=(0, 1), epochs=60, batch=4, rate=3e-3, half=False)
    taught, plain = (fit.fit(folder, EXAMPLES, recipe, lambda _: None, given) for given in (turned, None))
    wanted = np.array([[one.feedback, one.transferable] for one in EXAMPLES]) > 0.5
    assert ((fit.scores(plain, EXAMPLES, folder, recipe) > 0) == wanted).mean() > 0.9
    assert ((fit.scores(taught, EXAMPLES, folder, recipe) > 0) == wanted).mean() < 0.1
    agrees(tmp_path, taught, fit.fit_words(EXAMPLES, recipe), folder, recipe)


def agrees(place: Path, net: Any, linear: fit.Words, folder: Path, recipe: Recipe) -> None:
    scales = {name: {"slope": 1.0, "offset": 0.0, "threshold": 0.0} for name in ("feedback", "transferable")}
    export.write(net, linear, vocabulary(folder), scales, place / "embed", place / "feedback")
    scores = fit.scores(net, EXAMPLES[:5], folder, recipe) + linear.scores(EXAMPLES[:5])
    judge = TrainedDecomposer.of(place)
    for one, row in zip(EXAMPLES[:5], scores.tolist(), strict=True):
        atoms = judge.decompose([replace(one.turn)])[0]
        best = max(atom.confidence for atom in atoms)
        assert best == pytest.approx(1 / (1 + math.exp(-row[1])), abs=0.01)


def test_the_same_seed_gives_the_same_weights(tmp_path: Path) -> None:
    folder = base(tmp_path / "base")
    recipe = Recipe(layers=(0, 1), epochs=1, batch=4)
    nets = [fit.fit(folder, EXAMPLES, recipe, lambda _: None) for _ in range(2)]
    first, second = (export.tensors_of(net) for net in nets)
    assert all((first[part][name] == second[part][name]).all() for part in (0, 1) for name in first[part])


def put(path: Path, rows: list[dict[str, object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def turns_of(place: Path) -> Sets:
    """Labelled turns of two repositories, some that were written, and a log that nobody labelled."""
    atom = {"rule": "Use tabs", "transferable": True, "kind": "style"}
    rows = [(1, "use tabs not spaces", 3), (2, "why is it slow?", 0), (3, "never commit", 3), (4, "ok", 0)]
    put(
        place / "data/sessions/labels.jsonl",
        [
            {
                "session": f"{name}/p/s.jsonl", "line": line, "text": text, "sample": "random",
                "atoms": [atom] if votes else [], "votes": {"feedback": votes, "transferable": votes},
            }
            for name in ("left", "right", "third")
            for line, text, votes in rows
        ],
    )  # fmt: skip
    put(place / "data/sessions/silver.jsonl", [])
    put(place / "data/swe-together/silver.jsonl", [])
    quoted = {"quote": "never commit", "transferable": True, "kind": "commit"}
    put(
        place / "own/written/w.jsonl",
        [{"id": f"w{i}", "person": "q", "text": f"ok, {i}. never commit please", "atoms": [quoted]} for i in range(6)],
    )
    (place / "data/entire-cli-sessions").mkdir()
    put(
        place / "data/entire-cli-sessions/dev_01.jsonl",
        [
            {
                "session_id": "377c739d-2463-4e96-a4bc-d06fbb4c3e3e", "dev": "dev_01",
                "created_at": "2026-01-01T00:00:00Z", "agent": "Claude Code", "branch_present": True,
                "checkpoints": 1, "files_touched": ["a.py"], "token_usage": {}, "initial_attribution": {},
                "summary": None, "prompts": ["run the tests first please", "why not use tabs"],
            }
        ],
    )  # fmt: skip
    return Sets.under(place / "data", place / "own")


def test_a_teacher_and_its_folds_from_end_to_end(tmp_path: Path) -> None:
    """Each repository gets weights that load; a run that was killed, or shared, goes on where it was."""
    sets, folder = turns_of(tmp_path), base(tmp_path / "base")
    recipe = Recipe(layers=(0, 1), epochs=1, batch=4)
    plan = Plan(
        base=folder,
        out=tmp_path / "out",
        recipe=recipe,
        teacher=folder,
        teaching=replace(recipe, layers=None, frozen=1, reads_act=8),
        folds=(("left",), ("right", "third")),
        mixed=12,
    )
    said: list[str] = []
    part = train(sets, replace(plan, folds=(("left",),), left_out_only=True), said.append)
    assert part.versions is None
    assert (plan.out / "left-out/left/scores.json").exists()
    whole = train(sets, plan, said.append)
    assert whole.versions is not None
    assert said.count("teacher without left") == said.count("without left") == 1
    assert said.count("teacher without right+third") == said.count("on everything") == 1
    assert whole.turns["unlabelled"] == 2
    taught = json.loads((plan.out / "taught/right+third.json").read_text("utf-8"))
    assert not any(key.startswith(("labels:right", "labels:third")) for key in taught)
    assert sum("mixed:right+third" in key for key in taught) == 12
    for name in ("left", "right", "third"):
        judge = TrainedDecomposer.of(plan.out / "left-out" / name)
        assert len(judge.decompose([EXAMPLES[0].turn])) == 1
    for part_of in ("right", "third"):
        weights = plan.out / "left-out" / part_of / "embed" / "encoder.safetensors"
        assert weights.read_bytes() == (plan.out / "left-out/right/embed/encoder.safetensors").read_bytes()
    assert TrainedDecomposer.of(plan.out).version.endswith(whole.versions[1])
