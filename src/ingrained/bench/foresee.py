"""Does what a person said before foresee what they will say? The offline cousin of the coding-agent study's question.

Each person's sessions are cut in time; rules are learned from the earlier part and laid against the feedback in the
later part. Four conditions, as in the study (section 3.2): no skill, the person's own, another person's (the mean over
every other person, which is what a random one gives on average), and one pooled over all, the person included. A pooled
skill holds more rules, and more rules cover more by chance alone, so a fifth one is cut to the size of the own skill.
Nobody's later part is learned from in any of them. A turn counts as covered where a rule of the skill says what one of
its atoms says; what an agent would have made of the rule is not known here, so the figures are no effect of a skill.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Literal

from ingrained.bench.cover import Covering, Likeness, Saying, atom_saying, rule_statement
from ingrained.bench.history import History, Sitting
from ingrained.errors import ConfigError
from ingrained.feedback.decompose import Atom
from ingrained.ids import MessageKey
from ingrained.learn.drafts import draftable
from ingrained.session.redact import SecretRedactor
from ingrained.skill.project import Context, copies_of, project
from ingrained.skill.rule import Heard, Rule
from ingrained.skill.safety import generalise, weakens_safety
from ingrained.skill.select import DEFAULT_BUDGET, select
from ingrained.wording import plural

Condition = Literal["none", "own", "other", "pooled", "pooled-small"]
CONDITIONS: tuple[Condition, ...] = ("none", "own", "other", "pooled", "pooled-small")
"""The last is not in the study: the pooled skill, no larger in tokens than the own one."""
CUTS = (0.5, 0.6, 0.7, 0.8)
"""Shares of a person's sessions that are the earlier part; the study learns from 0.8, drawn and not in time."""
LEAST = 5
"""Sessions that a person needs to be looked at."""

Atoms = Mapping[MessageKey, Sequence[Atom]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How it is measured."""

    cuts: tuple[float, ...] = CUTS
    budget: int = DEFAULT_BUDGET
    """Tokens of each skill."""
    tentative: bool = False
    """Also rules said in one session only, which `learn` keeps out of its drafts until they are accepted."""
    least: int = LEAST


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """One person's history, cut in time."""

    earlier: tuple[Sitting, ...]
    """What was typed before the first later session began."""
    later: tuple[Sitting, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One condition against one later part; the mean over skills where there are several."""

    covered: tuple[float, ...]
    """For each feedback turn 1 where it is covered, else 0."""
    rules: float
    idle: float
    """Rules that cover no turn."""
    tokens: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One person at one cut."""

    person: str
    cut: float
    sessions: tuple[str, ...]
    """Of each feedback turn in the later part."""
    relevant: Mapping[str, int]
    """For each of those sessions, how many of the earlier ones hold feedback that says the same as some of its own."""
    results: Mapping[Condition, Result]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Turn:
    session: str
    said: tuple[Saying, ...]


def split(history: History, cut: float) -> Parts:
    """The first `cut` of the sessions, by when they began, and the others; both hold at least one.

    A session of the earlier part that went on when the later part had begun is cut off there.
    """
    sittings = history.sittings
    at = min(max(1, int(cut * len(sittings) + 1e-9)), len(sittings) - 1)
    moment = sittings[at].start
    earlier = (_until(sitting, moment) for sitting in sittings[:at])
    return Parts(earlier=tuple(s for s in earlier if s.heard), later=sittings[at:])


def _until(sitting: Sitting, moment: datetime) -> Sitting:
    heard = tuple(message for message in sitting.heard if message.time is not None and message.time < moment)
    return Sitting(id=sitting.id, start=sitting.start, heard=heard)


def learned(heard: Iterable[Heard], atoms: Atoms, plan: Plan) -> tuple[Rule, ...]:
    """The skill that follows from the messages: the rules that `learn` would draft, best first, within the budget."""
    return select(_ready(heard, atoms, plan), budget=plan.budget).kept


def _ready(heard: Iterable[Heard], atoms: Atoms, plan: Plan) -> list[Rule]:
    messages = list(heard)
    known = [atom for message in messages for atom in atoms.get(message.key, ())]
    clean = partial(_clean, redactor=SecretRedactor())
    found = project(messages, known, [], Context(clean=clean, held=weakens_safety))
    return [rule for rule in found.rules if not _waits(rule, plan)]


def _waits(rule: Rule, plan: Plan) -> str:
    if plan.tentative and rule.level == "tentative":
        return draftable(rule.model_copy(update={"level": "supported"}))
    return draftable(rule)


def _clean(text: str, names: Sequence[str], *, redactor: SecretRedactor) -> str | None:
    return generalise(text, names=names, secrets_redactor=redactor)


def outcomes(
    histories: Sequence[History], atoms: Atoms, likeness: Likeness, threshold: Callable[[str], float], plan: Plan
) -> list[Outcome]:
    """Everybody at every cut at which their later part holds feedback.

    Args:
        histories: of everybody who is looked at, two people at least, each with two sessions at least.
        atoms: of every message; an atom that is feedback makes its turn a feedback turn.
        likeness: whether a rule says what an atom says.
        threshold: from where it does, for this person.
        plan: cuts and budget.

    Raises:
        ConfigError: there are fewer than two people.

    Cost: for each cut one projection a person and one of everybody, quadratic in the atoms.
    """
    if len(histories) < 2:
        raise ConfigError(
            f"{plural(len(histories), 'person', 'people')} with {plural(plan.least, 'session')} or more; it takes "
            "two to compare with somebody else",
            hint="name logs of more people, as PATHs with a folder for each or as --person NAME=PATH",
        )
    found: list[Outcome] = []
    for cut in plan.cuts:
        parts = {history.person: split(history, cut) for history in histories}
        earlier = {person: _messages(part.earlier) for person, part in parts.items()}
        own = {person: learned(said, atoms, plan) for person, said in earlier.items()}
        everything = [message for said in earlier.values() for message in said]
        pooled = learned(everything, atoms, plan)
        covering = likeness.fitted([message.text for message in everything])
        for person, part in parts.items():
            turns = _feedback(part.earlier, part.later, atoms)
            if not turns:
                continue
            skills: dict[Condition, list[Sequence[Rule]]] = {
                "none": [()],
                "own": [own[person]],
                "other": [skill for other, skill in own.items() if other != person],
                "pooled": [pooled],
                "pooled-small": [select(pooled, budget=_tokens(own[person])).kept],
            }
            level = threshold(person)
            outcome = Outcome(
                person=person,
                cut=cut,
                sessions=tuple(turn.session for turn in turns),
                relevant=_relevant(_feedback((), part.earlier, atoms), turns, covering, level),
                results={
                    name: _mean([_result(skill, turns, covering, level) for skill in some])
                    for name, some in skills.items()
                },
            )
            found.append(outcome)
    return found


def shortest(histories: Sequence[History], atoms: Atoms, plan: Plan) -> int:
    """Tokens of the shortest rule that follows from the earlier sessions, budget or no; 0 where none does."""
    sizes: list[int] = []
    for cut in plan.cuts:
        everything = [message for history in histories for message in _messages(split(history, cut).earlier)]
        sizes += [rule.tokens for rule in _ready(everything, atoms, plan)]
    return min(sizes, default=0)


def _messages(sittings: Iterable[Sitting]) -> list[Heard]:
    return [message for sitting in sittings for message in sitting.heard]


def _feedback(before: Sequence[Sitting], sittings: Sequence[Sitting], atoms: Atoms) -> list[_Turn]:
    """The feedback turns of some sessions; a long text that was pasted before is none, as when rules are learned."""
    first = copies_of([*_messages(before), *_messages(sittings)])
    turns: list[_Turn] = []
    for sitting in sittings:
        for message in sitting.heard:
            said = tuple(atom_saying(atom, message.act) for atom in atoms.get(message.key, ()) if atom.feedback)
            if said and first[message.key] == message.key:
                turns.append(_Turn(session=sitting.id, said=said))
    return turns


def _result(skill: Sequence[Rule], turns: Sequence[_Turn], covering: Covering, threshold: float) -> Result:
    sayings = [saying for turn in turns for saying in turn.said]
    hits = covering([rule_statement(rule) for rule in skill], sayings) >= threshold
    covered: list[float] = []
    begin = 0
    for turn in turns:
        end = begin + len(turn.said)
        covered.append(float(hits[:, begin:end].any()))
        begin = end
    return Result(
        covered=tuple(covered),
        rules=len(skill),
        idle=len(skill) - int(hits.any(axis=1).sum()),
        tokens=_tokens(skill),
    )


def _tokens(skill: Sequence[Rule]) -> int:
    return sum(rule.tokens for rule in skill)


def _mean(results: Sequence[Result]) -> Result:
    n = len(results)
    return Result(
        covered=tuple(sum(column) / n for column in zip(*(result.covered for result in results), strict=True)),
        rules=sum(result.rules for result in results) / n,
        idle=sum(result.idle for result in results) / n,
        tokens=sum(result.tokens for result in results) / n,
    )


def _relevant(earlier: Sequence[_Turn], later: Sequence[_Turn], covering: Covering, threshold: float) -> dict[str, int]:
    before = [(turn.session, saying) for turn in earlier for saying in turn.said]
    after = [(turn.session, saying) for turn in later for saying in turn.said]
    hits = covering([(saying,) for _, saying in before], [saying for _, saying in after]) >= threshold
    related: dict[str, set[str]] = {session: set() for session, _ in after}
    for column, (session, _) in enumerate(after):
        related[session] |= {before[row][0] for row in hits[:, column].nonzero()[0]}
    return {session: len(sessions) for session, sessions in related.items()}
