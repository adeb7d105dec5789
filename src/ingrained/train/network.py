"""The network in torch: an encoder and the heads of `feedback.heads` on it.

A turn's score is its own plus its best clause's, for both questions. The act before the turn counts by the mean of its
plain vectors, and where a recipe says so, it is read with the turn as a second text.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ingrained.feedback.heads import BAG, KINDS
from ingrained.feedback.ngrams import FORMS
from ingrained.train.recipe import Recipe

_SUMMARY = 64


def network(base: Path, recipe: Recipe) -> Any:
    """A network with new heads on the base; its word vectors and the recipe's lowest layers do not learn."""
    import torch
    from torch import nn
    from transformers import AutoModel

    class Network(nn.Module):
        """Encoder and heads."""

        def __init__(self) -> None:
            super().__init__()
            self.encoder = AutoModel.from_pretrained(base)
            layers = self.encoder.encoder.layer
            if recipe.layers is not None:
                self.encoder.encoder.layer = layers = nn.ModuleList([layers[i] for i in recipe.layers])
                self.encoder.config.num_hidden_layers = len(recipe.layers)
            self.encoder.pooler = None
            self.half = recipe.half
            self.encoder.embeddings.requires_grad_(False)
            self.second = "token_type_ids" if hasattr(self.encoder.embeddings, "token_type_embeddings") else ""
            for number, layer in enumerate(layers):
                layer.intermediate.intermediate_act_fn = nn.GELU(approximate="tanh")
                layer.requires_grad_(number >= recipe.frozen)
            width = self.encoder.config.hidden_size
            self.drop = nn.Dropout(recipe.dropout)
            self.act = nn.Linear(width + len(FORMS) + 1, _SUMMARY)
            self.clause = nn.Linear(width + _SUMMARY, 2 + len(KINDS))
            self.turn = nn.Linear(2 * width + _SUMMARY, 2)

        def forward(
            self,
            ids: Any,
            second: Any,
            real: Any,
            whole: Any,
            within: Any,
            is_clause: Any,
            act: Any,
            act_share: Any,
            facts: Any,
        ) -> tuple[Any, Any]:
            """Scores of clauses (N, C, Q + K) and of turns (N, Q)."""
            kinds = {self.second: second} if self.second else {}
            with torch.autocast("cpu", torch.bfloat16, enabled=self.half):
                read = self.encoder(input_ids=ids, attention_mask=real, **kinds)
            states = self.drop(read.last_hidden_state.float())
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
