"""The person's word about a rule: what is still open, and what an answer means as decisions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ingrained.learn.pipeline import Open, decide
from ingrained.learn.view import View
from ingrained.skill.rule import Rule

Answered = Literal["accept", "edit", "narrow", "everywhere", "refuse", "skip"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the person said about one rule."""

    what: Answered
    text: str = ""
    """`edit`: the rule in their words."""
    when: str = ""
    paths: tuple[str, ...] = ()


def pending(view: View) -> list[Rule]:
    """Rules without a word of the person, strongest first."""
    return [rule for rule in view.rules if rule.status == "proposed" and rule.level != "retired"]


def answer(here: Open, rule: Rule, said: Answer) -> None:
    """Store the answer as decisions; `skip` stores nothing."""
    match said.what:
        case "accept" | "refuse":
            decide(here.ledger, rule, action=said.what)
        case "edit":
            decide(here.ledger, rule, action="pin", text=said.text)
        case "narrow":
            decide(here.ledger, rule, action="narrow", when=said.when, paths=said.paths)
            decide(here.ledger, rule, action="accept")
        case "everywhere":
            decide(here.ledger, rule, action="project", project=None)
            decide(here.ledger, rule, action="accept")
        case "skip":
            pass


def accept_all(here: Open, rules: Sequence[Rule]) -> list[Rule]:
    """Accept every rule that is supported at least, contradicts nobody and weakens no safety; returns those."""
    taken = [
        rule
        for rule in rules
        if rule.level in {"supported", "established"} and not rule.conflicts_with and not rule.held
    ]
    for rule in taken:
        decide(here.ledger, rule, action="accept")
    return taken
