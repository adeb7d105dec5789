"""The gate: pairs in, a verdict out. A pure function, which may be asked again after every pair.

For the rule `sequential` the answer does not depend on the order of the pairs, and no score that rises ever turns it
against the edit. What comes first, where several reasons hold: a task that broke; too much without a score; a gain; its
absence; the cap. `docs/how-the-gate-decides.md` has the mathematics and an example.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ingrained.errors import GateError
from ingrained.gate.betting import interval, log_reachable, log_stake
from ingrained.gate.pair import Pair
from ingrained.gate.plan import Aim, Plan
from ingrained.gate.rates import level
from ingrained.gate.tally import PASS, Tally, tally
from ingrained.gate.verdict import GroupVerdict, Reason, Status, Verdict
from ingrained.stats import permutation_test, sign_test
from ingrained.wording import plural

IMBALANCE = 20.0
"""Evidence that one arm goes unscored more often than the other (`Unjudged.imbalance`); wrong 1 time in 20 at most."""
_SLACK = 1e-12
"""Logarithms that differ by less are equal."""
_UNCALIBRATED = frozenset({"single", "raw"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Sibling:
    """One edit of a group with its pairs so far."""

    name: str
    pairs: Sequence[Pair]
    aim: Aim = "gain"
    tokens: int = 0
    """Length of the skill after the edit; on a tie the shorter is applied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tested:
    """What a rule found in the pairs of one edit."""

    log_p: float = 0.0
    """Logarithm of the p-value; 0 as long as there is none."""
    against: float | None = None
    complete: bool = False
    """A planned number of pairs is there."""
    better: bool = False
    """For `single`: whether the treatment scored higher; for `raw`: whether it passed."""


def decide(pairs: Sequence[Pair], plan: Plan, *, aim: Aim = "gain", step: int = 1) -> Verdict:
    """The verdict on one edit that has no siblings; see `decide_group`."""
    return decide_group([Sibling(name="edit", pairs=pairs, aim=aim)], plan, step=step).verdicts["edit"]


def decide_group(siblings: Sequence[Sibling], plan: Plan, *, step: int = 1) -> GroupVerdict:
    """Verdicts on all edits of a group, and which is applied. Their order does not matter.

    Args:
        siblings: every edit of the group that is tested, also those that wait for their first pair or are settled:
            their number is part of the rate. Pairs stand in the order in which they were started; `single` reads the
            first with scores (`raw` the first where the treatment has one), `sign` and `permutation` the first `cap`,
            so that adding pairs does not undo them.
        plan: settled before the first pair.
        step: which group of the run it is, from 1; for the rate `run`.

    Raises:
        GateError: two edits of one name; a task and seed twice in one edit; a task with more pairs than planned; a rule
            that cannot test what an edit has to show.

    Cost: some milliseconds an edit.
    """
    names = [one.name for one in siblings]
    if len(set(names)) < len(names):
        raise GateError(f"edits of one group share a name: {sorted(names)!r}", hint="give each edit its own name")
    if step < 1:
        raise GateError(f"step {step} is no group of a run; they count from 1")
    tallies = [_tally(one, plan) for one in siblings]
    tested = [_tested(one, found, plan) for one, found in zip(siblings, tallies, strict=True)]
    alpha = level(plan.alpha, plan.rate, siblings=max(1, len(siblings)), step=step)
    verdicts = {
        one.name: _verdict(one.aim, found, test, plan, alpha)
        for one, found, test in zip(siblings, tallies, tested, strict=True)
    }
    return GroupVerdict(
        verdicts=verdicts,
        settled=all(verdict.final for verdict in verdicts.values()),
        applied=_applied(siblings, verdicts),
    )


def _tally(one: Sibling, plan: Plan) -> Tally:
    pairs = one.pairs[: plan.cap] if plan.rule in {"sign", "permutation"} else one.pairs
    return tally(pairs, seeds=plan.seeds, always=plan.always, allowed=frozenset(plan.may_break))


def _tested(one: Sibling, found: Tally, plan: Plan) -> _Tested:
    if plan.rule == "single":
        first = next((d for d in (pair.difference for pair in one.pairs) if d is not None), None)
        return _Tested(complete=first is not None, better=first is not None and first > 0)
    if plan.rule == "raw":
        own = _own_score(one)
        return _Tested(complete=own is not None, better=own is not None and own >= PASS)
    null, target = plan.means(one.aim)
    if plan.rule == "sequential":
        mirrored = [-value for value in found.differences]
        return _Tested(
            log_p=-log_stake(found.differences, null, target),
            against=_probability(-log_stake(mirrored, -target, -null)),
        )
    if one.aim == "no_loss":
        raise GateError(
            f"the rule {plan.rule!r} cannot show that a loss stays below a margin",
            hint='use the rule "sequential" for edits that shorten a skill',
        )
    if found.pairs < plan.cap:
        return _Tested()
    if plan.rule == "sign":
        return _Tested(log_p=math.log(sign_test(found.wins, found.losses)), complete=True)
    differing = [value for value in found.differences if value]
    return _Tested(log_p=math.log(float(permutation_test(differing))), complete=True)


def _own_score(one: Sibling) -> float | None:
    """The first score of the treatment, whatever the control got."""
    return next((pair.treatment.score for pair in one.pairs if pair.treatment.score is not None), None)


def _probability(log_p: float) -> float:
    return math.exp(min(0.0, log_p))


def _verdict(aim: Aim, found: Tally, test: _Tested, plan: Plan, alpha: float) -> Verdict:
    status, reason = _judged(aim, found, test, plan, alpha)
    low, high = interval(found.differences, *plan.means(aim), alpha) if found.differences else (None, None)
    wins, losses, gain = found.wins, found.losses, found.gain
    return Verdict(
        status=status,
        reason=reason,
        why=_why(reason, aim, found, plan),
        final=status != "inconclusive" or found.pairs >= plan.cap or reason == "out_of_reach",
        rule=plan.rule,
        calibrated=plan.rule not in _UNCALIBRATED,
        aim=aim,
        rate=plan.rate,
        level=alpha,
        pairs=found.pairs,
        scored=found.scored,
        tasks=len(found.differences),
        wins=wins,
        losses=losses,
        ties=len(found.differences) - wins - losses,
        gain=gain,
        low=low,
        high=high,
        p=None if plan.rule in _UNCALIBRATED else _probability(test.log_p),
        against=test.against,
        broken=found.broken,
        unscored=found.unscored,
        cached_control=found.cached_control,
        cached_treatment=found.cached_treatment,
        shared=found.shared,
    )


def _judged(aim: Aim, found: Tally, test: _Tested, plan: Plan, alpha: float) -> tuple[Status, Reason]:
    if plan.rule == "raw":
        return _first_alone(test, "own_score", found, plan)
    if any(task.blocks for task in found.broken):
        return "rejected", "breaks"
    if found.unscored.total > plan.unscored * found.pairs or found.unscored.imbalance >= IMBALANCE:
        return "inconclusive", "unscored"
    if plan.rule == "single":
        return _first_alone(test, "gain", found, plan)
    if test.log_p <= math.log(alpha) + _SLACK:
        return "accepted", aim
    if test.complete:
        return "rejected", "not_shown"
    if test.against is not None and test.against <= plan.beta + _SLACK:
        return "rejected", "useless"
    if found.pairs >= plan.cap:
        return "inconclusive", "cap"
    if plan.rule == "sequential" and not _reachable(aim, found, plan, alpha):
        return "inconclusive", "out_of_reach"
    return "inconclusive", "open"


def _first_alone(test: _Tested, why: Reason, found: Tally, plan: Plan) -> tuple[Status, Reason]:
    """By the first score there is."""
    if not test.complete:
        return "inconclusive", "cap" if found.pairs >= plan.cap else "open"
    return ("accepted", why) if test.better else ("rejected", "not_shown")


def least_tasks(plan: Plan, *, siblings: int = 1, aim: Aim = "gain", step: int = 1) -> int:
    """Tasks with which an edit that wins each of them is accepted; with fewer, no edit ever is.

    For `sign` and `permutation` the same at their one look; 1 for the rules without a level.
    """
    alpha = level(plan.alpha, plan.rate, siblings=siblings, step=step)
    if plan.rule in _UNCALIBRATED:
        return 1
    if plan.rule != "sequential":
        return math.ceil(-math.log2(alpha) - _SLACK)
    n = 1
    while log_reachable([], *plan.means(aim), n) < -math.log(alpha) - _SLACK:
        n += 1
    return n


def _reachable(aim: Aim, found: Tally, plan: Plan, alpha: float) -> bool:
    """Whether the edit could still be accepted if it won every task that the cap leaves room for."""
    left = found.waiting + (plan.cap - found.pairs) // plan.seeds
    return log_reachable(found.differences, *plan.means(aim), left) >= -math.log(alpha) - _SLACK


def _why(reason: Reason, aim: Aim, found: Tally, plan: Plan) -> str:
    ties = len(found.differences) - found.wins - found.losses
    tasks = f"{plural(found.wins, 'task')} better, {found.losses} worse, {ties} the same"
    if found.gain is not None:
        tasks += f", mean difference {found.gain:+.2f}"
    blocking = ", ".join(repr(task.task) for task in found.broken if task.blocks)
    unscored, raw = found.unscored, plan.rule == "raw"
    return {
        "gain": f"it helps: {tasks}",
        "own_score": "its own score is a pass; no control was run",
        "no_loss": f"it loses less than {plan.margin:g}: {tasks}",
        "breaks": f"passed always and now fails always: {blocking}",
        "useless": f"{'it gains less than would be useful' if aim == 'gain' else 'it loses something'}: {tasks}",
        "not_shown": "its own score is no pass; no control was run" if raw else f"no gain was shown: {tasks}",
        "open": f"more pairs are needed: {tasks}",
        "cap": f"{plural(plan.cap, 'pair')} did not settle it: {tasks}",
        "out_of_reach": f"it could not be accepted within {plural(plan.cap, 'pair')} any more: {tasks}",
        "unscored": f"of {found.pairs} pairs {unscored.total} have no score ({unscored.control} for the control alone, "
        f"{unscored.treatment} for the treatment alone)",
    }[reason]


def _applied(siblings: Sequence[Sibling], verdicts: dict[str, Verdict]) -> str | None:
    accepted = [one for one in siblings if verdicts[one.name].status == "accepted"]
    if not accepted:
        return None
    raw = verdicts[accepted[0].name].rule == "raw"
    gains = {one.name: (_own_score(one) if raw else verdicts[one.name].gain) or 0.0 for one in accepted}
    return min(accepted, key=lambda one: (-round(gains[one.name], 12), one.tokens, one.name)).name
