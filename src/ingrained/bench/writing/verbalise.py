"""Feedback in words by a model: the targets as plain notes, rewritten as one paragraph.

SkillGrain, eq. 5 and Figure 9: a fixed model that only rewrites, so that the targets stay what they are. An answer is
taken where it keeps to the notes: it names every term, is not too long, and is no list; else it is `Unsaid` with the
reason, and the caller has the template (`phrases.feedback`). The notes go in as data between delimiters made from them.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TypeAlias

from jinja2 import Environment, StrictUndefined

from ingrained.bench.writing.phrases import Wish, stock
from ingrained.ids import content_hash
from ingrained.verify.terms import names
from ingrained.verify.unseen import Wanted
from ingrained.verify.words import words

MOST_WORDS = 80
Ask: TypeAlias = Callable[[str], Awaitable[str]]
"""A prompt in, the model's answer out: one call."""
_LISTED = re.compile(r"^\s*(?:[-*#]|\d+[.)])\s", re.MULTILINE)
_TOPICS = {
    "length": "text",
    "first_person": "first person",
    "contractions": "contractions",
    "exclamation_marks": "exclamation marks",
    "question_marks": "question marks",
    "parentheses": "remarks in parentheses",
    "all_caps": "words in capitals",
    "sentence_length": "words in each sentence",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A paragraph of feedback and the prompt that it was asked for with."""

    text: str
    prompt: str
    """Hash of the template."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsaid:
    """An answer that does not keep to the notes, and why."""

    reason: str
    answer: str


def note(wish: Wish) -> str:
    """A wish as a plain note, in one form for all."""
    verb = "have more" if wish.sign > 0 else "have less"
    if isinstance(wish, Wanted):
        return f"{verb} of {stock().said(wish)[0]}"
    return f"{verb} of {wish.term or _TOPICS[wish.feature or wish.dimension]}"


@cache
def template() -> str:
    """The text of the prompt before it is filled."""
    return files("ingrained.bench.writing").joinpath("prompts", "verbalise.md").read_text(encoding="utf-8")


def prompt(targets: Sequence[Wish]) -> str:
    """The prompt for these targets."""
    notes = [note(one) for one in targets]
    made = Environment(undefined=StrictUndefined, autoescape=False).from_string(template())  # noqa: S701 - no HTML
    return made.render(notes=notes, most_words=MOST_WORDS, fence=f"notes-{content_hash(notes)[-12:]}")


async def verbalise(targets: Sequence[Wish], ask: Ask) -> Said | Unsaid:
    """f_t by a model. Cost: one call, none without targets.

    Args:
        targets: V_t.
        ask: the model; what it raises is the caller's.
    """
    if not targets:
        return Said(text="", prompt=content_hash(template()))
    answer = (await ask(prompt(targets))).strip()
    trouble = _trouble(answer, targets)
    return Unsaid(reason=trouble, answer=answer) if trouble else Said(text=answer, prompt=content_hash(template()))


def _trouble(answer: str, targets: Sequence[Wish]) -> str:
    if not words(answer):
        return "no words"
    if len(words(answer)) > MOST_WORDS + MOST_WORDS // 4:
        return f"more than {MOST_WORDS} words"
    if _LISTED.search(answer):
        return "a list or a heading"
    terms = [one.term for one in targets if not isinstance(one, Wanted) and one.term]
    lost = [term for term in terms if not names(answer, term)]
    return f"terms of the notes are missing: {', '.join(lost)}" if lost else ""
