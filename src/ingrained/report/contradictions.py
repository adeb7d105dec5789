"""Rules that contradict each other, as text: both sides in their words, and which of them stands."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

from ingrained.learn.drafts import draftable
from ingrained.report.shapes import Against
from ingrained.skill.rule import Rule


def contradictions_text(rules: Sequence[Rule], *, width: int, home: str = "", known: Iterable[str] = ()) -> list[str]:
    """The lines under a heading, two or more a pair; nothing where no two rules contradict each other.

    Args:
        rules: all of them, strongest first; what was refused or taken back contradicts nothing.
        width: columns of the page.
        home: put into the command that it suggests.
        known: pairs, as `pairs` gives them, that are not to be told again.
    """
    told = set(known)
    found = [(one, other) for one, other in _pairs(rules) if _told(one, other) not in told]
    lines = ["", "What contradicts each other:"] if found else []
    for one, other in found:
        lines += _wrapped(f"{one.id} “{one.text}”", width, "  ", "    ")
        lines += _wrapped(f"against {other.id} “{other.text}”", width, "    ", "      ")
        lines += _wrapped(_stands(one, other, home), width, "    ", "      ")
    return lines


def pairs(rules: Sequence[Rule]) -> set[str]:
    """The pairs of rules that contradict each other and what stands of each, to compare two moments."""
    return {_told(one, other) for one, other in _pairs(rules)}


def against_text(against: Sequence[Against], width: int) -> list[str]:
    """The rules that say the opposite of one."""
    lines: list[str] = []
    for one in against:
        said = f"{one.rule} “{one.text}” ({one.status}, said by {', '.join(one.people)})"
        lines += _wrapped(f"contradicts {said}", width, "  ", "    ")
    return lines


def _pairs(rules: Sequence[Rule]) -> Iterator[tuple[Rule, Rule]]:
    by_id = {rule.id: rule for rule in rules if rule.status != "refused" and rule.level != "retired"}
    seen: set[frozenset[str]] = set()
    for rule in by_id.values():
        for other in rule.conflicts_with:
            pair = frozenset([rule.id, other])
            if other in by_id and pair not in seen and not _third(rule, by_id[other]):
                seen.add(pair)
                yield rule, by_id[other]


def _third(one: Rule, other: Rule) -> bool:
    """Whether one of the two gave way to another rule, and so contradicts nothing any more."""
    return any(
        earlier.status == "superseded" and earlier.id not in later.supersedes
        for earlier, later in ((one, other), (other, one))
    )


def _told(one: Rule, other: Rule) -> str:
    return " ".join(sorted(f"{rule.id}:{rule.status}" for rule in (one, other)))


def _stands(one: Rule, other: Rule, home: str) -> str:
    for later, earlier in ((one, other), (other, one)):
        if earlier.status == "superseded" and earlier.id in later.supersedes:
            return f"you accepted both: {later.id} came last and stands; {earlier.id} is kept and goes into no draft"
    waiting = [rule.id for rule in (one, other) if rule.status == "proposed" and draftable(rule)]
    if not waiting:
        return "both stand: they do not hold under the same conditions"
    verb = "waits" if len(waiting) == 1 else "wait"
    return f"{' and '.join(waiting)} {verb} for your word: ingrained review{home}"


def _wrapped(text: str, width: int, first: str, rest: str) -> list[str]:
    return wrap(text, width, initial_indent=first, subsequent_indent=rest)
