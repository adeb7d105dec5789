"""Results of `bench gate` as text."""

from __future__ import annotations

from collections.abc import Iterable

from ingrained.bench.gate.shape import GateBench, Savings, Share

_RULE = 52


def gate_text(result: GateBench) -> str:
    """Claims first, then what is only shown; a claim that fails is marked."""
    beta = f"{result.beta:.0%}"
    lines = [
        f"{result.draws} draws a row, seed {result.seed}; accepted wrongly at most {result.alpha:.0%}, rejected wrongly at "
        f"most {beta}; limits hold 2.6 standard errors more",
        *_shares("edits that do not help, accepted:", result.false_accepts),
        *_shares("any accepted, all of them doing nothing:", result.rates, pairs=False),
        *_shares("edits that help, accepted:", result.power),
        *_shares("edits that are just useful, rejected:", result.useless, rejected=True),
        *_shares("edits that shorten, at a loss of the margin and at none, accepted:", result.no_loss),
        *_shares("what each rate costs, accepted:", result.price),
        *_shares("where the assumptions do not hold, accepted:", result.misuse),
    ]
    for one in result.savings:
        lines += _savings(one)
    lines += ["", "every claim holds" if result.holds else "NOT every claim holds: see the rows marked !"]
    return "\n".join(lines)


def _shares(title: str, rows: Iterable[Share], *, pairs: bool = True, rejected: bool = False) -> list[str]:
    head = f"{'':{_RULE}}{'world':10}{'gain':>6}{'share':>8}{'limit':>8}" + (f"{'pairs':>8}" if pairs else "")
    return ["", title, head, *(_share(row, pairs=pairs, rejected=rejected) for row in rows)]


def _share(row: Share, *, pairs: bool, rejected: bool) -> str:
    mark = "!" if row.holds is False else " "
    limit = "" if row.at_most is None else f"{row.at_most:.2%}"
    count = f"{row.pairs:8.1f}" if pairs and row.pairs else ""
    share = row.rejected if rejected else row.accepted
    return f"{mark} {row.rule:{_RULE - 2}}{row.world:10}{row.effect:+6.1f}{share:8.2%}{limit:>8}{count}".rstrip()


def _savings(found: Savings) -> list[str]:
    costs = found.worlds[0].costs
    weights = ", ".join(f"{cost.weight:.0%} {cost.effect:+g}" for cost in costs)
    lines = [
        "",
        f"{'' if found.holds else '! '}replays of the sequential rule over those of a fixed number, bets for a gain of "
        f"{found.useful:g}, same power there:",
        f"{'':10}{'fixed test':>12}{'pairs':>7}" + "".join(f"{'gain ' + format(c.effect, '+g'):>26}" for c in costs),
    ]
    for one in found.worlds:
        cells = "".join(
            f"{f'{cost.sequential:.1%} / {cost.fixed:.1%}':>18}{f'× {cost.ratio:.2f}':>8}" for cost in one.costs
        )
        lines.append(f"{one.world:10}{one.fixed_rule:>12}{one.fixed_pairs:>7}{cells}   mix {one.ratio:.2f}")
    lines.append(f"mean {found.ratio:.2f} over the mix ({weights}) and worlds; largest cell {found.worst:.2f}")
    return lines
