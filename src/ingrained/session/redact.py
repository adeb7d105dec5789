"""Takes secrets and personal data out of one text and leaves a typed marker (`[redacted:aws-key]`) in each place.

The one decision: redaction runs to a fixed point. What a pass cuts out can uncover a neighbour (a boundary that was a
letter is now a bracket), so passes repeat until one finds nothing; a redacted text therefore redacts to itself. A
marker is never cut, nor anything across one. Where findings overlap, the whole of them goes under one marker.

Three views of a text are searched, each mapped back: as it is; with invisible characters, terminal colours and
look-alike letters folded away; and with wrapped lines joined, for tokens that a terminal broke. Which finders run is
decided by substring tests, because most texts hold nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from ingrained.session import framed, keyed, personal, prose
from ingrained.session.secrets import FAMILIES, Found, matches
from ingrained.session.session import Redaction

MARKER = re.compile(r"\[redacted:[a-z0-9-]+\]")

_TRIGGERS = [(trigger, place) for place, family in enumerate(FAMILIES) for trigger in family.triggers or ("",)]
_LONG_WORD = re.compile(r"(?<!\S)(?:\S{16,}|\S+\Z)")
_TOKENISH = re.compile(r"[A-Z0-9_\-]")
_NOT_LOWER = re.compile(r"[A-Z0-9]")

_IGNORED = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\U000e0000-\U000e0fff"
)
_LOOKALIKES = str.maketrans(
    "АВЕЅІЈКМНОРСТХУԌаеѕіјорсухԁһԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧοινı‐‑‒–—−․∶",
    "ABESIJKMHOPCTXYGaesijopcyxdhqwABEZHIKMNOPTYXoivi------.:",
)
_FOLDED = re.compile(
    f"[{_IGNORED}\u2000-\u200a\u00a0\uff01-\uffee\U0001d400-\U0001d7ff\u2460-\u24ff{''.join(map(chr, _LOOKALIKES))}]"
    r"|\x1b\[[0-9;]*[A-Za-z]"
)
_DROPPED = re.compile(rf"[{_IGNORED}]|\x1b\[[0-9;]*[A-Za-z]")
_WRAP = re.compile(
    r"[\n\r\\\"'](?<=[A-Za-z0-9_\-+/=.]{6}[\n\r\\\"'])(?:(?<=\n)|(?<=\r)\n|(?<=\\)\r?\n"
    r"|(?<=[\"'])(?:[ ]*[+.&][ ]*\\?\n?[ \t]*|[ \t]*\\?\n[ \t]*(?:[+.]\s?)?)[\"'])[ \t]{0,8}(?=[A-Za-z0-9_\-+/=.])"
)
"""A line end, or a concatenation of two string literals, before the rest of a token."""
_TOKEN_CHARS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+/=.")

_USER = r"[^\s/\\:\"'`<>|()\[\]]+"
_ROOTS = (
    r"(?:/(?:home|Users)/|/mnt/[a-z]/Users/|(?i:[a-z]:(?:\\{1,2}|/)(?:Users|Documents and Settings)(?:\\{1,2}|/)))"
    + _USER
    + r"|(?<![\w/.~])/(?:var/)?root(?![\w.\-])"
)
_HOME = re.compile(_ROOTS)
_PATH_REST = r"(?:[/\\][^\s:\"'`<>|()\[\]{},;]*)?"
_HOME_PATH = re.compile(rf"(?:{_ROOTS})(?P<rest>{_PATH_REST})")
_FILE = re.compile(r"[^/\\.][^/\\]*\.\w{1,10}[.,;!?]*\Z")
"""A path that ends in the name of a file."""
_FILE_URL = re.compile(r"\bfile://(?:localhost)?/")
_PLACE = re.compile(
    r"(?:(?<![\w.~\-/:\\])/(?:mnt|media|srv|opt|work|workspaces?|Volumes|private|var/folders|var/www|export|nfs|builds"
    r"|repos)"
    r"(?=[/\s.,;)]|\Z)|(?<![A-Za-z0-9])(?:[A-Za-z]:\\{1,2}|[A-Z]:/(?!/))|(?<![\w\\])\\\\(?=\w[\w.\-]*\\))"
    r"[^\s:\"'`<>|()\[\]{},;]*"
)


class SecretRedactor:
    """The `Redactor` of every reader: secrets by shape, frame and key name, and personal data."""

    def __init__(self, names: Iterable[str] = (), *, strip_home: bool = False) -> None:
        r"""Which names to take out, and whether home folders go too.

        Args:
            names: names of persons and users (git config, operating system). Only whole words go; see
                `personal.Names` for those that stay.
            strip_home: write `~` for home folders (`/home/x`, `/Users/x`, `C:\Users\x`) and take names out of paths,
                handles and identifiers too; by default paths stay whole.
        """
        self._names = personal.Names(names, anywhere=strip_home)
        self._strip_home = strip_home

    def redact(self, text: str) -> Redaction:
        """The text with a marker in place of each secret. The same text gives the same result; a result gives itself.

        Cost: a few substring tests a text without anything (about 45 MB a second), a few MB a second on code and logs.
        """
        counts: dict[str, int] = {}
        while True:
            if self._strip_home:
                text, homes = _HOME.subn("~", text)
                if homes:
                    counts["home-path"] = counts.get("home-path", 0) + homes
            spans = _merge(self._find(text), text)
            if not spans:
                return Redaction(text=text, counts=counts)
            text = _replace(text, spans, counts)

    def _find(self, text: str) -> Iterator[Found]:
        yield from _secrets(text)
        yield from _people(text)
        yield from self._names.find(text)
        if (not text.isascii() or "\x1b" in text) and _FOLDED.search(text):
            folded, origin = _fold(text)
            yield from _mapped(_secrets(folded), origin)
            yield from _mapped(_people(folded), origin)
            yield from _mapped(self._names.find(folded), origin)
        yield from _wrapped(text)


def _secrets(text: str) -> Iterator[Found]:
    yield from _shapes(text)
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    yield from framed.find(text, lower)
    if any(root in lower for root in keyed.ROOTS):
        yield from keyed.find(text, lower)
    if "pass" in lower or "phrase" in lower or "mnemonic" in lower or "words" in lower:
        yield from (Found(first, last, "password") for first, last in prose.phrases(text))


def _long_words(text: str) -> str:
    """The words of 16 characters with a digit or capital, the least that a secret with a shape of its own has.

    A last word that the text breaks off in is among them, however short.
    """
    return " ".join(match[0] for match in _LONG_WORD.finditer(text) if _NOT_LOWER.search(match[0]))


def _shapes(text: str) -> Iterator[Found]:
    words = _long_words(text)
    if not words:
        return
    for place in sorted({place for trigger, place in _TRIGGERS if trigger in words}):
        family = FAMILIES[place]
        if family.triggers or next(matches(family, words), None):
            yield from matches(family, text)


def _people(text: str) -> Iterator[Found]:
    yield from personal.find_mail(text)
    yield from personal.find_numbers(text)


def _fold(text: str) -> tuple[str, list[int]]:
    """The text without invisible characters and with compatible letters as plain ones; and each character's origin."""
    out: list[str] = []
    origin: list[int] = []
    dropped = [match.span() for match in _DROPPED.finditer(text)]
    at = 0
    for start, end in [*dropped, (len(text), len(text))]:
        for place in range(at, start):
            char = text[place]
            plain = char if char.isascii() else unicodedata.normalize("NFKC", char).translate(_LOOKALIKES)
            out.append(plain)
            origin.extend([place] * len(plain))
        at = end
    return "".join(out), [*origin, len(text)]


def _mapped(found: Iterable[Found], origin: list[int]) -> Iterator[Found]:
    for start, end, kind in found:
        yield Found(origin[start], origin[end - 1] + 1, kind)


def _wrapped(text: str) -> Iterator[Found]:
    """Secrets with a shape of their own that a line end, or a concatenation in code, cuts in pieces."""
    chain: list[tuple[int, int]] = []
    for match in _WRAP.finditer(text):
        end = match.start()
        if chain and chain[-1][1] == end:
            chain.append(_piece(text, match.end()))
            continue
        if not _TOKENISH.search(text, max(0, end - 24), end):
            continue
        yield from _joined(text, chain)
        start = end
        while start and end - start < 600 and text[start - 1] in _TOKEN_CHARS:
            start -= 1
        chain = [(start, end), _piece(text, match.end())] if start < end else []
    yield from _joined(text, chain)


def _piece(text: str, start: int) -> tuple[int, int]:
    end = start
    while end < len(text) and end - start < 600 and text[end] in _TOKEN_CHARS:
        end += 1
    return start, end


def _joined(text: str, chain: list[tuple[int, int]]) -> Iterator[Found]:
    """Secrets in the joined pieces that reach over a joint, where what follows it looks like more of a token."""
    joined = "".join(text[start:end] for start, end in chain)
    if len(joined) < 16 or len(joined) > 8000 or not _NOT_LOWER.search(joined):
        return
    origin = [at for start, end in chain for at in range(start, end)]
    for start, end, kind in _shapes(joined):
        first, last = origin[start], origin[end - 1] + 1
        if last - first > end - start and _NOT_LOWER.search(text, max(first, chain[1][0]), last):
            yield Found(first, last, kind)


def _merge(found: Iterable[Found], text: str) -> list[Found]:
    """Findings without those that touch a marker, overlapping ones joined; in order."""
    ordered = sorted(found, key=lambda f: (f.start, -f.end))
    markers = [match.span() for match in MARKER.finditer(text)] if ordered else []
    place = 0
    spans: list[Found] = []
    for start, end, kind in ordered:
        while place < len(markers) and markers[place][1] <= start:
            place += 1
        if start >= end or (place < len(markers) and markers[place][0] < end):
            continue
        if spans and start < spans[-1].end:
            before = spans[-1]
            spans[-1] = Found(before.start, max(end, before.end), _rank(before, Found(start, end, kind)))
        else:
            spans.append(Found(start, end, kind))
    return spans


_VAGUE = (
    "secret",
    "password",
    "sk-key",
    "url-token",
    "cookie",
    "bearer",
    "phone",
    "name",
    "basic-auth",
    "jwt",
    "mail",
    "card",
    "iban",
)


def _rank(one: Found, two: Found) -> str:
    """The kind that says more; of two that say as much, that of the earlier or longer finding."""
    return two.kind if one.kind in _VAGUE and two.kind not in _VAGUE else one.kind


def _replace(text: str, spans: list[Found], counts: dict[str, int]) -> str:
    out: list[str] = []
    at = 0
    for start, end, kind in spans:
        out += [text[at:start], f"[redacted:{kind}]"]
        counts[kind] = counts.get(kind, 0) + 1
        at = end
    return "".join([*out, text[at:]])


def strip_private(text: str, *, names: Iterable[str] = (), home: str | Iterable[str] = ()) -> str:
    """The text without secrets, personal data, names and places of a machine: for all that is shared or installed.

    Absolute paths to a file shrink to its name (`/home/x/src/shop/api/tax.go` → `tax.go`), settings and folders under
    a home folder to what comes after it (`/Users/x/.claude/CLAUDE.md` → `~/.claude/CLAUDE.md`, `/home/x/logs` →
    `~/logs`). System paths (`/etc/hosts`) and routes (`/api/v1/users`) say nothing of anyone and stay. Repeating it
    changes nothing.

    Args:
        text: a rule, a quote or any other line that leaves the machine.
        names: of persons and users; found inside paths and identifiers too.
        home: further home folders than those that a path's own form shows.
    """
    homes = [home] if isinstance(home, str) else list(home)
    for folder in sorted((h.rstrip("/\\") for h in homes if len(h) > 1), key=len, reverse=True):
        text = re.sub(re.escape(folder) + r"(?![\w.\-])(?P<rest>" + _PATH_REST + ")", _under_home, text)
    text = _FILE_URL.sub("/", text)
    text = _HOME_PATH.sub(_under_home, text)
    text = _PLACE.sub(_last_part, text)
    return SecretRedactor(names, strip_home=True).redact(text).text


def _under_home(match: re.Match[str]) -> str:
    rest = match["rest"]
    plain = rest.replace("\\\\", "\\").lstrip("/\\")
    inner = match.start() and match.string[match.start() - 1].isalnum()
    if not plain:
        kept = "~"
    elif (plain.startswith(".") and not plain.startswith("..")) or not _FILE.search(plain):
        kept = f"~{rest}"
    else:
        kept = _last(rest)
    return "/" + kept if inner else kept


def _last_part(match: re.Match[str]) -> str:
    return _last(match[0]) or "~"


def _last(path: str) -> str:
    end = re.search(r"[/\\]*[.,;!?]*\Z", path)
    tail = end[0] if end else ""
    name = re.split(r"[/\\]+", path[: len(path) - len(tail)])[-1]
    return "" if name.endswith(":") else name + tail.replace("\\", "/")[:1] + tail.lstrip("/\\")[1:] if tail else name
