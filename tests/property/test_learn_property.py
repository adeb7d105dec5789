"""The same logs in any order, whole or growing piece by piece, in one pass or ten, give the same rules and counts."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.e2e.test_flow import AGAIN, CHANGELOG, EXPLAIN, PNPM, log

from ingrained.learn.pipeline import Ask, Roots, learn, looked_at
from ingrained.learn.reading import ME
from ingrained.store.ledger import Ledger

CASES = Path(__file__).parent.parent / "cases"


def logs() -> dict[str, bytes]:
    """Logs with repeats, forks, copies, refusals and damage: small ones of the cases, and two of our own."""
    found = {
        f"c{number}/{path.name}": path.read_bytes()
        for number, name in enumerate(("06-one", "04-fake", "08-what", "01-trunc"))
        for path in sorted(next(CASES.glob(f"{name}*")).rglob("*.jsonl"))
        if path.stat().st_size
    }
    with tempfile.TemporaryDirectory() as folder:
        user = Path(folder)
        log(user, Path("/p/shop"), "s1", "2026-01-05", "tidy the cart page", CHANGELOG, PNPM, EXPLAIN)
        log(user, Path("/p/shop"), "s2", "2026-01-09", "look at the tax page", *AGAIN)
        found |= {f"own/{path.name}": path.read_bytes() for path in user.rglob("*.jsonl")}
    return found


LOGS = logs()


def learned(home: Path, places: Path) -> None:
    learn(Ask(home=home, roots=Roots(places=((ME, places),))))


def answer(home: Path) -> tuple[object, ...]:
    view = looked_at(home)
    with Ledger.open(home, read_only=True) as ledger:
        totals = ledger.totals()
    lost = sorted((lost.atom.key, lost.reason) for lost in view.dropped)
    return view.rules, lost, view.heard, totals.messages, totals.sessions, totals.sessions_set_aside


def at_once(folder: Path) -> tuple[object, ...]:
    for name, data in LOGS.items():
        path = folder / "logs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    learned(folder / "home", folder / "logs")
    return answer(folder / "home")


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_order_pieces_and_passes_change_nothing(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder) / "a"
        want = at_once(base)
        for path in (base / "logs").rglob("*.jsonl"):
            path.unlink()
        home = base / "home2"
        order = data.draw(st.permutations(sorted(LOGS)), label="order")
        passes = data.draw(st.integers(1, 10), label="passes")
        cuts = {
            name: sorted(data.draw(st.lists(st.integers(0, len(LOGS[name])), max_size=2), label=name)) for name in order
        }
        steps = [(name, end) for name in order for end in [*cuts[name], len(LOGS[name])]]
        steps.sort(key=lambda step: data.draw(st.integers(0, passes)) if step[1] < len(LOGS[step[0]]) else passes + 1)
        for number, (name, end) in enumerate(steps):
            path = base / "logs" / name
            if path.exists() and path.stat().st_size >= end:
                continue
            path.write_bytes(LOGS[name][:end])
            if number % max(1, len(steps) // passes) == 0:
                learned(home, base / "logs")
        learned(home, base / "logs")
        assert answer(home) == want
        learned(home, base / "logs")
        assert answer(home) == want
