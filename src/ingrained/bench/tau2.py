"""tau2-bench: its tasks by domain and family; `bench.tasks.split` parts them.

Tasks are read by path, in upstream's shape, from a folder that holds `domains/DOMAIN/tasks.json` (telecom:
`tasks_small.json`); without a path from the package that also brings tools and state (`harness/tau2.py`).

The decision to know: a family is a domain and the first thing that its right actions change, since what teaches about
one exchange of goods teaches about another; a telecom task's is the kind of fault that its name begins with.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

from pydantic import JsonValue, TypeAdapter, ValidationError

from ingrained.bench.tasks import TaskSet, path_of
from ingrained.bench.writing.rows import Row
from ingrained.errors import ConfigError
from ingrained.harness.base import By, Task
from ingrained.harness.tau2 import package_data
from ingrained.verify.database import Part

Domain = Literal["retail", "airline", "telecom"]

_BASIS: Final[Mapping[str, Part]] = {
    "DB": "database",
    "ENV_ASSERTION": "environment",
    "ACTION": "action",
    "COMMUNICATE": "communicate",
    "NL_ASSERTION": "assertions",
}
_BY: Final[Mapping[str, By]] = {"assistant": "worker", "user": "user"}
_READS: Final = ("get_", "find_", "search_", "list_", "check_", "calculate", "think", "transfer_", "run_", "can_")
_FAULT: Final = re.compile(r"\[(\w+)\]")
_REQUEST: Final = "You serve customers of this {what}. Serve the one who is talking to you now."
_SERVES: Final[Mapping[Domain, str]] = {"retail": "shop", "airline": "airline", "telecom": "telephone company"}


class _Action(Row):
    name: str
    arguments: dict[str, JsonValue]
    requestor: Literal["assistant", "user"] = "assistant"
    compare_args: tuple[str, ...] | None = None


class _Criteria(Row):
    actions: tuple[_Action, ...] | None = None
    env_assertions: tuple[dict[str, JsonValue], ...] | None = None
    communicate_info: tuple[str, ...] | None = None
    nl_assertions: tuple[str, ...] | None = None
    reward_basis: tuple[Literal["DB", "ENV_ASSERTION", "ACTION", "COMMUNICATE", "NL_ASSERTION"], ...] = (
        "DB",
        "COMMUNICATE",
    )


class _Scenario(Row):
    persona: str | None = None
    instructions: str | dict[str, str | None]


class _Task(Row):
    id: str
    user_scenario: _Scenario
    initial_state: dict[str, JsonValue] | None = None
    evaluation_criteria: _Criteria


_TASKS: Final = TypeAdapter(tuple[_Task, ...])


def retail(place: str) -> TaskSet:
    """The tasks of `tau2-retail`, or `tau2-retail:PLACE`; errors are those of `tasks`."""
    return _at("retail", place)


def airline(place: str) -> TaskSet:
    """The tasks of `tau2-airline`, or `tau2-airline:PLACE`; errors are those of `tasks`."""
    return _at("airline", place)


def telecom(place: str) -> TaskSet:
    """The tasks of `tau2-telecom`, or `tau2-telecom:PLACE`; errors are those of `tasks`."""
    return _at("telecom", place)


def _at(domain: Domain, place: str) -> TaskSet:
    data = path_of(f"tau2-{domain}", place, "the folder of tau2-bench that holds domains/") if place else None
    return TaskSet(tasks=tasks(domain, data), verifier="database")


def tasks(domain: Domain, data: Path | None = None) -> tuple[Task, ...]:
    """The tasks of a domain, in upstream's order.

    Args:
        domain: which one.
        data: the folder that holds `domains/`; that of the package where it is left out.

    Raises:
        ConfigError: there are none, or one is not of upstream's shape.
        MissingExtraError: `data` is left out and the package is not installed.
    """
    folder = (package_data() if data is None else data) / "domains" / domain
    path = folder / ("tasks_small.json" if domain == "telecom" else "tasks.json")
    try:
        read = _TASKS.validate_json(path.read_bytes())
    except OSError as error:
        raise ConfigError(
            f"cannot read the tasks {str(path)!r}: {error.strerror or error}",
            hint="--data names the folder that holds domains/; without it those of the package are taken",
        ) from error
    except ValidationError as error:
        first = error.errors()[0]
        raise ConfigError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    return tuple(_task(domain, one) for one in read)


def _task(domain: Domain, read: _Task) -> Task:
    wanted = read.evaluation_criteria
    right = wanted.actions or ()
    return Task(
        id=f"{domain}/{read.id}",
        benchmark="tau2",
        family=_family(domain, read),
        request=_REQUEST.format(what=_SERVES[domain]),
        world="tau2",
        user=_part(read.user_scenario),
        known={
            "domain": domain,
            "initial": read.initial_state,
            "basis": [_BASIS[one] for one in wanted.reward_basis],
            "gold": [
                {
                    "tool": one.name,
                    "arguments": one.arguments,
                    "by": _BY[one.requestor],
                    "compare": None if one.compare_args is None else list(one.compare_args),
                }
                for one in right
            ],
            "claims": list(wanted.env_assertions or ()),
            "tell": list(wanted.communicate_info or ()),
            "assertions": list(wanted.nl_assertions or ()),
        },
    )


def _family(domain: Domain, read: _Task) -> str:
    fault = _FAULT.match(read.id)
    if fault:
        return f"{domain}/{fault[1]}"
    changes = [one.name for one in read.evaluation_criteria.actions or () if not one.name.startswith(_READS)]
    return f"{domain}/{changes[0] if changes else 'nothing'}"


def _part(scenario: _Scenario) -> str:
    """What the user is told, as one text; upstream's words under our names for them."""
    told = scenario.instructions
    parts = {"who": scenario.persona, "": told} if isinstance(told, str) else {"who": scenario.persona, **told}
    return "\n\n".join(f"{name.replace('_', ' ')}: {text}".removeprefix(": ") for name, text in parts.items() if text)
