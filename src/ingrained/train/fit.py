"""Fine-tuning the encoder and fitting the heads, in torch: what `embed.encoder` and `feedback.heads` run in numpy.

The base is a sentence encoder of 6 layers (MiniLM-L6, Apache-2.0), of which `Recipe.layers` are kept; its word vectors
stay as they are. A turn's score is its own plus its best clause's, for both questions (see `feedback.heads`); where the
places of the atoms are known, each clause learns its own answer as well. Axes as there; N turns of a batch, S pieces.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ingrained.embed.encoder import WINDOW
from ingrained.embed.wordpiece import WordPiece
from ingrained.feedback.compose import clauses_of
from ingrained.feedback.heads import ACT_PIECES, BAG, KINDS
from ingrained.feedback.ngrams import FORMS, INPUTS, surface
from ingrained.feedback.trained import act_text, pieces_in
from ingrained.feedback.words import Span
from ingrained.train.turns import WEIGHTS, Example

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SUMMARY = 64
_OVERLAP = 0.3
"""Share of a clause, or of an atom, that the other must cover for the clause to be that atom."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How to train. The defaults were set on turns that no figure is given on; docs/results.md says which."""

    layers: tuple[int, ...] = (0, 1, 2, 3, 4, 5)
    epochs: int = 3
    batch: int = 32
    rate: float = 8e-5
    """Learning rate of the encoder's layers."""
    head_rate: float = 1e-3
    act_dropout: float = 0.2
    """Share of the turns whose act is hidden in a pass."""
    clause_weight: float = 0.5
    kind_weight: float = 0.1
    dropout: float = 0.1
    words_freedom: float = 3.0
    """Inverse of the ridge of the linear model."""
    words_share: float = 1.0
    """How much its score counts beside the network's."""
    seed: int = 0
    threads: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A turn as numbers."""

    ids: list[int]
    marks: tuple[int, int]
    """What stands before and after them."""
    clauses: list[list[int]]
    """For each clause the indices of its pieces."""
    act: list[int]
    form: int
    targets: tuple[float, float]
    weight: float
    clause_targets: list[tuple[float, float, int]] | None
    """For each clause feedback, transferable, kind (-1 where it is no atom); `None` where no places are known."""


def prepare(example: Example, pieces: WordPiece) -> Prepared:
    """A turn as the encoder reads it; of a long one the first and the last half of a window."""
    turn = example.turn
    cut = pieces.pieces(turn.text)
    if len(cut) > WINDOW:
        cut = [*cut[: WINDOW // 2], *cut[-WINDOW // 2 :]]
    spans = clauses_of(turn) or [Span(start=0, end=len(turn.text), text=turn.text)]
    inside = [pieces_in(cut, span) for span in spans]
    kept = [k for k, indices in enumerate(inside) if indices]
    targets = None
    if example.atoms is not None:
        targets = [_clause_target(spans[k], example) for k in kept] or [(0.0, 0.0, -1)]
    return Prepared(
        ids=[piece.id for piece in cut] or [pieces["[UNK]"]],
        marks=(pieces["[CLS]"], pieces["[SEP]"]),
        clauses=[inside[k] for k in kept] or [list(range(max(1, len(cut))))],
        act=[piece.id for piece in pieces.pieces(act_text(turn.act))[-ACT_PIECES:]],
        form=FORMS.index(turn.form),
        targets=(example.feedback, example.transferable),
        weight=WEIGHTS[example.source],
        clause_targets=targets,
    )


def _clause_target(span: Span, example: Example) -> tuple[float, float, int]:
    start, end = span.start, span.end
    feedback, transferable, kind = 0.0, 0.0, -1
    for atom in example.atoms or ():
        shared = min(end, atom.end) - max(start, atom.start)
        if shared > 0 and shared >= _OVERLAP * min(end - start, atom.end - atom.start):
            feedback, transferable = 1.0, max(transferable, atom.transferable)
            kind = KINDS.index(atom.kind)
    return feedback, transferable, kind


def fit(base: Path, examples: Sequence[Example], recipe: Recipe, say: Callable[[str], None]) -> Any:
    """Train on examples; the network, in evaluation mode.

    Args:
        base: folder of the sentence encoder (`config.json`, `model.safetensors`, `vocab.txt`).
        examples: what to learn from.
        recipe: how.
        say: told the loss after each epoch.

    Cost: about 35 s an epoch of 1,000 turns on one core with six layers. The same seed, machine and number of threads
    give the same weights.
    """
    import torch
    from torch.nn import functional

    torch.set_num_threads(recipe.threads)
    torch.manual_seed(recipe.seed)
    shuffle = random.Random(recipe.seed)  # noqa: S311 - order of turns
    pieces = WordPiece(vocabulary(base))
    prepared = [prepare(example, pieces) for example in examples]
    net = _network(base, recipe)
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
        for batch in _batches(prepared, recipe.batch, shuffle):
            hidden = [shuffle.random() < recipe.act_dropout for _ in batch]
            inputs = _tensors(batch, hidden)
            clauses, turns = net(**inputs)
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


def scores(net: Any, examples: Sequence[Example], pieces: WordPiece) -> NDArray[np.float32]:
    """The scores of turns for feedback and transfer; shape (N, 2)."""
    import numpy as np
    import torch

    prepared = [prepare(example, pieces) for example in examples]
    found: list[NDArray[np.float32]] = [np.zeros((0, 2), dtype=np.float32)]
    with torch.no_grad():
        for i in range(0, len(prepared), 64):
            batch = prepared[i : i + 64]
            found.append(net(**_tensors(batch, [False] * len(batch)))[1].numpy())
    return np.concatenate(found)


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


def vocabulary(base: Path) -> list[str]:
    """The pieces of the base, in the order of their numbers."""
    return (base / "vocab.txt").read_text("utf-8").rstrip("\n").split("\n")


def _batches(prepared: Sequence[Prepared], size: int, shuffle: random.Random) -> Iterator[list[Prepared]]:
    """All turns once, in batches of similar length, in random order."""
    order = list(prepared)
    shuffle.shuffle(order)
    batches: list[list[Prepared]] = []
    for begin in range(0, len(order), 16 * size):
        near = sorted(order[begin : begin + 16 * size], key=lambda one: len(one.ids))
        batches += [near[i : i + size] for i in range(0, len(near), size)]
    shuffle.shuffle(batches)
    yield from batches


def _tensors(batch: Sequence[Prepared], hidden: Sequence[bool]) -> dict[str, Any]:
    """A batch as tensors; `hidden` says whose act is not shown."""
    import torch

    longest = 2 + max(len(one.ids) for one in batch)
    most = max(len(one.clauses) for one in batch)
    acts = max(1, max(len(one.act) for one in batch))
    ids = torch.zeros((len(batch), longest), dtype=torch.long)
    real = torch.zeros((len(batch), longest))
    whole = torch.zeros((len(batch), longest))
    within = torch.zeros((len(batch), most, longest))
    is_clause = torch.zeros((len(batch), most), dtype=torch.bool)
    act = torch.zeros((len(batch), acts), dtype=torch.long)
    act_share = torch.zeros((len(batch), acts))
    facts = torch.zeros((len(batch), len(FORMS) + 1))
    for i, one in enumerate(batch):
        row = [one.marks[0], *one.ids, one.marks[1]]
        ids[i, : len(row)] = torch.tensor(row)
        real[i, : len(row)] = 1
        whole[i, 1 : 1 + len(one.ids)] = 1 / len(one.ids)
        for k, clause in enumerate(one.clauses):
            within[i, k, [1 + j for j in clause]] = 1 / len(clause)
            is_clause[i, k] = True
        facts[i, one.form] = 1
        if one.act and not hidden[i]:
            act[i, : len(one.act)] = torch.tensor(one.act)
            act_share[i, : len(one.act)] = 1 / len(one.act)
            facts[i, -1] = 1
    return {
        "ids": ids,
        "real": real,
        "whole": whole,
        "within": within,
        "is_clause": is_clause,
        "act": act,
        "act_share": act_share,
        "facts": facts,
    }


def _network(base: Path, recipe: Recipe) -> Any:
    import torch
    from torch import nn
    from transformers import AutoModel

    class Network(nn.Module):
        """Encoder and heads."""

        def __init__(self) -> None:
            super().__init__()
            self.encoder = AutoModel.from_pretrained(base, attn_implementation="sdpa")
            self.encoder.encoder.layer = nn.ModuleList([self.encoder.encoder.layer[i] for i in recipe.layers])
            self.encoder.config.num_hidden_layers = len(recipe.layers)
            self.encoder.pooler = None
            self.encoder.embeddings.requires_grad_(False)
            for layer in self.encoder.encoder.layer:
                layer.intermediate.intermediate_act_fn = nn.GELU(approximate="tanh")
            width = self.encoder.config.hidden_size
            self.drop = nn.Dropout(recipe.dropout)
            self.act = nn.Linear(width + len(FORMS) + 1, _SUMMARY)
            self.clause = nn.Linear(width + _SUMMARY, 2 + len(KINDS))
            self.turn = nn.Linear(2 * width + _SUMMARY, 2)

        def forward(
            self, ids: Any, real: Any, whole: Any, within: Any, is_clause: Any, act: Any, act_share: Any, facts: Any
        ) -> tuple[Any, Any]:
            """Scores of clauses (N, C, Q + K) and of turns (N, Q)."""
            states = self.drop(self.encoder(input_ids=ids, attention_mask=real).last_hidden_state)
            bag = torch.bmm(act_share[:, None], self.encoder.embeddings.word_embeddings(act))[:, 0] * BAG
            summary = torch.tanh(self.act(torch.cat([bag, facts], -1)))
            rows = torch.bmm(within, states)
            clauses = self.clause(torch.cat([rows, summary[:, None].expand(-1, rows.shape[1], -1)], -1))
            mean = torch.bmm(whole[:, None], states)[:, 0]
            turns = self.turn(torch.cat([mean, states[:, 0], summary], -1))
            best = clauses[..., :2].masked_fill(~is_clause[..., None], -1e4).max(1).values
            own = torch.cat([clauses[..., :2] + turns[:, None], clauses[..., 2:]], -1)
            return own, turns + best

    return Network()
