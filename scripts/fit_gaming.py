"""Fits the weights by which the gate tells edits that game the verifier, from the sets in `benchmarks/sets`.

Prints first how the model does on writers that were left out, at the chances from which it refuses: that is what to
expect of new words. Then it fits on everything but the half `kept` and writes `gaming-weights.json`. Run it after each
change of `parts.toml` or of the sets; it takes a minute and needs scipy.

    python scripts/fit_gaming.py             # estimate and write
    python scripts/fit_gaming.py --estimate  # write nothing
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from ingrained.bench.feedback import records
from ingrained.bench.gaming import Candidate
from ingrained.bench.history import read_histories
from ingrained.gate.parts import features
from ingrained.gate.weighed import KINDS, values
from ingrained.learn.reading import ME, Roots

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

ROOT: Final = Path(__file__).resolve().parent.parent
SETS: Final = ROOT / "benchmarks" / "sets"
SAMPLE: Final = ROOT / "src" / "ingrained" / "sample"
WEIGHTS: Final = ROOT / "src" / "ingrained" / "gate" / "gaming-weights.json"
LEAST: Final = {"headings": 0.93, "judge": 0.93, "tests": 0.93}
"""Chances from which an attack is refused; chosen on what the estimate below says of texts that were left out."""
RIDGE: Final = 3e-4
PLAIN: Final = 0.5
"""Weight of a rule that was written for another set, and of a typed message."""
SEEN: Final = 3
"""Times that a feature has to stand in candidates."""
LONGEST: Final = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A text, what it is and who wrote it."""

    id: str
    kind: str
    writer: str
    features: frozenset[str]
    weight: float = 1.0


def candidates() -> list[Row]:
    """Those that may be learned from, without the leaks, which are found otherwise."""
    rows = [one for name in ("gaming", "gaming-train") for one in records(SETS / f"{name}.jsonl", Candidate)]
    return [
        Row(id=one.id, kind=one.kind, writer=one.writer if one.half == "dev" else "kept", features=features(one.text))
        for one in rows
        if one.kind != "leak"
    ]


def plain() -> list[Row]:
    """Rules of the other sets and typed messages of the sample; none of them is an attack."""
    texts: set[str] = set()
    for name in ("pairs", "pairs-train"):
        texts |= {read[side]["quote"] for read in _lines(name) for side in "ab"}
    texts |= {read["text"] for read in _lines("splits")}
    texts |= set(random.Random(0).sample(sorted({read["atom"] for read in _lines("align-dev")}), 600))
    archive = read_histories(Roots(places=((ME, SAMPLE),)))
    texts |= {turn.text for turn in archive.turns.values() if 0 < len(turn.text) <= LONGEST}
    return [
        Row(id=f"plain-{at}", kind="benign", writer="plain", features=features(text), weight=PLAIN)
        for at, text in enumerate(sorted(texts))
    ]


def _lines(name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (SETS / f"{name}.jsonl").read_text("utf-8").split("\n") if line]


class Model:
    """A softmax over benign and the attacks, with a ridge."""

    def __init__(self, rows: Sequence[Row]) -> None:
        """Fit it; the same rows give the same weights but for the last digits."""
        from scipy.optimize import minimize

        seen = Counter(one for row in rows if row.writer != "plain" for one in row.features)
        self.axis = {one: at for at, one in enumerate(sorted(one for one, n in seen.items() if n >= SEEN))}
        kinds = ("benign", *KINDS)
        wanted = np.eye(len(kinds))[[kinds.index(row.kind) for row in rows]]
        weight = np.array([row.weight for row in rows])[:, None] / sum(row.weight for row in rows)
        given = self.matrix(rows)

        def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            table = flat.reshape(-1, len(kinds))
            chances = _softmax(given @ table[:-1] + table[-1])
            off = (chances - wanted) * weight
            value = -(weight * np.log(np.maximum((chances * wanted).sum(axis=1, keepdims=True), 1e-12))).sum()
            gradient = np.vstack([given.T @ off + RIDGE * table[:-1], off.sum(axis=0)])
            return float(value + RIDGE * np.square(table[:-1]).sum() / 2), gradient.ravel()

        start = np.zeros((len(self.axis) + 1) * len(kinds))
        self.table = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 400}).x.reshape(
            -1, len(kinds)
        )

    def matrix(self, rows: Sequence[Row]) -> csr_matrix:
        """Rows by features."""
        from scipy.sparse import csr_matrix

        data: list[float] = []
        place: list[int] = []
        begin = [0]
        for row in rows:
            for one, value in values(sorted(one for one in row.features if one in self.axis)).items():
                place.append(self.axis[one])
                data.append(value)
            begin.append(len(data))
        return csr_matrix((data, place, begin), shape=(len(rows), len(self.axis)))

    def refused(self, rows: Sequence[Row]) -> list[bool]:
        """Whether each would be."""
        chances = _softmax(self.matrix(rows) @ self.table[:-1] + self.table[-1])
        best = chances[:, 1:].argmax(axis=1)
        least = np.array([LEAST[kind] for kind in KINDS])[best]
        return ((1 - chances[:, 0]) >= least).tolist()


def _softmax(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    grown = np.exp(scores - scores.max(axis=1, keepdims=True))
    return grown / grown.sum(axis=1, keepdims=True)


def estimate(rows: Sequence[Row], others: Sequence[Row]) -> None:
    """Print what is refused of each writer by a model that saw nothing of them, then of the whole by quarters."""
    writers = sorted({row.writer for row in rows} - {"kept"})
    for writer in writers:
        model = Model([row for row in rows if row.writer not in {writer, "kept"}] + list(others))
        _say(f"{writer} left out", [row for row in rows if row.writer == writer], model)
    learned = [row for row in rows if row.writer != "kept"]
    random.Random(1).shuffle(learned)
    counted: Counter[tuple[str, str, bool]] = Counter()
    for part in range(4):
        model = Model([row for at, row in enumerate(learned) if at % 4 != part] + list(others))
        left = [row for at, row in enumerate(learned) if at % 4 == part]
        counted.update((row.writer, row.kind, no) for row, no in zip(left, model.refused(left), strict=True))
    for writer in writers:
        said = ", ".join(
            f"{kind} {counted[writer, kind, True]} of {counted[writer, kind, True] + counted[writer, kind, False]}"
            for kind in (*KINDS, "benign")
        )
        print(f"{writer} by quarters: {said}", flush=True)


def _say(name: str, rows: Sequence[Row], model: Model) -> None:
    refused = model.refused(rows)
    said = ", ".join(
        f"{kind} {sum(no for row, no in zip(rows, refused, strict=True) if row.kind == kind)}"
        f" of {sum(row.kind == kind for row in rows)}"
        for kind in (*KINDS, "benign")
    )
    print(f"{name}: {said}", flush=True)


def write(model: Model) -> None:
    """Weights of the attacks against benign, to three digits; what is near nothing is left out."""
    against = np.round(model.table[:, 1:] - model.table[:, :1], 3)
    kept = {one: against[at].tolist() for one, at in model.axis.items() if np.abs(against[at]).max() >= 0.02}
    body = ",\n".join(f"    {json.dumps(one)}: {json.dumps(each)}" for one, each in kept.items())
    head = f'  "least": {json.dumps(LEAST)},\n  "bias": {json.dumps(against[-1].tolist())}'
    WEIGHTS.write_text(f'{{\n{head},\n  "weights": {{\n{body}\n  }}\n}}\n', "utf-8")


def main() -> None:
    """See above."""
    rows, others = candidates(), plain()
    print(f"{len(rows)} candidates, {len(others)} other texts", flush=True)
    estimate(rows, others)
    if "--estimate" not in sys.argv:
        write(Model([row for row in rows if row.writer != "kept"] + others))


if __name__ == "__main__":
    main()
