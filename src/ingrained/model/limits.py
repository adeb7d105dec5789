"""Money and calls: an estimate before, a cap during, a receipt after; and how many requests run at once.

The cap holds also with many calls in flight: a call starts only where its worst case (the estimate of what is read, and
`max_tokens` written) still fits beside the worst cases of those that run. A call that would fit once those are
settled waits for them. A model whose price is unknown cannot be capped in money; calls and tokens are counted all the
same. When the cap is reached, or the provider says that the quota is used up, everything after it fails at once and
unsent, so that a batch ends soon and the person is told once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

import anyio

from ingrained.errors import (
    BudgetReachedError,
    ConfigError,
    EnvironmentFaultError,
    IngrainedError,
    ModelError,
    ModelQuotaError,
)
from ingrained.model.base import Completion, Facts, Model, Request, Usage
from ingrained.model.prices import Price
from ingrained.model.wire import input_estimate
from ingrained.wording import plural

MARGIN: Final = 1.3
"""By how much more than the estimate of what is read is set aside."""
_NOTHING: Final = Usage(input_tokens=0, output_tokens=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Caps:
    """What may be spent; `None`: no cap."""

    max_usd: float | None = None
    max_calls: int | None = None

    def check(self, price: Price | None, model: str, *, free: bool = False) -> None:
        """Refuse a cap that cannot be held.

        Raises:
            ConfigError: a cap is negative, or in money for a model of unknown price.
        """
        for name, value in (("--max-usd", self.max_usd), ("--max-calls", self.max_calls)):
            if value is not None and not value >= 0:
                raise ConfigError(f"{name} {value} is not a number from 0 up")
        if self.max_usd is not None and price is None and not free:
            raise ConfigError(
                f"--max-usd cannot be held: the price of {model} is unknown",
                hint=f"use --max-calls, or tell the price in ingrained.toml: [models.prices.{model!r}] "
                "input = 0.4, output = 1.6 (US dollars for a million tokens)",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What some calls may cost, at worst."""

    calls: int
    input_tokens: int
    output_tokens: int
    usd: float | None
    """`None`: the price is unknown."""
    priced: str = ""
    """Date of the price."""

    def line(self) -> str:
        """For the person: `3 calls, ≈1,200 tokens read and at most 3,072 written: at most $0.0006 (prices of …)`."""
        read = plural(self.input_tokens, "token")
        what = f"{plural(self.calls, 'call')}, ≈{read} read and at most {self.output_tokens:,} written"
        return f"{what}: {_money(self.usd, self.priced, 'at most ')}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What was spent."""

    calls: int = 0
    """Requests that were sent, failed ones too."""
    failed: int = 0
    cached: int = 0
    """Answers that were stored already and cost nothing."""
    usage: Usage = field(default_factory=lambda: Usage(input_tokens=0, output_tokens=0))
    usd: float | None = 0.0
    """`None`: the price is unknown."""
    priced: str = ""

    def line(self) -> str:
        """For the person, on one line."""
        stored = plural(self.cached, "answer was stored already", "answers were stored already")
        if not self.calls:
            return f"nothing was sent{'; ' + stored if self.cached else ''}"
        about = "≈" if self.usage.estimated else ""
        tokens = f"{about}{plural(self.usage.input_tokens, 'token')} read, {about}{self.usage.output_tokens:,} written"
        failed = f", {self.failed} of them failed" if self.failed else ""
        after = f"; {stored}" if self.cached else ""
        return f"{plural(self.calls, 'call')}{failed}, {tokens}: {_money(self.usd, self.priced)}{after}"


def _money(usd: float | None, priced: str, before: str = "") -> str:
    if usd is None:
        return "price unknown"
    return f"{before}${usd:.4f} (prices of {priced})" if priced else "free"


def estimate(requests: Iterable[Request], facts: Facts, price: Price | None) -> Estimate:
    """What the requests may cost at worst: each answer as long as it may be, nothing stored already.

    The count of what is read is our own estimate, up to a quarter too low in some languages: the money allows for it.

    Pass one request several times, or `sample`s of it, for several calls. Repairs after malformed answers
    are not in it.
    """
    asked = list(requests)
    read = sum(input_estimate(request) for request in asked)
    written = sum(request.sampling.max_tokens for request in asked)
    return Estimate(
        calls=len(asked),
        input_tokens=read,
        output_tokens=written,
        usd=0.0 if facts.free else None if price is None else price.usd(read * MARGIN, written),
        priced="" if price is None or facts.free else price.date,
    )


class Meter:
    """Counts what one run spends and stops it at its caps. One meter may stand over several models."""

    def __init__(self, caps: Caps | None = None) -> None:
        self.caps = caps or Caps()
        self.stopped: IngrainedError | None = None
        """Why nothing more is sent; `None` while it goes on."""
        self._receipt = Receipt()
        self._reserved = 0.0
        self._flying = 0
        self._settled = anyio.Event()

    @property
    def receipt(self) -> Receipt:
        """What was spent so far."""
        return self._receipt

    def raise_if_stopped(self) -> None:
        """Raise the reason where the run was stopped; a command's last line, after its results are out."""
        if self.stopped is not None:
            raise self.stopped

    def count_cached(self) -> None:
        """Note an answer that cost nothing."""
        self._receipt = replace(self._receipt, cached=self._receipt.cached + 1)

    async def reserve(self, worst_usd: float | None) -> None:
        """Set the worst case of a call aside and count the call.

        Raises:
            BudgetReachedError: it does not fit, and will not.
            ModelQuotaError: the provider's quota was used up before.
        """
        while True:
            if self.stopped is not None:
                raise self.stopped
            self._calls_left()
            if worst_usd is None or self._fits(worst_usd + self._reserved):
                break
            if not self._flying:
                raise self._stop(
                    BudgetReachedError(
                        f"--max-usd {self.caps.max_usd:g} is reached: {self._receipt.line()}; the next call may cost "
                        f"${worst_usd:.4f}",
                        hint="run the same command with a higher --max-usd; answers so far are kept and cost nothing",
                    )
                )
            await self._settled.wait()
        self._reserved += worst_usd or 0.0
        self._flying += 1
        self._receipt = replace(self._receipt, calls=self._receipt.calls + 1)

    def settle(
        self, worst_usd: float | None, usage: Usage | None, price: Price | None, *, free: bool, sent: bool = True
    ) -> None:
        """End a call that was reserved: with its usage, or with none where it failed; one not `sent` counts as none."""
        self._reserved -= worst_usd or 0.0
        self._flying -= 1
        if not self._flying:
            self._reserved = 0.0  # no rest of rounding errors
        if not sent:
            self._receipt = replace(self._receipt, calls=self._receipt.calls - 1)
        elif usage is None:
            self._receipt = replace(self._charged(_NOTHING, price, free=free), failed=self._receipt.failed + 1)
        else:
            self._receipt = self._charged(usage, price, free=free)
        done, self._settled = self._settled, anyio.Event()
        done.set()

    def stop(self, error: IngrainedError) -> None:
        """Send nothing more, for this reason."""
        self._stop(error)

    def _stop(self, error: IngrainedError) -> IngrainedError:
        if self.stopped is None:
            self.stopped = error
        return self.stopped

    def _calls_left(self) -> None:
        if self.caps.max_calls is not None and self._receipt.calls >= self.caps.max_calls:
            raise self._stop(
                BudgetReachedError(
                    f"--max-calls {self.caps.max_calls} is reached: {self._receipt.line()}",
                    hint="run the same command with a higher --max-calls; answers so far are kept and cost nothing",
                )
            )

    def _fits(self, more: float) -> bool:
        return self.caps.max_usd is None or (self._receipt.usd or 0.0) + more <= self.caps.max_usd

    def _charged(self, usage: Usage, price: Price | None, *, free: bool) -> Receipt:
        receipt = self._receipt
        cost = 0.0 if free else None if price is None else price.usd(usage.input_tokens, usage.output_tokens)
        return replace(
            receipt,
            usage=receipt.usage + usage,
            usd=None if cost is None or receipt.usd is None else receipt.usd + cost,
            priced=receipt.priced if price is None or free else price.date,
        )


class LimitedModel:
    """A model behind its number of slots and a meter."""

    def __init__(self, model: Model, meter: Meter, price: Price | None) -> None:
        self._model = model
        self._meter = meter
        self._price = price
        self._slots = anyio.CapacityLimiter(model.facts.slots)

    @property
    def facts(self) -> Facts:
        """Those of the model itself."""
        return self._model.facts

    async def complete(self, request: Request) -> Completion:
        """One call, when a slot is free and the caps allow it.

        Raises:
            BudgetReachedError: a cap is reached; nothing was sent.
            ModelError: as the model itself says.
        """
        free = self.facts.free
        worst = None if free else estimate([request], self.facts, self._price).usd
        async with self._slots:
            await self._meter.reserve(worst)
            usage: Usage | None = None
            sent = True
            try:
                answer = await self._model.complete(request)
                usage = answer.usage
                return answer
            except ModelQuotaError as error:
                self._meter.stop(error)
                raise
            except EnvironmentFaultError as error:
                sent = isinstance(error, ModelError)  # else there is no key, package or file to ask with
                raise
            finally:
                self._meter.settle(worst, usage, self._price, free=free, sent=sent)

    async def aclose(self) -> None:
        """Close the model itself."""
        await self._model.aclose()
