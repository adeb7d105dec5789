"""What `bench tau2` found, as text."""

from __future__ import annotations

from ingrained.bench.tau2_checks import Checks, DomainBench, Tau2Bench

_DAMAGES = {
    "argument": "one argument changed",
    "dropped": "one write dropped",
    "added": "one write added",
}
_SHOWN = 8


def tau2_text(result: Tau2Bench) -> str:
    """For each domain what its tasks are, the floor, and the checks."""
    return "\n\n".join(_domain(one) for one in result.domains) + f"\n\nseed {result.seed}"


def _domain(one: DomainBench) -> str:
    families = ", ".join(f"{name.partition('/')[2]} {n}" for name, n in one.families.items())
    scored = ", ".join(f"{name} {n}" for name, n in one.basis.items())
    lines = [
        f"{one.domain}: {one.tasks} tasks, scored by {scored}; {one.judged} of them need a judge",
        f"  families: {families}",
        f"  passed by doing nothing: {len(one.floor)}{_named(one.floor)}",
        f"  right attempts that pass ({one.part}): {one.right.passed} of {one.right.n}{_named(one.right.names)}",
    ]
    lines += [_damaged(checks) for checks in one.damaged if checks.n]
    return "\n".join(lines)


def _damaged(checks: Checks) -> str:
    failed = checks.n - checks.passed
    return f"  {_DAMAGES[checks.what]}: {failed} of {checks.n} fail ({failed / checks.n:.1%}){_named(checks.names)}"


def _named(names: tuple[str, ...]) -> str:
    if not names:
        return ""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return f": {', '.join(name.partition('/')[2] for name in names[:_SHOWN])}{more}"
