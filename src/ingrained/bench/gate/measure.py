"""Simulations of the gate: false acceptances, power, replays, and what breaks its assumptions.

Everything is settled here before a draw is made: worlds, effects, plans, the mix and the limits. Each row draws from a
generator of its own, made of the seed and the row's name, so that rows do not depend on each other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from ingrained.bench.gate.rules import (
    GEPA_BATCH,
    Looks,
    Stopped,
    above_error,
    any_of,
    fixed,
    looks,
    mean_higher,
    pairs_for,
    permutation,
    sign,
    sign_at_each,
)
from ingrained.bench.gate.shape import Cost, GateBench, Saving, Savings, Share
from ingrained.bench.gate.worlds import WORLDS, World, chosen, lopsided, repeated
from ingrained.errors import ConfigError
from ingrained.gate.plan import Plan
from ingrained.gate.rates import Rate, level

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ingrained.bench.gate.worlds import Array, Random

FINE = Plan(rate="edit", useful=0.1, cap=600)
COARSE = Plan(rate="edit", useful=0.3, cap=80)
PLANS = (FINE, COARSE)
PRUNE = Plan(rate="edit", margin=0.1, cap=600)
MIX: Mapping[float, float] = {0.0: 0.6, 0.1: 0.2, 0.3: 0.2}
"""Share of the edits with each true gain."""
RATIO = 0.65
WORST = 1.3
FIXED = 40
"""Pairs of the rules that need a number of them."""
SIBLINGS = 8
STEPS = 5
LONG = 1000
"""Pairs that an optional stop may take."""
ERRORS = 2.6
FLOOR = 0.01
NOT_TRIVIAL = ("even", "ties", "uneven", "skewed")
"""Worlds in which a false acceptance must happen now and then, with the fine plan: in `steady` arms hardly differ."""
LEAST = 100


def measure(*, draws: int = 2000, seed: int = 0) -> GateBench:
    """Run all simulations.

    Args:
        draws: independent streams of each row; the limits are meant for 2,000 or more.
        seed: same seed and draws, same result.

    Raises:
        ConfigError: fewer than 100 draws.

    Cost: 40 s of one core with 2,000 draws, and some 700 MB.
    """
    if draws < LEAST:
        raise ConfigError(f"--draws {draws} are too few to tell a rate", hint=f"give at least {LEAST}; 2000 by default")
    bench = _Bench(draws, seed)
    savings = tuple(bench.savings(plan) for plan in PLANS)
    parts = {
        "false_accepts": tuple(bench.false_accepts()),
        "power": tuple(bench.power()),
        "misuse": tuple(bench.misuse()),
        "rates": tuple(bench.rates()),
        "price": tuple(bench.price()),
        "useless": tuple(bench.useless()),
        "no_loss": tuple(bench.no_loss()),
    }
    claims = [row.holds for rows in parts.values() for row in rows if row.holds is not None]
    return GateBench(
        draws=draws,
        seed=seed,
        alpha=FINE.alpha,
        beta=FINE.beta,
        savings=savings,
        holds=all(claims) and all(one.holds for one in savings),
        **parts,
    )


class _Bench:
    def __init__(self, draws: int, seed: int) -> None:
        self.draws = draws
        self.seed = seed
        self.cells: dict[tuple[str, float, float], tuple[Array, Stopped]] = {}

    def random(self, *name: object) -> Random:
        import numpy as np

        return np.random.default_rng([self.seed, *"/".join(map(str, name)).encode()])

    def share(
        self,
        rule: str,
        world: str,
        effect: float,
        found: Stopped | NDArray[np.bool_],
        *,
        pairs: float = 0.0,
        at_most: float | None = None,
        at_least: float | None = None,
    ) -> Share:
        """One row; `at_most` is the claimed rate without the standard errors that are added to it."""
        accepted = found.accepted if isinstance(found, Stopped) else found
        limit = None if at_most is None else _limit(at_most, len(accepted))
        mean = float(accepted.mean())
        claims = [mean <= limit] if limit is not None else []
        claims += [mean >= at_least] if at_least is not None else []
        return Share(
            rule=rule,
            world=world,
            effect=effect,
            draws=len(accepted),
            accepted=_round(mean),
            rejected=_round(float(found.rejected.mean())) if isinstance(found, Stopped) else _round(1 - mean),
            pairs=round(float(found.pairs.mean()), 1) if isinstance(found, Stopped) else pairs,
            at_most=None if limit is None else _round(limit),
            at_least=at_least,
            holds=all(claims) if claims else None,
        )

    def cell(self, name: str, effect: float, plan: Plan) -> tuple[Array, Stopped]:
        """Differences in a world and where the sequential rule stops on them; drawn once."""
        key = (name, effect, plan.useful)
        if key not in self.cells:
            differences = WORLDS[name].differences(self.random("cell", *key), effect, (self.draws, plan.cap))
            self.cells[key] = differences, looks(differences, *plan.means("gain")).stop(plan.alpha, plan.beta)
        return self.cells[key]

    def false_accepts(self) -> Iterator[Share]:
        for name, world in WORLDS.items():
            for plan in PLANS:
                floor = FLOOR if plan is FINE and name in NOT_TRIVIAL else None
                _, found = self.cell(name, 0.0, plan)
                yield self.share(_label(plan), name, 0.0, found, at_most=plan.alpha, at_least=floor)
            yield from self.others(name, world, 0.0)
        yield from self.other_nulls()

    def other_nulls(self) -> Iterator[Share]:
        """Looked at after every pair without an end in sight; and means of 0 that are no A/A."""
        shape = (self.draws, LONG)
        differences = WORLDS["even"].differences(self.random("optional"), 0.0, shape)
        found = looks(differences, *FINE.means("gain")).stop(FINE.alpha, None)
        yield self.share(
            f"sequential, never rejecting, {LONG} looks", "even", 0.0, found, at_most=FINE.alpha, at_least=FLOOR
        )
        differences = lopsided(self.random("lopsided"), (self.draws, FINE.cap))
        found = looks(differences, *FINE.means("gain")).stop(FINE.alpha, FINE.beta)
        yield self.share(_label(FINE), "lopsided", 0.0, found, at_most=FINE.alpha)
        differences = repeated(self.random("repeated"), (self.draws, COARSE.cap), 3).mean(axis=-1)
        found = looks(differences, *COARSE.means("gain")).stop(COARSE.alpha, None)
        yield self.share("sequential, 3 seeds a task", "repeated", 0.0, found, at_most=COARSE.alpha)

    def others(self, name: str, world: World, effect: float) -> Iterator[Share]:
        """The rules that decide once, at `FIXED` pairs or what they say themselves."""
        random = self.random("others", name, effect)
        shape = (self.draws, FIXED)
        tasks = world.tasks(random, shape)
        control, treatment = world.scores(random, tasks, 0.0), world.scores(random, tasks, effect)
        differences = treatment - control
        alpha = FINE.alpha if effect == 0 else None
        tests = [("sign", sign(differences, FIXED, FINE.alpha))] if world.binary else []
        tests += [("permutation", permutation(differences, FIXED, FINE.alpha))]
        for rule, found in tests:
            yield self.share(rule, name, effect, found, pairs=FIXED, at_most=alpha)
        yield self.share("raw score", name, effect, treatment[:, 0] >= 0.5, pairs=0.5)
        yield self.share("single", name, effect, mean_higher(differences, 1), pairs=1)
        yield self.share("gepa", name, effect, mean_higher(differences, GEPA_BATCH), pairs=GEPA_BATCH)
        yield self.share("mean-compare", name, effect, mean_higher(differences, FIXED), pairs=FIXED)
        yield self.share("mean > 1 SE", name, effect, above_error(differences, FIXED), pairs=FIXED)

    def power(self) -> Iterator[Share]:
        for effect in (0.1, 0.3):
            for name, world in WORLDS.items():
                for plan in PLANS:
                    yield self.share(_label(plan), name, effect, self.cell(name, effect, plan)[1])
                yield from self.others(name, world, effect)

    def misuse(self) -> Iterator[Share]:
        even = WORLDS["even"].differences(self.random("peeking"), 0.0, (self.draws, LONG))
        peeked = any_of(sign_at_each(even, FINE.alpha))
        yield self.share(f"sign, looked at after each of {LONG} pairs", "even", 0.0, peeked)
        lop = lopsided(self.random("lopsided fixed"), (self.draws, FIXED))
        yield self.share("sign", "lopsided", 0.0, sign(lop, FIXED, FINE.alpha), pairs=FIXED)
        yield self.share("permutation", "lopsided", 0.0, permutation(lop, FIXED, FINE.alpha), pairs=FIXED)
        flat = repeated(self.random("flat"), (self.draws, COARSE.cap), 3).reshape(self.draws, -1)
        found = looks(flat, *COARSE.means("gain")).stop(COARSE.alpha, None)
        yield self.share("sequential, each seed as if it were a task", "repeated", 0.0, found)
        kept = chosen(self.random("chosen"), (self.draws, COARSE.cap))
        found = looks(kept, *COARSE.means("gain")).stop(COARSE.alpha, COARSE.beta)
        yield self.share("sequential, tasks chosen by kept controls that failed", "even", 0.0, found)

    def rates(self) -> Iterator[Share]:
        """Any acceptance in a group, or in a run of groups, of edits that do nothing."""
        import numpy as np

        worlds = {name: WORLDS[name] for name in ("even", "uneven")}
        for name, world in worlds.items():
            steps = [self.group(name, world, step) for step in range(1, STEPS + 1)]
            for rate in ("edit", "group", "run"):
                found = [self.any_accepted(one, rate, step) for step, one in enumerate(steps, start=1)]
                of_group = None if rate == "edit" else COARSE.alpha
                of_run = COARSE.alpha if rate == "run" else None
                label = f"sequential, rate {rate}"
                yield self.share(f"{label}, group of {SIBLINGS}", name, 0.0, found[0], at_most=of_group)
                whole = np.logical_or.reduce(found)
                yield self.share(f"{label}, run of {STEPS} groups", name, 0.0, whole, at_most=of_run)
        yield from self.other_groups("even", WORLDS["even"])

    def group(self, name: str, world: World, step: int) -> Looks:
        import numpy as np

        random = self.random("group", name, step)
        differences = world.siblings(random, np.zeros(SIBLINGS), self.draws, COARSE.cap)
        return looks(differences, *COARSE.means("gain"))

    def any_accepted(self, seen: Looks, rate: Rate, step: int) -> NDArray[np.bool_]:
        alpha = level(COARSE.alpha, rate, siblings=SIBLINGS, step=step)
        return any_of(seen.stop(alpha, COARSE.beta).accepted)

    def other_groups(self, name: str, world: World) -> Iterator[Share]:
        import numpy as np

        differences = world.siblings(self.random("others group"), np.zeros(SIBLINGS), self.draws, FIXED)
        rules: Mapping[str, Callable[[Array], NDArray[np.bool_]]] = {
            "single": lambda values: mean_higher(values, 1),
            "gepa": lambda values: mean_higher(values, GEPA_BATCH),
            "mean-compare": lambda values: mean_higher(values, FIXED),
            "mean > 1 SE": lambda values: above_error(values, FIXED),
            "sign": lambda values: sign(values, FIXED, COARSE.alpha),
        }
        for label, rule in rules.items():
            found = any_of(rule(differences))
            yield self.share(f"{label}, group of {SIBLINGS}", name, 0.0, found)

    def price(self) -> Iterator[Share]:
        effect = 0.3
        differences = WORLDS["even"].differences(self.random("price"), effect, (self.draws, COARSE.cap * 3))
        seen = looks(differences, *COARSE.means("gain"))
        for rate, step in (("edit", 1), ("group", 1), ("run", 1), ("run", 10)):
            alpha = level(COARSE.alpha, rate, siblings=SIBLINGS, step=step)
            label = f"rate {rate}" + (f", step {step}" if rate == "run" else "")
            yield self.share(f"sequential, {label}", "even", effect, seen.stop(alpha, COARSE.beta))

    def useless(self) -> Iterator[Share]:
        for name in WORLDS:
            for plan in PLANS:
                row = self.share(_label(plan), name, plan.useful, self.cell(name, plan.useful, plan)[1])
                limit = _limit(plan.beta, self.draws)
                yield row.model_copy(update={"at_most": _round(limit), "holds": row.rejected <= limit})

    def no_loss(self) -> Iterator[Share]:
        for name, world in WORLDS.items():
            for effect in (-PRUNE.margin, 0.0):
                random = self.random("no loss", name, effect)
                differences = world.differences(random, effect, (self.draws, PRUNE.cap))
                found = looks(differences, *PRUNE.means("no_loss")).stop(PRUNE.alpha, PRUNE.beta)
                claimed = PRUNE.alpha if effect < 0 else None
                yield self.share("sequential, margin 0.1", name, effect, found, at_most=claimed)

    def savings(self, plan: Plan) -> Savings:
        worlds = tuple(self.saving(name, world, plan) for name, world in WORLDS.items())
        ratio = sum(one.ratio for one in worlds) / len(worlds)
        worst = max(cost.ratio for one in worlds for cost in one.costs)
        return Savings(
            useful=plan.useful,
            worlds=worlds,
            ratio=round(ratio, 3),
            worst=round(worst, 3),
            holds=ratio <= RATIO and worst <= WORST,
        )

    def saving(self, name: str, world: World, plan: Plan) -> Saving:
        cells = {effect: self.cell(name, effect, plan) for effect in MIX}
        drawn = {effect: differences for effect, (differences, _) in cells.items()}
        found = {effect: stopped for effect, (_, stopped) in cells.items()}
        power = float(found[plan.useful].accepted.mean())
        pairs = pairs_for(drawn[plan.useful], power, plan.alpha, binary=world.binary)
        costs = tuple(
            Cost(
                effect=effect,
                weight=weight,
                sequential=_round(float(found[effect].accepted.mean())),
                fixed=_round(float(fixed(drawn[effect], pairs, plan.alpha, binary=world.binary).mean())),
                sequential_pairs=round(float(found[effect].pairs.mean()), 1),
                ratio=round(float(found[effect].pairs.mean()) / pairs, 3),
            )
            for effect, weight in MIX.items()
        )
        return Saving(
            world=name,
            useful=plan.useful,
            cap=plan.cap,
            fixed_rule="sign" if world.binary else "permutation",
            fixed_pairs=pairs,
            costs=costs,
            ratio=round(sum(cost.weight * cost.ratio for cost in costs), 3),
        )


def _limit(rate: float, draws: int) -> float:
    """What a share of so many draws may be at most, where the rate is the one that is claimed."""
    return rate + ERRORS * math.sqrt(rate * (1 - rate) / draws)


def _round(share: float) -> float:
    return round(share, 4)


def _label(plan: Plan) -> str:
    return f"sequential, useful {plan.useful:g}"
