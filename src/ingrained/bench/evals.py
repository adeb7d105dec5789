"""Tasks of a skill's own: `evals/evals.json` as Anthropic's skill-creator keeps it beside a SKILL.md, read and written.

The format: github.com/anthropics/skills, skills/skill-creator/references/schemas.md, and its older form, which says
`assertions` for `expectations`. The decision to know: the texts of an eval's files become part of its request, since a
task has no files of its own, and each expectation is a rubric that has to be met; where there are none, the expected
output is the one rubric. An eval that says neither is left out with the reason, as nothing could judge it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import AliasChoices, Field, JsonValue, ValidationError, field_validator, model_validator

from ingrained.bench.tasks import EVALS, TaskSet, path_of
from ingrained.bench.writing.document import SHOWN, Dropped, told
from ingrained.bench.writing.rows import Row
from ingrained.errors import ConfigError
from ingrained.harness.base import Task
from ingrained.learn.texts import read_text
from ingrained.skill.rule import Frozen
from ingrained.verify.base import known_as
from ingrained.verify.judge import rubrics_of
from ingrained.verify.program import ANSWER, Check, Equals, InJson, Known, Length, Matches, Part, Runs

FILE: Final = "evals.json"
FOLDER: Final = "evals"
"""Where the file lies in a skill's folder."""
MOST_OF_A_FILE: Final = 20_000
"""Characters of a file that a request shows."""
_FIX: Final = "correct the file"
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,14}")


class _Expectation(Row):
    """A statement, or the older object with its text, or with a name and what is checked under it.

    Such objects also occur with `check` for `description`. A name alone is a label that nothing can be judged by.
    """

    text: str = ""
    name: str = ""
    description: str = Field(default="", validation_alias=AliasChoices("description", "check"))

    @model_validator(mode="before")
    @classmethod
    def _plain(cls, value: object) -> object:
        return {"text": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _says_something(self) -> _Expectation:
        if not self.words.strip():
            raise ValueError("no statement: give a text, or an object with `text`, or `name` and `description`")
        return self

    @property
    def words(self) -> str:
        told = ": ".join(filter(None, (self.name, self.description)))
        return self.text or (told if self.description.strip() else "")


class _Eval(Row):
    id: int | str
    prompt: str = Field(pattern=r"\S")
    expected_output: str = ""
    files: tuple[str, ...] = ()
    expectations: tuple[_Expectation, ...] = ()
    assertions: tuple[_Expectation, ...] = ()

    @field_validator("id", mode="before")
    @classmethod
    def _number_or_text(cls, value: object) -> object:
        if isinstance(value, bool) or not isinstance(value, int | str) or not str(value).strip():
            raise ValueError("neither a whole number nor a text")
        return value

    @property
    def rubrics(self) -> list[str]:
        stated = [one.words for one in self.expectations or self.assertions]
        return stated or ([self.expected_output] if self.expected_output.strip() else [])


class _File(Row):
    skill_name: str = Field(pattern=r"\S")
    evals: tuple[_Eval, ...] = Field(min_length=1)


class Eval(Frozen):
    """One entry of `evals.json`, with the names of its fields there."""

    id: int = Field(ge=0)
    prompt: str
    expected_output: str = ""
    """What success is, for a person to read."""
    files: tuple[str, ...] = ()
    """Relative to the skill's folder. Always empty in what is written here: a request holds the texts themselves."""
    expectations: tuple[str, ...] = ()
    """Statements that can be verified."""


class EvalsFile(Frozen):
    """`evals.json` as it is written. The format is not ours and has no version."""

    skill_name: str
    evals: tuple[Eval, ...]

    def text(self) -> str:
        """The content of the file."""
        return self.model_dump_json(indent=2) + "\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """Tasks in that format, and what of them it cannot hold."""

    file: EvalsFile
    lost: tuple[Dropped, ...]
    """By task, one entry a reason."""


def at(place: str) -> TaskSet:
    """The tasks of `evals:PLACE`.

    Raises:
        ConfigError: nothing is there, or as `load` says.
    """
    return load(path_of(EVALS, place, f"{FOLDER}/{FILE} of a skill, or the skill's folder"))


def load(path: Path) -> TaskSet:
    """A task an eval, in the file's order; the family is the skill's name.

    Args:
        path: the file, its folder, or the skill's folder.

    Raises:
        ConfigError: it is not there or not of that format, an id occurs twice, one of an eval's files is missing, no
            text or outside the skill's folder, or nothing can be judged. The file, the eval and the field are named.
    """
    inside = [one for one in (path / FOLDER / FILE, path / FILE) if one.is_file()]
    place = inside[0] if inside else path
    read = _checked(place)
    ids = [str(one.id) for one in read.evals]
    if twice := sorted({one for one in ids if ids.count(one) > 1}):
        raise ConfigError(f"{place}: evals: id {', '.join(twice)} occurs more than once", hint=_FIX)
    known = {one.id: _known(one) for one in read.evals}
    dropped = [
        Dropped(place=str(place), why="neither expectations nor expected_output", detail=f"eval {one.id!r}")
        for one in read.evals
        if not one.rubrics
    ]
    if len(dropped) == len(read.evals):
        shown = "; ".join(told(one) for one in dropped[:SHOWN])
        raise ConfigError(f"no eval can be judged: {shown}", hint="say in `expectations` what an answer has to do")
    tasks = tuple(
        Task(
            id=str(one.id),
            benchmark=EVALS,
            family=read.skill_name,
            request=_request(place, one),
            known=known[one.id],
        )
        for one in read.evals
        if one.rubrics
    )
    return TaskSet(tasks=tasks, dropped=tuple(dropped), verifier="rubrics")


def evals_json(tasks: Sequence[Task], skill_name: str) -> Written:
    """Tasks as skill-creator reads them. Pure.

    Rubrics become expectations, and the checks of verifier `program` the same in words. What another verifier knows has
    no words: then `expected_output` and the expectations are empty, and a person has to write them.

    Raises:
        ConfigError: a task's rubrics or checks are none, or two tasks have one id.
    """
    number = numbers(tasks)
    lost = [one for task in tasks for one in _lost(task)]
    evals = (
        Eval(
            id=number[task.id],
            prompt=task.request,
            expected_output=expected if isinstance(expected := task.known.get("expected_output"), str) else "",
            expectations=_stated(task),
        )
        for task in tasks
    )
    return Written(file=EvalsFile(skill_name=skill_name, evals=tuple(evals)), lost=tuple(lost))


def numbers(tasks: Sequence[Task]) -> dict[str, int]:
    """The number of each task in such a file, by its id: its own where all are evals with one, else counted from 1.

    Raises:
        ConfigError: two tasks have one id.
    """
    ids = [task.id for task in tasks]
    if len(set(ids)) < len(ids):
        raise ConfigError("two tasks have one id")
    own = [int(one) for one in ids if _NUMBER.fullmatch(one)]
    kept = len(own) == len(ids) and all(task.benchmark == EVALS for task in tasks)
    return dict(zip(ids, own if kept else range(1, len(ids) + 1), strict=True))


def in_words(check: Check) -> str:
    """A check of verifier `program` as a statement that a person or a model can verify."""
    match check:
        case Matches():
            ends = (check.least, check.most)
            often = {(0, 0): "nowhere", (1, None): "at least once"}.get(ends, f"{_between(*ends)} times")
            return f"{check.name}: in {_where(check.on)}, the regular expression `{check.pattern}` matches {often}"
        case Equals():
            return f"{check.name}: {_where(check.on)} is exactly: {check.text}"
        case Length(of="longest line"):
            size = _between(check.least, check.most)
            return f"{check.name}: the longest line of {_where(check.on)} has {size} characters"
        case Length():
            return f"{check.name}: {_where(check.on)} has {_between(check.least, check.most)} {check.of}"
        case InJson():
            path = f"the value at {' / '.join(map(str, check.path))}" if check.path else "the whole"
            return f"{check.name}: the answer is JSON, and {path} is {json.dumps(check.value, ensure_ascii=False)}"
        case Runs():
            return f"{check.name}: this Python program ends with exit code 0, the answer in {ANSWER}:\n{check.code}"


def _where(part: Part) -> str:
    named = {"all": "the answer", "rest": "what follows the first line of the answer"}
    return named.get(part, f"the {part} of the answer")


def _between(least: int, most: int | None) -> str:
    if most is None:
        return f"at least {least}"
    if least == most:
        return f"exactly {least}"
    return f"{least} to {most}" if least else f"at most {most}"


def _stated(task: Task) -> tuple[str, ...]:
    if "rubrics" in task.known:
        return rubrics_of(task)
    return tuple(in_words(one) for one in known_as(task, Known).checks) if "checks" in task.known else ()


def _lost(task: Task) -> list[Dropped]:
    known = task.known
    reasons = {
        "its tools": bool(task.world),
        "what its user is told": bool(task.user),
        "that its checks are exact: they became words": "rubrics" not in known and "checks" in known,
        "what its verifier knows": bool(known) and not {"rubrics", "checks"} & known.keys(),
    }
    return [Dropped(place=f"task {task.id!r}", why=why) for why, is_so in reasons.items() if is_so]


def _known(one: _Eval) -> dict[str, JsonValue]:
    return {"rubrics": list(one.rubrics), **({"expected_output": one.expected_output} if one.expected_output else {})}


def _request(place: Path, one: _Eval) -> str:
    """The prompt, and below it the texts of the files, each under its name."""
    resolved = place.resolve()
    root = resolved.parent.parent if resolved.parent.name == FOLDER else resolved.parent
    return "\n\n".join([one.prompt, *(f"File {name}:\n{_text(place, root, one, name)}" for name in one.files)])


def _text(place: Path, root: Path, one: _Eval, name: str) -> str:
    where, hint = f"{place}: eval {one.id!r}: files", "name text files in UTF-8, relative to the skill's folder"
    try:
        path = (root / name).resolve()
        if not path.is_relative_to(root):
            raise ConfigError(f"{name!r} leads out of the skill's folder {str(root)!r}")
        text = read_text(path).text
    except ConfigError as error:
        raise ConfigError(f"{where}: {error.message}", hint=hint) from error
    except (OSError, ValueError) as error:  # a loop of links, a zero byte in the name
        raise ConfigError(f"{where}: {name!r}: {error}", hint=hint) from error
    more = len(text) - MOST_OF_A_FILE
    return text if more <= 0 else f"{text[:MOST_OF_A_FILE]}\n[… {more} more characters]"


def _checked(place: Path) -> _File:
    raw: Any = None
    try:
        raw = json.loads(place.read_bytes().decode("utf-8-sig"))
        return _File.model_validate(raw)
    except OSError as error:
        raise ConfigError(
            f"cannot read {str(place)!r}: {error.strerror or error}",
            hint=f"name a skill's {FOLDER}/{FILE} as {EVALS}:PATH",
        ) from error
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        why = "no JSON object" if first["type"] == "model_type" else first["msg"].removeprefix("Value error, ")
        raise ConfigError(f"{place}: {_field(first['loc'], raw)}: {why}", hint=_FIX) from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{place}: no JSON in UTF-8: {error}", hint=_FIX) from error


def _field(loc: tuple[int | str, ...], raw: Any) -> str:
    """A field as its reader finds it: the eval by its id, or by its number where it has none."""
    if len(loc) < 2 or loc[0] != "evals" or not isinstance(loc[1], int):
        return ".".join(map(str, loc)) or "the whole"
    found = raw["evals"][loc[1]]
    named = repr(found["id"]) if isinstance(found, Mapping) and "id" in found else f"number {loc[1] + 1}"
    return f"eval {named}: {'.'.join(map(str, loc[2:])) or 'the whole'}"
