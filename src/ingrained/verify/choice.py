"""Multiple choice: the option that an answer settles on, against the right one.

The decision to know: the last option that is named as the answer counts ("the answer is B", "**B**", "B)" alone on its
line, a lone letter); an answer that names none, or two at once, is wrong and not unscored, since the worker did answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from pydantic import JsonValue

from ingrained.errors import ConfigError
from ingrained.harness.base import Task, Trace
from ingrained.model.base import Model
from ingrained.verify.base import Checked, Verifier, unanswered
from ingrained.verify.score import Score

_STATED: Final = re.compile(
    r"(?:\b(?:answer|choice|option|pick|choose)\b(?:\s+(?:is|would be|should be))?\s*[:=]?\s*|^\s*)"
    r"[*_(\[`\"']*(?P<letter>[A-Z])[*_)\]`\"'.:]*(?=\s*$|[*_)\].:,;]|\s+(?:because|since|as)\b)",
    re.MULTILINE | re.IGNORECASE,
)


class Choice:
    """Checks letters. `known.answer` is the right one, `known.options` the letters that exist (A to D by default)."""

    async def check(self, task: Task, trace: Trace) -> Checked:
        """1 or 0.

        Raises:
            ConfigError: the task names no right option.
        """
        right, options = task.known.get("answer"), task.known.get("options", ["A", "B", "C", "D"])
        if not isinstance(right, str) or not isinstance(options, list) or right not in options:
            raise ConfigError(f"task {task.id!r}: known.answer {right!r} is none of known.options {options!r}")
        if (none := unanswered(trace)) is not None:
            return Checked(outcome=none)
        found = chosen(trace.answer, [str(one) for one in options])
        return Checked(outcome=Score(value=float(found == right)), why=f"expected {right}, found {found or 'none'}")


def choice(_judge: Model | None, _options: Mapping[str, JsonValue], /) -> Verifier:
    """The verifier `choice`; it asks no judge and has no options."""
    return Choice()


def chosen(answer: str, options: list[str]) -> str:
    """The option that an answer settles on; empty where it names none."""
    named = [one["letter"].upper() for one in _STATED.finditer(answer) if one["letter"].upper() in options]
    return named[-1] if named else ""
