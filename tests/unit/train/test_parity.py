"""What is trained in torch is what runs in numpy: a tiny network, trained for an epoch, gives the same scores in both.

Needs the extra `train`: `python -m pytest -m slow tests/unit/train`.
"""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from ingrained.feedback.trained import TrainedDecomposer
from ingrained.ids import MessageKey
from ingrained.session.session import Act, Turn
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
    from ingrained.train import export, fit

    folder = base(tmp_path / "base")
    recipe = fit.Recipe(layers=(0, 1), epochs=2, batch=4)
    said: list[str] = []
    net = fit.fit(folder, EXAMPLES, recipe, said.append)
    assert len(said) == 2
    scales = {name: {"slope": 1.0, "offset": 0.0, "threshold": 0.0} for name in ("feedback", "transferable")}
    words = fit.vocabulary(folder)
    export.write(net, words, scales, tmp_path / "embed", tmp_path / "feedback")
    scores = fit.scores(net, EXAMPLES[:5], fit.WordPiece(words))
    judge = TrainedDecomposer.of(tmp_path)
    for one, row in zip(EXAMPLES[:5], scores.tolist(), strict=True):
        atoms = judge.decompose([replace(one.turn)])[0]
        best = max(atom.confidence for atom in atoms)
        assert best == pytest.approx(1 / (1 + math.exp(-row[1])), abs=0.01)


def test_the_same_seed_gives_the_same_weights(tmp_path: Path) -> None:
    from ingrained.train import export, fit

    folder = base(tmp_path / "base")
    recipe = fit.Recipe(layers=(0, 1), epochs=1, batch=4)
    nets = [fit.fit(folder, EXAMPLES, recipe, lambda _: None) for _ in range(2)]
    first, second = (export.tensors_of(net) for net in nets)
    assert all((first[part][name] == second[part][name]).all() for part in (0, 1) for name in first[part])
