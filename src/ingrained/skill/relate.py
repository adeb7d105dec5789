"""How rules bear on each other: narrowing, taking back, superseding, contradicting, and being there already."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from ingrained.embed.lexical import LexicalEmbedder, Weights, signed_terms
from ingrained.feedback.decompose import Atom
from ingrained.feedback.recur import contrary
from ingrained.ids import MessageKey, RuleId
from ingrained.skill.rule import Decision, Evidence, Heard, Rule, Said

NARROWS = 0.15
"""Cosine of unsigned terms from which a narrowing turn speaks of a rule."""
THERE = 0.6
"""Signed cosine from which a line of a rules file says a rule already."""
_DECIDED = frozenset(["accepted", "pinned"])


def similarity(a: str, b: str, weights: Weights, *, signed: bool = True) -> float:
    """Cosine of two texts by the lexical embedder, in [-1, 1]; unsigned: in [0, 1], blind to what is forbidden."""
    import numpy as np

    left, right = LexicalEmbedder(weights).embed([a, b])
    return float(left @ right) if signed else float(np.abs(left) @ np.abs(right))


def says(line: str, rule: str, weights: Weights) -> bool:
    """Whether a line of a rules file already says the rule."""
    shared = signed_terms(line).keys() & signed_terms(rule).keys()
    return len(shared) >= 2 and similarity(line, rule, weights) >= THERE


def narrow(
    rules: Mapping[int, Rule], relations: Sequence[Atom], heard: Mapping[MessageKey, Heard], weights: Weights
) -> tuple[dict[int, Rule], list[Atom]]:
    """Apply the turns that narrow or take back an earlier rule; those that fit none are returned.

    The nearest earlier rule of the same person is meant. A narrowing adds its paths and condition; taking back retires.
    """
    result = dict(rules)
    unused: list[Atom] = []
    for atom in relations:
        message = heard[atom.message]
        best = max(
            ((similarity(atom.quote, _words(rule), weights, signed=False), index) for index, rule in result.items()
             if _before(rule, message)),
            default=(0.0, -1),
        )  # fmt: skip
        if best[0] < NARROWS:
            unused.append(atom)
            continue
        rule = result[best[1]]
        stance = "supports" if atom.relation == "narrows" else "contradicts"
        added = Evidence(
            atom=atom.key, person=message.person, project=message.project, session=message.session, turn=message.turn,
            quote=atom.quote, form=message.form, act=Said(), stance=stance, time=message.time,
        )  # fmt: skip
        update: dict[str, object] = {"evidence": (*rule.evidence, added)}
        if atom.relation == "narrows":
            scope = rule.scope.model_copy(
                update={"paths": rule.scope.paths or atom.paths, "when": rule.scope.when or atom.when}
            )
            update["scope"] = scope
        else:
            update["level"] = "retired"
        result[best[1]] = rule.model_copy(update=update)
    return result, unused


def _words(rule: Rule) -> str:
    return " ".join([rule.text, *(item.quote for item in rule.evidence)])


def _before(rule: Rule, message: Heard) -> bool:
    first = rule.evidence[0]
    earlier = first.time is None or message.time is None or first.time <= message.time
    return message.person in rule.people and earlier and first.project == message.project


def contradictions(
    rules: Mapping[int, Rule],
    opposites: AbstractSet[tuple[int, int]],
    weights: Weights,
    opposed: Callable[[str, str], bool] = lambda _one, _other: False,
) -> frozenset[tuple[int, int]]:
    """The pairs of rules that contradict each other, smaller index first.

    Args:
        rules: by the index of their group.
        opposites: pairs of groups whose quotes do. Where the person put one of the two in other words, the words count.
        weights: of stems.
        opposed: what else makes contraries of two rules that were accepted.
    """
    found = {pair for pair in opposites if not any(rules[one].status == "pinned" for one in pair if one in rules)}
    decided = sorted(index for index, rule in rules.items() if rule.status in _DECIDED)
    pinned = [index for index in decided if rules[index].status == "pinned"]
    others = [index for index, rule in rules.items() if rule.status == "proposed"]
    pairs = {(a, b) for a in decided for b in decided if a < b}
    pairs |= {(min(a, b), max(a, b)) for a in pinned for b in others}
    texts = {index: rule.text for index, rule in rules.items()}
    found |= {(a, b) for a, b in pairs if contrary(texts[a], texts[b], weights) or opposed(texts[a], texts[b])}
    return frozenset(found)


def oppose(rules: Mapping[int, Rule], opposites: AbstractSet[tuple[int, int]]) -> dict[int, Rule]:
    """Work in contradictions: one person's later word supersedes the earlier, another person's is a conflict.

    Only rules of the same scope contradict each other, and a refused one contradicts nothing. One that is accepted
    gives way only to one that is accepted too, and both say so.
    """
    result = dict(rules)
    for a, b in sorted(opposites):
        if a not in result or b not in result or not _same_scope(result[a], result[b]):
            continue
        one, other = result[a], result[b]
        if set(one.people) & set(other.people):
            newer, older = (a, b) if _last(one) >= _last(other) else (b, a)
            if result[newer].status == "refused":
                continue
            if result[older].status in _DECIDED:
                _conflict(result, a, b)
                if result[newer].status not in _DECIDED:
                    continue
            result[newer] = _with(result[newer], "supersedes", result[older].id)
            result[older] = result[older].model_copy(
                update={"status": "superseded" if result[older].status != "refused" else "refused"}
            )
        elif "refused" not in {one.status, other.status}:
            _conflict(result, a, b)
    return result


def settle(rules: Sequence[Rule], decisions: Sequence[Decision]) -> tuple[Rule, ...]:
    """Of two rules in conflict that the person accepted both, the one accepted last stands.

    The later word wins here as it does between two things that one person said; the other is superseded with all its
    evidence, and stands again where the later one is refused. Both keep the conflict, for the person to see.

    Args:
        rules: all of them, in any order, which is kept.
        decisions: of the person, in any order.
    """
    chosen = [rule for rule in rules if rule.status in _DECIDED]
    latest = sorted(chosen, key=lambda rule: (_decided(rule, decisions), _last(rule), rule.id), reverse=True)
    stands: list[Rule] = []
    now: dict[RuleId, Rule] = {}
    for rule in latest:
        against = [one for one in stands if _in_conflict(one, rule) and _same_scope(one, rule)]
        if not against:
            stands.append(rule)
            continue
        for one in against:
            newer = _with(now.get(one.id, one), "supersedes", rule.id)
            now[one.id] = _with(newer, "conflicts_with", rule.id)
            rule = _with(rule, "conflicts_with", one.id)
        now[rule.id] = rule.model_copy(update={"status": "superseded"})
    return tuple(now.get(rule.id, rule) for rule in rules)


def _decided(rule: Rule, decisions: Sequence[Decision]) -> float:
    """When the person last accepted a rule or wrote it; seconds."""
    said = {item.atom for item in rule.evidence}
    times = (one.time for one in decisions if one.action in {"accept", "pin"} and said & set(one.atoms))
    return max((time.timestamp() for time in times), default=0.0)


def _in_conflict(a: Rule, b: Rule) -> bool:
    return b.id in a.conflicts_with or a.id in b.conflicts_with


def _conflict(rules: dict[int, Rule], a: int, b: int) -> None:
    rules[a], rules[b] = (
        _with(rules[a], "conflicts_with", rules[b].id),
        _with(rules[b], "conflicts_with", rules[a].id),
    )


def _with(rule: Rule, name: str, other: RuleId) -> Rule:
    ids = rule.supersedes if name == "supersedes" else rule.conflicts_with
    return rule.model_copy(update={name: tuple(sorted({*ids, other}))})


def _last(rule: Rule) -> tuple[float, str]:
    return max((e.time.timestamp() if e.time else 0.0, e.atom) for e in rule.evidence)


def _same_scope(a: Rule, b: Rule) -> bool:
    places = a.scope.project is None or b.scope.project is None or a.scope.project == b.scope.project
    return places and set(a.scope.paths) == set(b.scope.paths) and a.scope.when == b.scope.when
