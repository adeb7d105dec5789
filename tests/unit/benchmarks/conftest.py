"""The benchmarks are scripts and no package: their folders are put where Python looks."""

from __future__ import annotations

import sys
from pathlib import Path

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
# Last, since the adapters have the names of the packages that they speak for.
sys.path += [str(BENCHMARKS), str(BENCHMARKS / "peers")]
