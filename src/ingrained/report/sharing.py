"""What was handed to colleagues and held back, and what came from them: the published shape, and as text."""

from __future__ import annotations

from typing import Literal

from ingrained.ids import RuleId
from ingrained.learn.share import Exported, Taken
from ingrained.skill.guard import REVIEWABLE
from ingrained.skill.rule import Frozen
from ingrained.wording import plural


class Other(Frozen):
    """A rule that is known here."""

    rule: RuleId
    text: str
    people: tuple[str, ...]


class ImportedRule(Frozen):
    """What became of one rule of the file."""

    rule: RuleId
    text: str
    outcome: Literal["new", "same", "refused", "conflict"]
    """`new` and `conflict` are proposed. `same`: you have it. `refused`: you refused one that says the same."""
    people: int
    """How many said it, by the file."""
    sessions: int
    held: str
    """Why it needs an explicit yes, or empty."""
    others: tuple[Other, ...]
    """The rules that say the same, or the opposite."""


class NotTaken(Frozen):
    """A rule of the file that was not taken."""

    place: int
    """1-based, in the file's list."""
    text: str
    why: str


class ImportShape(Frozen):
    """`import --json`."""

    version: int = 1
    source: str
    kept: bool
    """Whether it was written down; else it was only looked at."""
    rules: tuple[ImportedRule, ...]
    refused: tuple[NotTaken, ...]


def import_shape(taken: Taken) -> ImportShape:
    """What `import` answers."""
    known = {rule.id: rule for rule in taken.view.rules}
    rules = [
        ImportedRule(
            rule=one.rule,
            text=one.shared.text,
            outcome=one.what,
            people=one.shared.people,
            sessions=one.shared.sessions,
            held=known[one.rule].held if one.rule in known else "",
            others=tuple(
                Other(rule=other, text=known[other].text, people=known[other].people)
                for other in one.others
                if other in known
            ),
        )
        for one in taken.placed
    ]
    refused = [NotTaken(place=one.place, text=one.text, why=one.why) for one in taken.refused]
    return ImportShape(source=taken.name, kept=taken.kept, rules=tuple(rules), refused=tuple(refused))


def import_text(shape: ImportShape, *, home: str = "") -> str:
    """The answer of `import`: what is new, what contradicts whom, and what was not taken."""
    counts = {name: sum(one.outcome == name for one in shape.rules) for name in ("new", "conflict", "same", "refused")}
    lines = [
        f"{plural(len(shape.rules), 'rule')} from {shape.source}: {counts['new']} new, {counts['conflict']} against a "
        f"rule that is here, {counts['same']} known already, {counts['refused']} refused before."
    ]
    for one in shape.rules:
        if one.outcome in {"new", "conflict"}:
            lines.append(f"  {one.rule}  {one.text}")
            lines += [f"      held: {one.held}"] if one.held else []
        if one.outcome == "conflict":
            lines += [
                f"      contradicts {other.rule} ({', '.join(other.people)}): {other.text}" for other in one.others
            ]
    lines += [f"warning: rule {one.place} not taken: {one.why}: “{one.text}”" for one in shape.refused]
    if not shape.kept:
        return "\n".join([*lines, "Nothing was written."])
    if counts["new"] + counts["conflict"]:
        lines.append(f"Nothing of yours changed. Next: ingrained review{home}")
    return "\n".join(lines)


def held_lines(exported: Exported) -> list[str]:
    """What is held back and why, for the person alone: these lines say what must not go out."""
    lines = [f"held: {one.rule.id} “{one.rule.text}”: {'; '.join(one.why)}" for one in exported.held]
    settled = sorted(
        {
            words
            for one in exported.held
            for kind, _, words in (why.partition(": ") for why in one.why)
            if kind == "word"
        }
    )
    if any(why.partition(":")[0] in REVIEWABLE for one in exported.held for why in one.why):
        example = f"--allow {settled[0]}" if settled else f"--allow {exported.held[0].rule.id}"
        lines.append(f"Look at each; what may go out: {example} (a word, or the id of a rule; again for each).")
    lines += _unmatched_lines(exported)
    if not exported.shared.rules and not exported.held and not exported.waiting:
        lines.append("No rule of this project, and none that holds everywhere: ingrained rules shows what there is.")
    if exported.waiting:
        lines.append(f"{plural(exported.waiting, 'more rule')} not sure enough yet: ingrained review")
    return lines


def _unmatched_lines(exported: Exported) -> list[str]:
    kept = {why.partition(": ")[2].casefold() for one in exported.held for why in one.why}
    return [
        f"warning: --allow {word!r} changes nothing: "
        + ("it must stay here, reword the rule" if word.casefold() in kept else "no rule is held for it or has that id")
        for word in exported.unmatched
    ]
