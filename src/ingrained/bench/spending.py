"""How the models of a run are opened, and who is told of what they cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ingrained.model.base import Request
from ingrained.model.limits import Caps
from ingrained.model.opened import OpenModel


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """How the models of a run are opened."""

    home: Path
    caps: Caps
    agree: Callable[[OpenModel, Sequence[Request]], None]
    """Asked once before anything is sent; raises where the person does not want it."""
    say: Callable[[str], None]
