"""How well feedback and transferable rules are found in labelled turns of real sessions.

Two questions a turn: does it hold feedback, and does it hold a rule that transfers? On the label's own `text`, with the
agent's act where a reader finds the turn in its session. Intervals come from resampling people, since turns of one
person are alike. Rules: whether the turns that labellers grouped into one rule end up in one rule here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from ingrained.errors import ConfigError, IngrainedError
from ingrained.feedback.decompose import Atom, Decomposer, Parking
from ingrained.ids import MessageKey, PersonId, ProjectId, message_of
from ingrained.session.read import read_file
from ingrained.session.redact import SecretRedactor
from ingrained.session.session import Act, Form, Turn
from ingrained.skill.project import project
from ingrained.skill.rule import Frozen, Heard, Rule, Said
from ingrained.stats import Agreement, agreement, resampled

R = TypeVar("R", bound=BaseModel)
FORMS: Mapping[str, Form] = {"rejection": "refusal"}
_DRAWS = 2000


class _Foreign(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class LabelAtom(_Foreign):
    """One labelled atom."""

    rule: str
    transferable: bool
    kind: str = "other"


class Votes(_Foreign):
    """How many of three labellers said yes."""

    feedback: int = 0
    transferable: int = 0


class Label(_Foreign):
    """One labelled turn."""

    session: str
    line: int
    turn: str = ""
    text: str
    form: str = "typed"
    sample: str = ""
    atoms: tuple[LabelAtom, ...] = ()
    votes: Votes | None = None

    @property
    def person(self) -> str:
        """Whose turn it is: the folder of the session."""
        return self.session.rpartition("/")[0]

    @property
    def repository(self) -> str:
        """Where it was said: the first folder of the session's path."""
        return self.session.partition("/")[0]

    @property
    def unanimous(self) -> bool:
        """All labellers agree on both questions."""
        votes = self.votes
        return votes is not None and {votes.feedback, votes.transferable} <= {0, 3}


class Support(_Foreign):
    """A turn that supports a labelled rule."""

    session: str
    line: int


class LabelRule(_Foreign):
    """Turns that labellers grouped into one rule."""

    developer: str
    rule: str
    support: tuple[Support, ...]


class Score(Frozen):
    """Precision, recall and F1 in [0, 1], with the ends of the 95 % interval of F1 by resampling people."""

    n: int
    positives: int
    predicted: int
    precision: float
    recall: float
    f1: float
    f1_low: float
    f1_high: float


class Part(Frozen):
    """Both questions on one part of the turns."""

    part: str
    feedback: Score
    transferable: Score


class RuleRecall(Frozen):
    """How many labelled rules are found again, of `n`."""

    n: int
    found: int
    """Some rule holds at least one of the supporting turns."""
    joined: int
    """One rule holds two of them at least."""
    supported: int
    """And that rule is supported or established."""
    missed: list[str]
    """Labelled rules of which no rule holds any turn."""


class FeedbackBench(Frozen):
    """`bench feedback --json`."""

    version: int = 1
    labels: str
    decomposer: str
    decomposer_version: str
    people: int
    with_act: int
    """Turns that a reader found in their session, so that the agent's act was known."""
    unread: dict[str, str]
    """Sessions that no reader knows, and why; their turns are judged on the text alone."""
    parts: list[Part]
    per_person: list[Part]
    rules: RuleRecall | None
    parked: dict[str, int]
    """Turns without an answer of the judge, by reason; they count as if it had found nothing."""
    seed: int
    draws: int = _DRAWS


def load(path: Path) -> list[Label]:
    """The labels in a JSON lines file.

    Raises:
        ConfigError: the file cannot be read, or a line is no label.
    """
    return records(path, Label)


def records(path: Path, shape: type[R]) -> list[R]:
    """The records of a JSON lines file, each of one shape.

    Raises:
        ConfigError: the file cannot be read, or a line is of another shape; the message names file, line and field.
    """
    try:
        lines = path.read_text("utf-8").split("\n")
    except OSError as error:
        raise ConfigError(
            f"{str(path)!r} cannot be read: {error.strerror}", hint="name a file of JSON lines"
        ) from error
    found: list[R] = []
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                found.append(shape.model_validate_json(line))
            except ValidationError as error:
                what = error.errors()[0]
                where = ".".join(map(str, what["loc"])) or "line"
                raise ConfigError(f"{path}:{number}: {where}: {what['msg']}") from error
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledSessions:
    """What the readers found in the labelled sessions."""

    turns: dict[tuple[str, str], Turn]
    """By session path and record id, and by session path and `L<line>`."""
    by_session: dict[str, list[Turn]]
    unread: dict[str, str]

    def at(self, label: Label) -> Turn | None:
        """The turn that a label stands at, by its record id, else by its line."""
        named = self.turns.get((label.session, label.turn)) if label.turn else None
        return named or self.turns.get((label.session, f"L{label.line}"))


def read_sessions(root: Path, sessions: Iterable[str]) -> LabelledSessions:
    """What our readers find in sessions under a folder; what no reader knows is a note, not an error."""
    turns: dict[tuple[str, str], Turn] = {}
    by_session: dict[str, list[Turn]] = {}
    unread: dict[str, str] = {}
    redactor = SecretRedactor()
    for name in sorted(set(sessions)):
        try:
            read = read_file(root / name, cursor=None, redactor=redactor)
        except IngrainedError as error:
            unread[name] = error.message.replace(str(root.resolve()) + "/", "").replace(str(root) + "/", "")
            continue
        for turn in read.turns if read else ():
            turns[name, turn.record] = turn
            turns[name, f"L{turn.line}"] = turn
            by_session.setdefault(name, []).append(turn)
    return LabelledSessions(turns=turns, by_session=by_session, unread=unread)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged:
    """One labelled turn, what was said of it and what is true."""

    label: Label
    feedback: bool
    transferable: bool


JudgeOf: TypeAlias = Callable[[str], Decomposer]
"""The decomposer that judges the sessions of a repository, by the first folder of their path."""


def measure(labels: Path, root: Path, judge_of: JudgeOf, *, seed: int = 0) -> FeedbackBench:
    """Judge every labelled turn and compare. Cost: one decomposition a turn; reads the labelled sessions once.

    Args:
        labels: the labels; `rules.jsonl` beside them, if there, holds the grouped rules.
        root: folder that the labels' session paths start in.
        judge_of: whose judgement, by repository, so that one may be left out of what a decomposer learned from.
        seed: of the resampling.

    Raises:
        ConfigError: the labels cannot be read.
    """
    marked = load(labels)
    sessions = read_sessions(root, [label.session for label in marked])
    seen = [sessions.at(label) for label in marked]
    judges = list({id(judge): judge for judge in map(judge_of, sorted({one.repository for one in marked}))}.values())
    grouped = labels.parent / "rules.jsonl"
    for judge in judges:
        if isinstance(judge, Parking):
            more = [turn for turns in sessions.by_session.values() for turn in turns] if grouped.exists() else []
            judge.announce([*map(turn_of, marked, seen), *more])
    judged = _judge_all(marked, seen, judge_of)
    parts: dict[str, Callable[[Label], bool]] = {
        "all": lambda _: True,
        "random": lambda label: label.sample == "random",
        "unanimous": lambda label: label.unanimous,
    }
    people = sorted({label.person for label in marked})
    recall = _rules(records(grouped, LabelRule), marked, sessions, judge_of) if grouped.exists() else None
    return FeedbackBench(
        labels=labels.name,
        decomposer=", ".join(sorted({judge.name for judge in judges})),
        decomposer_version=", ".join(sorted({judge.version for judge in judges})),
        people=len(people),
        with_act=sum(found is not None for found in seen),
        unread=sessions.unread,
        parts=[_part(name, [j for j in judged if wanted(j.label)], seed) for name, wanted in parts.items()],
        per_person=[_part(person, [j for j in judged if j.label.person == person], seed) for person in people],
        rules=recall,
        parked=dict(Counter(why for one in judges if isinstance(one, Parking) for why in one.parked.values())),
        seed=seed,
    )


def _judge_all(marked: Sequence[Label], seen: Sequence[Turn | None], judge_of: JudgeOf) -> list[_Judged]:
    answers: dict[int, list[Atom]] = {}
    for repository in sorted({label.repository for label in marked}):
        here = [i for i, label in enumerate(marked) if label.repository == repository]
        found = judge_of(repository).decompose([turn_of(marked[i], seen[i]) for i in here])
        answers.update(zip(here, found, strict=True))
    return [_judged(label, answers[i]) for i, label in enumerate(marked)]


def _judged(label: Label, atoms: Sequence[Atom]) -> _Judged:
    asked = [atom for atom in atoms if atom.feedback]
    return _Judged(label=label, feedback=bool(asked), transferable=any(atom.transferable for atom in asked))


def turn_of(label: Label, found: Turn | None) -> Turn:
    """The label's text as a turn, with the act that the reader saw; without one, an act is assumed."""
    return Turn(
        key=MessageKey(f"{label.session}:{label.line}"),
        tool=found.tool if found else "",
        session=label.session,
        record=label.turn or f"L{label.line}",
        line=label.line,
        text=label.text,
        form=found.form if found else FORMS.get(label.form, label.form),  # type: ignore[arg-type]
        time=found.time if found else None,
        cwd=found.cwd if found else "",
        branch="",
        act=found.act if found else Act(said="…"),
        after_interrupt=found.after_interrupt if found else False,
    )


def bare_turn(key: str, text: str, *, form: Form = "typed", act: Act | None = None) -> Turn:
    """A turn of a file of turns: what was said, and nothing of where."""
    return Turn(
        key=MessageKey(key),
        tool="",
        session=key,
        record=key,
        line=1,
        text=text,
        form=form,
        time=None,
        cwd="",
        branch="",
        act=act or Act(),
    )


def _part(name: str, judged: Sequence[_Judged], seed: int) -> Part:
    return Part(
        part=name,
        feedback=_score(judged, lambda j: (j.feedback, bool(j.label.atoms)), seed),
        transferable=_score(judged, lambda j: (j.transferable, any(a.transferable for a in j.label.atoms)), seed),
    )


def _score(judged: Sequence[_Judged], pair: Callable[[_Judged], tuple[bool, bool]], seed: int) -> Score:
    def agree(items: Sequence[_Judged]) -> Agreement:
        pairs = [pair(item) for item in items]
        return agreement([said for said, _ in pairs], [true for _, true in pairs])

    people: dict[str, list[_Judged]] = {}
    for item in judged:
        people.setdefault(item.label.person, []).append(item)
    whole = agree(judged)
    interval = resampled(list(people.values()), lambda items: agree(items).f1, draws=_DRAWS, seed=seed)
    return Score(
        n=whole.n,
        positives=whole.positives,
        predicted=whole.predicted,
        precision=round(whole.precision, 4),
        recall=round(whole.recall, 4),
        f1=round(whole.f1, 4),
        f1_low=round(interval.low, 4),
        f1_high=round(interval.high, 4),
    )


def _rules(
    grouped: Sequence[LabelRule], marked: Sequence[Label], sessions: LabelledSessions, judge_of: JudgeOf
) -> RuleRecall:
    names = {(label.session, label.line): label for label in marked}
    found = joined = supported = 0
    missed: list[str] = []
    projected: dict[str, tuple[Rule, ...]] = {}
    for wanted in grouped:
        if wanted.developer not in projected:
            judge = judge_of(wanted.developer.partition("/")[0])
            projected[wanted.developer] = _projected(wanted.developer, marked, sessions, judge)
        support = {_key(names[s.session, s.line], sessions) for s in wanted.support if (s.session, s.line) in names}
        hits = [
            (len(support & {message_of(item.atom) for item in rule.evidence}), rule.level)
            for rule in projected[wanted.developer]
        ]
        best = max(hits, default=(0, "tentative"), key=lambda hit: (hit[0], hit[1] != "tentative"))
        found += best[0] >= 1
        joined += best[0] >= 2
        supported += best[0] >= 2 and best[1] in {"supported", "established"}
        if best[0] == 0:
            missed.append(f"{wanted.developer}: {wanted.rule}")
    return RuleRecall(n=len(grouped), found=found, joined=joined, supported=supported, missed=missed)


def _key(label: Label, sessions: LabelledSessions) -> MessageKey:
    turn = sessions.at(label)
    return turn.key if turn else MessageKey(f"{label.session}:{label.line}")


def _projected(
    developer: str, marked: Sequence[Label], sessions: LabelledSessions, decomposer: Decomposer
) -> tuple[Rule, ...]:
    """The rules of one developer from all turns that a reader found; from the labelled texts where none did."""
    turns = [turn for name, found in sessions.by_session.items() if name.startswith(developer + "/") for turn in found]
    if not turns:
        turns = [turn_of(label, None) for label in marked if label.person == developer]
    unique = {turn.key: turn for turn in turns}
    heard = [_heard(turn, developer) for turn in unique.values()]
    atoms: list[Atom] = [atom for found in decomposer.decompose(list(unique.values())) for atom in found]
    return project(heard, atoms, []).rules


def _heard(turn: Turn, developer: str) -> Heard:
    return Heard(
        key=turn.key,
        person=PersonId(developer),
        project=ProjectId(developer.partition("/")[0]),
        session=turn.session,
        turn=turn.record,
        text=turn.text,
        form=turn.form,
        act=Said(tool=turn.act.tool, input=turn.act.input, said=turn.act.said),
        time=turn.time,
    )
