"""What a tool found of what was planted, and how well it judged labelled turns; every share with its interval.

A found rule is the planted one from whose turns most of its quotes come. Where a tool keeps no quotes it is the planted
text nearest to it (rapidfuzz `token_set_ratio`, from `THRESHOLD` on, against all wordings of the person's rules, what
the person typed of them, the one-offs and the everyday turns; a rule wins a tie). Intervals: people drawn anew.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rapidfuzz import fuzz

from ingrained.stats import Agreement, Interval, agreement, resampled

sys.path.append(str(Path(__file__).resolve().parents[1]))

from planted import Person, PlantedRule, PlantedTurn

THRESHOLD = 85.0
"""Fixed before any tool ran. No two wordings of one rule come so near (median 44): a tool's text matches the
turn that it was taken from, hardly another one."""
DRAWS = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One thing that a tool knows of a person after some session."""

    text: str
    applied: bool
    quotes: tuple[tuple[str, str, str], ...] = ()
    """Session id, record id, words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """What a found rule is: a planted rule, a one-off, or something that nobody wished (`other`)."""

    kind: str
    rule: str = ""


OTHER = Match(kind="other")


def by_evidence(found: Found, person: Person) -> Match:
    """Most quotes decide; a quote counts for what was planted only where it lies, by half at least, in those words."""
    turns = {(turn.session, turn.record): turn for turn in person.turns}
    votes = Counter(_quoted(turns.get((session, record)), words) for session, record, words in found.quotes)
    if not votes:
        return OTHER
    match, count = votes.most_common(1)[0]
    return match if count * 2 > votes.total() else OTHER


def _quoted(turn: PlantedTurn | None, words: str) -> Match:
    if turn is None or (at := turn.text.find(words)) < 0:
        return OTHER
    start = turn.text.index(turn.planted)
    inside = min(at + len(words), start + len(turn.planted)) - max(at, start)
    return _planted(turn) if inside * 2 >= len(words) else OTHER


def _planted(turn: PlantedTurn) -> Match:
    if turn.kind in {"rule", "change"}:
        return Match(kind="rule", rule=turn.rule)
    return Match(kind="one-off", rule=turn.record) if turn.kind == "one-off" else OTHER


def by_text(found: Found, person: Person) -> Match:
    """The nearest text, if near enough."""
    texts = [(wording, Match(kind="rule", rule=rule.id)) for rule in person.rules for wording in rule.wordings]
    texts += [(turn.planted, _planted(turn)) for turn in person.turns]
    texts.sort(key=lambda pair: pair[1].kind != "rule")
    near, match = max(
        ((fuzz.token_set_ratio(found.text.lower(), text.lower()), match) for text, match in texts),
        key=lambda pair: pair[0],
    )
    return match if near >= THRESHOLD else OTHER


Matcher = Callable[[Found, Person], Match]


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonScore:
    """Counts of one person at the end."""

    found: int
    right: int
    """Found rules that are a planted rule which still holds."""
    stale: int
    """Found rules that are a planted rule which holds no more."""
    planted: int
    """Planted rules that hold at the end."""
    recalled: int
    one_offs: int
    one_offs_taken: int
    """One-offs that became a rule."""
    overturned: int
    resolved: int
    """Overturned rules that are gone while the one in their place is found."""
    ended: int
    """Rules that were overturned or ended and that had been found before."""
    ended_gone: int
    waited: tuple[int, ...]
    """For each recalled rule: in how many sessions it had been said when it was first found."""


def score_person(person: Person, history: Sequence[Sequence[Found]], match: Matcher) -> PersonScore:
    """Compare what was known after each session with what was planted."""
    first: dict[str, int] = {}
    matched: list[Match] = []
    for session, known in enumerate(history):
        matched = [match(found, person) for found in known]
        for one in matched:
            if one.kind == "rule":
                first.setdefault(one.rule, session)
    last = {one.rule for one in matched if one.kind == "rule"}
    holds = {rule.id for rule in person.rules if rule.holds}
    gone = [rule for rule in person.rules if not rule.holds]
    pairs = [rule for rule in gone if rule.replaced_by]
    known_once = [rule for rule in gone if rule.id in first]
    return PersonScore(
        found=len(matched),
        right=sum(one.rule in holds for one in matched),
        stale=sum(one.kind == "rule" and one.rule not in holds for one in matched),
        planted=len(holds),
        recalled=len(holds & last),
        one_offs=sum(turn.kind == "one-off" for turn in person.turns),
        one_offs_taken=len({one.rule for one in matched if one.kind == "one-off"}),
        overturned=len(pairs),
        resolved=sum(rule.id not in last and rule.replaced_by in last for rule in pairs),
        ended=len(known_once),
        ended_gone=sum(rule.id not in last for rule in known_once),
        waited=tuple(_said_until(rule, first[rule.id], person) for rule in person.rules if rule.id in holds & last),
    )


def _said_until(rule: PlantedRule, session: int, person: Person) -> int:
    ids = [Path(name).stem for name in person.sessions[: session + 1]]
    return len({turn.session for turn in person.turns if turn.rule == rule.id and turn.session in ids})


def share(part: str, whole: str) -> Callable[[list[PersonScore]], float]:
    """The pooled share of two counts; 0 where there is nothing to share."""

    def of(scores: list[PersonScore]) -> float:
        total = sum(getattr(score, whole) for score in scores)
        return sum(getattr(score, part) for score in scores) / total if total else 0.0

    return of


def waited(scores: list[PersonScore]) -> float:
    """Mean number of sessions in which a found rule had been said; 0 where none was found."""
    counts = [count for score in scores for count in score.waited]
    return sum(counts) / len(counts) if counts else 0.0


MEASURES: dict[str, tuple[Callable[[list[PersonScore]], float], Callable[[PersonScore], int]]] = {
    "precision": (share("right", "found"), lambda score: score.found),
    "recall": (share("recalled", "planted"), lambda score: score.planted),
    "one-offs that became rules": (share("one_offs_taken", "one_offs"), lambda score: score.one_offs),
    "contradictions resolved": (share("resolved", "overturned"), lambda score: score.overturned),
    "found, ended, and gone": (share("ended_gone", "ended"), lambda score: score.ended),
    "sessions until found": (waited, lambda score: len(score.waited)),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One measure over all people."""

    n: int
    """What it is a share of, or a mean over."""
    interval: Interval | None
    """`None` where n is 0. A draw of people in which nothing can be shared counts as 0."""


def summary(scores: Sequence[PersonScore]) -> dict[str, Measured]:
    """Each measure with its 95 % interval over people."""
    found: dict[str, Measured] = {}
    for name, (measure, count) in MEASURES.items():
        n = sum(map(count, scores))
        interval = resampled([[score] for score in scores], measure, draws=DRAWS) if n else None
        found[name] = Measured(n=n, interval=interval)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One labelled turn: the truth, what a tool said, and what we said."""

    truth: bool
    said: bool
    ours: bool


def _agree(pairs: Iterable[tuple[bool, bool]]) -> Agreement:
    listed = list(pairs)
    return agreement([said for said, _ in listed], [truth for _, truth in listed])


def f1(turns: list[Judged]) -> float:
    """F1 of the tool."""
    return _agree((turn.said, turn.truth) for turn in turns).f1


def f1_ratio(turns: list[Judged]) -> float:
    """F1 of the tool as a multiple of ours; 0 where ours is 0."""
    ours = _agree((turn.ours, turn.truth) for turn in turns).f1
    return f1(turns) / ours if ours else 0.0


def judged(people: Mapping[str, list[Judged]]) -> dict[str, Interval]:
    """F1 and its ratio to ours, with intervals by drawing people."""
    clusters = list(people.values())
    return {name: resampled(clusters, of, draws=DRAWS) for name, of in (("f1", f1), ("ratio", f1_ratio))}
