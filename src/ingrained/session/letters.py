"""How much the letters of a text look like language: the one test that tells a generated token from a name.

The table holds, for each pair of letters (row: first, column: second), the binary logarithm of how much more often the
pair stands in words and identifiers than chance would have it, plus 5 (5 = as often as by chance, 8 = eight times as
often). It was counted over the identifiers and comments of Python's standard library. Case is ignored, so camel case
costs little; German and Spanish words score as English ones do.
"""

from __future__ import annotations

import re

_PAIRS = (
    "45661351503766050767433330",
    "74546221652733640563612151",
    "62436326506642731547531030",
    "64458432711533640555522130",
    "53664432301556344776243530",
    "62446731800633730655502030",
    "52338346601545540664532013",
    "82348313702443720546411031",
    "44655450102658640566040404",
    "70328303536222741353713234",
    "53448444622625431464425040",
    "62358311701633740255521051",
    "75248211602453670254511050",
    "62676572504324630267441020",
    "44662441304567560755645301",
    "72437324602612651756412050",
    "32223222312314323543923200",
    "72448341603454730666432040",
    "52527235603433551368623040",
    "63548416701443640665422151",
    "56546440500667360667210100",
    "83329321700242520333122112",
    "72446425711426631664224300",
    "54656524601452471347322551",
    "44546533502556572467334354",
    "61249313700342631233003347",
)
_ODDS = {
    chr(97 + first) + chr(97 + second): int(digit) - 5
    for first, row in enumerate(_PAIRS)
    for second, digit in enumerate(row)
}
_RUN = re.compile(r"[a-z]{2,}")


def likeness(text: str) -> tuple[float, int]:
    """Mean log2 odds of the text's letter pairs (language: about 1, random letters: about -1), and how many there are.

    (0, 0) where no two letters follow each other.
    """
    pairs = [run[at : at + 2] for run in _RUN.findall(text.lower()) for at in range(len(run) - 1)]
    return (sum(_ODDS[pair] for pair in pairs) / len(pairs), len(pairs)) if pairs else (0.0, 0)
