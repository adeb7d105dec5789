"""How long the offline judges take for typed turns, on one core, beside the encoder alone.

    python benchmarks/judge.py --turns 10000

The turns are those of the sample that comes with the package, again and again with a number put before each, so that
nothing is known from before. Loading counts.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from dataclasses import replace

from ingrained.ids import MessageKey
from ingrained.learn.reading import Roots, Trouble, read_all, sources
from ingrained.session.redact import SecretRedactor
from ingrained.session.sample import sample_people
from ingrained.session.session import Turn

BATCH = 500
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"  # numpy is imported later, by what is measured


def typed_turns(count: int) -> list[Turn]:
    roots = Roots(places=tuple((one.person, one.folder) for one in sample_people()))
    found = read_all(sources(roots, (), Trouble()), roots, SecretRedactor(), Trouble())
    turns = list({turn.key: turn for finding in found if finding.read for turn in finding.read.turns}.values())
    return [
        replace(turn, key=MessageKey(f"{turn.key}-{i}"), text=f"{i} {turn.text}")
        for i, turn in ((i, turns[i % len(turns)]) for i in range(count))
    ]


def timed(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def in_batches(decompose: Callable[[list[Turn]], object], turns: list[Turn]) -> None:
    for begin in range(0, len(turns), BATCH):
        decompose(turns[begin : begin + BATCH])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--turns", type=int, default=10_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    turns = typed_turns(options.turns)
    from ingrained.embed.encoder import encoder
    from ingrained.feedback.offline import RuleDecomposer
    from ingrained.feedback.trained import TrainedDecomposer

    found = {"turns": float(len(turns)), "load_s": timed(TrainedDecomposer)}
    found["trained_s"] = found["load_s"] + timed(lambda: in_batches(TrainedDecomposer().decompose, turns))
    windows = [window for turn in turns for window in encoder().windows(turn.text)]
    found["pieces"] = float(sum(map(len, windows)))
    found["encoder_s"] = timed(
        lambda: [encoder().encode(windows[i : i + BATCH]) for i in range(0, len(windows), BATCH)]
    )
    found["rules_s"] = timed(lambda: in_batches(RuleDecomposer().decompose, turns))
    found["trained_to_encoder"] = found["trained_s"] / found["encoder_s"]
    found["trained_to_rules"] = found["trained_s"] / found["rules_s"]
    if options.json:
        print(json.dumps(found))
    else:
        for name, value in found.items():
            print(f"{name:>20}  {value:.2f}")


if __name__ == "__main__":
    main()
