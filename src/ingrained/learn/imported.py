"""Rules that came in a file, as rules: proposals of somebody else's, beside the person's own and never over them.

What a file claims about itself proves nothing here, so its rules are tentative until the person decides. One that says
what an own rule says is left out; one that says the opposite is shown as a conflict. It does not change an own rule,
unless the person accepted the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ingrained.embed.lexical import Weights
from ingrained.feedback.decompose import Atom
from ingrained.feedback.recur import group
from ingrained.ids import AtomKey, MessageKey, PersonId, RuleId, atom_key, message_key, message_of, rule_id
from ingrained.skill.decide import Applied, apply_decisions
from ingrained.skill.rule import Decision, Evidence, Rule, Said, Scope
from ingrained.skill.safety import weakens_safety
from ingrained.skill.select import rank
from ingrained.skill.shared import SharedRule
from ingrained.skill.tokens import count
from ingrained.store.imports import Import
from ingrained.wording import plural

What = Literal["new", "same", "refused", "conflict"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """What became of one rule of a file."""

    source: str
    shared: SharedRule
    what: What
    """`same`: an own rule says it. `refused`: the person refused one that says it. `conflict`: an own rule, or one of
    another file, says the opposite; it is proposed all the same."""
    rule: RuleId
    """Its id here, proposed or not."""
    others: tuple[RuleId, ...] = ()
    """The rules that say the same, or the opposite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WithImports:
    """The rules with those of files, strongest first, and what became of each of those."""

    rules: tuple[Rule, ...]
    placed: tuple[Placed, ...]


def person_of(name: str) -> PersonId:
    """Whose words a file's rules count as; no person of the logs can be called so."""
    return PersonId(f"file:{name}")


def with_imports(rules: Sequence[Rule], found: Sequence[Import], decisions: Sequence[Decision]) -> WithImports:
    """The rules, and beside them those of the files.

    Args:
        rules: the person's own, refused and superseded ones included.
        found: the files, by name; of two that say the same the first counts.
        decisions: of the person, on any rule.

    Cost: quadratic in the rules of a project.
    """
    known: list[Rule] = list(rules)
    placed: list[Placed] = []
    for one in found:
        fresh = [_rule(one, shared, decisions) for shared in one.rules]
        near = [rule for rule in known if rule.scope.project in {None, one.project} and rule.status != "superseded"]
        relations = _relations(fresh, near)
        for rule, shared, (same, opposite) in zip(fresh, one.rules, relations, strict=True):
            alike = [known_rule for known_rule in near if known_rule.id in same]
            if alike and rule.status not in {"accepted", "pinned"}:
                what: What = "refused" if all(other.status == "refused" for other in alike) else "same"
                placed.append(Placed(source=one.name, shared=shared, what=what, rule=rule.id, others=same))
                continue
            placed.append(
                Placed(
                    source=one.name,
                    shared=shared,
                    what="conflict" if opposite else "new",
                    rule=rule.id,
                    others=opposite,
                )
            )
            known.append(rule.model_copy(update={"conflicts_with": opposite}))
            if rule.status in {"accepted", "pinned"}:
                known = [_against(other, rule.id) if other.id in opposite else other for other in known]
    return WithImports(rules=tuple(sorted(known, key=rank)), placed=tuple(placed))


def _relations(fresh: Sequence[Rule], near: Sequence[Rule]) -> list[tuple[tuple[RuleId, ...], tuple[RuleId, ...]]]:
    """For each new rule the known ones that say the same, and those that say the opposite."""
    everything = [*fresh, *near]
    atoms = [_atom(rule) for rule in everything]
    groups = group(atoms, Weights.fit(rule.text for rule in everything))
    home = {index: number for number, members in enumerate(groups.members) for index in members}
    against: dict[int, set[int]] = {}
    for a, b in groups.opposites:
        against.setdefault(a, set()).add(b)
        against.setdefault(b, set()).add(a)

    def those(numbers: set[int]) -> tuple[RuleId, ...]:
        found = {everything[index].id for number in numbers for index in groups.members[number] if index >= len(fresh)}
        return tuple(sorted(found))

    refused = {rule.id for rule in near if rule.status == "refused"}
    return [
        (
            those({home[index]}),
            tuple(one for one in those(against.get(home[index], set())) if one not in refused),
        )
        for index in range(len(fresh))
    ]


def _atom(rule: Rule) -> Atom:
    """A rule as one thing said, to be compared with others."""
    return Atom(
        message=MessageKey(rule.id),
        start=0,
        quote=rule.text,
        text=rule.text,
        kind=rule.kind,
        polarity=rule.polarity,
        transferable=True,
        confidence=1.0,
        paths=rule.scope.paths,
    )


def _against(rule: Rule, other: RuleId) -> Rule:
    return rule.model_copy(update={"conflicts_with": tuple(sorted({*rule.conflicts_with, other}))})


def _key(name: str, shared: SharedRule) -> AtomKey:
    return atom_key(message_key("shared", name, shared.id), 0)


def _rule(one: Import, shared: SharedRule, decisions: Sequence[Decision]) -> Rule:
    key = _key(one.name, shared)
    decided = _decided(key, shared, decisions)
    evidence = Evidence(
        source="document",
        atom=key,
        person=person_of(one.name),
        project=one.project,
        session=f"file:{one.name}",
        turn=shared.id,
        quote=shared.text,
        form="typed",
        act=Said(),
        time=None,
    )
    text = decided.text or shared.text
    said = f"{plural(shared.people, 'person', 'people')} in {plural(shared.sessions, 'session')} there"
    return Rule(
        id=rule_id(key),
        text=text,
        kind=shared.kind,
        polarity=shared.polarity,
        scope=Scope(
            project=decided.project if decided.project_chosen else one.project,
            paths=decided.paths or shared.paths,
            when=decided.when or shared.when,
        ),
        tier=decided.tier or "shared",
        level="tentative",
        status=decided.status,
        people=(person_of(one.name),),
        evidence=(evidence,),
        sessions=0,
        days=0,
        tokens=count(text) + 2,
        held=weakens_safety(text),
        reasons=(f"{one.name} hands it on: said by {said}",),
    )


def _decided(key: AtomKey, shared: SharedRule, decisions: Sequence[Decision]) -> Applied:
    atom = Atom(
        message=message_of(key),
        start=0,
        quote=shared.text,
        text=shared.text,
        kind=shared.kind,
        polarity=shared.polarity,
        transferable=True,
        confidence=1.0,
    )
    return apply_decisions([[atom]], decisions)[0]
