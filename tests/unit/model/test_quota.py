"""Sentences that providers and their agents have been seen to say, and ones that only sound so."""

from __future__ import annotations

import pytest

from ingrained.model.quota import is_quota, notice_as_answer, notice_in
from model_world import request

USED_UP = [
    "You've hit your monthly spend limit",
    "You\u2019ve hit your usage limit. Upgrade to continue.",
    "Claude usage limit reached. Your limit will reset at 7pm (Europe/Berlin).",
    "5-hour limit reached \u2219 resets 3pm",
    "You exceeded your current quota, please check your plan and billing details.",
    "Your credit balance is too low to access the API. Please go to Plans & Billing.",
    "You have reached your specified API usage limits. You will regain access on 2026-12-01.",
    "Insufficient credits. Add more to continue.",
    "This organization has reached its monthly usage limit.",
    "Quota exceeded for this billing period.",
    "You are out of credits.",
    "Not enough credits",
    "402 Payment Required",
]
PAUSES = [
    "Rate limit reached for gpt-x in organization org on tokens per min (TPM): Limit 30000. Please try again in 2s.",
    "Too many requests, slow down.",
    "Quota exceeded for metric: generate requests, limit: 15 requests per minute",
    "You have exceeded your per-minute request limit. Try again in 20 seconds.",
    "The server is overloaded.",
    "Internal error",
    "",
]
ANSWERS = [
    "The speed limit on this road is 50.",
    "Keep the summary within the limit of 200 words.",
    "Rule: never exceed the line limit of 120 characters.",
    "The function raises QuotaError when the disk is full.",
    "Do not exceed your monthly usage limit.",
    "Tell me before you have reached the spend limit.",
    "We ran out of milk.",
    '{"text": "You\'ve hit your usage limit"}',
]


@pytest.mark.parametrize("text", USED_UP)
def test_a_used_up_quota_in_an_error_and_as_an_answer(text: str) -> None:
    assert notice_in(text)
    assert is_quota(429, {}, text)
    assert notice_as_answer(text, request())


@pytest.mark.parametrize("text", PAUSES)
def test_a_pause_is_no_quota(text: str) -> None:
    assert notice_in(text) == ""
    assert not is_quota(429, {}, text)


@pytest.mark.parametrize("text", ANSWERS)
def test_an_answer_stays_an_answer(text: str) -> None:
    assert notice_as_answer(text, request()) == ""


def test_a_code_is_enough() -> None:
    assert is_quota(429, {"code": "insufficient_quota"}, "")
    assert is_quota(400, {"type": "billing_error"}, "")
    assert is_quota(402, {}, "")
    assert not is_quota(429, {"code": "rate_limit_exceeded"}, "")
