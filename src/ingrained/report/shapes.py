"""The published shapes of `--json`: one per command, each with a version. `docs/schemas` holds their JSON schemas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Literal

from ingrained.ids import PersonId, ProjectId, RuleId
from ingrained.install.plan import update_commands
from ingrained.learn.drafts import Drafted, draftable, left_out
from ingrained.learn.pipeline import Learned
from ingrained.learn.reading import Counted, Finding, Trouble
from ingrained.learn.view import View
from ingrained.session.session import Form
from ingrained.session.sources import Source
from ingrained.skill.rule import Frozen, Level, Rule, Status
from ingrained.store.edits import HandEdit


class Skip(Frozen):
    """A path that was found and not used."""

    path: str
    why: str


class Read(Frozen):
    """What a number of logs held, in sums."""

    files: int
    read: int
    """Logs with something new in them."""
    bytes_read: int
    sessions: int
    """Sessions that a person typed in."""
    set_aside_sessions: dict[str, int]
    """Sessions without a person, by reason: own, subagent, observer, replay, headless."""
    set_aside: dict[str, int]
    """Turns in the user's role that no person typed, by reason."""
    human_turns: int
    """Distinct messages that a person typed."""
    by_tag: int
    """Text blocks that are harness text by their tag alone."""
    refusals: int
    secrets: dict[str, int]
    """Secrets and personal data replaced before anything was kept, by kind."""
    unknown: dict[str, int]
    """Row types that no reader knows, with counts."""
    damage: dict[str, int]
    damaged_files: list[Skip]
    empty_files: int
    looked_at: list[str]
    missing: list[str]
    """Standard places that do not exist."""
    skipped: list[Skip]
    lying: dict[str, int]
    """Files in the places that hold no log, by the endings of their names."""
    older: int
    """Logs in places where all are older than the time that was asked for."""
    elsewhere: int
    """Logs of other projects than the one that was asked for."""


class HumanText(Frozen):
    """One message that a person typed."""

    person: PersonId
    tool: str
    session: str
    record: str
    form: Form
    time: datetime | None
    cwd: str
    text: str


class Scan(Read):
    """`scan --json`."""

    version: int = 1
    human_texts: list[HumanText]
    """In the order of the logs."""


class Left(Frozen):
    """A rule that fitted no budget."""

    rule: RuleId
    reason: str


class LogShape(Frozen):
    """One log that would be read."""

    person: PersonId
    reader: str
    size: int
    path: str


class WouldReadShape(Frozen):
    """`learn --dry-run --json`."""

    version: int = 1
    logs: list[LogShape]
    """With something new in them, newest first."""
    unchanged: int
    """Logs that are as they were when they were last read."""
    looked_at: list[str]
    missing: list[str]
    skipped: list[Skip]


class DraftShape(Frozen):
    """One draft."""

    name: str
    project: ProjectId | None
    used: int
    """Tokens, by the one counter (an estimate)."""
    budget: int
    rules: list[RuleId]
    left_out: list[Left]
    text: str
    """The SKILL.md, then the always-on rules."""


class EditShape(Frozen):
    """What was done by hand to the line of one rule in installed copies."""

    rule: RuleId
    outcome: Literal["pinned", "refused", "conflict", "theirs"]
    """`theirs`: a colleague's commit did it; nothing is decided."""
    was: str
    now: str
    """Empty where it was deleted, or the copies differ."""
    places: list[str]
    told: str
    """The same in one line, with both sides of a conflict."""


class LearnShape(Frozen):
    """`learn --json`."""

    version: int = 1
    read: Read
    messages: int
    """Distinct messages that the ledger holds now."""
    judged: int
    parked: dict[str, int]
    """Messages without an answer of the judge, by reason; the next run asks again."""
    dropped: int
    """Atoms of the judge that cite words which nobody typed."""
    rules: list[Rule]
    drafts: list[DraftShape]
    copies_behind: list[str]
    hand_edits: int
    conflicts: int
    """Rules whose installed copies were edited differently."""
    edits: list[EditShape]
    """Each hand edit, also those that are a conflict and not taken in."""
    update: list[str]
    """The commands that bring the copies behind up to date."""


class NotARule(Frozen):
    """One atom that did not become part of a rule."""

    reason: str
    person: PersonId
    project: ProjectId
    session: str
    turn: str
    quote: str
    transferable: bool
    confidence: float
    kind: str


class RulesShape(Frozen):
    """`rules --json`."""

    version: int = 1
    rules: list[Rule]
    atoms: list[NotARule]
    """With `--all`: each atom that is in no rule, and why."""


class Waits(Frozen):
    """Why a rule is in no draft; an empty reason where it is."""

    rule: RuleId
    level: Level
    reason: str


class Against(Frozen):
    """A rule that says the opposite of another."""

    rule: RuleId
    text: str
    people: list[PersonId]
    status: Status


class WhyShape(Frozen):
    """`why --json`."""

    version: int = 1
    rule: Rule
    waits: str
    """Why it is in no draft; empty where it may be."""
    project: str
    """Short name of its project; empty where it holds everywhere."""
    against: tuple[Against, ...] = ()
    """The rules that say the opposite and were not refused; of two that were accepted the one accepted last stands."""


def read_shape(counted: Counted, trouble: Trouble) -> dict[str, object]:
    """The fields of `Read` from the sums and what came up on the way."""
    return {
        "files": counted.files,
        "read": counted.read,
        "bytes_read": counted.bytes_read,
        "sessions": counted.sessions,
        "set_aside_sessions": dict(counted.set_aside_sessions),
        "set_aside": dict(counted.set_aside),
        "human_turns": counted.human_turns,
        "by_tag": counted.by_tag,
        "refusals": counted.refusals,
        "secrets": dict(counted.secrets),
        "unknown": dict(counted.unknown),
        "damage": {kind: n for kind, n in counted.damage.items() if kind not in {"torn", "empty"}},
        "damaged_files": [Skip(path=path, why=why) for path, why in counted.damaged_files],
        "empty_files": counted.empty_files,
        "looked_at": list(trouble.looked_at),
        "missing": list(trouble.missing),
        "skipped": _skips(trouble),
        "lying": dict(trouble.lying.most_common()),
        "older": trouble.older,
        "elsewhere": trouble.elsewhere,
    }


def _skips(trouble: Trouble) -> list[Skip]:
    return [Skip(path=skip.path, why=skip.why) for skip in trouble.skipped]


def would_read_shape(new: Sequence[tuple[PersonId, Source]], found: int, trouble: Trouble) -> WouldReadShape:
    """What `learn --dry-run` answers.

    Args:
        new: the logs with something new in them.
        found: how many logs there are.
        trouble: where was looked, and what was left out.
    """
    logs = [LogShape(person=one, reader=log.reader, size=log.size, path=log.path) for one, log in new]
    return WouldReadShape(
        logs=logs,
        unchanged=found - len(logs),
        looked_at=list(trouble.looked_at),
        missing=list(trouble.missing),
        skipped=_skips(trouble),
    )


def scan_shape(counted: Counted, findings: Iterable[Finding], trouble: Trouble) -> Scan:
    """What `scan` answers."""
    texts: dict[str, HumanText] = {}
    for finding in findings:
        for turn in finding.read.turns if finding.read else ():
            text = HumanText(
                person=finding.person,
                tool=turn.tool,
                session=turn.session,
                record=turn.record,
                form=turn.form,
                time=turn.time,
                cwd=turn.cwd,
                text=turn.text,
            )
            texts.setdefault(turn.key, text)
    fields = read_shape(counted, trouble)
    return Scan.model_validate({**fields, "human_texts": list(texts.values())})


def draft_shape(drafted: Drafted) -> DraftShape:
    """One draft with its texts."""
    pieces = [piece.rendered.text for piece in drafted.draft.pieces if piece.kind != "rules-file"]
    return DraftShape(
        name=drafted.draft.name,
        project=drafted.draft.project,
        used=drafted.selection.used,
        budget=drafted.selection.budget,
        rules=[rule.id for rule in drafted.selection.kept],
        left_out=[Left(rule=out.rule.id, reason=out.reason) for out in left_out([drafted])],
        text="\n".join(pieces),
    )


def _edit_shape(edit: HandEdit) -> EditShape:
    now = edit.text if edit.outcome == "pinned" else edit.line
    places = [str(place) for place in edit.places]
    return EditShape(rule=edit.rule_id, outcome=edit.outcome, was=edit.was, now=now, places=places, told=edit.told)


def learn_shape(learned: Learned) -> LearnShape:
    """What `learn` answers."""
    edits = learned.edits.edits
    return LearnShape(
        read=Read.model_validate(read_shape(learned.counted, learned.trouble)),
        messages=learned.totals.messages,
        judged=learned.judged,
        parked=dict(Counter(learned.parked.values())),
        dropped=len(learned.dropped),
        rules=list(learned.view.rules),
        drafts=[draft_shape(drafted) for drafted in learned.drafts],
        copies_behind=[copy.path for copy in learned.behind],
        hand_edits=sum(edit.decides for edit in edits),
        edits=[_edit_shape(edit) for edit in edits],
        update=list(update_commands(learned.behind)),
        conflicts=sum(edit.outcome == "conflict" for edit in edits),
    )


def rules_shape(
    view: View,
    rules: Sequence[Rule],
    *,
    everything: bool,
    person: PersonId | None = None,
    project: ProjectId | None = None,
) -> RulesShape:
    """What `rules` answers.

    Args:
        view: all that is known.
        rules: those that were asked for.
        everything: also what is in no rule.
        person: of that, only what this person said.
        project: of that, only what was said in this project.
    """
    atoms = [
        NotARule(
            reason=lost.reason,
            person=lost.heard.person,
            project=lost.heard.project,
            session=lost.heard.session,
            turn=lost.heard.turn,
            quote=lost.atom.quote,
            transferable=lost.atom.transferable,
            confidence=lost.atom.confidence,
            kind=lost.atom.kind,
        )
        for lost in (view.dropped if everything else ())
        if person in {None, lost.heard.person} and project in {None, lost.heard.project}
    ]
    return RulesShape(rules=list(rules), atoms=atoms)


def why_shape(view: View, rule: Rule) -> WhyShape:
    """What `why` answers."""
    place = view.titles.get(rule.scope.project, rule.scope.project) if rule.scope.project else ""
    later = next((one for one in view.rules if rule.id in one.supersedes), None)
    waits = f"it is superseded by {later.id}, “{later.text}”" if later else draftable(rule)
    against = tuple(
        Against(rule=one.id, text=one.text, people=list(one.people), status=one.status)
        for one in view.rules
        if one.status != "refused" and (one.id in rule.conflicts_with or rule.id in one.conflicts_with)
    )
    return WhyShape(rule=rule, waits=waits, project=place, against=against)
