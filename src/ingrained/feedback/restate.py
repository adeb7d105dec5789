"""A clause as a short imperative: the person's own terms and language, fillers cut, the positive side first.

Only cuts, one swap of sides and a capital letter: no word is put in the person's mouth, except "Check:" before a
question that asks after a practice and "Do not" for "let's not" and its kin. No cut may take a negation along: where
one would, the person's own words stand.
"""

from __future__ import annotations

import re

from ingrained.feedback.decompose import Polarity

LONGEST = 300
"""Characters that a rule may have."""

_NOT = r"(?:do not|don['’]?t)"
_ANSWER = (
    r"\bno(?=\s*[,.:;!…]+(?:\s|$)|\s+[-–—]+\s|\s+(?:"
    rf"{_NOT}|never|always|please|not|wait|sorry|actually|just|instead|let['’]?s|make sure|"
    r"the(?=.*\b(?:should|must|is|are|was|were|has|have|does|needs?|goes?|belongs?|will)\b)|"
    r"(?:we|you|they|i)(?:['’]\w+|\s+(?!(?:in|inside|or|and|as|at|for|form|pronouns?)\b)\w+)|"
    r"(?:this|that|it|these|those)(?:['’]s|\s+(?:is|are|was|were|should|must|does|needs?|has|have|will|can|still|goes|"
    r"belongs|works?|looks?|breaks?|\w+n['’]t))|"
    r"use(?!\s+(?:of|for|in)\b)(?=.*(?:,\s*not|\binstead|\brather)\b))\b)"
)
"""A "no" that answers what was done, rather than saying that something shall not be."""
_ENDS = r"(?=[\s,.:;!…]|$)"
_PAUSE = r"(?:\s*[,.:;!…]+(?=\s|$)|\s+[-–—]+(?=\s))"
_SOFT = (
    r"(?:ok(?:ay)?|so(?!\s+(?:that|far|long|much|many)\b)|and|but|also|hmm+|hm|uh+|um+|actually|now(?!\s+that\b)|then|"
    r"please|pls|yes|yeah|yep|nope|dude|hey|oh|btw|fyi|maybe|honestly|for the record|"
    r"just(?!\s+(?:one|two|a|an|the|in|for|like|because|this|that)\b))"
)
"""Opens a sentence without being part of it."""
_MARKED = (
    r"(?:well|wait|look|listen|right(?! now\b)|cool|great|nice|perfect|good|sure|alright|sorry|thanks|remember|note|q|"
    r"question|"
    r"reminder|again|once again|heads up|nit|side note|quick note|one more thing|to be clear|for the last time|"
    r"on second thoughts?|you know what|my bad|(?:good|fair) point|instead|(?:like|as) i (?:already )?(?:said|"
    r"told you)|"
    r"i(?:['’]ve| have)? changed my mind(?: (?:about|on) [^,.:;!…]{1,40}?)?)"
)
"""The same, but only where a pause or another opening follows: "right, …" and not "right-align …"."""
_FILLER = re.compile(
    rf"^(?:(?:{_SOFT}{_ENDS}(?!\s+(?:and|or)\b)|{_ANSWER}|"
    rf"{_MARKED}(?={_PAUSE}|\s+(?:{_SOFT}{_ENDS}|{_ANSWER}))|"
    rf"remember(?=\s+(?:(?:we|i)(?:['’]\w+)?|always|never|{_NOT})\s+(?!(?:and|or)\b))|"
    rf"(?:like|as) i (?:already )?(?:said|told you)(?=\s))"
    rf"{_PAUSE}?\s*)+",
    re.IGNORECASE,
)
_LEADING = re.compile(r"^[^\w`\"'(@./*#-]+")
_NOT_TO = re.compile(
    r"^(?:(?:let['’]?s(?: please)?|(?:can|could|would) (?:you|we)(?: please)?|i (?:(?:already )?told you|said|(?:want|"
    r"need) you(?: to)?)|"
    r"(?:please )?(?:make sure|be sure|(?:do )?remember(?: to)?|ensure)|i(?:['’]d| would) (?:like|prefer)(?: you| us)?|"
    r"(?:we|you) (?:need|have)) not(?: to)?|not to)\s+(?=\w{2})(?!(?:in|on|at|for|the|a|an|all|every|only|any|just|"
    r"one|sure|that|this|so|too|even|yet|bad|good|really|quite|again|like|what|how|necessary|needed)\b)",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"^(?:i (?:think|guess|feel|believe|(?:already )?said|(?:already )?told you|would say)"
    r"(?: that| to(?! ?do\b))?[,:]?\s+|"
    r"in my opinion,?\s+|(?:can|could) we(?: please)?\s+(?!not\b)|"
    r"(?:can|could|would|will) you(?: please)?\s+(?!not\b|mind\b)|"
    r"let['’]?s\s+(?:instead\s+)?(?!not\b)|instead,?\s+(?!of\b)|"
    rf"(?:please )?{_NOT} forget to\s+|"
    r"(?:please )?(?:make sure|ensure|be sure) (?!not\b)(?:to |that |you |we )?\s*|"
    r"(?:i think )?(?:we|you) (?:need to|should|have to|must)\s+(?!not\b|never (?:have|need) to\b)|"
    r"i(?:['’]d| would) (?:like|prefer)(?: you| us)?(?: to)?\s+(?!(?:not|if|that)\b)|"
    r"(?:we|i) (?=prefer\b)|i keep (?:telling you|saying)(?: that| to)?[,:]?\s+|"
    r"how (?:often|many times) do i have to (?:say|tell you|repeat)(?: it| this| that)?[,:]?\s+|"
    r"i (?:want|need) you to\s+(?!not\b)|remember to\s+(?!not\b)|remember that\s+|from now on,?\s+|going forward,?\s+|"
    r"(?:do )?(?:please )?keep in mind (?:that )?)",
    re.IGNORECASE,
)
_POLITE = r"(?:please|pls|thanks|thank you|por favor|bitte|danke|merci|gracias|s['’]il (?:te|vous) pla[iî]t)"
_CONTENT = r"(?<!\bsay)(?<!\bwrite)(?<!\bwith)(?<!\bor)(?<!\band)(?<!\bno)(?<!\bthe)(?<!\ba)(?<!\buse)(?<!\bof)"
_TAIL = re.compile(
    rf"(?:(?:,\s*|{_CONTENT}\s+){_POLITE}|,\s*(?:ok(?:ay)?|yeah|right|dude|man)|\s*(?::\)|😅|🙂))*[\s,.!…:;-]*$",
    re.IGNORECASE,
)
_PAIR = re.compile(
    r"^(?P<no>(?:don['’]?t|do not|never|stop|no(?! (?:idea|way|wonder|one)\b))\s[^;]{2,240}?)[,;]\s*(?:but\s+|"
    r"rather\s+|instead\s+)?"
    r"(?P<yes>(?:use|run|show|put|keep|fix|rename|write|call|prefer|add|go|ask|create|read|move|make|check|mock)\b.+)$",
    re.IGNORECASE,
)
_NEVER_TO = re.compile(r"^never to (?=\w)", re.IGNORECASE)
_STOPS = re.compile(r"^stop (?=\w+ing\b)", re.IGNORECASE)
_AVOIDS = re.compile(
    r"^(?:no|not|never|don['’]?t|do not|avoid|stop|without|nunca|no \w+es|kein\w*|nie(?:mals)?|jamais)\b", re.IGNORECASE
)
_INNER = re.compile(
    rf"(,\s+)(?:please\s+)?(?:{_NOT} forget to|(?:we|you) (?:need|have) to|make sure (?:to|you))\s+(?!not\b)",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"(?:[,.;]\s*|\s+(?=(?:like|as) ))(?:i had to tell you[^,.;]*|"
    r"(?:(?:like|as) )?i (?:already )?(?:said|told you)[^,.;]*|second time [^,.;]*|"
    r"again|wie gesagt|(?:ya )?te lo dije|comme (?:je l['’]ai )?dit)\s*[.!]*$",
    re.IGNORECASE,
)
_AUXILIARY = r"(?:is|are|was|were|do|does|did|have|has|had|can|could|will|would|should|must)"
_TAG_VERB = rf"(?:{_AUXILIARY}(?:n['’]?t)?|won['’]?t|can['’]?t)\s+(?:i|you|we|they|it|he|she|that|there|this)"
_TAG_WORD = r"(?:right|ok(?:ay)?|correct|alright|got it|understood)"
_TAG = re.compile(
    rf"(?:[,;]|{_CONTENT}(?<!\bis)(?<!\blook)(?<!\blooks))\s+(?:{_TAG_WORD}|(?<=[,;]\s)(?:yes|no|yeah|deal|remember|"
    rf"clear|hm+|eh|huh|agreed|"
    rf"(?:don['’]?t )?you think|¿?verdad|¿?no|vale|oder|gell|nicht wahr|n['’]est-ce pas|d['’]accord|{_POLITE}|"
    rf"{_TAG_VERB}))(?:\s+{_POLITE})?\s*\?+[\s!?]*$",
    re.IGNORECASE,
)
_ASKS = re.compile(
    rf"^(?:why|what|where|who|which|how|when\s+{_AUXILIARY}\b|(?!do){_AUXILIARY}n['’]?t\b|won['’]?t\b|can['’]?t\b|"
    r"(?:is|are|was|were|does|did|can|could|will|would|should(?! be\b))\b|(?:do(?:n['’]?t)?|have|had|must)\s+(?:we|"
    r"you|i|they|it|he|she)\b)",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"^(?:(?:can|could|would|will) you\b(?! (?:mind|see|tell|explain|remember)\b)|(?:can|could) we please\b)",
    re.IGNORECASE,
)
_ASKED_FIRST = re.compile(r"^[^?]{3,120}\?\s+(?=(?:\S+\s+){3,}\S)(?=[^?]*$)")
_NEGATION = re.compile(
    r"\b(?:no|not|never|none|nobody|nothing|nor|neither|without|avoid|stop|cannot|\w+n['’]t|(?:do|does|did|is|are|was|"
    r"wo|ca|should|must|could|would)nt|nunca|jamás|jamais|nicht|nie(?:mals)?|kein\w*|pas)\b",
    re.IGNORECASE,
)
_NO_NEGATION = re.compile(rf"{_ANSWER}|\b{_NOT} forget\b|\bnot only\b", re.IGNORECASE)


def restate(clause: str) -> str:
    """The clause as a rule's text: at most 300 characters, one line, a capital first, no full stop.

    It holds as many negations as the clause: a cut that would lose one is not made.
    """
    words, question = _statement(_LEADING.sub("", re.sub(r"\s+", " ", clause).strip()))
    text = _cut(words, question=question)
    for candidate in (text, _capital(_TAIL.sub("", words).strip())):
        shown = candidate[:LONGEST].rstrip()
        if negations(shown) >= negations(words):
            return shown
    return _around_negation(words)


def negations(text: str) -> int:
    """How often the words say that something shall not be; an answering "no" and "don't forget" do not count."""
    return len(_NEGATION.findall(_NO_NEGATION.sub(" ", text)))


def _statement(text: str) -> tuple[str, bool]:
    """What is said, and whether it is asked: without a question before it, and without a tag that asks for a nod."""
    text = _ASKED_FIRST.sub("", text)
    if not text.rstrip(" !").endswith("?"):
        return text, False
    opening = _FILLER.sub("", text, count=1)
    tag = _TAG.search(text)
    if tag and not _ASKS.match(opening):
        return text[: tag.start()], False
    return text, not _REQUEST.match(opening)


def _cut(words: str, *, question: bool) -> str:
    text = words.rstrip(" ?!") if words.rstrip(" !").endswith("?") else words
    text = _FILLER.sub("", text, count=1) if question else _peel(text)
    if not question:
        text = _ASIDE.sub("", text).rstrip()
    text = _NEVER_TO.sub("Never ", _STOPS.sub("Stop ", _INNER.sub(r"\1", text)))
    pair = None if question else _PAIR.match(text)
    if pair:
        no = re.sub(r"^(?:do not|don['’]?t|stop|no)\b", "not", pair["no"], flags=re.IGNORECASE)
        no = re.sub(r"^never\b", "never", no, flags=re.IGNORECASE)
        text = f"{pair['yes'].rstrip(' .')}; {_said(pair['no'], no)}"
    text = _TAIL.sub("", text).strip()
    if text.isupper() and " " in text:
        text = text.lower()
    if question and text:
        text = f"Check: {text}?"
    return _capital(text)


def _said(whole: str, short: str) -> str:
    """The forbidden side, as it was said where a shorter form would lose its verb."""
    verb = whole.split()[0].lower()
    return short if verb == "never" else whole[0].lower() + whole[1:]


def _peel(text: str) -> str:
    for _ in range(4):
        shorter = _FILLER.sub("", text, count=1)
        shorter = _NOT_TO.sub("Do not ", shorter) if _NOT_TO.match(shorter) else _LEAD.sub("", shorter, count=1)
        if shorter == text or len(shorter) < 6:
            break
        text = shorter
    return text


def _around_negation(words: str) -> str:
    """The person's words where they are too long: the stretch that starts with the first negation."""
    first = _NEGATION.search(_NO_NEGATION.sub(lambda found: " " * len(found.group()), words))
    start = max(0, min(first.start() if first else 0, len(words) - LONGEST))
    start = words.find(" ", start - 1) + 1 if start else 0
    return words[start : start + LONGEST].strip()


def _capital(text: str) -> str:
    first = text.split(" ", 1)[0] if text else ""
    plain = re.sub(r"['’]|[,;:]$", "", first).isalpha() and first.islower()
    return text[:1].upper() + text[1:] if plain else text


def polarity_of(rule: str) -> Polarity:
    """`avoid` where the restated rule only forbids, else `do`."""
    return "avoid" if _AVOIDS.match(rule) or rule.startswith("Do not ") else "do"
