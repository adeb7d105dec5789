"""How often the gate may be wrong: for one edit, for a group of siblings, for a whole run.

Eight edits that do nothing, each tested at 5 %, let one through in up to 34 of 100 groups. Three rates can be stated;
`ingrained bench gate` has the A/A simulation of each:

- `edit`: each edit that does not help is accepted with probability at most α. Nothing is promised for its group.
- `group`: with probability at most α any edit of a group is accepted that does not help, however many do.
- `run`: the same for all groups of a run together, however long it is.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

Rate: TypeAlias = Literal["edit", "group", "run"]


def level(alpha: float, rate: Rate, *, siblings: int, step: int) -> float:
    """The α that one edit is tested at, so that the rate holds.

    - `edit`: α, by Ville's inequality (`gate.betting`) or the exactness of the fixed test.
    - `group`: α / siblings. By the union bound at most α, whatever the dependence: siblings may share their controls,
      be replayed in any order and stop at different times.
    - `run`: α / (siblings step (step + 1)). The shares 1 / (step (step + 1)) of the steps add up to 1 over infinitely
      many, so that the union bound gives at most α however long the run is. Assumed: what a step decides on was
      replayed for that step; then its error holds given everything before, even though earlier verdicts chose the skill
      and the edits. Answers kept from earlier steps break that, which is why a verdict counts them.

    Means of e-values (Vovk and Wang 2021, closed testing) would save pairs where several siblings help, but a verdict
    could then change with a sibling's later pairs, and a sibling's next bet must not be made when the shared control of
    its task is known already.

    Args:
        alpha: the rate that is promised, in (0, 1).
        rate: what it is promised for.
        siblings: edits of the group that are tested, settled before the first pair.
        step: which group of the run, from 1.
    """
    if rate == "edit":
        return alpha
    return alpha / siblings / (step * (step + 1) if rate == "run" else 1)
