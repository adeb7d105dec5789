"""Whether what a model made of words still says what they say: which way, where it holds, and nothing beside it.

The decision to know: what two rules of different times may do to each other is `feedback.sides`; here one text stands
for the other, so less is allowed. A content whose few words all stand in its quote has to point the way they do there,
more and less count as yes and no, and German counts as English where the terms of writing are known. What cannot be
held against its words at all is judged by whether both forbid.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from ingrained.embed.lexical import content as stem_of
from ingrained.embed.lexical import light, signed_terms
from ingrained.feedback.sides import contradict
from ingrained.feedback.words import Span
from ingrained.skill.safety import weakens_safety
from ingrained.verify.reading import TOPICS, reading

Terms = dict[str, int]
"""A term with 1 where it is asked for and -1 where it is forbidden or asked for less."""

_LONGER, _SLACK = 2, 60
"""A content may have twice the characters of its words and so many more: whoever needs more writes the work itself."""
_TOKEN: Final = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[,;:.!?()\n]")
_NO: Final = re.compile(
    r"never|not|no|don['’]?t|do?esn['’]?t|cannot|\w+n['’]t|avoid\w*|without|stop|quit|omit|skip|drop|remove|reduce|nor|"
    r"less|fewer|few|little|too|overly|seldom|rarely|instead_of|rather_than|delet\w*|ditch\w*|scrap\w*|eliminat\w*|"
    r"exclud\w*|forget\w*|neglect\w*|refrain\w*|nicht|nie|niemals|keinesfalls|kein\w*|ohne|"
    r"statt|anstatt|wenig\w*|selten\w*|vermeid\w*|streich\w*|lass|entfern\w*|verzicht\w*|weglass\w*|rauslass\w*|vergiss|vergess\w*"
)
_WITHOUT: Final = re.compile(
    r"\b(?:(?:leav|tak|keep|throw|rul|cut)(?:e|ing|ting)?\s+(?P<what>(?:[^\s,;:.!?]+\s+){0,5}?)(?:out|away)\b"
    r"(?:\s+of\s+(?:it|this|that|there|here|them)\b|(?!\s+of))|"
    r"get(?:ting)?\s+rid\s+of|do(?:ing)?\s+away\s+with|(?:steer|stay)(?:ing)?\s+(?:clear|away)\s+(?:of|from)|"
    r"go(?:ing)?\s+easy\s+on|los(?:e|ing)(?=\s+(?:the|your|all|these|those|any)\b)|(?:cut|hold)(?:ting|ing)?\s+(?:down|back|off)\s+on)"
)
"""Verbs of several words that forbid; what stands within them is what they forbid."""
_MILD: Final = frozenset(["too", "so", "overly", "zu", "allzu"])
"""After a negator they forbid no more than it does: "not too formal"."""
_APART: Final = frozenset([*",;:.!?()\n", "but", "instead", "aber", "sondern", "instead_of", "rather_than"])
_OPENS: Final = frozenset(["without", "ohne", "statt", "anstatt", "instead_of", "rather_than", "no", "not", "never"])
"""Between words they begin another clause: "numbers not words"."""
_MODAL: Final = re.compile(r"should|must|can|may|shall|will|do|does|is|are|was|were|be")
_OPEN: Final = re.compile(
    r"\b(?:at most|at least|no (?:more|longer|fewer|less) than|not (?:more|only)|only|unless|except|nur|why|warum|"
    r"wieso|höchstens|mindestens|maximal|außer|ausser)\b|"
    r"(?:\b(?:not|never|no|nicht|nie|kein\w*)|n't) .*\b(?:without|ohne)\b"
)
"""Bounds and exceptions: the clause is asked for in part, and nothing is concluded from it."""
_INDIRECT: Final = re.compile(r"\b(?:no (?:more|longer|fewer|less) than|at most|at least|why|warum|wieso|how come)\b")
"""Where a "no" forbids nothing."""
_EMPTY: Final = re.compile(
    r"more|mehr|ever|much|many|enough|genug|marks?|points?|schreib\w*|benutz\w*|verwend\w*|nutz\w*|nutze|mach\w*|nimm|"
    r"nehm\w*|setz\w*|creat|immer|stets|zu|zum|zur|mal|sehr|viel\w*|und|oder|auch|den|dem|des|einen|einem|einer|ich|du|mir|"
    r"wir|mit|von|für|bei|an|am|im|als|so|künftig|bitte|sei|sein|sind|wird|werden|sollen?|muss|dass|vom"
)
_KNOWN: Final = tuple(
    (re.compile(pattern), term, sign)
    for pattern, term, sign in (
        (r"exclam\w*|ausrufe?zeichen", "exclamation", 1), (r"fragezeichen", "question", 1),
        (r"emojis?|smileys?|emoticons?", "emoji", 1),
        (r"bullets?|aufzählung\w*|stichpunkt\w*|lists?|listen?", "list", 1),
        (r"formal\w*|förmlich\w*|formell\w*|siez\w*", "formal", 1),
        (r"informal\w*|casual\w*|locker\w*|duz\w*|informell\w*", "formal", -1),
        (r"long|longer|length\w*|lang|lange[rns]?|länger\w*|ausführlich\w*|wordy", "long", 1),
        (r"short\w*|brief\w*|briefer|concise\w*|terse\w*|kurz\w*|kürz\w*|knapp\w*", "long", -1),
        (r"warm\w*|friendl\w*|herzlich\w*|freundlich\w*", "warm", 1), (r"cold\w*|kühl\w*|unfriendl\w*", "warm", -1),
        (r"polite\w*|höflich\w*", "polite", 1), (r"rude\w*|impolite\w*|unhöflich\w*", "polite", -1),
        (r"simpl\w*|einfach\w*|plain\w*", "simple", 1), (r"complex\w*|complicat\w*|kompliziert\w*", "simple", -1),
        (r"direct\w*|direkt\w*", "direct", 1), (r"indirect\w*|indirekt\w*", "direct", -1),
        (r"jargon|fachbegriff\w*|fachjargon", "jargon", 1), (r"paragraphs?|absatz|absätze\w*", "paragraph", 1),
        (r"sentences?|satz|sätze\w*", "sentence", 1), (r"customers?|kund\w*", "customer", 1),
        (r"lie|lies|lying|lüg\w*", "lie", 1), (r"greetings?|anrede\w*", "greeting", 1),
        (r"insult\w*|beleidig\w*", "insult", 1), (r"names?|namen", "name", 1),
    )
)  # fmt: skip
_DEGREES: Final = frozenset(["formal", "long", "warm", "polite", "simple", "direct"])
"""Terms that have a contrary: two texts that name one differently point apart whatever else they say."""
_GERMAN: Final = re.compile(
    r"\b(?:der|die|das|und|nicht|nie|niemals|kein\w*|bitte|immer|ist|ein|eine|mit|für|bei|schreib\w*|verwend\w*|"
    r"zu|weniger|mehr|mich|mir|auf|sie|du)\b",
    re.IGNORECASE,
)
_FIGURES: Final = {
    word: str(number)
    for number, words in enumerate(
        ["two zwei", "three drei", "four vier", "five fünf", "six sechs", "seven sieben", "eight acht", "nine neun",
         "ten zehn", "eleven elf", "twelve zwölf"], start=2,
    )
    for word in words.split()
}  # fmt: skip
_PART: Final = re.compile(r"[;.!?\n]+|,|\s+(?:and|und|but|aber)\s+", re.IGNORECASE)

_PLACE: Final = (
    r"(?:in|for|on|at|when(?:ever)?|if|unless|only|except|while|until|during|im|bei|beim|für|wenn|falls|sobald|außer|nur|"
    r"während|gegenüber|solange)"
)
_LINK: Final = (
    rf"(?:{_PLACE}|to|towards?|with|without|about|from|before|after|by|as|over|under|within|against|an|am|auf|mit|ohne|vor|"
    r"nach|zu|zum|zur|von|vom|über|gegen|bis|als)"
)
_IDLE: Final = (
    r"(?:for|to|from|in|on|at|with|für|von|in|an|auf) (?:me|us|now on|all|general|particular|"
    r"the (?:future|record|whole)|"
    r"future|short|my (?:opinion|view)|example|addition|mich|uns|zukunft|beispiel|jetzt an|keinen fall|no case)\b"
)
"""Says nothing about where a demand holds."""
_AFTER: Final = re.compile(rf"\s+(?P<what>(?!{_IDLE}){_LINK}\s[^,;:.!?\n]{{2,80}})[.!]?\s*$", re.IGNORECASE)
"""What ends a clause behind the words and says where, when or to whom it holds."""
_WITHIN: Final = re.compile(rf"(?<=\w)\s+(?P<what>(?!{_IDLE}){_PLACE}\s[^,;:.!?\n]{{2,80}})[.!]?\s*$", re.IGNORECASE)
"""The same within the words, where another word of the same kind may stand for it."""
_BEFORE: Final = re.compile(
    rf"^\W*(?:(?:and|but|also|so|und|aber|please|bitte)\s+)?(?P<what>(?!{_IDLE}){_LINK}\s[^,;:.!?\n]{{2,80}}?)"
    r"(?P<cut>,\s*|\s+$|$)",
    re.IGNORECASE,
)
_OPENING: Final = re.compile(
    rf"^\W*(?P<what>(?!{_IDLE}){_PLACE}\s[^,;:.!?\n]{{2,60}}?)(?:,\s|\s+(?=(?:use|write|never|always|no|do|don['’]?t|keep|"
    r"avoid|add|put|make|be|sign|immer|nie|keine?|schreib\w*|verwend\w*|bitte)\b))",
    re.IGNORECASE,
)
_HAS_PLACE: Final = re.compile(rf"(?:^|\s){_PLACE}\s+\w", re.IGNORECASE)


# Where it holds


def qualified(span: Span, content: str, clause: Span, *, own: bool) -> tuple[Span, str]:
    """The words and the content with the conditions of their clause, where the answer left them out.

    Args:
        span: the words, within the clause.
        content: what the model made of them.
        clause: what they stand in.
        own: the content is those words.
    """
    span, content = _behind(span, content, clause)
    span, content = _ahead(span, content, clause, own=own)
    if own:
        return span, content
    tail, lead = _WITHIN.search(span.text), _OPENING.match(span.text)
    if tail is not None:
        content = _with(content, tail["what"].rstrip(" .!"))
    if lead is not None:
        content = _with(content, lead["what"])
    return span, content


def _behind(span: Span, content: str, clause: Span) -> tuple[Span, str]:
    tail = _AFTER.match(clause.text, span.end - clause.start)
    if tail is None:
        return span, content
    words = tail["what"].rstrip(" .!")
    end = clause.start + tail.start("what") + len(words)
    longer = Span(start=span.start, end=end, text=clause.text[span.start - clause.start : end - clause.start])
    known = signed_terms(content).keys() >= signed_terms(words).keys()
    return longer, content if known and _terms_in(words) else f"{content.rstrip(' .!')} {' '.join(words.split())}"


def _ahead(span: Span, content: str, clause: Span, *, own: bool) -> tuple[Span, str]:
    before = clause.text[: span.start - clause.start]
    lead = _BEFORE.match(before)
    if lead is None:
        return span, content
    if lead.end() == len(before):
        start = clause.start + lead.start("what")
        span = Span(start=start, end=span.end, text=clause.text[start - clause.start : span.end - clause.start])
    elif not lead["cut"].startswith(","):
        return span, content
    if not own:
        return span, _with(content, lead["what"])
    joint = ", " if lead["cut"].startswith(",") else " "
    words = " ".join(lead["what"].split())
    return span, f"{words[:1].upper()}{words[1:]}{joint}{content[:1].lower()}{content[1:]}"


def _with(content: str, words: str) -> str:
    """The content with a condition behind it, unless it has half of its terms or, in another language, one at all."""
    wanted = _terms_in(words)
    known = len(wanted & _terms_in(content)) * 2 >= len(wanted) if wanted else words.casefold() in content.casefold()
    foreign = _german(words) != _german(content) and _HAS_PLACE.search(content)
    if known or foreign:
        return content
    small = words if words[:2].isupper() else words[:1].lower() + words[1:]
    return f"{content.rstrip(' .!')} {' '.join(small.split())}"


# Which way, and nothing beside


def astray(content: str, quote: str) -> str:
    """Why a content must not stand for its words, or an empty string."""
    shown = repr(quote[:120])
    if len(content) > _LONGER * len(quote) + _SLACK:
        return f"it says far more than its words {shown}"
    if (
        _turned(content, quote)
        or _opposed(content, quote)
        or (contradict(content, quote) and not _agrees(content, quote))
    ):
        return f"it points the other way than its words {shown}"
    if weakens_safety(content) and not weakens_safety(quote):
        return f"its words {shown} do not say that a safeguard is to be switched off"
    return ""


def beyond(content: str, clause: str) -> str:
    """What a content asks for that the clause of its words does not, in words, or an empty string."""
    shown = repr(clause[:120])
    if figures := sorted(_figures(content) - _figures(clause)):
        return f"its words {shown} do not name {', '.join(figures)[:60]}"
    if added := _added(content, clause):
        return f"its words {shown} do not ask for {added[:80]!r}"
    return ""


def _turned(content: str, quote: str) -> bool:
    """Whether the two ask for opposite directions of one writing preference (longer and shorter, more and fewer)."""
    mine, theirs = reading(content), reading(quote)
    pairs = ((mine.direction(topic), theirs.direction(topic)) for topic in TOPICS)
    return any(own is not None and other is not None and own != other for own, other in pairs)


def _agrees(content: str, quote: str) -> bool:
    """Whether the words that both share point one way in both, or one of them asks by a bound or a question."""
    if _INDIRECT.search(content.lower()) or _INDIRECT.search(quote.lower()):
        return True
    mine, theirs = ({pair for clause in clauses(text) for pair in clause.items()} for text in (content, quote))
    return bool(mine & theirs) and not any((term, -sign) in theirs for term, sign in mine)


def _opposed(content: str, quote: str) -> bool:
    """Whether a clause of the content says of the quote's own words the contrary, and nothing that they say."""
    theirs: dict[str, set[int]] = {}
    for clause in clauses(quote):
        for term, sign in clause.items():
            theirs.setdefault(term, set()).add(sign)
    mine = clauses(content)
    for clause in mine:
        against = {term for term, sign in clause.items() if theirs.get(term) == {-sign}}
        if against & _DEGREES or (against and against == clause.keys()):
            return True
    if not theirs or not mine or _german(content) == _german(quote):
        return False
    shared = any(term in theirs for clause in mine for term in clause)
    signs = {sign for clause in mine for sign in clause.values()}
    return not shared and theirs.keys().isdisjoint(_DEGREES) and signs == {1} and set().union(*theirs.values()) == {-1}


@lru_cache(maxsize=4096)
def clauses(text: str) -> tuple[Terms, ...]:
    """The terms of each clause, with the direction that it gives them; one with a bound or an exception has none."""
    return tuple(terms for clause in _cut(text) if (terms := _signed(clause)))


def _cut(text: str) -> Iterator[list[str]]:
    low = text.lower().replace("’", "'").replace("instead of", "instead_of").replace("rather than", "rather_than")
    low = _WITHOUT.sub(lambda found: f"omit {found['what'] or ''}", low)
    now: list[str] = []
    for word in re.findall(r"(?:instead|rather)_(?:of|than)|" + _TOKEN.pattern, low):
        begins = word in _OPENS and any(_term(one) for one in now) and not _MODAL.fullmatch(now[-1])
        if word in {"without", "ohne"} and any(_NO.fullmatch(one) for one in now):
            begins = False
        if word in _APART or begins:
            if word == "," and now and now[-1] != "no" and _NO.fullmatch(now[-1]) and not _terms_in(" ".join(now)):
                continue
            yield now
            now = [word] if begins or word in _OPENS else []
        else:
            now.append(word)
    yield now


def _signed(words: list[str]) -> Terms:
    if _OPEN.search(" ".join(words)):
        return {}
    sign, before, found = 1, "", Terms()
    for place, word in enumerate(words):
        if word in {"enough", "genug"} and sign < 0:
            sign = 1
            found = {term: -own for term, own in found.items()}
        elif _NO.fullmatch(word) or (word == "zu" and _next_is_degree(words[place + 1 :])):
            mild = word in _MILD and any(_NO.fullmatch(one) for one in words[max(0, place - 2) : place])
            sign = sign if mild else -sign
            if _MODAL.fullmatch(before) or not any(_term(one) for one in words[place + 1 :]):
                found = {term: -own for term, own in found.items()}
        elif (term := _term(word)) and term[0] not in found:
            found[term[0]] = sign * term[1]
        before = word
    return found


def _next_is_degree(behind: list[str]) -> bool:
    return bool(behind) and (behind[0].startswith(("viel", "wenig")) or (_term(behind[0]) or ("", 0))[0] in _DEGREES)


@lru_cache(maxsize=8192)
def _term(word: str) -> tuple[str, int] | None:
    """What a word is about, and 1, or -1 where it names the contrary; `None` for one that is about nothing."""
    for pattern, term, sign in _KNOWN:
        if pattern.fullmatch(word):
            return term, sign
    found = stem_of(word)
    if not found or found in light() or _EMPTY.fullmatch(word) or _EMPTY.fullmatch(found) or _NO.fullmatch(word):
        return None
    return found, 1


def _terms_in(text: str) -> set[str]:
    return {term[0] for word in _TOKEN.findall(text.lower()) if (term := _term(word))}


def _german(text: str) -> bool:
    return bool(_GERMAN.search(text))


def _figures(text: str) -> set[str]:
    words = re.findall(r"\d+|[^\W\d_]+", text.lower())
    return {_FIGURES.get(word, word) for word in words if word.isdigit() or word in _FIGURES}


def _added(content: str, quote: str) -> str:
    """A demand of the content that has nothing in its words, where more stand in it than the words could mean."""
    theirs, mine = _parts(quote), _parts(content)
    if len(mine) < 2 or _german(content) != _german(quote):
        return ""
    said = _terms_in(quote)
    loose = [part for part in mine if not _terms_in(part) & said]
    held = set().union(*(_terms_in(part) for part in mine))
    unmet = [part for part in theirs if not _terms_in(part) & held]
    return loose[-1] if len(loose) > len(unmet) else ""


def _parts(text: str) -> list[str]:
    parts = [part.strip() for part in _PART.split(text)]
    return [part for part in parts if len(part.split()) > 1 or (part and part == text.strip(" .!?;,\n"))]
