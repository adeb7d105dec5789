"""The reading benchmark runs, and what it prints adds up."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

BENCHMARK = Path(__file__).parents[3] / "benchmarks" / "read.py"


def test_a_small_run() -> None:
    done = subprocess.run(
        [sys.executable, str(BENCHMARK), "--gb", "0.01", "--json"], check=True, capture_output=True, text=True
    )
    found = json.loads(done.stdout)
    assert found["mb"] >= 10
    assert found["turns"] > found["messages"] > 0
    assert found["second_run_files_read"] == 0
    assert found["second_run_s"] < 5
    assert 0 < found["peak_mb"] < 300
    assert found["ours_to_json_cpu"] > 0
