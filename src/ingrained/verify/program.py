"""Exact checks of an answer's text: assertions that a task lists, or a small program of its own.

For families where a right answer has many wordings and a fixed form: commit messages, reports, JSON. The decision to
know: nothing of a task runs in this process. An assertion is data (a pattern, a length, a value in JSON), and a program
runs in the sandbox with the answer in a file. Patterns are the task's and taken as sound; only the text that they
are tried on is the worker's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Annotated, Final, Literal, TypeAlias

from pydantic import Field, JsonValue, field_validator

from ingrained.errors import ConfigError
from ingrained.harness.base import Task, Trace, options_of
from ingrained.harness.sandbox import Limits, run_python
from ingrained.model.base import Model
from ingrained.skill.rule import Frozen
from ingrained.verify.base import Checked, Verifier, known_as, unanswered
from ingrained.verify.fenced import unfenced
from ingrained.verify.score import Score
from ingrained.wording import plural

ANSWER: Final = "answer.txt"

Part: TypeAlias = Literal["all", "first line", "rest", "last line"]
"""Of an answer without white space around it; `rest` is what follows the first line, the line end included."""


class _Named(Frozen):
    name: str
    """What is checked, as a score's part is called."""


class Matches(_Named):
    """How often a pattern is found; `^` and `$` are the ends of a line."""

    check: Literal["matches"]
    on: Part = "all"
    pattern: str
    least: int = Field(default=1, ge=0)
    most: int | None = None
    """No upper end without it; 0 with `least` 0 says that the pattern may not occur."""

    @field_validator("pattern")
    @classmethod
    def _sound(cls, value: str) -> str:
        try:
            re.compile(value)
        except re.error as error:
            raise ValueError(f"no pattern: {error}") from error
        return value

    def wrong(self, answer: str) -> str:
        """Why it fails; empty where it holds."""
        found = len(re.findall(self.pattern, part_of(answer, self.on), re.MULTILINE))
        within = found >= self.least and (self.most is None or found <= self.most)
        return "" if within else f"found {plural(found, 'time')}"


class Equals(_Named):
    """A part is this text, to the character."""

    check: Literal["equals"]
    on: Part = "all"
    text: str

    def wrong(self, answer: str) -> str:
        """Why it fails; empty where it holds."""
        part = part_of(answer, self.on)
        return "" if part == self.text else f"found {part[:80]!r}"


class Length(_Named):
    """How long a part is, or its longest line."""

    check: Literal["length"]
    on: Part = "all"
    of: Literal["characters", "words", "lines", "longest line"] = "characters"
    least: int = Field(default=0, ge=0)
    most: int | None = None

    def wrong(self, answer: str) -> str:
        """Why it fails; empty where it holds."""
        part = part_of(answer, self.on)
        lines = part.split("\n")
        sizes = {"characters": len(part), "words": len(part.split()), "lines": len(lines)}
        size = sizes.get(self.of, max(map(len, lines)))
        return "" if size >= self.least and (self.most is None or size <= self.most) else f"{size} {self.of}"


class InJson(_Named):
    """The answer is JSON with this value at a path; numbers are equal as numbers, but true is not 1."""

    check: Literal["json"]
    path: tuple[str | int, ...] = ()
    value: JsonValue

    def wrong(self, answer: str) -> str:
        """Why it fails; empty where it holds."""
        try:
            found = json.loads(answer)
        except (ValueError, RecursionError) as error:
            return f"no JSON: {error}"[:120]
        for step in self.path:
            inside = isinstance(step, int) and isinstance(found, list) and -len(found) <= step < len(found)
            if not inside and not (isinstance(found, dict) and step in found):
                return f"nothing at {step!r}"
            found = found[step]
        return "" if _same(found, self.value) else f"found {json.dumps(found)[:80]}"


class Runs(_Named):
    """A Python program that reads `answer.txt` in its folder; it holds where the program ends with exit code 0."""

    check: Literal["program"]
    code: str


Check: TypeAlias = Annotated[Matches | Equals | Length | InJson | Runs, Field(discriminator="check")]


class Known(Frozen):
    """`known` of such a task."""

    checks: tuple[Check, ...] = Field(min_length=1)
    unfence: bool = False
    """Take off a fence that the answer opens with."""

    @field_validator("checks")
    @classmethod
    def _each_once(cls, value: tuple[Check, ...]) -> tuple[Check, ...]:
        names = [one.name for one in value]
        if twice := sorted({one for one in names if names.count(one) > 1}):
            raise ValueError(f"two checks are called {', '.join(twice)}")
        return value


class Options(Frozen):
    """Options of the verifier."""

    score: Literal["hard", "soft"] = "hard"
    """Whether all checks hold, or the share that does."""
    only: tuple[str, ...] = ()
    """Names of the checks that count; empty: all that a task has."""
    allow_unconfined: bool = False
    """Run programs also where they cannot be confined."""
    limits: Limits = Limits(seconds=20, cpu_seconds=5)


class Program:
    """Checks texts. Each check is a part of the score."""

    def __init__(self, options: Options | None = None) -> None:
        self._options = options or Options()

    async def check(self, task: Task, trace: Trace) -> Checked:
        """1 or 0, or the share of the checks that hold. Cost: 0.1 s a program among the checks.

        Raises:
            ConfigError: the task is none for this verifier, or has no such check.
            EnvironmentFaultError: a program cannot be confined here, and `allow_unconfined` is not set.
        """
        known = known_as(task, Known)
        if (none := unanswered(trace)) is not None:
            return Checked(outcome=none)
        answer = (unfenced(trace.answer) if known.unfence else trace.answer).strip()
        wrong = {one.name: await self._wrong(one, answer) for one in self._counted(task, known)}
        parts = {name: Score(value=float(not why)) for name, why in wrong.items()}
        share = sum(one.value for one in parts.values()) / len(parts)
        said = "; ".join(f"{name}: {why}" for name, why in wrong.items() if why)
        outcome = Score(value=float(share == 1) if self._options.score == "hard" else share)
        return Checked(outcome=outcome, parts=parts, why=said or f"all {len(parts)} checks hold")

    def _counted(self, task: Task, known: Known) -> list[Check]:
        names = {one.name for one in known.checks}
        if missing := [name for name in self._options.only if name not in names]:
            raise ConfigError(
                f"task {task.id!r} has no check {missing[0]!r}; it has {', '.join(sorted(names))}",
                hint="correct the verifier's option 'only'",
            )
        return [one for one in known.checks if not self._options.only or one.name in self._options.only]

    async def _wrong(self, check: Check, answer: str) -> str:
        if not isinstance(check, Runs):
            return check.wrong(answer)
        ran = await run_python(
            check.code,
            files={ANSWER: answer.encode("utf-8", "replace")},
            limits=self._options.limits,
            allow_unconfined=self._options.allow_unconfined,
        )
        marked = "" if ran.enforced.confined else f" ({ran.enforced.told})"
        return "" if ran.ended == "done" else ran.told + marked


def program(_judge: Model | None, options: Mapping[str, JsonValue], /) -> Verifier:
    """The verifier `program`; options: `score`, `only`, `allow_unconfined`, `limits`.

    Raises:
        ConfigError: an option is unknown or wrong.
    """
    return Program(options_of("verifier 'program'", Options, options))


def part_of(answer: str, part: Part) -> str:
    """The part of an answer that a check is about."""
    first, end, rest = answer.partition("\n")
    return {"all": answer, "first line": first, "rest": end + rest, "last line": answer.rpartition("\n")[2]}[part]


def _same(one: JsonValue, other: JsonValue) -> bool:
    """Equal as JSON. Python's own equality takes true for 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return isinstance(one, bool) == isinstance(other, bool) and one == other
