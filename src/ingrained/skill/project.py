"""`project`: rules from what was heard, the atoms in it and the person's decisions. A pure function.

Nothing about a rule is stored, so the order of reading, one pass or ten, a kill, `forget` or a better decomposer give
the same answer or honestly another one. A rule is a group of atoms that say the same (`feedback.recur`); it is proposed
where one of them transfers, or where the same was asked for in several independent sessions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from ingrained.embed.lexical import Weights, everyday, is_named, signed_terms
from ingrained.feedback.decompose import Atom
from ingrained.feedback.recur import Groups, Home, group
from ingrained.feedback.transfer import PRACTICE, insists
from ingrained.ids import AtomKey, MessageKey, PersonId, ProjectId, RuleId, normal_text, rule_id
from ingrained.session.redact import MARKER
from ingrained.skill.decide import Applied, apply_decisions
from ingrained.skill.level import SessionPolicy, history, level_of
from ingrained.skill.relate import contradictions, narrow, oppose, says
from ingrained.skill.rule import Decision, Evidence, Heard, Rule, Scope, Tier
from ingrained.skill.select import rank
from ingrained.skill.tokens import count

HEARD = 0.08
"""The same as `PRACTICE` for a correction; it may repeat a rule that other words state, and states none."""
RECURS_AS_REQUEST = 3
"""Independent sessions from which a plain request, never part of a correction, counts as a standing wish."""
SAME_REQUEST = 0.45
"""Mean similarity from which two sessions are enough: the same was asked for again. So are they for a named thing."""
COPY_WORDS = 12
"""Words from which the same text of the same person in another session is a copy of the message, not a repetition."""


_POINTS = re.compile(r"\s+(?:for|about|regarding) (?:this|that|it|these|those)\W*$", re.IGNORECASE)
"""A last word that points at the matter of one saying."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """An atom that did not become (part of) a rule, and the one reason."""

    atom: Atom
    heard: Heard
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Projection:
    """All rules, refused and superseded ones included, and what did not become one."""

    rules: tuple[Rule, ...]
    dropped: tuple[Dropped, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What else the projection may look at."""

    policy: SessionPolicy = field(default_factory=SessionPolicy)
    existing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Rule files of the person's own and their lines, to report a rule that is there already."""
    owners: Mapping[str, frozenset[ProjectId]] = field(default_factory=dict)
    """The projects that such a file lies in, where it lies in any; the others are read in all projects."""
    since: Callable[[str, str], datetime | None] = lambda _path, _line: None
    """When a line of such a file stood there at the latest; `None` where that is not known."""
    clean: Callable[[str, Sequence[str]], str | None] = lambda text, _names: text
    """Takes private matter out of a rule's text; `None` where nothing remains that could be a rule."""
    held: Callable[[str], str] = lambda _text: ""
    """Why a text needs an explicit yes, or an empty string."""
    opposed: Callable[[str, str], bool] = lambda _one, _other: False
    """Whether two rules that were accepted ask for contraries, where no word of the one forbids one of the other."""
    names: tuple[str, ...] = ()


def project(
    heard: Iterable[Heard], atoms: Iterable[Atom], decisions: Iterable[Decision], context: Context | None = None
) -> Projection:
    """The rules that follow from the messages, their atoms and the decisions.

    Args:
        heard: every message once, any order.
        atoms: of one decomposer version, any order; those of unknown messages are ignored.
        decisions: any order; a later one on the same evidence wins.
        context: policy and texts to compare with.

    Cost: quadratic in the atoms that take part; no I/O but what the functions of the context do.
    """
    ctx = context or Context()
    said = list(atoms)
    decided = list(decisions)
    parts = [_project_near(near, said, decided, ctx) for near in _neighbourhoods(heard)]
    return Projection(
        rules=tuple(sorted((rule for part in parts for rule in part.rules), key=rank)),
        dropped=tuple(
            sorted((d for part in parts for d in part.dropped), key=lambda d: (*_when(d.heard), d.atom.start))
        ),
    )


def _neighbourhoods(heard: Iterable[Heard]) -> list[list[Heard]]:
    """The messages, earliest first, by people who are connected through projects.

    Strangers share no rule, and what one says must not even change how much a word of the other weighs.
    """
    messages = sorted(heard, key=_when)
    people: dict[ProjectId, set[PersonId]] = {}
    for message in messages:
        people.setdefault(message.project, set()).add(message.person)
    near: dict[PersonId, frozenset[PersonId]] = {}
    for together in people.values():
        joined = frozenset(together).union(*(near.get(person, frozenset()) for person in together))
        near.update(dict.fromkeys(joined, joined))
    found: dict[frozenset[PersonId], list[Heard]] = {}
    for message in messages:
        found.setdefault(near[message.person], []).append(message)
    return list(found.values())


def _project_near(
    messages: Sequence[Heard], atoms: Sequence[Atom], decisions: Sequence[Decision], ctx: Context
) -> Projection:
    """`project` for people who are connected through projects."""
    first = copies_of(messages)
    by_key = {message.key: message for message in messages}
    known = sorted(
        (atom for atom in atoms if atom.message in by_key), key=lambda a: (*_when(by_key[a.message]), a.start)
    )
    builder = _Builder(by_key=by_key, weights=Weights.fit(m.text[:600] for m in messages if first[m.key] == m.key))
    candidates, set_aside = builder.candidates(known, first)
    relations = [atom for atom in candidates if atom.relation != "states"]
    stating = [atom for atom in candidates if atom.relation == "states"]
    homes = [Home(by_key[atom.message].person, by_key[atom.message].project) for atom in stating]
    groups = group(stating, builder.weights, homes)
    applied = apply_decisions([[stating[i] for i in g] for g in groups.members], decisions)
    rules, dropped = builder.rules(stating, groups, applied, relations, ctx)
    lost = [Dropped(atom=a, heard=by_key[a.message], reason=why) for a, why in (*set_aside, *dropped)]
    return Projection(rules=tuple(rules), dropped=tuple(lost))


def _when(message: Heard) -> tuple[bool, float, str]:
    """Earliest first; messages without a time come first, in the order of their keys."""
    return (message.time is not None, message.time.timestamp() if message.time else 0.0, message.key)


def copies_of(messages: Sequence[Heard]) -> dict[MessageKey, MessageKey]:
    """Which message each one is a copy of (itself where it is none): a long text said again in the same words."""
    first: dict[tuple[PersonId, str], MessageKey] = {}
    copies: dict[MessageKey, MessageKey] = {}
    for message in messages:
        text = normal_text(message.text).casefold()
        own = (message.person, text if len(text.split()) >= COPY_WORDS else message.key)
        copies[message.key] = first.setdefault(own, message.key)
    return copies


@dataclass(frozen=True, slots=True, kw_only=True)
class _Builder:
    by_key: Mapping[MessageKey, Heard]
    weights: Weights

    def candidates(
        self, atoms: Sequence[Atom], first: Mapping[MessageKey, MessageKey]
    ) -> tuple[list[Atom], list[tuple[Atom, str]]]:
        """The atoms that may be part of a rule, and the others with the reason."""
        kept: list[Atom] = []
        lost: list[tuple[Atom, str]] = []
        for atom in atoms:
            if first[atom.message] != atom.message:
                lost.append((atom, "a copy of an earlier message"))
            elif atom.expires:
                lost.append((atom, "the words end it with that task"))
            elif atom.relation == "states" and not atom.transferable and atom.confidence < _least(atom):
                lost.append((atom, "about the task at hand" if atom.feedback else "a request, no correction"))
            else:
                kept.append(atom)
        return kept, lost

    def rules(
        self, atoms: Sequence[Atom], groups: Groups, applied: Sequence[Applied], relations: Sequence[Atom], ctx: Context
    ) -> tuple[list[Rule], list[tuple[Atom, str]]]:
        """One rule per group that qualifies, with opposites, narrowing and decisions worked in."""
        built: dict[int, Rule] = {}
        lost: list[tuple[Atom, str]] = []
        taken: set[RuleId] = set()
        typical = {atom.key: value for atom, value in zip(atoms, groups.typical, strict=True)}
        for index, (member, decided) in enumerate(zip(groups.members, applied, strict=True)):
            said = [atoms[i] for i in member]
            reason = self._unfit(said, decided, typical)
            rule = None if reason else self._rule(said, decided, ctx, typical, taken)
            if rule is None:
                lost.extend((atom, reason or "nothing is left without what is private") for atom in said)
            else:
                built[index] = rule
                taken.add(rule.id)
        built, unused = narrow(built, relations, self.by_key, self.weights)
        lost.extend((atom, "narrows or takes back nothing that is known") for atom in unused)
        built = oppose(built, contradictions(built, groups.opposites, self.weights, ctx.opposed))
        return sorted(built.values(), key=rank), lost

    def _unfit(self, said: Sequence[Atom], decided: Applied, typical: Mapping[AtomKey, float]) -> str:
        """Why a group is no rule, or an empty string."""
        if decided.status != "proposed" or any(atom.transferable for atom in said):
            return ""
        sessions = {self.by_key[atom.message].session for atom in said}
        if len(sessions) < 2:
            return "said once, and about the task at hand" if any(a.feedback for a in said) else "asked for once"
        alike = min(typical[atom.key] for atom in said) >= SAME_REQUEST
        if max(atom.confidence for atom in said) < PRACTICE and not (alike and len(sessions) >= RECURS_AS_REQUEST):
            return "about the task at hand"
        own = self._again(said) - everyday()
        if not own:
            return "an everyday order"
        alike = alike or any(map(is_named, own))
        if not any(atom.feedback for atom in said) and not alike and len(sessions) < RECURS_AS_REQUEST:
            return f"only asked for, in fewer than {RECURS_AS_REQUEST} sessions"
        return ""

    def _again(self, said: Sequence[Atom]) -> set[str]:
        """The stems that stand in at least two of the sessions."""
        by_session: dict[str, set[str]] = {}
        for atom in said:
            by_session.setdefault(self.by_key[atom.message].session, set()).update(signed_terms(atom.quote))
        times = Counter(term for terms in by_session.values() for term in terms)
        return {term for term, count in times.items() if count > 1}

    def _rule(
        self, said: Sequence[Atom], decided: Applied, ctx: Context, typical: Mapping[AtomKey, float], taken: set[RuleId]
    ) -> Rule | None:
        evidence = tuple(self._evidence(atom) for atom in said)
        speaker = _speaker(said, typical)
        text = decided.text or ctx.clean(_lasting(speaker.text, self._again(said)), ctx.names)
        if not text:
            return None
        sessions: dict[str, datetime | None] = {}
        for item in evidence:
            sessions.setdefault(item.session, item.time)
        days = {t.date() for t in sessions.values() if t is not None}
        people = tuple(sorted({item.person for item in evidence}))
        paths = decided.paths or next((atom.paths for atom in said if atom.paths), ())
        when = decided.when or _condition(speaker, said)
        scope = Scope(project=_project(said, evidence, decided), paths=paths, when=_clean_when(when, ctx))
        already = _already(text, scope.project, ctx, self.weights)
        own_id = next((r for r in map(rule_id, (a.key for a in said)) if r not in taken), rule_id(said[0].key))
        return Rule(
            id=own_id,
            text=text,
            kind=speaker.kind,
            polarity=speaker.polarity,
            scope=scope,
            tier=decided.tier or _tier(speaker, people),
            level=level_of(len(sessions), max(1, len(days)), ctx.policy),
            status=decided.status,
            people=people,
            evidence=evidence,
            sessions=len(sessions),
            days=len(days),
            history=history(list(sessions.values()), ctx.policy),
            tokens=count(text) + 2,
            aliases=tuple(sorted({rule_id(atom.key) for atom in said} - {own_id})),
            already_in=tuple(sorted(already)),
            broken_again=_repeated(evidence, already, ctx),
            held=ctx.held(text) or ("" if decided.text else _taken_out(speaker.text)),
            reasons=speaker.reasons,
        )

    def _evidence(self, atom: Atom) -> Evidence:
        message = self.by_key[atom.message]
        return Evidence(
            atom=atom.key,
            person=message.person,
            project=message.project,
            session=message.session,
            turn=message.turn,
            quote=atom.quote,
            form=message.form,
            act=message.act,
            time=message.time,
            explicit=atom.explicit,
        )


def _taken_out(text: str) -> str:
    """Why a rule must wait that is not whole: a marker stood in what was said, so the rest may say something else."""
    found = MARKER.search(text)
    return f"it leaves out a part of what was said ({found[0]})" if found else ""


def _least(atom: Atom) -> float:
    return HEARD if atom.feedback and insists(atom.quote) else PRACTICE


def _speaker(said: Sequence[Atom], typical: Mapping[AtomKey, float]) -> Atom:
    """The atom whose words stand for the rule.

    A directive before a question; then what transfers, is most like the others, and holds most of the words that were
    said more than once and fewest of those that were said once.
    """
    bags = {atom.key: frozenset(signed_terms(atom.quote)) for atom in said}
    times = Counter(term for bag in bags.values() for term in bag)
    common = {term for term, count in times.items() if count > 1}

    def fit(atom: Atom) -> float:
        bag = bags[atom.key]
        covered = len(common & bag) / len(common) if common else 0.0
        once = len(bag - common) / len(bag) if common and bag else 0.0
        standing = 0.3 * atom.transferable + 0.1 * atom.feedback + 0.2 * atom.explicit
        return round(standing + (typical[atom.key] + covered) / 2 - once / 4 - _clumsy(atom.text), 3)

    return max(said, key=lambda a: (not a.text.startswith("Check:"), fit(a), -len(a.text), a.key))


def _lasting(text: str, again: set[str]) -> str:
    """Of what was said again, what holds beyond one saying: without brackets of one saying and a last "for this"."""

    def kept(match: re.Match[str]) -> str:
        return match.group() if again & signed_terms(match.group()).keys() else ""

    return _POINTS.sub("", re.sub(r"\s*\([^()]*\)", kept, text)) if again else text


def _clumsy(text: str) -> float:
    """What speaks against a text as a rule: it is long, or points at something that is not said."""
    pointing = bool(re.search(r"\b(?:this|that|it|these|those|(?-i:[A-Z]+)-?\d+)\b|#\d", text, re.IGNORECASE))
    return max(0, len(text) - 100) / 400 + (0.25 if pointing else 0.0)


def _condition(speaker: Atom, said: Sequence[Atom]) -> str:
    """The speaker's condition, where it holds for all that was said and not for one saying only."""
    conditions = {normal_text(atom.when).casefold() for atom in said}
    return speaker.when if len(conditions) == 1 or any(speaker.when == a.when for a in said if a is not speaker) else ""


def _project(said: Sequence[Atom], evidence: Sequence[Evidence], decided: Applied) -> ProjectId | None:
    """Everywhere only by the person's choice, by the words, by kind, or by evidence from two projects."""
    if decided.project_chosen:
        return decided.project
    projects = {item.project for item in evidence}
    if len(projects) >= 2 or all(not atom.project for atom in said):
        return None
    return next(iter(projects))


def _tier(speaker: Atom, people: Sequence[PersonId]) -> Tier:
    return "personal" if speaker.kind == "communication" and len(people) == 1 else "shared"


def _clean_when(when: str, ctx: Context) -> str:
    return (ctx.clean(when, ctx.names) or "") if when else ""


def _already(text: str, place: ProjectId | None, ctx: Context, weights: Weights) -> dict[str, list[str]]:
    """The rule files that say it already where the rule holds, each with its lines that do."""
    saying = {
        path: [line for line in lines if says(line, text, weights)]
        for path, lines in ctx.existing.items()
        if not (owners := ctx.owners.get(path)) or place in owners
    }
    return {path: lines for path, lines in saying.items() if lines}


def _repeated(evidence: Sequence[Evidence], already: Mapping[str, Sequence[str]], ctx: Context) -> int:
    """How often it was said after one of the lines stood there, as far as that is known."""
    known = [since for path, lines in already.items() for line in lines if (since := ctx.since(path, line))]
    return sum(item.time is not None and item.time > min(known) for item in evidence) if known else 0
