"""Secrets said in a sentence: after their name ("the password is X", "pw X"), before it ("X is the key"), or in words.

The one decision: the more the words between name and value say that a value follows, the less the value has to look
like one. After "is", a colon or "=" a password may be anything but words and terms of the trade; after the bare name,
which ordinary speech follows with anything, it must mix letters and digits in a way that identifiers do not.
"""

from __future__ import annotations

import re

from ingrained.session.looks import generated, hex_key, password_like, placeholder, technical, worded

_LINKS = r"(?:is|was|es|est|ist|lautet|era|war)(?:[ ](?:now|still|just|simply|always))?:?"
_FILL = r"(?:[ ]+(?:provided|used|value|here|below|now|(?:for|on|in|of|to|at)(?: (?:the|our|my))?(?: [\w.\-]+){1,2}?))*"
_LINKED = re.compile(
    rf"(?:{_FILL}(?:[ ]+{_LINKS}\s+|[ ]?:\s+|[ ]+(?=[`\"'“]))|[ ]?=[ ])[`\"'“(]?(?P<v>[^\s`\"'”]{{6,512}})"
)
_SAID = re.compile(r"(?:[ ]+[^\W\d_]+){1,2}:\s+[`\"'“]?(?P<v>[^\s`\"'”]{6,512})")
_BETWEEN = (
    r"(?i:is|was|are|be|been|will|should|must|has|had|changed|set|reset|rotated|to|now|which|that|still|just|remains"
    r"|equals|ist|wurde|es)"
)
_NEXT = re.compile(
    rf"(?:{_FILL}(?:,?[ ]+{_BETWEEN}\b){{1,4}})?(?:[ ]*(?:->|=>|→|[\-–—:|=]))?[ ]{{1,2}}[`\"'“(*]{{0,2}}"
    r"(?P<v>[^\s`\"'”]{8,512})"
)
"""The value right after the name, or with linking words and one mark between them."""

_PHRASE = re.compile(
    r"(?i:\b(?:pass[- ]?phrase|passwords?|(?:seed|recovery|secret|backup) (?:phrase|words)|mnemonic(?: phrase)?)"
    r"(?:[ ]+(?:for|of|to)(?: \w+){1,3}?)?(?:[ ]+(?:is|are|was)|[ ]?[:=]))[ ]+(?P<q>[`\"'“])?"
    r"(?P<v>[a-z]{3,12}(?:[ \-][a-z]{3,12}){3,23})(?![\w])"
)
_SPEECH = (
    "the and for with from that this not are was were will would should shall must can could may might has have had "
    "been being but than then when where which who whom whose what why how its our your their his her you they them "
    "all any some each every none one two three four five six seven eight nine ten twelve few many more most less "
    "least about above after again against before below between both during into onto off out over under until upon "
    "via per too very only just also still yet now here there always never only same such other another please "
    "needs need needed use used uses using required require requires optional set sets stored store hashed encrypted "
    "empty missing wrong invalid incorrect expired reset changed change rotated shown hidden masked passed read sent "
    "asked prompt prompts prompted field fields form minimum maximum length character characters letters digits "
    "words lowercase uppercase symbols special long short strong weak valid gets get does did don't doing make makes "
    "kept keep never leave left let lets"
)
_SPEECH_WORDS = frozenset(_SPEECH.split())


def after(text: str, end: int, *, password: bool, least: int) -> tuple[int, int] | None:
    """The span of the value said after a name that ends at `end`.

    Args:
        text: the whole text.
        end: where the name ends.
        password: the name is that of a password: the value may be any.
        least: of other names, the fewest characters that count as generated.
    """
    linked = _LINKED.match(text, end)
    match = linked or _SAID.match(text, end)
    if match is not None and (span := _trimmed(text, match)):
        value = text[span[0] : span[1]]
        if _password(value, said=match.re is _SAID) if password else _key(value, least):
            return span
    match = _NEXT.match(text, end)
    if match is not None and (span := _trimmed(text, match)):
        value = text[span[0] : span[1]]
        if mixed(value) if password else _key(value, least):
            return span
    return None


def before(text: str, begin: int, *, password: bool) -> tuple[int, int] | None:
    """The span of a value said before a name that begins at `begin`: "use X as the deploy token"."""
    words = text[max(0, begin - 640) : begin - 1].rsplit(" ", 5)
    for place in range(len(words) - 1, 0, -1):
        if words[place] in ("as", "is"):
            value = words[place - 1].rsplit("\n")[-1].strip("\"'`.,;:()[]<>*“”")
            first = text.rfind(value, 0, begin) if value else -1
            fits = first >= 0 and (mixed(value) if password else _key(value, 12))
            return (first, first + len(value)) if fits else None
        if not words[place].isalpha():
            return None
    return None


def phrases(text: str) -> list[tuple[int, int]]:
    """Spans of pass phrases: four and more words in a row after the name, none of them one that binds a sentence."""
    found: list[tuple[int, int]] = []
    for match in _PHRASE.finditer(text):
        size = 0
        count = 0
        for word in re.finditer(r"[a-z]+", match["v"]):
            if word[0] in _SPEECH_WORDS:
                break
            size, count = word.end(), count + 1
        if count >= 4:
            found.append((match.start("v"), match.start("v") + size))
    return found


def _trimmed(text: str, match: re.Match[str]) -> tuple[int, int] | None:
    first, last = match.span("v")
    while last > first and text[last - 1] in ".,;:!?)}]*>":
        last -= 1
    return (first, last) if last > first else None


def _password(value: str, *, said: bool) -> bool:
    if placeholder(value) or technical(value) or value.isalpha() or not password_like(value, literal=False):
        return False
    if "/" in value and not mixed(value):
        return False
    return not said or (len(value) >= 8 and any(map(str.isdigit, value)))


def mixed(value: str) -> bool:
    """Eight characters and more, letters and digits in such a way that it is no identifier, date, file or path."""
    letters, numbers = any(map(str.isalpha, value)), any(map(str.isdigit, value))
    if len(value) < 8 or not (letters and numbers) or placeholder(value) or worded(value):
        return False
    return "/" not in value or (any(map(str.isupper, value)) and any(map(str.islower, value)) and value[0] not in "/~.")


def _key(value: str, least: int) -> bool:
    if hex_key(value):
        return True
    fits = generated(value, least=least) and any(map(str.isdigit, value))
    return fits and not placeholder(value) and not technical(value)
