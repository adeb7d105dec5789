"""CL-bench: tasks whose context holds new knowledge, checked by rubrics that all have to be met; read from a file.

The data is Tencent's (arXiv 2602.03587; `CL-bench.jsonl`, under a licence of its own that forbids training on it) and
does not come with us. A line holds `messages` (OpenAI chat), `rubrics` and `metadata` (`task_id`, `context_id`,
`context_category`, `sub_category`). Settled here: a family is a context, since its tasks are about the same evidence;
the conversation becomes one request, earlier turns labelled by who said them; and what could not be judged is counted
apart from what was not solved, where the authors' script counts it as 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, Literal

from ingrained.bench.feedback import records
from ingrained.bench.splits import Rate, rate
from ingrained.bench.tasks import TaskSet, path_of
from ingrained.bench.writing.rows import Row
from ingrained.errors import ConfigError
from ingrained.harness.base import Task
from ingrained.skill.rule import Frozen
from ingrained.verify.base import Checked
from ingrained.verify.judge import SHARE_MET
from ingrained.verify.score import Score

NAME: Final = "cl-bench"
FILE: Final = "CL-bench.jsonl"
CATEGORIES: Final = (
    "Domain Knowledge Reasoning",
    "Rule System Application",
    "Procedural Task Execution",
    "Empirical Discovery & Simulation",
)
"""Of the published data; another name is taken as it is."""
OVERALL: Final = "all"


class _Message(Row):
    role: Literal["system", "user", "assistant"]
    content: str


class _Criterion(Row):
    rubric_criteria: str


class _Metadata(Row):
    task_id: str
    context_id: str = ""
    context_category: str
    sub_category: str = ""


class _Line(Row):
    messages: tuple[_Message, ...]
    rubrics: tuple[str | _Criterion, ...]
    metadata: _Metadata


class CategoryScore(Frozen):
    """The attempts at the tasks of one category, or of one sub-category in it."""

    category: str
    """`all` for all of them."""
    sub_category: str = ""
    """Empty: the whole category."""
    solved: Rate
    """All rubrics met, of the attempts with a score."""
    share_met: float | None
    """Mean share of rubrics met, of the attempts in which every rubric has a verdict; null where there is none."""
    unscored: int


def at(place: str) -> TaskSet:
    """The tasks of `cl-bench:PLACE`.

    Raises:
        ConfigError: nothing is there, or as `load` says.
    """
    return TaskSet(tasks=tuple(load(path_of(NAME, place, f"{FILE}, or the folder with it"))), verifier="rubrics")


def load(path: Path, *, categories: Sequence[str] = ()) -> list[Task]:
    """The tasks of a file, or of `CL-bench.jsonl` in a folder, in its order.

    Args:
        path: where it lies.
        categories: only these; none: all.

    Raises:
        ConfigError: it cannot be read, a line is no task, an id occurs twice, or a category is not in it.
    """
    place = path / FILE if path.is_dir() else path
    tasks = [_task(place, number, line) for number, line in enumerate(records(place, _Line), start=1)]
    ids = [task.id for task in tasks]
    if len(set(ids)) < len(ids):
        twice = next(one for one in ids if ids.count(one) > 1)
        raise ConfigError(
            f"{str(place)!r}: task {twice!r} occurs more than once", hint="name the file as it was published"
        )
    there = dict.fromkeys(str(task.known["category"]) for task in tasks)
    for name in categories:
        if name not in there:
            raise ConfigError(f"{str(place)!r} has no category {name!r}; it has {', '.join(there) or 'no task'}")
    return [task for task in tasks if not categories or task.known["category"] in categories]


def by_category(results: Iterable[tuple[Task, Checked]]) -> list[CategoryScore]:
    """What attempts come to: overall, by category, and by sub-category; several attempts at a task count each."""
    found = [(str(task.known["category"]), str(task.known["sub_category"]), checked) for task, checked in results]
    kinds = sorted(
        {(category, sub) for category, sub, _ in found} | {(category, "") for category, _, _ in found}, key=_rank
    )
    return [
        _score(OVERALL, "", [checked for *_, checked in found]),
        *(
            _score(category, sub, [one for name, part, one in found if name == category and sub in {"", part}])
            for category, sub in kinds
        ),
    ]


def _rank(kind: tuple[str, str]) -> tuple[int, str, str]:
    category, sub = kind
    return (CATEGORIES.index(category) if category in CATEGORIES else len(CATEGORIES), category, sub)


def _score(category: str, sub_category: str, checked: Sequence[Checked]) -> CategoryScore:
    scored = [one.outcome.value for one in checked if isinstance(one.outcome, Score)]
    shares = [part.value for one in checked if isinstance(part := one.parts.get(SHARE_MET), Score)]
    return CategoryScore(
        category=category,
        sub_category=sub_category,
        solved=rate(sum(value == 1 for value in scored), len(scored)),
        share_met=round(sum(shares) / len(shares), 4) if shares else None,
        unscored=len(checked) - len(scored),
    )


def _task(place: Path, number: int, line: _Line) -> Task:
    rubrics = [one if isinstance(one, str) else one.rubric_criteria for one in line.rubrics]
    about = line.metadata
    if not rubrics or not all(one.strip() for one in rubrics):
        raise ConfigError(f"{str(place)!r}: task {number}, {about.task_id!r}: rubrics is empty, or one of them is")
    if not line.messages or line.messages[-1].role != "user":
        raise ConfigError(f"{str(place)!r}: task {number}, {about.task_id!r}: messages does not end with a user's")
    return Task(
        id=about.task_id,
        benchmark=NAME,
        family=about.context_id or about.sub_category or about.context_category,
        request=_request(line.messages),
        known={"rubrics": rubrics, "category": about.context_category, "sub_category": about.sub_category},
    )


def _request(messages: Sequence[_Message]) -> str:
    """The conversation as one request: bare where it is one question, else with who said what."""
    system = [one.content for one in messages if one.role == "system"]
    turns = [one for one in messages if one.role != "system"]
    if len(turns) == 1:
        return "\n\n".join([*system, turns[0].content])
    return "\n\n".join([*system, *(f"{one.role}:\n{one.content}" for one in turns)])
