"""The published shapes of `feedback --json` and `write --json`, and their pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ingrained.ids import PersonId, RuleId
from ingrained.learn.given import Given, Kept, Outcome, rule_words
from ingrained.learn.remarks import Aside
from ingrained.learn.texts import Histories
from ingrained.model.base import Completion
from ingrained.model.limits import Receipt
from ingrained.skill.rule import Frozen, Rule, Status
from ingrained.wording import plural


class Spent(Frozen):
    """What asking a model took."""

    calls: int
    failed: int
    cached: int
    """Answers that were stored already."""
    input_tokens: int
    output_tokens: int
    usd: float | None
    """`None`: the price is unknown."""


class KeptShape(Frozen):
    """One atom that transfers, and the rule that it is part of now."""

    quote: str
    """The person's words."""
    content: str
    rewritten: bool
    """The content is not the quote, shortened at most."""
    left_out: list[str]
    """Markers of secrets and private details in the quote that the content does without."""
    rule: RuleId
    text: str
    """The rule, which may stand in other words where it was said before."""
    status: Status
    waits: str
    """Why it is not in force yet; empty where it is."""
    supersedes: list[RuleId]


class AsideShape(Frozen):
    """Words that are not kept, and why."""

    quote: str
    content: str
    """What the judge made of them, where that is something else."""
    reason: str


class RuleText(Frozen):
    """A rule as a model is told it."""

    id: RuleId
    text: str


class FeedbackShape(Frozen):
    """`feedback --json`."""

    version: int = 1
    user: PersonId
    session: str
    model: str
    """Empty: judged offline."""
    decision: Literal["UPDATE", "KEEP", "PARKED"]
    """`UPDATE`: at least one atom is kept (eq. 8). `PARKED`: there is no answer; the next learn looks at the words."""
    kept: list[KeptShape]
    aside: list[AsideShape]
    parked: str
    """Why there is no answer."""
    rules: list[RuleText]
    """The person's rules now, best first."""
    spent: Spent | None


class WriteShape(Frozen):
    """`write --json`."""

    version: int = 1
    user: PersonId
    model: str
    text: str
    finish: str
    """`length`: cut at the most tokens that an answer may have."""
    rules: list[RuleText]
    histories: list[str]
    """Names of the files that the request showed."""
    left: dict[str, str]
    """Files of the folder that it did not show, and why."""
    spent: Spent


def spent(receipt: Receipt) -> Spent:
    """A receipt as it is published."""
    return Spent(
        calls=receipt.calls,
        failed=receipt.failed,
        cached=receipt.cached,
        input_tokens=receipt.usage.input_tokens,
        output_tokens=receipt.usage.output_tokens,
        usd=receipt.usd,
    )


def feedback_shape(said: Given, outcome: Outcome, *, model: str, receipt: Receipt | None) -> FeedbackShape:
    """What `feedback` answers."""
    return FeedbackShape(
        user=said.person,
        session=said.turn.session,
        model=model,
        decision="PARKED" if outcome.parked else "UPDATE" if outcome.kept else "KEEP",
        kept=[_kept(one) for one in outcome.kept],
        aside=[_aside(one) for one in outcome.aside],
        parked=outcome.parked,
        rules=_texts(outcome.rules),
        spent=None if receipt is None else spent(receipt),
    )


def write_shape(
    user: PersonId, answer: Completion, *, model: str, rules: Sequence[Rule], shown: Histories, receipt: Receipt
) -> WriteShape:
    """What `write` answers."""
    return WriteShape(
        user=user,
        model=model,
        text=answer.text.strip(),
        finish=answer.finish,
        rules=_texts(rules),
        histories=[one.path.name for one in shown.texts],
        left={one.path.name: one.why for one in shown.left},
        spent=spent(receipt),
    )


def _texts(rules: Sequence[Rule]) -> list[RuleText]:
    return [RuleText(id=rule.id, text=rule_words(rule)) for rule in rules]


def _kept(one: Kept) -> KeptShape:
    return KeptShape(
        quote=one.atom.quote,
        content=one.atom.text,
        rewritten=one.rewritten,
        left_out=list(one.left_out),
        rule=one.rule.id,
        text=one.rule.text,
        status=one.rule.status,
        waits=one.waits,
        supersedes=list(one.rule.supersedes),
    )


def _aside(one: Aside) -> AsideShape:
    return AsideShape(quote=one.quote, content=one.content, reason=one.reason)


def feedback_text(shape: FeedbackShape, home: str = "") -> str:
    """The answer of `feedback`."""
    if shape.decision == "PARKED":
        return (
            f"Not decided: {shape.parked}.\nYour words are kept; say the same again with another model, or "
            f"ingrained learn{home} looks at them."
        )
    lines: list[str] = []
    if not shape.kept:
        lines.append(f"Nothing kept: nothing in it is a rule for {shape.user}'s other work.")
    for one in sorted(shape.kept, key=lambda kept: bool(kept.waits)):
        heading = f"Waiting for your yes: ingrained review{home}" if one.waits else f"Kept for {shape.user}:"
        if heading not in lines:
            lines.append(heading)
        lines.append(f"  {one.rule}  {one.text}")
        if one.rewritten:
            lines.append(f"      in other words; you said: “{_line(one.quote)}”")
        if one.left_out:
            lines.append(f"      without {', '.join(one.left_out)}: no rule holds a secret or private detail")
        if one.waits:
            lines.append(f"      not in force: {one.waits}")
        if one.supersedes:
            lines.append(f"      supersedes {', '.join(one.supersedes)}")
    if shape.aside:
        lines.append("Not kept:")
        lines += [f"  “{_line(one.quote or one.content)}”: {one.reason}" for one in shape.aside]
    count = plural(len(shape.rules), "rule")
    lines.append(f"{shape.user} has {count} now: ingrained rules --person {shape.user}{home}")
    return "\n".join(lines)


def _line(text: str) -> str:
    return " ".join(text.split())


def write_text(shape: WriteShape) -> str:
    """The answer of `write`: the text alone."""
    return shape.text
