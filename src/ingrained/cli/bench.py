"""`ingrained bench`: measurements on labelled data and on histories."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from ingrained.cli.asked import EVERYWHERE, Steps, Where, roots
from ingrained.cli.output import DEFAULTS, Json, Shared, emit
from ingrained.feedback.decompose import DEFAULT_DECOMPOSER

if TYPE_CHECKING:
    from ingrained.bench.feedback import JudgeOf


def feedback(
    *,
    labels: Annotated[Path, Parameter(help="The labelled turns, JSON lines.")],
    root: Annotated[Path | None, Parameter(help="Folder of the sessions; that of the labels by default.")] = None,
    decomposer: Annotated[str, Parameter(help="Whose judgement.")] = DEFAULT_DECOMPOSER,
    left_out: Annotated[
        Path | None, Parameter(help="Folder of trained decomposers, for each repository one that saw none of it.")
    ] = None,
    seed: Annotated[int, Parameter(help="Of the resampling.")] = 0,
    json: Json = False,
    options: Shared = DEFAULTS,  # noqa: ARG001 - every command takes these
) -> int:
    """Measure how well feedback and transferable rules are found in labelled turns."""
    from ingrained.bench.feedback import measure
    from ingrained.report.bench import feedback_text

    result = measure(labels, root or labels.parent, _judges(decomposer, left_out), seed=seed)
    emit(result, json=json, renderer=feedback_text)
    return 0


def splits(
    *,
    turns: Annotated[Path, Parameter(help="Turns with the places of their atoms, JSON lines.")],
    decomposer: Annotated[str, Parameter(help="Whose judgement.")] = DEFAULT_DECOMPOSER,
    json: Json = False,
    options: Shared = DEFAULTS,  # noqa: ARG001 - every command takes these
) -> int:
    """Measure how well turns with several things in them are cut, and each atom judged."""
    from ingrained.bench.splits import measure
    from ingrained.learn.view import load_decomposer
    from ingrained.report.bench import splits_text

    emit(measure(turns, load_decomposer(decomposer)), json=json, renderer=splits_text)
    return 0


def pairs(
    *,
    pairs: Annotated[Path, Parameter(help="Pairs of quotes, JSON lines.")],
    seed: Annotated[int, Parameter(help="Of the resampling.")] = 0,
    json: Json = False,
    options: Shared = DEFAULTS,  # noqa: ARG001 - every command takes these
) -> int:
    """Measure whether two quotes are rightly taken for one rule or for two."""
    from ingrained.bench.pairs import measure
    from ingrained.report.bench import pairs_text

    emit(measure(pairs, seed=seed), json=json, renderer=pairs_text)
    return 0


def align(
    *,
    pairs: Annotated[Path, Parameter(help="Pairs of an atom and a revision target, JSON lines.")],
    json: Json = False,
    options: Shared = DEFAULTS,  # noqa: ARG001 - every command takes these
) -> int:
    """Measure whether a rule is rightly taken to ask for what a draft was told to change."""
    from ingrained.bench.align import measure
    from ingrained.report.bench import align_text

    emit(measure(pairs), json=json, renderer=align_text)
    return 0


def foresee(
    *paths: Annotated[Path, Parameter(help="Logs; each folder that holds some is one person's.")],
    where: Annotated[Where, Parameter(name="*")] = EVERYWHERE,
    labels: Annotated[
        Path | None, Parameter(help="Labelled turns, to choose each person's threshold on the others.")
    ] = None,
    root: Annotated[Path | None, Parameter(help="Folder of the labelled sessions; that of the labels by default.")] = (
        None
    ),
    threshold: Annotated[float | None, Parameter(help="Similarity from which a rule covers a turn, instead.")] = None,
    cut: Annotated[
        tuple[float, ...],
        Parameter(help="Share of the sessions to learn from, several times; 0.5, 0.6, 0.7 and 0.8 by default."),
    ] = (),
    budget: Annotated[int, Parameter(help="Tokens of each skill.")] = 500,
    tentative: Annotated[bool, Parameter(help="Also rules that were said in one session only.")] = False,
    least: Annotated[int, Parameter(help="Sessions that a person must have.")] = 5,
    decomposer: Annotated[
        str, Parameter(help="Whose judgement; the trained one may have been trained on the same people.")
    ] = DEFAULT_DECOMPOSER,
    left_out: Annotated[
        Path | None, Parameter(help="Folder of trained decomposers, for each repository one that saw none of it.")
    ] = None,
    seed: Annotated[int, Parameter(help="Of the resampling.")] = 0,
    json: Json = False,
    options: Shared = DEFAULTS,
) -> int:
    """Measure whether rules from earlier sessions cover what people say in later ones."""
    from ingrained.bench.foresee import CUTS, Plan
    from ingrained.bench.foresight import Ask, foresight
    from ingrained.report.foresee import foresee_text

    plan = Plan(cuts=cut or CUTS, budget=budget, tentative=tentative, least=least)
    ask = Ask(roots=roots(paths, where), labels=labels, root=root, threshold=threshold, plan=plan, seed=seed)
    judge_of = _judges(decomposer, left_out)
    with Steps(options) as steps:
        result = foresight(ask, judge_of, say=steps)
    emit(result, json=json, renderer=foresee_text)
    return 0


def _judges(decomposer: str, left_out: Path | None) -> JudgeOf:
    """One decomposer for all, or for each repository one that saw none of it."""
    from ingrained.learn.view import load_decomposer

    if left_out:
        from ingrained.feedback.trained import left_out_in

        return left_out_in(left_out)
    judge = load_decomposer(decomposer)
    return lambda _: judge
