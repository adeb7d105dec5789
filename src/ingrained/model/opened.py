"""From `provider:name` to a model that is ready to be asked: settings, price, caps, slots, stored answers.

The order of the layers is the one decision: stored answers lie outermost, so that what is stored takes neither a slot
nor money; then the meter with the slots; then the model itself.
"""

from __future__ import annotations

import tomllib
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ingrained.errors import ConfigError
from ingrained.model.answers import Answers
from ingrained.model.base import MODELS, Model, Reference, Request, Settings
from ingrained.model.cache import CachedModel, answer_key, only_stored
from ingrained.model.limits import Caps, Estimate, LimitedModel, Meter, Receipt, estimate
from ingrained.model.prices import OwnPrice, Price, price_of
from ingrained.store.files import read_bytes_or_none

SETTINGS_NAME: Final = "ingrained.toml"


class _ProviderTable(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    base_url: str = ""
    key_env: str = ""
    slots: int = Field(default=0, ge=0, le=256)
    retries: int = Field(default=4, ge=0, le=20)
    timeout_s: float = Field(default=180.0, gt=0)
    patience_s: float = Field(default=900.0, gt=0)
    threads: int = Field(default=1, ge=1)
    context: int = Field(default=4096, ge=256)


class ModelSettings(BaseModel):
    """The table `[models]` of `ingrained.toml`: a table for each provider, and prices."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    openai: _ProviderTable = _ProviderTable()
    anthropic: _ProviderTable = _ProviderTable()
    local: _ProviderTable = _ProviderTable()
    scripted: _ProviderTable = _ProviderTable()
    other: dict[str, _ProviderTable] = Field(default_factory=dict)
    """For providers that other packages bring, by name."""
    prices: dict[str, OwnPrice] = Field(default_factory=dict)
    """By the model's name at its provider."""

    @classmethod
    def read(cls, home: Path) -> ModelSettings:
        """The settings in the home folder; the defaults where there are none.

        Raises:
            ConfigError: the table says something that is not known or not allowed.
        """
        path = home / SETTINGS_NAME
        data = read_bytes_or_none(path)
        try:
            return cls.model_validate(tomllib.loads((data or b"").decode("utf-8-sig")).get("models", {}))
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(("models", *(str(part) for part in first["loc"])))
            raise ConfigError(f"{path}: {place}: {first['msg']}", hint="correct the file") from error
        except ValueError as error:
            raise ConfigError(f"{path} is no TOML in UTF-8: {error}", hint="correct the file") from error

    def of(self, provider: str) -> Settings:
        """What concerns one provider."""
        table = (
            getattr(self, provider) if provider in MODELS_WITH_TABLES else self.other.get(provider, _ProviderTable())
        )
        return Settings(**table.model_dump())


MODELS_WITH_TABLES: Final = ("openai", "anthropic", "local", "scripted")


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenModel:
    """A model to ask, and what it costs."""

    model: Model
    """Ask this one: it is behind its stored answers, its slots and the meter."""
    meter: Meter
    price: Price | None
    """`None`: unknown, or the model is free."""
    answers: Answers | None

    @property
    def receipt(self) -> Receipt:
        """What was spent so far."""
        return self.meter.receipt

    def estimate(self, requests: Iterable[Request]) -> Estimate:
        """What requests may cost at worst; those whose answers are stored cost nothing and are left out."""
        keys = self.answers.keys() if self.answers is not None else frozenset[str]()
        facts = self.model.facts
        left = [request for request in requests if answer_key(facts, request) not in keys]
        return estimate(left, facts, self.price)


@asynccontextmanager
async def opened(
    reference: str, *, home: Path, caps: Caps | None = None, stored: bool = True, meter: Meter | None = None
) -> AsyncGenerator[OpenModel]:
    """Open the model that a reference names; nothing is sent or loaded before the first request.

    Args:
        reference: `provider:name`.
        home: the home folder, for settings and stored answers.
        caps: what may be spent.
        stored: keep answers and use those that are kept.
        meter: one that counts another model of the same run too; `caps` then say nothing.

    Raises:
        ConfigError: no such provider, a wrong setting, or a cap that cannot be held.
        MissingExtraError: the provider's package is not installed.
        StoreError: stored answers cannot be used.
    """
    named = Reference.parse(reference)
    settings = ModelSettings.read(home)
    inner = MODELS.load(named.provider)(named.name, settings.of(named.provider))
    price = price_of(inner.facts, settings.prices)
    counting = meter or Meter(caps)
    counting.caps.check(price, reference, free=inner.facts.free)
    limited: Model = LimitedModel(inner, counting, price)
    answers: Answers | None = None
    if stored:
        answers = Answers.open(home)
        limited = CachedModel(limited, answers, counting, only_stored=only_stored())
    try:
        yield OpenModel(model=limited, meter=counting, price=price, answers=answers)
    finally:
        await limited.aclose()
