"""`ingrained train`: train what comes with the package again, from the same turns."""

from __future__ import annotations

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
    seed: Annotated[int, Parameter(help="Of the training.")] = 0,
    threads: Annotated[int, Parameter(help="Cores to train on.")] = 2,
    only: Annotated[
        tuple[str, ...], Parameter(help="Leave out these repositories and stop there, to share work among processes.")
    ] = (),
    options: Shared = DEFAULTS,
) -> int:
    """Train the offline judge: one network for each left-out repository, then one on everything.

    What a figure is given on was never trained on: `bench feedback --left-out` measures each repository with the
    network in OUT/left-out that saw none of it. OUT/embed and OUT/feedback are what the package carries.
    """
    from ingrained.train.fit import Recipe
    from ingrained.train.offline import Sets, train

    recipe = Recipe(seed=seed, threads=threads)
    trained = train(Sets.under(data, own), base, out, recipe, lambda words: say(words, options), only=only)
    turns = ", ".join(f"{count} {source}" for source, count in sorted(trained.turns.items()))
    print(f"trained on {turns}; left out once each: {', '.join(trained.repositories)}")
    if trained.versions:
        print(f"encoder {trained.versions[0]} in {out / 'embed'}, heads {trained.versions[1]} in {out / 'feedback'}")
    return 0
