"""The editor: a language model that sees the skill and one unit of evidence and proposes a group of edits.

A group is several samples of one question, so that the edits can be compared on the same anchors (`gate.replay`) and an
editor can be trained on it. The decision to know: what the edits rest on is the unit that was shown, whatever keys the
model writes, and what was rejected once is not taken again. Which edit is applied, the gate has decided.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from ingrained.errors import ConfigError
from ingrained.gate.candidate import Candidate
from ingrained.gate.gaming import Hit
from ingrained.gate.verdict import GroupVerdict
from ingrained.ids import canonical_json, content_hash
from ingrained.learn.units import Unit
from ingrained.model.base import Model, Request, Sampling, Schema
from ingrained.model.prompt import Prompt
from ingrained.model.structured import Parked, ask_each
from ingrained.skill.apply import problem
from ingrained.skill.edit import MOST_EVIDENCE, Edit, Noop, Proposal, Prune
from ingrained.skill.living import Living, listed
from ingrained.skill.moves import moves_schema

EDIT: Final = Prompt.load("ingrained.learn", "edit")
OPS: Final = ("create", "update", "merge", "prune", "noop")
GROUP: Final = 8
"""Samples of one question, as in the paper."""
SAMPLING: Final = Sampling(temperature=1.0, top_p=0.95, max_tokens=800)
_SHOWN: Final = 20
"""Rejected edits that are shown, the latest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """Edits that are not to be proposed again, oldest first. A value."""

    reasons: Mapping[str, str]
    """By the hash of the edit without its evidence."""
    texts: tuple[str, ...] = ()
    """Each with its reason, for the editor to read."""

    @classmethod
    def none(cls) -> Rejected:
        """Nothing yet."""
        return cls(reasons={})

    def with_(self, edit: Edit, reason: str, *, shown: bool = True) -> Rejected:
        """The same with one more; an edit that is known stays as it is. A Noop is never rejected."""
        name = _bare_hash(edit)
        if isinstance(edit, Noop) or name in self.reasons:
            return self
        told = (f"{canonical_json(_bare(edit))}\n{reason}",) if shown else ()
        return replace(self, reasons={**self.reasons, name: reason}, texts=(*self.texts, *told))

    def after(
        self, verdict: GroupVerdict, candidates: Sequence[Candidate], refused: Mapping[str, Sequence[Hit]]
    ) -> Rejected:
        """The same with what a group has taught: edits that were rejected, or refused before a replay.

        One that tells of a held-out task is remembered and not shown, neither it nor what was found in it.
        """
        found = self
        for one in candidates:
            judged, hits = verdict.verdicts.get(one.name), refused.get(one.name, ())
            if one.edit is None:
                continue
            if any(hit.attack == "unread" for hit in hits):
                continue
            if any(hit.attack == "leak" for hit in hits):
                found = found.with_(one.edit, "it is of no use for other tasks", shown=False)
            elif hits:
                found = found.with_(one.edit, "; ".join(dict.fromkeys(hit.why for hit in hits)))
            elif judged is not None and judged.status == "rejected":
                found = found.with_(one.edit, judged.why)
        return found

    def why(self, edit: Edit) -> str:
        """What an editor is told that proposes it again; empty where it may."""
        reason = self.reasons.get(_bare_hash(edit))
        return "" if reason is None else f"this edit was tried before and rejected: {reason}; propose another one"


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposed:
    """What came of one question."""

    candidates: tuple[Candidate, ...]
    """Each text that the skill would have once, in the order of the samples; Noops once; invalid ones each."""
    samples: tuple[str, ...]
    """The candidate that each sample proposed, by name; empty where no answer came."""
    answers: tuple[str, ...]
    """What the model said in each sample."""
    missing: tuple[str, ...]
    """Why no answer came, for each sample without one."""
    stopped: str = ""
    """The cap or quota that ended the asking; empty where none did."""


class Editor:
    """Proposes edits with a model."""

    def __init__(
        self,
        model: Model,
        *,
        group: int = GROUP,
        sampling: Sampling = SAMPLING,
        held_out: frozenset[str] = frozenset(),
        without: frozenset[str] = frozenset(),
    ) -> None:
        """Asks nothing yet.

        Args:
            model: the editor.
            group: samples a question.
            sampling: how they are drawn.
            held_out: ids of tasks that it must not see.
            without: moves that it may not make (`OPS`); a Noop is always allowed.

        Raises:
            ConfigError: a group of less than one, or a move that is none or cannot be left out.
        """
        if group < 1:
            raise ConfigError(f"a group of {group} edits: at least 1 is needed")
        if wrong := sorted(without - set(OPS[:-1])):
            raise ConfigError(f"{wrong[0]!r} cannot be left out; moves that can: {', '.join(OPS[:-1])}")
        self._model = model
        self._group = group
        self._sampling = sampling
        self._held_out = held_out
        self._ops = tuple(one for one in OPS if one not in without)

    def requests(self, living: Living, unit: Unit, rejected: Rejected) -> list[Request]:
        """What is asked, a sample each.

        Raises:
            ConfigError: the unit shows a held-out task.
        """
        if seen := sorted(unit.source.tasks & self._held_out):
            raise ConfigError(
                f"the unit of evidence shows the held-out task {seen[0]!r}",
                hint="make units of evidence from the pool alone",
            )
        messages = EDIT.messages(
            listed=listed(living),
            kind=unit.kind,
            parts=unit.parts,
            rejected=rejected.texts[-_SHOWN:],
            ops=self._ops,
        )
        schema = Schema(name="proposal", body=moves_schema(living, self._ops))
        return [
            Request(messages=messages, sampling=self._sampling, schema=schema, prompt=EDIT.hash, sample=nth)
            for nth in range(self._group)
        ]

    async def propose(self, living: Living, unit: Unit, rejected: Rejected | None = None) -> Proposed:
        """A group of edits. One call a sample, a second one where the first answer does not fit the document.

        What still does not fit then is a candidate that is invalid.

        Raises:
            ConfigError: the unit shows a held-out task; nothing was asked.
            UnseenRequestError, IngrainedError: as `ask_each`.
        """
        before = rejected or Rejected.none()
        asked = self.requests(living, unit, before)
        answers = await ask_each(
            self._model,
            asked,
            Proposal,
            check=lambda one: self._forbidden(one.edit) or problem(living, one.edit) or before.why(one.edit),
        )
        by_text: dict[tuple[str, str], Candidate] = {}
        samples: list[str] = []
        missing: list[str] = []
        for nth, answer in enumerate(answers, start=1):
            if isinstance(answer, Parked):
                if not answer.came:
                    missing.append(answer.reason)
                    samples.append("")
                    continue
                found = Candidate(name=f"e{nth}", edit=None, invalid=answer.reason)
            else:
                found = Candidate.of(f"e{nth}", living, _resting_on(answer.value.edit, unit))
            samples.append(by_text.setdefault(_same(found), found).name)
        return Proposed(
            candidates=tuple(by_text.values()),
            samples=tuple(samples),
            answers=tuple(one.text if isinstance(one, Parked) else one.completion.text for one in answers),
            missing=tuple(missing),
            stopped=next((one.reason for one in answers if isinstance(one, Parked) and one.stops), ""),
        )

    def _forbidden(self, edit: Edit) -> str:
        return "" if edit.op in self._ops else f"{edit.op!r} is not allowed here; allowed: {', '.join(self._ops)}"


def choose(verdict: GroupVerdict, candidates: Sequence[Candidate]) -> Edit:
    """What is applied after a group: the accepted edit with the largest gain, on a tie the shorter; else a Noop."""
    edits = {one.name: one.edit for one in candidates}
    applied = edits.get(verdict.applied) if verdict.applied is not None else None
    return applied or Noop()


def _resting_on(edit: Edit, unit: Unit) -> Edit:
    if isinstance(edit, Noop | Prune):
        return edit
    return edit.model_copy(update={"evidence": unit.evidence[:MOST_EVIDENCE]})


def _same(one: Candidate) -> tuple[str, str]:
    """What two samples have in common that are one candidate."""
    if one.invalid:
        return "invalid", one.name
    return ("noop", "") if one.after is None else ("edit", one.after.text)


def _bare(edit: Edit) -> dict[str, object]:
    return edit.model_dump(mode="json", exclude={"evidence"}, exclude_defaults=True) | {"op": edit.op}


def _bare_hash(edit: Edit) -> str:
    return content_hash(_bare(edit))
