"""What a replay leaves behind: a line an attempt, a judgement or a pair, for a run's directory (`store.run`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import Annotated, Any, Literal, Protocol, TypeAlias, TypeVar

from pydantic import Field, JsonValue, TypeAdapter, ValidationError

from ingrained.errors import GateError
from ingrained.gate.pair import Arm, Pair
from ingrained.harness.base import Trace
from ingrained.ids import canonical_json
from ingrained.skill.rule import Frozen
from ingrained.store.run import RunFolder

T = TypeVar("T")


class _Of(Frozen):
    """Which attempt of a run something is about."""

    step: int = Field(ge=0)
    """Which group of the run, from 1; 0 for attempts that were made to learn from."""
    edit: str
    """Its name in the group; empty for the control."""
    skill: str
    """Content hash of the text that the worker followed."""
    task: str
    seed: int

    @property
    def place(self) -> str:
        """What tells the attempt from every other of its run."""
        return place_of(self.step, self.edit, self.skill, self.task, self.seed)


def place_of(step: int, edit: str, skill: str, task: str, seed: int) -> str:
    """What tells an attempt from every other of its run."""
    return canonical_json([step, edit, skill, task, seed])


class Attempt(_Of):
    """What a worker did; written before it is checked, so that a call that was paid for is not made again."""

    version: Literal[1] = 1
    kind: Literal["attempt"] = "attempt"
    trace: Trace

    @property
    def key(self) -> str:
        """What tells the record from every other of its run."""
        return f"attempt {self.place}"


class Judged(_Of):
    """What an attempt is worth, as one side of a pair."""

    version: Literal[1] = 1
    kind: Literal["judged"] = "judged"
    arm: Arm
    parts: dict[str, Arm] = Field(default_factory=dict)
    """What the score was made of, by name."""
    why: str = ""
    """The verifier's words."""
    lost: bool = False
    """No answer came, of the worker or of a judge: where the step goes on, it is tried again."""

    @property
    def key(self) -> str:
        """What tells the record from every other of its run."""
        return f"judged {self.place}"


class Compared(Frozen):
    """A pair, and whose it is."""

    version: Literal[1] = 1
    kind: Literal["pair"] = "pair"
    step: int = Field(ge=1)
    edit: str = Field(min_length=1)
    skill: str
    """Content hash of the edited text."""
    overfit: bool = False
    """The task is one that the evidence itself came from."""
    pair: Pair

    @property
    def key(self) -> str:
        """What tells the record from every other of its run."""
        return f"pair {place_of(self.step, self.edit, self.skill, self.pair.task, self.pair.seed)}"


Record: TypeAlias = Attempt | Judged | Compared
_RECORD: TypeAdapter[Record] = TypeAdapter(Annotated[Attempt | Judged | Compared, Field(discriminator="kind")])


class Keyed(Protocol):
    """A line of a run's directory."""

    @property
    def key(self) -> str:
        """What tells it from every other of its run."""
        ...

    def model_dump(self, *, mode: Literal["json"]) -> dict[str, Any]:
        """As JSON."""
        ...


class FolderSink:
    """Keeps records, and other lines, in a run's directory; each is on disk when `put` returns."""

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder

    def put(self, record: Keyed) -> None:
        """Add one.

        Raises:
            FileError: it cannot be written.
        """
        self._folder.append({"key": record.key, **record.model_dump(mode="json")})


def records(lines: Iterable[Mapping[str, JsonValue]]) -> list[Record]:
    """The records among the lines of a run's directory, in their order; other lines are passed over.

    Raises:
        GateError: a line says that it is one and is not.
    """
    return read_lines(lines, {"attempt", "judged", "pair"}, _RECORD, "record of a replay")


def read_lines(lines: Iterable[Mapping[str, JsonValue]], kinds: Set[str], shape: TypeAdapter[T], what: str) -> list[T]:
    """The lines of some kinds, in their order; others are passed over.

    Args:
        lines: of a run's directory.
        kinds: those that are wanted.
        shape: what such a line is, without its key.
        what: for the error.

    Raises:
        GateError: a line says that it is one and is not.
    """
    found: list[T] = []
    for line in lines:
        if line.get("kind") not in kinds:
            continue
        try:
            found.append(shape.validate_python({name: line[name] for name in line if name != "key"}))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise GateError(
                f"no {what}: {'.'.join(map(str, first['loc']))}: {first['msg']} ({line.get('key')!r})",
                hint="remove the line; what it tells is made again",
            ) from error
    return found


def finished(found: Iterable[Record]) -> list[tuple[Attempt, Judged]]:
    """Attempts with what they were judged to be, in their order; one that was not judged is left out."""
    known = list(found)
    judged = {one.place: one for one in known if isinstance(one, Judged)}
    return [(one, judged[one.place]) for one in known if isinstance(one, Attempt) and one.place in judged]
