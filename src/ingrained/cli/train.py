"""`ingrained train`: train what comes with the package again, from the same turns."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ingrained.cli.output import DEFAULTS, Shared, say


def offline(
    *,
    base: Annotated[Path, Parameter(help="Folder of the sentence encoder to start from (MiniLM-L6).")],
    data: Annotated[Path, Parameter(help="Folder of the labelled data sets: sessions, swe-together.")],
    own: Annotated[Path, Parameter(help="Folder of the turns written for training.")] = Path("training"),
    out: Annotated[Path, Parameter(help="Takes the weights; a run that was killed goes on there.")],
    teacher: Annotated[
        Path | None, Parameter(help="Folder of a larger encoder (MPNet), trained first to teach the small one.")
    ] = None,
    seed: Annotated[int, Parameter(help="Of the training.")] = 0,
    threads: Annotated[int, Parameter(help="Cores to train on.")] = 2,
    fold: Annotated[
        tuple[str, ...], Parameter(help="Repositories to leave out together, with commas between; default: each alone.")
    ] = (),
    left_out_only: Annotated[
        bool, Parameter(help="Stop before the network on everything, to share folds among processes.")
    ] = False,
    options: Shared = DEFAULTS,
) -> int:
    """Train the offline judge: one network for each left-out fold of repositories, then one on everything.

    What a figure is given on was never trained on: `bench feedback --left-out` measures each repository with the
    network in OUT/left-out that saw none of it. OUT/embed and OUT/feedback are what the package carries.
    """
    from ingrained.train.offline import Plan, Sets, train
    from ingrained.train.recipe import ALONE, TEACHER, Recipe

    how = {"seed": seed, "threads": threads}
    plan = Plan(
        base=base,
        out=out,
        recipe=replace(Recipe() if teacher else ALONE, **how),
        teacher=teacher,
        teaching=replace(TEACHER, **how),
        folds=tuple(tuple(names.split(",")) for names in fold),
        left_out_only=left_out_only,
    )
    trained = train(Sets.under(data, own), plan, lambda words: say(words, options))
    turns = ", ".join(f"{count} {source}" for source, count in sorted(trained.turns.items()))
    print(f"trained on {turns}; left out: {'; '.join(', '.join(names) for names in trained.folds)}")
    if trained.versions:
        print(f"encoder {trained.versions[0]} in {out / 'embed'}, heads {trained.versions[1]} in {out / 'feedback'}")
    return 0
