"""What the hook costs an agent: its time as a ratio to starting Python and doing nothing, and its lines at 50 a minute.

    python benchmarks/hook.py
    python benchmarks/hook.py --runs 50 --json

Both programs are run in turn, so a busy machine slows both; the median of the ratios is what counts. The command is the
one that `ingrained install --hooks` writes, run by a shell as Claude Code runs it.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ingrained.install.hooks import command

SAID = json.dumps(
    {"session_id": "s", "transcript_path": "/x/.claude/projects/p/s.jsonl", "cwd": "/x", "hook_event_name": "Stop"}
).encode()
BARE = f"{sys.executable} -I -S -c pass >/dev/null 2>&1 || :"


def seconds(line: str) -> float:
    """Wall time of one command."""
    begin = time.perf_counter()
    subprocess.run(["sh", "-c", line], input=SAID, check=True)
    return time.perf_counter() - begin


def measure(runs: int) -> dict[str, float]:
    """The times of both, in milliseconds, and their ratio."""
    with tempfile.TemporaryDirectory() as folder:
        hook = command("claude-code", Path(folder))
        pairs = [(seconds(BARE), seconds(hook)) for _ in range(runs)]
        lines = (Path(folder) / "queue.jsonl").read_bytes().count(b"\n")
    bare, ours = ([pair[side] * 1000 for pair in pairs] for side in (0, 1))
    return {
        "runs": runs,
        "lines": lines,
        "python_ms": statistics.median(bare),
        "hook_ms": statistics.median(ours),
        "hook_worst_ms": max(ours),
        "ratio": statistics.median(own / plain for plain, own in zip(bare, ours, strict=True)),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = measure(options.runs)
    if options.json:
        print(json.dumps(found, indent=2))
        return
    print(f"{found['lines']:.0f} lines of {found['runs']:.0f} runs")
    print(
        f"bare Python {found['python_ms']:.0f} ms, hook {found['hook_ms']:.0f} ms (worst {found['hook_worst_ms']:.0f})"
    )
    print(f"ratio {found['ratio']:.2f}")


if __name__ == "__main__":
    main()
