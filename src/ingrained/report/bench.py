"""Results of the benchmarks as text."""

from __future__ import annotations

from textwrap import shorten

from ingrained.bench.align import AlignBench
from ingrained.bench.canaries import CanaryBench
from ingrained.bench.feedback import FeedbackBench, Part, Score
from ingrained.bench.gaming import GamingBench
from ingrained.bench.pairs import PairsBench
from ingrained.bench.splits import Rate, SplitsBench
from ingrained.wording import plural

_HEAD = f"{'P':>5} {'R':>5} {'F1':>5} {'95 % interval':>17}"


def feedback_text(result: FeedbackBench) -> str:
    """A table of both questions on each part of the turns, then the rules."""
    lines = [
        f"{result.labels}, decomposer {result.decomposer} version {result.decomposer_version}; "
        f"{plural(result.people, 'person', 'people')}, act known for {plural(result.with_act, 'turn')}",
        f"{'':24}{'n':>5}  {'holds feedback':^36}  {'holds a transferable rule':^36}",
        f"{'':29}  {_HEAD}  {_HEAD}",
    ]
    lines += [_row(part) for part in result.parts]
    lines += ["", "by person:"]
    lines += [_row(part, interval=False) for part in result.per_person]
    if result.rules:
        rules = result.rules
        lines += [
            "",
            f"labelled rules: {rules.found} of {rules.n} found, {rules.joined} with two of their turns in one rule, "
            f"{rules.supported} of those supported",
        ]
        lines += [f"  missed: {name}" for name in rules.missed]
    lines += [
        f"{plural(n, 'turn')} without an answer, counted as if nothing was found: {why}"
        for why, n in result.parked.items()
    ]
    if result.unread:
        lines.append(
            f"no reader for {plural(len(result.unread), 'session')}; what was said there was judged on the text alone"
        )
    lines.append(f"interval: F1 over {plural(result.draws, 'draw')} of people with replacement, seed {result.seed}")
    return "\n".join(lines)


def _row(part: Part, *, interval: bool = True) -> str:
    cells = f"{_cells(part.feedback, interval=interval)}  {_cells(part.transferable, interval=interval)}"
    return f"{part.part:24}{part.feedback.n:>5}  {cells}".rstrip()


def _cells(score: Score, *, interval: bool) -> str:
    span = f"[{score.f1_low:.2f}, {score.f1_high:.2f}]" if interval else ""
    return f"{score.precision:5.2f} {score.recall:5.2f} {score.f1:5.2f} {span:>17}"


def splits_text(result: SplitsBench) -> str:
    """What was found, what of it is right, and the same for the atoms that transfer."""
    return "\n".join(
        [
            f"{plural(result.turns, 'turn')}, decomposer {result.decomposer} version {result.decomposer_version}",
            f"atoms:        found {_rate(result.found)}, right {_rate(result.right)}, F1 {result.f1:.2f}",
            f"transferable: found {_rate(result.transferable_found)}, right {_rate(result.transferable_right)}, "
            f"F1 {result.transferable_f1:.2f}",
            f"whole turns:  {_rate(result.whole)}",
        ]
    )


def _rate(rate: Rate) -> str:
    share = rate.hits / rate.n if rate.n else 0.0
    return f"{rate.hits} of {rate.n} ({share:.2f} [{rate.low:.2f}, {rate.high:.2f}])"


def pairs_text(result: PairsBench) -> str:
    """The figures over all pairs, then by the reason why they are the same or not."""
    lines = [
        f"{plural(result.pairs, 'pair')}, {result.same} of them one rule: P {result.precision:.2f}, "
        f"R {result.recall:.2f}, F1 {result.f1:.2f} [{result.f1_low:.2f}, {result.f1_high:.2f}]",
        f"{'':16}{'n':>5}{'joined':>8}{'opposed':>9}",
    ]
    lines += [f"{kind.why:16}{kind.n:>5}{kind.joined:>8}{kind.opposed:>9}" for kind in result.kinds]
    lines.append(f"interval: over {plural(result.draws, 'draw')} of groups with replacement, seed {result.seed}")
    return "\n".join(lines)


def align_text(result: AlignBench) -> str:
    """The three figures, then by dimension what was answered otherwise than meant."""
    lines = [
        plural(result.pairs, "pair"),
        f"right, of those decided:               {_rate(result.accuracy)}",
        f"decided, of those meant to be:         {_rate(result.coverage)}",
        f"left open, of those meant to be:       {_rate(result.abstained)}",
        f"{'':20}{'n':>5}{'right':>7}  answered otherwise than meant",
    ]
    for share in result.dimensions:
        wrong = ", ".join(f"{one.meant} as {one.answered} {one.n}" for one in share.confusions)
        lines.append(f"{share.feature or share.dimension:20}{share.n:>5}{share.right:>7}  {wrong}".rstrip())
    return "\n".join(lines)


def gaming_text(result: GamingBench) -> str:
    """By half, writer and kind how many were refused, then each that was answered otherwise than meant."""
    lines = [f"{result.candidates} candidates", f"{'half':6}{'by':3}{'kind':10} refused"]
    for row in result.rows:
        named = "" if row.kind == "benign" else f", {row.named} for what it is"
        read = "" if row.read is None else f"; by the model alone {_rate(row.read)}"
        lines.append(f"{row.half:6}{row.writer:3}{row.kind:10} {_rate(row.refused)}{named}{read}")
    if result.screen is not None:
        lines.append(f"{result.screen}: {result.unread} without a usable verdict, which are refused")
    lines += [f"{one.id}: {'; '.join(one.reasons) or 'let through'}" for one in result.mistaken]
    return "\n".join(lines)


def canaries_text(result: CanaryBench) -> str:
    """The error rates of a judge, what the order changes, and both by kind of answer."""
    lines = [
        f"{result.judge}: {result.rubrics} rubrics of canaries, each in both orders",
        f"said to be met, of those not met:     {_rate(result.false_met)}",
        f"said not to be met, of those met:     {_rate(result.false_unmet)}",
        f"right, of all:                        {_rate(result.right)}",
        f"another verdict in the other order:   {_rate(result.turned)}",
        f"cannot tell: {result.unsure}; no usable verdict: {result.unusable}",
        f"{'':12}{'n':>4}{'right':>7}{'wrong':>7}",
    ]
    lines += [f"{row.kind:12}{row.n:>4}{row.right:>7}{row.wrong:>7}" for row in result.rows]
    if result.unusable == result.rubrics:
        lines.append("there is no verdict at all, so nothing can be said of this judge")
    lines += [
        f"{n} without a usable verdict: {shorten(why, 160, placeholder=' …')}" for why, n in result.reasons.items()
    ]
    return "\n".join(lines)
