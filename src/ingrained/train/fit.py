"""Fine-tuning a network and fitting the linear model beside it: what `embed.encoder` and `feedback.heads` run in numpy.

The small one starts from a sentence encoder of 6 layers (MiniLM-L6, Apache-2.0), of which `Recipe.layers` are kept; its
teacher, where there is one, from a larger one. Where the places of the atoms are known, or a teacher answered, each
clause learns its own answer as well. Axes as in `feedback.heads`; N turns of a batch.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ingrained.feedback.ngrams import INPUTS, surface
from ingrained.train.network import network
from ingrained.train.prepare import Prepared, Preparer, Taught
from ingrained.train.recipe import Recipe
from ingrained.train.turns import WEIGHTS, Example

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SCORED_TOGETHER = 32


def fit(
    base: Path,
    examples: Sequence[Example],
    recipe: Recipe,
    say: Callable[[str], None],
    taught: Mapping[str, Taught] | None = None,
) -> Any:
    """Train on examples; the network, in evaluation mode.

    Args:
        base: folder of the encoder (`config.json`, `model.safetensors`, `vocab.txt`).
        examples: what to learn from.
        recipe: how.
        say: told the loss after each epoch.
        taught: what a teacher answered, by the key of the example.

    Cost: about 12 s an epoch of 1,000 turns on one core with four layers of 384, 140 s with twelve of 768, with
    `Recipe.half` on a processor that multiplies in bfloat16. The same seed, machine and number of threads give the same
    weights.
    """
    import torch
    from torch.nn import functional

    torch.set_num_threads(recipe.threads)
    torch.manual_seed(recipe.seed)
    shuffle = random.Random(recipe.seed)  # noqa: S311 - order of turns
    preparer = Preparer(base)
    answers = taught or {}
    prepared = [preparer.prepare(example, answers.get(example.key)) for example in examples]
    net = network(base, recipe)
    slow = [p for p in net.encoder.parameters() if p.requires_grad]
    quick = [p for name, p in net.named_parameters() if not name.startswith("encoder")]
    optimiser = torch.optim.AdamW(
        [{"params": slow, "lr": recipe.rate}, {"params": quick, "lr": recipe.head_rate}], weight_decay=0.01
    )
    steps = recipe.epochs * math.ceil(len(prepared) / recipe.batch)

    def share(step: int) -> float:
        """Of the learning rate: up over a tenth of the steps, then down in a line."""
        return min(1.0, (step + 1) / (0.1 * steps)) * max(0.02, 1 - step / steps)

    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, share)
    for epoch in range(recipe.epochs):
        total, count = 0.0, 0
        net.train()
        for batch in _batches(prepared, recipe, shuffle):
            hidden = [shuffle.random() < recipe.act_dropout for _ in batch]
            clauses, turns = net(**preparer.tensors(batch, hidden, recipe.reads_act))
            targets = torch.tensor([one.targets for one in batch], dtype=torch.float32)
            weights = torch.tensor([one.weight for one in batch])[:, None]
            loss = (functional.binary_cross_entropy_with_logits(turns, targets, reduction="none") * weights).mean()
            loss = loss + _clause_loss(clauses, batch, recipe)
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            total, count = total + loss.item(), count + 1
        say(f"epoch {epoch + 1} of {recipe.epochs}: loss {total / count:.4f}")
    net.eval()
    return net


def _clause_loss(clauses: Any, batch: Sequence[Prepared], recipe: Recipe) -> Any:
    """Of the clauses whose answer is known: mean over them, as large as their turns' share of the batch."""
    import torch
    from torch.nn import functional

    known = [(i, k, target) for i, one in enumerate(batch) for k, target in enumerate(one.clause_targets or ())]
    if not known:
        return torch.zeros(())
    rows = clauses[[i for i, _, _ in known], [k for _, k, _ in known]]
    asked = torch.tensor([target[:2] for _, _, target in known], dtype=torch.float32)
    loss = recipe.clause_weight * functional.binary_cross_entropy_with_logits(rows[:, :2], asked)
    kinds = torch.tensor([target[2] for _, _, target in known])
    if (kinds >= 0).any():
        loss = loss + recipe.kind_weight * functional.cross_entropy(rows[kinds >= 0, 2:], kinds[kinds >= 0])
    return loss * (sum(one.clause_targets is not None for one in batch) / len(batch))


def scores(net: Any, examples: Sequence[Example], base: Path, recipe: Recipe) -> NDArray[np.float32]:
    """The scores of turns for feedback and transfer; shape (N, 2)."""
    import numpy as np

    net.half = False  # as it is read in numpy
    found = [turn for _, turn, _ in _read(net, examples, base, recipe)]
    return np.array(found, dtype=np.float32).reshape(-1, 2)


def answers(net: Any, examples: Sequence[Example], base: Path, recipe: Recipe) -> dict[str, Taught]:
    """What a network says of turns and their clauses, by the key of the example: what another one learns from."""
    net.half = recipe.half
    return {
        example.key: Taught(
            turn=_chances(turn),
            clauses={place: _chances(clause[:2]) for place, clause in zip(one.places, clauses, strict=False)},
        )
        for (one, turn, clauses), example in zip(_read(net, examples, base, recipe), examples, strict=True)
    }


def _read(
    net: Any, examples: Sequence[Example], base: Path, recipe: Recipe
) -> list[tuple[Prepared, list[float], list[list[float]]]]:
    """Each turn with its scores and those of its clauses, in the order given."""
    import torch

    preparer = Preparer(base)
    prepared = [preparer.prepare(example) for example in examples]
    found: dict[int, tuple[Prepared, list[float], list[list[float]]]] = {}
    order = sorted(range(len(prepared)), key=lambda i: prepared[i].length(recipe.reads_act))
    with torch.no_grad():
        for begin in range(0, len(order), _SCORED_TOGETHER):
            batch = order[begin : begin + _SCORED_TOGETHER]
            turns = [prepared[i] for i in batch]
            clauses, whole = net(**preparer.tensors(turns, [False] * len(batch), recipe.reads_act))
            for i, turn, own in zip(batch, whole.tolist(), clauses.tolist(), strict=True):
                found[i] = prepared[i], turn, own[: len(prepared[i].clauses)]
    return [found[i] for i in range(len(prepared))]


def _chances(scores: Sequence[float]) -> tuple[float, float]:
    first, second = (1 / (1 + math.exp(-max(-60.0, min(60.0, score)))) for score in scores)
    return first, second


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The linear model beside the network: weights (Q, inputs of `ngrams`) and bias (Q,)."""

    weight: NDArray[np.float32]
    bias: NDArray[np.float32]

    def scores(self, examples: Sequence[Example]) -> NDArray[np.float32]:
        """What the words of turns add to their scores; shape (N, Q)."""
        import numpy as np

        found = [self.weight[:, indices] @ values + self.bias for indices, values in map(_surface, examples)]
        return np.array(found, dtype=np.float32).reshape(-1, len(self.bias))


def fit_words(examples: Sequence[Example], recipe: Recipe) -> Words:
    """Logistic regression with a ridge on the hashed words of turns. Cost: seconds."""
    import torch
    from torch.nn import functional

    torch.manual_seed(recipe.seed)
    found = [_surface(example) for example in examples]
    rows = torch.tensor([row for row, (indices, _) in enumerate(found) for _ in indices])
    columns = torch.tensor([int(i) for indices, _ in found for i in indices])
    values = torch.tensor([float(v) for _, given in found for v in given])
    inputs = torch.sparse_coo_tensor(torch.stack([rows, columns]), values, (len(found), INPUTS)).coalesce()
    targets = torch.tensor([[one.feedback, one.transferable] for one in examples], dtype=torch.float32)
    weights = torch.tensor([WEIGHTS[one.source] for one in examples])[:, None]
    weight = torch.zeros((INPUTS, 2), requires_grad=True)
    bias = torch.zeros(2, requires_grad=True)
    optimiser = torch.optim.LBFGS([weight, bias], max_iter=100, line_search_fn="strong_wolfe")

    def loss() -> Any:
        optimiser.zero_grad()
        scores = torch.sparse.mm(inputs, weight) + bias
        errors = functional.binary_cross_entropy_with_logits(scores, targets, reduction="none") * weights
        total = errors.sum() + (weight**2).sum() / (2 * recipe.words_freedom)
        total.backward()
        return total

    optimiser.step(loss)
    share = recipe.words_share
    return Words(weight=share * weight.detach().numpy().T, bias=share * bias.detach().numpy())


def _surface(example: Example) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    return surface(example.turn)


def _batches(prepared: Sequence[Prepared], recipe: Recipe, shuffle: random.Random) -> Iterator[list[Prepared]]:
    """All turns once, in batches of similar length, in random order."""
    order, size = list(prepared), recipe.batch
    shuffle.shuffle(order)
    batches: list[list[Prepared]] = []
    for begin in range(0, len(order), 16 * size):
        near = sorted(order[begin : begin + 16 * size], key=lambda one: one.length(recipe.reads_act))
        batches += [near[i : i + size] for i in range(0, len(near), size)]
    shuffle.shuffle(batches)
    yield from batches
