"""The prompts as a model reads them, word for word: a change of one shows here, and makes all stored answers old."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ingrained.learn.grain import Interaction, decompose_request, write_request
from ingrained.model.base import Request

GOLDEN = Path(__file__).parents[2] / "golden" / "prompts"
SAID = Interaction(
    feedback="Too long. It is invoice 4711.",
    request="Write about the invoice.",
    draft="Dear all, …",
    history=("One letter.", "Another letter."),
    rules=("Sign with the first name.",),
)
TYPED = Interaction(feedback="no helper files please", request="Edit cart.py", draft="Done.", typed=True)
PROMPTS = {
    "decompose-draft": decompose_request(SAID, skill=True),
    "decompose-plain": decompose_request(SAID, cite=False),
    "decompose-typed": decompose_request(TYPED),
    "write": write_request(SAID.history, SAID.rules, SAID.request),
    "write-bare": write_request((), (), SAID.request),
}


@pytest.mark.parametrize("name", PROMPTS)
def test_a_prompt_reads_as_it_did(name: str) -> None:
    path = GOLDEN / f"{name}.txt"
    text = shown(PROMPTS[name])
    if os.environ.get("INGRAINED_WRITE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def shown(request: Request) -> str:
    return "".join(f"=== {message.role}\n{message.text}\n" for message in request.messages)
