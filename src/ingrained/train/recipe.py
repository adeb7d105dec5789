"""How a network is trained: one recipe for the small one that is shipped, one for the larger one that teaches it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How to train. docs/results.md says on what the defaults were chosen."""

    layers: tuple[int, ...] | None = (0, 1, 2, 3)
    """Layers of the base that are kept; `None` keeps all."""
    frozen: int = 0
    """Layers, the lowest ones, that stay as they are; the word vectors always do."""
    reads_act: int = 0
    """Pieces of the agent's last act that are read together with the turn, the last ones; 0: only their mean counts."""
    epochs: int = 4
    batch: int = 32
    rate: float = 1.5e-4
    """Learning rate of the encoder's layers."""
    head_rate: float = 1e-3
    act_dropout: float = 0.2
    """Share of the turns whose act is hidden in a pass."""
    clause_weight: float = 0.5
    kind_weight: float = 0.1
    dropout: float = 0.1
    half: bool = True
    """Multiply in 16 bits (bfloat16): twice as fast where the processor has it, no faster elsewhere."""
    words_freedom: float = 3.0
    """Inverse of the ridge of the linear model."""
    words_share: float = 1.0
    """How much its score counts beside the network's."""
    seed: int = 0
    threads: int = 1


ALONE = Recipe(epochs=3, rate=8e-5)
"""For the small network where nothing teaches it."""
TEACHER = Recipe(layers=None, frozen=4, reads_act=32, epochs=2, rate=3e-5, act_dropout=0.15)
"""For a base of 12 layers of 768 (MPNet)."""
