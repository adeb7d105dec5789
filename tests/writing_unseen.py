"""A scripted model for preferences outside the rubric: it writes by the rules, which it reads in a few words of its own.

Nothing here is shared with the checks of `verify.unseen`. Without a rule each text keeps or breaks each preference by
chance, drawn from its request.
"""

from __future__ import annotations

import random
import re

from ingrained.model.base import Request
from writing_planted import planted_writing

UNSEEN = "scripted:writing_unseen:answer"

_ASKED = {
    "at most twelve": ("opening", True),
    "twelve words or fewer": ("opening", True),
    "more than twelve": ("opening", False),
    "past twelve": ("opening", False),
    "connectives": ("connectives", True),
    "instead of headings": ("prose", True),
    "rather than headings": ("prose", True),
    "headings": ("prose", False),
    "firm claims": ("hedging", True),
    "plain statements": ("hedging", True),
    "hedg": ("hedging", False),
}
"""Words, what they are about, and whether more of them follows the preference; the first that stands there counts."""
_LESS = re.compile(
    r"\b(?:leave out|drop|remove|take out|skip|avoid|don't|do not|stop using|go without|do without|write without"
    r"|rather not see|should not|get rid|throw out|omit|delete|do away)\b"
)
_MORE = re.compile(r"\b(?:don't|do not) (?:forget|leave out)\b")


def read(demand: str) -> tuple[str, bool] | None:
    """What a demand is about, and whether a text shall follow it; None where it names a term of its request."""
    low = demand.casefold()
    if re.search(r"\b(?:mentions of|references to)\b", low):
        return None
    more = bool(_MORE.search(low)) or not _LESS.search(low)
    return next(((about, follows == more) for words, (about, follows) in _ASKED.items() if words in low), None)


def written(request: str, rules: list[str], draw: random.Random) -> str:
    """A text that keeps the preferences that the rules ask for, and others by chance."""
    kept = {about: draw.random() < 0.5 for about in ("opening", "connectives", "prose", "hedging")}
    kept |= dict(found for rule in rules if (found := read(rule)) is not None)
    opening = "the parser reads one value" if kept["opening"] else " and then ".join(["the parser reads a value"] * 4)
    said = [
        f"{opening[0].upper()}{opening[1:]}.",
        f"It failed {'because' if kept['connectives'] else 'when'} the table was empty.",
        "The caller knows that." if kept["hedging"] else "Perhaps the caller knows that.",
    ]
    tail = "" if kept["prose"] else "\n\n- one entry\n- another entry"
    return " ".join(said) + tail


def answer(request: Request) -> object:
    """A text, atoms with the right decisions, KEEP or UPDATE, or a profile."""
    name = request.schema.name if request.schema is not None else ""
    if name in {"answer", "holistic"}:
        demands = planted_writing.cut(planted_writing._blocks(request)[-1])
        if name == "answer":
            atoms = [(f"f{nth}", one, read(one) is not None) for nth, one in enumerate(demands, start=1)]
            return {"atoms": [dict(zip(("id", "content", "transferable"), one, strict=True)) for one in atoms]}
        lasting = [one for one in demands if read(one) is not None]
        return {"decision": "UPDATE" if lasting else "KEEP", "rule": lasting[0] if lasting else ""}
    rules, task, asked = request.messages[-1].text.rpartition("Now the task.")
    if not task:
        return "Writes plain sentences of some length."
    return written(asked, planted_writing._rules(rules), random.Random(f"{asked}:{request.sample}"))
