"""The planted authors of `benchmarks/planted_writing.py`, and its scripted model, for tests."""

from __future__ import annotations

import sys
from pathlib import Path

from ingrained.model.base import Request

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
if str(BENCHMARKS) not in sys.path:
    sys.path.append(str(BENCHMARKS))  # scripts and no package

import planted_writing  # noqa: E402
from planted_writing import answer, subjects, write_authors  # noqa: E402

SCRIPTED = "scripted:planted_writing:answer"
COUNTED = "scripted:writing_planted:counted"
ASKED: list[Request] = []
"""What `counted` was asked: nothing that was stored."""


def counted(request: Request) -> object:
    """The same model, which is seen to be asked."""
    ASKED.append(request)
    return answer(request)


__all__ = [
    "ASKED",
    "BENCHMARKS",
    "COUNTED",
    "SCRIPTED",
    "answer",
    "counted",
    "planted_writing",
    "subjects",
    "write_authors",
]
