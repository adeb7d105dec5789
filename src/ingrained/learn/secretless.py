"""What is left of a rule without the secret that was said in it; its marker stands where it was.

The decision to know: only what can go without changing the rest goes: an example, what a word names already ("my key
…"), where somebody is reached, and whole clauses behind the rule. Where the secret is what the rule is about, none is
left.
"""

from __future__ import annotations

import re
from typing import Final

from ingrained.feedback.restate import negations
from ingrained.learn.lasting import hangs
from ingrained.session.redact import MARKER

_M: Final = MARKER.pattern
_MANY: Final = rf"{_M}(?:(?:,|,? and|,? or|,? und|,? oder)\s+{_M})*"
_EXAMPLE: Final = re.compile(
    rf"\s*\([^()]*{_M}[^()]*\)|"
    rf",?\s+(?:such as|like|e\.g\.|for example|namely|wie|z\. ?B\.|zum Beispiel|como|comme|par exemple)\s+{_MANY}",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(
    r"\b(?P<word>keys?|tokens?|passwords?|passphrases?|secrets?|credentials?|logins?|numbers?|address(?:es)?|e-?mails?|"
    r"schlüssel|kennw[oö]rt\w*|passw[oö]rt\w*|nummern?|adressen?|clave|contraseña|clé|mot de passe)"
    rf"[:=]?\s+[\"'“‘]?{_MANY}[\"'”’]?",
    re.IGNORECASE,
)
_REACHED: Final = re.compile(
    rf"\s+(?:at|on|under|via|unter|per|auf|al|en|au|sur)\s+(?:[\w-]+\s+){{0,2}}?{_MANY}", re.IGNORECASE
)
_CLAUSE: Final = re.compile(
    r"\s*[,;:]\s+|\s+[-–—]\s+|(?<=[.!?])\s+|\s+(?=(?:and|but|because|since|und|aber|weil|y|pero|porque|et|mais|"
    r"parce que)\s)",
    re.IGNORECASE,
)


def secretless(text: str) -> str:
    """The rule without markers, as it is where it has none; an empty string where no rule is left.

    Doing it twice changes nothing. What is left has two words or more, and no more negations than the whole.
    """
    if not MARKER.search(text):
        return text
    left = _NAMED.sub(lambda match: match["word"], _EXAMPLE.sub("", text))
    left = left if negations(left) else _REACHED.sub("", left)
    if found := MARKER.search(left):
        ends = [match.start() for match in _CLAUSE.finditer(left) if match.end() <= found.start()]
        left = left[: ends[-1]] if ends else ""
    left = " ".join(left.split()).strip(" ,;:-–—")
    whole = len(left.split()) > 1 and not hangs(left) and negations(left) <= negations(text)
    return left if whole else ""
