"""Training turns: several sets of labelled turns brought into one shape, and who must not meet whom.

The same repositories and people stand in several sets, so a turn carries the repository that it came from under one
name (`REPOSITORIES`); whatever is measured on a repository is measured by a model that saw none of its turns.
Labels are soft: three votes, two labellers, or one who hesitated, as a number between 0 and 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from ingrained.bench.feedback import Label, bare_turn, read_sessions, records, turn_of
from ingrained.feedback.decompose import Kind
from ingrained.session.session import Act, Form, Turn

REPOSITORIES: Mapping[str, str] = {"cli": "entireio-cli"}
"""First word of a task's name in `swe-together`, where its sessions come from a repository of another set."""
_UNSURE_FEEDBACK, _UNSURE_TRANSFER = 0.65, 0.6
"""What a yes counts for where the labeller hesitated."""
WEIGHTS: Mapping[str, float] = {"labels": 2.0, "silver": 1.2, "swe": 0.5, "written": 0.6, "unlabelled": 0.0}
"""How much the label of a turn counts in training: of real turns more than of written ones, three votes more than one
or two."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """An atom's place in a turn's text, `[start, end)` in characters, and what was said of it."""

    start: int
    end: int
    transferable: float
    kind: Kind = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One turn to learn from; of an `unlabelled` one the labels are 0 and count nothing."""

    source: str
    """`labels`, `silver`, `swe`, `written`, `unlabelled`."""
    key: str
    """Where it stands; the same in every run."""
    repository: str
    person: str
    turn: Turn
    feedback: float
    """How much it holds feedback, in [0, 1]."""
    transferable: float
    """How much it holds a rule that transfers, in [0, 1]."""
    atoms: tuple[Marked, ...] | None = None
    """`None` where the set does not say where in the text they stand."""
    label: Label | None = None
    """Set for turns that figures are given on."""


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class WrittenAct(_Record):
    """The act before a written turn."""

    tool: str = ""
    input: str = ""
    said: str = ""


class WrittenAtom(_Record):
    """One atom of a written turn."""

    quote: str
    transferable: bool
    kind: Kind = "other"


class Written(_Record):
    """A turn that was written for training."""

    id: str
    lang: str = "en"
    person: str
    text: str
    form: Form = "typed"
    act: WrittenAct = WrittenAct()
    atoms: tuple[WrittenAtom, ...] = ()


class Intent(_Record):
    """A turn of `swe-together`, with one labeller's atoms."""

    task_file: str
    intent_id: int
    text: str
    atoms: tuple[SilverAtom, ...] = ()


class SilverAtom(_Record):
    """An atom as one labeller gave it, without its place."""

    transferable: bool
    unsure: bool = False


class Second(_Record):
    """What a second labeller said of a turn of `silver` or `swe`; places instead of words."""

    key: str
    atoms: tuple[SecondAtom, ...] = ()


class SecondAtom(_Record):
    """One atom of the second labeller."""

    start: int
    end: int
    transferable: bool
    unsure: bool = False
    kind: Kind = "other"


def labelled(path: Path, root: Path) -> list[Example]:
    """The turns of `labels.jsonl`, each judged by three.

    Raises:
        ConfigError: the file cannot be read, or a line is no label.
    """
    found: list[Example] = []
    for label, turn in _with_turns(records(path, Label), root):
        votes = label.votes
        found.append(
            Example(
                source="labels",
                key=f"labels:{label.session}:{label.line}",
                repository=label.repository,
                person=label.person,
                turn=turn,
                feedback=votes.feedback / 3 if votes else float(bool(label.atoms)),
                transferable=votes.transferable / 3 if votes else float(any(a.transferable for a in label.atoms)),
                label=label,
            )
        )
    return found


class _Silver(_Record):
    """A turn with one labeller's atoms; `label` is the same without them."""

    session: str
    line: int
    turn: str = ""
    text: str
    form: str = "typed"
    atoms: tuple[SilverAtom, ...] = ()

    @property
    def label(self) -> Label:
        return Label(session=self.session, line=self.line, turn=self.turn, text=self.text, form=self.form)


def silver(path: Path, root: Path, second: Mapping[str, Second]) -> list[Example]:
    """The turns of `silver.jsonl`, each judged by one, and by a second where `second` knows it."""
    given = records(path, _Silver)
    return [
        _judged_twice(
            Example(
                source="silver",
                key=f"silver:{label.session}:{label.line}",
                repository=label.repository,
                person=label.person,
                turn=turn,
                feedback=0.0,
                transferable=0.0,
            ),
            one.atoms,
            second,
        )
        for one, (label, turn) in zip(given, _with_turns([one.label for one in given], root), strict=True)
    ]


def intents(path: Path, second: Mapping[str, Second]) -> list[Example]:
    """The turns of `swe-together`, excerpts without what came before."""
    found: list[Example] = []
    for one in records(path, Intent):
        task = one.task_file.split("/")[1]
        first = task.partition("-")[0]
        repository = REPOSITORIES.get(first, f"swe/{first}")
        example = Example(
            source="swe",
            key=f"swe:{task}:{one.intent_id}",
            repository=repository,
            person=repository,
            turn=bare_turn(f"swe:{task}:{one.intent_id}", _unquoted(one.text)),
            feedback=0.0,
            transferable=0.0,
        )
        found.append(_judged_twice(example, one.atoms, second))
    return found


def written(paths: Iterable[Path]) -> list[Example]:
    """Turns written for training, of people who do not exist.

    Raises:
        ConfigError: a file cannot be read, or a line is no such turn.
    """
    found: list[Example] = []
    for path in paths:
        for one in records(path, Written):
            act = Act(tool=one.act.tool, input=one.act.input, said=one.act.said)
            places = [(one.text.find(atom.quote), atom) for atom in one.atoms]
            found.append(
                Example(
                    source="written",
                    key=f"written:{one.id}",
                    repository="written",
                    person=f"{path.stem}/{one.person}",
                    turn=bare_turn(f"written:{one.id}", one.text, form=one.form, act=act),
                    feedback=float(bool(one.atoms)),
                    transferable=float(any(atom.transferable for atom in one.atoms)),
                    atoms=tuple(
                        Marked(
                            start=at, end=at + len(atom.quote), transferable=float(atom.transferable), kind=atom.kind
                        )
                        for at, atom in places
                        if at >= 0
                    ),
                )
            )
    return found


def seconds(path: Path) -> dict[str, Second]:
    """The second labels by the key of their example; none where there is no such file."""
    return {one.key: one for one in records(path, Second)} if path.exists() else {}


def distinct(examples: Iterable[Example]) -> list[Example]:
    """Each text once in a set and repository, the first: sessions that are replayed repeat their turns."""
    seen: set[tuple[str, str, str]] = set()
    found: list[Example] = []
    for example in examples:
        same = (example.source, example.repository, example.turn.text.strip().lower())
        if example.label is not None or same not in seen:
            found.append(example)
        seen.add(same)
    return found


def _with_turns(labels: Sequence[Label], root: Path) -> Iterator[tuple[Label, Turn]]:
    read = read_sessions(root, [label.session for label in labels])
    for label in labels:
        yield label, turn_of(label, read.at(label))


def _judged_twice(example: Example, atoms: Sequence[SilverAtom], second: Mapping[str, Second]) -> Example:
    def share(found: Sequence[SilverAtom] | Sequence[SecondAtom], unsure: float) -> float:
        return max((unsure if atom.unsure else 1.0 for atom in found), default=0.0)

    one = share(atoms, _UNSURE_FEEDBACK), share([a for a in atoms if a.transferable], _UNSURE_TRANSFER)
    other = second.get(example.key)
    if other is None:
        return replace(example, feedback=one[0], transferable=one[1])
    two = share(other.atoms, _UNSURE_FEEDBACK), share([a for a in other.atoms if a.transferable], _UNSURE_TRANSFER)
    return replace(
        example,
        feedback=(one[0] + two[0]) / 2,
        transferable=(one[1] + two[1]) / 2,
        atoms=tuple(
            Marked(start=a.start, end=a.end, transferable=float(a.transferable), kind=a.kind) for a in other.atoms
        ),
    )


def _unquoted(text: str) -> str:
    match = re.fullmatch(r"""(['"])(.{2,})\1""", text, re.DOTALL)
    return match.group(2) if match else text
