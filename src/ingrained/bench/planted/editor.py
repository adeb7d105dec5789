"""A simulated editor: it reads what the evidence mentions and what the skill holds, and proposes edits by lot.

The decision to know: it knows words and not what they do. So it proposes what helps and what hurts alike, as an editor
does whose evidence mentions both, and whatever becomes of a skill is the doing of those who decide on its edits.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final, Literal, TypeAlias, get_args

from ingrained.bench.planted.effects import JOINT
from ingrained.bench.planted.world import SECTION, lots
from ingrained.gate.candidate import Candidate
from ingrained.ids import canonical_json
from ingrained.learn.editor import GROUP, Proposed, Rejected
from ingrained.learn.units import Unit
from ingrained.skill.edit import Create, Edit, Merge, Noop, Prune, Update
from ingrained.skill.living import Living

Op: TypeAlias = Literal["create", "update", "merge", "prune", "noop", "astray"]
"""What a sample may be; `astray` names a rule that is not there."""
OPS: Final[tuple[Op, ...]] = get_args(Op)
GROWING: Final[tuple[Op, ...]] = ("create", "update", "noop", "astray")
"""Without the two that make a skill shorter."""
WEIGHTS: Final[Mapping[Op, int]] = {"create": 8, "update": 3, "merge": 3, "prune": 4, "noop": 1, "astray": 1}
"""How often each is drawn, where there is one of it to propose."""
NOWHERE: Final = "r-nowhere"


class LotEditor:
    """Proposes what can be proposed, at random."""

    def __init__(
        self,
        alike: Mapping[tuple[str, str], str],
        *,
        seed: int,
        ops: Collection[Op] = OPS,
        group: int = GROUP,
    ) -> None:
        """Has proposed nothing yet.

        Args:
            alike: rules that read alike, each two with a line that says both.
            seed: of the draws.
            ops: what it may propose.
            group: samples a question.
        """
        self._alike = alike
        self._seed = seed
        self._ops = [op for op in OPS if op in ops]
        self._group = group
        self._asked = 0

    async def propose(self, living: Living, unit: Unit, rejected: Rejected | None = None) -> Proposed:
        """A group of edits, as `learn.editor.Editor` gives it; none of those that were rejected."""
        edits = self._drawn(living, unit, rejected or Rejected.none(), self._group)
        found: dict[Edit, Candidate] = {}
        by_text: dict[str, Candidate] = {}
        samples: list[str] = []
        for nth, edit in enumerate(edits, start=1):
            if edit not in found:
                one = Candidate.of(f"e{nth}", living, edit)
                found[edit] = one if one.invalid else by_text.setdefault(one.after.text if one.after else "", one)
            samples.append(found[edit].name)
        return Proposed(
            candidates=tuple({one.name: one for one in found.values()}.values()),
            samples=tuple(samples),
            answers=tuple(canonical_json(edit.model_dump(mode="json")) for edit in edits),
            missing=(),
        )

    def one(self, living: Living, unit: Unit) -> Edit:
        """A single edit, for whoever takes one at a time and remembers none."""
        return self._drawn(living, unit, Rejected.none(), 1)[0]

    def _drawn(self, living: Living, unit: Unit, rejected: Rejected, many: int) -> list[Edit]:
        """Samples of what can be proposed: first of what kind, then which; a noop where there is nothing."""
        self._asked += 1
        random = lots("edits", self._seed, self._asked, living.text, unit.evidence)
        possible = {
            op: edits
            for op in self._ops
            if (edits := [edit for edit in self._possible(op, living, unit) if not rejected.why(edit)])
        }
        kinds = random.choices(list(possible), [WEIGHTS[op] for op in possible], k=many) if possible else []
        return [random.choice(possible[op]) for op in kinds] or [Noop()] * many

    def _possible(self, op: Op, living: Living, unit: Unit) -> list[Edit]:
        match op:
            case "create":
                return [
                    Create(target=(SECTION,), text=text, evidence=unit.evidence) for text in self._new(living, unit)
                ]
            case "update":
                return [
                    Update(target=rule.id, text=text, evidence=unit.evidence)
                    for rule in living.rules
                    for text in self._new(living, unit)
                ]
            case "merge":
                ids = {rule.words: rule.id for rule in living.rules}
                return [
                    Merge(targets=(ids[one], ids[other]), text=both, evidence=unit.evidence)
                    for (one, other), both in self._alike.items()
                    if one in ids and other in ids
                ]
            case "prune":
                return [Prune(target=rule.id) for rule in living.rules]
            case "noop":
                return [Noop()]
            case "astray":
                return [Prune(target=NOWHERE)]

    def _new(self, living: Living, unit: Unit) -> list[str]:
        """What the evidence mentions and no line says yet."""
        said = {part for rule in living.rules for part in rule.words.split(JOINT)}
        for pair, both in self._alike.items():
            if both in said:
                said.update(pair)
        return [text for text in unit.parts if text not in said]
