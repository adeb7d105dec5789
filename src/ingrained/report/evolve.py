"""What `evolve` and `bench transfer` found, as text: each step, what was applied and why, the last measurement.

The decision to know: why a run ended early is the error that follows on stderr, so the text says only that it did; and
an interval is shown where the rule has a rate that it keeps to, with one line on what it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from ingrained.bench.evolve.run import Progress
from ingrained.bench.evolve.shape import CandidateShape, EvolveShape, HeldOut, StepShape, TransferShape
from ingrained.gate.plan import Rule
from ingrained.learn.editor import OPS
from ingrained.skill.edit import Edit
from ingrained.wording import plural

_MOST = 90


def edit_text(edit: Edit | None) -> str:
    """An edit on one line: `create "Name the unit." in ["Style"]`."""
    if edit is None:
        return "no edit"
    match edit.op:
        case "noop":
            return "noop"
        case "prune":
            return f"prune {_target(edit.target)}"
        case "merge":
            return f'merge {len(edit.targets)} rules into "{_short(edit.text)}"'
        case "create":
            under = f" under a new heading {edit.heading!r}" if edit.heading else ""
            return f'create "{_short(edit.text)}" in {_target(edit.target)}{under}'
        case "update":
            return f'update {_target(edit.target)} to "{_short(edit.text or edit.heading)}"'


def progress_text(one: Progress) -> str:
    """A step as it ends."""
    line = one.line
    counts = ", ".join(f"{n} {name}" for name, n in line.counts.items() if n) or "nothing to test"
    done = edit_text(line.edit) if line.applied else "nothing applied"
    return (
        f"step {line.step} of {one.steps}: {counts}; {done}; {plural(line.replays, 'replay')}; "
        f"{plural(one.calls, 'call')} so far"
    )


def evolve_text(result: EvolveShape) -> str:
    """The steps, what the skill became, and whether it helps on tasks that nobody decided on."""
    head = [
        f"{result.skill}: worker {result.worker}, editor {result.editor}, "
        f"{f'screen {result.screen}, ' if result.screen else ''}verifier {result.verifier}",
        f"{plural(result.pool, 'task')} to decide on, {result.held_out_tasks} held out, "
        f"{plural(result.units, 'unit')} of evidence",
        *_ablations(result),
    ]
    if result.left_out:
        head.append("left out: " + "; ".join(f"{n} × {why}" for why, n in result.left_out.items()))
    lines = [line for step in result.steps for line in _step(step, intervals=result.calibrated)]
    counts = ", ".join(
        f"{n} {name}"
        for name, n in (
            ("accepted", result.accepted),
            ("rejected", result.rejected),
            ("inconclusive", result.inconclusive),
            ("refused", result.refused),
            ("invalid", result.invalid),
        )
    )
    start, final = result.start, result.final
    end = [
        f"edits: {counts}; {plural(result.replays, 'replay')}{' in the steps that ended' if result.stopped else ''}",
        f"the skill: {plural(start.rules, 'rule')}, ≈{plural(start.tokens, 'token')} before; "
        f"{plural(final.rules, 'rule')}, ≈{plural(final.tokens, 'token')} now",
    ]
    if result.unscored:
        what = plural(result.unscored, "attempt" if result.rule == "raw" else "pair")
        end.append(f"no evidence: {what} without a score")
    if result.unanswered:
        end.append(f"{unanswered_text(result)}; the same command asks again")
    end.append(_held_out(result))
    if result.stopped:
        end.append("ended early; attempts of a step that had not ended are kept")
    diff = ["", _shown(result.diff)] if result.diff else []
    where = [] if not result.diff else ["", f"the new skill is {result.out}/SKILL.md; yours was not changed"]
    return "\n".join([*head, "", *lines, *_legend(result), *([""] if lines else []), *end, *diff, *where])


def transfer_text(result: TransferShape) -> str:
    """The verdict on a skill under another worker."""
    one = result.verdict
    gain = "unknown" if one.gain is None else f"{one.gain:+.2f}"
    if one.calibrated and one.low is not None and one.high is not None:
        gain += f" [{one.low:+.2f}, {one.high:+.2f}]"
    lines = [
        f"{result.out}: made with {result.from_worker}, now with {result.worker}, on tasks "
        + ("that were held out" if result.tasks == "held out" else "that its edits were decided on"),
        f"{one.status}: {one.why}",
        *([] if one.calibrated else [_uncalibrated(one.rule)]),
        f"gain {gain} over {plural(one.tasks, 'task')}; {plural(result.replays, 'replay')}",
    ]
    return "\n".join([*lines, *(["ended early; what was tried is kept"] if result.stopped else [])])


def unanswered_text(result: EvolveShape) -> str:
    """The units of evidence that came to nothing since an answer is missing."""
    of_whom = "without a proposal, or one that was read" if result.screen else "without a proposal"
    return f"{plural(result.unanswered, 'unit')} of evidence {of_whom}"


def _ablations(result: EvolveShape) -> Iterator[str]:
    """What the run did otherwise than the method asks for."""
    if not result.calibrated:
        yield _uncalibrated(result.rule)
    if result.without:
        none = ": the editor could change nothing" if {*OPS} - {*result.without} == {"noop"} else ""
        yield f"without {', '.join(dict.fromkeys(result.without))}{none}"


def _uncalibrated(rule: Rule) -> str:
    return f"rule {rule}, uncalibrated: nothing limits how often it accepts by chance alone"


def _step(step: StepShape, *, intervals: bool) -> list[str]:
    marks = [" — the anchors are the evidence's own tasks"] if step.overfit else []
    lines = [f"step {step.step}, unit {step.unit + 1}, {plural(step.replays, 'replay')}{''.join(marks)}"]
    for one, times in _once(step.candidates):
        mark = "*" if one.name == step.applied else " "
        often = f", {times} times" if times > 1 else ""
        lines.append(f"{mark} {one.outcome:13}{_gain(one, interval=intervals)}{edit_text(one.edit)}{often}")
        if one.outcome not in {"noop", "accepted"}:
            lines.append(f"    {one.why}")
    return lines


def _once(candidates: Sequence[CandidateShape]) -> list[tuple[CandidateShape, int]]:
    """Each with how often it came: invalid ones that differ in their names alone are one."""
    found: dict[str, tuple[CandidateShape, int]] = {}
    for one in candidates:
        alike = one.model_dump_json(exclude={"name"}) if one.outcome == "invalid" else one.name
        first, times = found.get(alike, (one, 0))
        found[alike] = (first, times + 1)
    return list(found.values())


def _gain(one: CandidateShape, *, interval: bool) -> str:
    if one.gain is None or one.low is None or one.high is None:
        return ""
    bounds = f" [{one.low:+.2f}, {one.high:+.2f}]" if interval else ""
    cached = f", {one.cached} of the controls stored before" if one.cached else ""
    return f"{one.gain:+.2f}{bounds} in {plural(one.pairs, 'pair')}{cached}  "


def _legend(result: EvolveShape) -> list[str]:
    """What the marks of the steps mean, on one line; none without marks."""
    parts = ["*: applied"] if any(step.applied for step in result.steps) else []
    if result.calibrated and any(one.low is not None for step in result.steps for one in step.candidates):
        rejected = (
            "to reject is a test of its own, at --beta, and a useful gain may lie within"
            if result.rule == "sequential"
            else f"the verdict is that of the {result.rule} test, at --cap pairs"
        )
        parts.append(
            "[low, high]: bounds of the mean gain, each wrong at the edit's own level at most, at all looks together; "
            + rejected
        )
    return ["; ".join(parts)] if parts else []


def _held_out(result: EvolveShape) -> str:
    if result.held_out is not None:
        return _measured(result.held_out)
    if not result.diff:
        return "nothing was applied: there is nothing to measure on held-out tasks"
    return "the new skill was not measured on held-out tasks"


def _measured(one: HeldOut) -> str:
    if one.before is None or one.after is None or one.gain is None or one.low is None or one.high is None:
        return f"held-out tasks: none of {plural(one.pairs, 'pair')} has a score on both sides"
    part = "" if one.whole else f" (not all pairs were run: {one.pairs})"
    p = "" if one.p is None else f", p = {one.p:.3f}"
    return (
        f"held-out tasks: {one.before:.2f} before, {one.after:.2f} now: {one.gain:+.2f} [{one.low:+.2f}, "
        f"{one.high:+.2f}] (95 %, tasks resampled) over {plural(one.tasks, 'task')}, {one.better} better, "
        f"{one.worse} worse{p}{part}"
    )


def _shown(diff: str) -> str:
    """A diff to be read: without carriage returns where they end all its lines, and so are no difference."""
    lines = diff.rstrip("\n").split("\n")
    whole = [one for one, after in pairwise([*lines, ""]) if one[:1] in {" ", "+", "-"} and after[:1] != "\\"][2:]
    every = bool(whole) and all(one.endswith("\r") for one in whole)
    return "\n".join(one.removesuffix("\r") for one in lines) if every else "\n".join(lines)


def _target(target: str | tuple[str, ...]) -> str:
    return f'"{_short(target)}"' if isinstance(target, str) else " > ".join(target) or "the beginning"


def _short(text: str) -> str:
    return text if len(text) <= _MOST else text[: _MOST - 1] + "…"
