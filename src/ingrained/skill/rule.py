"""What a rule is: the published shape of `rules --json`, the evidence behind it, and the person's decisions.

Rules are never stored. `project.project(...)` computes them from messages, atoms and decisions each time, so that the
order of reading, a kill, `forget` or a better decomposer later cannot leave a stale one behind.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from ingrained.feedback.decompose import Kind, Polarity
from ingrained.ids import AtomKey, MessageKey, PersonId, ProjectId, RuleId
from ingrained.session.session import Form

Level = Literal["tentative", "supported", "established", "retired"]
Status = Literal["proposed", "accepted", "pinned", "refused", "superseded"]
Tier = Literal["shared", "personal"]

RULE_VERSION = 1


class Frozen(BaseModel):
    """Base of our own stored and published shapes: frozen, and unknown fields are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Said(Frozen):
    """The agent's last act before the words."""

    tool: str = ""
    input: str = ""
    said: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """One message of a person with what the projection needs to know of it."""

    key: MessageKey
    person: PersonId
    project: ProjectId
    session: str
    """Root of its independent session."""
    turn: str
    text: str
    form: Form
    act: Said
    time: datetime | None


class Evidence(Frozen):
    """One quote that speaks for or against a rule."""

    source: Literal["typed", "trace", "document", "corpus"] = "typed"
    atom: AtomKey
    person: PersonId
    project: ProjectId
    session: str
    """Independent session: the earliest known of those that share messages or a fork link."""
    turn: str
    """Record id in the log."""
    quote: str
    form: Form
    act: Said
    stance: Literal["supports", "contradicts"] = "supports"
    time: datetime | None
    explicit: bool = False


class Scope(Frozen):
    """Where a rule holds; as narrow as the words."""

    project: ProjectId | None
    """`None`: everywhere."""
    paths: tuple[str, ...] = ()
    when: str = ""


class LevelStep(Frozen):
    """One step in a rule's level history."""

    level: Level
    time: datetime | None
    sessions: int


class Rule(Frozen):
    """What atoms and decisions add up to."""

    version: int = RULE_VERSION
    id: RuleId
    text: str
    kind: Kind
    polarity: Polarity
    scope: Scope
    tier: Tier
    level: Level
    status: Status
    people: tuple[PersonId, ...]
    evidence: tuple[Evidence, ...] = Field(min_length=1)
    """Earliest first."""
    sessions: int
    """Independent sessions that support it."""
    days: int
    """Distinct UTC days among them."""
    history: tuple[LevelStep, ...] = ()
    tokens: int
    """Cost of the rule's line in a skill, by the one token counter (an estimate)."""
    gain: float | None = None
    """Paired gain measured by the gate; `None`: not measured."""
    said_again: tuple[int, int] | None = None
    """(sessions since it was installed that said it, sessions since); `None`: not installed."""
    said_again_interval: tuple[float, float] | None = None
    """95 % Wilson interval of that share, in [0, 1]; `None` also where there was no session."""
    said_before: tuple[int, int] | None = None
    """The same from the first session that said it, which does not count, to the install: the baseline."""
    said_before_interval: tuple[float, float] | None = None
    supersedes: tuple[RuleId, ...] = ()
    conflicts_with: tuple[RuleId, ...] = ()
    aliases: tuple[RuleId, ...] = ()
    """Ids that this rule had before it was merged with an earlier one."""
    enforce: str = ""
    """The check that would keep it better than words, as "where: what" (git hook, linter, CI …); empty: none."""
    already_in: tuple[str, ...] = ()
    """Rule files that already say it."""
    broken_again: int = 0
    """How often it was said after one of them is known to have said it: "there and broken again"."""
    held: str = ""
    """Why it needs an explicit yes before it is installed (it weakens safety, a part was taken out), or empty."""
    reasons: tuple[str, ...] = ()

    @property
    def imported(self) -> bool:
        """Whether it came in a file and was not said here."""
        return all(item.source == "document" for item in self.evidence)


Action = Literal["accept", "refuse", "pin", "narrow", "widen", "tier", "project"]


class Decision(Frozen):
    """One word of the person about a rule. It hangs on evidence, not on the text of the rule.

    A later decision on the same evidence and of the same action wins.
    """

    version: int = 1
    action: Action
    atoms: tuple[AtomKey, ...] = Field(min_length=1)
    """The rule's evidence when the decision was made."""
    time: datetime
    text: str = ""
    """`pin`: the rule as edited by hand."""
    when: str = ""
    paths: tuple[str, ...] = ()
    project: ProjectId | None = None
    tier: Tier | None = None
    source: str = "review"
    """`review`, `feedback` (given outright), or the file whose hand edit it was read from."""
