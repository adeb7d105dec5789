"""What a rule's text must not do unseen: hide characters, or switch a safeguard off. Pure, and explained.

Rules become standing instructions, so a text is judged by what it would make an agent do. The one decision: hidden
characters are found by Unicode category and the list of ignorable code points, with an exemption only for sequences
that are well formed to the last character; flags are exempt by name (there are three), because a general exemption is
a way to smuggle text. What must not be told to others is in `skill.private`, which is imported here for its callers.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from ingrained.skill.private import generalise, leaks

__all__ = ["Finding", "forbidden", "generalise", "hidden", "leaks", "strip_hidden", "weakens_safety"]

HiddenKind = Literal["tag", "bidi", "zero-width", "variation", "control", "surrogate"]

_TAG_FIRST, _TAG_LAST = 0xE0000, 0xE007F
_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_IGNORABLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and marks that print nothing, though their category does not say so."""

_BASE = (
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf\u2900-\u297f"
    "\u2b00-\u2bff"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff]"
)
_SKIN = "[\U0001f3fb-\U0001f3ff]?"
_WELL_FORMED = re.compile(
    f"{_BASE}{_SKIN}[\ufe0e\ufe0f]?(?:\u200d{_BASE}{_SKIN}\ufe0f?)*"  # joined and styled emoji
    "|[0-9#*]\ufe0f\u20e3"  # keycaps
    r"|(?<=[\u0620-\u06ff\u0900-\u0dff])[\u200c\u200d](?=[\u0620-\u06ff\u0900-\u0dff])"  # spelling in these scripts
)
_FLAG = re.compile(
    "\U0001f3f4(?:"
    + "|".join("".join(chr(_TAG_FIRST + ord(c)) for c in name) for name in ("gbeng", "gbsct", "gbwls"))
    + ")\U000e007f"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A run of hidden characters of one kind."""

    start: int
    """Offset of the first, in characters."""
    length: int
    kind: HiddenKind
    shown: str
    """What it says where it is text in disguise (tag characters), else its code points."""


def hidden(text: str) -> list[Finding]:
    """Every run of characters that a reader cannot see but a program reads, in order; empty for a clean text.

    Tab and line ends are text. Well-formed emoji, the three flags of regions, and joiners within a word of a script
    that spells with them are no finding.
    """
    if text.isascii() and text.isprintable():
        return []
    spared = _spared(text)
    found: list[Finding] = []
    at = 0
    while at < len(text):
        kind = None if at in spared else _kind(text[at])
        end = at + 1
        if kind is not None:
            while end < len(text) and end not in spared and _kind(text[end]) == kind:
                end += 1
            found.append(Finding(start=at, length=end - at, kind=kind, shown=_shown(text[at:end], kind)))
        at = end
    return found


def strip_hidden(text: str) -> str:
    """The text without what `hidden` finds; nothing else changes."""
    kept: list[str] = []
    at = 0
    for run in hidden(text):
        kept.append(text[at : run.start])
        at = run.start + run.length
    return "".join([*kept, text[at:]])


def _kind(char: str) -> HiddenKind | None:
    code = ord(char)
    if 0x20 <= code < 0x7F:
        return None
    if _TAG_FIRST <= code <= _TAG_LAST:
        return "tag"
    if 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF or 0x180B <= code <= 0x180D or code == 0x180F:
        return "variation"
    if char in _BIDI:
        return "bidi"
    category = unicodedata.category(char)
    if category == "Cs":
        return "surrogate"
    if category == "Cc":
        return None if char in "\t\n\r" else "control"
    return "zero-width" if category == "Cf" or char in _IGNORABLE or 0xE0000 <= code <= 0xE0FFF else None


def _spared(text: str) -> frozenset[int]:
    """Offsets of the characters that belong to a well-formed sequence."""
    return frozenset(
        at for pattern in (_WELL_FORMED, _FLAG) for match in pattern.finditer(text) for at in range(*match.span())
    )


def _shown(run: str, kind: HiddenKind) -> str:
    said = "".join(chr(ord(c) - _TAG_FIRST) for c in run if 0x20 <= ord(c) - _TAG_FIRST < 0x7F) if kind == "tag" else ""
    return said or " ".join(f"U+{ord(c):04X}" for c in run)


_OFF = r"(?:skip|bypass|disabl|turn(?:ing)? off|switch(?:ing)? off|ignor|circumvent)(?:e|ing|s|ped|ping|ed)?"
_GAP = r"[^.;!?\n]{0,30}?"
_TESTS = (
    r"(?:tests?|test suite|specs?|unit tests?)\b(?! (?:files?|folders?|data|output|fixtures?|names?|cases? names?"
    r"|director\w+))"
)
_CONFIDENTIAL = (
    r"(?:secrets?|passwords?|(?:access |auth |api )?tokens?|api[- ]?keys?|credentials?|private keys?|\.env\b(?:"
    r" files?)?)"
    r"(?! (?:usage|counts?|budget|limits?|use|store|manager|scanner))"
)
_OPEN_PLACE = (
    r"(?:repo\w*|source|code|file|files|readme\w*|git|config\w*|plain ?text|chat|logs?|commits?|dockerfile"
    r"|scripts?|docs?)"
)
_CONFIRM = (
    r"(?:ask(?:ing)?|check(?:ing)? with|wait(?:ing)? for|prompt(?:ing)?|confirm(?:ing)?)"
    r"(?: (?:me|us|the user|anyone))?"
)

_WEAKENS: tuple[tuple[str, str], ...] = (
    ("skips the hooks", rf"--no-verify\b|\b{_OFF}\b{_GAP}\b(?:git |commit |pre-?commit |pre-?push )*hooks?\b|HUSKY=0"),
    (
        "skips the tests",
        rf"\b(?:{_OFF}|comment(?:ing)? out)\b (?:(?:the|all|any|failing|flaky|slow|broken|red|unit|integration|e2e)"
        rf" )*{_TESTS}"
        rf"|\b(?:delete|remove)\b (?:the |any |all )?(?:failing|broken|red|flaky) {_TESTS}"
        rf"|\b(?:don'?t|do not|never|no need to|without) run(?:ning)?\b (?:(?:the|any|all|ci|or|and|unit|integration"
        rf"|e2e) )*{_TESTS}"
        rf"(?![^.;]*\b(?:unless|until|while|yourself|twice|again)\b)"
        r"|\b(?:even (?:if|when|though)|although) (?:the |some )?(?:tests?|checks?|ci)\b[^.;]{0,15}\b(?:fail\w*|red"
        r"|broken)",
    ),
    (
        "acts without approval",
        r"\bauto[- ]?(?:approv|accept|confirm)\w*|\b(?:accept|approve|allow)\b (?:all|everything|every|any)\b"
        rf"|\bwithout {_CONFIRM}\b(?! why| what| which)"
        rf"|\b(?:don'?t|do not|never|no need to|stop)\b {_CONFIRM},? (?:for (?:permission|approval|confirmation|an?"
        rf" ok)|before|first|just|to (?:confirm|approve|proceed)|permission|if you (?:may|can|should))"
        r"|--yolo\b|--full-auto\b|--dangerously[\w-]*|danger-full-access|\byolo mode\b"
        r"|\bsin (?:pedir |mi )?(?:preguntar\w*|confirmaci[oó]n|permiso)|\bohne (?:zu fragen|r[uü]ckfrage|nachfrage)",
    ),
    (
        "gets around permissions or the sandbox",
        rf"\b(?:{_OFF}|escap\w+|leave|outside(?: of)?|without)\b{_GAP}\b(?:sandbox\w*|permission (?:prompts?|checks?"
        rf"|system)|permissions?)\b"
        r"|\bbypassPermissions\b|\bpermissions? bypassed\b|\bno sandbox\b|--no-sandbox\b",
    ),
    (
        "switches off transport security",
        rf"\b{_OFF}\b{_GAP}\b(?:tls|ssl|https|certificates?|cert(?:ificate)? (?:checks?|errors?|validation))\b"
        r"|\bverify\s*[=:]\s*false\b|--insecure\b|\bcurl (?:-\w*k\b|-k)|NODE_TLS_REJECT_UNAUTHORIZED\W+0"
        r"|\brejectUnauthorized\W+false"
        r"|\bInsecureSkipVerify\b|\bsslVerify\W+false|StrictHostKeyChecking\W+no\b|\bhttp instead of https\b",
    ),
    (
        "puts secrets where they leak",
        rf"\b(?:commit|check in|hard-?cod(?:e|ing)|print|echo|paste|log|dump|inline)(?:s|ting)?\b (?!the number|how"
        rf" many){_GAP}(?<!\w){_CONFIDENTIAL}"
        rf"|\b(?:store|save|write|put|keep|add|include)\b (?!no ){_GAP}(?<!\w){_CONFIDENTIAL}[^.;]{{0,20}}?\b(?:in"
        rf"|into|to|inside)\b "
        rf"(?:the |a |our )?{_OPEN_PLACE}\b(?! (?:manager|vault))",
    ),
    (
        "hides failures",
        r"\b(?:hid|swallow|suppress|silenc|mask|conceal|ignor)(?:e|es|ing|s)?\b (?:(?:all|any|the|these|test|build"
        r"|such) )*(?:errors?|failures?|exceptions?|failing \w+|(?<=all )warnings?)\b"
        r"|\b(?:don'?t|do not|never) (?:report|mention|show|tell (?:me|us|anyone) about"
        r"|surface)\b[^.;]{0,20}\b(?:errors?|failures?|failed|failing)\b"
        r"|\|\| ?true\b|\b(?:pretend|claim|say)\b[^.;]{0,20}\b(?:it works|passed|passes|succeeded)\b"
        r"|\b(?:don'?t|do not|never) tell the (?:user|person|reviewer)|\bhide (?:it|this|that) from\b",
    ),
    (
        "destroys work or rewrites shared history",
        r"\bforce[- ]?push\w*\b(?![^.;]*--force-with-lease| with lease)"
        r"|\bpush\b[^.;\n]{0,30}(?:--force\b(?!-with-lease)|\s-f\b)"
        r"|\breset --hard\b|\brm -rf\b|\bgit clean -\w*f|\brewrite (?:the )?(?:git |shared |public )?history\b",
    ),
    ("takes more rights", r"\bsudo\b|\bchmod (?:-R )?0?777\b|\b(?:run|execute|log ?in)\b[^.;]{0,20}\bas root\b"),
    (
        "skips a review or a security check",
        rf"\b{_OFF}\b{_GAP}\b(?:code review|peer review|the reviews?|secret scan\w*|security (?:checks?|scan\w*"
        rf"|review)|branch protection"
        r"|ci\b|lint\w*|type ?checks?|commit signing|auth(?:entication|orization)?|csrf|firewall|selinux|antivirus|2fa"
        r"|mfa|audit log\w*|input validation)\b"
        r"|\bmerge\b[^.;]{0,20}\bwithout (?:a |any )?(?:review|approval)|--no-gpg-sign\b"
        r"|\bcurl\b[^|\n]{0,80}\|\s*(?:sudo )?(?:ba)?sh\b",
    ),
)
_WEAK = tuple((why, re.compile(pattern, re.IGNORECASE)) for why, pattern in _WEAKENS)
_FORBIDS = re.compile(
    r"\b(?:never|don'?t|do not|must not|mustn'?t|should(?: not|n'?t)|can(?:not|'?t)|may not|avoid|stop|refuse to|no"
    r" longer|not|no"
    r"|instead of|rather than|prefer \S+ over|nunca|jam[aá]s|nicht|nie(?:mals)?|kein\w*|block|reject|forbid|warn (?:me"
    r" )?(?:when|before|if))\b"
    r"(?![^.;:!?]*\b(?:but|just|unless|forget to|hesitate to|be afraid to)\b)[^.;:!?]*\Z",
    re.IGNORECASE,
)
_FORBIDDEN_AFTER = re.compile(
    r"[^.;!?]{0,25}?\b(?:is|are|stays?|remains?)\b (?:strictly |never |always )?"
    r"(?:forbidden|banned|prohibited|off[- ]limits|not (?:allowed|ok|okay|fine|an option|available)|unavailable|never"
    r" ok\w*|ok\b)",
    re.IGNORECASE,
)
_OWN_NEGATION = re.compile(r"(?:don'?t|do not|never|no need to|stop|no sandbox)\b", re.IGNORECASE)


def weakens_safety(text: str) -> str:
    """Why a rule must wait for an explicit yes, as "it …": it would switch a safeguard off. Empty where it would not.

    A rule that forbids the same, before ("never use --no-verify") or after it ("--no-verify is forbidden"), weakens
    nothing; "don't forget to …" and "don't ask before …" do.
    """
    plain = text.replace("\u2019", "'")
    for why, pattern in _WEAK:
        for match in pattern.finditer(plain):
            if not forbidden(plain, match.start(), match.end(), before=not _OWN_NEGATION.match(match[0])):
                return f"it {why}"
    return ""


def forbidden(text: str, start: int, end: int, *, before: bool = True) -> bool:
    """Whether the words of its sentence forbid what stands in `[start, end)`; with `before` also those before it."""
    return bool((before and _FORBIDS.search(text[:start])) or _FORBIDDEN_AFTER.match(text, end))
