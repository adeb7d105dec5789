"""The planted authors of `benchmarks/planted_writing.py`, and its scripted model, for tests."""

from __future__ import annotations

import sys
from pathlib import Path

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
if str(BENCHMARKS) not in sys.path:
    sys.path.append(str(BENCHMARKS))  # scripts and no package

import planted_writing  # noqa: E402
from planted_writing import answer, subjects, write_authors  # noqa: E402

SCRIPTED = "scripted:planted_writing:answer"

__all__ = ["BENCHMARKS", "SCRIPTED", "answer", "planted_writing", "subjects", "write_authors"]
