"""The benchmark of the hook runs, and says what it says it measures."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

BENCHMARK = Path(__file__).parents[3] / "benchmarks" / "hook.py"


def test_it_queues_a_line_for_each_run() -> None:
    done = subprocess.run(
        [sys.executable, str(BENCHMARK), "--runs", "3", "--json"], capture_output=True, check=True, timeout=60
    )
    found = json.loads(done.stdout)
    assert (found["runs"], found["lines"]) == (3, 3)
    assert found["ratio"] > 0
