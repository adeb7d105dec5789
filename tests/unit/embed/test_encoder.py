"""The encoder: against a plain reference, against torch, and whatever else is in the batch."""

from __future__ import annotations

import json
import math
from importlib.resources import files

import numpy as np
import pytest

from ingrained.embed.encoder import HEADS, WINDOW, Encoder, encoder
from ingrained.embed.wordpiece import Piece

WIDTH, LAYERS, WORDS = 24, 2, 40
CHECK = json.loads(files("ingrained.embed").joinpath("weights", "check.json").read_text("utf-8"))


def random_tensors(seed: int) -> dict[str, np.ndarray]:
    random = np.random.default_rng(seed)

    def matrix(*shape: int) -> np.ndarray:
        return random.normal(0, 0.4, shape).astype(np.float32)

    tensors = {
        "embeddings.word": random.integers(-127, 128, (WORDS, WIDTH)).astype(np.int8),
        "embeddings.word.scale": np.abs(matrix(WORDS)) / 50,
        "embeddings.place": matrix(128, WIDTH),
        "embeddings.type": matrix(WIDTH),
    }
    shapes = {
        "ask": (3 * WIDTH, WIDTH),
        "attend": (WIDTH, WIDTH),
        "wide": (2 * WIDTH, WIDTH),
        "narrow": (WIDTH, 2 * WIDTH),
    }
    for layer in range(LAYERS):
        for name, shape in shapes.items():
            tensors[f"layer.{layer}.{name}.weight"] = random.integers(-127, 128, shape).astype(np.int8)
            tensors[f"layer.{layer}.{name}.weight.scale"] = np.abs(matrix(shape[0])) / 100
            tensors[f"layer.{layer}.{name}.bias"] = matrix(shape[0])
    norms = ["embeddings.norm", *(f"layer.{i}.{n}.norm" for i in range(LAYERS) for n in ("attend", "narrow"))]
    for name in norms:
        tensors[name + ".weight"], tensors[name + ".bias"] = matrix(WIDTH) + 1, matrix(WIDTH)
    return tensors


def vocabulary() -> list[str]:
    marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    return [*marks, *(f"w{i}" for i in range(WORDS - len(marks)))]


def reference(tensors: dict[str, np.ndarray], ids: list[int]) -> np.ndarray:
    """One text, one number at a time where it matters, in double precision."""

    def weight(name: str) -> np.ndarray:
        return tensors[name].astype(float) * tensors[name + ".scale"].astype(float)[:, None]

    def norm(name: str, row: np.ndarray) -> np.ndarray:
        spread = math.sqrt(((row - row.mean()) ** 2).mean() + 1e-12)
        return (row - row.mean()) / spread * tensors[name + ".weight"] + tensors[name + ".bias"]

    words = weight("embeddings.word")
    rows = [
        norm("embeddings.norm", words[k] + tensors["embeddings.place"][i] + tensors["embeddings.type"])
        for i, k in enumerate(ids)
    ]
    size = WIDTH // HEADS
    for layer in range(LAYERS):
        name = f"layer.{layer}."
        asked = [weight(name + "ask.weight") @ row + tensors[name + "ask.bias"] for row in rows]
        after = []
        for i, row in enumerate(rows):
            mixed = np.zeros(WIDTH)
            for head in range(HEADS):
                part = slice(head * size, (head + 1) * size)
                query = asked[i][:WIDTH][part]
                match = np.array([query @ other[WIDTH : 2 * WIDTH][part] / math.sqrt(size) for other in asked])
                shares = np.exp(match - match.max()) / np.exp(match - match.max()).sum()
                mixed[part] = sum(share * other[2 * WIDTH :][part] for share, other in zip(shares, asked, strict=True))
            first = norm(
                name + "attend.norm", row + weight(name + "attend.weight") @ mixed + tensors[name + "attend.bias"]
            )
            wide = weight(name + "wide.weight") @ first + tensors[name + "wide.bias"]
            wide = np.array([0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) for x in wide])
            after.append(
                norm(
                    name + "narrow.norm", first + weight(name + "narrow.weight") @ wide + tensors[name + "narrow.bias"]
                )
            )
        rows = after
    return np.array(rows[:-1])


@pytest.mark.parametrize("seed", range(3))
def test_as_the_reference_in_any_company(seed: int) -> None:
    tensors = random_tensors(seed)
    random = np.random.default_rng(seed + 100)
    texts = [" ".join(f"w{k}" for k in random.integers(0, 36, n)) for n in (1, 7, 0, 30, 2, 7)]
    small = Encoder(tensors, vocabulary(), "test")
    windows = [window for text in texts for window in small.windows(text)]
    for window, read in zip(windows, small.encode(windows), strict=True):
        want = reference(tensors, [2, *(piece.id for piece in window), 3])
        assert read.pieces == window
        np.testing.assert_allclose(read.states, want, atol=2e-4)


def test_long_texts_are_cut_into_windows() -> None:
    small = Encoder(random_tensors(0), vocabulary(), "test")
    text = " ".join(["w1"] * (2 * WINDOW + 5))
    windows = small.windows(text)
    assert [len(window) for window in windows] == [WINDOW, WINDOW, 5]
    assert [piece for window in windows for piece in window] == small.pieces.pieces(text)


def test_the_bag_is_the_mean_of_the_last_plain_vectors() -> None:
    tensors = random_tensors(1)
    small = Encoder(tensors, vocabulary(), "test")
    table = tensors["embeddings.word"].astype(float) * tensors["embeddings.word.scale"].astype(float)[:, None]
    np.testing.assert_allclose(small.bag("w0 w1 w2", 2), table[[5, 6]].mean(axis=0), rtol=1e-5)
    assert not small.bag(" ", 2).any()


def test_what_comes_with_the_package_reads_as_in_training() -> None:
    """`check.json` holds what torch gave before the weights were rounded."""
    texts = [case["text"] for case in CHECK]
    windows: list[tuple[Piece, ...]] = [encoder().windows(text)[0] for text in texts]
    for case, read in zip(CHECK, encoder().encode(windows), strict=True):
        want = np.array(case["mean"])
        got = read.states[1:].mean(axis=0)
        assert want @ got / np.linalg.norm(want) / np.linalg.norm(got) > 0.99
