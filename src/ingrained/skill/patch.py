"""What an edit does to a living document, to the character: a value that can be applied, turned around and shown.

The gate decides on patches and a run directory stores them. A patch knows the text that it was made for and is refused
by any other, so an accepted edit cannot slip into a document that was changed meanwhile.
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Literal, TypeVar

from pydantic import Field, ValidationError

from ingrained.errors import EditError
from ingrained.skill.lines import cut_lines
from ingrained.skill.living import Living, LivingRule
from ingrained.skill.rule import Frozen

T = TypeVar("T")


class TextSplice(Frozen):
    """A stretch of the text that becomes another."""

    at: int = Field(ge=0)
    """Characters before it, in the text before."""
    was: str
    now: str


class RuleSplice(Frozen):
    """A stretch of the rules that becomes another."""

    at: int = Field(ge=0)
    """Rules before it, in the document before."""
    was: tuple[LivingRule, ...]
    now: tuple[LivingRule, ...]


class Patch(Frozen):
    """All that changes. Splices are in order and do not overlap; none: nothing changes."""

    version: Literal[1] = 1
    before: str
    """Hash of the text before."""
    after: str
    """Hash of the text after."""
    tokens_before: int
    """Of the whole text before (≈)."""
    tokens_after: int
    text: tuple[TextSplice, ...] = ()
    rules: tuple[RuleSplice, ...] = ()

    @property
    def shortens(self) -> bool:
        """Whether the document has fewer tokens after."""
        return self.tokens_after < self.tokens_before


def made(living: Living, text: Sequence[TextSplice], rules: Sequence[RuleSplice]) -> Patch:
    """The patch of these splices, which are in order.

    Raises:
        EditError: they do not fit the document, or its rules would not be those of its text any more.
    """
    after = _with(living, text, rules)
    return Patch(
        before=living.hash,
        after=after.hash,
        tokens_before=living.tokens,
        tokens_after=after.tokens,
        text=tuple(text),
        rules=tuple(rules),
    )


def patched(living: Living, patch: Patch) -> Living:
    """The document after a patch. `patched(patched(d, p), inverse(p)) == d`, to the byte.

    Raises:
        EditError: the patch was made for another text, or for other rules beside it.
    """
    if living.hash != patch.before:
        raise EditError(
            f"the patch was made for the text {patch.before}, this one is {living.hash}",
            hint="make the edit again for the document as it is now",
        )
    return _with(living, patch.text, patch.rules)


def inverse(patch: Patch) -> Patch:
    """The patch that takes this one back. `inverse(inverse(p)) == p`."""
    text: list[TextSplice] = []
    rules: list[RuleSplice] = []
    shift = 0
    for one in patch.text:
        text.append(TextSplice(at=one.at + shift, was=one.now, now=one.was))
        shift += len(one.now) - len(one.was)
    shift = 0
    for entry in patch.rules:
        rules.append(RuleSplice(at=entry.at + shift, was=entry.now, now=entry.was))
        shift += len(entry.now) - len(entry.was)
    return Patch(
        before=patch.after,
        after=patch.before,
        tokens_before=patch.tokens_after,
        tokens_after=patch.tokens_before,
        text=tuple(text),
        rules=tuple(rules),
    )


def unified(before: str, after: str, *, old: str = "SKILL.md", new: str = "SKILL.md") -> str:
    """The difference of two texts as a unified diff, which `patch` takes; empty where they are equal.

    Lines are cut at line feeds only, as the file is: other separators stay in their line.
    """
    found = difflib.unified_diff(cut_lines(before), cut_lines(after), fromfile=old, tofile=new)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in found)


def spliced(whole: Sequence[T], splices: Sequence[tuple[int, Sequence[T], Sequence[T]]]) -> list[T]:
    """A text or tuple with stretches of it changed, one by one.

    Args:
        whole: before.
        splices: place, what stands there, what comes there; in order, none within another.

    Raises:
        EditError: something else stands there.
    """
    changed: list[T] = []
    at = 0
    for place, was, now in splices:
        if place < at or whole[place : place + len(was)] != was:
            raise EditError(f"the patch does not fit: {was!r} is not at {place}")
        changed += [*whole[at:place], *now]
        at = place + len(was)
    return changed + list(whole[at:])


def _with(living: Living, text: Sequence[TextSplice], rules: Sequence[RuleSplice]) -> Living:
    after = "".join(spliced(living.text, [(one.at, one.was, one.now) for one in text]))
    entries = spliced(living.rules, [(one.at, one.was, one.now) for one in rules])
    try:
        return Living(text=after, rules=tuple(entries))
    except ValidationError as error:
        raise EditError(f"the patch does not fit: {error.errors()[0]['msg']}") from error
