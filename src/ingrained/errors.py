"""The error tree: one class per boundary, one place that turns them into exit codes.

A message says what was wrong (the value), where (file, line, field), what is allowed; `hint` is the next command or
step. `cli/app.py` prints an `IngrainedError` as two lines on stderr and exits with its `exit_code`; anything else is a
bug and keeps its traceback. In batches a failure is a record, not one of these.
"""

from __future__ import annotations

from typing import ClassVar


class IngrainedError(Exception):
    """The root: `message` for the reader, `hint` for what to do next ("" where nothing can be done)."""

    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (type(self), self.message, self.hint))


def _rebuild(cls: type[IngrainedError], message: str, hint: str) -> IngrainedError:
    return cls(message, hint=hint)


class RefusedError(IngrainedError):
    """The answer is no: the request was understood and is not carried out (a check failed, an edit would be lost)."""

    exit_code = 1


class ConfigError(IngrainedError, ValueError):
    """A wrong option, argument or config value."""

    exit_code = 2


class UnknownNameError(ConfigError):
    """A name that no registry entry has; the message lists what exists and the nearest match."""


class SessionFormatError(IngrainedError, ValueError):
    """A file that was asked for by name and is no session log that any reader knows."""

    exit_code = 2


class SkillFormatError(IngrainedError, ValueError):
    """A SKILL.md or rules file that does not parse, or that breaks the Agent Skills specification."""

    exit_code = 2


class GateError(IngrainedError, ValueError):
    """Pairs, or a plan, from which the gate cannot decide anything."""

    exit_code = 2


class EditError(IngrainedError, ValueError):
    """An edit that is none or does not fit its document: what it names is not there, or its words cannot stand."""


class StoreError(IngrainedError):
    """The ledger or library cannot be used: damaged, of a newer version, locked, disk full, read-only."""

    exit_code = 3


class EnvironmentFaultError(IngrainedError, RuntimeError):
    """Something outside the program is missing: a program, a permission, a home folder."""

    exit_code = 3


class MissingExtraError(EnvironmentFaultError):
    """A feature whose optional dependency is not installed; the hint is the install command."""


class ModelError(EnvironmentFaultError):
    """A language model gave no usable answer: not reached, an answer with an error, or one of the kinds below."""


class ModelRateError(ModelError):
    """The server asked to slow down and still did after the retries of its own client."""


class ModelQuotaError(ModelError):
    """The account's money or allowance is used up: trying again does not help, and nothing more is sent.

    A limit like those that a person sets (`BudgetReachedError`), and the same exit code.
    """

    exit_code = 5


class ModelRefusedError(ModelError):
    """The model, or a filter before it, declined to answer."""


class ModelMalformedError(ModelError, ValueError):
    """What came back is not the shape that was asked for, or no answer at all."""


class UnseenRequestError(ModelError, LookupError):
    """`INGRAINED_REPLAY=only`, and no answer to this request is stored."""


class UnansweredError(IngrainedError):
    """Some questions to a language model have no usable answer; what was answered is used and kept.

    The last word of a command whose results are out. Where nobody could be asked at all, or a limit ended it, that is
    the error instead.
    """

    exit_code = 1


class DamageFoundError(IngrainedError):
    """`doctor` found damage in what is ours (the one use of exit code 4)."""

    exit_code = 4


class BudgetReachedError(IngrainedError):
    """A cap on money or calls was reached; what was paid for is kept."""

    exit_code = 5
