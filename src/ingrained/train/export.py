"""From a trained network to the files that the package carries: 8-bit weights with a scale a row, and the heads."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ingrained.embed.wordpiece import WordPiece
from ingrained.ids import content_hash

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ENCODER, VOCABULARY, ENCODER_FACTS, CHECK = "encoder.safetensors", "vocabulary.txt", "encoder.json", "check.json"
HEADS, HEADS_FACTS = "heads.safetensors", "heads.json"
_CHECKED = (
    "ok",
    "why is the cache cleared twice?",
    "no, use pnpm here and never touch the lock file by hand",
    "テストを先に書いて",
    "the banner still flickers on resize. also: keep the diff small, I read every line of it before I merge anything",
)
"""Texts whose states go with the weights, so that whoever reads them can be held against what torch gave."""


def tensors_of(net: Any) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]]]:
    """The encoder's tensors under the names of `embed.encoder`, and those of the heads under `feedback.heads`."""
    import numpy as np

    state = {name: value.detach().numpy() for name, value in net.state_dict().items()}
    encoder: dict[str, NDArray[Any]] = {}

    def put(name: str, matrix: NDArray[np.float32]) -> None:
        scale = np.maximum(np.abs(matrix).max(axis=1), 1e-8) / 127
        encoder[name] = np.round(matrix / scale[:, None]).astype(np.int8)
        encoder[name + ".scale"] = scale.astype(np.float32)

    put("embeddings.word", state["encoder.embeddings.word_embeddings.weight"])
    put("embeddings.place", state["encoder.embeddings.position_embeddings.weight"][:128])
    encoder["embeddings.type"] = state["encoder.embeddings.token_type_embeddings.weight"][0]
    for part in ("weight", "bias"):
        encoder[f"embeddings.norm.{part}"] = state[f"encoder.embeddings.LayerNorm.{part}"]
    for layer in range(len(net.encoder.encoder.layer)):
        old, new = f"encoder.encoder.layer.{layer}.", f"layer.{layer}."
        names = [old + f"attention.self.{part}." for part in ("query", "key", "value")]
        put(new + "ask.weight", np.concatenate([state[name + "weight"] for name in names]))
        encoder[new + "ask.bias"] = np.concatenate([state[name + "bias"] for name in names])
        for inside, plain in (
            ("attention.output.dense", "attend"),
            ("intermediate.dense", "wide"),
            ("output.dense", "narrow"),
        ):
            put(f"{new}{plain}.weight", state[f"{old}{inside}.weight"])
            encoder[f"{new}{plain}.bias"] = state[f"{old}{inside}.bias"]
        for inside, plain in (("attention.output.LayerNorm", "attend.norm"), ("output.LayerNorm", "narrow.norm")):
            for part in ("weight", "bias"):
                encoder[f"{new}{plain}.{part}"] = state[f"{old}{inside}.{part}"]
    heads = {
        f"{head}.{part}": state[f"{head}.{part}"] for head in ("act", "clause", "turn") for part in ("weight", "bias")
    }
    return encoder, heads


def _checked(net: Any, vocabulary: list[str]) -> list[dict[str, object]]:
    """Mean state of the pieces of some texts, as torch has it."""
    import torch

    pieces = WordPiece(vocabulary)
    found: list[dict[str, object]] = []
    for text in _CHECKED:
        ids = [pieces["[CLS]"], *(piece.id for piece in pieces.pieces(text)), pieces["[SEP]"]]
        with torch.no_grad():
            states = net.encoder(input_ids=torch.tensor([ids])).last_hidden_state[0]
        found.append({"text": text, "mean": [round(x, 5) for x in states[1:-1].mean(0).tolist()]})
    return found


def write(
    net: Any, vocabulary: list[str], scales: dict[str, dict[str, float]], embed: Path, feedback: Path
) -> tuple[str, str]:
    """Write the files of the encoder into one folder and those of the heads into another; the version of each.

    A version is a hash of the weights, so the same training gives the same name.
    """
    from safetensors.numpy import save

    encoder, heads = tensors_of(net)
    for folder in (embed, feedback):
        folder.mkdir(parents=True, exist_ok=True)
    packed, head_bytes = save(encoder), save(heads)
    (embed / CHECK).write_text(json.dumps(_checked(net, vocabulary)) + "\n", encoding="utf-8")
    versions = content_hash(packed.hex(), size=4), content_hash(head_bytes.hex() + json.dumps(scales), size=4)
    (embed / ENCODER).write_bytes(packed)
    (embed / VOCABULARY).write_text("\n".join(vocabulary), encoding="utf-8", newline="\n")
    (embed / ENCODER_FACTS).write_text(json.dumps({"version": versions[0]}) + "\n", encoding="utf-8")
    (feedback / HEADS).write_bytes(head_bytes)
    facts = json.dumps({"version": versions[1], **scales}, indent=1) + "\n"
    (feedback / HEADS_FACTS).write_text(facts, encoding="utf-8")
    return versions
