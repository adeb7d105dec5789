"""What only the benchmark knows: a value that no prompt can hold by accident.

`Hidden` has no text: to print, format, join or serialise one fails, so that a template that is given one by mistake
stops instead of telling the policy its own target. Only `reveal` opens it, and who calls that is easy to find.
"""

from __future__ import annotations

from typing import Generic, NoReturn, TypeVar, final

T = TypeVar("T")


class HiddenError(TypeError):
    """Somebody tried to write down what the policy must not see; a mistake of the program."""


@final
class Hidden(Generic[T]):
    """A sealed value. Two are equal where their values are."""

    __slots__ = ("_sealed",)

    def __init__(self, value: T) -> None:
        object.__setattr__(self, "_sealed", value)

    def __repr__(self) -> str:
        return "<hidden>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hidden) and reveal(self) == reveal(other)

    def __hash__(self) -> int:
        return hash(Hidden)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise HiddenError("a hidden value is not changed")

    def __str__(self) -> NoReturn:
        raise HiddenError("a hidden value has no text; reveal() is for the benchmark alone")

    def __format__(self, spec: str) -> NoReturn:
        raise HiddenError("a hidden value has no text; reveal() is for the benchmark alone")

    def __iter__(self) -> NoReturn:
        raise HiddenError("a hidden value has no parts")

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise HiddenError("a hidden value is neither copied nor written down")


def reveal(hidden: Hidden[T]) -> T:
    """Open it: for what scores, diagnoses and reports, never for what fills a prompt."""
    return object.__getattribute__(hidden, "_sealed")
