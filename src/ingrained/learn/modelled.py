"""A language model as the judge of typed turns: the decomposer of `learn --model` and of `model:REF` in benchmarks.

The Protocol is a plain function over a batch, the models are async: here they meet, with one event loop a batch, in
which the model is opened, asked about all turns at once (its slots decide how many) and closed; one meter stands over
all batches. A turn whose question was parked has no answer: it is told as open and asked again in the next run.

What turns hold no words of the person's own is not asked. Scope, relation and veto are read off the words by rules, as
for every decomposer; the model says which words make a demand, what it is in short, and whether it transfers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import anyio

from ingrained.errors import IngrainedError
from ingrained.feedback.compose import Verdict, clauses_of, compose
from ingrained.feedback.decompose import Atom
from ingrained.feedback.restate import polarity_of
from ingrained.feedback.scope import reach
from ingrained.feedback.transfer import is_explicit, kind_of, veto
from ingrained.feedback.words import Span, own_words
from ingrained.ids import MessageKey, content_hash
from ingrained.learn import grain
from ingrained.learn.grain import Decomposition, Grain, Interaction
from ingrained.learn.recorded import PREFIX
from ingrained.model.base import Request
from ingrained.model.limits import Caps, Meter
from ingrained.model.opened import OpenModel, opened
from ingrained.model.structured import Parked
from ingrained.session.session import Turn

TRANSFERS, STAYS = 0.9, 0.05
"""Confidence in [0, 1] given to an atom that the model calls transferable, and to any other; not calibrated."""
HABIT: Final = "the model calls it a habit"
"""The reason that speaks for an atom."""
REWORDED: Final = "put in other words"
"""The reason that marks an atom whose text is not the person's."""
_MOST_CHARACTERS: Final = 6_000
"""Of a turn's own words that are shown."""
_LONGEST_QUOTE: Final = 600

Agree = Callable[[OpenModel, Sequence[Request]], None]
"""Told what is about to be asked; raises where it is not to be."""


class ModelDecomposer:
    """Judges turns with the model of a reference. Not to be used inside a running event loop."""

    def __init__(
        self, reference: str, *, home: Path, caps: Caps | None = None, agree: Agree = lambda _model, _asked: None
    ) -> None:
        """Opens the model once to know it; asks nothing.

        Args:
            reference: `provider:name`.
            home: the home folder, for settings and stored answers.
            caps: what all batches together may spend.
            agree: called before the first question of a run, with all of them.

        Raises:
            ConfigError: no such model, or a cap that cannot be held.
            MissingExtraError: the provider's package is not installed.
        """
        self.name = f"{PREFIX}{reference}"
        self.meter = Meter(caps)
        self._reference = reference
        self._home = home
        self._agree = agree
        self._parked: dict[MessageKey, str] = {}
        facts = anyio.run(self._facts)
        self.version = f"{grain.version()}-{content_hash(facts, size=4).removeprefix('b2:')}"

    @property
    def parked(self) -> Mapping[MessageKey, str]:
        """The turns without an answer so far, with the reasons."""
        return self._parked

    def announce(self, turns: Sequence[Turn]) -> None:
        """Let the person refuse all questions about the turns.

        Raises:
            IngrainedError: they are not to be asked; nothing was sent.
        """
        anyio.run(self._announce, [_question(turn) for turn in turns if clauses_of(turn)])

    def decompose(self, turns: Sequence[Turn]) -> list[list[Atom]]:
        """The atoms of each turn; none also for one that is `parked` now. One or two calls a turn.

        Raises:
            UnseenRequestError: only stored answers are allowed, and there is none.
        """
        asked = [turn for turn in turns if clauses_of(turn)]
        found = dict(zip([turn.key for turn in asked], anyio.run(self._ask, asked) if asked else [], strict=True))
        answers: list[list[Atom]] = []
        for turn in turns:
            answer = found.get(turn.key)
            self._parked.pop(turn.key, None)
            if isinstance(answer, Parked):
                self._parked[turn.key] = answer.reason
            answers.append(atoms_of(turn, answer) if isinstance(answer, Decomposition) else [])
        return answers

    async def _facts(self) -> dict[str, object]:
        async with opened(self._reference, home=self._home, meter=self.meter, stored=False) as found:
            return {**found.model.facts.to_json()}

    async def _announce(self, contexts: Sequence[Interaction]) -> None:
        async with opened(self._reference, home=self._home, meter=self.meter) as found:
            self._agree(found, [grain.decompose_request(context) for context in contexts])

    async def _ask(self, turns: Sequence[Turn]) -> list[Decomposition | Parked]:
        answers: list[Decomposition | Parked | None] = [None] * len(turns)
        failed: list[IngrainedError] = []
        async with (
            opened(self._reference, home=self._home, meter=self.meter) as found,
            anyio.create_task_group() as group,
        ):

            async def one(place: int) -> None:
                try:
                    answers[place] = await grain.decompose(found.model, _question(turns[place]))
                except IngrainedError as error:  # the group would wrap it
                    failed.append(error)
                    group.cancel_scope.cancel()

            for place in range(len(turns)):
                group.start_soon(one, place)
        if failed:
            raise failed[0]
        return [answer for answer in answers if answer is not None]


def atoms_of(turn: Turn, found: Decomposition) -> list[Atom]:
    """What a decomposition says of a turn, as atoms with their quotes, in the order of those. Pure.

    What was set aside with a problem is no atom. Two atoms that cite the same words are cut apart, since an atom is
    known by where its quote starts; one for which no word is left is dropped.
    """
    made: dict[int, Atom] = {}
    for one in found.sound:
        span = _own_place(turn, one, made)
        if span is not None and len(span.text) <= _LONGEST_QUOTE:
            made[span.start] = atom_of(turn, one, span)
    return [made[start] for start in sorted(made)]


def atom_of(turn: Turn, one: Grain, span: Span) -> Atom:
    """One atom. Words that end with the task, and what takes a rule back, do not transfer whatever the model says.

    Where it holds is read off the whole clause, also where the model quoted only a part of it.
    """
    against = veto(span.text) if one.transferable else ""
    transferable = one.transferable and not against
    said = HABIT if one.transferable else "the model calls it a repair"
    reasons = (*((against,) if against else ()), said, *((REWORDED,) if one.rewritten else ()))
    verdict = Verdict(
        feedback=True,
        transferable=transferable,
        confidence=TRANSFERS if transferable else STAYS,
        kind=kind_of(span.text),
        explicit=is_explicit(span.text),
        reasons=reasons,
    )
    atom = compose(turn, span, verdict)
    scope = reach(grain.around(span, turn.text).text)
    atom = replace(
        atom,
        when=atom.when or scope.when,
        paths=atom.paths or scope.paths,
        expires=atom.expires or scope.expires,
        transferable=atom.transferable and not scope.expires,
    )
    if not one.rewritten:
        return atom
    text = one.content.removesuffix(".")
    return replace(atom, text=text, polarity=polarity_of(text))


def _own_place(turn: Turn, one: Grain, taken: Iterable[int]) -> Span | None:
    """The atom's words in what the person wrote themselves, from a word on at which no other atom starts."""
    if one.span is None:
        return None
    words = one.span.text
    found = (turn.text.find(words, own.start, own.end) for own in own_words(turn.text))
    begin = next((place for place in found if place >= 0), -1)
    if begin < 0:
        return None
    starts, end = set(taken), begin + len(words)
    while begin in starts:
        gap = next((i for i in range(begin, end) if turn.text[i].isspace()), end)
        begin = next((i for i in range(gap, end) if turn.text[i].isalnum()), end)
    return Span(start=begin, end=end, text=turn.text[begin:end]) if begin < end else None


def _question(turn: Turn) -> Interaction:
    """What is asked of a turn: about the words that are the person's own, not what they pasted."""
    shown = "\n".join(own.text for own in own_words(turn.text))[:_MOST_CHARACTERS]
    act = " ".join(part for part in (turn.act.tool, turn.act.input) if part)
    return Interaction(feedback=shown, request=act, draft=turn.act.said, typed=True)
