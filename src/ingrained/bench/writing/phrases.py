"""Feedback in words without a model: each revision target becomes a sentence from a shared stock of forms.

SkillGrain, eq. 5, as templates. The decision to know: the form says nothing of τ. Preferences and one-offs take the
same openers and forms, a sentence each, in an order drawn by the seed; only the head tells them apart, and
that is what a reader has to understand. The stock lies in `phrases.toml`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from random import Random
from typing import Literal, TypeAlias

from ingrained.ids import content_hash
from ingrained.verify.target import Target
from ingrained.verify.unseen import UnseenPreference, Wanted

Wish: TypeAlias = Target | Wanted
"""What a sentence of feedback asks for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """The stock."""

    openers: tuple[str, ...]
    more: tuple[str, ...]
    less: tuple[str, ...]
    heads: Mapping[str, tuple[str, ...]]
    """By feature of expression, else by dimension; a term goes into `{}`."""
    unseen: Mapping[Literal[-1, 1], Mapping[UnseenPreference, tuple[str, ...]]]
    """Of the preferences of section 5.6, by the direction in which they can be asked for."""

    def said(self, wish: Wish) -> tuple[str, ...]:
        """The heads that a wish may have, without a gap."""
        if isinstance(wish, Wanted):
            return self.unseen[wish.sign][wish.preference]
        return tuple(one.replace("{}", wish.term) for one in self.heads[wish.feature or wish.dimension])

    def forms(self, sign: int) -> tuple[str, ...]:
        """Those that ask for more (1) or for less (-1)."""
        return self.more if sign > 0 else self.less


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A wish in words."""

    target: Wish
    opener: str
    form: str
    head: str
    """With its term: the content."""

    @property
    def text(self) -> str:
        """The sentence."""
        said = self.form.replace("{}", self.head)
        if self.opener and not said.startswith(("I ", "I'")):
            said = said[0].lower() + said[1:]
        return self.opener + said

    @property
    def masked(self) -> str:
        """The sentence with a gap for its content: what a reader sees of the form alone."""
        return self.opener + self.form.replace("{}", "_")


@cache
def stock() -> Phrases:
    """The phrases that come with the package."""
    read = tomllib.loads(files("ingrained.bench.writing").joinpath("phrases.toml").read_text(encoding="utf-8"))
    return Phrases(
        openers=tuple(read["openers"]),
        more=tuple(read["forms"]["more"]),
        less=tuple(read["forms"]["less"]),
        heads={name: tuple(heads) for name, heads in read["heads"].items()},
        unseen={
            sign: {name: tuple(heads) for name, heads in read["unseen"][way].items()}
            for sign, way in ((1, "more"), (-1, "less"))
        },
    )


def sentences(targets: Sequence[Wish], *, seed: int, phrases: Phrases | None = None) -> tuple[Sentence, ...]:
    """A sentence a target, no form twice while there are others, in an order that the seed draws.

    The same targets and seed give the same sentences.
    """
    known = phrases or stock()
    random = Random(content_hash([seed, *map(_told, targets)]))  # noqa: S311 - drawn to be repeated
    drawn: dict[Literal[-1, 1], list[str]] = {}
    said: list[Sentence] = []
    for target in random.sample(list(targets), len(targets)):
        sign: Literal[-1, 1] = 1 if target.sign > 0 else -1
        if not drawn.get(sign):
            drawn[sign] = random.sample(known.forms(sign), len(known.forms(sign)))
        head = random.choice(known.said(target))
        said.append(
            Sentence(
                target=target,
                opener=random.choice(known.openers) if said else "",
                form=drawn[sign].pop(),
                head=head,
            )
        )
    return tuple(said)


def _told(target: Wish) -> list[str]:
    if isinstance(target, Wanted):
        return [target.preference, str(target.sign)]
    return [target.dimension, target.direction, target.feature or "", target.term]


def feedback(targets: Sequence[Wish], *, seed: int, phrases: Phrases | None = None) -> str:
    """f_t as a paragraph; empty without targets, where the person has nothing to say."""
    return " ".join(one.text for one in sentences(targets, seed=seed, phrases=phrases))
