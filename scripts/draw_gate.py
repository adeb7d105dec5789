"""Draws the pictures of `docs/how-the-gate-decides.md`: the stake along pairs, and what wins and losses lead to.

`--check` writes nothing and exits 1 where a picture is not what it would be.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ingrained.bench.gate.worlds import WORLDS
from ingrained.gate.betting import log_evidence, log_stake
from ingrained.gate.plan import Plan

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
PLAN = Plan(useful=0.3, cap=80)
GREEN, RED, GREY, INK = "#2e7d32", "#c62828", "#9e9e9e", "#212121"
PALE = {"accepted": "#a5d6a7", "rejected": "#ef9a9a", "open": "#eeeeee"}
FONT = 'font-family="sans-serif" font-size="12"'


def svg(width: int, height: int, title: str, parts: Sequence[str]) -> str:
    """A picture on white, with a title for those who cannot see it."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" {FONT} fill="{INK}">'
    return "\n".join(
        [
            head,
            f"<title>{title}</title>",
            f'<rect width="{width}" height="{height}" fill="#fff"/>',
            *parts,
            "</svg>",
            "",
        ]
    )


def text(x: float, y: float, words: str, anchor: str = "start") -> str:
    """A piece of text."""
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}">{words}</text>'


def line(x1: float, y1: float, x2: float, y2: float, colour: str = INK, dashes: str = "") -> str:
    """A straight line."""
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"{dashed}/>'


def stakes() -> str:
    """The stake of ten edits that do nothing and ten that gain 0.3, until the gate is done with each."""
    random = np.random.default_rng(0)
    left, top, wide, high, most = 60, 20, 600, 260, 60

    def place(pair: float, log_value: float) -> tuple[float, float]:
        share = (math.log(300) - max(log_value, math.log(0.02))) / (math.log(300) - math.log(0.02))
        return left + wide * pair / most, top + high * share

    parts = [line(left, top + high, left + wide, top + high), line(left, top, left, top + high)]
    for value in (0.1, 1, 20, 100):
        _, y = place(0, math.log(value))
        parts += [text(left - 8, y + 4, f"{value:g}", "end"), line(left - 4, y, left, y)]
    for pair in range(0, most + 1, 10):
        parts.append(text(left + wide * pair / most, top + high + 18, str(pair), "middle"))
    parts.append(text(left + wide / 2, top + high + 38, "pairs", "middle"))
    for effect, colour in ((0.0, GREY), (0.3, GREEN)):
        values = WORLDS["even"].differences(random, effect, (10, most))
        gains = log_evidence(values, *PLAN.means("gain"))
        against = log_evidence(-values, -PLAN.useful, 0.0)
        for gain, loss in zip(gains, against, strict=True):
            accepted, rejected = gain >= -math.log(PLAN.alpha), loss >= -math.log(PLAN.beta)
            done = accepted | rejected
            end = int(done.argmax()) + 1 if done.any() else most
            points = [place(0, 0.0), *(place(n + 1, gain[n]) for n in range(end))]
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
            parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
            if done.any():
                x, y = points[-1]
                parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{GREEN if accepted[end - 1] else RED}"/>')
    _, limit = place(0, math.log(20))
    parts += [line(left, limit, left + wide, limit, INK, "6 4"), text(left + wide, limit - 6, "accepted at 20", "end")]
    title = "The stake of ten edits that do nothing (grey) and of ten that gain 0.3 (green), pair by pair"
    return svg(left + wide + 20, top + high + 50, title, parts)


def outcomes() -> str:
    """What so many tasks won and lost lead to, with as many tasks the same as differing."""
    left, top, cell, most = 60, 20, 16, 20
    parts = []
    for won in range(most + 1):
        for lost in range(most + 1):
            values = [1.0] * won + [-1.0] * lost + [0.0] * (won + lost)
            said = "open"
            if log_stake(values, *PLAN.means("gain")) >= -math.log(PLAN.alpha):
                said = "accepted"
            elif log_stake([-value for value in values], -PLAN.useful, 0.0) >= -math.log(PLAN.beta):
                said = "rejected"
            x, y = left + cell * won, top + cell * (most - lost)
            parts.append(f'<rect x="{x}" y="{y}" width="{cell - 1}" height="{cell - 1}" fill="{PALE[said]}"/>')
    low = top + cell * (most + 1)
    for n in range(0, most + 1, 5):
        parts.append(text(left + cell * n + cell / 2, low + 16, str(n), "middle"))
        parts.append(text(left - 8, top + cell * (most - n) + cell - 4, str(n), "end"))
    parts.append(text(left + cell * most / 2, low + 36, "tasks won", "middle"))
    parts.append(text(left - 8, top - 6, "tasks lost"))
    for i, (said, colour) in enumerate(PALE.items()):
        x, y = left + cell * (most + 2), top + 24 * i
        parts += [f'<rect x="{x}" y="{y}" width="14" height="14" fill="{colour}"/>', text(x + 22, y + 12, said)]
    title = "Accepted, rejected or open by tasks won and lost, with as many tasks the same as differing"
    return svg(left + cell * (most + 2) + 130, low + 48, title, parts)


def pictures() -> dict[Path, str]:
    """Every picture and what belongs into it."""
    return {IMAGES / "gate-stakes.svg": stakes(), IMAGES / "gate-outcomes.svg": outcomes()}


def main() -> int:
    """Write the pictures, or with `--check` only compare them."""
    found = pictures()
    if "--check" in sys.argv[1:]:
        wrong = [path for path, drawn in found.items() if not path.exists() or path.read_text("utf-8") != drawn]
        for path in wrong:
            print(f"{path.name} is out of date: run scripts/draw_gate.py", file=sys.stderr)
        return int(bool(wrong))
    for path, drawn in found.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(drawn, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
