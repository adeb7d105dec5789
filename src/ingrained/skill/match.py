"""Which line of a text that we wrote is which line of the text found: exact, moved, reworded or gone.

Pure and deterministic. Equal lines are paired first, the longest common subsequence in place and the rest as moved. A
new line that stands alone where one line of ours stood is that line, reworded, whatever it says. What is left of our
rule lines is paired with what is left of the lines found by the best total similarity, and at last by place: a line of
ours is gone only where no new line took its place. Behind our last line, where people append lines of their own, a new
line took the place of ours only where it says something of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from ingrained.embed.lexical import light, signed_terms
from ingrained.skill.lines import BULLET, line_key

IN_PLACE = 50
"""Least similarity (0 to 100) for a line that stands where ours stood to be ours, reworded."""
ANYWHERE = 60
"""The same for a line elsewhere. Of 1,623 pairs of different rules of one person 6 % reach 50 and 1.5 % reach 60, most
of them the same rule told twice; of 30 rewordings by hand 93 % reach 50 and 80 % reach 60."""
_GOES_ON = 80.0
"""Similarity of a line that begins with all of ours."""
_GAP_BONUS = 500
_MARKUP = re.compile(r"\s*(?:#|\||```|~~~|<!--|---)")
"""A heading, a table, a fence: no line that says a rule, whatever stood there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """Pairs of lines, by 0-based index."""

    found: dict[int, int]
    """Our line → the line found."""
    moved: frozenset[int]
    """Our rule lines that stand in another order now."""
    reworded: frozenset[int]
    """Our rule lines whose words were changed."""


def similarity(ours: str, found: str) -> float:
    """How alike two lines are, in [0, 100]: the share of characters in common after sorting the words.

    A line that goes on where ours ends is ours, however much was added.
    """
    return _alike(_Words.of(ours), _Words.of(found))


@dataclass(frozen=True, slots=True)
class _Words:
    """A line made ready to be compared with many."""

    whole: str
    in_order: str

    @classmethod
    def of(cls, line: str) -> _Words:
        key = line_key(line)
        return cls(whole=key.casefold(), in_order=" ".join(sorted(key.removeprefix(BULLET).casefold().split())))


def _alike(ours: _Words, found: _Words) -> float:
    from rapidfuzz import fuzz

    ratio, end = fuzz.ratio(ours.in_order, found.in_order), len(ours.whole)
    goes_on = found.whole.startswith(ours.whole) and not found.whole[end : end + 1].isalnum()
    return max(_GOES_ON, ratio) if goes_on and len(ours.whole.split()) > 2 else ratio


def match_lines(ours: Sequence[str], theirs: Sequence[str], rules: AbstractSet[int]) -> Match:
    """Pairs the lines that we wrote with the lines found.

    Args:
        ours: lines as we wrote them.
        theirs: lines as found.
        rules: indices of those of our lines that say a rule; only they can be moved or reworded.
    """
    our_keys, their_keys = [line_key(line) for line in ours], [line_key(line) for line in theirs]
    rule_order = sorted(rules)
    found = in_order(rule_order, ours, range(len(theirs)), theirs)
    in_place = dict(found)
    used = set(found.values())
    free = [index for index in range(len(theirs)) if index not in used]
    moved: set[int] = set()
    for index in rule_order:
        if index not in found:
            place = next((at for at in free if their_keys[at] == our_keys[index]), None)
            if place is not None:
                found[index] = place
                moved.add(index)
                free.remove(place)
    others = [index for index in range(len(ours)) if index not in rules]
    framing = in_order(others, ours, free, theirs)
    found |= framing
    taken, known = set(framing.values()), {*our_keys, ""}
    left = [at for at in free if at not in taken and their_keys[at] not in known]
    lost = [index for index in rule_order if index not in found]
    # a blank line has no identity: it may be paired with another blank line beyond the gap
    fixed = {index: at for index, at in (in_place | framing).items() if our_keys[index]}
    reworded = _by_place(lost, left, ours, theirs, fixed, alone=True)
    lost = [index for index in lost if index not in reworded]
    left = [at for at in left if at not in set(reworded.values())]
    pairs = assign(_scores(lost, left, ours, theirs, fixed))
    reworded |= {lost[row]: left[column] for row, column in pairs.items()}
    lost = [index for index in lost if index not in reworded]
    left = [at for at in left if at not in set(reworded.values())]
    reworded |= _by_place(lost, left, ours, theirs, fixed | reworded)
    return Match(found=found | reworded, moved=frozenset(moved), reworded=frozenset(reworded))


def _by_place(
    lost: Sequence[int],
    left: Sequence[int],
    ours: Sequence[str],
    theirs: Sequence[str],
    fixed: Mapping[int, int],
    *,
    alone: bool = False,
) -> dict[int, int]:
    """Lost lines of ours → new lines that took their places, between the same neighbours, in order.

    `alone`: only where one line is lost there and one is new. Nothing where no text of ours is left to be a neighbour.
    Where none is left behind them, a new line may have been appended, so it has to share something with ours.
    """
    if all(theirs[at].strip() == "---" for at in fixed.values()):
        return {}
    gaps: dict[tuple[int, int], list[int]] = {}
    for index in lost:
        gaps.setdefault(_gap(index, fixed, len(theirs)), []).append(index)
    pairs: dict[int, int] = {}
    for (before, after), mine in sorted(gaps.items()):
        used = set(pairs.values())
        new = [at for at in left if before < at < after and at not in used and not _MARKUP.match(theirs[at])]
        if alone and not len(mine) == len(new) == 1:
            continue
        pairs |= dict(zip(mine, new, strict=False)) if after < len(theirs) else _sharing(mine, new, ours, theirs)
    return pairs


def _sharing(mine: Sequence[int], new: Sequence[int], ours: Sequence[str], theirs: Sequence[str]) -> dict[int, int]:
    """Each line of ours with the first new one, in order, that shares a content word with it or is alike."""
    pairs: dict[int, int] = {}
    for index in mine:
        free = [at for at in new if at > max(pairs.values(), default=-1)]
        place = next((at for at in free if _shares(ours[index], theirs[at])), None)
        if place is not None:
            pairs[index] = place
    return pairs


def _shares(ours: str, found: str) -> bool:
    """Whether a line may be ours in other words; where ours has no content word, only its place tells."""
    one, other = (signed_terms(line).keys() - light() for line in (ours, found))
    return not one or bool(one & other) or similarity(ours, found) >= IN_PLACE


def _gap(index: int, fixed: Mapping[int, int], end: int) -> tuple[int, int]:
    """The lines found between which a line of ours stood: those of its nearest neighbours (excluded)."""
    before = max((at for known, at in fixed.items() if known < index), default=-1)
    return before, min((at for known, at in fixed.items() if known > index), default=end)


def in_order(
    ours: Sequence[int], our_lines: Sequence[str], theirs: Sequence[int], their_lines: Sequence[str]
) -> dict[int, int]:
    """Equal lines of two selections: their longest common subsequence, as pairs of line indices."""
    from rapidfuzz.distance import LCSseq

    number: dict[str, int] = {}
    left = [number.setdefault(line_key(our_lines[index]), len(number)) for index in ours]
    right = [number.setdefault(line_key(their_lines[index]), len(number)) for index in theirs]
    pairs: dict[int, int] = {}
    for block in LCSseq.opcodes(left, right):
        if block.tag == "equal":
            for step in range(block.src_end - block.src_start):
                pairs[ours[block.src_start + step]] = theirs[block.dest_start + step]
    return pairs


def assign(scores: dict[tuple[int, int], int]) -> dict[int, int]:
    """Row → column, each at most once, over the pairs in `scores` (positive), with the greatest total.

    The Hungarian method, O(rows² × columns) of those that stand in `scores`. The same scores give the same pairs.
    """
    # Costs are negated scores; a row may also stay alone at no cost, on a column of its own.
    rows, columns = sorted({row for row, _ in scores}), sorted({column for _, column in scores})
    alone = [0.0] * len(rows)
    cost = [[-float(scores.get((row, column), 0)) for column in columns] + alone for row in rows]
    owner = _assigned(cost, len(columns) + len(rows))
    pairs = {rows[owner[at] - 1]: columns[at - 1] for at in range(1, len(columns) + 1) if owner[at]}
    return {row: column for row, column in sorted(pairs.items()) if (row, column) in scores}


def _assigned(cost: list[list[float]], width: int) -> list[int]:
    """For each column (1-based, `width` of them) the row (1-based) that has it in the cheapest assignment, or 0."""
    rows = len(cost)
    row_potential, column_potential = [0.0] * (rows + 1), [0.0] * (width + 1)
    owner, way = [0] * (width + 1), [0] * (width + 1)
    for row in range(1, rows + 1):
        owner[0] = row
        column = 0
        least = [float("inf")] * (width + 1)
        done = [False] * (width + 1)
        while owner[column] != 0:
            done[column] = True
            current, delta, nearest = owner[column], float("inf"), 0
            for other in range(1, width + 1):
                if done[other]:
                    continue
                slack = cost[current - 1][other - 1] - row_potential[current] - column_potential[other]
                if slack < least[other]:
                    least[other], way[other] = slack, column
                if least[other] < delta:
                    delta, nearest = least[other], other
            for other in range(width + 1):
                if done[other]:
                    row_potential[owner[other]] += delta
                    column_potential[other] -= delta
                else:
                    least[other] -= delta
            column = nearest
        while column:
            owner[column] = owner[way[column]]
            column = way[column]
    return owner


def _scores(
    lost: Sequence[int], left: Sequence[int], ours: Sequence[str], theirs: Sequence[str], fixed: dict[int, int]
) -> dict[tuple[int, int], int]:
    """Similarities of the pairs that may be rewordings, times 100; a line in the same gap counts a little more."""
    scores: dict[tuple[int, int], int] = {}
    candidates = [_Words.of(theirs[at]) for at in left]
    for row, index in enumerate(lost):
        before, after = _gap(index, fixed, len(theirs))
        words = _Words.of(ours[index])
        for column, at in enumerate(left):
            score = _alike(words, candidates[column])
            here = before < at < after
            if score >= (IN_PLACE if here else ANYWHERE):
                scores[row, column] = round(score * 100) + (_GAP_BONUS if here else 0)
    return scores
