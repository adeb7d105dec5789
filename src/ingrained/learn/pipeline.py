"""`learn`: sessions → feedback → atoms → rules → drafts, in steps that a kill cannot half-do.

Each step is a transaction, and each can be repeated without changing what it did: a log is taken in whole or not at
all, atoms are kept per message, decisions and drafts are written at once. So the next run completes whatever one cut
off, and two runs give what one gives. Nothing is written outside the home folder.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ingrained.errors import EnvironmentFaultError
from ingrained.feedback.decompose import Decomposer, Parking
from ingrained.ids import AtomKey, MessageKey
from ingrained.learn.drafts import As, Drafted, make_drafts
from ingrained.learn.machine import personal_names
from ingrained.learn.outright import Answers, accept_late, apart, outright_offline, put
from ingrained.learn.queued import with_queued
from ingrained.learn.reading import Counted, Roots, Trouble, count, read_all, sources
from ingrained.learn.view import View, judge_of, make_view, owner_of
from ingrained.session.redact import SecretRedactor
from ingrained.session.sources import git_remote
from ingrained.skill.rule import Decision, Rule
from ingrained.skill.select import DEFAULT_BUDGET, check_budget
from ingrained.store.database import LEDGER_NAME
from ingrained.store.edits import Collected, HandEdit, collect_edits, settle
from ingrained.store.faults import point, register
from ingrained.store.files import HomeLock
from ingrained.store.imports import Import
from ingrained.store.ledger import Ledger, Totals
from ingrained.store.library import Library
from ingrained.store.manifest import Copy
from ingrained.store.queue import take

register("learn", "opened", "found", "read", "taken-in", "judged", "decided", "settled", "projected", "drafted")

_BATCH = 500
"""Messages judged between two writes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """What the person wants learned, and how."""

    home: Path
    roots: Roots
    decomposer: str = ""
    """Empty: the one that was used last, else the default."""
    judge: Decomposer | None = None
    """The decomposer itself, instead of its name."""
    budget: int = DEFAULT_BUDGET
    """Tokens of one skill."""
    form: As = "auto"
    ignore: tuple[str, ...] = ()
    """Patterns of logs to leave out now and in later runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """What one run read and what all runs together know."""

    counted: Counted
    trouble: Trouble
    """Where was looked, and what was found and not used."""
    totals: Totals
    judged: int
    """Messages looked at for feedback in this run."""
    parked: Mapping[MessageKey, str]
    """Messages without an answer of the judge, with the reasons; the next run asks again."""
    dropped: tuple[AtomKey, ...]
    """Atoms of the judge that cite words which nobody typed; their messages count as not judged."""
    view: View
    drafts: tuple[Drafted, ...]
    edits: Collected
    """Hand edits in installed copies, taken in as decisions now."""
    behind: tuple[Copy, ...]
    """Installed copies that are older than their draft."""


Say = Callable[[str, int, int], None]
"""Progress: what is going on, how much of it is done and how much there is, in bytes or messages."""


def learn(ask: Ask, say: Say = lambda _what, _done, _total: None) -> Learned:
    """Read what is new, judge it, take in hand edits, and bring rules and drafts up to date.

    Raises:
        StoreError: the home folder cannot be used.
        EnvironmentFaultError: a path that was named does not exist.
        SessionFormatError: a file that was named is no log.
        ConfigError: the budget is negative; nothing was read.
        UnknownNameError: the project that was named is no folder, and nobody worked in it.
    """
    check_budget(ask.budget)
    with opened(ask.home, "learn", ask.decomposer, judge=ask.judge) as here:
        ledger, library, judge = here.ledger, here.library, here.judge
        point("learn.opened")
        counted, trouble = _take_in(ask, ledger, say)
        judged = _judge(ledger, judge, say)
        if (ledger.chosen_judge(), ledger.judge_version(judge.name)) != (judge.name, judge.version):
            ledger.choose_judge(judge.name, judge.version)
        edits = take_edits(ledger, library, judge)
        accept_late(ledger, here.view, judged.late)
        say("grouping", 0, 1)
        view = make_view(ledger, library, judge)
        point("learn.projected")
        drafts = put_drafts(view, ledger, library, budget=ask.budget, form=ask.form)
        return Learned(
            counted=counted,
            trouble=trouble,
            totals=ledger.totals(),
            judged=judged.looked_at - len(judged.parked),
            parked=judged.parked,
            dropped=judged.dropped,
            view=view,
            drafts=tuple(drafts),
            edits=edits,
            behind=library.behind(),
        )


def _take_in(ask: Ask, ledger: Ledger, say: Say) -> tuple[Counted, Trouble]:
    for pattern in ask.ignore:
        ledger.ignore(pattern)
    trouble = Trouble()
    items = sources(ask.roots, ledger.ignored(), trouble)
    taken = take(ask.home) if ask.roots.everything else None
    if taken is not None:
        items = with_queued(items, taken, ledger.ignored(), trouble)
    point("learn.found")
    total = sum(source.size for _, source in items)
    done = 0

    def progress(size: int) -> None:
        nonlocal done
        done += size
        say("reading", done, total)

    findings = []
    redactor = SecretRedactor(names=personal_names())
    reading = read_all(
        items, ask.roots, redactor, trouble, cursor=ledger.cursor, progress=progress, remote_of=git_remote
    )
    for finding in reading:
        point("learn.read")
        if finding.read is not None:
            ledger.add(finding.person, finding.read)
            point("learn.taken-in")
        findings.append(finding)
    if taken is not None:
        taken.done()
    return count(findings), trouble


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    """What a judge did in one run."""

    looked_at: int
    parked: Mapping[MessageKey, str]
    dropped: tuple[AtomKey, ...]
    late: Answers
    """What was found in words that were given outright and had no answer before."""


def _judge(ledger: Ledger, judge: Decomposer, say: Say) -> _Judged:
    dropped: list[AtomKey] = []
    late: Answers = {}
    turns = ledger.unjudged(judge.name, judge.version)
    parking = judge if isinstance(judge, Parking) else None
    if parking is not None and turns:
        parking.announce(turns)
    for begin in range(0, len(turns), _BATCH):
        say("judging", begin, len(turns))
        batch = turns[begin : begin + _BATCH]
        found = dict(zip([turn.key for turn in batch], judge.decompose(batch), strict=True))
        found |= outright_offline(batch, judge)
        answered = {key: atoms for key, atoms in found.items() if parking is None or key not in parking.parked}
        answered, outright = apart(batch, answered)
        dropped += (*ledger.add_atoms(judge.name, judge.version, answered).dropped, *put(ledger, outright))
        late |= outright
        point("learn.judged")
    parked = dict(parking.parked) if parking is not None else {}
    return _Judged(looked_at=len(turns), parked=parked, dropped=tuple(dropped), late=late)


def take_edits(ledger: Ledger, library: Library, judge: Decomposer) -> Collected:
    """Turn hand edits in installed copies into decisions: a reworded line is pinned, a deleted one refused.

    The caller holds the home's lock.
    """
    collected = collect_edits(library)
    taken = [edit for edit in collected.edits if edit.decides]
    if taken:
        view = make_view(ledger, library, judge)
        for edit in taken:
            for decision in _decisions(edit, view):
                ledger.decide(decision)
        point("learn.decided")
        settle(library, taken)
        point("learn.settled")
    return collected


def _decisions(edit: HandEdit, view: View) -> list[Decision]:
    rule = next((rule for rule in view.rules if edit.rule_id in (rule.id, *rule.aliases)), None)
    if rule is None:
        return []
    atoms: tuple[AtomKey, ...] = tuple(item.atom for item in rule.evidence)
    now = datetime.now(UTC)
    source = str(edit.places[0]) if edit.places else "hand"
    if edit.outcome == "refused":
        return [Decision(action="refuse", atoms=atoms, time=now, source=source)]
    made = [Decision(action="pin", atoms=atoms, time=now, text=edit.text, source=source)]
    if edit.when is not None or edit.paths is not None:
        when = rule.scope.when if edit.when is None else edit.when
        paths = rule.scope.paths if edit.paths is None else edit.paths
        made.append(Decision(action="narrow", atoms=atoms, time=now, when=when, paths=paths, source=source))
    return made


def put_drafts(view: View, ledger: Ledger, library: Library, *, budget: int, form: As) -> list[Drafted]:
    """Bring the drafts in the library up to date with the rules. The caller holds the home's lock."""
    drafts = make_drafts(view.rules, library, view.titles, owner=owner_of(ledger.people()), budget=budget, form=form)
    library.put_drafts(drafted.draft for drafted in drafts)
    point("learn.drafted")
    return drafts


def decide(ledger: Ledger, rule: Rule, **what: object) -> Decision:
    """Store one decision of the person about a rule, on all its evidence; `what` are the fields of `Decision`."""
    fields = {"atoms": tuple(item.atom for item in rule.evidence), "time": datetime.now(UTC), **what}
    decision = Decision.model_validate(fields)
    ledger.decide(decision)
    return decision


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """The home folder, locked and open for changes."""

    ledger: Ledger
    library: Library
    judge: Decomposer

    def view(self, imported: Sequence[Import] | None = None) -> View:
        """The rules as they are now; or as they were with these files of shared rules."""
        return make_view(self.ledger, self.library, self.judge, imported=imported)


@contextmanager
def opened(home: Path, what: str, decomposer: str = "", *, judge: Decomposer | None = None) -> Generator[Open]:
    """Lock the home folder and open what is in it, with whatever was cut off before finished first.

    Args:
        home: the home folder.
        what: the command, for whoever waits for the lock.
        decomposer: name of the judge; empty for the one that was used last.
        judge: the judge itself, instead of its name.

    Raises:
        StoreError: it cannot be used.
    """
    with HomeLock(home, what=f"ingrained {what}"), Ledger.open(home) as ledger:
        library = Library(home)
        library.recover()
        yield Open(ledger=ledger, library=library, judge=judge or judge_of(ledger, decomposer))


def looked_at(home: Path, decomposer: str = "") -> View:
    """The rules as they are now, without changing anything.

    Raises:
        StoreError: the ledger cannot be read.
        EnvironmentFaultError: nothing was learned yet, or not by this version of the decomposer.
    """
    if not (home / LEDGER_NAME).exists():
        raise EnvironmentFaultError(f"nothing was learned yet in {str(home)!r}", hint="ingrained learn")
    with Ledger.open(home, read_only=True) as ledger:
        judge = judge_of(ledger, decomposer)
        waiting = ledger.unjudged(judge.name, judge.version)
        if waiting and not ledger.atoms(judge.name, judge.version):
            raise EnvironmentFaultError(
                f"nothing was judged by {judge.name!r} version {judge.version} yet; messages that wait: {len(waiting)}",
                hint=f"ingrained learn --decomposer {judge.name}",
            )
        return make_view(ledger, Library(home), judge)
