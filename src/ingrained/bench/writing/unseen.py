"""Preferences that the rubric does not hold: pairs of requests, and feedback that teaches one (SkillGrain, 5.6).

The paper names four preferences, 40 pairs and checks. Settled here:

- A pair is the first and the held-out request of one context, and one preference. Pairs take the preferences in turn,
  each over as many authors as there are, then over as many contexts.
- Feedback states the preference always, also where the draft follows it by chance: a draft differs by method and seed,
  and pairs that only some of them break could not be compared. What that is worth is in the tables (`adherence`).
- A one-off of the current request stands beside it, drawn from what is wrong in the draft, else from the terms of the
  request; in the same direction where there is one, so that no form tells the two apart.
- The preference is no `Target`: the patterns of appendix B.1 do not know it. An atom's credit is for the one-off alone,
  and there is neither c_omit nor R_skill.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from ingrained.bench.writing.contexts import Context, Round
from ingrained.bench.writing.diagnosis import Diagnosis, missing
from ingrained.bench.writing.hidden import reveal
from ingrained.bench.writing.phrases import stock
from ingrained.ids import content_hash
from ingrained.verify.leakage import candidates
from ingrained.verify.target import Target
from ingrained.verify.unseen import PREFERENCES, UnseenPreference, Wanted

PAIRS = 40
"""Section 5.6."""
ROUNDS = 1
"""The paper's pair has one request that feedback is given on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One preference, to be learned at the first request of a context and kept at its held-out one."""

    context: Context
    preference: UnseenPreference


def pairs(contexts: Sequence[Context], most: int = PAIRS) -> tuple[Pair, ...]:
    """At most so many pairs, by context, each once; as many of each preference, give or take one.

    Args:
        contexts: by author.
        most: 0 for every preference on every context; there are no more.
    """
    order = {one.id: place for place, one in enumerate(contexts)}
    found = [Pair(context=one, preference=preference) for one in contexts for preference in PREFERENCES]
    if 0 < most < len(found):
        taken: Counter[tuple[str, str]] = Counter()

        def worn(one: Context, preference: str) -> tuple[int, ...]:
            names = [(one.id, preference), (one.author, preference), (one.id, ""), (one.author, "")]
            return (*(taken[name] for name in names), order[one.id])

        found = []
        for nth in range(most):
            preference = PREFERENCES[nth % len(PREFERENCES)]
            one = min(contexts, key=partial(worn, preference=preference))
            taken.update((name, what) for name in (one.id, one.author) for what in (preference, ""))
            found.append(Pair(context=one, preference=preference))
    return tuple(sorted(found, key=lambda one: (order[one.context.id], PREFERENCES.index(one.preference))))


def taught(found: Diagnosis, preference: UnseenPreference, one: Round, draft: str, *, seed: int = 0) -> Diagnosis:
    """The diagnosis with what is said instead: the preference, and at most one target, the one-off (τ = 0).

    Args:
        found: of the draft, by the rubric.
        preference: what is taught.
        one: the request.
        draft: the text for it.
        seed: of what is drawn.
    """
    ways = {sign for sign, heads in stock().unseen.items() if preference in heads}

    def drawn(target: Target) -> tuple[bool, bool, str]:
        digest = content_hash([seed, one.key, preference, target.direction, target.term])
        return _sign(target) not in ways, target not in found.targets, digest

    chosen = min(_local(found, one, draft), key=drawn, default=None)
    sign = _sign(chosen) if chosen is not None and _sign(chosen) in ways else max(ways)
    targets = () if chosen is None else (chosen,)
    return replace(found, targets=targets, wanted=Wanted(preference=preference, sign=sign))


def _local(found: Diagnosis, one: Round, draft: str) -> Iterator[Target]:
    """What this text alone may be asked for: what is wrong by the rubric, and terms of its request, in or out."""
    wrong = [target for target in found.targets if target.tau == 0]
    yield from wrong
    terms = dict.fromkeys([*reveal(one.annotation).wanted, *(seen.text for seen in candidates([one.request]))])
    absent = set(missing(draft, list(terms)))
    for term in terms.keys() - {target.term for target in wrong}:
        if term in absent:
            yield Target(dimension="coverage", direction="mention", tau=0, term=term)
        else:
            yield Target(dimension="leakage", direction="leave_out", tau=0, term=term)


def _sign(target: Target) -> Literal[-1, 1]:
    return 1 if target.sign > 0 else -1
