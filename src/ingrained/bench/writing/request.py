"""Requests without a model: a sentence that asks for the text, and a sheet of facts.

The paper has a model write its queries. Here a request holds facts alone, so that it is the same for everybody and
gives the author's wording away nowhere: what is taken from the text itself are single words in the order of the
alphabet. `overlap` measures what would still be given away.
"""

from __future__ import annotations

from ingrained.bench.writing.document import Document, Task
from ingrained.verify.leakage import stretches
from ingrained.verify.prose import prose

RUN = 4
"""Words in a row that are somebody's wording."""


def fact_sheet(task: Task, document: Document) -> str:
    """x_t: what is asked, then a line a fact."""
    lines = [f"{one.name}: {_listed(one.values, one.own_words)}" for one in document.facts]
    return "\n".join([task.asks, *lines])


def _listed(values: tuple[str, ...], own_words: bool) -> str:
    return ", ".join(sorted(values, key=str.casefold) if own_words else values)


def overlap(request: str, text: str) -> float:
    """The share of the runs of `RUN` words of a text's prose that stand in the request, in [0, 1]; 0 without any.

    Addresses and code are no wording: a request may have to name them.
    """
    said = stretches(prose(text), {RUN})
    asked = stretches(request, {RUN}) | stretches(prose(request), {RUN})
    return len(said & asked) / len(said) if said else 0.0
