"""Slots, caps and receipts, with many calls in flight."""

from __future__ import annotations

import anyio
import pytest

from ingrained.errors import BudgetReachedError, ConfigError, EnvironmentFaultError, ModelError, ModelQuotaError
from ingrained.model.base import Completion, Facts, Request, Sampling
from ingrained.model.limits import MARGIN, Caps, LimitedModel, Meter, estimate
from ingrained.model.prices import OwnPrice, Price, price_of
from model_world import Counting, completion, request

PRICE = Price(input=100.0, output=1000.0, date="2026-03")


def run_all(model: Counting, meter: Meter, asked: list[Request], price: Price | None = PRICE) -> list[object]:
    """What came of each request: an answer or an error."""
    came: dict[int, object] = {}

    async def run() -> None:
        limited = LimitedModel(model, meter, price)

        async def one(place: int) -> None:
            try:
                came[place] = await limited.complete(asked[place])
            except (ModelError, BudgetReachedError) as error:
                came[place] = error

        async with anyio.create_task_group() as group:
            for place in range(len(asked)):
                group.start_soon(one, place)

    anyio.run(run)
    return [came[place] for place in range(len(asked))]


def answers(came: list[object]) -> int:
    return sum(isinstance(one, Completion) for one in came)


def test_no_more_at_once_than_slots() -> None:
    model = Counting(lambda _, __: "x", slots=3, wait_s=0.01)
    assert answers(run_all(model, Meter(), [request()] * 10)) == 10
    assert model.most_at_once == 3


def test_calls_stop_at_the_cap_and_what_was_answered_stays() -> None:
    meter = Meter(Caps(max_calls=4))
    model = Counting(lambda _, __: "x", slots=3, wait_s=0.01)
    came = run_all(model, meter, [request()] * 9)
    assert answers(came) == len(model.asked) == meter.receipt.calls == 4
    with pytest.raises(BudgetReachedError, match="--max-calls 4 is reached") as caught:
        meter.raise_if_stopped()
    assert caught.value.exit_code == 5
    assert "answers so far are kept" in caught.value.hint


@pytest.mark.parametrize("slots", [1, 7])
@pytest.mark.parametrize("max_usd", [0.0, 0.04, 0.10, 0.123, 0.5])
def test_money_never_passes_the_cap_and_the_receipt_adds_up(slots: int, max_usd: float) -> None:
    # Worst case of a call: about 9 tokens read and 50 written, some 5.1 cents; real cost: 1.1 cents.
    meter = Meter(Caps(max_usd=max_usd))
    model = Counting(lambda _, __: completion("x", read=10, wrote=10), slots=slots, wait_s=0.002)
    came = run_all(model, meter, [request()] * 20)
    each = PRICE.usd(10, 10)
    worst = estimate([request()], model.facts, PRICE).usd
    assert worst is not None
    assert meter.receipt.usd == pytest.approx(answers(came) * each)
    assert (meter.receipt.usd or 0) <= max_usd
    # It goes on as long as one more call, at its worst, fits.
    fitting = max(0, 1 + int((max_usd - worst) / each + 1e-9)) if max_usd >= worst else 0
    assert answers(came) == min(20, fitting)
    assert (meter.stopped is not None) == (fitting < 20)


def test_a_used_up_quota_is_told_once_and_nothing_more_is_sent() -> None:
    def answer(_: Request, number: int) -> str:
        if number == 2:
            raise ModelQuotaError("used up")
        return "x"

    meter = Meter()
    model = Counting(answer, slots=1)
    came = run_all(model, meter, [request()] * 50)
    assert len(model.asked) == 3
    assert answers(came) == 2
    assert {str(one) for one in came if not isinstance(one, Completion)} == {"used up"}
    with pytest.raises(ModelQuotaError):
        meter.raise_if_stopped()
    assert (meter.receipt.calls, meter.receipt.failed) == (3, 1)


def test_a_failed_call_frees_what_was_set_aside() -> None:
    def answer(_: Request, number: int) -> str:
        if number < 5:
            raise ModelError("down")
        return "x"

    meter = Meter(Caps(max_usd=0.07))
    came = run_all(Counting(answer, slots=4), meter, [request()] * 6)
    assert answers(came) == 1
    assert (meter.receipt.calls, meter.receipt.failed) == (6, 5)


def test_a_cancelled_call_gives_its_slot_back() -> None:
    async def run() -> None:
        limited = LimitedModel(Counting(lambda _, __: "x", slots=1, wait_s=0.05), Meter(Caps(max_usd=0.07)), PRICE)
        with anyio.move_on_after(0.01):
            await limited.complete(request())
        with anyio.fail_after(5):
            await limited.complete(request())

    anyio.run(run)


def test_an_unknown_price_is_called_so() -> None:
    meter = Meter(Caps(max_calls=2))
    run_all(Counting(lambda _, __: "x", model="other"), meter, [request()], price=None)
    assert meter.receipt.usd is None
    assert "price unknown" in meter.receipt.line()
    assert "10 tokens read, 5 written" in meter.receipt.line()
    with pytest.raises(ConfigError, match="price of openai:other is unknown") as caught:
        Caps(max_usd=1.0).check(None, "openai:other")
    assert "--max-calls" in caught.value.hint
    Caps(max_calls=1).check(None, "openai:other")
    Caps(max_usd=1.0).check(None, "scripted:other", free=True)


@pytest.mark.parametrize("caps", [Caps(max_usd=-1), Caps(max_usd=float("nan")), Caps(max_calls=-1)])
def test_a_cap_is_a_number_from_0_up(caps: Caps) -> None:
    with pytest.raises(ConfigError, match="from 0 up"):
        caps.check(PRICE, "openai:x")
    with pytest.raises(ConfigError, match="from 0 up"):
        caps.check(None, "scripted:x", free=True)


def test_a_free_model_costs_nothing_and_is_not_priced() -> None:
    meter = Meter()
    model = Counting(lambda _, __: "x", free=True)
    run_all(model, meter, [request()], price=None)
    assert meter.receipt.usd == 0.0
    assert meter.receipt.line().startswith("1 call, 10 tokens read, 5 written: free")
    assert "free" in estimate([request()], model.facts, None).line()


@pytest.mark.parametrize("price", [PRICE, None])
def test_a_call_that_was_never_sent_is_not_counted(price: Price | None) -> None:
    class Keyless(Counting):
        async def complete(self, request: Request) -> Completion:
            raise EnvironmentFaultError("there is no key", hint="export one")

    meter = Meter()
    with pytest.raises(BaseExceptionGroup):
        run_all(Keyless(lambda _, __: "x"), meter, [request(), request(sample=1)], price=price)
    assert (meter.receipt.calls, meter.receipt.failed) == (0, 0)
    assert meter.receipt.line() == "nothing was sent"


def test_what_failed_at_an_unknown_price_is_not_free() -> None:
    class Down(Counting):
        async def complete(self, request: Request) -> Completion:
            raise ModelError("down", hint="")

    for price, told in ((None, "price unknown"), (PRICE, "$0.0000 (prices of")):
        meter = Meter()
        run_all(Down(lambda _, __: "x"), meter, [request()], price=price)
        assert meter.receipt.failed == 1
        assert told in meter.receipt.line()


def test_an_estimate_is_the_worst_case() -> None:
    asked = [request(sampling=Sampling(max_tokens=100), sample=sample) for sample in range(4)]
    found = estimate(asked, Counting(lambda _, __: "x").facts, PRICE)
    assert (found.calls, found.output_tokens) == (4, 400)
    assert found.usd == pytest.approx(PRICE.usd(found.input_tokens * MARGIN, 400))
    assert "4 calls" in found.line()
    assert "2026-03" in found.line()


def test_prices_hold_only_at_the_providers_own_address() -> None:
    def price(provider: str, model: str, endpoint: str, own: dict[str, OwnPrice] | None = None) -> Price | None:
        return price_of(Facts(provider=provider, model=model, endpoint=endpoint), own)

    known = price("openai", "gpt-4.1-mini", "https://api.openai.com/v1")
    assert known is not None
    assert (known.input, known.output) == (0.4, 1.6)
    assert known.date
    assert price("openai", "gpt-4.1-mini", "http://127.0.0.1:1/v1") is None
    assert price("openai", "gpt-4.1-mini", "https://api.openai.com.evil.example/v1") is None
    assert price("openai", "gpt-99", "https://api.openai.com/v1") is None
    assert price("openai", "gpt-4o-2024-05-13", "https://api.openai.com/v1") is None
    assert price("anthropic", "claude-haiku-4-5-20251001", "https://api.anthropic.com") is not None
    assert price("scripted", "x", "") is None
    told = price("openai", "mine", "http://127.0.0.1:1/v1", {"mine": OwnPrice(input=1, output=2)})
    assert told == Price(input=1, output=2, date="your settings")
    assert told.usd(1_000_000, 500_000) == pytest.approx(2.0)
