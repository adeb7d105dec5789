"""SkillGrain's writing rubric a second time: slow, in loops and exact fractions, written from the formulas alone.

Nothing of the package is imported, and no regular expressions are used, so that a mistake in one is not in the other.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from fractions import Fraction

PERSON = {
    *("i", "me", "my", "mine", "we", "us", "our", "ours"),
    *("i'm", "i've", "i'll", "i'd", "we're", "we've", "we'll", "we'd"),
}


def plain(text: str) -> str:
    out = unicodedata.normalize("NFKC", text)
    for curly in "\u2018\u2019\u201b\u02bc":
        out = out.replace(curly, "'")
    return out


def placed_words(text: str) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    at = 0
    while at < len(text):
        if not text[at].isalnum():
            at += 1
            continue
        end = at + 1
        while end < len(text):
            if text[end].isalnum():
                end += 1
            elif text[end] in "'-" and end + 1 < len(text) and text[end + 1].isalnum():
                end += 2
            else:
                break
        found.append((at, text[at:end]))
        at = end
    return found


def words(text: str) -> list[str]:
    return [word for _, word in placed_words(plain(text))]


def first_person(text: str) -> int:
    text = plain(text)
    count = 0
    for at, word in placed_words(text):
        if word.casefold() not in PERSON or word == "US":
            continue
        if word in ("I", "i") and (marks_item(text, at) or in_sign(text, at)):
            continue
        count += 1
    return count


def marks_item(text: str, at: int) -> bool:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    before = line.lstrip(" \t")
    after = text[at + 1 : at + 3]
    return (
        before in ("", "(") and after[:1] in (".", ")") and after[:1] != "" and (after[1:].isspace() or after[1:] == "")
    )


def in_sign(text: str, at: int) -> bool:
    if at and text[at - 1] in "/&":
        return True
    if at >= 2 and text[at - 1] == "." and text[at - 2].isalpha() and not (at >= 3 and wordlike(text[at - 3])):
        return True
    after = text[at + 1 : at + 4]
    if len(after) >= 2 and after[0] in "/&" and after[1].isalnum():
        return True
    return len(after) >= 2 and after[0] == "." and after[1].isalpha() and not (len(after) > 2 and wordlike(after[2]))


def wordlike(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


def middle(values: Sequence[Fraction]) -> Fraction:
    ordered = sorted(values)
    n = len(ordered)
    return ordered[n // 2] if n % 2 else (ordered[n // 2 - 1] + ordered[n // 2]) / 2


def phi(v: Fraction, low: Fraction, high: Fraction, outer_low: Fraction, outer_high: Fraction) -> Fraction:
    if low <= v and v <= high:
        return Fraction(1)
    if v <= outer_low:
        return Fraction(0)
    if v >= outer_high:
        return Fraction(0)
    if outer_low < v and v < low:
        return (v - outer_low) / (low - outer_low)
    return (outer_high - v) / (outer_high - high)


def length_score(response: str, histories: Sequence[str]) -> Fraction:
    m = middle([Fraction(len(words(text))) for text in histories])
    low, high = Fraction(7, 10) * m, Fraction(13, 10) * m
    return phi(Fraction(len(words(response))), low, high, Fraction(1, 2) * low, Fraction(3, 2) * high)


def first_person_score(response: str, histories: Sequence[str]) -> Fraction:
    together = "\n\n".join(histories)
    q = Fraction(100 * first_person(together), len(words(together)))
    tau = max(Fraction(2), Fraction(6, 10) * q)
    low, high = max(Fraction(0), q - tau), q + tau
    mine = Fraction(100 * first_person(response), len(words(response)))
    return phi(mine, low, high, max(Fraction(0), low - tau), high + tau)


def own_prose(text: str) -> str:
    """For texts whose fences, backquotes and quotation marks are closed."""
    kept: list[str] = []
    fenced = False
    for line in plain(text).split("\n"):
        stripped = line.strip()
        if stripped.startswith("```"):
            fenced = not fenced
            kept.append("")
        elif fenced or stripped.startswith(">"):
            kept.append("")
        else:
            kept.append(line)
    return without_markers(without_addresses("\n".join(kept)))


def without_addresses(text: str) -> str:
    out = ""
    closer = ""
    for piece in runs(text):
        for mark in ("`", '"'):
            if not closer and piece.lstrip("(").startswith(mark):
                out += piece[: piece.index(mark)] + " "
                closer = mark
                piece = piece[piece.index(mark) + 1 :]
        if closer:
            if closer in piece:
                out += piece[piece.index(closer) + 1 :]
                closer = ""
        elif piece.startswith("https://"):
            bare = piece.rstrip(".,;:!?'\")]")
            out += " " + piece[len(bare) :]
        else:
            out += piece
    return out


def runs(text: str) -> list[str]:
    """Stretches with and without white space, in order."""
    out: list[str] = []
    for letter in text:
        if out and out[-1][-1].isspace() == letter.isspace():
            out[-1] += letter
        else:
            out.append(letter)
    return out


def without_markers(text: str) -> str:
    lines: list[str] = []
    for line in text.split("\n"):
        head, _, rest = line.lstrip(" \t").partition(" ")
        body = head.lstrip("(")[:-1]
        numbered = head[-1:] in (".", ")") and (
            (body.isdigit() and len(body) <= 3) or (len(body) == 1 and body.isalpha())
        )
        if " " in line.lstrip(" \t") and (head in ("-", "*", "+", "\u2022") or numbered):
            lines += ["", "", rest]
        else:
            lines.append(line)
    return "\n".join(lines)


def sentence_count(text: str) -> int:
    pieces, current = [], ""
    for number, line in enumerate(text.split("\n")):
        if not line.strip() and number:
            pieces.append(current)
            current = ""
        for token in line.split():
            current += " " + token
            bare = token.rstrip(")]'\"")
            if bare.endswith((".", "!", "?")):
                pieces.append(current)
                current = ""
    pieces.append(current)
    return sum(1 for piece in pieces if words(piece))


def in_capitals(word: str) -> bool:
    letters = [c for c in word if c.isalpha()]
    return (
        len(letters) >= 2
        and all(c == c.upper() and c != c.lower() for c in letters)
        and not any(map(str.isdigit, word))
    )


def shortened(word: str) -> bool:
    low = word.casefold()
    pronoun = low.endswith("'s") and low[:-2] in ("it", "that", "there", "what", "he", "she", "who", "here", "let")
    return (
        pronoun
        or low.endswith("n't")
        or any(low.endswith(end) and low != end for end in ("'re", "'ve", "'ll", "'d", "'m"))
    )


def features(text: str, ignored: set[str]) -> list[Fraction]:
    """In the order of the paper: contractions, !, ?, parentheses, capitals, words a sentence."""
    own = own_prose(text)
    found = words(own)
    n = len(found)
    brackets = 0
    for at, letter in enumerate(own):
        end = own.find(")", at)
        inside = own[at + 1 : end] if end > 0 else ""
        joined = at > 0 and (wordlike(own[at - 1]) or own[at - 1] in "])")
        brackets += letter == "(" and end > 0 and "(" not in inside and bool(words(inside)) and not joined
    counts = [
        sum(1 for word in found if shortened(word)),
        sum(1 for letter in own if letter == "!"),
        sum(1 for letter in own if letter == "?"),
        brackets,
        sum(1 for word in found if in_capitals(word) and word.casefold() not in ignored),
    ]
    return [*(Fraction(100 * count, n) for count in counts), Fraction(n, sentence_count(own))]


def capitals(text: str) -> set[str]:
    return {word.casefold() for word in words(own_prose(text)) if in_capitals(word)}


def has_prose(text: str) -> bool:
    return bool(words(own_prose(text)))


def quartile(values: Sequence[Fraction], share: Fraction) -> Fraction:
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = place.numerator // place.denominator
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] * (1 - (place - below)) + ordered[above] * (place - below)


def expression_score(
    response: str, request: str, histories: Sequence[str], others: Sequence[Sequence[str]]
) -> tuple[int, Fraction] | None:
    """The number of the chosen feature and r_expr; None for an author without one. All texts hold prose."""
    used = [set().union(*(capitals(text) for text in texts)) for texts in others]
    ignored = {word for word in set().union(*used) if sum(1 for one in used if word in one) >= 2}
    best: tuple[Fraction, int] | None = None
    for number in range(6):
        own = [features(text, ignored)[number] for text in histories]
        theirs = [middle([features(text, ignored)[number] for text in texts]) for texts in others]
        away = abs(middle(own) - middle(theirs))
        mad = middle([abs(value - middle(own)) for value in own])
        iqr = quartile(theirs, Fraction(3, 4)) - quartile(theirs, Fraction(1, 4))
        ratio = away / max(iqr, Fraction(1, 4))
        fits = mad <= away / 2 and away >= iqr / 2 and away > 0
        if fits and (best is None or ratio > best[0]):
            best = (ratio, number)
    if best is None or len(histories) < 2:
        return None
    number = best[1]
    own = [features(text, ignored)[number] for text in histories]
    theirs = [middle([features(text, ignored)[number] for text in texts]) for texts in others]
    mu = middle(own)
    s = max(abs(mu - middle(theirs)), max(own) - min(own), Fraction(1, 4))
    delta = max(middle([abs(value - mu) for value in own]), Fraction(5, 100) * s)
    asked = {word.casefold() for word in words(request)}
    d = max(Fraction(0), abs(features(response, ignored | asked)[number] - mu) - delta)
    return number, max(Fraction(0), 1 - d / s)


def singular(word: str) -> str:
    low = word.casefold()
    low = low.removesuffix("'s")
    while low.endswith("'"):
        low = low[:-1]
    if len(low) <= 3 or low[-1] != "s" or low[-2] in "sui":
        return low
    if low[-3:] == "ies" and len(low) > 4:
        return low[:-3] + "y"
    for end in ("ches", "shes", "xes", "zes", "sses"):
        if low.endswith(end):
            return low[:-2]
    return low[:-1]


def leaks(response: str, request: str, candidates: Sequence[str]) -> set[tuple[str, ...]]:
    said = [singular(word) for word in words(response)]
    asked = [singular(word) for word in words(request)]
    found = set()
    for candidate in candidates:
        parts = [singular(word) for word in words(candidate)]
        if not parts or all(part in asked for part in parts):
            continue
        for at in range(len(said)):
            if said[at : at + len(parts)] == parts:
                found.add(tuple(parts))
    return found


def skill_score(
    before: Sequence[tuple[str, str, bool]],
    added: Sequence[tuple[str, str, bool]] | None,
    targets: Sequence[tuple[str, str, bool]],
    *,
    changed: bool,
    local: int,
) -> Fraction:
    """Eq. 9 and 10 on (dimension, feature, more)."""
    if added is None:
        return Fraction(0)
    total = Fraction(1, 2**local)
    must_change = False
    for dimension in ("length", "first_person", "expression"):
        target = None
        for one in targets:
            if one[0] == dimension:
                target = one
        old = [one for one in before if one[0] == dimension]
        new = [one for one in added if one[0] == dimension]
        if target is None:
            total += 0 if new else 1
            continue
        state: dict[str, bool] = {feature: more for _, feature, more in old}
        if state.get(target[1]) != target[2]:
            must_change = True
        state.update({feature: more for _, feature, more in new})
        others = [one for one in new if one != target]
        total += 1 if state.get(target[1]) == target[2] and not others else 0
    return total / 4 if must_change == changed else Fraction(0)
