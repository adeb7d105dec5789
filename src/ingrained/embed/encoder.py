"""A small transformer that reads texts into one vector a piece, in numpy: no torch, no download, 19 MB of weights.

Four layers of a BERT encoder (Devlin et al. 2018), fine-tuned for typed feedback by `ingrained train offline`. The
runtimes that could run it need 80 to 130 MB of packages beside numpy, which the limit on the whole install does not
leave; a test holds this one against `transformers`. Weights are stored as 8-bit integers with a scale a row, and
multiplied as 32-bit floats. Axes: T pieces of all texts of a batch one after another, B texts, S pieces of the longest,
D = 384 of a state, H = 12 heads.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING

from ingrained.embed.wordpiece import Piece, WordPiece

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WINDOW = 126
"""Pieces that are read together at most; longer texts are cut into windows."""
HEADS = 12
_BATCH_PIECES = 1024
_EPSILON = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoded:
    """One window of a text."""

    pieces: tuple[Piece, ...]
    states: NDArray[np.float32]
    """Shape (1 + len(pieces), D): of the whole window, then of each piece."""


class Encoder:
    """Reads texts. `version` names the weights."""

    def __init__(self, tensors: Mapping[str, NDArray[np.generic]], vocabulary: Sequence[str], version: str) -> None:
        """From tensors as `ingrained train offline` writes them."""
        self.version = version
        self.pieces = WordPiece(vocabulary)
        self._table = tensors["embeddings.word"]
        self._table_scale = tensors["embeddings.word.scale"]
        self._tensors = {name: _floats(name, tensors) for name in tensors if not name.endswith(".scale")}
        self._layers = 1 + max(int(name.split(".")[1]) for name in tensors if name.startswith("layer."))

    @classmethod
    def of(cls, folder: Traversable) -> Encoder:
        """The one whose weights lie in a folder.

        Raises:
            OSError: a file is missing.
            ValueError: or holds something else.
        """
        from safetensors.numpy import load

        tensors = load(folder.joinpath("encoder.safetensors").read_bytes())
        vocabulary = folder.joinpath("vocabulary.txt").read_text("utf-8").split("\n")
        version = json.loads(folder.joinpath("encoder.json").read_text("utf-8"))["version"]
        return cls(tensors, vocabulary, version)

    def windows(self, text: str) -> list[tuple[Piece, ...]]:
        """The pieces of a text, at most `WINDOW` in each part; one empty part where there are none."""
        pieces = self.pieces.pieces(text)
        return [tuple(pieces[i : i + WINDOW]) for i in range(0, len(pieces), WINDOW)] or [()]

    def bag(self, text: str, most: int) -> NDArray[np.float32]:
        """Mean of the plain vectors of the last `most` pieces of a text; shape (D,), zero where there are none."""
        import numpy as np

        ids = [piece.id for piece in self.pieces.pieces(text)[-most:]]
        if not ids:
            return np.zeros(self._table.shape[1], dtype=np.float32)
        return self._words(np.array(ids)).mean(axis=0)

    def encode(self, windows: Sequence[tuple[Piece, ...]]) -> list[Encoded]:
        """Read windows, in the order given.

        Cost: some 5,000 pieces a second on one core, a batch of similar lengths at a time; memory does not grow with
        the number of windows beyond what is returned.
        """
        found: dict[int, Encoded] = {}
        for batch in _batches(windows):
            for index, states in zip(batch, self._read([windows[i] for i in batch]), strict=True):
                found[index] = Encoded(pieces=windows[index], states=states)
        return [found[i] for i in range(len(windows))]

    def _words(self, ids: NDArray[np.integer]) -> NDArray[np.float32]:
        return self._table[ids].astype("float32") * self._table_scale[ids].astype("float32")[..., None]

    def _read(self, windows: Sequence[tuple[Piece, ...]]) -> Iterator[NDArray[np.float32]]:
        """The states of each window of a batch, without the closing mark's."""
        import numpy as np

        start, end = self.pieces["[CLS]"], self.pieces["[SEP]"]
        rows = [[start, *(piece.id for piece in window), end] for window in windows]
        lengths = np.array([len(row) for row in rows])
        longest = int(lengths.max())
        real = np.arange(longest)[None, :] < lengths[:, None]
        ids = np.array([id for row in rows for id in row])
        places = np.concatenate([np.arange(length) for length in lengths])
        states = self._words(ids) + self._tensors["embeddings.place"][places] + self._tensors["embeddings.type"]
        states = self._norm("embeddings.norm", states)
        for layer in range(self._layers):
            states = self._layer(f"layer.{layer}.", states, real)
        begin = 0
        for length in lengths:
            yield states[begin : begin + int(length) - 1]
            begin += int(length)

    def _layer(self, name: str, states: NDArray[np.float32], real: NDArray[np.bool_]) -> NDArray[np.float32]:
        """One layer: states (T, D) to states (T, D); `real` of shape (B, S) tells pieces from filling."""
        mixed = self._linear(name + "attend", _attend(self._linear(name + "ask", states), real))
        states = self._norm(name + "attend.norm", states + mixed)
        wide = _gelu(self._linear(name + "wide", states))
        return self._norm(name + "narrow.norm", states + self._linear(name + "narrow", wide))

    def _linear(self, name: str, states: NDArray[np.float32]) -> NDArray[np.float32]:
        return states @ self._tensors[name + ".weight"] + self._tensors[name + ".bias"]

    def _norm(self, name: str, states: NDArray[np.float32]) -> NDArray[np.float32]:
        import numpy as np

        states = states - states.mean(axis=-1, keepdims=True)
        states /= np.sqrt(np.square(states).mean(axis=-1, keepdims=True) + _EPSILON)
        return states * self._tensors[name + ".weight"] + self._tensors[name + ".bias"]


def _floats(name: str, tensors: Mapping[str, NDArray[np.generic]]) -> NDArray[np.float32]:
    """A tensor as floats. Matrices are stored (out, in) with a scale a row, and kept the other way round."""
    import numpy as np

    if name == "embeddings.word":
        return np.zeros(0, dtype=np.float32)
    tensor = tensors[name].astype(np.float32)
    scale = tensors.get(name + ".scale")
    if scale is None:
        return tensor
    tensor *= scale.astype(np.float32)[:, None]
    return tensor if name.startswith("embeddings.") else np.ascontiguousarray(tensor.T)


def _batches(windows: Sequence[tuple[Piece, ...]]) -> Iterator[list[int]]:
    """Indices of windows of similar length, so many at a time that the filled batch stays small."""
    batch: list[int] = []
    for index in sorted(range(len(windows)), key=lambda i: (len(windows[i]), i)):
        if batch and (len(batch) + 1) * (len(windows[index]) + 2) > _BATCH_PIECES:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def _attend(asked: NDArray[np.float32], real: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Scaled dot-product attention within each text: (T, 3 D) to (T, D)."""
    import numpy as np

    rows, longest = real.shape
    width = asked.shape[1] // 3
    filled = np.zeros((rows, longest, 3 * width), dtype=np.float32)
    filled[real] = asked
    query, key, value = (
        part.reshape(rows, longest, HEADS, -1).transpose(0, 2, 1, 3) for part in np.split(filled, 3, axis=2)
    )
    weights = query @ key.transpose(0, 1, 3, 2)
    weights *= (width // HEADS) ** -0.5
    weights += np.where(real, 0, -1e9).astype(np.float32)[:, None, None, :]
    weights -= weights.max(axis=-1, keepdims=True)
    np.exp(weights, out=weights)
    weights /= weights.sum(axis=-1, keepdims=True)
    mixed = (weights @ value).transpose(0, 2, 1, 3).reshape(rows, longest, width)
    return mixed[real]


def _gelu(states: NDArray[np.float32]) -> NDArray[np.float32]:
    """The Gaussian error linear unit in its tanh form (Hendrycks and Gimpel 2016)."""
    import numpy as np

    inner = states * states
    inner *= 0.044715
    inner += 1
    inner *= states
    inner *= 0.7978845608028654
    np.tanh(inner, out=inner)
    inner += 1
    inner *= states
    inner *= 0.5
    return inner


@lru_cache(maxsize=1)
def encoder() -> Encoder:
    """The encoder that comes with the package, loaded once a process (about 0.2 s)."""
    return Encoder.of(files("ingrained.embed").joinpath("weights"))
