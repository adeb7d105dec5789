"""From which similarity on a rule covers a turn: chosen on labelled people, never on the one who is measured.

The labels say which turns of a person state the same rule. A turn that states one, against that rule's other turns, is
a pair that must count as covered; any other turn of that person against them is one that must not. The similarity with
the best F1 over such pairs of all people but one is that one's threshold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ingrained.bench.cover import Covering, Likeness, Saying, atom_saying
from ingrained.bench.feedback import JudgeOf, Label, LabelRule, load, read_sessions, records, turn_of
from ingrained.bench.history import judged
from ingrained.bench.people import canonical
from ingrained.errors import ConfigError
from ingrained.session.session import Turn
from ingrained.skill.rule import Said
from ingrained.stats import Agreement, agreement

Place = tuple[str, int]
"""Session and line of a labelled turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A turn against the other turns of a labelled rule."""

    person: str
    similarity: float
    same: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What is known of one labelled turn."""

    person: str
    place: Place
    text: str
    said: tuple[Saying, ...]
    """Its feedback, as the decomposer sees it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """Labelled turns and rules, ready to choose on."""

    turns: tuple[_Known, ...]
    rules: tuple[LabelRule, ...]
    likeness: Likeness

    @property
    def people(self) -> tuple[str, ...]:
        """Everybody with a rule of two turns at least that can be compared."""
        return tuple(sorted({canonical(rule.developer) for rule in self.rules}))

    def threshold(self, without: str) -> float:
        """The similarity with the best F1 on everybody but one; the strictest of several that are equally good.

        Raises:
            ConfigError: nobody else has labelled turns that say a rule again.
        """
        pairs = self.pairs([person for person in self.people if person != without])
        levels = sorted({pair.similarity for pair in pairs if pair.same and pair.similarity > 0}, reverse=True)
        if not levels:
            raise ConfigError(
                f"the labels hold no rule with two turns of anybody but {without!r} to choose a threshold on",
                hint="name other labels with --labels, or a similarity with --threshold",
            )
        return max(levels, key=lambda level: (judge(pairs, level).f1, level))

    def held_out(self) -> Agreement:
        """How well each labelled person's pairs are told apart at the threshold that the others gave."""
        said: list[bool] = []
        true: list[bool] = []
        for person in self.people:
            level = self.threshold(person)
            pairs = self.pairs([person])
            said += [pair.similarity >= level for pair in pairs]
            true += [pair.same for pair in pairs]
        return agreement(said, true)

    def pairs(self, people: Sequence[str]) -> list[Pair]:
        """Every turn of these people against every rule of the same person, but for its own turn."""
        turns = [turn for turn in self.turns if turn.person in people]
        covering = self.likeness.fitted([turn.text for turn in turns])
        found: list[Pair] = []
        for rule in self.rules:
            own = [turn for turn in turns if turn.person == canonical(rule.developer) and turn.said]
            found += _against(rule, own, covering)
        return found


def _against(rule: LabelRule, own: Sequence[_Known], covering: Covering) -> list[Pair]:
    """Turns of one person against one rule of theirs; each supporting turn against the others."""
    support = {(turn.session, turn.line) for turn in rule.support}
    stated = [turn for turn in own if turn.place in support]
    found: list[Pair] = []
    for left_out in (*stated, None):
        rest = tuple(saying for turn in stated if turn is not left_out for saying in turn.said)
        turns = [left_out] if left_out else [turn for turn in own if turn.place not in support]
        if not rest:
            continue
        near = covering([rest], [saying for turn in turns for saying in turn.said])[0]
        begin = 0
        for turn in turns:
            end = begin + len(turn.said)
            level = round(float(near[begin:end].max()), 4)
            found.append(Pair(person=turn.person, similarity=level, same=left_out is not None))
            begin = end
    return found


def judge(pairs: Sequence[Pair], level: float) -> Agreement:
    """The pairs at one threshold."""
    return agreement([pair.similarity >= level for pair in pairs], [pair.same for pair in pairs])


def read_labels(labels: Path, root: Path, judge_of: JudgeOf, likeness: Likeness) -> Labelled:
    """Labelled turns with what the decomposer finds in them. Cost: one decomposition a turn.

    Args:
        labels: the labelled turns; `rules.jsonl` beside them holds the rules.
        root: folder that the labels' session paths start in.
        judge_of: whose atoms are compared, by repository.
        likeness: what the threshold is for.

    Raises:
        ConfigError: the labels or the rules cannot be read.
    """
    marked = load(labels)
    rules = records(labels.parent / "rules.jsonl", LabelRule)
    sessions = read_sessions(root, [label.session for label in marked])
    turns = [turn_of(label, sessions.at(label)) for label in marked]
    atoms = judged(judge_of, [(label.repository, turn) for label, turn in zip(marked, turns, strict=True)])
    known = (
        _known(label, turn, [atom_saying(a, _act(turn)) for a in atoms[turn.key] if a.feedback])
        for label, turn in zip(marked, turns, strict=True)
    )
    return Labelled(turns=tuple(known), rules=tuple(rules), likeness=likeness)


def _known(label: Label, turn: Turn, said: Sequence[Saying]) -> _Known:
    return _Known(person=canonical(label.person), place=(label.session, label.line), text=turn.text, said=tuple(said))


def _act(turn: Turn) -> Said:
    return Said(tool=turn.act.tool, input=turn.act.input, said=turn.act.said)
