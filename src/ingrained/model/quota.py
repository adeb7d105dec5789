"""Telling a provider that has had enough from a model that answers, and a used-up quota from a short pause.

Providers say "you have reached your limit" in an error's code, in an error's words, or as the answer itself with
status 200 (a batch that took such sentences for answers has been thrown away ten thousand times a day elsewhere). So an
answer is taken for a notice where it is short, opens with such a sentence, and the question has no such words in it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from ingrained.model.base import Request

CODES: Final = frozenset(
    {
        "insufficient_quota",
        "billing_hard_limit_reached",
        "billing_error",
        "credit_balance_too_low",
        "quota_exceeded",
        "usage_limit_reached",
        "usage_limit_exceeded",
        "spend_limit_reached",
    }
)
"""Codes and types in the body of an error that mean that money or an allowance is used up."""

_LIMIT = r"(?:spend(?:ing)?|usage|billing|credit|quota|token|message|request|plan|monthly|weekly|daily|hourly|5-hour)"
_NOTICE = re.compile(
    rf"""
      (?:hit|reach\w*|exceed\w*|over|past|used\ up)\s+(?:your|the|its)\s+(?:[\w-]+\s+){{0,3}}?
        (?:(?:{_LIMIT}\s+)+limits?|(?:{_LIMIT}\s+)*(?:quota|allowance))\b
    | {_LIMIT}\s+limit\s+(?:has\ been\s+|was\s+|is\s+)?(?:hit|reached|exceeded)
    | (?:insufficient|not\ enough|no|(?:ran\ |run\ )?out\ of)\s+
        (?:remaining\s+)?(?:quota|credits?|funds|balance)
    | credit\s+balance\s+is\s+(?:too\s+)?(?:low|empty|exhausted)
    | (?:quota|credits?)\s+(?:has|have|is|are|was|were)\s+(?:been\s+)?(?:exceeded|exhausted|used\ up|depleted)
    | (?:quota|resource)\s+(?:exceeded|exhausted)
    | payment\s+required
    """,
    re.IGNORECASE | re.VERBOSE,
)
_PASSING = re.compile(
    r"per[\s_-](?:minute|second)|requests?/min|\b[rt]pm\b|too many requests|try again in \d+", re.IGNORECASE
)
_ADVICE = re.compile(r"\b(?:never|not|don't|avoid|must|should|if|when|before|until|unless|rule)\b", re.IGNORECASE)
_MOST_CHARACTERS: Final = 400
_OPENING: Final = 120


def notice_in(text: str) -> str:
    """The words in an error's text that say that a quota is used up; `""` where it is but a pause, or neither."""
    found = _NOTICE.search(_plain(text))
    return "" if found is None or _PASSING.search(text) else found.group()


def notice_as_answer(text: str, request: Request) -> str:
    """The same for a text that came as an answer: short, opening with it, and not what was asked about."""
    plain = _plain(text)
    if len(plain) > _MOST_CHARACTERS or plain.startswith(("{", "[")):
        return ""
    found = _NOTICE.search(plain, 0, _OPENING)
    if found is None or _ADVICE.search(plain, 0, found.start()):
        return ""
    if any(_NOTICE.search(_plain(message.text)) for message in request.messages):
        return ""
    return found.group()


def is_quota(status: int, error: Mapping[str, object], text: str) -> bool:
    """Whether an error of the server means a used-up quota.

    Args:
        status: the HTTP status, or the code in the body where the status was 200.
        error: the object that describes the error.
        text: its message, or the whole body where there is no such object.
    """
    if status == 402 or {str(error.get("code")), str(error.get("type"))} & CODES:
        return True
    return bool(notice_in(text))


def _plain(text: str) -> str:
    return " ".join(text.replace("\u2019", "'").split())
