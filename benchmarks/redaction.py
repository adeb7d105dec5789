"""How much the redactor leaks and how much it destroys, on generated sets; and how fast it is.

    python benchmarks/redaction.py [--json] [--seed N] [--misses N]

Leaked: a secret of which ten characters in a row survive (or all, where it is shorter). Destroyed: a look-alike that
changed. Each share stands with its counts and its 95 % Wilson interval. `plain` is the set beside which the tables were
written; `blind` and `blind again` vary notation, case, length, quotes, wrapping and neighbours and were written when
the tables were fixed: what they found then stands in docs/results.md, and what they find now is printed here. Further
seeds draw other values and pairings for the same notations. `said` and `speech` are secrets in sentences and sentences
about secrets; `said again` and `speech again` were written when the redactor had been fitted to those two. `evasions`
are counted, not aimed at.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from math import sqrt
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import redaction_said
import redaction_set
from ingrained.session.redact import SecretRedactor
from redaction_set import Sample


def wilson(hits: int, tries: int, z: float = 1.96) -> tuple[float, float]:
    """The 95 % interval of a share."""
    share, part = hits / tries, z * z / tries
    middle, half = share + part / 2, z * sqrt(share * (1 - share) / tries + part / (4 * tries))
    return max(0.0, (middle - half) / (1 + part)), min(1.0, (middle + half) / (1 + part))


def leaked(redactor: SecretRedactor, sample: Sample) -> bool:
    """Ten characters of the secret in a row are still there."""
    out = redactor.redact(sample.text).text
    width = min(len(sample.value), 10)
    return any(sample.value[at : at + width] in out for at in range(len(sample.value) - width + 1))


def destroyed(redactor: SecretRedactor, sample: Sample) -> bool:
    """The look-alike is no longer there as it was."""
    return sample.value not in redactor.redact(sample.text).text


def speed(redactor: SecretRedactor, text: str) -> float:
    """CPU megabytes a second, the best of three."""
    best = min(_seconds(redactor, text) for _ in range(3))
    return len(text.encode()) / best / 1e6


def _seconds(redactor: SecretRedactor, text: str) -> float:
    start = time.process_time()
    redactor.redact(text)
    return time.process_time() - start


def summary(name: str, bad: list[Sample], tried: list[Sample]) -> dict[str, object]:
    """One line of the result."""
    low, high = wilson(len(bad), len(tried))
    return {
        "set": name,
        "count": len(bad),
        "tried": len(tried),
        "kinds": len({sample.kind for sample in tried}),
        "contexts": len({sample.context for sample in tried}),
        "share": len(bad) / len(tried),
        "interval": [low, high],
        "by_kind": dict(Counter(sample.kind for sample in bad).most_common()),
        "by_context": dict(Counter(sample.context for sample in bad).most_common()),
    }


PROSE = (
    "We moved the parser out of the loop because it was slow on large files and nobody could follow it. The second "
    "half of the work is smaller, but it touches more places than we like, so let us go slowly.\n"
)


def main() -> None:
    """Runs all sets."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--misses", type=int, default=0, help="print so many misses of each set")
    asked = parser.parse_args()
    redactor = SecretRedactor(redaction_set.NAMES)
    sets = {
        "leaked: plain": (redaction_set.secrets(asked.seed), leaked),
        "leaked: blind": (redaction_set.blind(asked.seed + 10), leaked),
        "leaked: blind again": (redaction_set.blind_again(asked.seed + 30), leaked),
        "leaked: said": (redaction_said.said(asked.seed + 50), leaked),
        "leaked: said again": (redaction_said.said_again(asked.seed + 80), leaked),
        "leaked: headers": (redaction_said.headers(asked.seed + 70), leaked),
        "through: evasions": (redaction_set.evasions(asked.seed + 20), lambda r, s: r.redact(s.text).text == s.text),
        "destroyed: look-alikes": (redaction_set.look_alikes(asked.seed), destroyed),
        "destroyed: unseen kinds": (redaction_set.look_alikes_unseen(asked.seed + 40), destroyed),
        "destroyed: speech": (redaction_said.speech(asked.seed + 60), destroyed),
        "destroyed: speech again": (redaction_said.speech_again(asked.seed + 90), destroyed),
        "destroyed: stand-ins": (redaction_said.header_stand_ins(), destroyed),
    }
    lines: list[dict[str, object]] = []
    for name, (samples, test) in sets.items():
        bad = [sample for sample in samples if test(redactor, sample)]
        lines.append(summary(name, bad, samples))
        for sample in bad[: asked.misses]:
            print(f"  {name} | {sample.kind} | {sample.context} | {sample.text[:120]!r}", file=sys.stderr)
    code = Path(__file__).read_text(encoding="utf-8") * 20
    rates = {"plain prose": speed(redactor, PROSE * 10_000), "source code": speed(redactor, code)}
    if asked.json:
        print(json.dumps({"version": 1, "seed": asked.seed, "sets": lines, "mb_per_cpu_second": rates}, indent=1))
        return
    for line in lines:
        low, high = line["interval"]  # type: ignore[misc]
        share = f"{line['share']:.2%} [{low:.2%}, {high:.2%}]"
        print(
            f"{line['set']:24} {line['count']:4} of {line['tried']:5} = {share}  "
            f"{line['kinds']} kinds, {line['contexts']} contexts  {line['by_kind'] or ''}"
        )
    print("  ".join(f"{name}: {rate:.0f} MB per CPU second" for name, rate in rates.items()))


if __name__ == "__main__":
    main()
