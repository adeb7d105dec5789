"""Secrets that are known by their frame: key blocks, URL credentials, authorisation schemes, cookies, known commands.

The one decision: a frame is cut as far as it surely reaches. A key block without its last line ends with its last
line of base64; one without its first line starts with its first.
"""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Iterator
from urllib.parse import unquote

from ingrained.session.looks import credential, generated, password_like, placeholder
from ingrained.session.secrets import Found, positions

_NEWLINE = r"(?:\r?\n|\\r\\n|\\n|\\\\n)"
_BODY = (
    rf"(?:{_NEWLINE}[ \t>|\"'+,]*(?:[A-Za-z0-9+/]{{16,}}={{0,2}}|[A-Za-z0-9+/]{{1,63}}={{1,2}}|=[A-Za-z0-9+/]{{4}}"
    rf"|(?:Version|Comment|Hash|Charset|Proc-Type|DEK-Info|Subject)[^\n\\]*)?[ \t\"'+,]*)+"
)
_BEGIN = re.compile(rf"-{{4,5}} ?BEGIN (?P<name>[A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?) ?-{{4,5}}(?P<body>{_BODY})?")
_ONE_LINE = re.compile(r"[ \t]*[A-Za-z0-9+/]{40,}={0,2}(?:[ \t]+[A-Za-z0-9+/]{16,}={0,2})*")
_END = re.compile(
    rf"(?P<body>(?:[ \t>|\"'+]*[A-Za-z0-9+/]{{16,}}={{0,2}}[\"'+ \t,]*{_NEWLINE})+[ \t\"'+]*)?"
    r"-{4,5} ?END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)? ?-{4,5}"
)
_PUTTY = re.compile(r"Private-Lines: \d+(?P<s>(?:\r?\n[A-Za-z0-9+/=]+(?=\r?\n|\Z))+)")
_JWK = re.compile(r"\"(?:d|k|p|q|dp|dq|qi)\\?\"\s*:\s*\\?\"(?P<s>[A-Za-z0-9_\-]{20,})")

_URL = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.\-]{1,20})://(?P<user>[^\s:/@\"'<>`\\]*):"
    r"(?:(?P<s>[^\s\"'<>`/\\]{1,256})|(?P<t>(?!\d{1,5}/)[^\s\"'<>`\\@]{1,256}))@(?=[\w\[$.{%\-])"
)
_URL_TOKEN = re.compile(r"://(?P<s>[A-Za-z0-9_.~%\-]{16,256})@(?=[\w.\-]+)")
_BEARER = re.compile(r"(?i:bearer)[\"']?(?:\s{1,4}|%20|\+|:\s?|=)[\"'`]?(?P<s>[A-Za-z0-9._~+/\-]{8,4096}=*)")
_AUTHORIZATION = re.compile(
    r"(?<![a-z])(?i:authorization)\\?[\"'`]?(?:\s?[:=,]|\s?=>|[ ])\s{0,4}\\?[\"'`]?"
    r"(?:(?!(?i:basic|bearer)\b)[A-Za-z]{3,12}\s{1,4})?(?:(?i:token|key)[=:]\s?)?\\?[\"'`]?"
    r"(?!AWS4-)(?P<s>[A-Za-z0-9._~+/\-]{16,4096}+=*+)(?![(\[])"
)
_BASIC = re.compile(r"(?i:basic)\s+(?P<s>[A-Za-z0-9+/]{6,512}={0,2})")
_COOKIE = re.compile(r"(?i:\b(?:set-)?cookie)s?[\"']?\s*(?::|=>|=)\s*[\"']?(?P<rest>[^\n\"']{4,8192})")
_CRUMB = re.compile(r"(?P<name>[\w.\-$]+)=(?P<s>[^\s;,\"']{8,4096})")
_SESSION_COOKIE = re.compile(
    r"(?:JSESSIONID|PHPSESSID|ASP\.NET_SessionId|connect\.sid|laravel_session|_gitlab_session|user_session"
    r"|__(?:Secure|Host)-[\w.\-]+)=(?P<s>[^\s;\"']{12,4096})"
)
_COMMANDS = re.compile(
    r"\b(?:curl|http|https|wget)\b[^\n]{0,400}?\s(?:-u|--user|--proxy-user|-a"
    r"|--auth)[ =]?[\"']?[^\s:\"']+:(?P<curl>[^\s\"']{3,})"
    r"|\bmy(?:sql\w*|dumper)\b[^\n|;]{0,200}?\s-p(?P<mysql>[^\s\-\"'][^\s\"']{3,})"
    r"|(?i:\bidentified\s+by\s+)[\"'](?P<sql>[^\"'\n]{4,})[\"']"
    r"|::add-mask::(?P<mask>[^\s%]{6,})"
    r"|\bsshpass\s+-p\s*[\"']?(?P<ssh>[^\s\"']{3,})"
    r"|\bredis-cli\b[^\n|;]{0,120}?\s-a\s+[\"']?(?P<redis>[^\s\"']{3,})"
    r"|\b(?:docker|podman|nerdctl|registry|oc|az|cf)\s+login\b[^\n|;]{0,200}?\s-p\s+[\"']?(?P<login>[^\s\"']{3,})"
)


_COOKIE_WORDS = ("cookie", "sessid", "session", "connect.sid", "__secure-", "__host-")
_PROGRAMS = ("curl", "http", "wget", "mysql", "mydumper", "sshpass", "redis-cli", " login ")
_PGPASS = re.compile(r"(?m)^[\w.*\-]+:(?:\d{2,5}|\*):[\w*\-]+:[\w*.\-]+:(?P<s>\S{6,256})$")


def _blocks(text: str) -> Iterator[Found]:
    """Private key blocks, whole or torn."""
    for match in _BEGIN.finditer(text):
        limit = match.start() + 40_000
        following = text.find("-BEGIN ", match.end("name"), limit)
        end_line = re.compile(rf"-{{4,5}} ?END {re.escape(match['name'])} ?-{{4,5}}")
        closing = end_line.search(text, match.end("name"), following if following > -1 else limit)
        if closing:
            yield Found(match.start(), closing.end(), "private-key")
            continue
        end = match.end()
        same_line = _ONE_LINE.match(text, end) if not match["body"] else None
        if match["body"] or same_line:
            yield Found(match.start(), same_line.end() if same_line else end, "private-key")
    for match in _END.finditer(text):
        if match["body"]:
            yield Found(match.start(), match.end(), "private-key")
    for match in _PUTTY.finditer(text):
        yield Found(*match.span("s"), "private-key")


def _urls(text: str) -> Iterator[Found]:
    for match in _URL.finditer(text):
        group = "s" if match["s"] else "t"
        value = unquote(match[group])
        if password_like(value, literal=True) or (
            len(value) >= 3 and not placeholder(value) and any(map(str.isdigit, value))
        ):
            yield Found(*match.span(group), "url-password")
        if generated(match["user"], least=20):
            yield Found(*match.span("user"), "url-token")
    for match in _URL_TOKEN.finditer(text):
        if generated(match["s"], least=16):
            yield Found(*match.span("s"), "url-token")


def _schemes(text: str, lower: str) -> Iterator[Found]:
    for match in (found for at in positions(lower, "bearer") if (found := _BEARER.match(text, at))):
        value = match["s"].rstrip(".")
        if credential(value) or (not placeholder(value) and generated(value, least=12)):
            yield Found(match.start("s"), match.start("s") + len(value), "bearer")
    for match in (found for at in positions(lower, "authorization") if (found := _AUTHORIZATION.match(text, at))):
        value = match["s"].rstrip(".")
        if credential(value):
            yield Found(match.start("s"), match.start("s") + len(value), "bearer")
    for match in (found for at in positions(lower, "basic") if (found := _BASIC.match(text, at))):
        if _is_basic(match["s"]):
            yield Found(*match.span("s"), "basic-auth")


def _is_basic(value: str) -> bool:
    """The value is base64 of `user:password`."""
    try:
        plain = b64decode(value + "=" * (-len(value) % 4), validate=True).decode()
    except (Base64Error, ValueError):
        return False
    return ":" in plain and plain.isprintable()


def _cookies(text: str) -> Iterator[Found]:
    for match in _COOKIE.finditer(text):
        for crumb in _CRUMB.finditer(text, *match.span("rest")):
            if generated(unquote(crumb["s"]), least=12) and not placeholder(crumb["s"]):
                yield Found(*crumb.span("s"), "cookie")
    for match in _SESSION_COOKIE.finditer(text):
        if generated(unquote(match["s"]), least=12) and not placeholder(match["s"]):
            yield Found(*match.span("s"), "cookie")


def _commands(text: str) -> Iterator[Found]:
    for match in _COMMANDS.finditer(text):
        group = str(match.lastgroup)
        if password_like(match[group], literal=True):
            yield Found(*match.span(group), "password")


def _pgpass(text: str) -> Iterator[Found]:
    for match in _PGPASS.finditer(text):
        if generated(match["s"], least=8):
            yield Found(*match.span("s"), "password")


def find(text: str, lower: str) -> Iterator[Found]:
    """Framed secrets in `text`, in no order; `lower` is `text.lower()`. A text without a frame's words costs little."""
    if "private key" in lower or "private-lines" in lower:
        yield from _blocks(text)
    yield from _schemes(text, lower)
    if ":" in text:
        if "://" in text:
            yield from _urls(text)
        if ":5432:" in text or ":*:" in text:
            yield from _pgpass(text)
        if '"kty' in text:
            yield from (Found(*match.span("s"), "private-key") for match in _JWK.finditer(text))
    if ("=" in text or ":" in text) and any(word in lower for word in _COOKIE_WORDS):
        yield from _cookies(text)
    programs = " -" in text and any(word in text for word in _PROGRAMS)
    if programs or "identified by" in lower or "::add-mask" in text:
        yield from _commands(text)
