"""What a rule's text may not carry: hidden characters, a weakening of safety, private matter. Pure, and explained.

Rules become standing instructions, so a text is judged by what it would make an agent do or tell: invisible text is
taken out and shown, a rule that switches a safeguard off is held for an explicit yes, and private details are cut
from the text while the quote behind it stays in the ledger.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ingrained.session.session import Redactor

_TAG_FIRST, _TAG_LAST = 0xE0000, 0xE007F
_JOINER, _EMOJI_STYLE, _BLACK_FLAG, _CANCEL = "\u200d", "\ufe0f", "\U0001f3f4", "\U000e007f"
_ALLOWED_CONTROL = frozenset("\t\n\r")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A run of hidden characters."""

    start: int
    """Offset of the first, in characters."""
    length: int
    kind: str
    """`tag`, `bidi`, `zero-width`, `variation`, `control` or `surrogate`."""
    shown: str
    """What it says where it is text in disguise (tag characters), else the code points."""


def hidden(text: str) -> list[Finding]:
    """Every run of characters that a reader cannot see but a program reads; empty for a clean text.

    Well-formed emoji sequences (joined, styled, or flags of regions) are no finding.
    """
    spared = _emoji(text)
    found: list[Finding] = []
    at = 0
    while at < len(text):
        kind = "" if at in spared else _kind(text[at])
        if not kind:
            at += 1
            continue
        end = at + 1
        while end < len(text) and end not in spared and _kind(text[end]) == kind:
            end += 1
        found.append(Finding(start=at, length=end - at, kind=kind, shown=_shown(text[at:end], kind)))
        at = end
    return found


def strip_hidden(text: str) -> str:
    """The text without its hidden characters."""
    if text.isascii() and text.isprintable():
        return text
    spared = _emoji(text)
    return "".join(letter for at, letter in enumerate(text) if at in spared or not _kind(letter))


def _kind(letter: str) -> str:
    code = ord(letter)
    if _TAG_FIRST <= code <= _TAG_LAST:
        return "tag"
    if 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF or 0x180B <= code <= 0x180F:
        return "variation"
    category = unicodedata.category(letter)
    if category == "Cs":
        return "surrogate"
    if category == "Cc":
        return "" if letter in _ALLOWED_CONTROL else "control"
    if category == "Cf" or letter in "\u115f\u1160\u3164\uffa0\u034f\u2800":
        return "bidi" if unicodedata.bidirectional(letter) in _BIDI or letter in "\u200e\u200f\u061c" else "zero-width"
    return ""


_BIDI = frozenset({"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI"})
_EMOJI = re.compile(
    "[\U0001f000-\U0001faff\u2190-\u2bff\u3030\u303d\u3297\u3299\u00a9\u00ae0-9#*]\ufe0f?[\U0001f3fb-\U0001f3ff]?\u20e3?"
    "(?:\u200d[\U0001f000-\U0001faff\u2190-\u2bff]\ufe0f?[\U0001f3fb-\U0001f3ff]?)*"
)
_REGION = re.compile(_BLACK_FLAG + "[\U000e0061-\U000e007a\U000e0030-\U000e0039]{4,6}" + _CANCEL)


def _emoji(text: str) -> frozenset[int]:
    """Offsets of joiners, styles and tags that are part of a well-formed emoji."""
    if text.isascii():
        return frozenset()
    spared: set[int] = set()
    for match in _REGION.finditer(text):
        spared.update(range(match.start() + 1, match.end()))
    for match in _EMOJI.finditer(text):
        if len(match.group()) > 1 and not (match.group()[0].isascii() and "\u20e3" not in match.group()):
            spared.update(at for at in range(match.start() + 1, match.end()) if text[at] in (_JOINER, _EMOJI_STYLE))
    return frozenset(spared)


def _shown(run: str, kind: str) -> str:
    if kind == "tag":
        return "".join(chr(ord(letter) - _TAG_FIRST) for letter in run if 0x20 <= ord(letter) - _TAG_FIRST < 0x7F)
    return " ".join(f"U+{ord(letter):04X}" for letter in run)


_NOT = r"(?:never|don'?t|do not|dont|must not|no|without|stop|avoid|not)"
_WEAKENS: tuple[tuple[str, str], ...] = (
    ("skips the hooks", r"--no-verify\b|\b(?:skip|bypass|disable|turn off)\b[^.;]{0,30}\bhooks?\b"),
    (
        "skips the tests",
        r"\b(?:skip|disable|ignore|delete|comment out|turn off)\b[^.;]{0,25}\b(?:failing |flaky |the |"
        r"all )*tests?\b",
    ),
    (
        "approves by itself",
        r"\bauto[- ]?(?:approve|accept)\w*|\b(?:without asking|don'?t ask|never ask)\b|--yolo\b|"
        r"--dangerously[\w-]*|\bbypass\w*[^.;]{0,20}\bpermissions?\b",
    ),
    (
        "switches off transport security",
        r"\b(?:disable|skip|ignore|turn off)\b[^.;]{0,25}\b(?:tls|ssl|certificates?|cert checks?)\b|"
        r"verify\s*=\s*false|--insecure\b|\bcurl -k\b",
    ),
    (
        "puts secrets where they leak",
        r"\b(?:commit|hardcode|hard-code|print|log|paste|store|put)\b[^.;]{0,25}\b(?:secrets?|passwords?|"
        r"tokens?|api keys?|credentials?)\b",
    ),
    (
        "hides failures",
        r"\b(?:hide|swallow|suppress|ignore|don'?t (?:report|mention|show))\b[^.;]{0,25}\b(?:errors?|"
        r"failures?|exceptions?|warnings?)\b",
    ),
    ("rewrites shared history", r"\bforce[- ]push\w*|\bpush (?:-f\b|--force\b)|\bgit reset --hard\b"),
    (
        "takes more rights",
        r"\bsudo\b|\bchmod 777\b|\bas root\b|\b(?:disable|turn off|outside)\b[^.;]{0,15}\bsandbox\w*",
    ),
    (
        "skips review or scans",
        r"\b(?:skip|disable|bypass|ignore)\b[^.;]{0,25}\b(?:code review|reviews?|secret scan\w*|"
        r"security (?:checks?|scan\w*)|lint\w*|type checks?|ci)\b",
    ),
)
_WEAK = tuple((why, re.compile(pattern, re.IGNORECASE)) for why, pattern in _WEAKENS)
_FORBIDS = re.compile(rf"\b{_NOT}\b[^.;,]*$", re.IGNORECASE)
_ASK_FORMS = re.compile(
    r"^(?:don'?t ask|never ask|without asking|don'?t report|don'?t mention|don'?t show|no-verify)", re.IGNORECASE
)


def weakens_safety(text: str) -> str:
    """Why a rule must be held for an explicit yes, or an empty string: it would switch a safeguard off.

    A rule that forbids the same ("never use --no-verify") weakens nothing.
    """
    for why, pattern in _WEAK:
        for match in pattern.finditer(text):
            before = text[: match.start()]
            if _ASK_FORMS.match(match.group()) or not _FORBIDS.search(before):
                return f"it {why}"
    return ""


_PRIVATE = re.compile(
    r"\b(?:clinic|hospital|doctor|therap\w+|surgery|diagnos\w+|medication|pregnan\w+|disab\w+|screen reader|"
    r"illness|sick leave|"
    r"daughter|son|wife|husband|kids?|children|mother|father|partner|divorce|"
    r"salary|(?:my|hourly|day) rate|\d+k\b|invoice|bonus|paycheck|rent|mortgage|"
    r"passport|birthday|home address|religio\w+)\b",
    re.IGNORECASE,
)
_CUSTOMER = re.compile(r"\b(?:customer|client|account)\s+(?-i:([A-Z][\w&-]+))")
_ASKED = re.compile(
    r"\b(ask|ping|tell|check with|talk to|message|email|cc)\s+(?-i:[A-ZÀ-Þ][\w'-]+)\s+(?:from|in|of|at)\s+",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"(?:(?<![\w.])(?:~|/home/[\w.-]+|/Users/[\w.-]+|/root)(?:/[^\s`'\",;)]*)?|\b[A-Z]:\\[^\s`'\",;)]*)"
)
_HOST = re.compile(r"\(?\bhttps?://[^\s)]+\)?|\b[\w.-]+\.(?:internal|local|corp|lan|intra)\b", re.IGNORECASE)
_MARKER = re.compile(r"\[redacted:[\w-]+\]")
_ASIDE = re.compile(r"\s*\([^()]*(?:https?://|\[redacted:)[^()]*\)")
_CLAUSE = re.compile(r"\s*[,;]\s*|\s+(?:because|since|as|so that)\s+|(?<=[.!?])\s+")


def leaks(text: str, *, names: Iterable[str], secrets_redactor: Redactor) -> list[str]:
    """What in a text may not be shared, each as a short phrase; empty where nothing is seen."""
    found: list[str] = []
    found += [f"private matter: {match.group()}" for match in _PRIVATE.finditer(text)]
    found += [f"a customer: {match.group(1)}" for match in _CUSTOMER.finditer(text)]
    found += [f"a person: {match.group()}" for match in _ASKED.finditer(text)]
    found += [f"a path: {match.group()}" for match in _PLACE.finditer(text)]
    found += [f"an address: {match.group()}" for match in _HOST.finditer(text)]
    found += [f"a name: {name}" for name in names if name and re.search(rf"\b{re.escape(name)}\b", text, re.IGNORECASE)]
    found += [f"a {kind}" for kind in secrets_redactor.redact(text).counts]
    found += ["a replaced secret"] if _MARKER.search(text) else []
    return found


def generalise(text: str, *, names: Sequence[str], secrets_redactor: Redactor) -> str | None:
    """The rule without what is private, or `None` where no rule is left.

    Asides with addresses go, home folders become `~`, a named colleague becomes their department, and clauses that
    speak of health, family or pay, or name a person or customer, are dropped; the rest must still be an instruction.
    """
    text = _ASIDE.sub("", text)
    text = _ASKED.sub(lambda match: f"{match.group(1)} ", text)
    text = _PLACE.sub(_last_part, text)
    kept: list[str] = []
    joints = list(_CLAUSE.finditer(text))
    starts = [0, *(joint.end() for joint in joints)]
    ends = [*(joint.start() for joint in joints), len(text)]
    for number, (start, end) in enumerate(zip(starts, ends, strict=True)):
        clause = text[start:end]
        if not clause.strip() or leaks(clause, names=names, secrets_redactor=secrets_redactor):
            continue
        joint = text[ends[number - 1] : start] if number and kept else ""
        kept.append(joint + clause)
    whole = "".join(kept).strip(" ,;")
    if len(whole) < 0.35 * len(text) and len(whole.split()) < 4:
        return None
    word = whole.split()[0].replace("'", "")
    return whole[:1].upper() + whole[1:] if word.isalpha() and len(kept) < len(starts) else whole


def _last_part(match: re.Match[str]) -> str:
    parts = re.split(r"[\\/]", match.group().rstrip("\\/"))
    return parts[-1] if len(parts) > 3 else "~"
