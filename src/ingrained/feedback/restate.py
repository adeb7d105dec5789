"""A clause as a short imperative: the person's own terms and language, fillers cut, the positive side first.

Only cuts, one swap of sides and a capital letter: no word is put in the person's mouth, except "Check:" before a
question that asks after a practice.
"""

from __future__ import annotations

import re

from ingrained.feedback.decompose import Polarity

_FILLER = re.compile(
    r"^(?:(?:ok(?:ay)?|so|and|but|also|hmm+|hm|uh+|um+|well|actually|now|then|please|pls|yes|yeah|yep|nope|wait|look|"
    r"dude|hey|oh|sorry|btw|fyi|just|great|thanks|alright|right|cool|sure|maybe|honestly|for the record|remember|note|"
    r"q|question|reminder|no(?=[,.:;!…]|\s+(?:we|i|you|it|this|that|use|don'?t|do not|never|the)\b))"
    r"\b(?!\s+(?:and|or)\b)[\s,.:;!…-]*(?!more\b))+",
    re.IGNORECASE,
)
_LEADING = re.compile(r"^[^\w`\"'(@./*#-]+")
_LEAD = re.compile(
    r"^(?:i (?:think|guess|feel|believe|said|told you|would say)(?: that)?\s+|in my opinion,?\s+|can we(?: please)?\s+|"
    r"can you(?: please)?\s+|could (?:you|we)(?: please)?\s+|would you(?: please)?\s+|"
    r"let'?s\s+(?:instead\s+)?(?!not\b)|instead,?\s+(?!of\b)|"
    r"(?:please )?(?:do not|don'?t|dont) forget (?:to\s+)?|"
    r"(?:please )?(?:make sure|ensure|be sure) (?:to |that |you |we )?\s*|"
    r"(?:i think )?(?:we|you) (?:need to|should|have to|must)\s+(?!not\b)|"
    r"i(?:'d| would) (?:like|prefer)(?: you| us)?(?: to)?\s+|"
    r"i want you to\s+|remember to\s+|remember that\s+|from now on,?\s+|going forward,?\s+|"
    r"(?:do )?(?:please )?keep in mind (?:that )?)",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"(?:,?\s*(?:please|pls|thanks|thank you|por favor|ok|okay|yeah|right|dude|man|:\)|😅|🙂))*[\s,.!…:;-]*$",
    re.IGNORECASE,
)
_PAIR = re.compile(
    r"^(?P<no>(?:don'?t|do not|dont|never|stop|no)\s[^;]{2,240}?)[,;]\s*(?:but\s+|rather\s+|instead\s+)?"
    r"(?P<yes>(?:use|run|show|put|keep|fix|rename|write|call|prefer|add|go|ask|create|read|move|make|check|mock)\b.+)$",
    re.IGNORECASE,
)
_STOPS = re.compile(r"^stop (?=\w+ing\b)", re.IGNORECASE)
_LETS_NOT = re.compile(r"^let'?s not\s+", re.IGNORECASE)
_AVOIDS = re.compile(r"^(?:no|not|never|don'?t|dont|do not|avoid|stop|without|nunca|no \w+es)\b", re.IGNORECASE)
_INNER = re.compile(
    r"(,\s+)(?:please\s+)?(?:(?:do not|don'?t|dont) forget to|(?:we|you) (?:need|have) to|make sure (?:to|you))\s+",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"[,.;]?\s*(?:(?:i had to tell you|i told you|i (?:already )?said)(?: that| this)?[^,.;]*|second time [^,.;]*|"
    r"again|as i said[^,.;]*)\s*$",
    re.IGNORECASE,
)


def restate(clause: str) -> str:
    """The clause as a rule's text: at most 300 characters, one line, a capital first, no full stop."""
    text = _LEADING.sub("", re.sub(r"\s+", " ", clause).strip())
    question = text.rstrip(" !").endswith("?")
    text = _peel(text)
    if not question:
        text = _ASIDE.sub("", text).rstrip()
    text = _INNER.sub(r"\1", _LETS_NOT.sub("Do not ", text))
    text = _STOPS.sub("Stop ", text)
    pair = _PAIR.match(text)
    if pair:
        no = re.sub(r"^(?:do not|don'?t|dont|stop|no)\b", "not", pair["no"], flags=re.IGNORECASE)
        no = re.sub(r"^never\b", "never", no, flags=re.IGNORECASE)
        text = f"{pair['yes'].rstrip(' .')}; {_said(pair['no'], no)}"
    text = _TAIL.sub("", text).strip()
    if text.isupper() and " " in text:
        text = text.lower()
    if question and text:
        text = f"Check: {text.rstrip('? ')}?"
    return _capital(text)[:300].rstrip()


def _said(whole: str, short: str) -> str:
    """The forbidden side, as it was said where a shorter form would lose its verb."""
    verb = whole.split()[0].lower()
    return short if verb == "never" else whole[0].lower() + whole[1:]


def _peel(text: str) -> str:
    for _ in range(4):
        shorter = _LEAD.sub("", _FILLER.sub("", text, count=1), count=1)
        if shorter == text or len(shorter) < 6:
            break
        text = shorter
    return text


def _capital(text: str) -> str:
    first = text.split(" ", 1)[0] if text else ""
    plain = first.replace("'", "").replace("’", "").isalpha() and first.islower()
    return text[:1].upper() + text[1:] if plain else text


def polarity_of(rule: str) -> Polarity:
    """`avoid` where the restated rule only forbids, else `do`."""
    return "avoid" if _AVOIDS.match(rule) or rule.startswith("Do not ") else "do"
