"""Results of `bench gate` as text."""

from __future__ import annotations

from collections.abc import Sequence

from ingrained.bench.gate.shape import GateBench, Savings, Share

_RULE = 56


def gate_text(result: GateBench) -> str:
    """Rules by world, rates, the two other promises, what breaks, and the replays; a claim that fails is marked."""
    lines = [
        f"{result.draws} draws a row, seed {result.seed}",
        f"wrongly accepted at most {result.alpha:.0%}, wrongly rejected at most {result.beta:.0%}",
        "a limit is that rate with 2.6 standard errors; ! marks a claim that does not hold",
    ]
    worlds = dict.fromkeys(row.world for row in result.false_accepts)
    for world in worlds:
        lines += _world(world, [row for row in (*result.false_accepts, *result.power) if row.world == world])
    lines += _shares("any accepted, where none of eight does anything:", result.rates)
    lines += _shares("a gain of 0.3, accepted at the level of each rate:", result.price)
    lines += _shares("edits that are just useful, rejected:", result.useless, rejected=True)
    lines += _shares("edits that shorten, accepted as losing less than 0.1:", result.no_loss)
    lines += _shares("no help, accepted where assumptions do not hold:", result.misuse)
    for one in result.savings:
        lines += _savings(one)
    lines += ["", "every claim holds" if result.holds else "NOT every claim holds: see the rows marked !"]
    return "\n".join(lines)


def _world(world: str, rows: Sequence[Share]) -> list[str]:
    """One line a rule: the share accepted at each gain, and the pairs that it took."""
    effects = sorted({row.effect for row in rows})
    head = "".join(f"{f'gain {effect:+g}':>11}" for effect in effects) + "   pairs"
    lines = ["", f"{f'accepted, world {world}:':{_RULE}}{'limit':>7}{head}"]
    for rule in dict.fromkeys(row.rule for row in rows):
        found = {row.effect: row for row in rows if row.rule == rule}
        null = found[0.0]
        shares = "".join(f"{found[effect].accepted:11.2%}" if effect in found else f"{'':11}" for effect in effects)
        pairs = ", ".join(dict.fromkeys(f"{found[effect].pairs:g}" for effect in effects if effect in found))
        lines.append(f"{_mark(null)} {rule:{_RULE - 2}}{_limit(null)}{shares}   {pairs}".rstrip())
    return lines


def _shares(title: str, rows: Sequence[Share], *, rejected: bool = False) -> list[str]:
    lines = ["", f"{title:{_RULE}}{'limit':>7}{'share':>11}  gain, world, pairs"]
    for row in rows:
        share = row.rejected if rejected else row.accepted
        pairs = f", {row.pairs:g}" if row.pairs else ""
        lines.append(
            f"{_mark(row)} {row.rule:{_RULE - 2}}{_limit(row)}{share:11.2%}  {row.effect:+g}, {row.world}{pairs}"
        )
    return lines


def _mark(row: Share) -> str:
    return "!" if row.holds is False else " "


def _limit(row: Share) -> str:
    return f"{'' if row.at_most is None else f'{row.at_most:.2%}':>7}"


def _savings(found: Savings) -> list[str]:
    costs = found.worlds[0].costs
    weights = ", ".join(f"{cost.weight:.0%} gain {cost.effect:g}" for cost in costs)
    title = f"pairs of the sequential rule, useful {found.useful:g}, over those of a fixed number with its power there:"
    head = "".join(f"{f'gain {cost.effect:+g}':>11}{'fixed':>8}{'ratio':>7}" for cost in costs)
    lines = ["", f"{'' if found.holds else '! '}{title}", f"{'':9}{'fixed test':>12}{'pairs':>7}{head}{'mix':>7}"]
    for one in found.worlds:
        cells = "".join(f"{cost.sequential:11.1%}{cost.fixed:8.1%}{cost.ratio:7.2f}" for cost in one.costs)
        lines.append(f"{one.world:9}{one.fixed_rule:>12}{one.fixed_pairs:>7}{cells}{one.ratio:7.2f}")
    lines.append(f"mean over worlds {found.ratio:.2f} (mix: {weights}); largest cell {found.worst:.2f}")
    return lines
