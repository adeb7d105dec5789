"""The seam of verifiers: a task and a trace go in, a score or the reason for none comes out.

Owns `Checked` and the registry. The decision to know: an attempt that never came to an answer because nobody answered
(`parked`) is unscored, whoever checks it; one that was cut, declined or ran out of turns is an answer like any other,
and mostly a bad one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from pydantic import BaseModel, JsonValue, ValidationError

from ingrained.errors import ConfigError
from ingrained.harness.base import Task, Trace, first_wrong
from ingrained.model.base import Model
from ingrained.registry import Registry
from ingrained.verify.score import Outcome, Unscored


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a verifier says of a trace."""

    outcome: Outcome
    parts: Mapping[str, Outcome] = field(default_factory=dict)
    """What the outcome was made of, by name."""
    why: str = ""
    """In a phrase, for a person: what was expected and what was found."""
    lost: bool = False
    """It is unscored, at least in part, because an answer never came; asked again it may be otherwise."""


class Verifier(Protocol):
    """Somebody who checks traces."""

    async def check(self, task: Task, trace: Trace) -> Checked:
        """Score one attempt.

        Raises:
            ConfigError: the task is none for this verifier.
            BudgetReachedError, ModelQuotaError: it asks a model, and a cap or quota is reached; nothing is known then.
            EnvironmentFaultError: what it needs is not there.
        """
        ...


class VerifierMaker(Protocol):
    """Makes a verifier."""

    def __call__(self, judge: Model | None, options: Mapping[str, JsonValue], /) -> Verifier:
        """The verifier; `judge` is the model of one that asks a model."""
        ...


VERIFIERS: Registry[VerifierMaker] = Registry(
    "ingrained.verifiers",
    {
        "choice": "ingrained.verify.choice:choice",
        "rubrics": "ingrained.verify.judge:rubric_judge",
        "database": "ingrained.verify.database:database",
        "word-f1": "ingrained.verify.wordset:word_f1",
        "cells": "ingrained.verify.cells:cells",
        "program": "ingrained.verify.program:program",
    },
    extras={"cells": "bench"},
    needs={"cells": "openpyxl"},
)


def unanswered(trace: Trace) -> Unscored | None:
    """Why nothing can be said of a trace, or None."""
    return Unscored(reason=f"no answer: {trace.reason}") if trace.stop == "parked" else None


S = TypeVar("S", bound=BaseModel)


def known_as(task: Task, shape: type[S]) -> S:
    """What a verifier of that shape knows of a task.

    Raises:
        ConfigError: the task is none for it; the field is named.
    """
    try:
        return shape.model_validate(task.known)
    except ValidationError as error:
        raise ConfigError(f"task {task.id!r}: known.{first_wrong(error)}") from error
