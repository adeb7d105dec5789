"""What a run of the writing benchmark is of: its configuration, its contexts, and its cases in their order.

The decision to know: the configuration holds a hash of the contexts and one of program, prompts and phrases, so that
changed data or prompts make another run, and no table mixes two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from pydantic import Field, model_validator

from ingrained.bench.writing.contexts import ROUNDS, Built, Context, Plan, contexts
from ingrained.bench.writing.document import TASKS, load
from ingrained.bench.writing.drafts import KEEP_SHARE
from ingrained.bench.writing.methods import ADAPT, METHODS, PROFILE, TRAINED, UNTRAINED, adapt_request, general
from ingrained.bench.writing.phrases import stock
from ingrained.bench.writing.protocol import Case, draft_request, styled
from ingrained.bench.writing.unseen import PAIRS, Pair, pairs
from ingrained.bench.writing.unseen import ROUNDS as UNSEEN_ROUNDS
from ingrained.errors import ConfigError
from ingrained.ids import content_hash
from ingrained.learn.grain import DECOMPOSE, TASK, WRITE, Interaction, decompose_request, version
from ingrained.model.base import Request
from ingrained.skill.rule import Frozen
from ingrained.store.run import stored_as

LOGIC: Final = "2"
"""Changes whenever the same answers would give other traces."""
ALL: Final = "all"
UNSEEN_LOGIC: Final = "1"
"""The same for what is taught and checked outside the rubric."""
Rubric: TypeAlias = Literal["unseen"]
"""What is taught and scored in place of the rubric of A.2: the preferences of section 5.6."""
_UNSEEN: Final[Mapping[str, object]] = {"rounds": UNSEEN_ROUNDS, "keep_share": 0.0, "most": PAIRS}


class RunConfig(Frozen):
    """`config.json`: all that decides what the traces are."""

    version: int = 1
    task: str
    data: tuple[str, ...]
    methods: tuple[str, ...] = (ALL,)
    """Names; `NAME=PROVIDER:MODEL` for a policy of its own."""
    model: str
    rubric: Rubric | None = None
    """None: that of A.2. Another one has other defaults."""
    feedback_model: str = ""
    """Who puts targets into words; empty: the templates."""
    rounds: int = ROUNDS
    seeds: int = 3
    """How many; they are 0, 1, …"""
    per_author: int = 3
    most: int = 0
    """Contexts at most, taken from the authors in turn, or pairs; 0: all."""
    keep_share: float = KEEP_SHARE
    seed: int = 0
    """Of what is drawn from the data, of the words of the feedback, and of the resampling."""
    prompts: str = Field(default="", description="Version of program, prompts and phrases; empty until it is resolved.")
    contexts: str = Field(default="", description="Hash of the contexts; empty until they are made.")

    @model_validator(mode="before")
    @classmethod
    def _usual(cls, given: dict[str, Any]) -> dict[str, Any]:
        return {**_UNSEEN, **given} if given.get("rubric") == "unseen" else given

    def checked(self) -> RunConfig:
        """The same with its methods named one by one.

        Raises:
            ConfigError: a number is out of its range, or a method is wrong.
        """
        unseen = self.rubric == "unseen"
        for name, value, low, high in (
            ("--rounds", self.rounds, 0, UNSEEN_ROUNDS if unseen else ROUNDS),
            ("--seeds", self.seeds, 1, 1000),
            ("--most", self.most, 0, 10**9),
            ("--keep-share", self.keep_share, 0, 0 if unseen else 1),
        ):
            if not low <= value <= high:
                where = " with --rubric unseen" if unseen else ""
                raise ConfigError(f"{name} {value:g} is not from {low} to {high:g}{where}")
        named = [one for given in self.methods for one in (UNTRAINED if given == ALL else (given,))]
        for one in named:
            _known(one)
        return self.model_copy(update={"methods": tuple(dict.fromkeys(named))})


def method_of(named: str) -> tuple[str, str]:
    """The name of a method and the reference of its own model, "" where it has none."""
    name, _, reference = named.partition("=")
    return name, reference


def _known(named: str) -> None:
    """Raise where there is no such method, or it needs a model of its own."""
    name, reference = method_of(named)
    METHODS.load(name)
    if name in TRAINED and not reference:
        raise ConfigError(
            f"method {name!r} is a trained policy and needs its model", hint=f"--method {name}=openai:NAME@http://…"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A run whose data is there and whose model was not asked yet."""

    config: RunConfig
    built: Built
    """With the contexts that the run takes alone."""
    drafts: Mapping[str, str] = field(repr=False)
    pairs: tuple[Pair, ...] = ()
    """Of a preference outside the rubric; none where the rubric is taught."""

    @property
    def cases(self) -> list[Case]:
        """By context, then seed, then method: what shares a beginning stands together."""
        taught = [(one.context, one.preference) for one in self.pairs]
        return [
            Case(
                context=one,
                method=method,
                model=method_of(method)[1] or self.config.model,
                seed=seed,
                preference=preference,
            )
            for one, preference in taught or [(one, None) for one in self.built.contexts]
            for seed in range(self.config.seeds)
            for method in self.config.methods
        ]

    def requests(self) -> Iterator[Request]:
        """What may be asked of the run's own model, each once; rules and drafts of later rounds are stood in for."""
        seen: set[str] = set()
        for case in self.cases:
            for request in _requests(case, self.config.rounds):
                key = content_hash(request.to_json())
                if key not in seen:
                    seen.add(key)
                    yield request


def _requests(case: Case, rounds: int) -> Iterator[Request]:
    name, _ = method_of(case.method)
    texts = [one.text for one in case.context.histories]
    static = name in {"general-skill", "no-history"}
    learns = name in {"adaptive-skill", "atom-prompt", "feedback", "user-profile", *TRAINED}
    stand_in = f"{name} {case.seed}{case.preference or ''}"
    rules = (general(case.context.task),) if static else (stand_in,) if learns else ()
    shown: list[str] = [] if name == "no-history" else [*texts, texts[0]] if name == "rag-history" else texts
    asked = [*case.context.rounds[:rounds], case.context.held_out]
    for number, one in enumerate(asked):
        yield draft_request(shown, rules if static or number else (), one.request, seed=case.seed)
        if number and name not in {"feedback", "user-profile"} and learns:
            told = asked[number - 1].request + (case.preference or "")
            said = Interaction(feedback=told, request=one.request, draft=texts[0], history=tuple(texts))
            yield decompose_request(said, cite=False) if name in {"atom-prompt", "skillgrain"} else adapt_request(said)


def prepared(config: RunConfig) -> Prepared:
    """Make the contexts of a run. Cost: no model; some seconds.

    Raises:
        ConfigError: an option is wrong, or the data cannot be used.
    """
    config = config.checked()
    if not config.task or not config.model:
        raise ConfigError("a run needs --task and --model, or a folder that holds a run with --out")
    built = built_of(config)
    resolved = config.model_copy(
        update={"prompts": _version(built.task.name, config.rubric), "contexts": identity(built)}
    )
    return Prepared(
        config=resolved,
        built=built,
        drafts=styled(built, share=config.keep_share, seed=config.seed),
        pairs=pairs(built.contexts, config.most) if config.rubric else (),
    )


def built_of(config: RunConfig) -> Built:
    """The contexts that a configuration takes from its data as that is now.

    Raises:
        ConfigError: the data cannot be used.
    """
    task = TASKS.load(config.task)
    plan = Plan(per_author=config.per_author, seed=config.seed)
    whole = contexts(task, load(task, [Path(one) for one in config.data]), plan)
    if not whole.contexts:
        why = "; ".join(f"{one.place}: {one.why}" for one in whole.dropped[-3:])
        raise ConfigError(f"task {config.task!r}: no author with enough texts of one habit: {why}")
    if config.rubric is None:
        return replace(whole, contexts=_in_turn(whole.contexts, config.most))
    used = {one.context.id for one in pairs(whole.contexts, config.most)}
    return replace(whole, contexts=tuple(one for one in whole.contexts if one.id in used))


def identity(built: Built) -> str:
    """The hash of a run's contexts."""
    return content_hash([one.id for one in built.contexts])


def _in_turn(found: Sequence[Context], most: int) -> tuple[Context, ...]:
    """The first contexts of each author, then the second ones, up to `most`; by author again."""
    place: dict[str, int] = {}
    nth: dict[str, int] = {}
    for one in found:
        nth[one.id] = place[one.author] = place.get(one.author, -1) + 1
    chosen = sorted(found, key=lambda one: nth[one.id])[: most or len(found)]
    kept = {one.id for one in chosen}
    return tuple(one for one in found if one.id in kept)


def _version(task: str, rubric: Rubric | None) -> str:
    said = stock()
    phrases = [said.openers, said.more, said.less, sorted(said.heads.items())]
    unseen = [UNSEEN_LOGIC, [sorted(heads.items()) for heads in said.unseen.values()]] if rubric else []
    prompts = [DECOMPOSE.hash, WRITE.hash, TASK.hash, ADAPT.hash, PROFILE.hash]
    return content_hash([LOGIC, version(), *prompts, phrases, general(task), *unseen])


def stored(folder: Path) -> RunConfig | None:
    """The configuration of a run that lies there; None where there is none.

    Raises:
        ConfigError: it cannot be read.
    """
    return stored_as(folder, RunConfig)
