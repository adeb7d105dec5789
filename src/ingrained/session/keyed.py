"""Values of secret-named keys, in every notation in which a key can stand before its value.

The one decision: a key's name is graded first (`grade`), because `password` may have any value and `cache_key` hardly a
secret one; the better the name, the less the value must look random (`looks`). Environment dumps, JSON, YAML, ini,
code, calls, headers, flags, query strings, XML, tables and prose are one loop over the few roots that such names share.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import IntEnum

from ingrained.session import prose
from ingrained.session.letters import likeness
from ingrained.session.looks import credential, generated, hex_key, is_hex, password_like, placeholder, technical, turns
from ingrained.session.secrets import Found, positions, provider_kind

ROOTS = ("pass", "pwd", "secret", "token", "key", "auth", "cred", "_pat", "dsn", "pw", "kennw")
"""Lower-case roots of secret names: a text without any of them has no secret-named key."""


class Grade(IntEnum):
    """How much a name says about its value."""

    NONE = 0
    WEAK = 1
    """Some key (`map_key`): only a long random value is a secret."""
    TOKEN = 2
    """A token, secret or API key: the value must look generated."""
    PASSWORD = 3
    """A password: any value that is no placeholder, word or expression."""


_PASSWORDS = frozenset({"password", "passwd", "passwort", "pwd", "passphrase", "pass", "passcode", "pw", "kennwort"})
_TOKENS = frozenset(
    {"token", "secret", "apikey", "apitoken", "credential", "credentials", "creds", "auth", "pat", "dsn"}
)
_ENDINGS = ("token", "secret", "apikey", "accesskey", "secretkey", "privatekey", "authkey")
_QUALIFIERS = (
    "api access secret private signing sign encryption encrypt master auth deploy license subscription account shared "
    "admin storage client session webhook hmac jwt ssh cipher crypt service role bot integration ingest live "
)
_KEY_QUALIFIERS = frozenset(_QUALIFIERS.split())
_ENDS = (
    "file path dir folder url uri endpoint name type count limit length len size budget expiry expires expiration in "
    "at ttl age min max policy field input label hint error regex pattern header prefix suffix manager store provider "
    "required enabled reset strength format version index usage id ids ref arn algorithm alg kind mode scope scopes "
    "status state env var env_var tokens class method attempts rotation stdin placeholder column table handler lookup "
    "primary publishable foreign partition sort cache public shortcut mapping bindings idempotency object group map "
    "test cost price "
)
_NO_SECRET = frozenset(_ENDS.split())
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_KEY_CHARS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.")
_KEY_REST = re.compile(r"[A-Za-z0-9_\-]*")

_QUOTE = r"(?P<q>\\*[\"']|`{1,3}|&quot;|%22)"
_TYPE = r"(?::[ ]?[\w.\[\]|<>?]{1,32}(?:[ ]\|[ ]\w+)*[ ])?"
_ASSIGN = re.compile(
    r"(?:\\*[\"'`]|&quot;|%22)?(?:\)|\])?"
    r"(?:\s{0,8}(?:\{[\w; ]{1,32}\} )?"
    + _TYPE
    + r"(?P<sep>:=|\?=|\+=|=>|->|==?|:(?!:)|%3D|%3A)(?P<space>\s{0,20})(?:[|>][+-]?\s*\n\s+)?"
    r"|(?P<value>,?\s+\\*[\"']?(?:value|Value)\\*[\"']?\s*[:=]\s*)"
    r"|(?P<call>(?<=[\"'`]),\s?|\(\s?(?=[\"'`]))"
    r"|(?P<cell>\s?\|\s?`?)"
    r"|(?P<tag>>)"
    r"|(?P<flag>[ ]+))"
    r"(?P<scheme>(?:Bearer|Basic|Token|ApiKey|SSWS|Digest|token|basic|bearer)\s+)?"
    r"(?:(?:[\[{(]\s?){0,2}[bBrRuUfF]{0,2}(?=[\"'`]))?"
)
_QUOTED = re.compile(_QUOTE + r"(?P<v>(?:(?!(?P=q))[^\n]){1,4096}?)(?P=q)")
_BARE = re.compile(r"[^\s\"'`<>,;&|(){}\[\]\\]{1,4096}")
_LINE = re.compile(r"[^\s\"'`]{1,4096}")
_HEADER = re.compile(r"[\w .\"\-]+(?:,[\w .\"\-]+)+\r?\Z")
_ENV_START = re.compile(r"(?:^|[\n\r;&]|\\n|[\"'`]|(?:export|set|setx|env|-e|--env|ENV|ARG)\s)\s*[\"']?\Z")

_VALUE_NEXT = re.compile(r"\blogin\s+\S+\s+\Z|^\s*(?:ENV|ARG|setx|RUN export)\s+\Z")
_TYPED = re.compile(r"[A-Za-z_][\w.]*[\[(]")
_BEFORE_PROSE = ("", " ", "\t", "\n", '"', "'", "`", "(", "*", "_", "|")


def words_of(name: str) -> list[str]:
    """The words of an identifier in any style, lower case: `dbPassword`, `DB_PASSWORD` and `db-password` alike."""
    spaced = _CAMEL.sub("_", name)
    return [word for word in re.split(r"[^a-z0-9]+", spaced.lower()) if word]


def grade(name: str) -> Grade:
    """What the name of a key says about its value."""
    words = words_of(name)
    if not words:
        return Grade.NONE
    last = words[-1].rstrip("0123456789") or words[-1]
    if last in _NO_SECRET and not (last == "test" and name.isupper()):
        return Grade.NONE
    if last in _PASSWORDS or last.endswith(("password", "passwd", "passphrase", "dbpass", "pwd")):
        return Grade.PASSWORD
    if last in _TOKENS or last.endswith(_ENDINGS):
        return Grade.TOKEN
    if last == "key":
        return _grade_key(words, name)
    if words[-2:] == ["key", "data"]:
        return Grade.TOKEN
    if any(word in _PASSWORDS or word.endswith("password") for word in words[:-1]) and last != "key":
        return Grade.PASSWORD
    if any(word in ("token", "secret", "apikey") for word in words[:-1]):
        return Grade.TOKEN
    return Grade.NONE


def _grade_key(words: list[str], name: str) -> Grade:
    if len(words) == 1:
        return Grade.NONE
    before = words[-2]
    if before in _KEY_QUALIFIERS or before in _PASSWORDS or any(w in ("secret", "api", "private") for w in words):
        return Grade.TOKEN
    if before in _NO_SECRET:
        return Grade.NONE
    return (
        Grade.TOKEN
        if provider_kind("_".join(words))
        else Grade.WEAK
        if name.isupper() or len(words) > 1
        else Grade.NONE
    )


def find(text: str, lower: str) -> Iterator[Found]:
    """Values of secret-named keys in `text`; `lower` is `text.lower()` with the same offsets."""
    seen = -1
    for start in sorted({at for root in ROOTS for at in positions(lower, root)}):
        if start < seen:
            continue
        begin = start
        while begin and text[begin - 1] in _KEY_CHARS and start - begin < 64:
            begin -= 1
        rest = _KEY_REST.match(text, start)
        end = rest.end() if rest else start
        seen = end
        name = text[begin:end].strip(".-")
        if (name.islower() or name.istitle() or (name.isupper() and name.isalpha())) and text[begin - 1 : begin] == " ":
            line = text[max(0, begin - 48) : begin - 1].rsplit("\n", 1)[-1]
            marks = "(*[>" if text[end : end + 1] in ('"', "'", "`") else "(*[>\"'`"
            before = [word.lstrip(marks) for word in line.rsplit(" ", 3)[-3:]]
            name = " ".join([word for word in before if word.isalpha()] + [name])
        level = grade(name)
        if level is not Grade.NONE:
            yield from _value(text, begin, end, name, level)


def _kind(name: str, level: Grade) -> str:
    named = provider_kind("_".join(words_of(name)))
    return named or ("password" if level is Grade.PASSWORD else "secret")


def _value(text: str, begin: int, end: int, name: str, level: Grade) -> Iterator[Found]:
    match = _ASSIGN.match(text, end)
    sep = match["sep"] if match else None
    said = text[begin:end].lower()
    if said == "pass" and not _is_pass_key(text, begin, end, sep):
        return
    if said == "pw" and match and (match["call"] or sep == "=="):
        return
    found = _assigned(text, begin, match, name, level) if match else None
    if found is None and sep is None and text[begin - 1 : begin] in _BEFORE_PROSE:
        found = prose.after(text, end, password=level is Grade.PASSWORD, least=20 if level is Grade.WEAK else 12)
    kind = _kind(name, level)
    if found is None and text[begin - 1 : begin] == " ":
        found = prose.before(text, begin, password=level is Grade.PASSWORD)
    if found is not None:
        yield Found(found[0], found[1], kind)
    elif "," in (text[begin - 1 : begin], text[end : end + 1]):
        yield from (Found(first, last, kind) for first, last in _column(text, begin, end, level))


def _is_pass_key(text: str, begin: int, end: int, sep: str | None) -> bool:
    """The bare word "pass" is a key here, not a verb or a test's outcome (`--- PASS: TestX`)."""
    before = text[begin - 1 : begin]
    if sep == ":":
        return before in ("'", '"') or (text[begin:end].islower() and before in ("", "\n", " "))
    return sep in ("=", "=>") or text.startswith((" is ", " was "), end)


def _assigned(text: str, begin: int, match: re.Match[str], name: str, level: Grade) -> tuple[int, int] | None:
    if match["flag"] and not _is_flag(text, begin):
        return None
    if match["tag"] and text[begin - 1 : begin] not in ("<", ":"):
        return None
    if match["cell"]:
        level = min(level, Grade.TOKEN)
    quoted = _QUOTED.match(text, match.end())
    if quoted is not None:
        value = quoted["v"]
        if quoted["q"] == "`" and placeholder(value, code=True):
            return None
        return quoted.span("v") if _accept(value, level, header=_is_header(match, name)) else None
    return _bare(text, begin, match, name, level)


def _bare(text: str, begin: int, match: re.Match[str], name: str, level: Grade) -> tuple[int, int] | None:
    """The span of a value without quotes, where it is a secret: in code such a thing is a name or an expression."""
    env = match["sep"] == "=" and not match["space"] and name.replace("_", "").isupper()
    line = match["sep"] == ":" and not match["scheme"]
    starts = bool(_ENV_START.search(text, max(0, begin - 12), begin))
    whole = starts and (env or line)
    found = (_LINE if whole else _BARE).match(text, match.end())
    if found is None:
        return None
    first, last = found.span()
    ended = last
    while last > first and text[last - 1] in (",;" if env else ".,;:!?)}]*"):
        last -= 1
    value = text[first:last]
    literal = (
        env or bool(match["flag"] or match["tag"] or match["scheme"]) or text[begin - 1 : begin] in ("?", "&", "#")
    )
    literal = literal or text.startswith("--", begin)
    in_code = not literal and (not whole or bool(_TYPED.match(value)) or text[last:ended][:1] in (",", ";", ")", "}"))
    header = _is_header(match, name)
    if header and level is Grade.TOKEN and credential(value):
        return (first, last)
    if in_code and _is_code(value, level, text[ended : ended + 1]):
        return None
    if not literal and technical(value):
        return None
    if match["flag"] and level is Grade.PASSWORD:
        return (first, last) if password_like(value, literal=True) else None
    return (first, last) if _accept(value, level, env=env, header=header) else None


def _is_header(match: re.Match[str], name: str) -> bool:
    """The key is one of a header (`X-Auth-Token: …`), or a scheme stands before the value."""
    return bool(match["scheme"]) or (match["sep"] == ":" and "-" in name)


def _is_name(value: str) -> bool:
    """A variable's name with a few digits (`ed25519Seed`), as the right side of an assignment in code."""
    return len(value) < 20 and value.isidentifier() and turns(value) < 3 and likeness(value)[0] > 0


def _is_code(value: str, level: Grade, after: str) -> bool:
    """The bare value is a name or an expression, unless only a secret looks so.

    A password as people write one has a figure within lower-case letters; names in code have it at their ends, and
    what is called has a bracket `after` it.
    """
    if level is Grade.TOKEN and hex_key(value):
        return False
    if level is Grade.PASSWORD and after != "(" and value.isalnum() and value[1:].islower() and prose.mixed(value):
        return False
    return placeholder(value, code=True) or _is_name(value)


def _accept(value: str, level: Grade, *, env: bool = False, header: bool = False) -> bool:
    if level is Grade.TOKEN and (hex_key(value) or (header and credential(value))):
        return True
    if placeholder(value):
        return False
    if level is Grade.PASSWORD:
        return password_like(value, literal=env)
    if level is Grade.TOKEN:
        return generated(value, least=8 if env else 10)
    return generated(value, least=20) and not is_hex(value) and any(c.isupper() for c in value)


def _column(text: str, begin: int, end: int, level: Grade) -> Iterator[tuple[int, int]]:
    """Values below a secret-named column of comma-separated lines; the header is the first line of its width."""
    start = text.rfind("\n", 0, begin) + 1
    rest = text.find("\n", end)
    header = text[start:rest] if rest >= 0 else ""
    if not _HEADER.match(header):
        return
    place, width = text.count(",", start, begin), header.count(",")
    if start and text.count(",", text.rfind("\n", 0, start - 1) + 1, start) == width:
        return
    at = rest + 1
    while at < len(text):
        stop = text.find("\n", at)
        line = text[at : stop if stop >= 0 else len(text)]
        if line.count(",") != width:
            return
        fields = line.split(",")
        first = at + sum(len(field) + 1 for field in fields[:place])
        value = fields[place].strip(" \"'\r")
        first += fields[place].find(value)
        if value and _accept(value, level):
            yield first, first + len(value)
        at += len(line) + 1


def _is_flag(text: str, begin: int) -> bool:
    """A value may follow after a space only: a flag (`--password x`), a netrc line, `ENV` or `setx` before the name."""
    if text[begin : begin + 2] == "--" or text[max(0, begin - 2) : begin] == "--":
        return True
    line = text[max(0, begin - 80) : begin]
    return bool(_VALUE_NEXT.search(line[line.rfind("\n") + 1 :]))
