"""Words said outright about a draft: do they last, are they about this piece of work, or do they show neither?

Lasting are words of a standing rule, what the judge of sessions takes for a rule, and a preference that the rubric
scores. About this piece are what is said to be for this once, what repairs it, and what tells a fact or a name of it.
English, German, Spanish and French, the languages of the other cues. The decision to know: a figure, a date or a name
alone shows nothing ("never more than 100 words"); it needs words that state it or put it somewhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from ingrained.feedback.cues import marker
from ingrained.feedback.transfer import is_explicit, transfer
from ingrained.learn.preferences import preferences
from ingrained.session.redact import MARKER
from ingrained.verify.leakage import Candidate, candidates, leaked
from ingrained.verify.target import Topic

Side: TypeAlias = Literal["lasts", "local", ""]

_STANDING: Final = re.compile(
    r"\bdon['’]?t ever\b|\bin general\b|\b(?:ab (?:jetzt|sofort)|von (?:jetzt|nun) an|künftig|zukünftig|in zukunft|"
    r"grundsätzlich|generell|jedes mal|en adelante|desde ahora|a partir de ahora|en general|cada vez|désormais|"
    r"dorénavant|à l['’]avenir|à partir de maintenant|en général|chaque fois)\b",
    re.IGNORECASE,
)
"""Beside the words of a standing rule that agents are told: what says so in a letter."""
_LINK: Final = r"(?:and|but|also|so|please|no|und|aber|bitte|übrigens|nein|y|pero|por favor|et|mais)"
_OPENS: Final = rf"^\W*(?:{_LINK}[, ]+)*"
_ONCE: Final = re.compile(
    r"\b(?:in|for|at|with|on|to|für|bei|auf|zu|en|para|con|dans|pour|sur) "
    r"(?:this|these|diese[mnrs]?|est[ea]|ce|cet|cette) (?=\w)(?!(?:way|kind|sort|style|weise|art|forma|façon)\b)|"
    r"\bthis one\b|\bonly this\b|\b(?:here|hier|diesmal|ausnahmsweise|aquí|ici)\b(?! and there)|\bdies(?:es|e) mal\b|"
    r"\besta vez\b|\bcette fois\b|\bnur (?:heute|jetzt)\b",
    re.IGNORECASE,
)
"""Beside the one-offs that agents are told: for this text, and for no other."""
_CONDITION: Final = re.compile(
    rf"{_OPENS}(?:when(?:ever)?|if|unless|because|since|as|so that|wenn|falls|weil|damit|cuando|si|porque|quand|"
    r"lorsque|parce que)\b",
    re.IGNORECASE,
)
"""Opens what hangs on its neighbour."""
_STATES: Final = re.compile(
    rf"{_OPENS}(?:(?:it|that|this|he|she|they)(?:['’]s| is| was| are)\b|"
    r"(?:the|his|her|its|their|my|our|your) (?:[\w-]+ ){1,3}?(?:is|was|are|were)\b|"
    r"(?:es|das|er|sie|dies) (?:ist|sind|war)\b|"
    r"(?:der|die|das|sein\w*|ihr\w*|mein\w*|unser\w*) (?:[\w-]+ ){1,3}?(?:ist|sind|war)\b|"
    r"(?:es|son) (?:la|el|las|los|un|una) |(?:la|el|las|los|su|mi) (?:[\w-]+ ){1,3}?(?:es|son|era)\b|"
    r"c['’]est\b|(?:le|la|les|l['’]|son|sa|mon|ma) ?(?:[\w-]+ ){1,3}?(?:est|sont|était)\b)",
    re.IGNORECASE,
)
_TELLS: Final = re.compile(
    r"\b(?:is|are) (?:called|named|spel(?:led|t)|due)\b|\bname is\b|\bhei(?:ß|ss)t\b|\blautet\b|\bse llama\b|"
    r"\bs['’](?:appelle|écrit)\b|\bfehlt\b|\bis missing\b",
    re.IGNORECASE,
)
"""States a fact whatever follows."""
_REPAIRS: Final = re.compile(
    rf"{_OPENS}(?:change|correct|fix|replace|swap|rename|update|änder[en]?|korrigier\w*|ersetz\w*|tausch\w*|cambia|corrige|"
    r"sustituye|reemplaza|change[rz]|corrige[rz]|remplace[rz]?)\b|\b(?:ändern|korrigieren|ersetzen|austauschen)\W*$",
    re.IGNORECASE,
)
"""What is done to one text and to no other."""
_IN_OR_OUT: Final = (
    r"add|mention|put|insert|include|remove|delete|drop|take out|leave out|füg\w*|ergänz\w*|nenn\w*|erwähn\w*|"
    r"streich\w*|lösch\w*|añade|agrega|quita|borra|menciona|ajoute\w*|retire\w*|enlève\w*|supprime\w*|mentionne\w*"
)
"""Puts one thing in or takes it out."""
_ADDS: Final = re.compile(rf"{_OPENS}(?:{_IN_OR_OUT})\b", re.IGNORECASE)
_PUTS: Final = re.compile(
    rf"{_OPENS}(?:{_IN_OR_OUT}|write|say|use|name|make it|setz\w*|schreib\w*|nimm|pon|escribe|mets|écri[st]\w*)\b",
    re.IGNORECASE,
)
_ALONE: Final = re.compile(
    rf"{_OPENS}(?:maybe|perhaps|let['’]?s|don['’]?t|do not|i|you|we|it|this|that|he|she|they|there|be|make|keep|write|"
    r"use|add|mention|put|insert|include|remove|delete|drop|leave|take|cut|sign|greet|thank|ask|tell|send|start|begin|end|"
    r"close|finish|call|name|explain|describe|list|offer|apologi[sz]e|invite|attach|say|give|check|vielleicht|ich|du|wir|es|das|"
    r"sei|mach\w*|schreib\w*|nimm|nenn\w*|füg\w*|ergänz\w*|streich\w*|lösch\w*|lass\w*|grüß\w*|begrüß\w*|bedank\w*|frag\w*|"
    r"schick\w*|unterschreib\w*|erklär\w*|beginn\w*|ende)\b",
    re.IGNORECASE,
)
_MONTHS: Final = (
    r"(?:jan(?:uary|uar)?|feb(?:ruary|ruar)?|march|märz|april|may|mai|june?|juni|july?|juli|aug(?:ust)?|"
    r"sept?(?:ember)?|o[ck]t(?:ober)?|nov(?:ember)?|de[cz](?:ember)?|enero|febrero|marzo|abril|mayo|junio|julio|agosto|"
    r"janvier|février|mars|avril|juin|juillet|août)"
)
ORDINAL: Final = re.compile(rf"\b\d{{1,2}}\.\s+{_MONTHS}\b", re.IGNORECASE)
"""A German date, whose full stop ends no sentence."""
_EXACT: Final = re.compile(
    rf"\d{{2,}}|\d[.,:/]\d|[€$£]\s?\d|\b\d{{1,2}}(?:st|nd|rd|th|\.)? (?:(?:de|of) )?{_MONTHS}\b|\b{_MONTHS} \d",
    re.IGNORECASE,
)
"""A figure or a date."""
_GENRE: Final = re.compile(
    r"(?:e-?)?mails?|letters?|texts?|briefe?|nachricht(?:en)?|antwort(?:en)?|berichte?|texte?|absatz|absätze|satz|sätze|"
    r"ausrufe?zeichen|fragezeichen|klammern?|m(?:r|rs|s|x)|herrn?|frau|i",
    re.IGNORECASE,
)
"""Words that a request has with a capital and that name nobody."""
_WHOLE: Final = (
    r"(?:\w+ )?(?:texts?|drafts?|e?-?mails?|letters?|messages?|answers?|repl(?:y|ies)|responses?|reviews?|posts?|"
    r"reports?|summar\w+|abstracts?|notes?|writing|versions?|wording|words?|sentences?|paragraphs?|piece|length|whole|"
    r"thing|result|style|average|count)\b(?! (?:about|on(?! average)|of the|with the)\b)"
)
"""What a text as a whole is called, or its sentences."""
_AFTER: Final = (
    r"(?:than|and|or|but|for|in|to|with|as|if|when|next|please|pls|here|now|again|still|enough|by|so|too|on|of|is|are|"
    r"would|could|should|will|rather|over|by|always|instead|overall|throughout|from|at|like|then|ones?|forms?|it|i|you|they|we|"
    r"that|this|these|my|your|the|a|an|more|less|not|never|only|also|yet|bitte)\b"
)
"""What may follow a wish for a longer or shorter text."""
_THE: Final = r"\b(?:an?|the|one|this|that|his|her|its|their|our)"
_PLACE: Final = (
    r"(?:(?:first|second|third|last|next|opening|closing|middle)(?![- ]person)|title|subject|greeting|heading|headline|"
    r"intro\w*|list|table)\b"
)
_ONE_MARK: Final = re.compile(
    rf"{_THE} (?:\w+ )?(?:exclamation (?:mark|point)|question mark|question|bracket|contraction)\b(?! marks?| points?)|"
    r"\bone more question\b|\bquestions?, answer\b",
    re.IGNORECASE,
)
_EACH_TIME: Final = re.compile(
    r"\b(?:each|every|per|only|single|maximum|at most|no more|more than|here and there|now and then|odd|"
    r"occasional|never|no|"
    r"don['’]?t)\b|"
    r"\b(?:end|finish|clos|open|start|begin|work)\w*(?: \w+){0,4} (?:with|on|in) an?\b",
    re.IGNORECASE,
)
"""One mark or question in every text, not the one in this."""
_BECAUSE: Final = re.compile(r",?\s+(?:because|since|so that|weil|denn)\s.*|,\s+(?:as|so|they|it)\s.*", re.IGNORECASE)
"""A reason may be about anything."""
_WITHIN: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # a thing that is no text: "the deadline is too short", "a longer warranty must …", "it is short notice"
        rf"\b(?:the|his|her|their|our) (?!{_WHOLE})[\w-]+(?: [\w-]+){{0,3}}? "
        r"(?<!person )(?<!caps )(?<!capitals )(?<!marks )(?<!brackets )(?:is|are|was|were|could|should|runs|looks)\b",
        rf"\b(?:long|short)(?:er)? (?!{_WHOLE}|{_AFTER})[a-z]+(?<!ing)\b",
        # one place
        r"\b(?:at|in|from|after|before|behind) (?:the|its) (?:very )?(?:end|start|beginning|top|bottom|word|name)\b"
        r"(?! of (?:sentences|each|every|all|my|your))",
        rf"\b(?:the|this|that|his|her|its|their|our) {_PLACE}",
        r"\bin (?:line|paragraph|section|sentence) (?:\d|one|two|three|four)\b",
        # one thing put into marks or capitals
        r"\b(?:put|write|set|print|type|drop|keep|emphasi[sz]e|highlight|mark|spell|show) "
        r"(?:the|an?|his|her|this|that|[\"'“]|(?-i:[A-Z]{2,}))[^.!?]* "
        r"(?:in|with) (?:\w+ )?(?:parenthes[ei]s|brackets|capitals?|caps|words)\b|"
        r"\b(?:is|are) in (?:capitals|caps|brackets)\b",
        # content to tell, or to ask somebody
        r"\b(?:say|tell|add|explain|write|note|claim|ask)(?: (?:him|her|them|us|me|it|also))? "
        r"(?:that|so|how|whether|about|him|her|them)\b",
        r"\b(?:tell|ask|answer) (?:him|her|them|both)\b|\bmention(?:ed)?\b",
        r"\b(?:more|less|details?|longer) (?:about|on) the\b|\b(?:explain|describe) the\b",
        r"\bcontract (?:the|an?|this|that|it|runs)\b",
        r"\b(?:than|for) (?:an? )?(?:last )?(?:year|month|week|day|hour)s?\b",
        r"\bi (?:did|do)(?: not|n['’]t) (?:say|mean)\b|^\W*kurz(?:um)?\s*[:,]",
        # as it should be
        r"\b(?:fine|good|great|perfect|nice|okay|gut|prima|schön)\b.*\b(?:not|nicht) (?:too|so|zu)\b",
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What a part of feedback shows."""

    side: Side
    """`""`: neither."""
    why: str = ""
    """Why it is about this piece of work, in a phrase for a person; with `local` alone."""
    asked: tuple[Topic, ...] = ()
    """The preferences that make it last, where no word says so."""


def names_in(texts: Sequence[str]) -> tuple[Candidate, ...]:
    """What request and draft are about: names, figures, identifiers and quotations, as the rubric takes them (A.2)."""
    return tuple(one for one in candidates(texts) if not _GENRE.fullmatch(one.text))


def stands(words: str) -> bool:
    """Whether words say themselves that they last ("always", "künftig")."""
    return is_explicit(words) or bool(_STANDING.search(words))


def judged(words: str, known: Sequence[Candidate]) -> Judgement:
    """A part of feedback on its own. Some milliseconds.

    Args:
        words: the part.
        known: what request and draft name.
    """
    if stands(words):
        return Judgement(side="lasts")
    if once := _ONCE.search(words) or marker("one_off").search(words):
        return Judgement(side="local", why=f"said of this time alone (“{once.group().strip()}”)")
    names = leaked(words, known)
    if asked := preferences(words):
        why = _told(names) if names else "it is about one thing in the text" if _within(words) else ""
        return Judgement(side="local", why=why) if why else Judgement(side="lasts", asked=tuple(asked))
    if transfer(words).transferable:
        return Judgement(side="lasts")
    why = _local(words, names)
    return Judgement(side="local" if why else "", why=why)


def _within(words: str) -> bool:
    """Whether words with a preference in them speak of one thing or place in the text, or praise it as it is."""
    one = _ONE_MARK.search(words) and not _EACH_TIME.search(words)
    asks = _BECAUSE.sub("", words)
    return bool(one) or any(pattern.search(asks) for pattern in _WITHIN)


def asks_alone(words: str) -> bool:
    """Whether words open as a sentence of their own does, so that they are no more of what a neighbour lists."""
    return len(words.split()) > 1 and bool(_ALONE.match(words))


def adds(words: str) -> bool:
    """Whether words open by putting something in or taking it out: before a standing rule that is none of it."""
    return bool(_ADDS.match(words))


def hangs(words: str) -> bool:
    """Whether words open with a condition or a reason, and so hang on their neighbour."""
    return bool(_CONDITION.match(words))


def _told(names: Sequence[Candidate]) -> str:
    return f"it names {', '.join(f'“{one.text}”' for one in names[:3])}"


def _local(words: str, names: Sequence[Candidate]) -> str:
    if hangs(words):
        return ""
    if _REPAIRS.search(words):
        return "it is a repair"
    exact = bool(names or _EXACT.search(words) or MARKER.search(words))
    if _TELLS.search(words) or (exact and _STATES.match(words)):
        return "it tells a fact"
    if exact and _PUTS.match(words):
        return _told(names) if names else "it puts one thing in or takes it out"
    return ""
