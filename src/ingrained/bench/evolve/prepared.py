"""What a run of `evolve` is of: its configuration, the skill it begins with, its tasks and their split.

The decision to know: the configuration holds hashes of the skill, of the tasks and of the prompts, so that the same
folder always means the same run; the skill as it was lies in the folder, and later changes of the file do not matter.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, TypeAlias

from pydantic import Field, JsonValue, ValidationError

from ingrained.bench.evidence import Order
from ingrained.bench.tasks import Split, TaskSet, split, tasks_of
from ingrained.errors import ConfigError, SkillFormatError
from ingrained.gate.decide import least_tasks
from ingrained.gate.plan import Plan
from ingrained.harness.base import HARNESSES, Task, worker_of
from ingrained.harness.chat import CHAT
from ingrained.harness.tools import TOOLS
from ingrained.ids import content_hash
from ingrained.learn.editor import EDIT, GROUP
from ingrained.learn.units import BATCH
from ingrained.skill import frontmatter
from ingrained.skill.living import Living, opened, read
from ingrained.skill.rule import Frozen
from ingrained.store.files import read_bytes_or_none
from ingrained.store.run import TRACES, stored_as
from ingrained.verify.base import VERIFIERS
from ingrained.wording import plural

START: Final = "start.md"
"""The skill as it was, in the run's folder."""
SKILL: Final = "SKILL.md"
LOGIC: Final = "2"
"""Changes whenever the same answers would give another run."""
Move: TypeAlias = Literal["create", "update", "merge", "prune"]
_NAMED: Final = re.compile(r"(?P<verifier>[A-Za-z_][\w.-]*(?::[A-Za-z_]\w*)?)(?:=(?P<model>.+))?", re.DOTALL)


class EvolveConfig(Frozen):
    """`config.json`: all that decides what a run comes to."""

    version: Literal[1] = 1
    skill: str
    """The file, as it was named."""
    start: str = Field(default="", description="Content hash of the skill as it was; empty until it is resolved.")
    evidence: tuple[str, ...] = ()
    """Texts, folders of runs, `corrections`; none: attempts of the worker with the skill as it was."""
    attempts: int = Field(default=16, ge=1)
    """Attempts to learn from, where no evidence is named."""
    tasks: str
    tasks_hash: str = Field(default="", description="Of the tasks in their order; empty until it is resolved.")
    most: int = Field(default=0, ge=0)
    """Tasks at most, drawn by the seed; 0: all."""
    across: bool = False
    """All tasks count as one family: evidence from any of them is about all."""
    held_out: float = Field(default=0.3, ge=0, lt=1)
    """Share of each family that no edit is decided on and no editor sees."""
    worker: str
    worker_options: dict[str, JsonValue] = Field(default_factory=dict)
    editor: str
    screen: str | None = None
    """Who reads edits before they are replayed; nobody where it is None."""
    verifier: str = ""
    """`NAME` or `NAME=PROVIDER:MODEL`; that of the tasks where it is empty."""
    verifier_options: dict[str, JsonValue] = Field(default_factory=dict)
    plan: Plan = Plan()
    group: int = Field(default=GROUP, ge=1)
    """Edits that are asked for a step."""
    per_unit: int = Field(default=BATCH, ge=1)
    """Attempts in one unit of evidence."""
    order: Order = "given"
    without: tuple[Move, ...] = ()
    """Moves that the editor may not make."""
    passes: int = Field(default=1, ge=1)
    steps: int = Field(default=0, ge=0)
    """Units of evidence at most; 0: all."""
    final_seeds: int = Field(default=1, ge=0)
    """Pairs a held-out task, of the skill as it was and as it became; 0: that is not measured."""
    seed: int = 0
    """Of the split, the anchors, the order of arms and of what is shuffled."""
    prompts: str = Field(default="", description="Version of program and prompts; empty until it is resolved.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A run whose tasks are there and whose models were not asked yet."""

    config: EvolveConfig
    start: Living
    tasks: TaskSet
    sides: Split


def prepared(config: EvolveConfig, out: Path) -> Prepared:
    """Read the skill and the tasks, and split these. Cost: no model.

    The skill is that of the folder where one lies there.

    Raises:
        ConfigError: something cannot be read, is empty, or does not fit.
        UnknownNameError, MissingExtraError: a benchmark, worker or verifier is not there.
    """
    start = opened_skill(out / START if begun(out) else Path(config.skill))
    if config.start and start.hash != config.start and begun(out):
        raise ConfigError(f"{out / START}: changed since the run began", hint="name a new folder with --out")
    found = tasks_of(config.tasks)
    if not found.tasks:
        why = "; ".join(dict.fromkeys(one.why for one in found.dropped)) or "it is empty"
        raise ConfigError(f"tasks {config.tasks!r}: none can be used: {why}")
    verifier = config.verifier or found.verifier
    if not verifier:
        known = ", ".join(one.name for one in VERIFIERS.entries())
        raise ConfigError(f"tasks {config.tasks!r} do not say who checks them", hint=f"--verifier, one of: {known}")
    _fit(found, worker_of(config.worker)[0], verifier_of(verifier)[0], config.tasks)
    tasks = _drawn(found.tasks, config.most, config.seed)
    if config.across:
        tasks = tuple(task.model_copy(update={"family": ""}) for task in tasks)
    sides = split(tasks, share=config.held_out, seed=config.seed)
    _enough(sides.pool, config)
    if unknown := sorted(set(config.plan.may_break) - {task.id for task in sides.pool}):
        raise ConfigError(f"--may-break {unknown[0]!r} is no task that edits are decided on")
    resolved = config.model_copy(
        update={
            "verifier": verifier,
            "start": start.hash,
            "tasks_hash": content_hash([task.hash for task in tasks]),
            "prompts": content_hash([LOGIC, EDIT.hash, CHAT.hash, TOOLS.hash]),
        }
    )
    return Prepared(config=resolved, start=start, tasks=found, sides=sides)


def _enough(pool: Sequence[Task], config: EvolveConfig) -> None:
    """Refuse tasks on which no edit could be accepted.

    Raises:
        ConfigError: there are too few, or the plan takes too few of them.
    """
    families = Counter(task.family for task in pool)
    most = len(pool) if config.evidence else max(families.values(), default=0)
    wanted = least_tasks(config.plan)
    if min(most, config.plan.cap // config.plan.seeds) < wanted:
        raise ConfigError(
            f"{plural(most, 'task')} to decide on at most, and cap {config.plan.cap}: an edit that wins every one of "
            f"{wanted} tasks is the first to be accepted",
            hint="more tasks, --across, a smaller --held-out, or a larger --cap, --useful or --alpha",
        )


def begun(out: Path) -> bool:
    """Whether anything of a run was done in a folder; before that its configuration may still be another."""
    return (out / START).is_file() and bool((read_bytes_or_none(out / TRACES) or b"").strip())


def skill_name(skill: Living, path: Path) -> str:
    """What a skill is called: by its frontmatter, else by its folder or file."""
    try:
        head = frontmatter.split(skill.text.encode("utf-8", "surrogatepass"), where=str(path)).head
        named = next((one.value for one in frontmatter.read(head, where=str(path)) if one.name == "name"), "")
    except SkillFormatError:
        named = ""
    if isinstance(named, str) and named.strip():
        return named.strip()
    if path.is_dir():
        return path.resolve().name
    return path.resolve().parent.name if path.name == SKILL else path.stem


def _fit(found: TaskSet, worker: str, verifier: str, tasks: str) -> None:
    """Refuse a worker or a verifier that cannot be one for these tasks.

    Raises:
        ConfigError: it cannot.
        UnknownNameError, MissingExtraError: it is not there.
    """
    HARNESSES.load(worker)
    VERIFIERS.load(verifier)
    ours = {one.name for one in VERIFIERS.entries() if one.source == "built-in"}
    if found.verifier and verifier != found.verifier and verifier in ours:
        raise ConfigError(
            f"--verifier {verifier!r} cannot check {tasks!r}, whose tasks are for {found.verifier!r}",
            hint=f"leave it out, or name {found.verifier}, with =PROVIDER:NAME where it asks a model",
        )
    tools = any(task.world for task in found.tasks)
    if (worker == "tools") is not tools and worker in {"tools", "chat"}:
        known = "have tools: --worker tools=PROVIDER:NAME" if tools else "have none: --worker PROVIDER:NAME"
        raise ConfigError(f"--worker {worker} does not fit {tasks!r}", hint=f"its tasks {known}")


def opened_skill(path: Path) -> Living:
    """The skill in a file, or in the SKILL.md of a folder; an empty one where the file is empty.

    Raises:
        ConfigError: it is not there.
        SkillFormatError: it is no Markdown that can be edited.
    """
    path = path / SKILL if path.is_dir() else path
    data = read_bytes_or_none(path)
    if data is None:
        raise ConfigError(
            f"skill {str(path)!r}: not there", hint=f"name a SKILL.md; to begin with nothing: touch {path.name}"
        )
    return read(data, where=str(path)) if data.strip() else opened("")


def verifier_of(reference: str) -> tuple[str, str]:
    """Verifier and judge of `NAME=provider:name`; no judge without the second part.

    Raises:
        ConfigError: it is neither.
    """
    found = _NAMED.fullmatch(reference.strip())
    if found is None:
        raise ConfigError(f"--verifier {reference!r} is neither NAME nor NAME=PROVIDER:MODEL")
    return found["verifier"], found["model"] or ""


def stored(folder: Path) -> EvolveConfig | None:
    """The configuration of a run that lies there; None where there is none.

    Raises:
        ConfigError: it cannot be read.
    """
    return stored_as(folder, EvolveConfig)


def configured(given: Mapping[str, object]) -> EvolveConfig:
    """A configuration from what a person gave; what is None is left out.

    Raises:
        ConfigError: a value is not allowed; it is named.
    """
    try:
        return EvolveConfig.model_validate({name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        named = [one for one in first["loc"] if isinstance(one, str)]
        option = _OPTIONS.get(named[0], named[-1]).replace("_", "-")
        raise ConfigError(
            f"--{option} {first['input']!r:.80}: {first['msg']}", hint="ingrained evolve --help"
        ) from error


_OPTIONS: Final = {"worker_options": "worker-option", "verifier_options": "verifier-option"}


def _drawn(tasks: tuple[Task, ...], most: int, seed: int) -> tuple[Task, ...]:
    """The tasks, or `most` of them by the seed, in their order."""
    if not most:
        return tasks
    chosen = {task.id for task in sorted(tasks, key=lambda task: content_hash([seed, "most", task.id]))[:most]}
    return tuple(task for task in tasks if task.id in chosen)
