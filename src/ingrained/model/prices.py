"""What a token costs: a small table with its date, and what the person's settings say over it.

A price holds only at the provider's own address, under exactly the name in the table (or that name with the day of a
snapshot after it): a wrong price is worse than none, since a cap trusts it. Everything else is unknown and called so.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field

from ingrained.model.base import Facts

_HOSTS: Final = {"openai": "api.openai.com", "anthropic": "api.anthropic.com"}
_DAY: Final = re.compile(r"-(?:20\d{6}|20\d\d-\d\d-\d\d)$")
MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """US dollars for a million tokens, and when that was so (`2026-03`, or `your settings`)."""

    input: float
    output: float
    date: str

    def usd(self, input_tokens: float, output_tokens: float) -> float:
        """What so many tokens cost."""
        return (input_tokens * self.input + output_tokens * self.output) / MILLION


class OwnPrice(BaseModel):
    """A price in the person's settings, in US dollars for a million tokens."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    input: float = Field(ge=0)
    output: float = Field(ge=0)


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    date: str
    openai: dict[str, OwnPrice]
    anthropic: dict[str, OwnPrice]


def price_of(facts: Facts, own: Mapping[str, OwnPrice] | None = None) -> Price | None:
    """The price of a model; `None` where it is unknown, and for one that costs nothing (`Facts.free`)."""
    if facts.free:
        return None
    told = (own or {}).get(facts.model)
    if told is not None:
        return Price(input=told.input, output=told.output, date="your settings")
    if urlsplit(facts.endpoint).hostname != _HOSTS.get(facts.provider, ""):
        return None
    table = _table()
    known = table.openai if facts.provider == "openai" else table.anthropic
    found = known.get(facts.model) or known.get(_snapshot_of(facts))
    return None if found is None else Price(input=found.input, output=found.output, date=table.date)


def _snapshot_of(facts: Facts) -> str:
    # OpenAI has changed the price between snapshots of one name; Anthropic has not.
    return _DAY.sub("", facts.model) if facts.provider == "anthropic" else facts.model


@cache
def _table() -> _Table:
    text = files("ingrained.model").joinpath("prices.toml").read_text(encoding="utf-8")
    return _Table.model_validate(tomllib.loads(text))
