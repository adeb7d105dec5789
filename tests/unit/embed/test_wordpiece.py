"""Words to pieces: the ids and places that the reference tokenizer gives."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingrained.embed.encoder import encoder
from ingrained.embed.wordpiece import WordPiece

GOLDEN = json.loads((Path(__file__).parent / "wordpiece.json").read_text("utf-8"))
"""Texts with the ids and offsets of `tokenizers` 0.23 for the same vocabulary."""


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: ascii(case["text"])[:40])
def test_as_the_reference(case: dict[str, object]) -> None:
    assert [list(piece) for piece in encoder().pieces.pieces(str(case["text"]))] == case["pieces"]


@given(st.text(max_size=200))
def test_pieces_stand_in_order_inside_the_text(text: str) -> None:
    at = 0
    for piece in encoder().pieces.pieces(text):
        assert 0 <= piece.start < piece.end <= len(text)
        assert piece.start >= at or text[piece.start : piece.end] == text[at - 1 : at]  # one letter that becomes two
        at = piece.end


def test_longest_piece_first_and_the_unknown_whole() -> None:
    pieces = WordPiece(["[UNK]", "un", "unit", "##s", "##it", "a"])
    assert [(piece.id, piece.start, piece.end) for piece in pieces.pieces("Units a zed")] == [
        (2, 0, 4),
        (3, 4, 5),
        (5, 6, 7),
        (0, 8, 11),
    ]
